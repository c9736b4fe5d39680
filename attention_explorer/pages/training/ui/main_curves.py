"""The main quantity of the page: the curves, whose step is dragged, and Play before them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSlider, QVBoxLayout, QWidget

from attention_explorer.kit.controls.play_button import PlayButton
from attention_explorer.kit.frame.main_quantity import MainQuantity
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training.seen import Seen
from attention_explorer.pages.training.state import Speed, TrainingState
from attention_explorer.pages.training.ui.curves import CURVES, Curves, gone
from attention_explorer.pages.ui.session import Session

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
