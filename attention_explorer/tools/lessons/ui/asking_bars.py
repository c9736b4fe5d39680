"""Bars that are dragged: one for each number, with the truth beside the guess once it is told."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider

from attention_explorer.core.numerals import coordinate
from attention_explorer.kit.controls.made import in_column
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.answers import Given, Right
from attention_explorer.tools.lessons.ui.asking import Asked, Asking, AskingLine

STOPS = 100
"""From one end of a bar to the other: a hundredth of a weight."""


class Bar(QSlider):
    """A slider that is a bar: its end is dragged, or set with the arrow keys."""

    def __init__(self, name: str, look: Look) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(0, STOPS)
        self.setPageStep(STOPS // 10)
        self.setAccessibleName(name)
        self.truth: float | None = None
        """Where the true end is, from 0 to 1; None while nobody may know."""
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.setFixedHeight(look.px(22))
        self.setMinimumWidth(look.px(120))
        self.setMaximumWidth(look.px(420))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, px = self._look.theme, self._look.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(self.rect()).adjusted(px(3), px(4), -px(3), -px(4))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.track))
        painter.drawRoundedRect(room, px(3), px(3))
        painter.setBrush(QColor(theme.key))
        end = room.width() * self.value() / STOPS
        painter.drawRoundedRect(QRectF(room.left(), room.top(), end, room.height()), px(3), px(3))
        if self.truth is not None:
            painter.setPen(QPen(QColor(theme.text), px(3)))
            x = room.left() + room.width() * min(max(self.truth, 0.0), 1.0)
            painter.drawLine(round(x), 0, round(x), self.height())
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.focus), px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), px(4), px(4))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _follow(self, event: QMouseEvent) -> None:
        inset = self._look.px(3)
        self.setValue(round((event.position().x() - inset) / max(self.width() - 2 * inset, 1) * STOPS))
        event.accept()


class Bars(Asking):
    """Takes a row of numbers, each the length of a bar."""

    def __init__(self, asked: Asked, look: Look) -> None:
        super().__init__()
        self._low, self._high, self._within = asked.answer.low, asked.answer.high, asked.answer.within
        self.bars: tuple[Bar, ...] = tuple(Bar(name, look) for name in asked.offer.labels)
        self._numbers = tuple(QLabel() for _ in self.bars)
        grid = QGridLayout()
        grid.setVerticalSpacing(0)
        for row, (name, bar, number) in enumerate(zip(asked.offer.labels, self.bars, self._numbers, strict=True)):
            for column, widget in enumerate((QLabel(name), bar, number)):
                grid.addWidget(widget, row, column)
            bar.valueChanged.connect(self._show)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        self._line = AskingLine(asked)
        self._line.check.clicked.connect(lambda: self.given.emit(self._given()))
        in_column(grid, self._line, within=self)
        self.set_look(look)
        self._show()

    def set_look(self, look: Look) -> None:
        for bar, number in zip(self.bars, self._numbers, strict=True):
            bar.set_look(look)
            number.setMinimumWidth(look.px(150))

    def first(self) -> Bar:
        return self.bars[0]

    def show_truth(self, given: Given | None, truth: Right) -> None:
        self._line.check.hide()
        if not isinstance(truth, Sequence) or isinstance(truth, str):
            return
        for bar, label, number in zip(self.bars, self._numbers, truth, strict=True):
            bar.truth = (number - self._low) / (self._high - self._low)
            bar.setEnabled(False)
            guess = "" if given is None else f"you: {self._number(bar)}, "
            label.setText(f"{guess}truth: {coordinate(number, 3)}")
            bar.setAccessibleDescription(label.text())
            bar.update()

    def _given(self) -> tuple[float, ...]:
        return tuple(self._low + bar.value() / STOPS * (self._high - self._low) for bar in self.bars)

    def _show(self) -> None:
        for bar, label in zip(self.bars, self._numbers, strict=True):
            label.setText(self._number(bar))
            bar.setAccessibleDescription(label.text())

    def _number(self, bar: Bar) -> str:
        return coordinate(self._low + bar.value() / STOPS * (self._high - self._low), 3)
