"""A line for a sentence that is used letter by letter."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from attention_explorer.sources.tokens import tokens_of


class SentenceField(QLineEdit):
    """Takes a sentence as it is typed. Without a word it is not used, but stays while the line has the keyboard.

    Signals
    -------
    typed : str
        Another sentence is wanted.
    emptied
        There is no word in the line.
    """

    typed = Signal(str)
    emptied = Signal()

    def __init__(self, name: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.textEdited.connect(self._on_edited)

    def show_sentence(self, sentence: str) -> None:
        """Show the sentence in use, also after an undo while the line has the keyboard."""
        is_used = bool(tokens_of(self.text())) or not self.hasFocus()
        if is_used and sentence != self.text():
            self.setText(sentence)

    def _on_edited(self, text: str) -> None:
        if tokens_of(text):
            self.typed.emit(text)
        else:
            self.emptied.emit()
