"""The part a vector plays in attention, which decides its colour everywhere."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """The part a vector plays."""

    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    TARGET = "target"
