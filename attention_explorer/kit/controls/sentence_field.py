"""A line for a sentence that is used letter by letter."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from attention_explorer.kit.controls.long_text import LongText
from attention_explorer.kit.controls.undo_keys import UndoKeys
from attention_explorer.sources.tokens import tokens_in

NOTHING = "Type at least one word: there is nothing to attend to yet."

STILL_TYPING = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
"""A menu or another window takes the keyboard for a while: the cursor and what is selected stay."""


class SentenceField(QLineEdit):
    """Takes a sentence as it is typed. Without a word it is not used, but stays while the line has the keyboard.

    Where there is no room for all of it, its beginning is seen, and its end while it is typed.

    Signals
    -------
    typed : str
        Another sentence is wanted.
    refused : str
        Why it cannot be used, or not as a whole.
    """

    typed = Signal(str)
    refused = Signal(str)

    def __init__(
        self, name: str, tip: str, in_use: Callable[[], str], nothing: str = NOTHING, parent: QWidget | None = None
    ) -> None:
        """``in_use`` returns the sentence of the state; ``nothing`` is said where there is no word in the line."""
        super().__init__(parent)
        self._in_use, self._nothing = in_use, nothing
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.textEdited.connect(self._on_edited)
        self.editingFinished.connect(self._give_up)
        UndoKeys(self, self._give_up)
        LongText(self, self.refused.emit)

    def show_sentence(self, sentence: str) -> None:
        """Show the sentence in use, also after an undo while the line has the keyboard."""
        is_used = bool(tokens_in(self.text())) or not self.hasFocus()
        if is_used and sentence != self.text():
            self.setText(sentence)
            if not self.hasFocus():
                self.home(False)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.cursorPosition() == 0 and event.reason() != Qt.FocusReason.MouseFocusReason:
            self.end(self.hasSelectedText())  # a sentence is gone on with

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in STILL_TYPING:
            self.home(False)

    def _give_up(self) -> bool:
        """Show the sentence in use again where that in the line was refused; return whether it was."""
        if tokens_in(self.text()):
            return False
        self.setText(self._in_use())
        return True

    def _on_edited(self, text: str) -> None:
        if tokens_in(text):
            self.typed.emit(text)
        else:
            self.refused.emit(self._nothing)
