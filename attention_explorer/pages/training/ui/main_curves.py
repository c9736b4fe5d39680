"""The main quantity of the page: the curves, whose step is dragged, and Play before them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QPushButton, QSlider, QVBoxLayout, QWidget

from attention_explorer.kit.drawing.marks import colour_of, pen
from attention_explorer.kit.frame.main_quantity import MainQuantity
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training.seen import Seen
from attention_explorer.pages.training.state import Speed, TrainingState
from attention_explorer.pages.training.ui.curves import CURVES, Curves, gone
from attention_explorer.pages.ui.session import Session

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


SHARE, LEAST, MOST = 0.2, 124, 250
"""How high it is, by the page; and at least and at most, in pixels at zoom 1."""
PLAY_TIP = "Learn, and watch (Space); Esc stops"
_ABOUT = {Speed.SLOW: "slow", Speed.STEADY: "steady", Speed.FULL: "full", Speed.SIX_SECONDS: "6 s"}


class MainCurves(MainQuantity):
    """Play, Step, and the curves, in place of a slider."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self.picture = Curves()
        self.canvas = PicturesCanvas(look, CURVES, lambda: session.state.training)
        self.play = PlayButton(look, PLAY_TIP)
        self.step_button = QPushButton("Step")
        self.step_button.setToolTip("Learn from one more batch")
        self.is_withheld = False
        super().__init__(session, look, parent)
        self._buttons = QVBoxLayout()
        self._buttons.addStretch(1)
        for button in (self.play, self.step_button):
            self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._buttons.addStretch(1)
        self._row.addLayout(self._buttons)
        self._row.addWidget(self.canvas, 1)
        self.setAccessibleName("How far it has learned")

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self.play.set_look(look)
        self.canvas.set_look(look)

    def fit(self, page_height: int) -> None:
        """Be as high as suits a page."""
        px = self._look.px
        self.canvas.setFixedHeight(round(min(max(SHARE * page_height, px(LEAST)), px(MOST))))

    def show_view(self, view: View[Any], state: TrainingState) -> None:
        self.play.show_about(_ABOUT[state.speed])

    def show_seen(self, numbers: Seen) -> None:
        """Show the curves of what was computed."""
        self.canvas.heading = self.picture.title(numbers)
        self.canvas.show_picture(self.picture, numbers)

    def setVisible(self, visible: bool) -> None:
        super().setVisible(visible and not self.is_withheld)

    def take_keyboard(self, _view: View[Any], reason: Qt.FocusReason) -> None:
        self.play.setFocus(reason)

    def step(self, _view: View[Any], state: TrainingState, turn: QSlider.SliderAction) -> None:
        up = 1 if turn is QSlider.SliderAction.SliderSingleStepAdd else -1
        self.canvas.changed.emit(gone(state, state.step + up))
