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

from attention_explorer.numerals import aligned, exact
from attention_explorer.state.numbers_files import as_csv
from attention_explorer.ui.theme import Look


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
        self.table = QTableWidget(len(rows), len(header))
        self.table.setAccessibleName(title)
        self.table.setTabKeyNavigation(False)  # arrow keys walk the cells; Tab goes on to the buttons
        self.table.setHorizontalHeaderLabels(list(header))
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        for column, cells in enumerate(zip(*rows, strict=True)):
            texts = iter(aligned(cell for cell in cells if isinstance(cell, float)))
            for row, cell in enumerate(cells):
                item = _item(cell, next(texts)) if isinstance(cell, float) else _item(cell, str(cell))
                self.table.setItem(row, column, item)
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
        self.table.resizeColumnsToContents()
        px = look.px
        width, height = self.table.horizontalHeader().length() + px(60), px(140 + 26 * len(self._rows))
        self.resize(min(max(width, px(360)), px(1000), self._most), min(height, px(560)))

    def copy(self) -> None:
        """Put the table on the clipboard."""
        QGuiApplication.clipboard().setText(as_csv(self._header, self._rows))


def _item(cell: object, text: str) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    if isinstance(cell, float):
        item.setToolTip(exact(cell))
    if not isinstance(cell, str):
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return item
