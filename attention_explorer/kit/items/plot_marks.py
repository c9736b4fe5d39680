"""What can stand in a plot: axes, curves, bars, bands, lines, points, labels, and handles that are dragged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_explorer.core.map_picture import FloatArray, short_number
from attention_explorer.core.numerals import round_step
from attention_explorer.kit.drawing.log_axis import SMALLEST, log_number, log_share, log_text, log_ticks
from attention_explorer.kit.theme import Look

LEGEND_LINE, SAMPLE, WORDS = 22, 26, 13.0
"""Pixels at zoom 1: a line of the legend, a sample in it, and letters of what is read."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Points joined by a line.

    Attributes
    ----------
    x, y : ndarray, (n,)
        Its points; x rises. Where y is not finite the line has a gap. Of a ``stepped`` one x has n + 1 edges.
    name : str
        What the legend calls it; without one it is not in the legend.
    ink : str
        A field of `Theme`.
    width : float
        Pixels at zoom 1.
    dash : (float, float)
        Pixels at zoom 1 that are drawn and left out; (0, 0) for a solid line.
    fill : float
        How opaque the area between it and the bottom is, 0 to 1.
    is_stepped : bool
        Whether it is a histogram: level from edge to edge.
    is_rough : bool
        Whether it goes up and down within pixels: it is drawn as the area that it crosses. It has no gaps.
    """

    x: FloatArray
    y: FloatArray
    name: str = ""
    ink: str = "text"
    width: float = 1.8
    dash: tuple[float, float] = (0.0, 0.0)
    fill: float = 0.0
    is_stepped: bool = False
    is_rough: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars that stand on 0.

    Attributes
    ----------
    name : str
        What the legend calls them; without one they are not in the legend.
    lows, highs : sequence of float, (n,)
        From where to where each goes across.
    tops : sequence of float, (n,)
        How far each goes up or down.
    """

    lows: Sequence[float]
    highs: Sequence[float]
    tops: Sequence[float]
    name: str = ""
    ink: str = "text"
    opacity: float = 0.4


@dataclass(frozen=True, slots=True)
class Band:
    """All that is between two numbers across."""

    low: float
    high: float
    ink: str = "text"
    opacity: float = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """All that is between two curves, each (n,); x rises, and both are finite."""

    x: FloatArray
    lows: FloatArray
    highs: FloatArray
    ink: str = "text"
    opacity: float = 0.16


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line through the whole plot, at a number across or, if it is ``level``, up."""

    at: float
    level: bool = False
    text: str = ""
    ink: str = "muted"
    dash: tuple[float, float] = (5.0, 4.0)


@dataclass(frozen=True, slots=True)
class Points:
    """Marks at places, each with a whisker from ``lows`` to ``highs`` if those are given.

    Attributes
    ----------
    name : str
        What the legend calls them, and what a `Hit` says of them.
    is_square, is_filled, is_joined : bool
        How they are told from others, but by their colour: squares, hollow ones, joined by a thin line.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()
    ink: str = "text"
    size: float = 4.0
    is_square: bool = False
    is_filled: bool = True
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class Corner:
    """A step from one place to another: level first, then up or down."""

    x: float
    y: float
    to_x: float
    to_y: float
    ink: str = "text"


@dataclass(frozen=True, slots=True)
class Bracket:
    """A line at a height from one number across to another, with a stroke at either end: how far something reaches."""

    low: float
    high: float
    y: float
    ink: str = "text"
    width: float = 2.4


@dataclass(frozen=True, slots=True)
class Label:
    """Words beside a place, where they cover least; or at the place itself, if they are ``fixed``.

    Attributes
    ----------
    text : str
        In several lines, if it has any breaks; of those only the first is bold.
    anchor : (float, float)
        What of fixed words is at the place: 0 their left or upper edge, 0.5 their middle, 1 the right or lower edge.
    gap : float
        Pixels at zoom 1 between the place and that edge.
    has_halo : bool
        Whether an outline sets it off from what lies behind, which takes a millisecond whenever the text is a new one.
    """

    x: float
    y: float
    text: str
    ink: str = "text"
    size: float = 13.0
    bold: bool = False
    fixed: bool = False
    anchor: tuple[float, float] = (0.0, 0.5)
    gap: float = 0.0
    has_halo: bool = True


@dataclass(frozen=True, slots=True)
class Handle:
    """Something that is dragged: a line across the plot, or with ``y`` a ring at a place.

    Attributes
    ----------
    name : str
        What a `Hit` says of it.
    x : float
        Where it stands across.
    y : float or None
        Where it stands up; None for a line.
    stops : sequence of float
        Where keys send it, ascending: across for a line; up, and by Up and Down, for a ring.
    text : str
        What stands at the top of a line.
    """

    name: str
    x: float
    y: float | None = None
    stops: Sequence[float] = ()
    ink: str = "text"
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReadOut:
    """What stands beside the plot at the right, at a height: a number that a handle reads off.

    Attributes
    ----------
    room : str
        A text as wide as any that may stand there: the plot must not get wider or narrower while a handle moves.
    """

    y: float
    text: str
    room: str


Mark = Curve | Bars | Band | Between | Line | Points | Bracket | Corner | Label | Handle | ReadOut


@dataclass(frozen=True, slots=True)
class At:
    """What of a plot is under the pointer: a place across, or one of its points.

    Attributes
    ----------
    x : float
        The place, at the nearest number that `Plot.snap` gives.
    points : str
        The `Points` that have it; empty for a place across alone.
    index : int
        Which of them, counted from 0.
    """

    x: float
    points: str = ""
    index: int = 0


# ---- Axes ----


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
