"""The gradient of the lookup as numbers, and a descent that follows it to a target."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.declared import declarations
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import choice
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.panel_scroll import keep_in_view
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.descent import gone_to, place_in, stepped
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import DescentSpeed, LookupState, Overlay
from attention_explorer.pages.lookup.ui.overlay_chips import GRADIENT_OVERLAYS, OverlayChips
from attention_explorer.pages.lookup.wording import descent_note, gradient_note, gradient_text, loss_text
from attention_explorer.pages.ui.session import Session

if TYPE_CHECKING:
    from attention_explorer.pages.lookup.ui.loss_chart import LossChart
GROWS_MILLISECONDS = 1000
"""After so long at most the panel has grown to hold the curve."""
_SAID = declarations(LookupState)
PLAY_TIP = "Take one step after another until the slope is gone. One undo takes all of them back."


class GradientCard(QWidget):
    """∂o/∂q, the loss against the target, and buttons that walk q downhill.

    Signals
    -------
    refused : str
        Why a step cannot be taken.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_tick)
        self._expected: LookupState | None = None
        self._moves = True
        self._look = look
        self._chart: LossChart | None = None
        self._is_watched = False
        """Whether somebody has pressed Step or Play and is to see how the loss goes down."""
        self._column = QVBoxLayout(self)
        self.chips = OverlayChips(session, look, GRADIENT_OVERLAYS, self)
        self.jacobian = TextBlock(look, 1, "Gradient of the output", self)
        self.loss = TextBlock(look, 1, "Loss against the target", self)
        self._column.addWidget(self.chips)
        self._column.addWidget(self.jacobian)
        self._column.addLayout(self._make_descent())
        self._column.addWidget(self.loss)
        self._column.addLayout(self._make_way())
        self._column.addStretch(1)
        self.set_look(look)

    def _make_descent(self) -> QHBoxLayout:
        self.step = QPushButton("Step")
        self.step.setToolTip("One step of gradient descent: q ← q − rate · ∂L/∂q")
        self.step.clicked.connect(self._on_step_clicked)
        self.play = QPushButton("Play")
        self.play.setCheckable(True)
        self.play.setToolTip(PLAY_TIP)
        self.play.clicked.connect(self._on_play_clicked)
        said = _SAID["rate"]
        self.rate = NumberBox(said.low, said.high, "Learning rate")
        self.rate.setSingleStep(0.1)
        self.rate.refused.connect(self.refused)
        self.rate.setToolTip(said.tip)
        self.rate.valueChanged.connect(self._on_rate_typed)
        label = QLabel(said.label)
        label.setBuddy(self.rate)
        self._row = QHBoxLayout()
        for widget in (self.step, self.play):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        self._row.addWidget(label)
        self._row.addWidget(self.rate)
        return self._row

    def _make_way(self) -> QHBoxLayout:
        """Make what stands above the curve of the losses: which step q is at, and how fast Play goes."""
        self.place = QLabel()
        self.place.setObjectName("muted")
        choices = [(speed, str(speed), f"A step every {speed.milliseconds / 1000:g} s") for speed in DescentSpeed]
        self.speed = ChoiceRow("Speed", choices, self._on_speed_chosen)
        self._way = QHBoxLayout()
        self._way.addWidget(self.place)
        self._way.addStretch(1)
        self._way.addWidget(self.speed)
        return self._way

    @property
    def chart(self) -> LossChart:
        """The loss of every step; made when it is first needed."""
        if self._chart is None:
            from attention_explorer.pages.lookup.ui.loss_chart import LossChart  # pyqtgraph takes its time

            self._chart = LossChart(self._look)
            self._chart.dragged.connect(self._on_scrubbed)
            self._chart.released.connect(self._session.commit)
            self._column.insertWidget(self._column.count() - 1, self._chart)
        return self._chart

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._column.setContentsMargins(look.px(10), look.px(8), look.px(10), look.px(6))
        self._column.setSpacing(look.px(6))
        self._row.setSpacing(look.px(6))
        self.rate.setFixedWidth(look.px(72))
        for child in (self.chips, self.jacobian, self.loss):
            child.set_look(look)
        if self._chart is not None:
            self._chart.set_look(look)

    def minimumSizeHint(self) -> QSize:
        # Qt would add up the heights at the smallest width, where the chips and the text need more lines.
        return QSize(super().minimumSizeHint().width(), self.heightForWidth(self.width()))

    def show_frame(self, frame: LookupFrame) -> None:
        """Show the gradient and the loss of a lookup."""
        state = frame.state
        if self.is_playing and not self._is_as_expected():
            self.stop()
        self.chips.show_frame(frame)
        numbers = () if self._look.few else (TextLine(gradient_text(frame), bold=True),)
        self.jacobian.set_text(*numbers, TextLine(gradient_note(frame), "muted", size=12))
        on = state.shows(Overlay.TARGET)
        for widget in (self.step, self.play, self.rate):
            widget.setEnabled(on)
        if self.rate.value() != state.rate:
            with QSignalBlocker(self.rate):
                self.rate.setValue(state.rate)
        self._show_loss(frame, on)
        self._show_way(state)

    def _show_loss(self, frame: LookupFrame, on: bool) -> None:
        if not on:
            self.loss.set_text(TextLine("Switch “Target” on to give the output a place to reach.", "muted", size=12))
            return
        self.loss.set_text(
            TextLine(loss_text(frame), "loss_ink", bold=True),
            TextLine(descent_note(frame), "muted", size=12),
        )

    def _show_way(self, state: LookupState) -> None:
        """Show how the loss went along the way, once there is one."""
        place = place_in(state) if state.shows(Overlay.TARGET) else None
        for widget in (self.place, self.speed, *(() if self._chart is None else (self._chart,))):
            widget.setVisible(place is not None)
        if place is None:
            return
        self.place.setText(f"step {place} of {len(state.descent) - 1}")
        self.speed.show_value(state.speed)
        self._timer.setInterval(state.speed.milliseconds)
        self.chart.show_way(state, place)
        if self._is_watched:
            self._is_watched = False
            keep_in_view(self.chart, GROWS_MILLISECONDS)

    # ---- Descending ----

    def set_moves(self, moves: bool) -> None:
        """Let q walk by itself, or have Play take one step at each press, as Step does."""
        self.stop()
        self._moves = moves
        self.play.setCheckable(moves)
        self.play.setToolTip(PLAY_TIP if moves else "Take one step downhill: “Reduce motion” is on in the View menu.")

    @property
    def is_playing(self) -> bool:
        """Whether q is walking by itself."""
        return self._timer.isActive()

    def _is_as_expected(self) -> bool:
        """Return whether nobody else has changed the lookup since the last step; the view may have moved."""
        return _apart_from_view(self._session.state.lookup) == self._expected

    def _descended(self) -> ExplorerState | None:
        """Return the state after one more step, or None where there is no slope to follow or no room to go."""
        state = self._session.state
        if not lookup_frame(state.lookup).has_slope:
            return None
        try:
            return replace(state, lookup=stepped(state.lookup))
        except ExplorerError as error:
            self.refused.emit(f"{error} Choose a smaller rate.")
            return None

    def _on_step_clicked(self) -> None:
        self.stop()
        after = self._descended()
        if after is not None:
            self._is_watched = True
            self._session.apply(after, "Step downhill")
        else:
            self.refused.emit(descent_note(lookup_frame(self._session.state.lookup)))

    def _on_play_clicked(self, playing: bool) -> None:
        if not self._moves:
            self._on_step_clicked()
            return
        if not playing:
            self.stop()
            return
        self._session.commit()
        self._expected = _apart_from_view(self._session.state.lookup)
        self.play.setText("Pause")
        self._timer.start(self._session.state.lookup.speed.milliseconds)
        self._is_watched = True
        self._on_tick()

    def _on_tick(self) -> None:
        after = self._descended()
        if after is None:
            self.refused.emit(descent_note(lookup_frame(self._session.state.lookup)))
            self.stop()
            return
        self._expected = _apart_from_view(after.lookup)
        self._session.preview(after, "Play downhill")

    def stop(self) -> None:
        """End the walk; what was walked becomes one undo step."""
        if self._timer.isActive():
            self._timer.stop()
            if self._is_as_expected():
                self._session.commit()
        self.play.setChecked(False)
        self.play.setText("Play")

    def _on_rate_typed(self, rate: float) -> None:
        state = self._session.state
        self._session.apply(replace(state, lookup=state.lookup.with_rate(rate)), _SAID["rate"].undo, merge="rate")

    def _on_speed_chosen(self, speed: object) -> None:
        state = self._session.state
        lookup = replace(state.lookup, speed=choice("speed", speed, DescentSpeed, ExplorerError))
        self._session.apply(replace(state, lookup=lookup), _SAID["speed"].undo)

    def _on_scrubbed(self, step: float) -> None:
        self.stop()
        state = self._session.state
        self._session.preview(replace(state, lookup=gone_to(state.lookup, round(step))), "Go to a step")


def _apart_from_view(state: LookupState) -> LookupState:
    """Return the state without what may change while Play goes on."""
    return replace(state.without_view(), speed=DescentSpeed.FULL)
