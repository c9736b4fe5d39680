"""The way downhill: buttons that walk q to the target step by step, and a slider that goes back along the way."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.sliding_number import Slider, SliderDrag
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.state import DescentSpeed, LookupState
from attention_explorer.pages.lookup.trail import gone_to, place_in, stepped
from attention_explorer.pages.lookup.wording import ON_TARGET, descent_note
from attention_explorer.pages.ui.session import Session

PLAY_TIP = "Take one step after another until the slope is gone. One undo takes all of them back."


class DescentBar(QWidget):
    """Step and Play, and where q is on its way.

    Signals
    -------
    refused : str
        Why a step cannot be taken.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_tick)
        self._expected: LookupState | None = None
        self._moves = True
        self.setAccessibleName("Way downhill")
        self.step = QPushButton("Step")
        self.step.setToolTip("One step of gradient descent: q ← q − rate · ∂L/∂q")
        self.step.clicked.connect(self._on_step_clicked)
        self.play = QPushButton("Play")
        self.play.setCheckable(True)
        self.play.setToolTip(PLAY_TIP)
        self.play.clicked.connect(self._on_play_clicked)
        self.way = Slider()
        self.way.setAccessibleName("Step of the way")
        self.way.setToolTip("Drag, or use the arrow keys, to go back along the way of q")
        self.way.valueChanged.connect(self._on_scrubbed)
        self.way.sliderReleased.connect(session.commit)
        SliderDrag(self.way, session)
        self.place = QLabel()
        self.place.setObjectName("muted")
        self._row = QHBoxLayout(self)
        for widget in (self.step, self.play):
            self._row.addWidget(widget)
        self._row.addWidget(self.way, 1)
        self._row.addWidget(self.place)
        self._row.addStretch(0)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Take another size."""
        self._look = look
        self._row.setSpacing(look.px(8))
        self._row.setContentsMargins(0, 0, 0, 0)

    def show_state(self, state: LookupState) -> None:
        """Show where q is on its way, once there is one."""
        if self.is_playing and not self._is_as_expected():
            self.stop()
        place = place_in(state)
        for widget in (self.way, self.place):
            widget.setVisible(place is not None)
        if place is None:
            return
        self._timer.setInterval(state.speed.milliseconds)
        last = len(state.descent) - 1
        self.place.setText(f"step {place} of {last}")
        with QSignalBlocker(self.way):
            self.way.setRange(0, last)
            self.way.setValue(place)

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
        self._on_tick()

    def _on_tick(self) -> None:
        here, after = lookup_frame(self._session.state.lookup), self._descended()
        if after is None or here.loss < ON_TARGET:
            self.refused.emit(descent_note(here))
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

    def _on_scrubbed(self, step: int) -> None:
        self.stop()
        state = self._session.state
        gone = replace(state, lookup=gone_to(state.lookup, step))
        if self.way.isSliderDown():
            self._session.preview(gone, "Go to a step")
        else:
            self._session.apply(gone, "Go to a step", "step of the way")


def _apart_from_view(state: LookupState) -> LookupState:
    """Return the state without what may change while Play goes on."""
    return replace(state.without_view(), speed=DescentSpeed.FULL)
