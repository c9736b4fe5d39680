"""Ctrl+Z in a field takes back the last change of the window: what a person does has one history, not one a field."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget


class UndoKeys(QObject):
    """Keeps a field from taking the keys of undo and redo for itself.

    What is typed and not yet part of the state is no step of the history: the field gives that up first.
    """

    def __init__(self, field: QWidget, give_up: Callable[[], bool]) -> None:
        """Watch over ``field``; ``give_up`` shows the state again and returns whether anything else was shown."""
        super().__init__(field)
        self._give_up = give_up
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            return False
        if not isinstance(event, QKeyEvent) or not _is_of_history(event):
            return False
        if event.type() is QEvent.Type.KeyPress:
            return True  # nothing is left to take back: no shortcut was there to take the key
        event.setAccepted(self._give_up())  # else it is the shortcut of the window
        return True


def _is_of_history(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
