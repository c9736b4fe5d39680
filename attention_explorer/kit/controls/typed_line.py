"""A line that is read when Enter is pressed or the keyboard goes elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QToolTip, QWidget

from attention_explorer.kit.controls.number_box import REFUSED
from attention_explorer.kit.controls.undo_keys import UndoKeys


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
