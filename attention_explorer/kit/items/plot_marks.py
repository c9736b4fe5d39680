"""What can stand in a plot: curves, bars, bands, lines, points, labels, and handles that are dragged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attention_explorer.core.colour_scale import FloatArray

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
    """

    x: FloatArray
    y: FloatArray
    name: str = ""
    ink: str = "text"
    width: float = 1.8
    dash: tuple[float, float] = (0.0, 0.0)
    fill: float = 0.0
    is_stepped: bool = False


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
