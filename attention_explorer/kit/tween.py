"""Numbers on their way: a picture goes from what is on show to what was chosen, so that the eye can follow."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QAbstractAnimation, QEasingCurve, QObject, QVariantAnimation, Signal
from PySide6.QtWidgets import QStyle, QWidget

from attention_explorer.core.map_picture import FloatArray

MILLISECONDS = 220
"""How long that takes; with 0, nothing is ever on its way."""


class Tween(QObject):
    """An array that is drawn, on its way to another one.

    It follows a choice, such as another head; never a drag, for the hand would have to wait, and never time. A new
    choice begins where the picture is. It obeys the system where that wants nothing to move.

    Signals
    -------
    moved
        `now` is another array.
    """

    moved = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._start: FloatArray = np.zeros(0)
        self._end: FloatArray = self._start
        self._clock = QVariantAnimation(self)
        self._clock.setStartValue(0.0)
        self._clock.setEndValue(1.0)
        self._clock.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._clock.valueChanged.connect(self.moved)
        self._clock.finished.connect(self.moved)

    @property
    def is_under_way(self) -> bool:
        """Whether `now` is not yet what was asked for."""
        return self._clock.state() is QAbstractAnimation.State.Running

    @property
    def now(self) -> FloatArray:
        """What is to be drawn."""
        if not self.is_under_way:
            return self._end
        return self._start + float(self._clock.currentValue()) * (self._end - self._start)

    def go(self, end: FloatArray, *, follows: bool) -> None:
        """Show another array: at once, unless it ``follows`` what is on show and has its shape.

        Where there was no number before, the new one is there at once.
        """
        start = self.now
        self._clock.stop()
        self._start = self._end = end
        if follows and start.shape == end.shape and self._may_move():
            self._start = np.where(np.isfinite(start), start, end)
            if not np.array_equal(self._start, end, equal_nan=True):
                self._clock.setDuration(MILLISECONDS)
                self._clock.start()

    def _may_move(self) -> bool:
        hint = self._widget.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self._widget)
        return MILLISECONDS > 0 and hint > 0 and self._widget.isVisible()
