"""The question how a file of attention is to be read: what is guessed, what speaks for it, and how it looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.file_reading import Choice, Reading, read_as
from attention_explorer.pages.heads.ui.matrix_view import MatrixView
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.sources.recorded_recipe import FileRecipe

WIDE, WIDE_ALONE = 760, 480
"""Pixels at 100 % with the preview, and without."""
AXES_TIP = "One letter an axis: l layers, b batch, h heads, q queries (rows), k keys (columns)"


class ReadingDialog(QDialog):
    """Shows how a file is read, and lets that be changed. What is looked at is read on a worker.

    Parameters
    ----------
    parent : QWidget
        The window.
    look : Look
        Its colours.
    path : Path
        The file.
    arrays : sequence of (str, str)
        What could be the weights: names, and how they are offered.
    choice : Choice
        Where to begin.
    then : callable
        Called with the recipe that was agreed to.
    """

    def __init__(
        self,
        parent: QWidget,
        look: Look,
        path: Path,
        arrays: tuple[tuple[str, str], ...],
        choice: Choice,
        then: Callable[[FileRecipe], object],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"How to read {path.name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._path, self._then, self._choice = path, then, choice
        self._reading: Reading | None = None
        self._make_controls(arrays)
        self.reasons = QLabel()
        self.reasons.setWordWrap(True)
        self.reasons.setTextFormat(Qt.TextFormat.PlainText)
        self.reasons.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)  # what helps is to be copied
        self.preview = MatrixView(look, "The first head")
        self.preview.setMinimumSize(look.px(300), look.px(280))
        self.preview.hide()
        self._lay_out(look)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_read)
        self.jobs.failed.connect(self._on_failed)
        self._read()

    # ---- Building ----

    def _make_controls(self, arrays: tuple[tuple[str, str], ...]) -> None:
        self.array = QComboBox()
        self.array.setAccessibleName("Which array holds the weights")
        for name, text in arrays:
            self.array.addItem(text, name)
        self.array.setCurrentIndex(self.array.findData(self._choice.attention) if self._choice.attention else -1)
        self.array.activated.connect(self._on_array_chosen)
        self.axes = QLineEdit(self._choice.axes)
        self.axes.setMaxLength(5)
        self.axes.setAccessibleName("Which axis is which")
        self.axes.setToolTip(AXES_TIP)
        self.axes.textEdited.connect(lambda text: self._change(axes=text.strip().lower()))
        self.batch = QSpinBox()
        self.batch.setMaximum(2**30)
        self.batch.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.batch.setValue(self._choice.batch)
        self.batch.setAccessibleName("Which sequence of the batch, from 0")
        self.batch.valueChanged.connect(lambda number: self._change(batch=number))
        self.causal = QCheckBox("keys after their query are masked")
        self.causal.setToolTip("A weight of 0 alone does not say whether a key was hidden, or only given no weight")
        self.causal.clicked.connect(lambda on: self._change(is_causal=on))
        buttons = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(buttons.Open | buttons.Cancel)
        self.open_button = self.buttons.button(buttons.Open)
        self.buttons.accepted.connect(self._agree)
        self.buttons.rejected.connect(self.reject)

    def _lay_out(self, look: Look) -> None:
        form = QFormLayout()
        form.addRow("&weights", self.array)
        form.addRow("&axes", self.axes)
        form.addRow("", QLabel(AXES_TIP.partition(": ")[2]))
        form.addRow("&batch", self.batch)
        form.addRow("", self.causal)
        left = QVBoxLayout()
        left.addLayout(form)
        left.addWidget(self.reasons, 1, Qt.AlignmentFlag.AlignTop)
        both = QHBoxLayout()
        both.addLayout(left, 1)
        both.addWidget(self.preview)
        whole = QVBoxLayout(self)
        whole.addLayout(both, 1)
        whole.addWidget(self.buttons)
        self._look = look
        self._fit()

    def _fit(self) -> None:
        """Be as large as what is shown: a preview may be there or not, and reasons are short or long."""
        wide = self._look.px(WIDE if self.preview.isVisibleTo(self) else WIDE_ALONE)
        wide = min(wide, self.screen().availableGeometry().width())
        layout = self.layout()
        if layout is not None:
            layout.activate()  # what was hidden or written just now counts
            self.resize(wide, max(layout.totalHeightForWidth(wide), layout.totalMinimumSize().height()))

    # ---- Reading ----

    def _on_array_chosen(self, index: int) -> None:
        self._choice = Choice(str(self.array.itemData(index)))  # its axes are its own
        self._read()

    def _change(self, **changes: object) -> None:
        self._choice = replace(self._choice, **changes)  # type: ignore[arg-type]
        self._read()

    def _read(self) -> None:
        choice = self._choice
        self.open_button.setEnabled(False)

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(read_as(self._path, choice))

        self.jobs.request(choice, work, replace=True)

    def _on_read(self, _choice: Choice, reading: Reading) -> None:
        self._reading, choice = reading, reading.choice
        self.array.setCurrentIndex(self.array.findData(choice.attention))
        with QSignalBlocker(self.batch):
            self.batch.setValue(choice.batch)
        self.batch.setEnabled("b" in choice.axes)
        if not self.axes.hasFocus():
            self.axes.setText(choice.axes)
        self.causal.setChecked(bool(choice.is_causal))
        self.reasons.setText("\n".join(reading.reasons))
        self.preview.setVisible(reading.preview is not None)
        if reading.preview is not None:
            self.preview.show_picture(reading.preview)
        self.open_button.setEnabled(reading.recipe is not None)
        self._fit()

    def _on_failed(self, _choice: Choice, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.reasons.setText(str(error))
            self._fit()

    def _agree(self) -> None:
        if self._reading is not None and self._reading.recipe is not None:
            self._then(self._reading.recipe)
            self.accept()
