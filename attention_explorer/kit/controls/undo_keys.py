"""Ctrl+Z in a field takes back the last change of the window: what a person does has one history, not one a field.

Esc in a field gives up what is typed there, before it means anything to the window.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget


class UndoKeys(QObject):
    """Keeps a field from taking the keys of undo and redo for itself.

    What is typed and not yet part of the state is no step of the history: the field gives that up first, and by Esc.
    """

    def __init__(self, field: QWidget, give_up: Callable[[], bool]) -> None:
        """Watch over ``field``; ``give_up`` shows the state again and returns whether anything else was shown."""
        super().__init__(field)
        self._give_up = give_up
        self._has_escaped = False
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            return False
        if not isinstance(event, QKeyEvent):
            return False
        if event.key() == Qt.Key.Key_Escape:
            return self._escapes(event)
        if not _is_of_history(event):
            return False
        if event.type() is QEvent.Type.KeyPress:
            return True  # nothing is left to take back: no shortcut was there to take the key
        event.setAccepted(self._give_up())  # else it is the shortcut of the window
        return True

    def _escapes(self, event: QKeyEvent) -> bool:
        """Take Esc if there is something to give up, which is asked before the shortcuts of the window are."""
        if event.type() is QEvent.Type.ShortcutOverride:
            self._has_escaped = self._give_up()
            event.setAccepted(self._has_escaped)
            return True
        escaped, self._has_escaped = self._has_escaped, False
        return escaped


def _is_of_history(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
