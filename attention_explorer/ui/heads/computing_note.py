"""A small note beside a title: how far the numbers of the next picture are, and a button that stops them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from attention_explorer.ui.drawing.marks import colour_of
from attention_explorer.ui.theme import Look

APPEARS_AFTER_MILLISECONDS = 300
"""What is done sooner is not announced: a note that comes and goes with every letter typed would blink."""


class ComputingNote(QFrame):
    """Lies over the right end of another widget while something is computed that takes its time; no layout moves.

    Signals
    -------
    cancel_wanted
        The button was pressed while something was computed.
    again_wanted
        It was pressed afterwards: what was stopped is wanted after all.
    """

    cancel_wanted = Signal()
    again_wanted = Signal()

    def __init__(self, look: Look, over: QWidget) -> None:
        super().__init__(over.parentWidget())
        self._look, self._over = look, over
        self._is_busy, self._fraction = False, 0.0
        self.setObjectName("note")
        self.setAccessibleName("Computing")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.words = QLabel()
        self.button = QPushButton()
        self.button.clicked.connect(self._on_pressed)
        self._row = QHBoxLayout(self)
        for part in (self.words, self.button):
            self._row.addWidget(part)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(APPEARS_AFTER_MILLISECONDS)
        self._delay.timeout.connect(self._appear)
        over.installEventFilter(self)
        self.set_look(look)
        self.hide()

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._row.setContentsMargins(look.px(9), look.px(2), look.px(2), look.px(2))
        self._row.setSpacing(look.px(8))
        self._place()

    def show_busy(self) -> None:
        """Say that something is computed from now on, if it takes its time."""
        self._is_busy = True
        self._fraction = 0.0
        self._say("computing …", "Cancel", "Stop computing (Esc); what is shown stays")
        if self.isHidden():
            self._delay.start()

    def show_fraction(self, fraction: float) -> None:
        """Say that so much of it is done, 0…1."""
        if self._is_busy:
            self._fraction = fraction
            self.words.setText(f"computing … {fraction:.0%}")
            self.update()

    def show_done(self) -> None:
        """Go away: there is nothing to wait for any more."""
        self._is_busy = False
        self._delay.stop()
        self.hide()

    def show_stopped(self) -> None:
        """Say that it was stopped: what is shown is not what is set."""
        self._is_busy = False
        self._delay.stop()
        self._say("stopped", "Compute", "Compute what is set after all")
        self._appear()

    def _say(self, words: str, button: str, tip: str) -> None:
        self.words.setText(words)
        self.button.setText(button)
        self.button.setToolTip(tip)

    def _appear(self) -> None:
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        # Wide enough for every percentage, so that it does not jump as they pass.
        widest = self.words.fontMetrics().horizontalAdvance("computing … 100%") if self._is_busy else 0
        self.words.setMinimumWidth(widest)
        self._row.activate()
        size, over = self.sizeHint(), self._over.geometry()
        left, top = over.right() - size.width(), over.center().y() - size.height() // 2
        self.setGeometry(QRect(QPoint(left, top), size))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._is_busy:
            high, inset = self._look.px(3), self._look.px(5)
            room = self.rect().adjusted(inset, self.height() - high - 1, -inset, -1)
            painter = QPainter(self)
            painter.fillRect(QRectF(room), colour_of(self._look.theme.track))
            room.setWidth(round(self._fraction * room.width()))
            painter.fillRect(QRectF(room), colour_of(self._look.theme.strong))
            painter.end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return False

    def _on_pressed(self) -> None:
        (self.cancel_wanted if self._is_busy else self.again_wanted).emit()
