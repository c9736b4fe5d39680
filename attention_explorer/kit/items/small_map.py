"""A map as a thumbnail: cells without tokens, a title above and a word below; it is pointed at as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.heatmap import paint_cells
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.drawing.marks import colour_of, pen
from attention_explorer.kit.items.item import Hit, Item
from attention_explorer.kit.theme import Look

LINE, GAP = 19.0, 5.0
"""Pixels at zoom 1 of a line of words, and around the cells."""


@dataclass(frozen=True, slots=True, eq=False)
class SmallMap(Item[HeatmapLayout]):
    """The thumbnail.

    Attributes
    ----------
    picture : MapPicture or None
        None where there is none: then the words below say why.
    title, words : str
        What stands above and below.
    is_chosen : bool
        Whether it has a frame.
    framed_row : int or None
        The row that matters most.
    side : float
        Pixels at zoom 1 of its height, where it stands above other items; 0 for its share of the room.
    """

    name: str
    picture: MapPicture | None
    title: str
    words: str = ""
    is_chosen: bool = False
    framed_row: int | None = None
    side: float = 0.0
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> HeatmapLayout:
        around, line = look.px(GAP), look.px(LINE)
        room = box.adjusted(around, line + around, -around, -line - around)
        rows, columns = (1, 1) if self.picture is None else self.picture.cells
        side = max(min(room.width() / columns, room.height() / rows), 0.5)
        cells = QRectF(0, 0, columns * side, rows * side)
        cells.moveCenter(room.center())
        return HeatmapLayout(cells, rows, columns, Labels(1.0, 1), Labels(1.0, 1), box)

    def height(self, look: Look, _width: float) -> float | None:
        return look.px(self.side) if self.side else None

    def data_box(self, layout: HeatmapLayout) -> QRectF:
        return layout.cells

    def paint(self, painter: QPainter, layout: HeatmapLayout, look: Look, *, vector: bool = False) -> None:
        cells, around, line, theme = layout.cells, look.px(GAP), look.px(LINE), look.theme
        if self.picture is not None:
            paint_cells(painter, self.picture, layout, look, vector=vector)
            if self.framed_row is not None:
                row = layout.rectangle(self.framed_row, 0).united(layout.rectangle(self.framed_row, layout.columns - 1))
                paint_outline(painter, row, theme.query, look)
        if self.is_chosen:
            self._frame(painter, layout, look, 2.0)
        above = QRectF(layout.bar.left(), cells.top() - line - around, layout.bar.width(), line)
        self._write(painter, above, self.title, look, is_title=True)
        self._write(painter, above.translated(0, line + 2 * around + cells.height()), self.words, look, is_title=False)

    @staticmethod
    def _write(painter: QPainter, line: QRectF, text: str, look: Look, *, is_title: bool) -> None:
        font = look.font(13, bold=is_title)
        painter.setFont(font)
        painter.setPen(colour_of(look.theme.text if is_title else look.theme.muted))
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, shown)

    @staticmethod
    def _frame(painter: QPainter, layout: HeatmapLayout, look: Look, width: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(look.theme.text, width * look.zoom))
        around = look.px(3)
        painter.drawRect(layout.cells.adjusted(-around, -around, around, around))

    def spoken(self) -> str:
        return ", ".join(filter(None, (self.title, self.words)))

    def hit(self, layout: HeatmapLayout, place: QPointF) -> Hit | None:
        return Hit(self.name) if layout.bar.contains(place) else None

    def mark(self, painter: QPainter, layout: HeatmapLayout, look: Look, hit: Hit) -> None:
        if hit.item == self.name:
            self._frame(painter, layout, look, 1.0)
