"""The one family of errors that is shown to people, in their words."""

from __future__ import annotations


class ExplorerError(Exception):
    """Something a person can act on: the message says what was wrong, where, and what to do."""


class ArrayError(ExplorerError, ValueError):
    """An array argument has the wrong shape, type or values; the message names it and its shape."""


class ExportError(ExplorerError):
    """A file could not be written; nothing was left half-written."""
