"""Where the parts of a map of scores or weights are: cells, token labels, colour bar. One way for screen and file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.theme import Look

FAR_FROM_SQUARE = 3
LOW, BAR_BESIDE = 2.0, 220
"""By its height, how wide a room is that has the colour bar beside the cells; and how wide a place (px at zoom 1)."""
LARGEST_CELL, LARGEST_LABEL = 110.0, 13.0
"""Pixels at zoom 1."""
LARGEST_SHARE = 0.25
"""In a large room a cell may take this share of its shorter side, so that few tokens do not stand in a corner."""
LINE_HEIGHT = 1.25
"""How high a line of labels is, in sizes of its font."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Token labels of one axis: every ``step``-th, in a font of ``size`` px, turned by ``angle``, ``room`` px long."""

    size: float
    step: int
    angle: int = 0
    room: float = 0.0


@dataclass(frozen=True, slots=True)
class HeatmapLayout:
    """Where everything of a heatmap is, in the coordinates of its painter."""

    cells: QRectF
    rows: int
    columns: int
    row_labels: Labels
    column_labels: Labels
    bar: QRectF
    sums: QRectF = field(default_factory=QRectF)

    @property
    def cell_height(self) -> float:
        """Pixels a row."""
        return self.cells.height() / max(self.rows, 1)

    @property
    def cell_width(self) -> float:
        """Pixels a column."""
        return self.cells.width() / max(self.columns, 1)

    def rectangle(self, row: int, column: int) -> QRectF:
        """Return the box of a cell, counted from the first one shown."""
        return self.rectangles([(row, column)])[0]

    def rectangles(self, places: Iterable[Sequence[int]]) -> list[QRectF]:
        """Return the boxes of cells, each at its row and column."""
        left, top, width, height = self.cells.left(), self.cells.top(), self.cell_width, self.cell_height
        return [QRectF(left + column * width, top + row * height, width, height) for row, column in places]

    def row_at(self, y: float) -> int | None:
        """Return the row shown at a height."""
        row = int((y - self.cells.top()) // (self.cell_height or 1.0))
        return row if 0 <= row < self.rows else None

    def column_at(self, x: float) -> int | None:
        """Return the column shown at a place."""
        column = int((x - self.cells.left()) // (self.cell_width or 1.0))
        return column if 0 <= column < self.columns else None


def layout_of(
    picture: MapPicture, look: Look, room: QRectF, *, bar: bool = True, steady: bool = False
) -> HeatmapLayout:
    """Fit a heatmap into a room: square cells, labels beside them, the colour bar below.

    ``steady`` keeps room for any label at the right edge, so that nothing jumps while a part of a map moves on.
    """
    layout = _layout_for(picture, look, room, (LARGEST_LABEL, LARGEST_LABEL), bar=bar, steady=steady)
    sizes = layout.row_labels.size, layout.column_labels.size
    if look.still and min(sizes) < LARGEST_LABEL:
        # Small labels take less room, and none of them will ever be lit and written larger.
        layout = _layout_for(picture, look, room, sizes, bar=bar, steady=steady)
    return layout


def _layout_for(
    picture: MapPicture, look: Look, room: QRectF, sizes: tuple[float, float], *, bar: bool, steady: bool
) -> HeatmapLayout:
    """Fit a heatmap whose labels of rows and columns have fonts of at most some sizes (px at zoom 1)."""
    px = look.px
    bar = bar and look.colour_bars
    rows, columns = picture.cells
    sums_width = px(54) if picture.row_sums else 0
    bar_gap = px(16) + (px(10) if picture.row_sums else 0)  # "row sum" stands below the cells
    beside = px(BAR_BESIDE) if bar and _is_low(picture, room) else 0
    below = bar_gap + px(44) if bar and not beside else px(8)
    title = px(20) if look.axis_names else 0
    row_room = min(longest_label(picture.row_tokens, look, sizes[0]), 0.22 * room.width()) + px(10)
    column_longest = longest_label(picture.column_tokens, look, sizes[1])
    wide = max(room.width() - row_room - title - sums_width - beside - px(8), px(20))
    slanted = min(column_longest, 0.2 * room.height())
    high = max(room.height() - slanted - title - below - px(8), px(20))
    cell_width, cell_height = _cell_size(look, rows, columns, wide, high)
    above = column_labels(look, cell_width, slanted, column_longest, sizes[1])
    overhang = _overhang(picture, look, above, cell_width, steady=steady)
    if cell_width * columns + max(overhang - sums_width, 0.0) > wide:
        # The last labels lean out over the edge: the cells give way, all sides of a square one.
        narrower = (wide - max(overhang - sums_width, 0.0)) / max(columns, 1)
        cell_height = cell_height if _is_far_from_square(rows, columns) else min(cell_height, narrower)
        cell_width = narrower
    row_labels = _row_labels(look, cell_height, row_room, sizes[0])
    width, height = cell_width * columns, cell_height * rows
    spare = max(0.0, room.width() - title - row_room - width - max(sums_width, overhang, beside))
    left = room.left() + title + row_room + spare / 2
    top_room = column_height(above, look)
    spare_height = max(0.0, room.height() - top_room - title - height - below)
    top = room.top() + title + top_room + min(spare_height / 2, px(24))
    cells = QRectF(left, top, width, height)
    bar_box = _bar_box(picture, look, room, cells, bar_gap) if bar else QRectF()
    if beside:
        bar_box = bar_in(
            picture, look, QRectF(cells.right() + px(24), cells.bottom() - px(44), beside - px(32), px(44))
        )
    sums = QRectF(cells.right() + px(4), top, sums_width, height) if picture.row_sums else QRectF()
    return HeatmapLayout(cells, rows, columns, row_labels, above, bar_box, sums)


def _is_low(picture: MapPicture, room: QRectF) -> bool:
    """Whether a room has more than enough width, so that the colour bar stands beside the cells and they get higher."""
    rows, columns = picture.cells
    return room.width() > LOW * room.height() and not picture.row_sums and rows >= columns


def _is_far_from_square(rows: int, columns: int) -> bool:
    return max(rows, columns) > FAR_FROM_SQUARE * min(rows, columns)


def _cell_size(look: Look, rows: int, columns: int, wide: float, high: float) -> tuple[float, float]:
    """Return width and height of the largest cells, square if possible, that fit into a room."""
    largest = max(look.px(LARGEST_CELL), LARGEST_SHARE * min(wide, high))
    cell = min(wide / max(columns, 1), high / max(rows, 1), largest)
    # Far from square (one query, many keys) a square cell would be a thread: each side takes what it can get.
    least = look.px(26) if _is_far_from_square(rows, columns) else 0.0
    return min(wide / max(columns, 1), max(cell, least)), min(high / max(rows, 1), max(cell, least))


def _bar_box(picture: MapPicture, look: Look, room: QRectF, cells: QRectF, gap: float) -> QRectF:
    """Return where the colour bar is: below the cells, with room beside it for what masked cells look like."""
    px = look.px
    beside = _beside_bar(picture, look)
    width = min(max(cells.width(), px(160)), px(300), max(room.width() - beside, px(60)))
    left = max(min(cells.left(), room.right() - width - beside), room.left())
    return QRectF(left, cells.bottom() + gap, width, px(12))


def bar_in(picture: MapPicture, look: Look, box: QRectF) -> QRectF:
    """Return where a colour bar is at the top of a box that has nothing else in it."""
    width = min(box.width() - _beside_bar(picture, look), look.px(300))
    return QRectF(box.left(), box.top(), width, look.px(12))


def _beside_bar(picture: MapPicture, look: Look) -> float:
    """Return how much room there is to be beside a colour bar, for what masked cells look like."""
    px = look.px
    return px(40) + small_width(look, picture.masked_word) if picture.masked.any() else px(10)


def longest_label(tokens: tuple[str, ...], look: Look, size: float) -> float:
    """Return how wide the widest token is in a font of ``size`` px at zoom 1; 0 if none is to be drawn."""
    if not look.token_labels:
        return 0.0
    return _widest(tokens, round(size * look.zoom)) + look.px(4)


@lru_cache(maxsize=64)
def _widest(tokens: tuple[str, ...], pixels: int) -> float:
    metrics = QFontMetricsF(Look().font(pixels, bold=True))  # as it is while it is pointed at
    # The widest of the longest few: measuring thousands of words would take longer than drawing them.
    longest = sorted(set(tokens), key=len, reverse=True)[:12]
    return max((metrics.horizontalAdvance(token) for token in longest), default=0.0)


def small_width(look: Look, text: str) -> float:
    """Return how wide a text in small print is."""
    return QFontMetricsF(look.font(11.5)).horizontalAdvance(text)


def label_size(look: Look, cell: float) -> tuple[float, int]:
    """Return a font size in px at zoom 1, and which share of the labels has room for it."""
    size = min(13.0, max(9.0, 0.72 * cell / look.zoom))
    return size, max(1, -int(-(size * LINE_HEIGHT * look.zoom) // max(cell, 0.01)))


def _row_labels(look: Look, cell: float, room: float, most: float) -> Labels:
    size, step = label_size(look, cell)
    return Labels(min(size, most), step, 0, room - look.px(10))


def column_labels(look: Look, cell: float, slanted: float, longest: float, most: float) -> Labels:
    """Return how labels of columns stand, in a font of at most ``most`` px: across, slanted, or upright."""
    if longest <= cell - look.px(6):
        return Labels(most, 1, 0, cell)
    size, step = label_size(look, cell)
    size = min(size, most)
    # Side by side and slanted, lines of text need more room than upright ones.
    angle = -45 if cell >= look.px(18) else -90
    return Labels(size, step, angle, slanted)


def _overhang(picture: MapPicture, look: Look, labels: Labels, cell: float, *, steady: bool) -> float:
    """Return how far slanted labels of the last columns reach out over the right edge of the cells."""
    if labels.angle != -45:
        return 0.0
    metrics = QFontMetricsF(look.font(labels.size, bold=True))
    lengths = [metrics.horizontalAdvance(token) for token in reversed(picture.column_tokens[-12:])]
    if steady:
        lengths = [labels.room]
    reach = 0.0
    for place, length in enumerate(lengths):
        along = min(length, labels.room) + 0.5 * metrics.height()
        reach = max(reach, math.cos(math.radians(45)) * along - (place + 0.5) * cell)
    return reach + look.px(2)


def column_height(labels: Labels, look: Look) -> float:
    """Return how much room column labels take above the cells."""
    if not look.token_labels:
        return float(look.px(4))
    if labels.angle == 0:
        return float(look.px(22))
    return labels.room * (0.75 if labels.angle == -45 else 1.0) + look.px(12)
