"""The table of exact numbers below the plane: how its cells are painted, sized, chosen and copied."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.ui.table_model import Column, Index, NumbersModel
from attention_explorer.pages.ui.session import Session

_WIDTHS = (30, 78, 78, 56, 62, 58, 80, 62, 62, 132)
MOST_ROWS_SHOWN = 6


class NumbersDelegate(QStyledItemDelegate):
    """Paints a cell as plain text.

    Qt's own delegate asks the model seven questions a cell and paints through the style sheet: five times the cost,
    at every frame of a drag.
    """

    def __init__(self, numbers: NumbersModel, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._numbers = numbers
        self.look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, column = index.row(), Column(index.column())
        box: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, colour_of(self.look.theme.track))
        text, ink, strong = self._numbers.cell(row, column)
        if text:
            painter.setFont(self.look.font(13, bold=strong))
            painter.setPen(colour_of(ink))
            side = Qt.AlignmentFlag.AlignHCenter if column is Column.NAME else Qt.AlignmentFlag.AlignRight
            room = box.adjusted(0, 0, -self.look.px(5), 0)
            # Whatever does not fit is cut at its end: a number without its sign would be a lie.
            fitting = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, fitting)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(colour_of(self.look.theme.focus))
            painter.drawRect(box.adjusted(0, 0, -1, -1))


class NumbersTable(QTableView):
    """The table view with copying, and sizes that follow the zoom.

    Signals
    -------
    part_clicked : Part or None
        The row of a part was chosen.
    """

    part_clicked = Signal(object)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.numbers = NumbersModel(session, look, self)
        self.setModel(self.numbers)
        self._delegate = NumbersDelegate(self.numbers, look, self)
        self.setItemDelegate(self._delegate)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # see paintEvent
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = self._delegate.look = look
        self.numbers.set_look(look)
        header = self.verticalHeader()
        header.setMinimumSectionSize(look.px(20))
        header.setDefaultSectionSize(look.px(25))
        self.horizontalHeader().setMinimumSectionSize(look.px(20))
        self.horizontalHeader().setFixedHeight(look.px(27))
        self._share_width()

    def paintEvent(self, event: QPaintEvent) -> None:
        # The ground is painted here, so that Qt need not paint everything that lies behind the table first.
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), colour_of(self._look.theme.card))
        painter.end()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()
        self.fit_height()

    def fit_height(self) -> None:
        """Take the height in which all rows are seen whole, up to so many that the plane keeps its room."""
        rows = self.numbers.rowCount()
        fits = rows <= MOST_ROWS_SHOWN
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAsNeeded)
        height = self.height_for_rows(min(rows, MOST_ROWS_SHOWN))
        if self.height() != height:
            self.setFixedHeight(height)

    def _share_width(self) -> None:
        """Give each column its share of the width, but never less than its numbers need."""
        available, needed = self.viewport().width(), self._needed_width()
        stretch = max(1.0, available / needed)
        for column, width in enumerate(_WIDTHS):
            self.setColumnWidth(column, int(self._look.px(width) * stretch))

    def _needed_width(self) -> int:
        return sum(self._look.px(width) for width in _WIDTHS)

    def height_for_rows(self, rows: int) -> int:
        """Return the height in which that many rows are seen whole."""
        bar = self.horizontalScrollBar()
        extra = bar.sizeHint().height() if self._needed_width() > self.viewport().width() else 0
        return self.horizontalHeader().height() + rows * self._look.px(25) + 2 + extra

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid() and self.hasFocus():
            self.part_clicked.emit(self.numbers.part(current.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
            return
        super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Return the selected cells with their full values, tab-separated as spreadsheets paste them."""
        cells = {(index.row(), index.column()) for index in self.selectedIndexes()}
        columns = sorted({column for _, column in cells})
        return "\n".join(
            "\t".join(self._copied(row, column) for column in columns) for row in sorted({row for row, _ in cells})
        )

    def _copied(self, row: int, column: int) -> str:
        number = self.numbers.number(row, Column(column))
        return self.numbers.data(self.numbers.index(row, column)) if number is None else repr(number)  # type: ignore[return-value]
