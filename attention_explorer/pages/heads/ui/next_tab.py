"""What a model makes of the sentence, computed on a worker: the most probable tokens, and what it writes."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import signed
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.next_tokens import Expected, Nearness, expected_tokens, nearness
from attention_explorer.pages.heads.presets import other_setup
from attention_explorer.pages.heads.reading import Reading
from attention_explorer.pages.heads.state import HeadsSetup, Picture
from attention_explorer.pages.heads.ui.token_bars import NUMBERS, TokenBars
from attention_explorer.pages.heads.ui.writer import Writer
from attention_explorer.pages.heads.ui.writing_row import WritingRow
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable


class OutputBars(TokenBars):
    """Bars in the colour of outputs: probabilities, not weights; and by how much each grew, where that is known."""

    _change: FloatArray | None = None

    def show_expected(self, expected: Expected) -> None:
        """Show probabilities, and how they changed."""
        self._change = expected.change
        self._numbers = NUMBERS if expected.change is None else 2 * NUMBERS
        self.show_reading(expected.reading, None)

    def _value(self, reading: Reading, token: int) -> str:
        value = super()._value(reading, token)
        return value if self._change is None else f"{value}  Δ {signed(float(self._change[token]), 4)}"

    def _spoken(self, reading: Reading, token: int) -> str:
        said = super()._spoken(reading, token)
        return said if self._change is None else f"{said}, changed by {signed(float(self._change[token]), 3)}"

    def _side(self, reading: Reading) -> tuple[str, str]:
        return self._look.theme.output, self._look.theme.output_ink

    def _places_of(self, reading: Reading) -> tuple[str, ...]:
        return ("",) * len(reading.tokens)


class NextTab(QWidget):
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
        self._session, self._look = session, look
        self._wanted: tuple[HeadsSetup, int | None, HeadsSetup | None] | None = None
        self._card = Card(look)
        self.title, self.note = TextBlock(look, 1, "Which place this is"), TextBlock(look, 1, "How many tokens")
        self.bars = OutputBars(look)
        self.bars.setAccessibleName("Most probable tokens")
        self._make_writing()
        for part in (self._writing, self.title, self.note, self.bars):
            self._card.body.addWidget(part)
        self._card.body.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._card)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)

    def _make_writing(self) -> None:
        self.writer = Writer(self._session, self)
        self.write = QPushButton("Write")
        self.write.setToolTip("Have the model go on with the sentence, token by token; click again to stop")
        self.write.clicked.connect(lambda: self.writer.stop() if self.writer.is_writing else self.writer.start())
        self.one = QPushButton("+ 1 token")
        self.one.setToolTip("Have the model write one token")
        self.one.clicked.connect(lambda: self.writer.start(1))
        self.row = WritingRow(self._session, self._look)
        self.row.refused.connect(self.refused)
        self._said = TextBlock(self._look, 1, "How the writing ended")
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
        column.addWidget(self.row)
        column.addWidget(self._said)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        for part in (self._card, self.title, self.note, self.bars, self.row, self._said):
            part.set_look(look)

    def hideEvent(self, event: QHideEvent) -> None:
        self.writer.stop()

    def show_frame(self, frame: HeadsFrame, row: int | None) -> None:
        """Show what is expected at a query, or at the last one; the old bars stay until that is known."""
        self._writing.setVisible(frame.source.writes)
        self.bars.setVisible(frame.source.predicts)
        self.row.show_writing(self._session.state.heads.writing)
        self.writer.go_on(frame)
        heads = self._session.state.heads
        wanted = (frame.setup, row, other_setup(heads) if heads.view.picture is Picture.COMPARE else None)
        if wanted == self._wanted:
            return
        self._wanted = wanted

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(expected_tokens(*wanted) if frame.source.predicts else nearness(frame.setup))

        self.jobs.request(wanted, work, replace=True)

    # ---- Writing ----

    def _on_writing(self, writes: bool) -> None:
        self.write.setText("Stop" if writes else "Write")
        self.one.setEnabled(not writes)
        if writes:
            self._said.hide()

    def _on_said(self, sentence: str) -> None:
        self._said.set_text(TextLine(sentence, size=12.5))
        self._said.show()

    # ---- What was computed ----

    def _on_delivered(self, key: object, found: Expected | Nearness | None) -> None:
        if key != self._wanted or found is None:
            return
        if isinstance(found, Nearness):
            self.title.set_text(TextLine(found.title, bold=True))
            self.note.set_text(TextLine(found.text, size=12.5))
            return
        self.title.set_text(TextLine(found.reading.title, bold=True))
        self.note.set_text(*(TextLine(line, size=12.5) for line in (found.reading.note, found.against) if line))
        self.bars.show_expected(found)

    def _on_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.note.set_text(TextLine(str(error), size=12.5))
