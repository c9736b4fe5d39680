"""Keeping a run as B, changing places with it, and letting it go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from attention_explorer.pages.training.pair_words import SAME
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.ui.controls.possible import allow_unless

KEEP_TIP = "Keep this run as B, then change A: both learn, and their curves and maps stand side by side"


class OtherRunBar(QWidget):
    """One button that keeps the run on show as B; with a B, one to change places and one to let it go.

    Signals
    -------
    changed : (TrainingState, undo label)
        Somebody has pressed one of them.
    """

    changed = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: TrainingState | None = None
        self.keep = QPushButton("+ another run")
        self.keep.setToolTip(KEEP_TIP)
        self.swap = QPushButton("Swap A and B")
        self.swap.setToolTip("Put B in place of A, to change it")
        self.drop = QPushButton("Drop B")
        self.drop.setToolTip("Compare no more")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for button in (self.keep, self.swap, self.drop):
            row.addWidget(button)
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
        self.updateGeometry()

    def _change(self, label: str, change: Callable[[TrainingState], TrainingState]) -> None:
        if self._state is not None:
            self.changed.emit(change(self._state), label)
