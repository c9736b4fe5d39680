"""What a picture of a map holds: as many numbers as there are pixels, tokens, and places on a colour bar."""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, field, replace
from enum import StrEnum

import numpy as np

from attention_explorer.core.counting import MOST_TOKENS
from attention_explorer.core.declared import declared
from attention_explorer.core.numerals import MINUS, compact, scientific
from attention_explorer.fields import CheckedFields
from attention_explorer.model.pooling import TilePool, tile_bounds

# ---- Places on a colour bar ----


FloatArray = np.typing.NDArray[np.floating]
BoolArray = np.typing.NDArray[np.bool_]

SEQUENTIAL = ("viridis", "cividis", "magma")
"""Colour maps for weights. All three grow steadily lighter; cividis reads alike with every kind of colour vision."""

LOWEST_LOG = 1e-4
"""Where the log scale ends: smaller weights take its last colour."""

PERCENTILE = 98.0

ROWS_AT_ONCE = 128
"""Rows that are made into fewer at a time: a copy of all numbers of a large map takes far longer."""


class Contrast(StrEnum):
    """How weights become colours. Scores are always drawn around 0, up to their largest."""

    UNIT = "0…1"
    MAX = "0…max"
    ROW = "per row"
    LOG = "log"
    PERCENTILE = "percentile"


class ScaleKind(StrEnum):
    """How a number finds its place between the ends of the colour bar."""

    LINEAR = "linear"
    ROW = "row"
    LOG = "log"
    DIVERGING = "diverging"


@dataclass(frozen=True, slots=True)
class ColourScale:
    """A colour bar from ``low`` to ``high``, and what to call it."""

    kind: ScaleKind
    low: float
    high: float
    title: str
    badge: str = ""
    """Why the colours are not the raw numbers on 0…1; empty if they are."""
    end: str = ""
    """What the high end is called, where the number would not do."""

    @property
    def is_diverging(self) -> bool:
        """Whether 0 is in the middle."""
        return self.kind is ScaleKind.DIVERGING

    def positions(self, values: FloatArray) -> FloatArray:
        """Return where values (h, w) stand on the bar, 0 to 1; what lies beyond an end stands at that end."""
        if self.kind is ScaleKind.LOG:
            tiny = np.maximum(values, LOWEST_LOG)
            return np.asarray(np.clip(1.0 - np.log10(tiny) / math.log10(LOWEST_LOG), 0.0, 1.0))
        if self.kind is ScaleKind.ROW:
            largest = values.max(axis=-1, keepdims=True, initial=0.0)
            shares: FloatArray = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0)
            return shares
        # ∞ − ∞ of a score beyond the float range, and a bar whose ends are the same.
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            if self.is_diverging:  # high − low of ±1e308 would be infinite
                shifted = np.asarray(0.5 + 0.5 * (values / self.high))
            else:
                shifted = np.asarray((values - self.low) / (self.high - self.low))
        places: FloatArray = np.clip(shifted, 0.0, 1.0, out=shifted)
        places[np.isnan(places)] = 0.5
        return places

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Return places on the bar with what they are called."""
        if self.kind is ScaleKind.LOG:
            return tuple((1 - i / 4, f"{10.0**-i:g}") for i in (4, 3, 2, 1, 0))
        if self.kind is ScaleKind.ROW:
            return ((0.0, "0"), (1.0, "row’s largest"))
        if self.is_diverging:
            end = short_number(self.high)
            return ((0.0, MINUS + end), (0.5, "0"), (1.0, "+" + end))
        return ((0.0, short_number(self.low)), (1.0, self.end or end_text(self.high)))


def short_number(number: float) -> str:
    """Return a finite number as a colour bar says it: 0, 1, 0.35, 12.4, 2.06·10⁻⁹."""
    if number == round(number) and abs(number) < 1e6:
        return str(round(number)).replace("-", MINUS)
    if abs(number) >= 1e6:
        return compact(number)
    if abs(number) < 1e-4:
        return MINUS * (number < 0) + scientific(abs(number))
    return (f"{number:.0f}" if abs(number) >= 1000 else f"{number:.3g}").replace("-", MINUS)


def end_text(weight: float) -> str:
    """Return the largest weight as the end of a bar: 1 for exactly 1, and 1.00 for what only rounds to it."""
    return f"{weight:.2f}" if 0.9995 <= weight < 1.0 else short_number(weight)


def weight_end(contrast: Contrast, weights: FloatArray, masked: BoolArray) -> float:
    """Return where the colours of weights (h, w) end under a contrast; ``masked`` cells do not count."""
    visible = weights[~masked] if masked.any() else weights
    if contrast not in (Contrast.MAX, Contrast.PERCENTILE) or not visible.size:
        return 1.0
    top = float(np.percentile(visible, PERCENTILE) if contrast is Contrast.PERCENTILE else visible.max())
    return top if top > 0.0 else 1.0


def weight_scale(contrast: Contrast, weights: FloatArray, masked: BoolArray, where: str = "") -> ColourScale:
    """Return the scale for weights (h, w) under a contrast; ``masked`` cells do not count, ``where`` they are."""
    if contrast is Contrast.ROW:
        return ColourScale(
            ScaleKind.ROW,
            0.0,
            1.0,
            "weight ÷ largest of its row",
            "colours are not the raw weights: each row is divided by its largest",
        )
    if contrast is Contrast.LOG:
        return ColourScale(
            ScaleKind.LOG,
            LOWEST_LOG,
            1.0,
            "weight (log)",
            "colours are not proportional to the weights: powers of ten from 0.0001 to 1",
        )
    top = weight_end(contrast, weights, masked)
    if top == 1.0:
        return ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "weight")
    if contrast is Contrast.PERCENTILE:
        said = f"colours end at {end_text(top)}, the {PERCENTILE:.0f}th percentile{where}"
    else:
        said = f"colours end at {end_text(top)}, the largest weight{where}"
    return ColourScale(ScaleKind.LINEAR, 0.0, top, "weight", said)


def length_scale(contrast: Contrast, lengths: FloatArray, masked: BoolArray, symbol: str) -> ColourScale:
    """Return the scale for lengths (h, w), which may be of any size: to the largest, or what a contrast makes of it."""
    if contrast is Contrast.ROW:
        said = "each row is divided by its largest"
        return ColourScale(ScaleKind.ROW, 0.0, 1.0, f"{symbol} ÷ largest of its row", f"colours: {said}")
    visible = lengths[~masked]
    if contrast is Contrast.PERCENTILE and visible.size and (top := float(np.percentile(visible, PERCENTILE))) > 0.0:
        said = f"colours end at {end_text(top)}, the {PERCENTILE:.0f}th percentile"
        return ColourScale(ScaleKind.LINEAR, 0.0, top, symbol, said)
    return ColourScale(ScaleKind.LINEAR, 0.0, float(visible.max(initial=0.0)) or 1.0, symbol)


def score_scale(scores: FloatArray, title: str) -> ColourScale:
    """Return the zero-centred scale for scores (h, w); infinite ones (masked) do not count."""
    finite = scores[np.isfinite(scores)]
    end = float(np.abs(finite).max()) if finite.size else 0.0
    return ColourScale(ScaleKind.DIVERGING, -(end or 1.0), end or 1.0, title)


# ---- The picture ----


IntArray = np.typing.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Window(CheckedFields):
    """The part of a map in view: rows and columns, each a half-open range."""

    top: int = declared(MISSING, "top", "The first row in view", "Move the view", is_view=True, high=MOST_TOKENS - 1)
    bottom: int = declared(
        MISSING, "bottom", "The row behind the last one in view", "Move the view", is_view=True, low=1, high=MOST_TOKENS
    )
    left: int = declared(
        MISSING, "left", "The first column in view", "Move the view", is_view=True, high=MOST_TOKENS - 1
    )
    right: int = declared(
        MISSING,
        "right",
        "The column behind the last one in view",
        "Move the view",
        is_view=True,
        low=1,
        high=MOST_TOKENS,
    )

    @classmethod
    def whole(cls, shape: tuple[int, int]) -> Window:
        """Return the window that shows everything."""
        return cls(0, shape[0], 0, shape[1])

    @property
    def rows(self) -> slice:
        """The rows as a slice."""
        return slice(self.top, self.bottom)

    @property
    def columns(self) -> slice:
        """The columns as a slice."""
        return slice(self.left, self.right)

    def held_within(self, shape: tuple[int, int]) -> Window:
        """Return the window, moved and cut to lie on a map of this shape."""
        height, width = min(self.bottom - self.top, shape[0]), min(self.right - self.left, shape[1])
        top = min(max(self.top, 0), shape[0] - height)
        left = min(max(self.left, 0), shape[1] - width)
        return Window(top, top + height, left, left + width)


@dataclass(frozen=True, eq=False)
class MapPicture:
    """A map ready to be drawn. h × w tiles cover the tokens; while they fit, a tile is a cell."""

    values: FloatArray  # (h, w): what the read-out would say
    masked: BoolArray  # (h, w)
    scale: ColourScale
    colour_map: str
    row_tokens: tuple[str, ...]
    column_tokens: tuple[str, ...]
    first_row: int = 0
    first_column: int = 0
    row_sums: tuple[float, ...] = ()  # one a token, for the margin; empty to leave it out
    row_title: str = "query (row) attends to …"
    column_title: str = "key (column)"
    masked_word: str = "masked"
    bounds: tuple[IntArray, IntArray] | None = None
    """Where tiles begin and end, (h + 1,) and (w + 1,), counted from the first token; None if all are as long."""
    absent: tuple[BoolArray, BoolArray] | None = None
    """Which rows and columns of tiles, (h,) and (w,), stand for tokens that the map does not have; they are masked."""
    positions: FloatArray = field(init=False)
    """Where each tile stands on the colour bar, (h, w)."""

    def __post_init__(self) -> None:
        # At once, for a picture of a million tiles is made on the worker and painted on the GUI thread.
        object.__setattr__(self, "positions", self.scale.positions(self.values))

    @property
    def absent_tiles(self) -> BoolArray:
        """The tiles (h, w) without a token of the map in their row or in their column."""
        if self.absent is None:
            return np.zeros_like(self.masked)
        rows, columns = self.absent
        return rows[:, None] | columns

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens of rows and of columns."""
        return self.row_tokens, self.column_tokens

    @property
    def cells(self) -> tuple[int, int]:
        """Rows and columns of tokens."""
        return len(self.row_tokens), len(self.column_tokens)

    def unknown(self) -> MapPicture:
        """Return the picture without its numbers: rows and columns with their tokens, and nothing that depends on them.

        Not even which cells are masked, for that may be what is asked for.
        """
        nothing, scale = np.zeros_like(self.values), ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "")
        return replace(self, values=nothing, masked=nothing.astype(bool), scale=scale, row_sums=())

    @property
    def tiles_end(self) -> tuple[IntArray, IntArray]:
        """Where tiles begin and end, rows and columns, counted from the first token."""
        if self.bounds is not None:
            return self.bounds
        rows, columns = (tile_bounds(*pair) for pair in zip(self.cells, self.values.shape, strict=True))
        return rows, columns

    def fitted(self, height: int, width: int) -> MapPicture:
        """Return the picture in at most so many tiles, at least 1: of those that become one, the number that matters.

        That is the largest weight, or the score furthest from 0, among those that are not masked.
        """
        height, width = max(height, 1), max(width, 1)
        shape = self.values.shape
        if shape[0] <= height and shape[1] <= width:
            return self
        pool = TilePool((shape[0], shape[1]), height, width, self.values.dtype, by_magnitude=self.scale.is_diverging)
        for top in range(0, shape[0], ROWS_AT_ONCE):
            part = slice(top, top + ROWS_AT_ONCE)
            pool.add(top, np.where(self.masked[part], -np.inf, self.values[part]), ~self.masked[part])
        values, masked = pool.pooled(float(self.values.min(where=self.masked, initial=0.0)))
        rows, columns = (
            ends[tile_bounds(count, most)]
            for ends, count, most in zip(self.tiles_end, shape, (height, width), strict=True)
        )
        absent = self.absent
        if absent is not None:
            absent = all_absent(absent[0], height), all_absent(absent[1], width)
        return replace(self, values=values, masked=masked, bounds=(rows, columns), absent=absent)

    def tile_of(self, row: int, column: int) -> tuple[range, range]:
        """Return the rows and columns of the map that share a tile with a cell; of one out of view, its own."""
        places = zip((row, column), (self.first_row, self.first_column), self.tiles_end, strict=True)
        rows, columns = (_tile(place, first, bounds) for place, first, bounds in places)
        return rows, columns


def all_absent(absent: BoolArray, most: int) -> BoolArray:
    """Return which tiles, of at most so many along an axis, stand for absent tokens only; ``absent`` of each token."""
    bounds = tile_bounds(len(absent), most)
    return np.logical_and.reduceat(absent, bounds[:-1]) if len(absent) else absent


def _tile(place: int, first: int, bounds: IntArray) -> range:
    """Return which places share a tile with this one, of those from a first one on."""
    if not first <= place < first + int(bounds[-1]):
        return range(place, place + 1)
    tile = int(np.searchsorted(bounds, place - first, side="right"))
    return range(first + int(bounds[tile - 1]), first + int(bounds[tile]))
