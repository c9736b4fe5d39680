"""The exact numbers of a lookup: coordinates to type into, and everything computed from them."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, Qt, Signal
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

from attention_explorer.errors import ExplorerError
from attention_explorer.session.session import Session
from attention_explorer.state.lookup.frame import LookupFrame, lookup_frame
from attention_explorer.state.lookup.state import QUERY, TARGET, LookupState, Overlay, Part, ValueKind
from attention_explorer.state.numerals import compact, coordinate, full, parsed_number
from attention_explorer.state.role import Role
from attention_explorer.ui.drawing.marks import colour_of
from attention_explorer.ui.theme import Look

Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """What stands in which column."""

    NAME = 0
    X = 1
    Y = 2
    LENGTH = 3
    SCORE = 4
    COSINE = 5
    WEIGHT = 6
    VALUE_X = 7
    VALUE_Y = 8
    CONTRIBUTION = 9


_TITLES = ("", "x", "y", "length", "q·k", "cos", "weight α", "v x", "v y", "α·v")
_TITLES_OF_NUMBERS = {int(Column.VALUE_X): "v", int(Column.VALUE_Y): ""}
_TIPS = (
    "q asks, k₁, k₂, … are matched against it, t is the target, o is the output",
    "First coordinate. Double click to type",
    "Second coordinate. Double click to type",
    "|k|: the score grows with it, the cosine does not",
    "The score: q·k = q₁k₁ + q₂k₂",
    "The cosine of the angle to q: q·k ÷ (|q||k|)",
    "How much of this key's value reaches the output. The column sums to 1",
    "What this key delivers, first coordinate",
    "What this key delivers, second coordinate",
    "The weight times the value: these add up to the output o",
)
_WIDTHS = (30, 78, 78, 56, 62, 58, 80, 62, 62, 132)


MOST_ROWS_SHOWN = 6

Cell = tuple[str, str, bool]
"""The text of a cell, its colour, and whether it is written bold."""


class NumbersModel(QAbstractTableModel):
    """The rows q, k₁ … kₙ, t and o of a frame, for a table view.

    Signals
    -------
    refused : str
        Why what was typed cannot be used.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._frame = lookup_frame(session.state.lookup)
        self._rows = _rows(self._frame.state)
        self._cells = self._all_cells()

    def set_look(self, look: Look) -> None:
        """Wear other colours."""
        self._look = look
        self._announce_changes()

    def set_frame(self, frame: LookupFrame) -> None:
        """Show the numbers of a frame."""
        rows = _rows(frame.state)
        if rows == self._rows:
            self._frame = frame
            self._announce_changes()
            return
        self.beginResetModel()
        self._frame, self._rows = frame, rows
        self._cells = self._all_cells()
        self.endResetModel()

    def _all_cells(self) -> list[list[Cell]]:
        return [[self._cell(row, column) for column in Column] for row in range(len(self._rows))]

    def _announce_changes(self) -> None:
        """Tell the view which cells read differently: only those are painted again."""
        before, self._cells = self._cells, self._all_cells()
        for row, (old, new) in enumerate(zip(before, self._cells, strict=True)):
            for column in Column:
                if old[column] != new[column]:
                    # Cell by cell: of a range of cells Qt paints the whole view again.
                    cell = self.index(row, column)
                    self.dataChanged.emit(cell, cell, [Qt.ItemDataRole.DisplayRole])

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def part(self, row: int) -> Part | None:
        """Return the query, key or target of a row; None for the output."""
        return self._rows[row]

    def row_of(self, part: Part) -> int | None:
        """Return the row of a part; a value's row is that of its key."""
        wanted = Part(Role.KEY, part.index) if part.role is Role.VALUE else part
        return self._rows.index(wanted) if wanted in self._rows else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            plain_numbers = self._frame.state.values is ValueKind.NUMBERS
            return _TITLES_OF_NUMBERS.get(section, _TITLES[section]) if plain_numbers else _TITLES[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section != Column.NAME:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if self._edited(index) is not None else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cells[row][column][0]
        if role in (Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            number = self.number(row, column)
            return "" if number is None else full(number)
        return None

    def cell(self, row: int, column: Column) -> Cell:
        """Return how a cell is written."""
        return self._cells[row][column]

    def _cell(self, row: int, column: Column) -> Cell:
        strong = column is Column.NAME or self._rows[row] is None
        return self._text(row, column), self._ink(row, column), strong

    # ---- Cells ----

    def number(self, row: int, column: Column) -> float | None:
        """Return the full number of a cell; None where there is none or more than one."""
        part = self._rows[row]
        if part is None:
            return self._output_number(column)
        if column in (Column.X, Column.Y):
            if self._frame.state.on_number_line(part) and column is Column.Y:
                return None
            return self._frame.state.position(part)[column - Column.X]
        if part == QUERY:
            return self._frame.query_length if column is Column.LENGTH else None
        return self._key_number(part.index, column) if part.role is Role.KEY else None

    def _output_number(self, column: Column) -> float | None:
        output = self._frame.output
        if column is Column.WEIGHT:
            return float(self._frame.weights.sum())
        if column in (Column.X, Column.Y) and column - Column.X < len(output):
            return float(output[column - Column.X])
        return None

    def _key_number(self, index: int, column: Column) -> float | None:
        frame = self._frame
        if column is Column.VALUE_X:
            return float(frame.values[index, 0])
        if column is Column.VALUE_Y:
            return float(frame.values[index, 1]) if frame.values.shape[1] == 2 else None
        columns = {
            Column.LENGTH: frame.key_lengths,
            Column.SCORE: frame.attention.scores,
            Column.COSINE: frame.cosines,
            Column.WEIGHT: frame.weights,
        }
        return float(columns[column][index]) if column in columns else None

    def _text(self, row: int, column: Column) -> str:
        part = self._rows[row]
        if column is Column.NAME:
            return "o" if part is None else part.symbol
        if column is Column.CONTRIBUTION:
            return self._contribution(part)
        number = self.number(row, column)
        if number is None:
            return ""
        if math.isnan(number):
            return "–"
        if column is Column.WEIGHT:
            return f"{number:.6f}" if number >= 1e-6 or number == 0 else f"{number:.2e}"
        if part is None or column in (Column.SCORE, Column.COSINE):
            return compact(number, sign=True)
        if column in (Column.VALUE_X, Column.VALUE_Y):
            return coordinate(number, 5)
        return compact(number) if column is Column.LENGTH else coordinate(number)

    def _contribution(self, part: Part | None) -> str:
        if part is not None and part.role is not Role.KEY:
            return ""
        row = self._frame.output if part is None else self._frame.contributions[part.index]
        text = ", ".join(compact(number, sign=True) for number in row.tolist())
        return text if len(row) == 1 else f"({text})"

    def _ink(self, row: int, column: Column) -> str:
        theme, part = self._look.theme, self._rows[row]
        if part is None:
            return theme.output_ink
        if column in (Column.VALUE_X, Column.VALUE_Y, Column.CONTRIBUTION):
            tied = self._frame.state.values is ValueKind.KEYS and column is not Column.CONTRIBUTION
            return theme.muted if tied else theme.value_ink
        return theme.ink_of_role(part.role) if column is Column.NAME else theme.text

    # ---- Typing ----

    def _edited(self, index: Index) -> tuple[Part, int] | None:
        """Return the part and the coordinate that a cell edits; None for a computed cell."""
        part, column = self._rows[index.row()], Column(index.column())
        if part is None:
            return None
        if column in (Column.X, Column.Y):
            axis = column - Column.X
            return None if axis and self._frame.state.on_number_line(part) else (part, axis)
        kind = self._frame.state.values
        if part.role is Role.KEY and column in (Column.VALUE_X, Column.VALUE_Y) and kind is not ValueKind.KEYS:
            axis = column - Column.VALUE_X
            return None if axis and kind is ValueKind.NUMBERS else (Part(Role.VALUE, part.index), axis)
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        target = self._edited(index)
        if target is None or role != Qt.ItemDataRole.EditRole:
            return False
        part, axis = target
        state = self._session.state
        try:
            number = parsed_number(str(value))
            x, y = state.lookup.position(part)
            moved = state.lookup.moved(part, (number, y) if axis == 0 else (x, number))
        except ExplorerError as error:
            self.refused.emit(str(error))
            return False
        self._session.apply(replace(state, lookup=moved), f"Type {part.name}")
        return True


def _rows(state: LookupState) -> tuple[Part | None, ...]:
    keys = tuple(Part(Role.KEY, i) for i in range(len(state.entries)))
    target = (TARGET,) if state.shows(Overlay.TARGET) else ()
    return (QUERY, *keys, *target, None)


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
        self.setAccessibleName("Numbers of the lookup")
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
        height = self.height_for_rows(min(self.numbers.rowCount(), MOST_ROWS_SHOWN))
        if self.height() != height:
            self.setFixedHeight(height)

    def _share_width(self) -> None:
        """Give each column its share of the width, but never less than its numbers need."""
        available, needed = self.viewport().width(), sum(map(self._look.px, _WIDTHS))
        stretch = max(1.0, available / needed)
        for column, width in enumerate(_WIDTHS):
            self.setColumnWidth(column, int(self._look.px(width) * stretch))

    def height_for_rows(self, rows: int) -> int:
        """Return the height in which that many rows are seen whole."""
        bar = self.horizontalScrollBar()
        extra = bar.sizeHint().height() if sum(map(self._look.px, _WIDTHS)) > self.viewport().width() else 0
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
