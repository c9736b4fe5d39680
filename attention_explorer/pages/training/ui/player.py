"""Play: the network learns on a worker, and the state follows its steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.training.moment import Moment, MomentRequest, moment_at, trained
from attention_explorer.pages.training.state import MOST_STEPS, TrainingState
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.sources.learned.setup import LearningSetup

PICTURE_SECONDS = 1 / 45
"""Between two pictures at least; drawing them takes its time too, and 30 a second are to be seen."""
WAIT_SECONDS = 0.005


class TrainingPlayer(QObject):
    """Learns while it runs; all of it is one undo step, made when it stops.

    Signals
    -------
    running_changed : bool
        It has begun or stopped.
    arrived : Moment
        What is seen of the newest step. The state is at that step when this comes.
    refused : str
        Why it cannot go on.
    """

    running_changed = Signal(bool)
    arrived = Signal(object)
    refused = Signal(str)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._is_running = False
        self._last = session.state.training
        self._is_seen = True
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)
        self.jobs.finished.connect(self._on_finished)

    @property
    def is_running(self) -> bool:
        """Whether it learns."""
        return self._is_running

    def start(self) -> None:
        """Learn on from the step on show, until the next full round of the task's steps."""
        state = self._session.state.training
        if self._is_running or state.step >= MOST_STEPS:
            return
        self._session.commit()
        self._last, self._is_running, self._is_seen = state, True, True
        rounds = state.step // state.task.steps + 1
        until = min(rounds * state.task.steps, MOST_STEPS)
        self.jobs.request(("learn", state.setup, state.step, until), self._work(state, until), replace=True)
        self.running_changed.emit(True)

    def stop(self) -> bool:
        """Stop, and make where it has come to an undo step; return whether it was running."""
        if not self._is_running:
            return False
        self._is_running = False
        self.jobs.cancel()
        if self._is_own(self._session.state):  # or else somebody changed something, and committed that
            self._session.commit()
        self.running_changed.emit(False)
        return True

    def toggle(self) -> None:
        """Begin or stop."""
        if not self.stop():
            self.start()

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
                    deliver(moment_at(self._asked(begin.setup, step)))

        return work

    def _asked(self, setup: LearningSetup, step: int) -> MomentRequest:
        """Return what is asked of a step; on the worker, which only reads the state."""
        state = self._session.state.training
        return MomentRequest.of((state if state.setup == setup else self._last).at_step(step))

    def _is_own(self, state: ExplorerState) -> bool:
        """Whether a state is at the step to which this has brought it."""
        return state.training.setup == self._last.setup and state.training.step == self._last.step

    def _on_delivered(self, _key: object, moment: Moment) -> None:
        self._is_seen = True
        if not self._is_running:
            return
        state = self._session.state
        if not self._is_own(state):
            self.stop()  # a person took over
            return
        self._last = state.training.at_step(moment.request.step)
        self._session.preview(replace(state, training=self._last), "Train")
        self.arrived.emit(moment)

    def _on_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.refused.emit(str(error))

    def _on_finished(self, _key: object) -> None:
        if not self.jobs.is_busy():
            self.stop()
