"""Several maps in one room as they are drawn: cells, titles, and what is marked in all of them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.cell_marks import paint_absent, paint_outline
from attention_explorer.kit.drawing.colour_bar import paint_small_bar
from attention_explorer.kit.drawing.heatmap import (
    paint_cells,
    paint_column_label,
    paint_column_labels,
    paint_row_label,
    paint_row_labels,
)
from attention_explorer.kit.drawing.marks import colour_of, pen, text_size
from attention_explorer.kit.drawing.small_map_layout import SmallMap
from attention_explorer.kit.theme import Look

Mark: TypeAlias = tuple[int | None, int | None]
"""A cell, or a row or a column alone, to be lit; counted from 0."""


def paint_small_map(
    painter: QPainter, picture: MapPicture, small: SmallMap, look: Look, *, vector: bool = False
) -> None:
    """Paint cells, labels, the names of the axes and the colour bar; the header is the caller's."""
    paint_cells(painter, picture, small.layout, look, vector=vector)
    if small.has_columns:
        paint_column_labels(painter, picture, small.layout, look)
    if small.has_rows:
        paint_row_labels(painter, picture, small.layout, look)
    if small.names_axes and look.axis_names:
        _paint_axis_names(painter, small, look)
    paint_small_bar(painter, picture, small.layout.bar, look, vector=vector)


def _paint_axis_names(painter: QPainter, small: SmallMap, look: Look) -> None:
    cells, px = small.layout.cells, look.px
    painter.setFont(look.font(11))
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    if small.has_columns:
        corner = QRectF(cells.left() - px(80), cells.top() - px(18), px(73), px(14))
        painter.setPen(colour_of(look.theme.query_ink))
        painter.drawText(corner, right, "query ↓")
        painter.setPen(colour_of(look.theme.key_ink))
        painter.drawText(corner.translated(0, -px(14)), right, "key →")
        return
    painter.setPen(colour_of(look.theme.key_ink))
    above = QRectF(cells.left(), cells.top() - px(17), max(cells.width(), px(60)), px(14))
    painter.drawText(above, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "key →")
    painter.setPen(colour_of(look.theme.query_ink))
    painter.save()
    painter.translate(cells.left() - px(10), cells.top())
    painter.rotate(-90)
    painter.drawText(QRectF(-px(80), -px(7), px(80), px(14)), right, "← query")
    painter.restore()


def paint_title(painter: QPainter, header: QRectF, title: str, shape: str, look: Look, *, beyond: float = 24.0) -> None:
    """Paint the title of a map, and its shape as a badge behind it if there is room for it.

    There is room for ``beyond`` pixels at zoom 1 at the right of the header.
    """
    font = look.font(12.5, bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    line = QRectF(header.left(), header.top(), header.width(), look.px(18))
    text = QFontMetricsF(font).elidedText(title, Qt.TextElideMode.ElideRight, header.width())
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    left = header.left() + text_size(font, text)[0] + look.px(7)
    if left + text_size(look.font(11), shape)[0] + look.px(10) <= header.right() + look.px(beyond):
        paint_shape(painter, QPointF(left, line.center().y()), shape, look)


def paint_shape(painter: QPainter, middle_left: QPointF, shape: str, look: Look) -> QRectF:
    """Paint a shape as a badge that begins at a place, and return where it is."""
    font = look.font(11)
    width, _ = text_size(font, shape)
    box = QRectF(middle_left.x(), middle_left.y() - look.px(8), width + look.px(10), look.px(16))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(look.theme.track))
    painter.drawRoundedRect(box, look.px(5), look.px(5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shape)
    return box


def unbroken(text: str) -> str:
    """Return words that wrap into lines only where no sign is torn from its number: "÷ √8" and "T = 0.5" stay whole."""
    for sign in ("=", "÷"):
        text = text.replace(f"{sign} ", f"{sign}\u00a0")
    return text.replace("T =", "T\u00a0=")


def paint_swatch(painter: QPainter, box: QRectF, look: Look) -> None:
    """Paint what a masked cell looks like."""
    painter.fillRect(box, colour_of(look.theme.masked))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(look.theme.masked_line, 1.0))
    inset = 0.25 * box.width()
    painter.drawLine(box.bottomLeft() + QPointF(inset, -inset), box.topRight() + QPointF(-inset, inset))


def paint_absent_swatch(painter: QPainter, box: QRectF, look: Look) -> None:
    """Paint what a cell looks like that a map does not have."""
    both = np.ones(2, np.bool_)
    paint_absent(painter, both, both, box, look)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(pen(look.theme.masked_line, 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)


def paint_mark(painter: QPainter, picture: MapPicture, small: SmallMap, look: Look, mark: Mark) -> None:
    """Outline a cell, a row or a column, and light up its labels; nothing where the map has no such cell."""
    row, column = mark
    layout = small.layout
    if (row is not None and not 0 <= row < layout.rows) or (column is not None and not 0 <= column < layout.columns):
        return
    if row is None and column is None:
        return
    if small.has_columns and column is not None:
        paint_column_label(painter, picture, layout, look, column, lit=True)
    if small.has_rows and row is not None:
        paint_row_label(painter, picture, layout, look, row, lit=True)
    box = layout.rectangle(row or 0, column or 0)
    if column is None:
        box.setWidth(layout.cells.width())
    if row is None:
        box.setHeight(layout.cells.height())
    theme = look.theme
    colour = theme.query if column is None else theme.key if row is None else theme.text
    paint_outline(painter, box, colour, look)


def paint_marks(
    painter: QPainter, pictures: tuple[MapPicture, ...], maps: tuple[SmallMap, ...], look: Look, mark: Mark
) -> None:
    """Light up a cell, a row or a column in every map that has it."""
    for picture, small in zip(pictures, maps, strict=True):
        paint_mark(painter, picture, small, look, mark)
