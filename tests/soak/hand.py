"""A hand on mouse and keyboard that acts on windows as the system does, not on widgets.

What is pressed goes to whatever lies under the pointer, popups and dialogs get what is theirs, and keys go through
shortcuts to whoever has the keyboard: the way of a real event from the system's queue on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QInputMethodEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

Turn: TypeAlias = Callable[[Callable[[], object]], None]
"""Does one thing and then handles what it has led to."""

Button: TypeAlias = Qt.MouseButton
Keys: TypeAlias = Qt.KeyboardModifier

NO_KEY = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton
PRESS, RELEASE = QTest.KeyAction.Press, QTest.KeyAction.Release


class WindowHand:
    """Presses, moves, turns and types. Every single event is followed by a turn of the event loop."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    # ---- The mouse, at places of a widget ----

    def move(self, widget: QWidget, at: QPoint) -> None:
        """Move the pointer."""
        self._at_window(widget, at, QTest.mouseMove)

    def press(self, widget: QWidget, at: QPoint, button: Button = LEFT, keys: Keys = NO_KEY) -> None:
        """Press a button there."""
        self._at_window(widget, at, lambda window, place: QTest.mousePress(window, button, keys, place))

    def release(self, widget: QWidget, at: QPoint, button: Button = LEFT, keys: Keys = NO_KEY) -> None:
        """Let a button go there."""
        self._at_window(widget, at, lambda window, place: QTest.mouseRelease(window, button, keys, place))

    def click(self, widget: QWidget, at: QPoint, button: Button = LEFT, keys: Keys = NO_KEY) -> None:
        """Point, press and let go."""
        self.move(widget, at)
        self.press(widget, at, button, keys)
        self.release(widget, at, button, keys)

    def double_click(self, widget: QWidget, at: QPoint) -> None:
        """Click twice, quickly."""
        self._at_window(widget, at, lambda window, place: QTest.mouseDClick(window, LEFT, NO_KEY, place))

    def wheel(self, widget: QWidget, at: QPoint, notches: float, keys: Keys = NO_KEY) -> None:
        """Turn the wheel; positive is away from the hand."""
        angle = QPoint(0, round(120 * notches))
        self._at_window(
            widget, at, lambda window, place: QTest.wheelEvent(window, QPointF(place), angle, QPoint(), keys)
        )

    def _at_window(self, widget: QWidget, at: QPoint, act: Callable[[QWindow, QPoint], object]) -> None:
        top = widget.window()
        window = top.windowHandle()
        if window is None or not top.isVisible():
            return  # closed by what was done before
        place = widget.mapTo(top, at)
        inside = QRect(QPoint(0, 0), window.size())
        # A drag may leave the window, of which the test library warns. A real mouse is held by the edge of the screen.
        held = QPoint(
            min(max(place.x(), inside.left()), inside.right()), min(max(place.y(), inside.top()), inside.bottom())
        )
        self._turn(lambda: act(window, held))

    # ---- The keyboard ----

    def key(self, key: Qt.Key, keys: Keys = NO_KEY) -> None:
        """Press a key and let it go; each goes to whoever has the keyboard by then: a dialog may be gone meanwhile.

        It is let go without the modifiers: QTest would let go of them too, in a window that the key may have closed.
        Alt is pressed first, for it closes a menu, and QTest would press the key in what is left of that.
        """
        window = self._keyboard_window()
        if window is not None and keys & Qt.KeyboardModifier.AltModifier:
            self._turn(partial(QTest.sendKeyEvent, PRESS, window, Qt.Key.Key_Alt, "", NO_KEY))
            window = self._keyboard_window()
        if window is not None:
            self._turn(lambda: QTest.keyPress(window, key, keys))
        last = self._keyboard_window()
        if last is not None:
            self._turn(lambda: QTest.keyRelease(last, key, NO_KEY))

    def write(self, text: str) -> None:
        """Type a text: what has a key as keys, the rest as an input method hands it over."""
        for letter in text:
            window = self._keyboard_window()
            if window is None:
                return
            if letter.isascii() and letter.isprintable():
                key = Qt.Key(ord(letter.upper()))
                self._turn(partial(QTest.sendKeyEvent, PRESS, window, key, letter, NO_KEY))
                window = self._keyboard_window()
                if window is not None:
                    self._turn(partial(QTest.sendKeyEvent, RELEASE, window, key, letter, NO_KEY))
            else:
                self._commit(letter)

    def _commit(self, text: str) -> None:
        target = QGuiApplication.focusObject()
        if target is None:
            return
        event = QInputMethodEvent()
        event.setCommitString(text)
        self._turn(lambda: QApplication.sendEvent(target, event))

    def paste(self, text: str) -> None:
        """Press Ctrl+V with a text on the clipboard."""
        QGuiApplication.clipboard().setText(text)
        self.key(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    def _keyboard_window(self) -> QWindow | None:
        popup = QApplication.activePopupWidget()
        window = popup.windowHandle() if popup is not None else QGuiApplication.focusWindow()
        return window if window is not None and window.isVisible() else None

    # ---- Drag and drop ----

    def drop(self, window: QWidget, at: QPoint, data: QMimeData) -> None:
        """Drag something from another program onto a window and let it go."""
        copy, button = Qt.DropAction.CopyAction, LEFT
        enter = QDragEnterEvent(at, copy, data, button, NO_KEY)
        self._turn(lambda: QApplication.sendEvent(window, enter))
        if enter.isAccepted():
            self._turn(lambda: QApplication.sendEvent(window, QDropEvent(QPointF(at), copy, data, button, NO_KEY)))
