"""A map of cells as an item of a picture: drawn as every map of the program."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.heatmap import (
    paint_cells,
    paint_column_label,
    paint_heatmap,
    paint_row_label,
    paint_unknown,
)
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels, layout_of
from attention_explorer.kit.items.item import Hit, Item, walked
from attention_explorer.kit.theme import Look

BELOW_BAR, TALLEST = 32, 1.4
"""Pixels at zoom 1 below a colour bar, for its numbers; and how high cells are at most, by how wide they are."""


@dataclass(frozen=True, slots=True, eq=False)
class Map(Item[HeatmapLayout]):
    """A map; a `Hit` says (row, column).

    Attributes
    ----------
    picture : MapPicture
        Its cells, tokens and colours.
    is_bare : bool
        Whether it is cells alone, without tokens and colour bar, which fill the box.
    is_unknown : bool
        Whether its numbers are asked for: then “?” stands in its cells.
    framed_row : int or None
        The row that matters most, which has a frame in the colour of queries.
    is_tall : bool
        Whether its cells are higher than wide where there is room below them.
    has_bar : bool
        Whether a colour bar stands below it or beside it.
    is_steady : bool
        Whether the same words in another order take the same room, so that one map is drawn as the other.
    """

    name: str
    picture: MapPicture
    is_bare: bool = False
    is_unknown: bool = False
    framed_row: int | None = None
    is_tall: bool = False
    has_bar: bool = True
    is_steady: bool = False
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> HeatmapLayout:
        if self.is_bare:
            return HeatmapLayout(box, *self.picture.cells, Labels(1.0, 1), Labels(1.0, 1), QRectF())
        layout = layout_of(self.picture, look, box, bar=self.has_bar, steady=self.is_steady)
        return _taller(layout, box, look) if self.is_tall else layout

    @property
    def has_cells(self) -> bool:
        return True

    def data_box(self, layout: HeatmapLayout) -> QRectF:
        return layout.cells

    def paint(self, painter: QPainter, layout: HeatmapLayout, look: Look, *, vector: bool = False) -> None:
        if self.is_unknown:
            paint_unknown(painter, self.picture, layout, look)
        elif self.is_bare:
            paint_cells(painter, self.picture, layout, look, vector=vector)
        else:
            paint_heatmap(painter, self.picture, layout, look, vector=vector, bar=self.has_bar)
        if self.framed_row is not None:
            left, right = (layout.rectangle(self.framed_row, column) for column in (0, layout.columns - 1))
            paint_outline(painter, left.united(right), look.theme.query, look)

    def hidden(self) -> Map:
        return replace(self, picture=self.picture.unknown(), is_unknown=True)

    def hit(self, layout: HeatmapLayout, place: QPointF) -> Hit | None:
        row, column = layout.row_at(place.y()), layout.column_at(place.x())
        return None if row is None or column is None else Hit(self.name, (row, column))

    def mark(self, painter: QPainter, layout: HeatmapLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        row, column = hit.part
        paint_outline(painter, layout.rectangle(row, column), look.theme.text, look)
        if not self.is_bare:
            paint_row_label(painter, self.picture, layout, look, row, lit=True)
            paint_column_label(painter, self.picture, layout, look, column, lit=True)

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        return walked(self.name, hit, key, self.picture.cells)


def _taller(layout: HeatmapLayout, box: QRectF, look: Look) -> HeatmapLayout:
    """Return the layout with its cells so high that they reach down as far as there is room for them and the bar."""
    below = 0.0 if layout.bar.isEmpty() else layout.bar.bottom() + look.px(BELOW_BAR) - layout.cells.bottom()
    room = box.bottom() - below - layout.cells.bottom()
    more = min(room, (TALLEST * layout.cell_width - layout.cell_height) * layout.rows)
    if more <= 0:
        return layout
    return replace(layout, cells=layout.cells.adjusted(0, 0, 0, more), bar=layout.bar.translated(0, more))
