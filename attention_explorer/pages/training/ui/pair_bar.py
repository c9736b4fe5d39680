"""Keeping a run as B, changing places with it, and letting it go; and other seeds beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training.pair_words import SAME
from attention_explorer.pages.training.seeds import NOTHING_LEARNED, SeedResult, opened
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.pages.training.ui.seeds_dialog import SeedsDialog

KEEP_TIP = "Keep this run as B, then change A: both learn, and their curves and maps stand side by side"


class OtherRunBar(QWidget):
    """One button that keeps the run on show as B; with a B, one to change places and one to let it go. One for seeds.

    Signals
    -------
    leaving
        Something else is about to learn: what learns now is to stop.
    changed : (TrainingState, undo label)
        Somebody has pressed one of them.
    """

    leaving = Signal()
    changed = Signal(object, str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.dialog: SeedsDialog | None = None
        self._state: TrainingState | None = None
        self.keep = QPushButton("+ run B")
        self.keep.setToolTip(KEEP_TIP)
        self.swap = QPushButton("Swap A and B")
        self.swap.setToolTip("Put B in place of A, to change it")
        self.drop = QPushButton("Drop B")
        self.drop.setToolTip("Stop comparing")
        self.seeds = QPushButton("Seeds…")
        self.seeds.setToolTip(
            "The same recipe with other seeds, side by side: what they have in common, and what differs"
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for button in (self.keep, self.swap, self.drop, self.seeds):
            row.addWidget(button)
        self.seeds.clicked.connect(self.show_seeds)
        self.keep.clicked.connect(lambda: self._change("Compare two runs", lambda at: replace(at, other=at.setup)))
        self.drop.clicked.connect(lambda: self._change("Drop B", lambda at: replace(at, other=None)))
        self.swap.clicked.connect(lambda: self._change("Swap A and B", TrainingState.with_runs_swapped))

    def show_state(self, state: TrainingState) -> None:
        """Offer what can be done."""
        self._state = state
        self.keep.setVisible(state.other is None)
        self.swap.setVisible(state.other is not None)
        self.drop.setVisible(state.other is not None)
        allow_unless(SAME if state.other == state.setup else "", self.swap)
        allow_unless("" if state.step else NOTHING_LEARNED, self.seeds)
        self.updateGeometry()

    def set_look(self, look: Look) -> None:
        """Open dialogs in another look."""
        self._look = look

    def show_seeds(self) -> None:
        """Lay other seeds beside the one on show."""
        self.leaving.emit()
        if self._state is not None:
            self.dialog = SeedsDialog(self, self._look, self._state)
            self.dialog.opened.connect(self._open)
            self.dialog.open()

    def _open(self, found: SeedResult) -> None:
        self._change(f"Open seed {found.setup.seed}", lambda at: opened(at, found))

    def _change(self, label: str, change: Callable[[TrainingState], TrainingState]) -> None:
        if self._state is not None:
            self.changed.emit(change(self._state), label)
