"""In which order the arithmetic of a row comes, and how fast; no numbers, so that the state of the page can hold it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum, StrEnum

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


def moments(lines: int, *, has_scores: bool, has_values: bool) -> Iterator[tuple[Part, int]]:
    """Yield how far a row of so many lines is at each moment: the newest part, and how many of its lines are there."""
    if has_scores:
        yield from ((Part.PRODUCTS, line) for line in range(1, lines + 1))
        yield from ((part, lines) for part in (Part.SCALE, Part.MASK, Part.EXP))
    yield Part.WEIGHTS, lines
    if has_values:
        yield from ((Part.VALUES, line) for line in range(1, lines + 1))


class RowSpeed(StrEnum):
    """How long a step of a row stays while it plays."""

    SLOW = "slow"
    STEADY = "steady"
    FAST = "fast"

    @property
    def milliseconds(self) -> int:
        """How long a step stays."""
        return {RowSpeed.SLOW: 2400, RowSpeed.STEADY: 1200, RowSpeed.FAST: 400}[self]
