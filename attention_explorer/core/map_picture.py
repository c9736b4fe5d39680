"""What a picture of a map holds: numbers for at most as many tiles as there are pixels, with tokens and scale."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, replace

import numpy as np

from attention_explorer.core.colour_scale import BoolArray, ColourScale, FloatArray, ScaleKind
from attention_explorer.core.counting import MOST_TOKENS
from attention_explorer.core.declared import declared
from attention_explorer.fields import CheckedFields
from attention_explorer.model.pooling import TilePool, tile_bounds

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
        pool.add(0, np.where(self.masked, -np.inf, self.values), ~self.masked)
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
