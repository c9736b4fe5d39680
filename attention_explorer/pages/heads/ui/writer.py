"""Has a model write: token by token, each with its maps, until it ends its text or somebody stops it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.next_tokens import next_text
from attention_explorer.pages.heads.writing import MOST_WRITTEN
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
