"""A box with rounded corners that holds what belongs together."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from attention_explorer.kit.controls.made import words
from attention_explorer.kit.theme import Look


class Card(QFrame):
    """A titled box; more widgets go into ``body``, ``note`` is what stands at the right of the title."""

    def __init__(self, look: Look, title: str = "", kind: str = "card", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(kind)
        self.body = QVBoxLayout(self)
        self.head = QHBoxLayout()
        if title:
            self.note = words("", "muted")
            self.head.addWidget(words(title, "cardTitle"))
            self.head.addStretch(1)
            self.head.addWidget(self.note)
            self.body.addLayout(self.head)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Take another size."""
        self.be_filled(look, filled=False)
        self.body.setSpacing(look.px(5))
        self.head.setSpacing(look.px(6))

    def be_filled(self, look: Look, *, filled: bool) -> None:
        """Let what is in it go from edge to edge, or stand inside; asked for again it lays out nothing anew."""
        across, along = (1, 1) if filled else (look.px(12), look.px(9))
        self.body.setContentsMargins(across, along, across, along)
