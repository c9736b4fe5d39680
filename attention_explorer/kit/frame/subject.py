"""The subject of a page: a sentence as its tokens, edited where it stands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QStackedLayout, QWidget

from attention_explorer.kit.controls.made import in_row
from attention_explorer.kit.controls.sentence_field import SentenceField
from attention_explorer.kit.frame.token_line import LARGEST, TokenLine, Tokens
from attention_explorer.kit.theme import Look


class SubjectLine(QWidget):
    """A sentence: its tokens, or the line it is typed in, in the same place.

    Signals
    -------
    typed, refused : str
        As `SentenceField` says.
    typing_ended
        The line is left.
    """

    typed = Signal(str)
    refused = Signal(str)
    typing_ended = Signal()

    def __init__(
        self, name: str, tip: str, in_use: Callable[[], str], look: Look, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.line = TokenLine(name, look)
        self.field = SentenceField(name, tip, in_use)
        self._stack = QStackedLayout()
        # Before it has widgets: it shows the first, which would be a window of its own.
        in_row(self._stack, within=self)
        self._stack.addWidget(self.line)
        self._stack.addWidget(self.field)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.field.typed.connect(self.typed)
        self.field.refused.connect(self.refused)
        self.field.editingFinished.connect(self._end)
        self.line.edit_wanted.connect(self.edit)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.line.set_look(look)
        self.field.setFont(look.font(LARGEST - 4))
        self.setFixedHeight(self.line.high)

    @property
    def is_typed(self) -> bool:
        """Whether the sentence is being typed."""
        return self._stack.currentWidget() is self.field

    def show_sentence(self, sentence: str, tokens: Tokens) -> None:
        """Show a sentence and its tokens."""
        self.field.show_sentence(sentence)
        self.line.show_tokens(tokens)
        self.setFixedHeight(self.line.high)

    def edit(self, word: str = "") -> None:
        """Have the sentence typed; a word of it is selected, if one is given."""
        self._stack.setCurrentWidget(self.field)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        at = self.field.text().find(word) if word else -1
        if at >= 0:
            self.field.setSelection(at, len(word))
        else:
            self.field.end(False)

    def _end(self) -> None:
        """Show the tokens again: Enter was pressed, or the keyboard went elsewhere."""
        if not self.is_typed:
            return
        had_keyboard = self.field.hasFocus()
        self._stack.setCurrentWidget(self.line)
        if had_keyboard:
            self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.typing_ended.emit()
