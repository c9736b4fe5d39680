"""An axis of numbers: where each of them is, and which of them are written beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_explorer.core.colour_scale import FloatArray, short_number
from attention_explorer.core.numerals import round_step
from attention_explorer.kit.drawing.log_axis import SMALLEST, log_number, log_share, log_text, log_ticks
from attention_explorer.kit.theme import Look

Tick = tuple[float, str]
TICKS = 12.0
"""Pixels at zoom 1 of the letters of ticks."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What goes from ``low`` to ``high``, which differ.

    Attributes
    ----------
    low, high : float
        Its ends; both above 0 on a logarithmic axis.
    title : str
        What is on it, with its unit.
    log : int
        10 or 2 for a logarithmic axis, with ticks at powers; 0 for an even one.
    is_whole : bool
        Whether only whole numbers can be on it.
    ticks : tuple of (float, str)
        What is written beside it, ascending; round numbers if empty.
    has_all : bool
        Whether all of those are written, however little room there is.
    grid : bool
        Whether a faint line goes through the picture at each tick.
    is_bare : bool
        Whether nothing is written beside it: each place on it is the name of nothing but itself.
    """

    low: float
    high: float
    title: str = ""
    log: int = 0
    is_whole: bool = False
    ticks: tuple[Tick, ...] = ()
    has_all: bool = False
    grid: bool = False
    is_bare: bool = False

    def share(self, number: float) -> float:
        """Return where a number is, 0 at the low end and 1 at the high one."""
        if self.log:
            return log_share(number, self.low, self.high)
        return (number - self.low) / (self.high - self.low)

    def shares(self, numbers: FloatArray) -> FloatArray:
        """Return where numbers (n,) are."""
        if self.log:
            return np.asarray(np.log(np.maximum(numbers, SMALLEST) / self.low) / np.log(self.high / self.low))
        return np.asarray((numbers - self.low) / (self.high - self.low))

    def number(self, share: float) -> float:
        """Return the number at a place, held between the ends."""
        share = min(max(share, 0.0), 1.0)
        return log_number(share, self.low, self.high) if self.log else self.low + share * (self.high - self.low)

    def written(self, most: int) -> list[Tick]:
        """Return at most about so many numbers on it with their texts."""
        if self.is_bare:
            return []
        if self.ticks:
            step = 1 if self.has_all else -(-len(self.ticks) // max(most, 1))
            return [tick for index, tick in enumerate(self.ticks) if index % step == 0]
        if self.log:
            return [(tick, log_text(tick)) for tick in log_ticks(self.low, self.high, most, self.log)]
        found = round_ticks(self.low, self.high, most)
        return [(tick, short_number(tick)) for tick in found if not self.is_whole or tick == round(tick)]


def ticks_along(pixels: float, look: Look, each: float = 38) -> int:
    """Return how many ticks have room along an axis."""
    return max(2, int(pixels / look.px(each)))


def widened(low: float, high: float) -> tuple[float, float]:
    """Return a range that has some room around it, also if it was a single number."""
    # What is flat but for rounding must not look like a mountain range.
    is_flat = high - low < 1e-9 * max(1.0, abs(low), abs(high))
    margin = max(1.0, 0.5 * abs(low)) if is_flat else 0.07 * (high - low)
    return low - margin, high + margin


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most about so many round numbers from low to high."""
    if not math.isfinite(high - low) or high <= low:
        return [low]
    for parts in range(max(most, 1), max(most, 1) + 8):
        rough = (high - low) / parts
        step = round_step(0.999 * rough)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last > first:  # one number alone says nothing about the scale
            break
    # A product of 3 and 0.1 is 0.30000000000000004.
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
