"""A map of weights as an item: cells, tokens and colour bar, drawn as everywhere in the program."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QGraphicsSceneMouseEvent

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.colour_bar import paint_bar
from attention_explorer.kit.drawing.heatmap import (
    paint_cells,
    paint_column_label,
    paint_heatmap,
    paint_row_label,
    paint_unknown,
)
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels, bar_in, layout_of
from attention_explorer.kit.drawing.marks import colour_of, pen
from attention_explorer.kit.scene import Item
from attention_explorer.kit.theme import Look

Cell = tuple[int, int]

_CENTRE = Qt.AlignmentFlag.AlignCenter


class MapItem(Item):
    """A whole map with its tokens; what is under the pointer is a cell, (row, column).

    Signals
    -------
    shift_clicked : (row, column)
        A cell was clicked with Shift held; `clicked` does not come then.
    """

    shift_clicked = Signal(object)

    def __init__(self, look: Look, parent: QGraphicsItem | None = None) -> None:
        super().__init__(look, parent)
        self.picture: MapPicture | None = None
        self.lit: Cell | None = None
        self.chosen: Cell | None = None
        """What keys have chosen: it stays lit when the pointer goes elsewhere."""
        self.framed_row: int | None = None
        """The row that matters most, which has a frame in the colour of queries."""
        self.has_bar = True
        """Whether the colour bar stands below it; if not, a `BarItem` says elsewhere what the colours are."""
        self.is_unknown = False
        """Whether its numbers are asked for: then it shows its tokens, and “?” in its cells."""
        self._layout: HeatmapLayout | None = None
        self.pointed.connect(self.light)

    def show_picture(self, picture: MapPicture, framed_row: int | None = None) -> None:
        """Show another map."""
        if self.picture is None or self.picture.cells != picture.cells:
            self.lit = self.chosen = None
        if self.picture is None or self.picture.labels != picture.labels:
            self._layout = None  # longer words leave the cells less room
        self.picture, self.framed_row = picture, framed_row
        self.update()

    def light(self, cell: Cell | None) -> None:
        """Light up a cell with its tokens, or nothing."""
        if cell != self.lit:
            self.lit = cell
            self.update()

    def choose(self, cell: Cell | None) -> None:
        """Light up a cell until another is chosen, or no more."""
        self.chosen = cell
        self.update()

    def place(self, box: QRectF) -> None:
        self._layout = None
        super().place(box)

    def set_look(self, look: Look) -> None:
        self._layout = None
        super().set_look(look)

    @property
    def layout(self) -> HeatmapLayout | None:
        """Where its cells are; None before there is a map."""
        if self._layout is None and self.picture is not None:
            self._layout = layout_of(self.picture, self.look, self.box, bar=self.has_bar)
        return self._layout

    def hit(self, place: QPointF) -> Cell | None:
        if self.layout is None:
            return None
        row, column = self.layout.row_at(place.y()), self.layout.column_at(place.x())
        return None if row is None or column is None else (row, column)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        found = self.hit(event.pos())
        if found is not None and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.shift_clicked.emit(found)
        else:
            super().mousePressEvent(event)

    def draw(self, painter: QPainter) -> None:
        if self.picture is None or self.layout is None:
            return
        if self.is_unknown:
            paint_unknown(painter, self.picture, self.layout, self.look)
        else:
            paint_heatmap(painter, self.picture, self.layout, self.look, bar=self.has_bar)
        if self.framed_row is not None:
            _frame_row(painter, self.layout, self.framed_row, self.look)
        lit = self.chosen if self.lit is None else self.lit
        if lit is not None:
            paint_outline(painter, self.layout.rectangle(*lit), self.look.theme.text, self.look)
            paint_row_label(painter, self.picture, self.layout, self.look, lit[0], lit=True)
            paint_column_label(painter, self.picture, self.layout, self.look, lit[1], lit=True)


class BarItem(Item):
    """The colour bar of a map, at the top of a box of its own."""

    HEIGHT = 32
    """Pixels at zoom 1."""

    def __init__(self, look: Look, parent: QGraphicsItem | None = None) -> None:
        super().__init__(look, parent)
        self.picture: MapPicture | None = None

    def show_picture(self, picture: MapPicture) -> None:
        """Be the bar of another map."""
        self.picture = picture
        self.update()

    def draw(self, painter: QPainter) -> None:
        if self.picture is not None:
            paint_bar(painter, self.picture, bar_in(self.picture, self.look, self.box), self.look)


class SmallMapItem(Item):
    """A map without tokens, with a title above and words below; what is under the pointer is the map as a whole."""

    def __init__(self, look: Look, name: object, parent: QGraphicsItem | None = None) -> None:
        super().__init__(look, parent)
        self.name = name
        self.title, self.words = "", ""
        self.is_chosen = False
        self.picture: MapPicture | None = None
        self.framed_row: int | None = None
        """As of a large map."""

    def show_picture(self, picture: MapPicture | None, title: str, words: str, *, is_chosen: bool) -> None:
        """Show another map; without one, only what is said of it."""
        self.picture, self.title, self.words, self.is_chosen = picture, title, words, is_chosen
        self.update()

    def hit(self, _place: QPointF) -> object:
        return self.name

    def draw(self, painter: QPainter) -> None:
        px, theme = self.look.px, self.look.theme
        line = px(18)
        cells = self.box.adjusted(px(6), line + px(4), -px(6), -line - px(8))
        rows, columns = (1, 1) if self.picture is None else self.picture.cells
        side = min(cells.width() / columns, cells.height() / rows)
        middle = cells.center().x()
        cells = QRectF(middle - columns * side / 2, cells.top(), columns * side, rows * side)
        layout = HeatmapLayout(cells, rows, columns, Labels(1.0, 1), Labels(1.0, 1), QRectF())
        if self.picture is not None:
            paint_cells(painter, self.picture, layout, self.look)
            if self.framed_row is not None:
                _frame_row(painter, layout, self.framed_row, self.look)
        if self.is_chosen:
            painter.setPen(pen(theme.text, 2.0 * self.look.zoom))
            painter.drawRect(cells.adjusted(-px(3), -px(3), px(3), px(3)))
        painter.setFont(self.look.font(12, bold=True))
        painter.setPen(colour_of(theme.text))
        above = QRectF(self.box.left(), cells.top() - line - px(3), self.box.width(), line)
        painter.drawText(above, _CENTRE, self.title)
        painter.setFont(self.look.font(11))
        painter.setPen(colour_of(theme.muted))
        below = QRectF(self.box.left(), cells.bottom() + px(4), self.box.width(), line)
        painter.drawText(below, _CENTRE, self.words)


def _frame_row(painter: QPainter, layout: HeatmapLayout, row: int, look: Look) -> None:
    left, right = layout.rectangle(row, 0), layout.rectangle(row, layout.columns - 1)
    paint_outline(painter, left.united(right), look.theme.query, look)
