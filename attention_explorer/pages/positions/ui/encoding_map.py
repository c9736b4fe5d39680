"""A map whose rows and columns are numbered: cells, round numbers along the axes, colour bar."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.colour_bar import paint_bar
from attention_explorer.kit.drawing.heatmap import paint_cells, picture_image
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.drawing.legend import paint_wrapped, wrapped_height
from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.encoding import NumberMap
from attention_explorer.pages.positions.table import IntArray, ticks

LARGEST_HEIGHT, LARGEST_WIDTH = 60, 96
"""Pixels at zoom 1: cells of very small maps stay cells."""
LEFT, TOP, BELOW, NAME = 46, 22, 52, 16
"""Pixels at zoom 1 around the cells: for the numbers and the names of the axes, and for the colour bar."""
KEPT_FROM = 128 * 128
"""The image of a map of so many tiles is kept while only its markers move; its cells have no gaps and no numbers."""
TICK_GAP = 46
"""Pixels at zoom 1 between numbers along an axis, at least."""


@dataclass(frozen=True, slots=True)
class NumberMapLayout:
    """Where a map is, and which number stands where."""

    heat: HeatmapLayout
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    row_ticks: tuple[tuple[int, QRectF], ...] = ()  # numbers beside the cells, each with its box
    column_ticks: tuple[tuple[int, QRectF], ...] = ()  # and those above

    @property
    def cells(self) -> QRectF:
        """The box of all cells."""
        return self.heat.cells

    def row_at(self, y: float) -> int | None:
        """Return the number of the row at a height."""
        tile = self.heat.row_at(y)
        return None if tile is None else self.rows[tile]

    def column_at(self, x: float) -> int | None:
        """Return the number of the column at a place."""
        tile = self.heat.column_at(x)
        return None if tile is None else self.columns[tile]

    def row_box(self, row: int) -> QRectF:
        """Return the box of the tile that shows a row, or the one nearest to it."""
        top = self.cells.top() + _tile_of(self.rows, row) * self.heat.cell_height
        return QRectF(self.cells.left(), top, self.cells.width(), self.heat.cell_height)

    def column_box(self, column: int) -> QRectF:
        """Return the box of the tile that shows a column, or the one nearest to it."""
        left = self.cells.left() + _tile_of(self.columns, column) * self.heat.cell_width
        return QRectF(left, self.cells.top(), self.heat.cell_width, self.cells.height())


def _tile_of(numbers: tuple[int, ...], wanted: int) -> int:
    return int(np.argmin(np.abs(np.asarray(numbers) - wanted)))


def number_map_layout(numbers: NumberMap, look: Look, room: QRectF, *, square: bool = False) -> NumberMapLayout:
    """Fit a map into a room, with its axes at the left and above and the colour bar below; cells fill the room."""
    px = look.px
    height, width = numbers.picture.values.shape
    name = px(NAME) if look.axis_names else 0
    inner = room.adjusted(px(LEFT) + name, px(TOP) + name, -px(10), -px(BELOW))
    cell_width = min(max(inner.width(), 8.0) / width, px(LARGEST_WIDTH))
    cell_height = min(max(inner.height(), 8.0) / height, px(LARGEST_HEIGHT))
    if square:
        cell_width = cell_height = min(cell_width, cell_height)
    cells = QRectF(inner.left(), inner.top(), cell_width * width, cell_height * height)
    bar = QRectF(cells.left(), cells.bottom() + px(12), min(max(cells.width(), px(120)), px(280)), px(11))
    none = Labels(0.0, 1)
    heat = HeatmapLayout(cells, height, width, none, none, bar)
    bare = NumberMapLayout(heat, _whole(numbers.rows), _whole(numbers.columns))
    beside = tuple(
        (row, QRectF(cells.left() - px(46), bare.row_box(row).center().y() - px(8), px(40), px(16)))
        for row in ticks(numbers.row_count, max(2, int(cells.height() / px(30))))
    )
    above = tuple(
        (column, QRectF(bare.column_box(column).center().x() - px(22), cells.top() - px(18), px(44), px(15)))
        for column in ticks(numbers.column_count, max(2, int(cells.width() / px(TICK_GAP))))
    )
    return replace(bare, row_ticks=beside, column_ticks=above)


def _whole(numbers: IntArray) -> tuple[int, ...]:
    return tuple(numbers.tolist())


def paint_number_map(
    painter: QPainter, numbers: NumberMap, layout: NumberMapLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint cells, axes and colour bar."""
    if not vector and numbers.picture.values.size >= KEPT_FROM:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(layout.cells, _kept_image(numbers.picture, look))
    else:
        paint_cells(painter, numbers.picture, layout.heat, look, vector=vector)
    painter.setFont(look.font(11.5))
    painter.setPen(colour_of(look.theme.muted))
    for row, box in layout.row_ticks:
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(row))
    for column, box in layout.column_ticks:
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(column))
    if look.axis_names:
        _paint_axis_names(painter, numbers, layout.cells, look)
    paint_bar(painter, numbers.picture, layout.heat.bar, look, vector=vector)


@lru_cache(maxsize=2)
def _kept_image(picture: MapPicture, look: Look) -> QImage:
    return picture_image(picture, look)


def _paint_axis_names(painter: QPainter, numbers: NumberMap, cells: QRectF, look: Look) -> None:
    px = look.px
    painter.setFont(look.font(12))
    painter.setPen(colour_of(look.theme.text))
    half = max(cells.width() / 2, px(70))
    above = QRectF(cells.center().x() - half, cells.top() - px(36), 2 * half, px(17))
    painter.drawText(above, Qt.AlignmentFlag.AlignCenter, f"{numbers.picture.column_title}, from 0")
    painter.save()
    painter.translate(cells.left() - px(54), cells.center().y())
    painter.rotate(-90)
    half = max(cells.height() / 2, px(64))
    beside = QRectF(-half, -px(8), 2 * half, px(16))
    painter.drawText(beside, Qt.AlignmentFlag.AlignCenter, f"{numbers.picture.row_title}, from 0")
    painter.restore()


def paint_row_marker(painter: QPainter, layout: NumberMapLayout, look: Look, row: int, *, lit: bool = False) -> None:
    """Frame a row and write its number at the left; ``lit`` while it is pointed at."""
    box = layout.row_box(row)
    _frame(painter, box, look)
    width = _badge_width(row, look)
    badge = QRectF(layout.cells.left() - look.px(5) - width, box.center().y() - look.px(8), width, look.px(16))
    _paint_badge(painter, badge, row, layout.row_ticks, look, lit=lit)


def paint_column_marker(painter: QPainter, layout: NumberMapLayout, look: Look, column: int) -> None:
    """Frame a column and write its number above it."""
    box = layout.column_box(column)
    _frame(painter, box, look)
    width = _badge_width(column, look)
    badge = QRectF(box.center().x() - width / 2, layout.cells.top() - look.px(18), width, look.px(16))
    _paint_badge(painter, badge, column, layout.column_ticks, look, lit=True)


def _frame(painter: QPainter, box: QRectF, look: Look) -> None:
    """Draw a frame in ink on ground, so that it shows on every colour."""
    grow_x, grow_y = max(0.5, (look.px(4) - box.width()) / 2), max(0.5, (look.px(4) - box.height()) / 2)
    box = box.adjusted(-grow_x, -grow_y, grow_x, grow_y)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((look.theme.card, 3.0), (look.theme.text, 1.4)):
        painter.setPen(pen(colour, width * look.zoom))
        painter.drawRect(box)


def _badge_width(number: int, look: Look) -> float:
    return text_size(look.font(11.5, bold=True), str(number))[0] + look.px(8)


def _paint_badge(
    painter: QPainter, box: QRectF, number: int, ticks: tuple[tuple[int, QRectF], ...], look: Look, *, lit: bool
) -> None:
    """Write a number on a ground of its own, in place of the numbers of the axis that it would touch."""
    for _, tick in ticks:
        if tick.intersects(box.adjusted(-2, 0, 2, 0)):
            painter.fillRect(tick, colour_of(look.theme.card))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(look.theme.strong if lit else look.theme.track))
    painter.drawRoundedRect(box, look.px(4), look.px(4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(look.font(11.5, bold=True))
    painter.setPen(colour_of(look.theme.strong_text if lit else look.theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number))


def paint_badge_line(painter: QPainter, text: str, line: QRectF, look: Look) -> None:
    """Write small what a picture does not show as it is; `badge_height` is how high the line is, which may wrap."""
    paint_wrapped(painter, line, text, look)


def badge_height(text: str, width: float, look: Look) -> float:
    """Return how high such a line is in a room of a width."""
    return max(wrapped_height(text, width, look) + look.px(3), look.px(18))


def paint_position_axis(painter: QPainter, count: int, left: float, right: float, y: float, look: Look) -> None:
    """Draw an axis of positions from 0 to ``count`` − 1 with round numbers and its name below."""
    px = look.px
    draw_line(painter, QPointF(left, y), QPointF(right, y), pen(look.theme.axis, 1.0))
    painter.setFont(look.font(11.5))
    step = (right - left) / max(count - 1, 1)
    for number in ticks(count, max(2, int((right - left) / px(56)))):
        x = left + number * step
        draw_line(painter, QPointF(x, y), QPointF(x, y + px(4)), pen(look.theme.axis, 1.0))
        painter.setPen(colour_of(look.theme.muted))
        box = QRectF(x - px(30), y + px(4), px(60), px(15))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number))
