"""Where the thumbnails of a wall are."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF

from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.ui.thumbnail import thumbnail_height

SMALLEST_TILE, FEWEST_COLUMNS = 100, 2
"""Pixels at zoom 1 that a thumbnail is wide at least, unless there would be fewer columns."""


@dataclass(frozen=True, slots=True)
class WallGrid:
    """Thumbnails side by side, and in lines; all lengths in pixels."""

    columns: int
    gap: int
    width: float
    height: float
    left: float = 0.0
    top: float = 0.0
    """Where the first one begins: what is before it is for numbers of layers and heads."""
    starts: tuple[int, ...] = ()
    """The first thumbnail of each line, and behind the last line their number; empty where every line is full."""

    @classmethod
    def of_layers(cls, room: QSizeF, heads: Sequence[int], look: Look, *, by_layer: bool = True) -> WallGrid:
        """Return the grid of all heads of all layers in a room, small enough to fit.

        ``by_layer`` for a line a layer, however many heads each has; else one follows the other.
        """
        columns, lines = max(heads), len(heads)
        left, top, gap = look.px(20), look.px(16), look.px(2)
        side = min((room.width() - left) / columns, (room.height() - top - 1) / lines) - gap
        side = min(max(side, look.px(6)), look.px(SMALLEST_TILE))
        starts = (0, *accumulate(heads)) if by_layer and min(heads) < columns else ()
        return cls(columns, gap, side, side, left, top, starts)

    @classmethod
    def of(cls, wall_width: int, look: Look) -> WallGrid:
        """Return the grid of a wall of a width."""
        gap = look.px(8)
        columns = max(FEWEST_COLUMNS, (wall_width + gap) // (look.px(SMALLEST_TILE) + gap))
        width = (wall_width - (columns - 1) * gap) / columns
        return cls(columns, gap, width, thumbnail_height(look, width))

    def height_of(self, count: int) -> int:
        """Return how high a wall of so many thumbnails is."""
        lines = self._place_of(count - 1)[0] + 1 if count else 0
        return math.ceil(self.top + lines * (self.height + self.gap))

    def _place_of(self, index: int) -> tuple[int, int]:
        """Return line and column of a thumbnail."""
        if not self.starts:
            return divmod(index, self.columns)
        line = min(bisect_right(self.starts, index), len(self.starts) - 1) - 1
        return line, index - self.starts[line]

    def _ends_of(self, line: int) -> tuple[int, int]:
        """Return the first thumbnail of a line, and the one behind its last."""
        if not self.starts:
            return line * self.columns, (line + 1) * self.columns
        first, end = (min(place, len(self.starts) - 1) for place in (line, line + 1))
        return self.starts[first], self.starts[end]

    def box_of(self, index: int) -> QRectF:
        """Return where a thumbnail is."""
        line, column = self._place_of(index)
        x, y = self.left + column * (self.width + self.gap), self.top + line * (self.height + self.gap)
        return QRectF(x, y, self.width, self.height)

    def index_at(self, place: QPointF) -> int | None:
        """Return which thumbnail would be at a place, if there were enough of them."""
        column = (place.x() - self.left) // (self.width + self.gap)
        line = (place.y() - self.top) // (self.height + self.gap)
        if not 0 <= column < self.columns or line < 0:
            return None
        first, end = self._ends_of(int(line))
        index = first + int(column)
        return index if index < end and self.box_of(index).contains(place) else None

    def moved(self, index: int, right: int, down: int, count: int) -> int:
        """Return which of so many thumbnails an arrow key goes to; at the end of the wall it stays."""
        line, column = self._place_of(index)
        if right or not 0 <= line + down <= self._place_of(count - 1)[0]:
            # Beyond the first line lies the first thumbnail, beyond the last one the last.
            return min(max(index + right + down * count, 0), count - 1)
        first, end = self._ends_of(line + down)
        return min(first + column, end - 1, count - 1)

    def indices_in(self, part: QRect, count: int) -> range:
        """Return which of so many thumbnails are in the lines that a part touches, and in one more at either end."""
        height = self.height + self.gap
        first, end = int((part.top() - self.top) // height) - 1, int((part.bottom() - self.top) // height) + 2
        return range(self._ends_of(max(first, 0))[0], min(self._ends_of(max(end, 0))[0], count))
