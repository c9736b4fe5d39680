"""A slider that comes to where it is pressed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QWidget


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
