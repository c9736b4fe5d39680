"""What a picture of a map holds: numbers for at most as many tiles as there are pixels, with tokens and scale."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from attention_explorer.fields import CheckedFields
from attention_explorer.model.pooling import tile_bounds
from attention_explorer.state.colour_scale import BoolArray, ColourScale, FloatArray


@dataclass(frozen=True, slots=True)
class Window(CheckedFields):
    """The part of a map in view: rows and columns, each a half-open range."""

    top: int
    bottom: int
    left: int
    right: int

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
    positions: FloatArray = field(init=False)
    """Where each tile stands on the colour bar, (h, w)."""

    def __post_init__(self) -> None:
        # At once, for a picture of a million tiles is made on the worker and painted on the GUI thread.
        object.__setattr__(self, "positions", self.scale.positions(self.values))

    @property
    def cells(self) -> tuple[int, int]:
        """Rows and columns of tokens."""
        return len(self.row_tokens), len(self.column_tokens)

    def tile_of(self, row: int, column: int) -> tuple[range, range]:
        """Return the rows and columns of the map that share a tile with a cell; of one out of view, its own."""
        places = zip((row, column), (self.first_row, self.first_column), self.cells, self.values.shape, strict=True)
        rows, columns = (_tile(place, first, length, tiles) for place, first, length, tiles in places)
        return rows, columns


def _tile(place: int, first: int, length: int, tiles: int) -> range:
    """Return which places share a tile with this one, of so many from a first one on."""
    if not first <= place < first + length:
        return range(place, place + 1)
    bounds = tile_bounds(length, tiles)
    tile = int(np.searchsorted(bounds, place - first, side="right"))
    return range(first + int(bounds[tile - 1]), first + int(bounds[tile]))
