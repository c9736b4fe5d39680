"""A map with a row for each token as the pictures of a layer draw it: wide cells, labels at the left, a title above."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.colour_bar import paint_small_bar
from attention_explorer.kit.drawing.heatmap import paint_cells, paint_row_label, paint_row_labels
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels, label_size, longest_label
from attention_explorer.kit.drawing.marks import paint_words, pen
from attention_explorer.kit.drawing.small_map import paint_title
from attention_explorer.kit.theme import Look

HEADER, AXIS, BAR = 19, 15, 22
"""Pixels at zoom 1 of the title, of the words about the columns, and of the colour bar."""
HIGHEST_ROW = 60
WIDEST_CELL = 56
TALL_SHARE = 0.14
"""The highest row in a tall room, as a share of it: a sentence of seven words fills a large window."""


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """Where a map is."""

    header: QRectF
    axis: QRectF
    layout: HeatmapLayout
    whole: QRectF
    """The cells, and those that are not there yet."""
    has_labels: bool

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """Return the cell at a place."""
        row, column = self.layout.row_at(place.y()), self.layout.column_at(place.x())
        return None if row is None or column is None else (row, column)


def label_room(tokens: tuple[str, ...], look: Look, room: QRectF) -> float:
    """Return how much room the labels of tokens take at the left."""
    return min(longest_label(tokens, look, 13.0), 0.18 * room.width()) + look.px(9)


def place_map(
    look: Look, box: QRectF, picture: MapPicture, *, labels: float = 0.0, rows: int = 0, columns: int = 0
) -> FeatureMap:
    """Fit a map into a box, with room ``labels`` wide at the left, and for so many rows and columns at least."""
    px = look.px
    (shown_rows, shown_columns), left = picture.cells, box.left() + labels
    rows, columns = max(rows, shown_rows, 1), max(columns, shown_columns, 1)
    above = px(HEADER) + px(AXIS)
    high = max(box.height() - above - px(BAR), 8.0)
    cell_height = min(high / rows, max(px(HIGHEST_ROW), TALL_SHARE * high))
    cell_width = min(max(box.right() - left, 8.0) / columns, max(px(WIDEST_CELL), cell_height))
    whole = QRectF(left, box.top() + above, cell_width * columns, cell_height * rows)
    cells = QRectF(whole.left(), whole.top(), cell_width * shown_columns, cell_height * shown_rows)
    size, step = label_size(look, cell_height)
    bar = QRectF(left, whole.bottom() + px(6), min(box.right() - left, max(whole.width(), px(110))), px(14))
    layout = HeatmapLayout(
        cells, shown_rows, shown_columns, Labels(size, step, 0, max(labels - px(9), 0.0)), Labels(size, 1), bar
    )
    header = QRectF(left, box.top(), box.right() - left, px(HEADER))
    axis = QRectF(left, header.bottom(), header.width(), px(AXIS))
    return FeatureMap(header, axis, layout, whole, labels > 0)


def paint_feature_map(
    painter: QPainter,
    picture: MapPicture,
    place: FeatureMap,
    look: Look,
    title: str,
    across: str,
    *,
    shape: str = "",
    vector: bool = False,
) -> None:
    """Paint title, words about the columns, cells, labels and colour bar; a frame where rows are still to come."""
    paint_title(painter, place.header, title, shape, look, beyond=8.0)
    if look.axis_names:
        paint_words(painter, place.axis, across, look)
    layout = place.layout
    if layout.rows and layout.columns:
        paint_cells(painter, picture, layout, look, vector=vector)
    if place.whole != layout.cells:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(look.theme.border, 1.0))
        painter.drawRect(place.whole)
    if place.has_labels:
        paint_row_labels(painter, picture, layout, look)
    paint_small_bar(painter, picture, layout.bar, look, vector=vector)


def mark_feature_map(
    painter: QPainter, picture: MapPicture, place: FeatureMap, look: Look, row: int, column: int | None
) -> None:
    """Outline a cell or a row, and light up its label; nothing where the map has no such cell."""
    layout = place.layout
    if not 0 <= row < layout.rows or (column is not None and not 0 <= column < layout.columns):
        return
    if place.has_labels:
        paint_row_label(painter, picture, layout, look, row, lit=True)
    box = layout.rectangle(row, column or 0)
    if column is None:
        box.setWidth(layout.cells.width())
    paint_outline(painter, box, look.theme.text, look)
