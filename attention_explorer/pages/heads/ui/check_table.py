"""A small table of numbers, painted in one go: names on the left, numbers flush right."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFont, QFontMetricsF, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.kit.accessible import WORDS
from attention_explorer.kit.controls.tip_widget import TipWidget
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.check_report import CheckTable

LINE_HEIGHT = 21
TEXT_SIZE, SMALLEST_TEXT, TITLE_SIZE = 12.5, 11.0, 12.0
GAP = 10
SHORTEST_BAR_PLACE = 60

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class CheckTableView(TipWidget):
    """Shows a `CheckTable`; pointing at a number gives all its digits, a right click copies the table."""

    accessible_role = WORDS

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._table: CheckTable | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Numbers of the experiment")
        copy = QAction("Copy these numbers", self)
        copy.triggered.connect(self.copy_numbers)
        self.addAction(copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._fit()

    def show_table(self, table: CheckTable) -> None:
        """Show these numbers."""
        self._table = table
        self.setAccessibleName(table.title or "Numbers of the experiment")
        self.setAccessibleDescription(self.text())
        self._fit()

    def text(self) -> str:
        """Return the table as lines of text, as they are shown."""
        table = self._table
        if table is None:
            return ""
        lines = [" | ".join(table.header)]
        lines += [
            " | ".join(table.text(row, column) for column in range(len(table.columns)))
            for row in range(len(table.rows))
        ]
        return "\n".join(line for line in (table.title, *lines, table.more) if line)

    def copy_numbers(self) -> None:
        """Put the table on the clipboard as CSV, with every digit."""
        if self._table is not None:
            QGuiApplication.clipboard().setText(self._table.csv())

    # ---- Measuring ----

    def _fit(self) -> None:
        table = self._table
        lines = 0 if table is None else self._first_row() + len(table.rows) + bool(table.more)
        self.setFixedHeight(max(lines, 1) * self._look.px(LINE_HEIGHT))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(310), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(120), self.height())

    def _has_header(self) -> bool:
        return self._table is not None and any(self._table.header)

    def _first_row(self) -> int:
        """Return how many lines stand above the first row."""
        return (self._table is not None and bool(self._table.title)) + self._has_header()

    def column_edges(self, font: QFont | None = None) -> list[float]:
        """Return the right edge of every column; the numbers take what they need, the names what is left."""
        table = self._table
        if table is None:
            return []
        metrics = QFontMetricsF(font or self._font())
        gap = self._look.px(GAP)
        widths = [
            max(
                metrics.horizontalAdvance(text)
                for text in (title, *(table.text(row, column) for row in range(len(table.rows))))
            )
            for column, (title, _) in enumerate(table.columns)
            if column > 0
        ]
        edges = [float(self.width() - self._look.px(4))]
        for width in reversed(widths):
            edges.insert(0, edges[0] - width - gap)
        return edges

    def _font(self) -> QFont:
        """Return the largest font in which no name is cut off; names that are too long for all of them are."""
        size = TEXT_SIZE
        while size > SMALLEST_TEXT and self._names_width(size) > self._names_room(size):
            size -= 0.5
        return self._look.font(size)

    def _names_width(self, size: float) -> float:
        table = self._table
        if table is None:
            return 0.0
        metrics = QFontMetricsF(_bold(self._look.font(size)))
        return max((metrics.horizontalAdvance(table.text(row, 0)) for row in range(len(table.rows))), default=0.0)

    def _names_room(self, size: float) -> float:
        room = self.column_edges(self._look.font(size))[0]
        return (self._bar_start(room) if self._table is not None and self._table.bars else room) - self._look.px(4)

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the row and column of the table under a point."""
        table = self._table
        if table is None:
            return None
        row = math.floor(y / self._look.px(LINE_HEIGHT)) - self._first_row()
        if not 0 <= row < len(table.rows):
            return None
        return row, next((column for column, edge in enumerate(self.column_edges()) if x <= edge), 0)

    def tip_at(self, place: QPointF) -> str:
        spot = self.cell_at(place.x(), place.y())
        return "" if spot is None or self._table is None else self._table.exact(*spot)

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour_of(self._look.theme.card))
        table = self._table
        if table is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            font = self._font()
            edges = self.column_edges(font)
            self._paint_head(painter, table, edges)
            for row in range(len(table.rows)):
                self._paint_row(painter, table, row, edges, font)
            if table.more:
                painter.setPen(colour_of(self._look.theme.muted))
                painter.drawText(self._line(self._first_row() + len(table.rows)), _LEFT, table.more)
        painter.end()

    def _line(self, number: int) -> QRectF:
        height = self._look.px(LINE_HEIGHT)
        return QRectF(self._look.px(4), number * height, self.width() - self._look.px(8), height)

    def _paint_head(self, painter: QPainter, table: CheckTable, edges: list[float]) -> None:
        look, theme = self._look, self._look.theme
        if table.title:
            self._paint_text(painter, self._line(0), _LEFT, table.title, look.font(TITLE_SIZE, bold=True), theme.text)
        if not self._has_header():
            return
        line = self._line(int(bool(table.title)))
        for column, title in enumerate(table.header):
            self._paint_text(painter, self._place(line, edges, column), _side(column), title, self._font(), theme.muted)
        painter.setPen(colour_of(theme.border))
        painter.drawLine(line.bottomLeft(), line.bottomRight())

    def _paint_row(self, painter: QPainter, table: CheckTable, row: int, edges: list[float], font: QFont) -> None:
        theme = self._look.theme
        line = self._line(self._first_row() + row)
        marked = row == table.marked_row
        if marked:
            whole = line.adjusted(-self._look.px(4), 0, self._look.px(4), 0)
            alone = table.marked_column
            place = (
                whole
                if alone is None
                else self._place(line, edges, alone).adjusted(-self._look.px(1), 0, self._look.px(4), 0)
            )
            self._paint_block(painter, place, colour_of(theme.track))
        if table.bars:
            self._paint_bar(painter, line, edges[0], table.bars[row])
        for column in range(len(table.columns)):
            bold = marked and table.marked_column in (None, column)
            own = _bold(font) if bold else font
            self._paint_text(
                painter, self._place(line, edges, column), _side(column), table.text(row, column), own, theme.text
            )

    def _place(self, line: QRectF, edges: list[float], column: int) -> QRectF:
        left = line.left() if column == 0 else edges[column - 1] + self._look.px(GAP) / 2
        right = edges[column]
        if column == 0 and self._table is not None and self._table.bars:
            right = self._bar_start(right)
        return QRectF(left, line.top(), max(right - left, 0.0), line.height())

    def _bar_start(self, edge: float) -> float:
        """Return where bars begin: behind the names, in the middle at most."""
        return edge - max(0.55 * edge, float(self._look.px(SHORTEST_BAR_PLACE)))

    def _paint_bar(self, painter: QPainter, line: QRectF, edge: float, length: float) -> None:
        start = self._bar_start(edge) + self._look.px(6)
        room = QRectF(start, line.top(), edge - start, line.height())
        inset = 0.3 * line.height()
        whole = room.adjusted(0, inset, 0, -inset)
        self._paint_block(painter, whole, colour_of(self._look.theme.track))
        if length > 0:
            whole.setWidth(max(length * whole.width(), 1.0))
            self._paint_block(painter, whole, colour_of(self._look.theme.output))

    def _paint_block(self, painter: QPainter, place: QRectF, colour: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        radius = min(self._look.px(4), place.height() / 2, place.width() / 2)
        painter.drawRoundedRect(place, radius, radius)

    def _paint_text(
        self, painter: QPainter, place: QRectF, side: Qt.AlignmentFlag, text: str, font: QFont, colour: str
    ) -> None:
        painter.setFont(font)
        painter.setPen(colour_of(colour))
        shown = text
        if side == _LEFT:
            shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, side | Qt.TextFlag.TextDontClip, shown)


def _side(column: int) -> Qt.AlignmentFlag:
    return _LEFT if column == 0 else _RIGHT


def _bold(font: QFont) -> QFont:
    heavy = QFont(font)
    heavy.setWeight(QFont.Weight.DemiBold)
    return heavy
