"""Play: the network learns on a worker, and the state follows its steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.training.moment import trained
from attention_explorer.pages.training.state import MOST_STEPS, TrainingState
from attention_explorer.pages.training.ui.pictures import LearningPicture
from attention_explorer.pages.training.ui.views import view_of
from attention_explorer.pages.ui.player import Player
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.sources.learned.setup import LearningSetup

PICTURE_SECONDS = 1 / 45
"""Between two pictures at least; drawing them takes its time too, and 30 a second are to be seen."""
WAIT_SECONDS = 0.005


class TrainingPlayer(Player):
    """Learns until the next full round of the task's steps.

    Signals
    -------
    refused : str
        Why it cannot go on.
    """

    refused = Signal(str)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self._is_seen = True
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)
        self.jobs.finished.connect(self._on_finished)

    def start(self) -> None:
        if self._session.state.training.step < MOST_STEPS:
            super().start()

    def begin(self) -> None:
        state, self._is_seen = self._session.state.training, True
        rounds = state.step // state.task.steps + 1
        until = min(rounds * state.task.steps, MOST_STEPS)
        self.jobs.request(("learn", state.setup, state.step, until), self._work(state, until), replace=True)

    def end(self) -> None:
        self.jobs.cancel()

    def _work(self, begin: TrainingState, until: int) -> Callable[[Report, Deliver], None]:
        def work(report: Report, deliver: Deliver) -> None:
            trained(begin.setup, begin.step, lambda _fraction: report(0.0))
            started, sent, step = time.monotonic(), 0.0, begin.step
            while step < until:
                now = time.monotonic()
                if step >= begin.speed.step_after(now - started, begin.step, until):
                    report(step / until)
                    time.sleep(WAIT_SECONDS)
                    continue
                step += 1
                trained(begin.setup, step)
                report(step / until)
                is_due = self._is_seen and now - sent >= PICTURE_SECONDS
                if is_due or step == until:
                    sent, self._is_seen = now, False
                    self._look_at(begin.setup, step)
                    deliver(step)

        return work

    def _look_at(self, setup: LearningSetup, step: int) -> None:
        """Compute what is on show of a step, to be drawn at once; on the worker, which only reads the state."""
        state = self._session.state.training
        seen = (state if state.setup == setup else self._last.training).at_step(step)
        picture = view_of(seen.view).picture
        if isinstance(picture, LearningPicture):
            picture.compute(seen, (0, 0))

    def is_own(self, state: ExplorerState) -> bool:
        """Whether a state is at the step to which this has brought it; how that is looked at may change."""
        now, last = state.training, self._last.training
        return now.setup == last.setup and now.step == last.step

    def _on_delivered(self, _key: object, step: int) -> None:
        self._is_seen = True
        if not self._is_running:
            return
        state = self._session.state
        if not self.is_own(state):
            self.stop()  # a person took over
            return
        self.go(replace(state, training=state.training.at_step(step)), "Train")

    def _on_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.refused.emit(str(error))

    def _on_finished(self, _key: object) -> None:
        if not self.jobs.is_busy():
            self.stop()
