"""Where the small maps of a wall of heads are: in a strip, in a quilt that fills the page, on paper."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF

from attention_explorer.kit.theme import Look

EDGE = 2
"""Pixels that the frame around a thumbnail that is chosen reaches beyond it."""
SMALLEST_TILE = 100
"""Pixels at zoom 1 that a thumbnail of a strip is wide at least, unless there would be none."""
AROUND, BELOW = 6, 40
"""Pixels at zoom 1 around the map of a thumbnail, and below it, for its name and a line."""
FEW, LEAST_NAMED = 24, 60
"""So many heads are shown with their names, if all are seen at once, and are at least so many pixels wide at zoom 1."""
MOST_STRETCH, LEAST = 1.4, 6.0
"""How much longer one side of a map may be than the other, and pixels that it has at least."""
PRINTED_TILE, LARGEST_TILE, LEAST_TILE = 150, 220, 104
"""Pixels from one thumbnail to the next on paper; the same at zoom 1 at most and at least, laid out for a width."""
BESIDE, BESIDE_BARE = 8, 3
"""Pixels between thumbnails on paper, and between maps alone."""
NUMBER_MARGIN = 52
"""Pixels at zoom 1 for the numbers of layers on paper."""


def height_with_words(look: Look, width: float) -> float:
    """Return how high a thumbnail with words below a square map is."""
    return width - look.px(2 * AROUND) + look.px(AROUND + BELOW)


def _within(width: float, height: float) -> tuple[float, float]:
    """Return so much of a room that neither side is much longer than the other."""
    return max(min(width, MOST_STRETCH * height), LEAST), max(min(height, MOST_STRETCH * width), LEAST)


@dataclass(frozen=True, slots=True)
class WallGrid:
    """Thumbnails side by side, and in lines, which may be columns; all lengths in pixels."""

    starts: tuple[int, ...]
    """The first thumbnail of each line, and behind the last line their number."""
    gap: float
    width: float
    height: float
    left: float = 0.0
    top: float = 0.0
    """Where the first one begins."""
    is_sideways: bool = False
    """Whether lines stand beside each other, each of them a layer."""
    is_bare: bool = False
    """Whether thumbnails are maps alone, numbered above and beside them."""

    @classmethod
    def strip(cls, width: float, count: int, look: Look) -> WallGrid:
        """Return the grid of so many thumbnails below one another, beside each other where there is room."""
        gap = look.px(8)
        columns = max(1, int((width + gap) // (look.px(SMALLEST_TILE) + gap)))
        wide = (width - (columns - 1) * gap) / columns
        return cls(_lines(count, columns), gap, wide, height_with_words(look, wide))

    @classmethod
    def quilt(
        cls, room: QSizeF, heads: Sequence[int], look: Look, *, by_layer: bool, named: bool, numbered: bool
    ) -> WallGrid:
        """Return the grid of all heads of all layers in a room, small enough to fit.

        ``by_layer`` for a line a layer, however many heads each has; else one follows the other. Where a few may be
        ``named``, as many stand beside each other as makes them largest. ``numbered`` for room for numbers.
        """
        count, layers, most = sum(heads), len(heads), max(heads)
        if count <= FEW and (named or layers == 1):
            few = cls._of_few(room, count, look)
            if few.width >= look.px(LEAST_NAMED):
                return few
        below = min(room.width() / most, room.height() / layers)
        is_upright = min(room.width() / layers, room.height() / most) > 1.15 * below
        is_sideways = by_layer and is_upright and min(heads) == most
        columns, lines = (layers, most) if is_sideways else (most, layers)
        (left, top), gap = (look.px(20), look.px(16)) if numbered else (2, 2), look.px(3)
        side = _within((room.width() - left) / columns - gap, (room.height() - top - 1) / lines - gap)
        starts = (0, *accumulate(heads)) if by_layer else _lines(count, most)
        return cls(starts, gap, *side, left, top, is_sideways=is_sideways, is_bare=True)

    @classmethod
    def _of_few(cls, room: QSizeF, count: int, look: Look) -> WallGrid:
        gap, around, words = look.px(8), look.px(2 * AROUND), look.px(AROUND + BELOW)
        best, largest = cls((0,), gap, LEAST, LEAST), 0.0
        for columns in range(1, count + 1):
            starts = _lines(count, columns)
            width = (room.width() - (columns - 1) * gap) / columns - around
            width, height = _within(width, (room.height() - 2) / (len(starts) - 1) - gap - words)
            if width * height > largest:
                left = (room.width() - columns * (width + around + gap) + gap) / 2
                best, largest = cls(starts, gap, width + around, height + words, max(left, 0.0)), width * height
        return best

    @classmethod
    def printed(
        cls, heads: Sequence[int], look: Look, width: float | None, margins: tuple[float, float], *, by_layer: bool
    ) -> WallGrid:
        """Return the grid on paper of a width, None for what suits it; ``margins`` are for words at left and above."""
        count, is_one, (left, top) = sum(heads), len(heads) == 1, margins
        columns = min(count, max(2, math.ceil(math.sqrt(count)))) if is_one else max(heads)
        layers, tile = (0, *accumulate(heads)), float(PRINTED_TILE)
        if width is not None:
            room, least = max(width - left, 40.0), look.px(LEAST_TILE)
            if room / columns < least and not is_one:
                left, top = look.px(NUMBER_MARGIN), look.px(NUMBER_MARGIN - 10)
                side = (width - left) / columns - BESIDE_BARE
                return cls(layers, BESIDE_BARE, side, side, left, top, is_bare=True)
            if is_one:
                rows = math.ceil(count / max(1, int(room // least)))
                columns = math.ceil(count / rows)  # no more than needed: then the last row is as full as can be
            tile = min(room / columns, float(look.px(LARGEST_TILE)))
        starts = layers if by_layer and not is_one else _lines(count, columns)
        return cls(starts, BESIDE, tile - BESIDE, height_with_words(look, tile - BESIDE), left, top)

    # ---- Which thumbnail is where ----

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of thumbnails."""
        lines, longest = len(self.starts) - 1, max((end - start for start, end in pairwise(self.starts)), default=0)
        return (longest, lines) if self.is_sideways else (lines, longest)

    @property
    def size(self) -> QSizeF:
        """Width and height from the origin to behind the last thumbnail."""
        rows, columns = self.shape
        return QSizeF(self.left + columns * (self.width + self.gap), self.top + rows * (self.height + self.gap))

    def cell(self, row: int, column: int) -> QRectF:
        """Return where the thumbnail of a row and a column is, or would be."""
        x, y = self.left + column * (self.width + self.gap), self.top + row * (self.height + self.gap)
        return QRectF(x, y, self.width, self.height)

    def _place_of(self, index: int) -> tuple[int, int]:
        """Return the line of a thumbnail, and where in it that is."""
        line = bisect_right(self.starts, index) - 1
        return line, index - self.starts[line]

    def box_of(self, index: int) -> QRectF:
        """Return where a thumbnail is."""
        line, at = self._place_of(index)
        return self.cell(at, line) if self.is_sideways else self.cell(line, at)

    def index_at(self, place: QPointF) -> int | None:
        """Return which thumbnail is at a place."""
        at = int((place.x() - self.left) // (self.width + self.gap))
        line = int((place.y() - self.top) // (self.height + self.gap))
        if self.is_sideways:
            at, line = line, at
        if at < 0 or not 0 <= line < len(self.starts) - 1:
            return None
        index = self.starts[line] + at
        return index if index < self.starts[line + 1] and self.box_of(index).contains(place) else None

    def moved(self, index: int, right: int, down: int) -> int:
        """Return which thumbnail an arrow key goes to; at the end of the wall it stays."""
        along, across = (down, right) if self.is_sideways else (right, down)
        last, (line, at) = self.starts[-1] - 1, self._place_of(index)
        if along:
            return min(max(index + along, 0), last)
        if not 0 <= line + across < len(self.starts) - 1:
            return 0 if across < 0 else last
        return min(self.starts[line + across] + at, self.starts[line + across + 1] - 1)

    def indices_in(self, part: QRect) -> Iterator[int]:
        """Yield which thumbnails a part touches, with the frames around them."""
        rows = _touched(part.top(), part.height(), self.top, self.height, self.gap)
        columns = _touched(part.left(), part.width(), self.left, self.width, self.gap)
        lines, places = (columns, rows) if self.is_sideways else (rows, columns)
        for start, end in [] if part.isEmpty() else list(pairwise(self.starts))[lines]:
            yield from range(start, end)[places]


def _touched(begins: int, length: int, first: float, size: float, gap: float) -> slice:
    """Return which of the cells that follow each other from the first on reach, with their frames, into a length."""
    before, after = (begins - first - size - EDGE) / (size + gap), (begins + length - first + EDGE) / (size + gap)
    return slice(max(math.floor(before) + 1, 0), max(math.ceil(after), 0))


def _lines(count: int, columns: int) -> tuple[int, ...]:
    """Return where lines of so many begin, all full but the last, and behind them their number."""
    return (*range(0, count, columns), count)
