"""A table of exact numbers in a window of its own, to read and to copy."""

from __future__ import annotations

import math
from heapq import nlargest

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QTableView, QVBoxLayout, QWidget

from attention_explorer.core.numbers_files import as_csv
from attention_explorer.core.numerals import exact, padded, shared_decimals
from attention_explorer.kit.theme import Look

Index = QModelIndex | QPersistentModelIndex

_ROOT = QModelIndex()


class NumbersModel(QAbstractTableModel):
    """Rows of words and numbers; what is not in view is not made into text."""

    def __init__(self, header: tuple[str, ...], rows: list[tuple[object, ...]], parent: QObject) -> None:
        super().__init__(parent)
        self._header, self._rows = header, rows
        columns = zip(*rows, strict=True)
        self._numbers = [np.array([cell for cell in column if isinstance(cell, float)]) for column in columns]
        self._decimals = [
            shared_decimals(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0, keepdims=True))
            for numbers in self._numbers
        ]

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._header)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        is_name = orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return self._header[section] if is_name else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(cell, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return exact(cell) if isinstance(cell, float) else None
        if role == Qt.ItemDataRole.TextAlignmentRole and not isinstance(cell, str):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def widest(self, column: int) -> list[str]:
        """Return the texts of a column among which the widest is: the longest words, the numbers at the ends."""
        words = nlargest(8, {str(row[column]) for row in self._rows if not isinstance(row[column], float)}, key=len)
        numbers = np.sort(self._numbers[column])
        small = numbers[np.argsort(np.where(numbers == 0.0, np.inf, np.abs(numbers)))[:8]]
        ends = np.concatenate((numbers[:8], numbers[-8:], small, -np.abs(small)))
        return [*words, *(self._text(number, column) for number in ends.tolist())]

    def _text(self, cell: object, column: int) -> str:
        return padded(cell, self._decimals[column]) if isinstance(cell, float) else str(cell)


class NumbersDialog(QDialog):
    """Shows rows of words and numbers, with six digits; tool tips and Ctrl+C, which copies CSV, have every digit."""

    def __init__(
        self,
        title: str,
        note: str,
        header: tuple[str, ...],
        rows: list[tuple[object, ...]],
        look: Look,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._header, self._rows = header, rows
        self._most = parent.width()
        words = QLabel(note)
        words.setWordWrap(True)
        self.table = QTableView()
        self.model = NumbersModel(header, rows, self)
        self.table.setModel(self.model)
        self.table.setAccessibleName(title)
        self.table.setTabKeyNavigation(False)  # arrow keys walk the cells; Tab goes on to the buttons
        self.table.verticalHeader().hide()
        self._style(look)
        copy = QPushButton("Copy as CSV")
        copy.clicked.connect(self.copy)
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(copy)
        buttons.addWidget(close)
        column_of_all = QVBoxLayout(self)
        column_of_all.addWidget(words)
        column_of_all.addWidget(self.table, 1)
        column_of_all.addLayout(buttons)
        QShortcut(QKeySequence.StandardKey.Copy, self, self.copy)
        self._fit(look)

    def _style(self, look: Look) -> None:
        """Keep the frame of one width and the header inside of it: nothing may cover what shows the keyboard."""
        px, theme = look.px, look.theme
        self.table.setStyleSheet(
            f"QTableView {{ border: {px(2)}px solid {theme.border}; padding: {px(4)}px; }}"
            f" QTableView:focus {{ border-color: {theme.focus}; }}"
            f" QTableView::item {{ padding: 0 {px(8)}px; }}"
        )
        self.table.verticalHeader().setDefaultSectionSize(px(26))

    def _fit(self, look: Look) -> None:
        """Make columns and window as wide as what they hold, in the font that they are going to have."""
        for widget in (self, self.table, self.table.horizontalHeader()):
            widget.ensurePolished()
        px, header, metrics = look.px, self.table.horizontalHeader(), QFontMetricsF(self.table.font())
        for column in range(header.count()):
            widest = max((metrics.horizontalAdvance(text) for text in self.model.widest(column)), default=0.0)
            header.resizeSection(column, max(math.ceil(widest) + px(26), header.sectionSizeHint(column)))
        width, height = self.table.horizontalHeader().length() + px(60), px(140 + 26 * len(self._rows))
        self.resize(min(max(width, px(360)), px(1000), self._most), min(height, px(560)))

    def copy(self) -> None:
        """Put the table on the clipboard."""
        QGuiApplication.clipboard().setText(as_csv(self._header, self._rows))
