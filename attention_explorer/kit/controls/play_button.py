"""Play, as large as what it begins: a disc with a triangle, or with two bars while it goes on."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QPushButton, QWidget

from attention_explorer.kit.drawing.marks import colour_of, pen
from attention_explorer.kit.theme import Look

DISC, WORDS, WIDTH = 60, 24, 88
"""Pixels at zoom 1: the disc, the line of words below it, and how wide the whole is."""


class PlayButton(QPushButton):
    """The button; its text is what a press does. `about` stands behind that, such as how long it takes."""

    def __init__(self, look: Look, tip: str, parent: QWidget | None = None) -> None:
        super().__init__("Play", parent)
        self._look, self.about = look, ""
        self.setCheckable(True)
        self.setToolTip(tip)
        self.setAccessibleDescription(tip)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.setFixedSize(self.sizeHint())
        self.update()

    def show_playing(self, playing: bool) -> None:
        """Say what the next press does."""
        self.setChecked(playing)
        self.setText("Pause" if playing else "Play")

    def show_about(self, about: str) -> None:
        """Say something else of it."""
        if about != self.about:
            self.about = about
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(WIDTH), self._look.px(DISC + WORDS))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, px = self._look.theme, self._look.px
        radius = px(DISC) / 2 - 3
        centre = QPointF(self.width() / 2, px(DISC) / 2)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(theme.muted if self.underMouse() and self.isEnabled() else theme.strong))
        painter.drawEllipse(centre, radius, radius)
        painter.setBrush(colour_of(theme.strong_text))
        if self.isChecked():
            for side in (-1, 1):
                bar = QRectF(0, 0, radius * 0.26, radius * 0.86)
                bar.moveCenter(centre + QPointF(side * radius * 0.26, 0))
                painter.drawRect(bar)
        else:
            corners = ((-0.32, -0.5), (-0.32, 0.5), (0.54, 0.0))
            painter.drawPolygon(QPolygonF([centre + QPointF(x, y) * radius for x, y in corners]))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(theme.focus, 2.0 * self._look.zoom))
            painter.drawEllipse(centre, radius + 2, radius + 2)
        words = f"{self.text()}, {self.about}" if self.about and not self.isChecked() else self.text()
        painter.setFont(self._look.font(13, bold=True))
        painter.setPen(colour_of(theme.text))
        painter.drawText(QRectF(0, px(DISC), self.width(), px(WORDS)), Qt.AlignmentFlag.AlignCenter, words)
