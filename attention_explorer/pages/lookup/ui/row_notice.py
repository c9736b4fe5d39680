"""What stands in place of the Lookup page while the row of a head is computed, or cannot be."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.kit.accessible import announce
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.head_row import HeadRow
from attention_explorer.session.requests import Requests, Standing

WIDEST = 520
"""Pixels at zoom 1 of the sentence."""


class RowNotice(QWidget):
    """Says how it stands with a row: it is computed, somebody has stopped that, or why it is impossible."""

    def __init__(self, requests: Requests[HeadRow], look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._requests = requests
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)  # a reason may quote what was typed
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.go_on = QPushButton()
        self.go_on.clicked.connect(self._on_pressed)
        self.leave = QPushButton("Ready-made lookup")
        self.leave.setToolTip("Show the first ready-made lookup instead; Undo brings the row back")
        self._row = QHBoxLayout()
        self._row.addStretch(1)
        self._row.addWidget(self.go_on)
        self._row.addWidget(self.leave)
        self._row.addStretch(1)
        column = QVBoxLayout(self)
        column.addStretch(1)
        column.addWidget(self.words, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addLayout(self._row)
        column.addStretch(1)
        self.set_look(look)
        self.hide()

    def set_look(self, look: Look) -> None:
        """Wear another size."""
        self._row.setSpacing(look.px(8))
        self.words.setFixedWidth(look.px(WIDEST))

    def show_standing(self, row: HeadRow) -> None:
        """Say how it stands with this row."""
        standing = self._requests.standing
        name = f"row {row.count.number(row.row)} of {row.count.place(row.layer, row.head)}"
        words = {
            Standing.STOPPED: f"Stopped: {name} is not computed.",
            Standing.REFUSED: self._requests.reason,
        }.get(standing, f"Computing {name} …")
        if words != self.words.text():
            self.words.setText(words)
            announce(self, words)
        self.go_on.setVisible(standing is not Standing.REFUSED)
        self.go_on.setText("Compute" if standing is Standing.STOPPED else "Cancel")

    def _on_pressed(self) -> None:
        if not self._requests.stop():
            self._requests.resume()
