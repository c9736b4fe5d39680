"""Says what is left out of a sentence that is longer than the program takes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit

from attention_explorer.session.later import later
from attention_explorer.sources.tokens import MOST_TOKENS, has_more_tokens


class LongText(QObject):
    """Watches over a line for a sentence: nothing that is pasted is left out in silence."""

    def __init__(self, field: QLineEdit, say: Callable[[str], object]) -> None:
        super().__init__(field)
        self._field, self._say = field, say
        self._was_cut = False
        field.inputRejected.connect(self._on_cut)
        field.textEdited.connect(self._on_edited)

    def _on_cut(self) -> None:
        # Qt says so while the text is put in; what is said now would give way to the change that follows.
        self._was_cut = True
        later(self, self._tell)

    def _on_edited(self, text: str) -> None:
        if len(text) > MOST_TOKENS and has_more_tokens(text):
            later(self, self._tell)

    def _tell(self) -> None:
        if has_more_tokens(self._field.text()):
            self._say(f"The sentence is too long: what comes after its first {MOST_TOKENS} tokens is left out.")
        elif self._was_cut:
            most = self._field.maxLength()
            self._say(f"The text is too long: what comes after its first {most} characters is left out.")
        self._was_cut = False
