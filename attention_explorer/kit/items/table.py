"""A table in a picture: rows that can be pointed at, with swatches in the colours of another item."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.marks import colour_of, pen
from attention_explorer.kit.drawing.text_table import SIZE, Column, TableLayout, mark_row, paint_table, table_layout
from attention_explorer.kit.items.item import Hit, Item
from attention_explorer.kit.items.strips import Colour, colour_in
from attention_explorer.kit.theme import Look

ROW, LOWEST, HIGHEST, SWATCH = 30.0, 15.0, 64.0, 12.0
"""Pixels at zoom 1 of a row, of a row where there is little room and where there is much, and of a swatch."""
LETTERS, LARGEST = 0.4, 17.0
"""Of a row that grows, how high its letters are, and how large in pixels at most."""


@dataclass(frozen=True, slots=True)
class Table(Item[TableLayout]):
    """Rows of text under titles; a `Hit` says which row, and `value_at` the column of a place.

    Attributes
    ----------
    columns : tuple of Column
        Their titles, and how their cells are written.
    rows : tuple of tuple of str
        A text for each column.
    swatches : tuple of Colour
        For each row a colour that stands before it, or an empty text; no swatches if empty.
    fills : bool
        Whether the rows grow into the room there is, and their letters with them.
    high : float
        Pixels at zoom 1 of a row that does not.
    marked : (int, int or None) or None
        A row that has a ground, or a cell of it.
    bars : tuple of float
        For each row the length of a bar, 0 … 1, in the second column, which has no words; none if empty.
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    swatches: tuple[Colour, ...] = ()
    fills: bool = True
    high: float = ROW
    marked: tuple[int, int | None] | None = None
    bars: tuple[float, ...] = ()
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> TableLayout:
        row, largest = look.px(self.high), SIZE
        if self.fills:
            row = round(min(max(box.height() / (len(self.rows) + 1), look.px(LOWEST)), look.px(HIGHEST)))
            largest = min(max(LETTERS * row / look.zoom, SIZE), LARGEST)
        indent = look.px(SWATCH + 6) if self.swatches else 0
        return table_layout(look, box, self.columns, self.rows, row_height=row, indent=indent, largest=largest)

    def height(self, look: Look, _width: float) -> float | None:
        return None if self.fills else look.px(self.high) * (len(self.rows) + 1)

    def data_box(self, layout: TableLayout) -> QRectF:
        return layout.row(0).united(layout.row(len(self.rows) - 1))

    def paint(self, painter: QPainter, layout: TableLayout, look: Look, *, vector: bool = False) -> None:
        self._paint_mark_and_bars(painter, layout, look)
        paint_table(painter, layout, look)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for index, swatch in enumerate(self.swatches):
            if swatch != "":
                side, row = look.px(SWATCH), layout.row(index)
                painter.setPen(pen(look.theme.axis, 1))
                painter.setBrush(colour_of(colour_in(look.theme, swatch)))
                painter.drawRect(QRectF(row.left(), row.center().y() - side / 2, side, side))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_mark_and_bars(self, painter: QPainter, layout: TableLayout, look: Look) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.marked is not None:
            row, column = self.marked
            place, around = layout.row(row), look.px(4)
            for index, left, width in layout.shown:
                if index == column:
                    place = QRectF(left, place.top(), width, place.height())
            painter.setBrush(colour_of(look.theme.track))
            painter.drawRoundedRect(place.adjusted(-around, 0, around, 0), around, around)
        for row, length in enumerate(self.bars):
            _, left, width = layout.shown[1]
            whole = layout.row(row)
            bar = QRectF(left, whole.top() + 0.3 * whole.height(), width, 0.4 * whole.height())
            for share, ink in ((1.0, look.theme.track), (length, look.theme.output)):
                if share > 0:
                    bar.setWidth(max(share * width, 1.0))
                    painter.fillRect(bar, colour_of(ink))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def hit(self, layout: TableLayout, place: QPointF) -> Hit | None:
        row = layout.row_at(place)
        return None if row is None else Hit(self.name, row)

    def value_at(self, layout: TableLayout, hit: Hit, place: QPointF) -> int | None:
        """Return which column a place is in: that which begins last at its left."""
        if hit.item != self.name:
            return None
        return max((index for index, left, _ in layout.shown if left <= place.x()), default=0)

    def mark(self, painter: QPainter, layout: TableLayout, look: Look, hit: Hit) -> None:
        if hit.item == self.name and isinstance(hit.part, int) and hit.part < len(self.rows):
            mark_row(painter, layout, look, hit.part)

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        turn = {int(Qt.Key.Key_Up): -1, int(Qt.Key.Key_Down): 1}.get(key)
        if turn is None:
            return None
        if hit is None or hit.item != self.name:
            return Hit(self.name, 0 if turn > 0 else len(self.rows) - 1)
        return Hit(self.name, min(max(hit.part + turn, 0), len(self.rows) - 1))

    def spoken(self) -> str:
        titles = [column.title for column in self.columns]
        return ". ".join(
            ", ".join(f"{title} {text}" for title, text in zip(titles, row, strict=True) if text) for row in self.rows
        )
