"""What a click, a key or a drag on a picture asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Change(Generic[S]):
    """What a click or a key makes of the page's part of the state."""

    state: S
    label: str
    """What it is called in the undo menu."""
    merge: str = ""
    """Changes with the same word, soon after one another, are one step of the history."""
