"""The Check tab of the Heads page: experiments whose results are numbers of the present setup."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from attention_explorer.core.numerals import signed
from attention_explorer.kit.controls.choice import ChoiceBox
from attention_explorer.kit.controls.slider import Slider
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.check_mask import MaskDemo, Precision, fixed_precision
from attention_explorer.pages.heads.check_report import CheckReport
from attention_explorer.pages.heads.checks import (
    LOOK_FOR,
    Check,
    Experiment,
    carry_out,
    is_quick,
    needs_asking,
    token_to_change,
)
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.pages.heads.ui.check_table import CheckTableView
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, Report, stoppable
from attention_explorer.session.requests import Requests, Standing

MOST_TABLES = 3
COMPUTE, CANCEL = "Compute", "Cancel"
LARGEST_CONSTANT, CONSTANT_STEPS = 50, 2
"""The slider goes this far to both sides, in so many steps a unit."""
AMOUNTS = ((1.0, "noise × 1"), (99.0, "noise × 99"))

_TIPS = {
    Check.SHUFFLE: "Put the token vectors in another order and compare the outputs",
    Check.SYMMETRY: "Compare the scores with their transpose: is attention mutual?",
    Check.RESHAPE: "A loop over the heads, one product cut apart, and the same with a mistake",
    Check.MASKING: "−∞, −1e9, adding −1e9, and zeroing after the softmax",
    Check.CHANGE: "Add noise to one token and see which outputs change",
    Check.CONSTANT: "Add the same number to every score of a row and see that no weight moves",
    Check.BROADCAST: "A batch of sequences with a mask each: what NumPy makes of it without the head axis",
}
_DEMO_TIPS = {
    None: "The pinned row, or the last one with a hidden key",
    MaskDemo.FULLY_MASKED: "A query that may attend to nothing",
    MaskDemo.LOW_SCORE: "A visible key whose score is below −1e9",
    MaskDemo.ADDED_FLOAT32: "−1e9 added to the scores of a fully masked row, in 32 bits",
}


class HeadsChecks(QWidget):
    """Experiments with the heads on show.

    Which experiment, its shuffled order and its token are of no consequence for the rest of the window, so they are
    kept here and not in the state. Nothing is computed while the panel is hidden; with many tokens only on request,
    and then on a worker.
    """

    shown = Signal()
    """An experiment was carried out, or could not be."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._frame: HeadsFrame | None = None
        self._asks = False
        """Whether the experiment is carried out only at the press of the button."""
        self._report: CheckReport | None = None
        """The last one that was delivered, and whether it is to be seen."""
        self._is_seen = False
        self.experiment = Experiment()
        self._make_choice()
        self._make_mask_controls()
        self._make_change_controls()
        self._make_constant()
        self._make_control_row()
        self._make_results()
        self._column = QVBoxLayout(self)
        for part in (self.choice, self.look_for, self._controls, self.compute, self.result, self.notes, *self.tables):
            self._column.addWidget(part)
        self._column.addStretch(1)
        self.requests: Requests[tuple[HeadsSetup, Experiment]] = Requests(self)
        self.requests.delivered.connect(self._on_delivered)
        self.requests.changed.connect(self._show_standing)
        self.jobs = self.requests.jobs
        self.set_look(look)

    # ---- Building ----

    def _make_choice(self) -> None:
        self.choice = ChoiceBox(
            "Experiment",
            "What to try with the heads on show",
            ((check, check.value, _TIPS[check]) for check in Check),
            self._on_check_chosen,
        )
        self.look_for = _text_block(self._look, "What to look for")
        self.shuffle = QPushButton("Shuffle again")
        self.shuffle.setToolTip("Another random order of the same tokens")
        self.shuffle.clicked.connect(self._on_shuffle)

    def _make_mask_controls(self) -> None:
        self.demos = ChoiceBox(
            "Row to mask",
            "A row of the setup, or an example where the ways to mask disagree",
            ((demo, "a row of this setup" if demo is None else demo.value, tip) for demo, tip in _DEMO_TIPS.items()),
            lambda demo: self._try(demo=demo),
        )
        self.precision = ChoiceBox(
            "Precision",
            "How many bits every number has: 64, 32 or 16",
            ((precision, precision.value, f"Every operation in {precision}") for precision in Precision),
            lambda precision: self._try(precision=precision),
        )

    def _make_change_controls(self) -> None:
        self.token = QComboBox()
        self.token.setAccessibleName("Token to change")
        self.token.setToolTip("The token whose vector gets noise; a pinned row is taken over")
        self.token.setMaxVisibleItems(16)
        self.token.setMinimumContentsLength(7)
        self.token.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.token.activated.connect(lambda index: self._try(token=index))
        self.amount = ChoiceBox(
            "Amount of noise",
            "How strong the noise is: its standard deviation",
            ((amount, title, f"Standard deviation {amount:g}") for amount, title in AMOUNTS),
            lambda amount: self._try(amount=amount),
        )

    def _make_constant(self) -> None:
        self.constant = Slider()
        self.constant.setRange(-LARGEST_CONSTANT * CONSTANT_STEPS, LARGEST_CONSTANT * CONSTANT_STEPS)
        self.constant.setPageStep(5 * CONSTANT_STEPS)
        self.constant.setAccessibleName("Constant")
        self.constant.setToolTip("What is added to every score of the pinned row, from −50 to +50")
        self.constant.valueChanged.connect(lambda step: self._try(constant=step / CONSTANT_STEPS))
        self.added = QLabel()

    def _make_control_row(self) -> None:
        self._controls = QWidget()
        self._control_row = QHBoxLayout(self._controls)
        self._control_row.setContentsMargins(0, 0, 0, 0)
        change = QLabel("change")
        change.setBuddy(self.token)
        self._controls_of: dict[Check, tuple[QWidget, ...]] = {
            Check.SHUFFLE: (self.shuffle,),
            Check.SYMMETRY: (),
            Check.RESHAPE: (),
            Check.MASKING: (self.demos, self.precision),
            Check.CHANGE: (change, self.token, self.amount),
            Check.CONSTANT: (self.constant, self.added),
            Check.BROADCAST: (),
        }
        for widgets in self._controls_of.values():
            for widget in widgets:
                self._control_row.addWidget(widget)
        self._control_row.addStretch(1)

    def _make_results(self) -> None:
        self.compute = QPushButton(COMPUTE)
        self.compute.setToolTip("With this many weights the experiment takes a moment, so it is done when asked for")
        self.compute.clicked.connect(self._on_compute)
        self.result = _text_block(self._look, "Result")
        self.notes = _text_block(self._look, "About the experiment")
        self.tables = tuple(CheckTableView(self._look) for _ in range(MOST_TABLES))

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        margin = look.px(12)
        self._column.setContentsMargins(margin, look.px(10), margin, look.px(10))
        self._column.setSpacing(look.px(8))
        self._control_row.setSpacing(look.px(6))
        self.constant.setMinimumWidth(look.px(200))
        for block in (self.look_for, self.result, self.notes):
            block.set_look(look)
        for table in self.tables:
            table.set_look(look)
        self._show_controls()

    def show_frame(self, frame: HeadsFrame, row: int | None) -> None:
        """Experiment with a frame; ``row`` is the pinned query."""
        self._frame = frame
        if row != self.experiment.row:
            # A newly pinned row is the token to change, until another one is chosen here.
            self.experiment = replace(self.experiment, row=row, token=None)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        self.requests.leave()
        super().hideEvent(event)

    def _refresh(self) -> None:
        """Carry out the experiment, if anybody looks and it is not what is shown already."""
        frame, experiment = self._frame, self.experiment.essence
        if frame is None or not self.isVisible():
            return
        self._show_controls()
        self._asks = needs_asking(frame, self.experiment)
        request, work = (frame.setup, experiment), partial(_carry_out, frame, experiment)
        if self._asks:
            self.requests.hold(request, work)
        else:
            # Of the same kind, what runs is let finish: while a slider moves, something is seen.
            at_once, of_another = is_quick(frame, self.experiment), not _are_alike(request, self.requests.wanted)
            self.requests.want(request, work, at_once=at_once, replace=of_another)
        self._show_standing()

    def _show_controls(self) -> None:
        experiment = self.experiment
        self.choice.show_value(experiment.check)
        self.look_for.set_text(TextLine(LOOK_FOR[experiment.check], "muted", size=12.5))
        for check, widgets in self._controls_of.items():
            for widget in widgets:
                widget.setVisible(check is experiment.check)
        self._controls.setVisible(bool(self._controls_of[experiment.check]))
        self.demos.show_value(experiment.demo)
        self.precision.show_value(experiment.precision_used)
        self.precision.setEnabled(fixed_precision(experiment.demo) is None)
        self.amount.show_value(experiment.amount)
        with QSignalBlocker(self.constant):
            self.constant.setValue(round(experiment.constant * CONSTANT_STEPS))
        self.added.setText(signed(experiment.constant, 1))
        if self._frame is not None:
            self._show_tokens(self._frame)

    def _show_tokens(self, frame: HeadsFrame) -> None:
        named = [frame.count.listed(frame.keys, place) for place in range(len(frame.keys))]
        if [self.token.itemText(index) for index in range(self.token.count())] != named:
            self.token.clear()
            self.token.addItems(named)
        if named:
            self.token.setCurrentIndex(token_to_change(frame, self.experiment))

    def _show_standing(self) -> None:
        """Show the result, or why there is none."""
        requests, standing = self.requests, self.requests.standing
        self.compute.setVisible(standing is Standing.STOPPED or (self._asks and requests.is_pending))
        self.compute.setText(CANCEL if requests.is_pending else COMPUTE)
        is_of_now = standing is Standing.CURRENT or _are_alike(requests.shown, requests.wanted)
        if standing is Standing.STOPPED and self._frame is not None:
            count = f"{self._frame.shape[0]} × {self._frame.shape[1]} weights a head"
            self._show_sentence(f"With {count} this takes a moment: press {COMPUTE}.")
        elif standing is Standing.REFUSED:
            self._show_sentence(requests.reason)
            self.shown.emit()
        elif self._report is not None and is_of_now:
            self._show_report(self._report)
        elif requests.is_pending:
            self._show_sentence("Computing …")

    def _show_report(self, report: CheckReport) -> None:
        if self._is_seen:
            return
        self._is_seen = True
        self.result.set_text(TextLine(report.result, bold=True))
        self.notes.set_text(*(TextLine(note, size=12.5) for note in report.notes))
        self.notes.setVisible(bool(report.notes))
        for number, view in enumerate(self.tables):
            view.setVisible(number < len(report.tables))
            if number < len(report.tables):
                view.show_table(report.tables[number])
        self.shown.emit()

    def _show_sentence(self, sentence: str) -> None:
        self._is_seen = False
        self.result.set_text(TextLine(sentence, "muted"))
        self.notes.hide()
        for view in self.tables:
            view.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour_of(self._look.theme.card))
        painter.end()

    # ---- Long experiments ----

    def _on_compute(self) -> None:
        if not self.cancel():
            self.requests.resume()

    def cancel(self) -> bool:
        """Stop what was asked for by the button; return whether there was something."""
        return self._asks and self.requests.stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape or not self.cancel():
            super().keyPressEvent(event)

    def _on_delivered(self, _request: object, report: CheckReport) -> None:
        self._report, self._is_seen = report, False
        self._show_standing()

    # ---- Acting ----

    def _try(self, **changes: object) -> None:
        self.experiment = replace(self.experiment, **changes)  # type: ignore[arg-type]
        self._refresh()

    def _on_check_chosen(self, check: object) -> None:
        self._try(check=check)

    def _on_shuffle(self) -> None:
        self._try(seed=self.experiment.seed + 1)


def _carry_out(frame: HeadsFrame, experiment: Experiment, report: Report, deliver: Deliver) -> None:
    with stoppable(report):
        deliver(carry_out(frame, experiment))


def _are_alike(one: tuple[HeadsSetup, Experiment] | None, other: tuple[HeadsSetup, Experiment] | None) -> bool:
    """Whether two requests are for the same kind of experiment with the same setup."""
    return one is not None and other is not None and (one[0], one[1].check) == (other[0], other[1].check)


def _text_block(look: Look, name: str) -> TextBlock:
    """Make a block of text that takes the height it needs at the width it has, however narrow the panel."""
    block = TextBlock(look, 1, name)
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    policy.setHeightForWidth(True)
    block.setSizePolicy(policy)
    return block
