"""What a model makes of the sentence, computed on a worker: the most probable tokens, and what it writes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.declared import declarations
from attention_explorer.core.numerals import signed
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.form import Form
from attention_explorer.kit.frame.panel import ItemsWidget
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.guess import Expected, Nearness, expected_tokens, nearness, next_text
from attention_explorer.pages.heads.parts import MOST_WRITTEN, Writing
from attention_explorer.pages.heads.presets import other_setup
from attention_explorer.pages.heads.state import HeadsSetup, Picture
from attention_explorer.pages.heads.wording import weight_text
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.sources.models.model import FULL
from attention_explorer.sources.registry import sentence_of, tokens_of
from attention_explorer.sources.source import Recipe

ENDED = "The model ended its text here."
LONG_AGO_SECONDS = 3600.0
"""All that is written in one go is one step of the history."""


class Writer(QObject):
    """Writes into the sentence of the Heads page.

    Signals
    -------
    changed : bool
        Whether it writes.
    said : str
        Why it stopped.
    """

    changed = Signal(bool)
    said = Signal(str)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._left = self._runs = 0
        self._read: Recipe | None = None
        """What the model reads since the last token; whoever changes it ends the writing."""
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)

    @property
    def is_writing(self) -> bool:
        """Whether tokens are on their way."""
        return self._left > 0

    def start(self, most: int = MOST_WRITTEN) -> None:
        """Write so many tokens at most."""
        self._left, self._runs = most, self._runs + 1
        self._read = self._session.state.heads.setup.recipe
        self.changed.emit(True)
        self._ask()

    def stop(self) -> None:
        """Write no more."""
        if self.is_writing:
            self._left = 0
            self.jobs.cancel()
            self.changed.emit(False)

    def go_on(self, frame: HeadsFrame) -> None:
        """Ask for the next token, once the maps of the one before are on show."""
        if not self.is_writing:
            return
        if self._session.state.heads.setup.recipe != self._read:
            self.stop()
        elif frame.setup.recipe == self._read:
            self._ask()

    def _ask(self) -> None:
        heads = self._session.state.heads
        wanted = heads.setup, heads.writing

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(next_text(*wanted))

        self.jobs.request(wanted, work)

    def _on_delivered(self, _key: object, text: str) -> None:
        state = self._session.state
        if not self.is_writing or state.heads.setup.recipe != self._read:
            self.stop()
            return
        if not text:
            self.stop()
            self.said.emit(ENDED)
            return
        heads = state.heads.with_recipe(sentence=sentence_of(state.heads.setup.recipe) + text)
        self._read = heads.setup.recipe
        if not tokens_of(self._read):
            self.stop()
            self.said.emit(FULL)
            return
        self._left -= 1
        heads = heads.with_view(row=None, column=None)  # what is expected is that after the last token
        merge = f"write {self._runs}"
        self._session.apply(replace(state, heads=heads), "Write", merge, within=LONG_AGO_SECONDS)
        if not self._left:
            self.changed.emit(False)

    def _on_failed(self, _key: object, error: Exception) -> None:
        self.stop()
        self.said.emit(str(error))


def expected_bars(expected: Expected) -> NamedBars:
    """Return probabilities as bars; where that is known, with what each was before, and by how much it grew."""
    now, before, change = expected.reading.weights.tolist(), expected.before, expected.change
    largest = max(*now, 1e-300)  # the numbers say how much; the bars, how they compare
    was, said = [""] * len(now), list(map(weight_text, now))
    titles = "", "probability"
    if before is not None and change is not None:
        titles = expected.when, "now, and Δ"
        was = list(map(weight_text, before.tolist()))
        said = [f"{text}  {signed(grown, 4)}" for text, grown in zip(said, change.tolist(), strict=True)]
    rows = zip(now, was, said, expected.reading.tokens, strict=True)
    bars = tuple(Bar("", number / largest, earlier, text, token) for number, earlier, text, token in rows)
    return NamedBars("expected", titles, bars, "output")


class NextWords(QWidget):
    """The most probable tokens at the pinned query, or at the last one; and how the model goes on, token by token.

    Of a sentence model, the cosine of two sentences.

    Signals
    -------
    refused : str
        What was typed does not fit.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._wanted: tuple[HeadsSetup, int | None, HeadsSetup | None] | None = None
        self.found: Expected | Nearness | None = None
        self.title, self.note = TextBlock(look, 1, "Which place this is"), TextBlock(look, 1, "How many tokens")
        self.bars = ItemsWidget(look, "Most probable tokens")
        self._make_writing(look)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for part in (self._writing, self.title, self.note, self.bars):
            column.addWidget(part)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)

    def _make_writing(self, look: Look) -> None:
        self.writer = Writer(self._session, self)
        self.write = QPushButton("Write")
        self.write.setToolTip("Have the model go on with the sentence, token by token; click again to stop")
        self.write.clicked.connect(lambda: self.writer.stop() if self.writer.is_writing else self.writer.start())
        self.one = QPushButton("+ 1 token")
        self.one.setToolTip("Have the model write one token")
        self.one.clicked.connect(lambda: self.writer.start(1))
        self.form = Form(Writing, declarations(Writing), look, in_line=True)
        self.form.changed.connect(self._on_changed)
        self.form.refused.connect(self.refused)
        self._said = TextBlock(look, 1, "How the writing ended")
        self._said.hide()
        self.writer.changed.connect(self._on_writing)
        self.writer.said.connect(self._on_said)
        self._writing = QWidget()
        buttons = QHBoxLayout()
        for button in (self.write, self.one):
            buttons.addWidget(button, 1)
        column = QVBoxLayout(self._writing)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(buttons)
        column.addWidget(self.form)
        column.addWidget(self._said)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        for part in (self.title, self.note, self.bars, self.form, self._said):
            part.set_look(look)

    def hideEvent(self, event: QHideEvent) -> None:
        self.writer.stop()

    def show_frame(self, frame: HeadsFrame, row: int | None) -> None:
        """Show what is expected at a query, or at the last one; the old bars stay until that is known."""
        heads = self._session.state.heads
        self._writing.setVisible(frame.source.writes)
        self.form.show_state(heads.writing)
        self.writer.go_on(frame)
        wanted = (frame.setup, row, other_setup(heads) if heads.view.picture is Picture.COMPARE else None)
        if wanted == self._wanted:
            return
        self._wanted = wanted

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(expected_tokens(*wanted) if frame.source.predicts else nearness(frame.setup))

        self.jobs.request(wanted, work, replace=True)

    # ---- Writing ----

    def _on_changed(self, writing: Writing, label: str, merge: str) -> None:
        state = self._session.state
        heads = replace(state.heads, writing=writing)
        self._session.apply(replace(state, heads=heads), label, merge and f"writing {merge}")

    def _on_writing(self, writes: bool) -> None:
        self.write.setText("Stop" if writes else "Write")
        self.one.setEnabled(not writes)
        if writes:
            self._said.hide()

    def _on_said(self, sentence: str) -> None:
        self._said.set_text(TextLine(sentence, size=13))
        self._said.show()

    # ---- What was computed ----

    def _on_delivered(self, key: object, found: Expected | Nearness | None) -> None:
        if key != self._wanted or found is None:
            return
        self.found = found
        if isinstance(found, Nearness):
            title, notes = found.title, [found.text]
        else:
            title, notes = found.reading.title, [line for line in (found.reading.note, found.against) if line]
        self.title.set_text(TextLine(title, bold=True))
        self.note.set_text(*(TextLine(line, size=13) for line in notes))
        self.bars.show_items(() if isinstance(found, Nearness) else (expected_bars(found),))

    def _on_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.note.set_text(TextLine(str(error), size=13))
