"""A table of exact numbers in a window of its own, to read and to copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.state.heads_reading import as_csv
from attention_explorer.state.numerals import full
from attention_explorer.ui.theme import Look


class NumbersDialog(QDialog):
    """Shows rows of words and numbers, every digit of them; Ctrl+C copies the whole as CSV."""

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
        words = QLabel(note)
        words.setWordWrap(True)
        self.table = QTableWidget(len(rows), len(header))
        self.table.setAccessibleName(title)
        self.table.setHorizontalHeaderLabels(list(header))
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                self.table.setItem(row, column, _item(cell))
        self.table.resizeColumnsToContents()
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
        width = self.table.horizontalHeader().length() + look.px(60)
        self.resize(min(max(width, look.px(360)), look.px(860)), min(look.px(150 + 30 * len(rows)), look.px(560)))

    def copy(self) -> None:
        """Put the table on the clipboard."""
        QGuiApplication.clipboard().setText(as_csv(self._header, self._rows))


def _item(cell: object) -> QTableWidgetItem:
    item = QTableWidgetItem(full(cell) if isinstance(cell, float) else str(cell))
    if not isinstance(cell, str):
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return item
