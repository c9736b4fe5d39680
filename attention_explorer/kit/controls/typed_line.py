"""A line that is read when Enter is pressed or the keyboard goes elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from attention_explorer.kit.controls.undo_keys import UndoKeys


class TypedLine(QLineEdit):
    """Shows what is in use, save while something else is being typed.

    Signals
    -------
    typed : str
        What was typed. Whoever hears of it uses it or says why not; then what is in use is shown again.
    """

    typed = Signal(str)

    def __init__(self, name: str, tip: str, in_use: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._in_use = in_use
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.editingFinished.connect(self._on_finished)
        UndoKeys(self, self._give_up)

    def show_text(self) -> None:
        """Show what is in use, unless something else is being typed."""
        if not (self.hasFocus() and self.isModified()) and self.text() != self._in_use():
            self.setText(self._in_use())
            self.setCursorPosition(0)

    def _give_up(self) -> bool:
        is_typing = self.isModified() and self.text() != self._in_use()
        self.setModified(False)
        self.show_text()
        return is_typing

    def _on_finished(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.typed.emit(self.text())
            self.show_text()
