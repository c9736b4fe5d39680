"""A map whose rows and columns are numbered: cells that fill their room, round numbers along the axes, colour bar."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.colour_maps import paint_small_bar
from attention_explorer.kit.drawing.heatmap import paint_cells, picture_image
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.drawing.marks import (
    WORDS_SIZE,
    colour_of,
    draw_line,
    paint_wrapped,
    pen,
    text_size,
    wrapped_height,
)
from attention_explorer.kit.items.item import Hit, Item
from attention_explorer.kit.theme import Look

LEFT, TOP, HEADER, AXIS = 36, 22, 24, 18
"""Pixels at zoom 1: for numbers at the left and above, for what stands above them, and for the name of an axis."""
LETTERS, HEADING, LEAST_BAR, BAR = 12.0, 13.0, 84.0, 190.0
"""Pixels at zoom 1: of numbers, of the heading, and the width of the colour bar at least and at most."""
KEPT_FROM = 128 * 128
"""The image of a map of so many tiles is kept while only its marks move; its cells have no gaps and no numbers."""
TICK_DOWN, TICK_ACROSS = 30, 46
"""Pixels at zoom 1 between numbers along an axis, at least."""


def round_numbers(count: int, most: int) -> tuple[int, ...]:
    """Return round numbers from 0 to below ``count`` for an axis, at most so many."""
    steps = (factor * 10**power for power in itertools.count() for factor in (1, 2, 5))
    return tuple(range(0, count, next(step for step in steps if count <= step * max(most, 1))))


@dataclass(frozen=True, slots=True)
class Offset:
    """All cells of which row and column are so far apart; ``both`` ways, or rows after columns."""

    away: int
    both: bool = True


@dataclass(frozen=True, slots=True)
class NumberedLayout:
    """Where a map is, and which number stands where."""

    box: QRectF
    header: QRectF
    heat: HeatmapLayout
    note: QRectF  # empty where the note stands in the header
    row_ticks: tuple[tuple[int, QRectF], ...] = ()
    column_ticks: tuple[tuple[int, QRectF], ...] = ()

    @property
    def cells(self) -> QRectF:
        """The box of all cells."""
        return self.heat.cells


@dataclass(frozen=True, slots=True, eq=False)
class NumberedMap(Item[NumberedLayout]):
    """A map of numbered rows and columns; a `Hit` says (row, column) by their numbers, None of which is beside it.

    Attributes
    ----------
    picture : MapPicture
        Its tiles and colours; the names of its axes are `MapPicture.row_title` and ``column_title``.
    rows, columns : ndarray of int
        The number of the row and of the column that each tile shows, ascending.
    row_count, column_count : int
        How many there are, shown or not.
    heading : str
        What stands above it at the left; the colour bar stands at the right.
    detail : str
        Behind the heading in small letters; left out where there is no room.
    note : str
        What of the whole is shown: in place of the detail, or below the heading where there is no room.
    row : int or None
        The row that is looked at, which has a frame and its number.
    marked : tuple of int
        Columns that have a stroke above them.
    is_square : bool
        Whether a cell is as high as wide.
    fills : bool
        Whether it takes what room there is; else it is about as high as wide.
    """

    name: str
    picture: MapPicture
    rows: np.typing.NDArray[np.intp]
    columns: np.typing.NDArray[np.intp]
    row_count: int
    column_count: int
    heading: str = ""
    detail: str = ""
    note: str = ""
    row: int | None = None
    marked: tuple[int, ...] = ()
    is_square: bool = False
    fills: bool = True
    is_given: bool = False

    # ---- Where everything is ----

    def layout(self, look: Look, box: QRectF) -> NumberedLayout:
        px, none, (high, wide) = look.px, Labels(0.0, 1), self.picture.values.shape
        header = px(HEADER) if self.heading or self.note or look.colour_bars else 0
        cells, left, below = self._cells(look, box, header), self._left(look), 0.0
        if self.note and not self._has_room_beside(self.note, cells.width() + left, look):
            below = wrapped_height(self.note, cells.width() + left, look.font(WORDS_SIZE)) + px(4)
            cells = self._cells(look, box, header + below)
        top = QRectF(cells.left() - left, box.top(), cells.width() + left, header)
        note = QRectF(top.left(), top.bottom() - px(2), top.width(), below)
        bare = NumberedLayout(box, top, HeatmapLayout(cells, high, wide, none, none, QRectF()), note)
        rows = round_numbers(self.row_count, max(2, int(cells.height() / px(TICK_DOWN))))
        columns = round_numbers(self.column_count, max(2, int(cells.width() / px(TICK_ACROSS))))
        each, high = text_size(look.font(LETTERS), "0")[0], px(16)  # digits are of one width
        widths = {number: each * len(str(number)) + 1 for number in (*rows, *columns)}
        beside = tuple(
            (row, QRectF(cells.left() - px(5) - wide, self.row_box(bare, row).center().y() - high / 2, wide, high))
            for row, wide in ((row, widths[row]) for row in rows)
        )
        above = tuple(
            (at, QRectF(self.column_box(bare, at).center().x() - wide / 2, cells.top() - px(21), wide, high))
            for at, wide in ((column, widths[column]) for column in columns)
        )
        return replace(bare, row_ticks=beside, column_ticks=above)

    def height(self, look: Look, width: float) -> float | None:
        return None if self.fills else width - self._left(look) + look.px(HEADER + TOP)

    def _cells(self, look: Look, box: QRectF, header: float) -> QRectF:
        """Return where the cells are below a header so high."""
        px, (high, wide) = look.px, self.picture.values.shape
        row_name, column_name = (
            px(AXIS) if look.axis_names and title else 0
            for title in (self.picture.row_title, self.picture.column_title)
        )
        inner = box.adjusted(self._left(look) + row_name, px(TOP) + column_name + header, -px(8), -px(2))
        across, down = max(inner.width(), 8.0), max(inner.height(), 8.0)
        if self.is_square:
            across, down = (min(across / wide, down / high) * count for count in (wide, high))
            # What is narrower than its room stands in the middle of it, names and all.
            inner.translate(max(inner.width() - across, 0.0) / 2, 0.0)
        return QRectF(inner.left(), inner.top(), across, down)

    def _left(self, look: Look) -> float:
        """Return how much room the numbers of the rows take."""
        return max(look.px(LEFT), text_size(look.font(LETTERS, bold=True), str(self.row_count))[0] + look.px(14))

    def row_box(self, layout: NumberedLayout, row: int) -> QRectF:
        """Return the box of the tiles that show a row, or the one nearest to it."""
        tile = int(np.argmin(np.abs(self.rows - row)))
        return layout.heat.rectangle(tile, 0).united(layout.heat.rectangle(tile, layout.heat.columns - 1))

    def column_box(self, layout: NumberedLayout, column: int) -> QRectF:
        """Return the box of the tiles that show a column, or the one nearest to it."""
        tile = int(np.argmin(np.abs(self.columns - column)))
        return layout.heat.rectangle(0, tile).united(layout.heat.rectangle(layout.heat.rows - 1, tile))

    def data_box(self, layout: NumberedLayout) -> QRectF:
        return layout.cells

    # ---- Painting ----

    def paint(self, painter: QPainter, layout: NumberedLayout, look: Look, *, vector: bool = False) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # the edges of cells are sharp
        if not vector and self.picture.values.size >= KEPT_FROM:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            painter.drawImage(layout.cells, _kept_image(self.picture, look))
        else:
            paint_cells(painter, self.picture, layout.heat, look, vector=vector)
        painter.setFont(look.font(LETTERS))
        painter.setPen(colour_of(look.theme.muted))
        right, middle = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
        badge = QRectF() if self.row is None else self._badge_box(layout, look, self.row)
        for row, box in layout.row_ticks:
            if not box.intersects(badge.adjusted(-2, 0, 2, 0)):
                painter.drawText(box, right | middle, str(row))
        for column, box in layout.column_ticks:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(column))
        self._paint_names(painter, layout, look)
        self._paint_header(painter, layout, look, vector=vector)
        for column in self.marked:
            box = self.column_box(layout, column)
            x, top = box.center().x(), box.top()
            draw_line(painter, QPointF(x, top - look.px(4)), QPointF(x, top), pen(look.theme.text, 2.4 * look.zoom))
        if self.row is not None:
            self._paint_frame(painter, layout, look, self.row, lit=False)

    def resting(self) -> NumberedMap:
        return replace(self, row=None)

    def paint_moving(self, painter: QPainter, layout: NumberedLayout, look: Look) -> None:
        if self.row is not None:
            _frame(painter, self.row_box(layout, self.row), look)
            _paint_badge(painter, self._badge_box(layout, look, self.row), self.row, layout.row_ticks, look, lit=False)

    def _paint_names(self, painter: QPainter, layout: NumberedLayout, look: Look) -> None:
        if not look.axis_names:
            return
        px, cells, centre = look.px, layout.cells, Qt.AlignmentFlag.AlignCenter
        painter.setFont(look.font(LETTERS))
        painter.setPen(colour_of(look.theme.muted))
        if self.picture.column_title:
            half = max(cells.width() / 2, px(80))
            above = QRectF(cells.center().x() - half, cells.top() - px(TOP + AXIS), 2 * half, px(AXIS))
            painter.drawText(above, centre, self.picture.column_title)
        if self.picture.row_title:
            half = max(cells.height() / 2, px(70))
            painter.save()
            left = self._left(look)
            painter.translate(cells.left() - left - px(AXIS / 2), cells.center().y())
            painter.rotate(-90)
            painter.drawText(QRectF(-half, -px(AXIS / 2), 2 * half, px(AXIS)), centre, self.picture.row_title)
            painter.restore()

    def _paint_header(self, painter: QPainter, layout: NumberedLayout, look: Look, *, vector: bool) -> None:
        font, small, line, px = look.font(HEADING, bold=True), look.font(LETTERS), layout.header, look.px
        if line.isEmpty():
            return
        taken, said = self._heading_width(look), self.note or self.detail
        spare = line.width() - taken
        beside = spare - text_size(small, said)[0] - px(16)
        wide = min(px(BAR), beside if beside >= px(LEAST_BAR) else spare) if look.colour_bars else 0.0
        bar = QRectF(line.right() - wide, line.top(), wide, px(16)) if wide >= px(LEAST_BAR) else QRectF()
        if not bar.isEmpty():
            paint_small_bar(painter, self.picture, bar, look, vector=vector)
        left, middle = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
        room = QRectF(line.left(), line.top(), line.width() - bar.width() - px(8), px(16))
        painter.setFont(font)
        painter.setPen(colour_of(look.theme.text))
        cut = QFontMetricsF(font).elidedText(self.heading, Qt.TextElideMode.ElideRight, room.width() + 1)
        painter.drawText(room, left | middle, cut)
        room.setLeft(room.left() + taken)
        if not layout.note.isEmpty():
            paint_wrapped(painter, layout.note, self.note, look)
        elif said and text_size(small, said)[0] <= room.width():
            painter.setFont(small)
            painter.setPen(colour_of(look.theme.muted))
            painter.drawText(room, left | middle, said)

    def _heading_width(self, look: Look) -> float:
        return text_size(look.font(HEADING, bold=True), self.heading)[0] + look.px(12) if self.heading else 0.0

    def _has_room_beside(self, words: str, width: float, look: Look) -> bool:
        """Whether words have room between heading and colour bar."""
        bar = look.px(LEAST_BAR) if look.colour_bars else 0
        return self._heading_width(look) + text_size(look.font(LETTERS), words)[0] + look.px(16) + bar <= width

    def _paint_frame(self, painter: QPainter, layout: NumberedLayout, look: Look, row: int, *, lit: bool) -> None:
        """Frame a row and write its number at the left."""
        _frame(painter, self.row_box(layout, row), look)
        _paint_badge(painter, self._badge_box(layout, look, row), row, layout.row_ticks if lit else (), look, lit=lit)

    def _badge_box(self, layout: NumberedLayout, look: Look, row: int) -> QRectF:
        """Return where the number of a row stands that is framed."""
        wide, px = text_size(look.font(LETTERS, bold=True), str(row))[0] + look.px(8), look.px
        return QRectF(layout.cells.left() - px(4) - wide, self.row_box(layout, row).center().y() - px(8), wide, px(16))

    def mark(self, painter: QPainter, layout: NumberedLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        if isinstance(hit.part, Offset):
            _mark_offset(painter, layout, look, hit.part, int(self.rows[1] - self.rows[0]) if len(self.rows) > 1 else 1)
            return
        row, column = hit.part
        if (row or 0) >= self.row_count or (column or 0) >= self.column_count:
            return  # chosen in a larger one
        if column is not None:
            box, px = self.column_box(layout, column), look.px
            _frame(painter, box if row is None else box.intersected(self.row_box(layout, row)), look)
            wide = text_size(look.font(LETTERS, bold=True), str(column))[0] + px(8)
            badge = QRectF(box.center().x() - wide / 2, layout.cells.top() - px(21), wide, px(16))
            _paint_badge(painter, badge, column, layout.column_ticks, look, lit=True)
        if row is not None:
            self._paint_frame(painter, layout, look, row, lit=True)

    # ---- Pointing ----

    def hit(self, layout: NumberedLayout, place: QPointF) -> Hit | None:
        row, column, cells = layout.heat.row_at(place.y()), layout.heat.column_at(place.x()), layout.cells
        if row is not None and (column is not None or cells.left() - LEFT * 1.4 <= place.x() < cells.left()):
            return Hit(self.name, (int(self.rows[row]), None if column is None else int(self.columns[column])))
        if column is not None and cells.top() - TOP * 1.4 <= place.y() < cells.top():
            return Hit(self.name, (None, int(self.columns[column])))
        return None

    def spoken(self) -> str:
        looked_at = "" if self.row is None else f", row {self.row} framed"
        return f"{self.name}, a map of {self.row_count} rows and {self.column_count} columns{looked_at}"


@lru_cache(maxsize=2)
def _kept_image(picture: MapPicture, look: Look) -> QImage:
    return picture_image(picture, look)


def _frame(painter: QPainter, box: QRectF, look: Look) -> None:
    """Draw a frame in ink on ground, so that it shows on every colour."""
    grow_x, grow_y = max(0.5, (look.px(4) - box.width()) / 2), max(0.5, (look.px(4) - box.height()) / 2)
    box = box.adjusted(-grow_x, -grow_y, grow_x, grow_y)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((look.theme.card, 3.4), (look.theme.text, 1.6)):
        painter.setPen(pen(colour, width * look.zoom))
        painter.drawRoundedRect(box, 2, 2)


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
    painter.setFont(look.font(LETTERS, bold=True))
    painter.setPen(colour_of(look.theme.strong_text if lit else look.theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number))


def _mark_offset(painter: QPainter, layout: NumberedLayout, look: Look, offset: Offset, step: int) -> None:
    """Draw a line along the cells whose row and column are so far apart."""
    box, away = layout.cells, offset.away / step * layout.heat.cell_width
    if away >= box.width():
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    lines = (
        (QPointF(box.left(), box.top() + away), QPointF(box.right() - away, box.bottom())),
        (QPointF(box.left() + away, box.top()), QPointF(box.right(), box.bottom() - away)),
    )
    for stroke, width in ((look.theme.card, 3.0), (look.theme.text, 1.2)):
        for start, end in lines if offset.both else lines[:1]:
            draw_line(painter, start, end, pen(stroke, width * look.zoom))
