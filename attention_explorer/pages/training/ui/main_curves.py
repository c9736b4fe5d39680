"""The main quantity of the page: the curves, whose step is dragged, and Play before them."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QPushButton, QSlider, QVBoxLayout, QWidget

from attention_explorer.core.map_picture import short_number
from attention_explorer.core.numerals import grouped, percent, plain
from attention_explorer.kit.drawing.marks import colour_of, pen
from attention_explorer.kit.frame.main_quantity import MainQuantity
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.items.item import SIDEWAYS, Hit, Item, Value
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import Axis, Curve, Handle, Label, Line, Mark, round_ticks
from attention_explorer.kit.picture import Change, Panel, Picture
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.theme import Look
from attention_explorer.model.arrays import Floats
from attention_explorer.pages.training import pair_words, words
from attention_explorer.pages.training.seen import Seen, seen
from attention_explorer.pages.training.state import Speed, TrainingState
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.learned.run import Curve as Learned

CURVES, STEP = "Loss and right answers", "step"
BEGINNING = 0.6
"""Where step 0 stands on a logarithmic axis, which has no 0."""
MOST_POINTS = 240
"""Of a curve: a noisy one with more takes long to paint."""
_ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
_ENDS = {int(Qt.Key.Key_Home): 0, int(Qt.Key.Key_End): 1}


class Curves(Picture[TrainingState, Seen]):
    """The curves as far as it has learned, and those of B."""

    compute = staticmethod(seen)

    def item(self, numbers: Seen) -> Item[Any]:
        moment, state = numbers.moment, numbers.state
        other = None if moment.other is None else moment.other.curve
        top = max(float(each.loss.max(initial=1e-6)) for each in (moment.curve, other or moment.curve))
        chance, frequent = moment.run.trial.baselines
        marks: list[Mark] = [
            Line(100 * chance, level=True, ink="axis", dash=(5.0, 4.0)),
            Line(100 * frequent, level=True, ink="axis", dash=(2.0, 3.0)),
        ]
        if other is None:
            batches = np.arange(len(moment.curve.training_loss))
            marks += _pair(batches, moment.curve.training_accuracy, moment.curve.training_loss, top, width=0.7)
        else:
            marks += _pair(other.steps, other.accuracy, other.loss, top, dash=(6.0, 4.0))
        marks += _pair(moment.curve.steps, moment.curve.accuracy, moment.curve.loss, top, width=2.6)
        marks += self._labels(moment.curve, state.step, top)
        marks.append(Handle(STEP, _place(state.step)))
        within = (tick for tick in _ROUND if 1.3 * tick < state.end)
        ticks = ((BEGINNING, "0"), *((float(tick), grouped(tick)) for tick in (*within, state.end)))
        across = Axis(BEGINNING, float(state.end), "step (logarithmic)", 10, is_whole=True, ticks=ticks)
        # Without 0, where the line at the first and at the last step is taken hold of.
        up = Axis(0.0, 104.0, "right, %", ticks=((50.0, "50"), (100.0, "100")), grid=True)
        losses = tuple((tick, short_number(tick)) for tick in round_ticks(0.0, 1.04 * top, 3) if tick)
        right = Axis(0.0, 1.04 * top, "loss, nats", ticks=losses)
        return Plot(CURVES, across, up, tuple(marks), right, _snap, has_legend=False)

    @staticmethod
    def _labels(curve: Learned, step: int, top: float) -> list[Mark]:
        """Return what the curves say at the step on show."""
        last = int(curve.steps.searchsorted(step, side="right")) - 1
        accuracy, loss = float(curve.accuracy[last]), float(curve.loss[last])
        x = _place(float(curve.steps[last]))
        return [
            Label(x, 100 * loss / top, f"loss {plain(loss)}", "loss_ink", bold=True),
            Label(x, 100 * accuracy, f"{percent(accuracy)} right", "value_ink", bold=True),
        ]

    def headline(self, numbers: Seen) -> str:
        return words.progress(numbers.state.task, numbers.moment.curve, numbers.state.step)

    def says(self, numbers: Seen) -> tuple[str, ...]:
        moment = numbers.moment
        said = words.chart(moment.run, moment.curve)
        other = None if moment.other is None else moment.other.curve
        return (said,) if other is None else (said, pair_words.chart(other))

    def panel(self, _numbers: Seen) -> Panel:
        return Panel()

    def words(self, numbers: Seen, hit: Hit) -> str:
        step = numbers.state.step if hit.part == STEP else min(_step(hit.part.x), numbers.state.reached)
        return words.progress(numbers.state.task, numbers.moment.curve, step)

    def changed(self, state: TrainingState, _numbers: Seen, _hit: Hit, to: Value) -> Change[TrainingState]:
        return gone(state, _step(to[0]))

    def press(self, state: TrainingState, _numbers: Seen, key: int) -> Change[TrainingState] | None:
        # Of the state, which may be further than the picture: keys come quickly.
        to = state.reached * _ENDS[key] if key in _ENDS else state.step + SIDEWAYS.get(key, 0)
        change = gone(state, to)
        return None if change.state == state else change

    def has(self, _numbers: Seen, hit: Hit) -> bool:
        return bool(hit.part == STEP)


def gone(state: TrainingState, step: int) -> Change[TrainingState]:
    """Return what it means to go to a step, as far as it has learned."""
    return Change(state.at_step(min(max(step, 0), state.reached)), "Go to a step", "step")


def _place(step: float) -> float:
    return max(float(step), BEGINNING)


def _step(x: float) -> int:
    return 0 if x < (1 + BEGINNING) / 2 else round(x)


def _snap(x: float) -> float:
    return _place(_step(x))


def _pair(steps: Any, accuracy: Floats, loss: Floats, top: float, **look: Any) -> list[Mark]:  # noqa: ANN401 # of Curve
    """Return the curves of a run: right answers in per cent, and the loss as a share of the largest."""
    if len(steps) < 2:
        return []  # one point is no line
    kept = _thinned(np.maximum(np.asarray(steps, float), BEGINNING))
    x = np.maximum(np.asarray(steps, float), BEGINNING)[kept]
    return [
        Curve(x, 100 * np.asarray(loss, float)[kept] / top, ink="loss", **look),
        Curve(x, 100 * np.asarray(accuracy, float)[kept], ink="value", **look),
    ]


def _thinned(x: Floats) -> Any:  # noqa: ANN401 # an array of places
    """Return which points of a curve are drawn: at most so many, evenly along the logarithmic axis, with both ends."""
    if len(x) <= MOST_POINTS:
        return np.arange(len(x))
    wanted = np.geomspace(x[0], x[-1], MOST_POINTS)
    return np.unique(np.append(np.searchsorted(x, wanted).clip(0, len(x) - 1), len(x) - 1))


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
        self._row.invalidate()  # a layout within another would say for a moment how high it was before

    def show_view(self, view: View[Any], state: TrainingState) -> None:
        self.play.show_about(_ABOUT[state.speed])

    def show_seen(self, numbers: Seen) -> None:
        """Show the curves of what was computed."""
        self.canvas.heading = self.picture.title(numbers)
        self.canvas.show_picture(self.picture, numbers)

    def setVisible(self, visible: bool) -> None:
        super().setVisible(visible and not self.is_withheld)

    def control_of(self, _view: View[Any]) -> QWidget:
        return self

    def take_keyboard(self, _view: View[Any], reason: Qt.FocusReason) -> None:
        self.play.setFocus(reason)

    def step(self, _view: View[Any], state: TrainingState, turn: QSlider.SliderAction) -> None:
        up = 1 if turn is QSlider.SliderAction.SliderSingleStepAdd else -1
        self.canvas.changed.emit(gone(state, state.step + up))
