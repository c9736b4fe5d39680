"""A field for a sentence, and the words that are offered while it is typed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QToolTip, QWidget

from attention_explorer.kit.controls.number_box import REFUSED, UndoKeys
from attention_explorer.session.later import later
from attention_explorer.sources.tokens import MOST_TOKENS, has_more_tokens, tokens_in


class WordCompleter(QCompleter):
    """Offers words for the last one of a line; what stands before it stays."""

    def __init__(self, line: QLineEdit) -> None:
        super().__init__(line)
        self._line = line
        self.known: tuple[str, ...] = ()
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def splitPath(self, path: str) -> list[str]:
        return [path.rpartition(" ")[2]]

    def pathFromIndex(self, index: object) -> str:
        before, gap, _ = self._line.text().rpartition(" ")
        return f"{before}{gap}{super().pathFromIndex(index)}"  # type: ignore[arg-type]

    def offer(self, known: tuple[str, ...]) -> None:
        """Offer these words from now on."""
        if known != self.known:
            from PySide6.QtCore import QStringListModel

            self.known = known
            self.setModel(QStringListModel(list(known), self))


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


class TypedLine(QLineEdit):
    """Shows what is in use, save while something else is being typed, or stands there and was refused.

    That is marked, with the reason in its tip, until it is mended or given up by Esc.

    Signals
    -------
    typed : str
        What was typed. Whoever hears of it uses it, or calls `refuse`.
    """

    typed = Signal(str)

    def __init__(self, name: str, tip: str, in_use: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._in_use, self._tip = in_use, tip
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.editingFinished.connect(self._on_finished)
        self.textEdited.connect(lambda _text: self.refuse(""))
        UndoKeys(self, self._give_up)

    def show_text(self) -> None:
        """Show what is in use, unless something else is being typed."""
        is_typing = self.hasFocus() and self.isModified()
        if not (is_typing or self.property(REFUSED)) and self.text() != self._in_use():
            self.setText(self._in_use())
            self.setCursorPosition(0)

    def refuse(self, reason: str) -> None:
        """Keep what was typed, marked, and say why it cannot be used; or unmark it, if there is no reason."""
        self.setToolTip("\n".join(filter(None, (reason, self._tip))))
        self.setAccessibleDescription(reason)
        if bool(reason) != bool(self.property(REFUSED)):
            self.setProperty(REFUSED, bool(reason))
            self.style().unpolish(self)
            self.style().polish(self)
        if reason and self.isVisible() and self.window().isActiveWindow():
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), reason, self)

    def _give_up(self) -> bool:
        is_typing = (self.isModified() or bool(self.property(REFUSED))) and self.text() != self._in_use()
        self.setModified(False)
        self.refuse("")
        self.show_text()
        return is_typing

    def _on_finished(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.typed.emit(self.text())
            self.show_text()
