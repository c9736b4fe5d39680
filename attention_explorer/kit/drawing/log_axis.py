"""Logarithmic axes: where a number is on one, and its round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attention_explorer.core.map_picture import short_number
from attention_explorer.core.numerals import superscript

SMALLEST = 1e-300
"""What is not above 0 has no place on such an axis; it is drawn far below it."""
_PLAIN_FROM, _PLAIN_TO = 1e-3, 1e5


def log_share(number: float, low: float, high: float) -> float:
    """Return where a number is from low (0) to high (1), both above 0."""
    return math.log(max(number, SMALLEST) / low) / math.log(high / low)


def log_number(share: float, low: float, high: float) -> float:
    """Return the number at a place."""
    return low * math.exp(share * math.log(high / low))


def log_ticks(low: float, high: float, most: int, base: int = 10) -> list[float]:
    """Return at most about so many powers of a base from low to high, or of multiples of ten where those are few."""
    unit = math.log(base)
    first, last = math.ceil(math.log(low) / unit - 1e-9), math.floor(math.log(high) / unit + 1e-9)
    powers = list(range(first, last + 1))
    if base == 10 and len(powers) < min(3, most):
        rows = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
        fine = [factor * 10.0**power for power in rows for factor in (1, 2, 5)]
        inside = [float(f"{tick:.12g}") for tick in fine if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        return inside or [low]
    step = -(-len(powers) // max(most, 1))
    return [float(base) ** power for power in powers if power % step == 0]


def log_text(number: float) -> str:
    """Return a tick as it is written: 0.01, 50, 10⁻⁸."""
    if _PLAIN_FROM <= number < _PLAIN_TO:
        return short_number(number)
    exponent = math.log10(number)
    if abs(exponent - round(exponent)) < 1e-9:
        return "10" + superscript(round(exponent))
    return short_number(number)


def log_bounds(numbers: Sequence[float], least: float, room: float = 1.15) -> tuple[float, float]:
    """Return a range around the numbers above ``least``, with some room at both ends."""
    found = [number for number in numbers if math.isfinite(number) and number > least]
    low, high = (min(found), max(found)) if found else (least, 10.0 * least)
    if high < 2.0 * low:
        low, high = low / 2.0, high * 2.0
    return low / room, high * room
