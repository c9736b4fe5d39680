"""What a model expects at the pinned query: bars of the most probable tokens, computed on a worker."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.state.heads.frame import HeadsFrame
from attention_explorer.state.heads.next_tokens import expected_tokens
from attention_explorer.state.heads.reading import Reading
from attention_explorer.state.heads.state import HeadsSetup
from attention_explorer.ui.controls.card import Card
from attention_explorer.ui.controls.text_block import TextBlock, TextLine
from attention_explorer.ui.heads.token_bars import TokenBars
from attention_explorer.ui.theme import Look


class OutputBars(TokenBars):
    """Bars in the colour of outputs: probabilities, not weights."""

    def _side(self, reading: Reading) -> tuple[str, str]:
        return self._look.theme.output, self._look.theme.output_ink

    def _places_of(self, reading: Reading) -> tuple[str, ...]:
        return ("",) * len(reading.tokens)


class NextTab(QWidget):
    """The most probable tokens at the pinned query, or at the last one."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._wanted: tuple[HeadsSetup, int] | None = None
        self._card = Card(look)
        self.title, self.note = TextBlock(look, 1, "Which place this is"), TextBlock(look, 1, "How many tokens")
        self.bars = OutputBars(look)
        self.bars.setAccessibleName("Most probable tokens")
        self._card.body.addWidget(self.title)
        self._card.body.addWidget(self.note)
        self._card.body.addWidget(self.bars)
        self._card.body.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._card)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        for part in (self._card, self.title, self.note, self.bars):
            part.set_look(look)

    def show_frame(self, frame: HeadsFrame, row: int | None) -> None:
        """Show what is expected at a query, or at the last one; the old bars stay until that is known."""
        last = len(frame.queries) - 1
        wanted = (frame.setup, last if row is None else min(row, last))
        if wanted == self._wanted:
            return
        self._wanted = wanted

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(expected_tokens(*wanted))

        self.jobs.request(wanted, work, replace=True)

    def _on_delivered(self, key: object, found: Reading | None) -> None:
        if key != self._wanted or found is None:
            return
        self.title.set_text(TextLine(found.title, bold=True))
        self.note.set_text(TextLine(found.note, size=12.5))
        self.bars.show_reading(found, None)

    def _on_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.note.set_text(TextLine(str(error), size=12.5))
