"""Long work on a thread of its own, so that the window never freezes: one job runs, one waits, the newest waits."""

from __future__ import annotations

import atexit
import math
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

import shiboken6
from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal, Slot

from attention_explorer.errors import ExplorerError
from attention_explorer.model.checkpoint import watched
from attention_explorer.session import threads

PROGRESS_INTERVAL_SECONDS = 0.05
"""Progress is passed on about 20 times a second: more is not seen and only costs the GUI thread."""

SWITCH_SECONDS = 0.0005
"""How long the GUI thread waits for the interpreter while Python runs on the worker. Python's own 5 ms are too long:
the GUI thread lets go of the interpreter a dozen times in a repaint, and waits each time."""

STOP_WITHIN_SECONDS = 5.0
"""How long closing waits for work that does not report. Its thread is then left to end with the process."""


class Cancelled(Exception):  # noqa: N818 - no error: the work was told to end, and does
    """Raised inside the work, by reporting or delivering, once nobody wants it any more. Let it pass."""


Report: TypeAlias = Callable[[float], None]
"""Says how much is done, 0…1. Raises `Cancelled` when the job was cancelled."""

Deliver: TypeAlias = Callable[[object], None]
"""Hands over a partial or final result. Raises `Cancelled` when the job was cancelled."""

Work: TypeAlias = Callable[[Report, Deliver], None]
"""Runs on the worker: touches nothing of the window and reports at least every 100 ms, or it cannot be cancelled."""


@contextmanager
def stoppable(report: Report) -> Iterator[Report]:
    """Let work be cancelled at each of its checkpoints too; it reports to what is given to it here."""
    done = 0.0

    def remember(fraction: float) -> None:
        nonlocal done
        done = fraction
        report(fraction)

    with watched(lambda: report(done)):
        yield remember


class JobQueue(QObject):
    """One job at a time on a thread of its own; the newest request replaces the one that waits.

    A request does not cancel the job that runs: during a drag, where every mouse move is a request, no job would ever
    get to its end. All methods are called on the GUI thread and all signals are emitted on it. The thread is made at
    the first request.

    Signals
    -------
    started : (key)
        A job is handed to the worker.
    progressed : (key, fraction)
        So much is done, 0…1; at most about 20 times a second.
    delivered : (key, result)
        A partial or final result, in the order of the work; nothing comes after `cancel`.
    failed : (key, exception)
        The work raised it, and was not cancelled. What is no `ExplorerError` is a mistake in the program: it also goes
        to ``sys.excepthook``, on the GUI thread, even if the job was cancelled.
    finished : (key)
        The job is done, cancelled or has failed: exactly once for each ``started``, after all else about that job.
    """

    started = Signal(object)
    progressed = Signal(object, float)
    delivered = Signal(object, object)
    failed = Signal(object, object)
    finished = Signal(object)

    def __init__(self, parent: QObject | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self._clock = clock
        self._running: _Job | None = None
        self._pending: _Job | None = None
        self._worker = _Worker()
        self._worker.post.sent.connect(self._on_message, Qt.ConnectionType.QueuedConnection)
        # Not a method of our own: when this signal comes, whoever deletes the page has left of us only the C++ half.
        self.destroyed.connect(self._worker.stop)

    def request(self, key: Hashable, work: Work, *, replace: bool = False) -> None:
        """Do this work as soon as the worker is free, instead of what waits for it now.

        Nothing is done twice: if a job with an equal key runs and was not cancelled, that is the answer, and what waits
        is dropped. With ``replace``, a running job with another key is cancelled. Ignored after `stop`.
        """
        if self._worker.is_stopped:
            return
        running = self._running
        if running is not None and not running.is_cancelled and running.key == key:
            self._pending = None
            return
        if replace and running is not None:
            running.is_cancelled = True
        self._pending = _Job(key, work)
        self._start_pending()

    def cancel(self) -> None:
        """Drop what waits and end what runs: at once for the listener, at its next report for the worker."""
        self._pending = None
        if self._running is not None:
            self._running.is_cancelled = True

    def is_busy(self) -> bool:
        """Whether a job runs, even a cancelled one that has not yet noticed, or waits."""
        return not self._worker.is_stopped and not (self._running is None and self._pending is None)

    def wait(self, seconds: float) -> bool:
        """Go on handling events until nothing runs or waits, or the time is over; return whether it is idle."""
        loop, limit = QEventLoop(), QTimer(singleShot=True)
        limit.start(max(0, math.ceil(1000 * seconds)))
        # Not loop.exec(): once the application was told to quit, it returns without handling anything.
        while self.is_busy() and limit.isActive():
            loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        return not self.is_busy()

    def stop(self) -> None:
        """Cancel everything and end the thread, for good; later requests are ignored.

        Waits for the work to notice, but no longer than `STOP_WITHIN_SECONDS`.
        """
        if self._worker.is_stopped:
            return
        running, self._running, self._pending = self._running, None, None
        self._worker.stop()
        if running is not None:
            running.work = _nothing
            self.finished.emit(running.key)

    def _start_pending(self) -> None:
        if self._running is not None or self._pending is None:
            return
        job, self._running, self._pending = self._pending, self._pending, None
        self.started.emit(job.key)
        self._worker.give(job, self._clock)

    @Slot(object)
    def _on_message(self, message: _Message) -> None:
        job = message.job
        if isinstance(message, _End):
            self._worker.rest()
        if job is not self._running:
            return  # sent before stop(), or by work that kept `report` or `deliver` beyond its end
        if isinstance(message, _End):
            self._finish(job, message.error)
        elif job.is_cancelled:
            return
        elif isinstance(message, _Progress):
            self.progressed.emit(job.key, message.fraction)
        else:
            self.delivered.emit(job.key, message.result)

    def _finish(self, job: _Job, error: BaseException | None) -> None:
        self._running = None
        job.work = _nothing  # what it holds on to is freed here, not whenever the worker lets go of the job
        if not shiboken6.isValid(self):
            return  # with the work went the last that held the owner of this queue
        if error is not None and not job.is_cancelled:
            self.failed.emit(job.key, error)
        self.finished.emit(job.key)
        self._start_pending()
        if error is not None and not isinstance(error, ExplorerError):
            # The same as raising it here, without leaving a cycle of error, traceback and this frame behind.
            sys.excepthook(type(error), error, error.__traceback__)


def _nothing(_report: Report, _deliver: Deliver) -> None:
    """Do nothing: stands in for work that is over."""


class _Job:
    """One request. The GUI thread writes, the worker only reads."""

    def __init__(self, key: Hashable, work: Work) -> None:
        self.key = key
        self.work = work
        self.is_cancelled = False


@dataclass(frozen=True, slots=True, eq=False)
class _Progress:
    job: _Job
    fraction: float


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    job: _Job
    result: object


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    job: _Job
    error: BaseException | None


_Message: TypeAlias = _Progress | _Result | _End


class _Post(QObject):
    """Lives on the GUI thread; what the worker sends is queued there in order, and dropped if the receiver is gone."""

    sent = Signal(object)


class _Worker:
    """The thread and all it needs. It knows nothing of the queue, which may be deleted while work runs."""

    def __init__(self) -> None:
        self.post = _Post()
        self.is_stopped = False
        self._inbox: SimpleQueue[tuple[_Job, Callable[[], float]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def give(self, job: _Job, clock: Callable[[], float]) -> None:
        """Have a job done; the first one makes the thread."""
        if self.is_stopped:
            return  # by whoever heard that it was to start
        if self._thread is None:
            sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))
            # A daemon, for Python waits for others at its exit before it calls what is registered here.
            self._thread = threads.start(self._run, "attention-explorer-jobs")
            atexit.register(self.stop)
        else:
            threads.wake(self._thread)
        self._inbox.put((job, clock))

    def rest(self) -> None:
        """Hear, on the GUI thread, that the job is done: what follows on the worker allocates next to nothing."""
        if self._thread is not None:
            threads.rest(self._thread)

    def stop(self) -> None:
        """Cancel the work under way and end the thread."""
        self.is_stopped = True
        thread, self._thread = self._thread, None
        if thread is None:
            return
        atexit.unregister(self.stop)
        threads.wake(thread)  # ending it allocates too; if it does not end now, it is looked after until it has
        self._inbox.put(None)
        # The garbage collector deletes a forgotten queue on whatever thread it happens to run.
        if thread is not threading.current_thread():
            thread.join(STOP_WITHIN_SECONDS)
        threads.let_go(thread)

    def _run(self) -> None:
        while self._run_next():
            pass

    def _run_next(self) -> bool:
        # A function of its own, so that nothing of the last job is held while the thread waits for the next.
        given = self._inbox.get()
        if given is None:
            return False
        job, clock = given
        # Not by way of a local variable: the error's traceback leads back to this frame and would keep itself alive.
        self.post.sent.emit(_End(job, _error_of(job, _Line(self, job, clock))))
        return True


class _Line:
    """What the work speaks into."""

    def __init__(self, worker: _Worker, job: _Job, clock: Callable[[], float]) -> None:
        self._worker = worker
        self._job = job
        self._clock = clock
        self._last_time = -math.inf
        self._last_fraction = -1.0

    def check(self) -> None:
        """Raise `Cancelled` if nobody wants the work any more."""
        if self._job.is_cancelled or self._worker.is_stopped:
            raise Cancelled

    def report(self, fraction: float) -> None:
        """Pass on progress, unless the last was just now; the end of it always."""
        self.check()
        fraction = min(1.0, max(0.0, fraction))  # NaN, from 0/0 steps, becomes 0
        now = self._clock()
        is_due = now - self._last_time >= PROGRESS_INTERVAL_SECONDS or fraction == 1.0
        if is_due and fraction != self._last_fraction:
            self._last_time, self._last_fraction = now, fraction
            self._worker.post.sent.emit(_Progress(self._job, fraction))

    def deliver(self, result: object) -> None:
        """Pass on a result."""
        self.check()
        self._worker.post.sent.emit(_Result(self._job, result))


def _error_of(job: _Job, line: _Line) -> BaseException | None:
    """Do the work and return what it raised, if that is worth telling."""
    try:
        line.check()
        job.work(line.report, line.deliver)
    except Cancelled:
        return None
    except BaseException as error:  # noqa: BLE001 - whatever it is: the GUI thread hears of it, and this one goes on
        return error
    return None


T = TypeVar("T")


class Working(QObject):
    """Finds out one thing at a time: what is asked for last is what is wanted. Nothing comes after `forget`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.jobs = JobQueue(self)
        self._awaited: tuple[Callable[[Any], None], Callable[[ExplorerError], None]] | None = None
        """What is done with what is found out, or with what is wrong; None if nobody waits for it."""
        self.jobs.delivered.connect(self._on_found)
        self.jobs.failed.connect(self._on_failed)

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for what is computed aside."""
        return self._awaited is not None

    def find_out(
        self,
        compute: Callable[[], T],
        use: Callable[[T], None],
        refuse: Callable[[ExplorerError], None],
        *,
        aside: bool = True,
    ) -> None:
        """Compute something and use it: at once, or aside where that may take a while."""
        if not aside:
            try:
                found = compute()
            except ExplorerError as error:
                refuse(error)
            else:
                use(found)
            return

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(compute())

        self._awaited = use, refuse
        self.jobs.request(id(work), work, replace=True)

    def forget(self) -> None:
        """Wait for nothing any more."""
        self.jobs.cancel()
        self._awaited = None

    def _on_found(self, _key: object, found: object) -> None:
        if self._awaited is not None:
            (use, _), self._awaited = self._awaited, None
            use(found)

    def _on_failed(self, _key: object, error: Exception) -> None:
        if self._awaited is not None:
            (_, refuse), self._awaited = self._awaited, None
            if isinstance(error, ExplorerError):
                refuse(error)
