"""In which order the arithmetic of a row comes, and how fast; no numbers, so that the state of the page can hold it."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from functools import lru_cache

MOST_KEYS = 16
"""Keys that have a line of their own; of more, the heaviest, and all others together in one line."""


class Part(IntEnum):
    """What is done one after the other; a row begins with the first of them that is known."""

    PRODUCTS = 0
    SCALE = 1
    MASK = 2
    EXP = 3
    WEIGHTS = 4
    VALUES = 5


@lru_cache(maxsize=64)
def moments(lines: int, *, has_scores: bool, has_values: bool) -> tuple[tuple[Part, int], ...]:
    """Return how far a row of so many lines is at each moment: the newest part, and how many of its lines are there."""
    one_by_one = range(1, lines + 1)
    products = [(Part.PRODUCTS, line) for line in one_by_one]
    whole = [(part, lines) for part in (Part.SCALE, Part.MASK, Part.EXP)]
    values = [(Part.VALUES, line) for line in one_by_one]
    return *(products + whole if has_scores else []), (Part.WEIGHTS, lines), *(values if has_values else [])


class RowSpeed(StrEnum):
    """How long a step of a row stays while it plays."""

    SLOW = "slow"
    STEADY = "steady"
    FAST = "fast"

    @property
    def milliseconds(self) -> int:
        """How long a step stays."""
        return {RowSpeed.SLOW: 2400, RowSpeed.STEADY: 1200, RowSpeed.FAST: 400}[self]
