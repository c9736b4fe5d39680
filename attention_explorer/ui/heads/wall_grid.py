"""Where the thumbnails of a wall are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF

from attention_explorer.ui.heads.thumbnail import thumbnail_height
from attention_explorer.ui.theme import Look

SMALLEST_TILE = 118
"""Pixels at zoom 1 that a thumbnail is wide at least."""


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

    @classmethod
    def of_layers(cls, room: QSizeF, heads: Sequence[int], look: Look) -> WallGrid:
        """Return the grid of all heads of all layers in a room, a line a layer, small enough to fit."""
        columns, lines = max(heads), len(heads)
        left, top, gap = look.px(20), look.px(16), look.px(2)
        side = min((room.width() - left) / columns, (room.height() - top - 1) / lines) - gap
        side = min(max(side, look.px(6)), look.px(SMALLEST_TILE))
        return cls(columns, gap, side, side, left, top)

    @classmethod
    def of(cls, wall_width: int, look: Look) -> WallGrid:
        """Return the grid of a wall of a width."""
        gap = look.px(8)
        columns = max(1, (wall_width + gap) // (look.px(SMALLEST_TILE) + gap))
        width = (wall_width - (columns - 1) * gap) / columns
        return cls(columns, gap, width, thumbnail_height(look, width))

    def height_of(self, count: int) -> int:
        """Return how high a wall of so many thumbnails is."""
        return math.ceil(self.top + math.ceil(count / self.columns) * (self.height + self.gap))

    def box_of(self, index: int) -> QRectF:
        """Return where a thumbnail is."""
        row, column = divmod(index, self.columns)
        x, y = self.left + column * (self.width + self.gap), self.top + row * (self.height + self.gap)
        return QRectF(x, y, self.width, self.height)

    def index_at(self, place: QPointF) -> int | None:
        """Return which thumbnail would be at a place, if there were enough of them."""
        column = (place.x() - self.left) // (self.width + self.gap)
        row = (place.y() - self.top) // (self.height + self.gap)
        if not 0 <= column < self.columns or row < 0:
            return None
        index = int(row) * self.columns + int(column)
        return index if self.box_of(index).contains(place) else None

    def indices_in(self, part: QRect, count: int) -> range:
        """Return which of so many thumbnails are in the lines that a part touches, and in one more at either end."""
        line = self.height + self.gap
        first, end = int((part.top() - self.top) // line) - 1, int((part.bottom() - self.top) // line) + 2
        return range(max(first, 0) * self.columns, min(max(end, 0) * self.columns, count))
