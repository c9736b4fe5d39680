"""The card of the Training page by which what was learned is taken to other pages and into files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.flow_layout import FlowLayout
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.learned_elsewhere import (
    NOTHING_LEARNED,
    in_block,
    in_heads,
    in_lookup,
    reason_against_block,
    reason_against_heads,
    reason_against_lookup,
)
from attention_explorer.pages.training.files import CURVES, WEIGHTS, Contents, curves_file, weights_file
from attention_explorer.pages.training.moment import Moment, MomentRequest
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.learned.saved import usual_name

STILL_COMPUTED = "Wait a moment: where the points stand is still being computed."


class TakeCard(Card):
    """What was learned, on other pages and in files.

    Signals
    -------
    leaving
        Another page is about to be opened: what learns is to stop, so that the step on show is the one taken along.
    page_wanted : str
        What was asked for is on that page.
    done : str
        What to say of a file.
    refused : str
        Why something cannot be taken along.
    """

    leaving = Signal()
    page_wanted = Signal(str)
    done = Signal(str)
    refused = Signal(str)

    def __init__(self, session: Session, look: Look) -> None:
        super().__init__(look, "Take it with you")
        self._session = session
        self._moment: Moment | None = None
        self._flow = FlowLayout()
        self.body.addLayout(self._flow)
        self.heads_button = self._button(
            "Open in Heads",
            "The network of this step as a source of the Heads page: type, mask, compare",
            self.open_heads,
        )
        self.lookup_button = self._button(
            "Open in Lookup",
            "Its keys on the Lookup page, each with its query as its value, and the query of the framed row to drag",
            self.open_lookup,
        )
        self.block_button = self._button(
            "Open in Block",
            "Its layers on the Block page: every array that this sentence passes through, with the learned weights",
            self.open_block,
        )
        self.weights_button = self._button(
            "Save weights…",
            "All numbers as learned up to this step, and how they were learned (.safetensors, .npz)",
            self.save_weights,
        )
        self.curves_button = self._button(
            "Save curves…",
            "Loss, right answers and weight of each step, of A and B where two are compared (CSV)",
            self.save_curves,
        )
        self.animation_button = self._button(
            "Animation…", "The map being learned, from step 0 to this one, as a film (GIF, PNG)", self.ask_animation
        )
        self.set_look(look)

    def _button(self, title: str, tip: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(title)
        button.setToolTip(tip)
        button.clicked.connect(lambda _checked=False: act())
        self._flow.addWidget(button)
        return button

    def set_look(self, look: Look) -> None:
        """Take another size."""
        super().set_look(look)
        self._look = look
        if hasattr(self, "_flow"):
            self._flow.setSpacing(look.px(6))

    def show_state(self, state: TrainingState) -> None:
        """Grey what cannot be done in a state."""
        allow_unless(reason_against_heads(state), self.heads_button)
        allow_unless(reason_against_lookup(state), self.lookup_button)
        allow_unless(reason_against_block(state), self.block_button)
        files = self.weights_button, self.curves_button, self.animation_button
        allow_unless("" if state.step else NOTHING_LEARNED, *files)

    def show_moment(self, moment: Moment) -> None:
        """Know what is on show."""
        self._moment = moment

    @property
    def _state(self) -> TrainingState:
        return self._session.state.training

    # ---- To other pages ----

    def open_heads(self) -> None:
        """Open the network of the step on the Heads page."""
        self._open("heads", "Open in Heads", in_heads)

    def open_block(self) -> None:
        """Open the layers of the step on the Block page."""
        self._open("block", "Open in Block", in_block)

    def open_lookup(self) -> None:
        """Open the dictionary on the Lookup page."""
        self._open("lookup", "Open in Lookup", self._in_lookup)

    def _in_lookup(self, state: ExplorerState) -> ExplorerState:
        moment = self._moment
        if moment is None or moment.points is None or moment.request != MomentRequest.of(state.training):
            raise ExplorerError(STILL_COMPUTED)
        return in_lookup(state, moment.points)

    def _open(self, page: str, label: str, changed: Callable[[ExplorerState], ExplorerState]) -> None:
        self.leaving.emit()
        try:
            state = changed(self._session.state)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        self._session.apply(state, label)
        self.page_wanted.emit(page)

    # ---- Into files ----

    def save_weights(self) -> None:
        """Ask where, and write the weights of the step."""
        setup, step = self._state.setup, self._state.step
        self._save("Save weights", "weights", WEIGHTS, lambda path: weights_file(setup, step, path))

    def save_curves(self) -> None:
        """Ask where, and write the curves."""
        setup, other, step = self._state.setup, self._state.other, self._state.reached
        setups = (setup,) if other is None else (setup, other)
        self._save("Save curves", "curves", CURVES, lambda path: curves_file(setups, step, path))

    def ask_animation(self) -> None:
        """Ask how many pictures, then where, and write the map being learned."""
        # Drawing frames and their file format would delay the first picture.
        from attention_explorer.pages.training.ui.animation import ANIMATIONS, AnimationDialog, animation_file

        state = self._state
        dialog = AnimationDialog(self, self._look, state)

        def save() -> None:
            count = dialog.count
            self._save("Animation", "film", ANIMATIONS, lambda path: animation_file(state, count, path))

        dialog.accepted.connect(save)
        self.animation_dialog = dialog
        dialog.open()

    def _save(self, title: str, what: str, kinds: Mapping[str, str], contents: Callable[[Path], Contents]) -> None:
        # File formats would delay the first picture.
        from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain

        stem = usual_name(self._state.setup, self._state.step, what)
        path = ask_for_file(self, title, stem, kinds)
        if path is not None:
            self.done.emit(save_or_explain(self, contents(path), path))
