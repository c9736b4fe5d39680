"""A matrix as a table to read, to copy, and where it is allowed to type into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView

from attention_explorer.core.numerals import exact, full
from attention_explorer.kit.theme import Look

Index = QModelIndex | QPersistentModelIndex

LINE, BAR = 26, 11
"""Pixels at zoom 1 of a line, and of the bar that scrolls the columns."""
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class NumbersColumn:
    """A column of a table of numbers.

    Attributes
    ----------
    title, tip : str
        What stands above it, and what that says in a sentence.
    shown : callable
        (number) -> how it is written; the tool tip has every digit.
    is_typed : bool
        Whether its numbers can be typed.
    is_text : bool
        Whether there are words in it, and no numbers.
    """

    title: str
    tip: str = ""
    shown: Callable[[float], str] = full
    is_typed: bool = False
    is_text: bool = False

    @property
    def side(self) -> Qt.AlignmentFlag:
        """Where its cells stand."""
        return _MIDDLE | (Qt.AlignmentFlag.AlignLeft if self.is_text else Qt.AlignmentFlag.AlignRight)


class MatrixModel(QAbstractTableModel):
    """Rows with the names of tokens, and columns of numbers or words.

    ``edit`` is called with row, column and what was typed, and returns whether it was taken.
    """

    def __init__(self, edit: Callable[[int, int, str], bool] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._edit = edit
        self._rows: tuple[str, ...] = ()
        self._tips: tuple[str, ...] = ()
        self._columns: tuple[NumbersColumn, ...] = ()
        self._cells: Sequence[Sequence[float | str]] = ()

    def show_numbers(
        self,
        rows: tuple[str, ...],
        columns: tuple[NumbersColumn, ...],
        cells: Sequence[Sequence[float | str]],
        tips: tuple[str, ...] = (),
    ) -> None:
        """Show these cells, with what there is to say of each row."""
        same = rows == self._rows and len(columns) == len(self._columns)  # keeps the place of the reader, and an editor
        if not same:
            self.beginResetModel()
        self._rows, self._columns, self._cells, self._tips = rows, columns, cells, tips or ("",) * len(rows)
        if same:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(columns) - 1))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(columns) - 1)
        else:
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Vertical:
            named = {Qt.ItemDataRole.DisplayRole: self._rows, Qt.ItemDataRole.ToolTipRole: self._tips}
            return named[Qt.ItemDataRole(role)][section] if role in named else None
        column = self._columns[section]
        told = {Qt.ItemDataRole.DisplayRole: column.title, Qt.ItemDataRole.ToolTipRole: column.tip}
        return column.side if role == Qt.ItemDataRole.TextAlignmentRole else told.get(Qt.ItemDataRole(role))

    def number(self, row: int, column: int) -> float | None:
        """Return the number of a cell with every digit; None if it has words."""
        cell = self._cells[row][column]
        return None if isinstance(cell, str) else cell

    def text(self, row: int, column: int) -> str:
        """Return how a cell is written."""
        cell = self._cells[row][column]
        return cell if isinstance(cell, str) else self._columns[column].shown(cell)

    def tip(self, row: int, _column: int) -> str:
        """Return what there is to say of a cell besides its number."""
        return self._tips[row]

    def is_typed(self, _row: int, column: int) -> bool:
        """Whether a cell can be typed into."""
        return self._columns[column].is_typed

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if self.is_typed(index.row(), index.column()) else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        if role in (Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            number = self.number(row, column)
            digits = "" if number is None else exact(number)
            if role == Qt.ItemDataRole.ToolTipRole:
                return f"{digits}\n{self.tip(row, column)}".strip()
            return digits or self.text(row, column)
        return self._columns[column].side if role == Qt.ItemDataRole.TextAlignmentRole else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        typed = str(value)
        if role != Qt.ItemDataRole.EditRole or self._edit is None or typed == self.data(index, role):
            return False
        return self._edit(index.row(), index.column(), typed)


class MatrixTable(QTableView):
    """Shows a `MatrixModel`; its columns are all so many pixels wide at zoom 1."""

    def __init__(self, model: MatrixModel, look: Look, name: str, width: int) -> None:
        super().__init__()
        self._width = width
        self.setModel(model)
        self.setAccessibleName(name)
        self.setTabKeyNavigation(False)  # arrow keys walk the cells; Tab goes on to the next control
        self.setCornerButtonEnabled(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.verticalHeader().setDefaultSectionSize(look.px(LINE))
        self.horizontalHeader().setFixedHeight(look.px(LINE))
        self.horizontalHeader().setDefaultSectionSize(look.px(self._width))

    def show_rows(self, rows: int) -> None:
        """Take the height at which so many rows are seen, above the bar that scrolls the columns."""
        self.setFixedHeight((rows + 1) * self._look.px(LINE) + self._look.px(BAR) + 2 * self.frameWidth())
