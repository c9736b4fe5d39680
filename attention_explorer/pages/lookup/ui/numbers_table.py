"""The table of exact numbers below the plane: how its cells are painted, sized, chosen and copied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from PySide6.QtCore import QModelIndex, QObject, QRect, Qt, Signal
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

from attention_explorer.core.numerals import parsed_number
from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.numbers_model import Index, MatrixModel, NumbersColumn
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import LookupState, Part, ValueKind
from attention_explorer.pages.lookup.sums import Column, TableCell, cells_of, parts_of, score_name
from attention_explorer.pages.ui.session import Session

_WIDTHS = (30, 78, 78, 56, 62, 58, 80, 62, 62, 132)
MOST_ROWS_SHOWN = 6

_COLUMNS = (
    NumbersColumn("", "q is the query; k₁, k₂, … are the keys it is compared with; t is the target; o is the output"),
    NumbersColumn("x", "First coordinate. Double click to type"),
    NumbersColumn("y", "Second coordinate. Double click to type"),
    NumbersColumn("length", "The length of the vector: a score is proportional to it, a cosine does not depend on it"),
    NumbersColumn("q·k", "The score q·k: x times x plus y times y"),
    NumbersColumn("cos", "The cosine of the angle to q: q·k ÷ (|q||k|)"),
    NumbersColumn("weight α", "How much of this key’s value reaches the output. The column sums to 1"),
    NumbersColumn("v x", "What this key delivers, first coordinate"),
    NumbersColumn("v y", "What this key delivers, second coordinate"),
    NumbersColumn("α·v", "The weight times the value: these add up to the output o"),
)


class NumbersModel(MatrixModel):
    """The rows q, k₁ … kₙ, t and o of a frame, for a table view.

    Signals
    -------
    refused : str
        Why what was typed cannot be used.
    """

    refused = Signal(str)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(self._on_typed, parent)
        self._session = session
        self._withheld = False
        self._frame = lookup_frame(LookupState())  # of the session when it is shown: a row may have to be opened first
        self._parts: tuple[Part | None, ...] = ()
        self._written: list[list[TableCell]] = []
        self.set_frame(self._frame)

    def set_frame(self, frame: LookupFrame) -> None:
        """Show the numbers of a frame, telling the view which cells read differently: only they are painted again."""
        self._frame = frame
        before, parts, columns = self._written, parts_of(frame.state), tuple(_columns(frame))
        cells = cells_of(frame, is_withheld=self._withheld)
        if parts != self._parts:
            self.beginResetModel()
            self._parts, self._columns, self._written = parts, columns, cells
            self._rows = tuple(row[Column.NAME].text for row in cells)
            self.endResetModel()
            return
        titles_change = columns != self._columns
        self._columns, self._written = columns, cells
        for row, column in product(range(len(cells)), Column):
            if before[row][column] != cells[row][column]:
                # Cell by cell: of a range of cells Qt paints the whole view again.
                cell = self.index(row, column)
                self.dataChanged.emit(cell, cell, [Qt.ItemDataRole.DisplayRole])
        if titles_change:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)

    def withhold(self, withheld: bool) -> None:
        """Show “?” for all that is computed, or show it again."""
        self._withheld = withheld
        self.set_frame(self._frame)

    def part(self, row: int) -> Part | None:
        """Return the query, key or target of a row; None for the output."""
        return self._parts[row]

    def row_of(self, part: Part) -> int | None:
        """Return the row of a part; a value's row is that of its key."""
        wanted = Part(Role.KEY, part.index) if part.role is Role.VALUE else part
        return self._parts.index(wanted) if wanted in self._parts else None

    def cell(self, row: int, column: int) -> TableCell:
        """Return a cell."""
        return self._written[row][column]

    def number(self, row: int, column: int) -> float | None:
        return self.cell(row, column).number

    def text(self, row: int, column: int) -> str:
        return self.cell(row, column).text

    def tip(self, row: int, column: int) -> str:
        return self.cell(row, column).tip

    def is_typed(self, row: int, column: int) -> bool:
        return self.cell(row, column).edits is not None

    def _on_typed(self, row: int, column: int, text: str) -> bool:
        edits, state = self.cell(row, column).edits, self._session.state
        if edits is None:
            return False
        part, axis = edits
        to = [*state.lookup.position(part)]
        try:
            to[axis] = parsed_number(text)
            moved = state.lookup.moved(part, (to[0], to[1]))
        except ExplorerError as error:
            self.refused.emit(str(error))
            return False
        self._session.apply(replace(state, lookup=moved), f"Type {part.name}")
        return True


def _columns(frame: LookupFrame) -> Iterator[NumbersColumn]:
    """Return the columns with the titles that fit a lookup."""
    titles = {Column.SCORE: score_name(frame)}
    if frame.state.values is ValueKind.NUMBERS:
        titles |= {Column.VALUE_X: "v", Column.VALUE_Y: ""}
    for name, column in zip(Column, _COLUMNS, strict=True):
        yield replace(column, title=titles.get(name, column.title))


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
        cell, box = self._numbers.cell(index.row(), index.column()), QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, colour_of(self.look.theme.track))
        if cell.text:
            painter.setFont(self.look.font(13, bold=cell.is_bold))
            painter.setPen(colour_of(getattr(self.look.theme, cell.ink)))
            is_name = index.column() == Column.NAME
            side = Qt.AlignmentFlag.AlignHCenter if is_name else Qt.AlignmentFlag.AlignRight
            room = box.adjusted(0, 0, -self.look.px(5), 0)
            # Whatever does not fit is cut at its end: a number without its sign would be a lie.
            fitting = painter.fontMetrics().elidedText(cell.text, Qt.TextElideMode.ElideRight, room.width())
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
        self.numbers = NumbersModel(session, self)
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
        self.viewport().update()
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
        number = self.numbers.number(row, column)
        return self.numbers.text(row, column) if number is None else repr(number)
