"""A matrix as a table to read, to copy, and where it is allowed to type into."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView

from attention_explorer.core.numerals import coordinate, full
from attention_explorer.kit.theme import Look

Index = QModelIndex | QPersistentModelIndex
Numbers = list[list[float]]

FULL_WIDTH, SHORT_WIDTH = 184, 92
"""Pixels at zoom 1 of a column of numbers with all digits, and with a few."""


class MatrixModel(QAbstractTableModel):
    """The numbers of a matrix with named rows and columns.

    ``edit`` is called with row, column and what was typed, and returns whether it was taken; without it, or in columns
    from ``fixed_from`` on, nothing can be typed.
    """

    def __init__(
        self,
        edit: Callable[[int, int, str], bool] | None = None,
        digits: int | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Write every digit, or so many of them; then the tool tip has them all."""
        super().__init__(parent)
        self._edit, self._digits = edit, digits
        self._rows: tuple[str, ...] = ()
        self._columns: tuple[str, ...] = ()
        self._numbers: Numbers = []
        self.editable_columns = 0

    @property
    def has_all_digits(self) -> bool:
        """Whether numbers are written with every digit."""
        return self._digits is None

    def show_numbers(
        self, rows: tuple[str, ...], columns: tuple[str, ...], numbers: Numbers, editable_columns: int = 0
    ) -> None:
        """Show these numbers; the first ``editable_columns`` of them can be typed."""
        same = (rows, columns, editable_columns) == (self._rows, self._columns, self.editable_columns)
        if same:  # keeps the place of the reader and an editor that is open
            self._numbers = numbers
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(columns) - 1))
            return
        self.beginResetModel()
        self._rows, self._columns, self._numbers, self.editable_columns = rows, columns, numbers, editable_columns
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation is Qt.Orientation.Horizontal:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.DisplayRole:
            return (self._columns if orientation is Qt.Orientation.Horizontal else self._rows)[section]
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() < self.editable_columns else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        number = self._numbers[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return full(number) if self._digits is None else coordinate(number, self._digits)
        if role in (Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            return full(number)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        typed = str(value)
        if role != Qt.ItemDataRole.EditRole or self._edit is None or typed == self.data(index, role):
            return False
        return self._edit(index.row(), index.column(), typed)


class NamedRowsTable(QTableView):
    """A table whose rows have the names of the tokens."""

    def __init__(self, model: QAbstractTableModel, name: str) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(name)
        self.setTabKeyNavigation(False)  # arrow keys walk the cells; Tab goes on to the next control
        self.setCornerButtonEnabled(False)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.verticalHeader().setDefaultSectionSize(look.px(26))

    def height_of(self, rows: int) -> int:
        """Return the height at which so many rows are seen."""
        lines = rows * self.verticalHeader().defaultSectionSize()
        return lines + self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()


class MatrixTable(NamedRowsTable):
    """Shows a `MatrixModel`; the columns are as wide as their numbers."""

    def __init__(self, model: MatrixModel, look: Look, name: str) -> None:
        super().__init__(model, name)
        self._model = model
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        width = look.px(FULL_WIDTH if self._model.has_all_digits else SHORT_WIDTH)
        self.horizontalHeader().setDefaultSectionSize(width)
