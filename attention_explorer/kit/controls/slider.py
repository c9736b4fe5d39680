"""A slider that comes to where it is pressed, and whose drag belongs to the session."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QSlider, QStyle, QStyleOptionSlider, QWidget

from attention_explorer.session.session import StateSession


class Slider(QSlider):
    """A horizontal slider whose knob, when it is pressed beside it, comes under the pointer and follows it from there.

    Qt's own goes a page on and then stays where it is. Its styles have a hint that lets the knob come, but that moves
    it before it is held: it would be a change of its own, with a step of its own to undo.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_SliderHandle
        knob = self.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, self)
        if event.button() is not Qt.MouseButton.LeftButton or knob.contains(event.position().toPoint()):
            super().mousePressEvent(event)
            return
        middle = QPointF(knob.center())
        there = self.mapToGlobal(middle)
        super().mousePressEvent(
            QMouseEvent(event.type(), middle, there, event.button(), event.buttons(), event.modifiers())
        )
        self.mouseMoveEvent(event)


class SliderDrag(QObject):
    """Watches over a slider that previews while it is held.

    A dialog that is opened by its keys in the middle of a drag gets the release of the button. Without this the slider
    would follow the pointer ever after, and the preview never become part of the history.
    """

    def __init__(self, slider: QSlider, session: StateSession[Any]) -> None:
        super().__init__(slider)
        self._slider, self._session = slider, session
        slider.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self._slider.isSliderDown():
            return False
        if isinstance(event, QKeyEvent):
            if event.type() is QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
                self._session.revert()
            return True  # arrows would be steps within the drag
        if event.type() is QEvent.Type.FocusOut:
            self._session.revert()
            self._let_go()
        return False

    def _let_go(self) -> None:
        place, left = QPointF(self._slider.rect().center()), Qt.MouseButton.LeftButton
        release = QMouseEvent(
            QEvent.Type.MouseButtonRelease,
            place,
            self._slider.mapToGlobal(place),
            left,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(self._slider, release)
