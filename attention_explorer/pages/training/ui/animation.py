"""The picture being learned as a film: GIF and APNG, a picture for each of some steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QVBoxLayout, QWidget

from attention_explorer.core.numbers_files import Contents, Report
from attention_explorer.core.numerals import grouped
from attention_explorer.kit.controls.made import name_of, words
from attention_explorer.kit.controls.number_box import WholeNumberBox
from attention_explorer.kit.export.film import ANIMATIONS as ANIMATIONS
from attention_explorer.kit.export.film import EACH_MS, LAST_MS, figure_image, film_file
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training.moment import trained
from attention_explorer.pages.training.seen import Seen
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.pages.training.ui.views import training_figure, view_of

FEWEST, USUAL, MOST = 2, 40, 60
"""Pictures of an animation. Until it is written all of them are in memory, up to twice 1.7 MB each."""


def steps_shown(last: int, count: int) -> tuple[int, ...]:
    """Return up to so many steps from 0 to the last one, evenly spread, each once."""
    return tuple(sorted({round(step) for step in np.linspace(0, last, count).tolist()}))


def _at(state: TrainingState, step: int) -> TrainingState:
    """Return the state as it was when it had learned so far."""
    return replace(state, step=step, learned=0)


def numbers_at(state: TrainingState) -> Seen:
    """Compute what the view on show is drawn from; on the worker."""
    found: Seen = view_of(state.view).picture.compute(state, (0, 0))
    return found


def painted_frame(numbers: Seen, size: QSize | None = None) -> QImage:
    """Paint what the page's figure shows of a step, as large as the figure, or of a size with the same corner."""
    return figure_image(training_figure(numbers.state, numbers), size)


def animation_file(state: TrainingState, count: int, path: Path) -> Contents:
    """Return what writes the picture being learned up to the step of a state, in so many pictures.

    It is called on the GUI thread, which goes on painting while what is returned writes on a worker.
    """
    steps = steps_shown(state.step, count)

    def frames(report: Report) -> Iterator[Seen]:
        trained(state.setup, state.step, lambda _fraction: report(0.0))
        return (numbers_at(_at(state, step)) for step in steps)

    return film_file(path, len(steps), frames, painted_frame)


class AnimationDialog(QDialog):
    """Asks how many pictures an animation is to have."""

    def __init__(self, parent: QWidget, look: Look, state: TrainingState) -> None:
        super().__init__(parent)
        self.setWindowTitle("Animation")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._last = state.step
        self.box = WholeNumberBox(FEWEST, MOST, "Pictures")
        self.box.setToolTip(f"How many steps are shown\n{FEWEST} to {MOST}")
        self.box.setValue(min(USUAL, max(state.step + 1, FEWEST)))
        self.says = words(wraps=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.save = buttons.addButton("&Save…", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        row = QHBoxLayout()
        row.addWidget(name_of(self.box, "pictures"))
        row.addWidget(self.box)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.says)
        column.addWidget(buttons)
        self.setMinimumWidth(look.px(380))
        self.box.valueChanged.connect(self._show)
        self.box.refused.connect(self.says.setText)
        self._show()

    @property
    def count(self) -> int:
        """How many pictures are wanted."""
        self.box.interpretText()  # what was typed, and not yet entered, counts
        return round(self.box.value())

    def _show(self) -> None:
        count = len(steps_shown(self._last, self.count))
        seconds = (EACH_MS * (count - 1) + LAST_MS) / 1000
        said = (
            f"{count} pictures from step 0 to step {grouped(self._last)}, {seconds:.3g} seconds; then it starts again."
        )
        self.says.setText(said)
