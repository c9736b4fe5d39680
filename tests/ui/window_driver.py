"""A hand and an eye for the window on any page: real events go in, the state and what is said come out."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget

from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.window.window import MainWindow

TAKEN = ["Copy picture", "Copy numbers", "Export…", "Copy as Python", "Code in NumPy…"]
"""What of a picture can be taken away."""


def copied_numbers(page) -> str:
    """Have a page copy its numbers, and return what is on the clipboard when that is done."""
    page.copy_numbers()
    assert page.copier.jobs.wait(60)
    return QGuiApplication.clipboard().text()


def drop(window, *urls: QUrl, text: str = "") -> bool:
    """Drag something onto the window and let go; return whether it is welcome."""
    data = QMimeData()
    if urls:
        data.setUrls(list(urls))
    if text:
        data.setText(text)
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(400, 300), copy, data, left, none)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(400, 300), copy, data, left, none))
    QApplication.processEvents()
    return enter.isAccepted()


def window_on(page: str, settings: Path) -> MainWindow:
    """Return a window on a page as it is first shown, light and 1280 × 800; it keeps its settings in a file."""
    window = MainWindow(Session(), SettingsStore(settings), Settings(theme=ThemeChoice.LIGHT, page=page))
    window.resize(1280, 800)
    window.show()
    QTest.qWaitForWindowExposed(window)
    return window


NO_MODIFIER = Qt.KeyboardModifier.NoModifier


class WindowDriver:
    """The window, with a hand on its mouse and its keys, and an eye on its status bar."""

    between_keys = 0.0
    """Seconds that pass before a key is pressed: quick ones may be one undo step."""

    def __init__(self, window, hand) -> None:
        self.window = window
        self._hand = hand
        self.time = 0.0
        # Whether two key presses are one undo step must not depend on how busy the machine is.
        window.session._clock = lambda: self.time

    def acted(self) -> None:
        """Whatever is to be done after each thing that the hand did: nothing, as a rule."""

    # ---- What there is ----

    @property
    def page(self):
        return self.window.page

    @property
    def canvas(self):
        """The large picture of the page."""
        return self.page.canvas

    @property
    def steps(self) -> int:
        return len(self.window.session.history)

    @property
    def undo_text(self) -> str:
        return self.window.session.undo_text

    @property
    def looks(self) -> int:
        """How many steps of the view there are."""
        return len(self.window.session.views)

    @property
    def back_text(self) -> str:
        return self.window.session.back_text

    @property
    def said(self) -> str:
        return self.window._readout.text()

    @property
    def told(self) -> str:
        return self.window.statusBar().currentMessage()

    def shown_title(self) -> str:
        return self.page.title.text()

    # ---- The hand ----

    def undo(self) -> None:
        self.window.session.undo()
        self.acted()

    def back(self) -> None:
        self.window.session.go_back()
        self.acted()

    def hand(self, widget: QWidget | None = None):
        return self._hand(self.canvas if widget is None else widget)

    def click(self, place: QPointF, widget: QWidget | None = None, modifiers=NO_MODIFIER) -> None:
        mouse = self.hand(widget)
        mouse.press(place, modifiers=modifiers)
        mouse.release(modifiers=modifiers)
        self.acted()

    def press(self, button: QWidget) -> None:
        """Click the middle of a button, after seeing that it can be clicked."""
        assert button.isVisible()
        assert button.isEnabled()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())
        self.acted()

    def key(self, key: Qt.Key, modifiers=NO_MODIFIER, widget: QWidget | None = None) -> None:
        self.time += self.between_keys
        QTest.keyClick(self.canvas if widget is None else widget, key, modifiers)
        self.acted()

    def type_into(self, field: QWidget, text: str) -> None:
        """Replace what a field says, letter by letter, and confirm."""
        assert field.isVisible()
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        self.acted()

    def paste_into(self, field: QWidget, text: str) -> None:
        """Replace what a field says by what is on the clipboard: letters that no key of the test's keyboard has."""
        QApplication.clipboard().setText(text)
        field.setFocus()
        field.selectAll()
        QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    def choose(self, combo: QComboBox, value: object) -> None:
        """Open a combo box by the keyboard, walk to an entry and take it."""
        assert combo.isVisible()
        assert combo.isEnabled()
        row = combo._values.index(value)
        QTest.keyClick(combo, Qt.Key.Key_Space)
        QTest.keyClick(combo.view(), Qt.Key.Key_Home)
        for _ in range(row):
            if combo.view().currentIndex().row() < row:  # what is disabled is stepped over
                QTest.keyClick(combo.view(), Qt.Key.Key_Down)
        assert combo.view().currentIndex().row() == row
        QTest.keyClick(combo.view(), Qt.Key.Key_Return)
        assert not combo.view().isVisible()
        self.window.activateWindow()  # as any platform does by itself when a popup closes, save the off-screen one
        QApplication.processEvents()
        self.acted()

    def wheel(self, place: QPointF, angle: int, widget: QWidget | None = None) -> None:
        widget = self.canvas if widget is None else widget
        event = QWheelEvent(
            place,
            widget.mapToGlobal(place),
            QPoint(0, 0),
            QPoint(0, angle),
            Qt.MouseButton.NoButton,
            NO_MODIFIER,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget, event)
