"""Cells on their way from one view to another: each is a stroke, as thick as it is high, that can become a line."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from attention_explorer.core.map_picture import FloatArray, MapPicture
from attention_explorer.kit.drawing.colour_bar import colour_map_of
from attention_explorer.kit.drawing.colour_maps import pixels_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.ui.line_picture import LinesItem, LinesLayout, looks_of_links
from attention_explorer.pages.heads.ui.pictures import HeadNumbers, MapLaid
from attention_explorer.pages.heads.ui.stages import StagesItem

MOST = 400
"""Cells that are seen on their way; with more, a frame would take too long."""
NONE = np.zeros(0)


def strokes_of(numbers: Any, laid: Any, look: Look) -> FloatArray:  # noqa: ANN401 # of any view
    """Return the weights of a head as they stand in a view, (cells, 9): `NONE` of one that has no place for each.

    A stroke is x and y of its two ends, its thickness, red, green and blue from 0 to 255, and its opacity.
    """
    if isinstance(laid, MapLaid):
        return cell_strokes(laid.picture, laid.layout.cells, look)
    if isinstance(laid, LinesLayout) and isinstance(numbers, HeadNumbers):
        return _line_strokes(LinesItem("", numbers.picture), laid, look)  # type: ignore[arg-type] # of lines
    item = getattr(laid, "item", None)
    if isinstance(item, StagesItem):
        return cell_strokes(item.picture.pictures[-1], laid.layout.maps[-1].layout.cells, look)
    return NONE


def cell_strokes(picture: MapPicture, box: QRectF, look: Look) -> FloatArray:
    """Return the cells of a map in a box, row by row."""
    rows, columns = picture.values.shape
    if not 0 < rows * columns <= MOST or picture.cells != (rows, columns):
        return NONE
    pixels = pixels_of(picture.positions, picture.masked, colour_map_of(picture), look.theme.masked).ravel()
    high, wide = box.height() / rows, box.width() / columns
    row, column = (each.ravel() for each in np.indices((rows, columns)))
    left, middle = box.left() + column * wide, box.top() + (row + 0.5) * high
    red, green, blue = (pixels >> shift & 0xFF for shift in (16, 8, 0))
    whole = np.ones(rows * columns)
    return np.stack([left, middle, left + wide, middle, high * whole, red, green, blue, whole], axis=1)


def _line_strokes(item: LinesItem, layout: LinesLayout, look: Look) -> FloatArray:
    picture, ink = item.picture, QColor(look.theme.text)
    rows, columns = len(picture.row_tokens), len(picture.column_tokens)
    if not 0 < rows * columns <= MOST:
        return NONE
    row, column = (each.ravel() for each in np.indices((rows, columns)))
    start = layout.field.top() + (row + 0.5) * layout.row_step
    end = layout.field.top() + (column + 0.5) * layout.column_step
    found = np.zeros((rows * columns, 9))
    found[:, :4] = np.stack([0 * start + layout.field.left(), start, 0 * end + layout.field.right(), end], axis=1)
    found[:, 5:8] = ink.red(), ink.green(), ink.blue()
    links = picture.links
    drawn = (links.row - picture.first_row) * columns + links.column - picture.first_column
    found[drawn, 4], found[drawn, 8] = looks_of_links(picture, layout)  # what is not drawn gets thin, and goes
    return found


def paint_strokes(painter: QPainter, strokes: FloatArray) -> None:
    """Paint strokes, each from left to right as a line of the view *Lines* runs."""
    for left, start, right, end, thick, red, green, blue, opacity in strokes.tolist():
        if thick * opacity < 0.02:
            continue
        colour = QColor(int(red), int(green), int(blue), int(255 * min(max(opacity, 0.0), 1.0)))
        if abs(end - start) < 0.5:
            painter.fillRect(QRectF(left, start - thick / 2, right - left, thick), colour)
            continue
        path, middle = QPainterPath(QPointF(left, start)), (left + right) / 2
        path.cubicTo(middle, start, middle, end, right, end)
        pen = QPen(colour, thick)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.strokePath(path, pen)
