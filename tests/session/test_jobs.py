"""One job runs, one waits, the newest waits; the thread it runs on, and how it ends."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QObject, QTimer
from pytestqt.qtbot import QtBot

from attention_explorer.errors import ExplorerError
from attention_explorer.session import garbage, jobs
from attention_explorer.session.jobs import PROGRESS_INTERVAL_SECONDS, Cancelled, Deliver, JobQueue, Report, Work

MakeQueue = Callable[..., JobQueue]

LONG = 10.0
"""Seconds that no test takes unless it fails."""


def job_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "attention-explorer-jobs"]


@pytest.fixture
def make_queue(qtbot: QtBot) -> Iterator[MakeQueue]:
    """Makes queues; all are stopped at the end, and have to end their threads."""
    queues: list[JobQueue] = []

    def make(clock: Callable[[], float] = time.monotonic) -> JobQueue:
        queues.append(JobQueue(clock=clock))
        return queues[-1]

    yield make
    for queue in queues:
        queue.stop()
    assert not job_threads(), "a thread was left over"


@pytest.fixture
def queue(make_queue: MakeQueue) -> JobQueue:
    return make_queue()


class Log:
    """Writes down what a queue says, in order, and on which thread it says it."""

    def __init__(self, queue: JobQueue) -> None:
        self.lines: list[tuple[object, ...]] = []
        self.threads: set[int] = set()
        queue.started.connect(lambda key: self._add("started", key))
        queue.progressed.connect(lambda key, fraction: self._add("progressed", key, fraction))
        queue.delivered.connect(lambda key, result: self._add("delivered", key, result))
        queue.failed.connect(lambda key, error: self._add("failed", key, error))
        queue.finished.connect(lambda key: self._add("finished", key))

    def _add(self, *line: object) -> None:
        self.lines.append(line)
        self.threads.add(threading.get_ident())

    def of(self, what: str) -> list[tuple[object, ...]]:
        return [line[1:] for line in self.lines if line[0] == what]


@pytest.fixture
def log(queue: JobQueue) -> Log:
    return Log(queue)


class Gated:
    """Work that says it has begun, waits until it is let on, then delivers its name."""

    def __init__(self, name: object = "done") -> None:
        self.name = name
        self.runs = 0
        self.begun = threading.Event()
        self.gate = threading.Event()

    def __call__(self, report: Report, deliver: Deliver) -> None:
        self.runs += 1
        self.begun.set()
        assert self.gate.wait(LONG), "nobody opened the gate"
        report(0.5)
        deliver(self.name)


def delivers(*results: object) -> Work:
    def work(_report: Report, deliver: Deliver) -> None:
        for result in results:
            deliver(result)

    return work


def raises(error: BaseException) -> Work:
    def work(_report: Report, _deliver: Deliver) -> None:
        raise error

    return work


class Endless:
    """Work that reports until it is cancelled."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.was_cancelled = False

    def __call__(self, report: Report, _deliver: Deliver) -> None:
        pause = threading.Event()
        try:
            for _ in range(10_000):
                report(0.1)
                self.begun.set()
                pause.wait(0.001)
        except Cancelled:
            self.was_cancelled = True
            raise
        raise AssertionError("nobody cancelled")


def run_gated(queue: JobQueue, key: Hashable) -> Gated:
    """Request work and return when it is under way."""
    work = Gated(key)
    queue.request(key, work)
    assert work.begun.wait(LONG)
    return work


# ---- Threads ----


def test_there_is_no_thread_before_the_first_request(queue: JobQueue) -> None:
    assert not job_threads()
    assert not queue.is_busy()
    queue.request("a", delivers())
    assert len(job_threads()) == 1
    assert queue.wait(LONG)
    queue.request("b", delivers())
    assert queue.wait(LONG)
    assert len(job_threads()) == 1, "one thread for all jobs"


def test_work_runs_on_another_thread_and_is_heard_of_on_this_one(queue: JobQueue, log: Log) -> None:
    at_work: list[int] = []

    def work(report: Report, deliver: Deliver) -> None:
        at_work.append(threading.get_ident())
        report(0.25)
        deliver("x")
        raise ExplorerError("The file is empty.")

    queue.request("a", work)
    assert queue.wait(LONG)
    assert at_work != [threading.get_ident()]
    assert [line[0] for line in log.lines] == ["started", "progressed", "delivered", "failed", "finished"]
    assert log.threads == {threading.get_ident()}


def test_the_window_goes_on_while_work_runs(queue: JobQueue, qtbot: QtBot) -> None:
    work = run_gated(queue, "a")
    ticks: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(1))
    timer.start(0)
    qtbot.waitUntil(lambda: len(ticks) > 5)
    assert queue.is_busy()
    work.gate.set()
    assert queue.wait(LONG)


# ---- Results and progress ----


def test_the_window_does_not_wait_long_for_python_on_the_worker(queue: JobQueue) -> None:
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(0.005)  # Python's own
        queue.request("a", delivers(1))
        assert sys.getswitchinterval() == pytest.approx(jobs.SWITCH_SECONDS)
        assert queue.wait(LONG)
    finally:
        sys.setswitchinterval(before)


def test_partial_results_come_in_order_and_as_they_are(queue: JobQueue, log: Log) -> None:
    results = [np.eye(3), None, {"head": 1}, (1, 2), "text", 4.5, [np.zeros(2)]]
    queue.request(("heads", 3), delivers(*results))
    assert queue.wait(LONG)
    heard = log.of("delivered")
    assert [key for key, _ in heard] == [("heads", 3)] * len(results)
    assert all(result is sent for (_, result), sent in zip(heard, results, strict=True))
    assert log.lines[-1] == ("finished", ("heads", 3))


def test_a_partial_result_does_not_wait_for_the_end(queue: JobQueue, log: Log, qtbot: QtBot) -> None:
    gate = threading.Event()

    def work(_report: Report, deliver: Deliver) -> None:
        deliver(1)
        assert gate.wait(LONG)
        deliver(2)

    queue.request("a", work)
    qtbot.waitUntil(lambda: log.of("delivered") == [("a", 1)])
    assert queue.is_busy()
    gate.set()
    assert queue.wait(LONG)
    assert log.of("delivered") == [("a", 1), ("a", 2)]


def test_a_listener_that_handles_events_itself_still_hears_results_in_order(queue: JobQueue) -> None:
    heard: list[object] = []

    def listen(_key: object, result: object) -> None:
        heard.append(result)
        QCoreApplication.processEvents()

    queue.delivered.connect(listen)
    queue.request("a", delivers(*range(50)))
    assert queue.wait(LONG)
    assert heard == list(range(50))


def progress_at(log: Log, queue: JobQueue, fractions: list[float]) -> list[object]:
    """Report these fractions in one job and return those that came through."""

    def work(report: Report, _deliver: Deliver) -> None:
        for fraction in fractions:
            report(fraction)

    queue.request("progress", work)
    assert queue.wait(LONG)
    return [fraction for _, fraction in log.of("progressed")]


def test_progress_is_passed_on_twenty_times_a_second(make_queue: MakeQueue) -> None:
    # A clock on which every report takes a little over 10 ms: of 100 reports in a second every fifth is due.
    count = itertools.count()
    queue = make_queue(lambda: next(count) * PROGRESS_INTERVAL_SECONDS / 4.9)
    reported = [i / 128 for i in range(100)]
    assert progress_at(Log(queue), queue, reported) == reported[::5]


def test_the_end_of_progress_is_always_passed_on_and_only_once(make_queue: MakeQueue) -> None:
    queue = make_queue(lambda: 7.0)
    assert progress_at(Log(queue), queue, [0.25, 0.5, 1.0, 1.0, 1.0]) == [0.25, 1.0]


def test_progress_stays_between_nothing_and_all(make_queue: MakeQueue) -> None:
    count = itertools.count()
    queue = make_queue(lambda: float(next(count)))
    assert progress_at(Log(queue), queue, [-3.0, 0.5, float("nan"), 17.0]) == [0.0, 0.5, 0.0, 1.0]


# ---- Which request is answered ----


def test_of_many_requests_the_first_and_the_newest_are_done(queue: JobQueue, log: Log) -> None:
    first = run_gated(queue, "first")
    waiting = [Gated(i) for i in range(500)]
    for i, work in enumerate(waiting):
        work.gate.set()
        queue.request(i, work)
    first.gate.set()
    assert queue.wait(LONG)
    assert log.of("delivered") == [("first", "first"), (499, 499)], "what runs comes to its end"
    assert log.of("started") == log.of("finished") == [("first",), (499,)]
    assert sum(work.runs for work in waiting) == 1


def test_in_a_storm_of_requests_jobs_come_one_at_a_time_and_the_newest_is_the_last(queue: JobQueue, log: Log) -> None:
    at_once: list[int] = []
    running = itertools.count()

    def work_for(i: int) -> Work:
        def work(_report: Report, deliver: Deliver) -> None:
            at_once.append(next(running))
            np.linalg.svd(np.full((20, 20), float(i)))
            deliver(i)

        return work

    for i in range(500):
        queue.request(i, work_for(i))
        if i % 3 == 0:
            QCoreApplication.processEvents()
    assert queue.wait(LONG)
    keys = [key for (key,) in log.of("started")]
    assert keys[0] == 0
    assert keys[-1] == 499
    assert keys == sorted(keys)
    assert at_once == list(range(len(keys)))
    expected = [line for key in keys for line in (("started", key), ("delivered", key, key), ("finished", key))]
    assert log.lines == expected


def test_the_same_request_again_is_ignored_while_it_runs(queue: JobQueue, log: Log) -> None:
    work, again = run_gated(queue, ("head", 1)), Gated()
    queue.request(("head", 1), again)
    queue.request(("head", 1), again, replace=True)
    work.gate.set()
    assert queue.wait(LONG)
    assert again.runs == 0
    assert log.of("delivered") == [(("head", 1), ("head", 1))]


def test_going_back_to_what_runs_drops_what_waits(queue: JobQueue, log: Log) -> None:
    work, other = run_gated(queue, "a"), Gated()
    queue.request("b", other)
    queue.request("a", Gated())
    work.gate.set()
    assert queue.wait(LONG)
    assert other.runs == 0
    assert log.of("started") == [("a",)]


def test_what_was_done_before_can_be_asked_again(queue: JobQueue, log: Log) -> None:
    for _ in range(2):
        queue.request("a", delivers(1))
        assert queue.wait(LONG)
    assert log.of("delivered") == [("a", 1), ("a", 1)]


def test_what_was_cancelled_can_be_asked_again_before_it_has_ended(queue: JobQueue, log: Log) -> None:
    work = run_gated(queue, "a")
    queue.cancel()
    queue.request("a", delivers("second"))
    work.gate.set()
    assert queue.wait(LONG)
    assert log.of("delivered") == [("a", "second")]
    assert log.of("finished") == [("a",), ("a",)]


def test_a_request_can_replace_what_runs(queue: JobQueue, log: Log) -> None:
    endless = Endless()
    queue.request("a", endless)
    assert endless.begun.wait(LONG)
    queue.request("b", delivers("b"), replace=True)
    assert queue.wait(LONG)
    assert endless.was_cancelled
    assert log.of("delivered") == [("b", "b")]
    assert log.of("finished") == [("a",), ("b",)]


def test_a_listener_may_ask_for_the_next_thing(queue: JobQueue, log: Log) -> None:
    queue.finished.connect(lambda key: queue.request(key + 1, delivers(key + 1)) if key < 3 else None)
    queue.request(0, delivers(0))
    assert queue.wait(LONG)
    assert log.of("delivered") == [(i, i) for i in range(4)]
    assert log.of("started") == log.of("finished") == [(i,) for i in range(4)]


# ---- Cancelling ----


def test_cancelling_ends_what_runs_and_drops_what_waits(queue: JobQueue, log: Log) -> None:
    endless, other = Endless(), Gated()
    queue.request("a", endless)
    queue.request("b", other)
    assert endless.begun.wait(LONG)
    queue.cancel()
    assert queue.is_busy(), "until the work has noticed"
    assert queue.wait(LONG)
    assert endless.was_cancelled
    assert other.runs == 0
    assert log.lines == [("started", "a"), ("finished", "a")]


def test_what_was_sent_before_cancel_and_not_yet_heard_is_not_heard_after_it(queue: JobQueue, log: Log) -> None:
    sent, gate, came_back = threading.Event(), threading.Event(), []

    def work(report: Report, deliver: Deliver) -> None:
        report(0.5)
        deliver("too late")
        sent.set()
        assert gate.wait(LONG)
        deliver("refused")
        came_back.append(True)

    queue.request("a", work)
    assert sent.wait(LONG)
    queue.cancel()
    gate.set()
    assert queue.wait(LONG)
    assert log.lines == [("started", "a"), ("finished", "a")]
    assert not came_back, "delivering ends cancelled work as reporting does"


def test_a_listener_may_cancel_in_the_middle(queue: JobQueue, log: Log) -> None:
    queue.delivered.connect(lambda _key, result: queue.cancel() if result == 2 else None)
    queue.request("a", delivers(1, 2, 3, 4))
    assert queue.wait(LONG)
    assert log.of("delivered") == [("a", 1), ("a", 2)]
    assert log.lines[-1] == ("finished", "a")


def test_work_that_is_cancelled_as_it_is_announced_never_begins(queue: JobQueue, log: Log) -> None:
    work = Gated()
    queue.started.connect(lambda _key: queue.cancel())
    queue.request("a", work)
    assert queue.wait(LONG)
    assert work.runs == 0
    assert log.lines == [("started", "a"), ("finished", "a")]


def test_cancelling_nothing_is_nothing(queue: JobQueue, log: Log) -> None:
    queue.cancel()
    queue.request("a", delivers(1))
    assert queue.wait(LONG)
    queue.cancel()
    assert log.of("delivered") == [("a", 1)]


def test_what_speaks_after_its_end_is_not_heard(queue: JobQueue, log: Log) -> None:
    kept: list[Deliver] = []
    queue.request("a", lambda _report, deliver: kept.append(deliver))
    assert queue.wait(LONG)
    kept[0]("late")
    queue.request("b", delivers("b"))
    assert queue.wait(LONG)
    assert log.of("delivered") == [("b", "b")]


# ---- Errors ----


def test_an_error_in_words_is_handed_on_once_and_the_queue_goes_on(queue: JobQueue, log: Log, qtbot: QtBot) -> None:
    error = ExplorerError("The file has no layer 11. Choose one from 0 to 5.")
    with qtbot.captureExceptions() as uncaught:
        queue.request("a", raises(error))
        queue.request("b", delivers("b"))
        assert queue.wait(LONG)
    assert log.lines == [
        ("started", "a"),
        ("failed", "a", error),
        ("finished", "a"),
        ("started", "b"),
        ("delivered", "b", "b"),
        ("finished", "b"),
    ]
    assert not uncaught


@pytest.mark.parametrize("error", [ZeroDivisionError("no keys"), MemoryError(), SystemExit(3)], ids=repr)
def test_a_mistake_reaches_the_error_dialog_once_and_the_queue_goes_on(
    queue: JobQueue, log: Log, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    uncaught: list[tuple[BaseException, int]] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, what, _trace: uncaught.append((what, threading.get_ident())))
    queue.request("a", raises(error))
    queue.request("b", delivers("b"))
    assert queue.wait(LONG)
    assert uncaught == [(error, threading.get_ident())]
    assert log.of("failed") == [("a", error)]
    assert log.of("finished") == [("a",), ("b",)]
    assert log.of("delivered") == [("b", "b")]


def test_the_report_of_a_mistake_says_where_it_was_made(queue: JobQueue, qtbot: QtBot) -> None:
    def divide_by_nothing(_report: Report, _deliver: Deliver) -> None:
        raise ZeroDivisionError

    with qtbot.captureExceptions() as uncaught:
        queue.request("a", divide_by_nothing)
        assert queue.wait(LONG)
    ((kind, _, trace),) = uncaught
    assert kind is ZeroDivisionError
    while trace.tb_next is not None:
        trace = trace.tb_next
    assert trace.tb_frame.f_code.co_name == "divide_by_nothing"


@pytest.mark.parametrize(("error", "shown"), [(ExplorerError("Cut short."), 0), (KeyError("a mistake"), 1)], ids=repr)
def test_of_cancelled_work_only_mistakes_are_shown(
    queue: JobQueue, log: Log, qtbot: QtBot, error: Exception, shown: int
) -> None:
    begun = threading.Event()

    def work(report: Report, _deliver: Deliver) -> None:
        pause = threading.Event()
        try:
            for _ in range(10_000):
                report(0.0)
                begun.set()
                pause.wait(0.001)
        except Cancelled:
            raise error from None

    with qtbot.captureExceptions() as uncaught:
        queue.request("a", work)
        assert begun.wait(LONG)
        queue.cancel()
        assert queue.wait(LONG)
    assert len(uncaught) == shown
    assert log.lines == [("started", "a"), ("finished", "a")]


def test_a_listener_that_fails_stops_nothing(queue: JobQueue, log: Log, qtbot: QtBot) -> None:
    queue.delivered.connect(lambda _key, result: 1 / result)
    with qtbot.captureExceptions() as uncaught:
        queue.request("a", delivers(0, 1))
        assert queue.wait(LONG)
    assert len(uncaught) == 1
    assert log.of("delivered") == [("a", 0), ("a", 1)]
    assert log.of("finished") == [("a",)]


# ---- Waiting and stopping ----


def test_waiting_ends_when_the_time_is_over(queue: JobQueue) -> None:
    work = run_gated(queue, "a")
    assert not queue.wait(0.0)
    assert not queue.wait(0.02)
    work.gate.set()
    assert queue.wait(LONG)
    assert queue.wait(0.0), "idle is idle"


def test_stopping_ends_the_thread_and_later_requests_are_ignored(queue: JobQueue, log: Log) -> None:
    endless, other = Endless(), Gated()
    queue.request("a", endless)
    queue.request("b", other)
    assert endless.begun.wait(LONG)
    queue.stop()
    assert not job_threads()
    assert endless.was_cancelled
    assert not queue.is_busy()
    queue.stop()
    queue.request("c", other)
    QCoreApplication.processEvents()
    assert not job_threads()
    assert other.runs == 0
    assert log.lines == [("started", "a"), ("finished", "a")]


def test_a_queue_that_was_never_used_can_be_stopped(queue: JobQueue, log: Log) -> None:
    queue.stop()
    queue.request("a", delivers(1))
    assert queue.wait(0.0)
    assert not log.lines


def test_a_listener_may_stop_the_queue_at_any_moment(make_queue: MakeQueue) -> None:
    for moment in ("started", "progressed", "delivered", "failed", "finished"):
        queue = make_queue()
        log = Log(queue)
        getattr(queue, moment).connect(queue.stop)

        def work(report: Report, deliver: Deliver) -> None:
            report(0.5)
            deliver(1)
            raise ExplorerError("The file is empty.")

        queue.request("a", work)
        queue.request("b", delivers(2))
        assert queue.wait(LONG)
        QCoreApplication.processEvents()
        assert log.of("started") == log.of("finished") == [("a",)], moment
        assert not job_threads(), moment


def test_stopping_does_not_wait_for_ever(
    queue: JobQueue, log: Log, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "STOP_WITHIN_SECONDS", 0.01)
    work = run_gated(queue, "deaf")
    (thread,) = job_threads()
    assert thread.daemon, "it must not hold up the end of the process"
    queue.stop()
    assert thread.is_alive()
    assert log.lines == [("started", "deaf"), ("finished", "deaf")]
    work.gate.set()
    thread.join(LONG)
    assert not gc.isenabled(), "nobody has looked since"
    qtbot.waitUntil(gc.isenabled)
    assert len(log.lines) == 2


def test_garbage_is_collected_while_something_deaf_still_runs(
    queue: JobQueue, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "STOP_WITHIN_SECONDS", 0.01)
    work = run_gated(queue, "deaf")
    queue.stop()
    deleted, keep = list[int](), list[list[int]]()
    weakref.finalize(Circle(), lambda: deleted.append(threading.get_ident()))

    def fill() -> bool:
        keep.extend([] for _ in range(2000))  # so many new objects that the collector would come
        return bool(deleted)

    qtbot.waitUntil(fill)
    assert deleted == [threading.get_ident()]
    assert not gc.isenabled()
    work.gate.set()
    qtbot.waitUntil(gc.isenabled)


@pytest.mark.parametrize("is_kept", [True, False])
def test_deleting_the_page_ends_the_work(qtbot: QtBot, is_kept: bool) -> None:
    page, endless = QObject(), Endless()
    queue = JobQueue(page)
    log = Log(queue)
    queue.request("a", endless)
    queue.request("b", delivers(1))
    assert endless.begun.wait(LONG)
    if not is_kept:
        del queue
        gc.collect()
    shiboken6.delete(page)
    assert not job_threads()
    assert endless.was_cancelled
    QCoreApplication.processEvents()
    assert log.lines == [("started", "a")]
    if is_kept:
        assert not queue.is_busy()
        queue.request("c", delivers(1))
        queue.cancel()
        queue.stop()
        assert queue.wait(0.0)


def test_a_forgotten_queue_ends_its_work(qtbot: QtBot) -> None:
    queue, endless = JobQueue(), Endless()
    queue.request("a", endless)
    assert endless.begun.wait(LONG)
    del queue
    gc.collect()
    assert not job_threads()
    assert endless.was_cancelled


class Circle(QObject):
    """Refers to itself: only the collector deletes it."""

    def __init__(self) -> None:
        super().__init__()
        self.own = self


def test_garbage_is_never_collected_on_the_worker(queue: JobQueue, qtbot: QtBot) -> None:
    threads: list[int] = []

    def allocate(report: Report, _deliver: Deliver) -> None:
        kept = [[number] for number in range(20 * gc.get_threshold()[0])]
        report(1 / len(kept))

    assert gc.isenabled()
    queue.started.connect(lambda _key: weakref.finalize(Circle(), lambda: threads.append(threading.get_ident())))
    queue.request("a", allocate)
    assert not gc.isenabled(), "while work runs"
    assert queue.wait(LONG)
    qtbot.waitUntil(gc.isenabled)
    gc.collect()
    assert threads == [threading.get_ident()]


def test_no_garbage_is_collected_while_the_thread_begins_and_ends(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    collecting: list[tuple[str, bool]] = []
    for name in ("start", "join"):
        real = getattr(threading.Thread, name)

        def watched(
            thread: threading.Thread, *limit: float, name: str = name, real: Callable[..., None] = real
        ) -> None:
            collecting.append((name, gc.isenabled()))
            real(thread, *limit)

        monkeypatch.setattr(threading.Thread, name, watched)
    queue.request("a", delivers(1))
    assert queue.wait(LONG)
    queue.stop()
    assert collecting == [("start", False), ("join", False)]
    assert gc.isenabled()


@pytest.mark.parametrize("end", ["stop", "delete"])
def test_garbage_is_collected_again_when_a_queue_ends_early(qtbot: QtBot, end: str) -> None:
    page, endless = QObject(), Endless()
    queue = JobQueue(page)
    queue.request("a", endless)
    assert endless.begun.wait(LONG)
    assert not gc.isenabled()
    if end == "stop":
        queue.stop()
        queue.stop()
    shiboken6.delete(page)
    assert gc.isenabled()


def test_the_collector_is_left_as_it_was_found() -> None:
    garbage.release()
    assert gc.isenabled()
    gc.disable()
    try:
        garbage.hold()
        garbage.hold()
        garbage.release()
        garbage.release()
        assert not gc.isenabled(), "it was off before"
    finally:
        gc.enable()
    garbage.hold()
    garbage.hold()
    garbage.release()
    assert not gc.isenabled(), "one still holds it"
    garbage.release()
    assert gc.isenabled()


def test_nothing_is_kept_of_what_is_done(queue: JobQueue, qtbot: QtBot) -> None:
    class Picture:
        pass

    class Draw:
        def __call__(self, report: Report, deliver: Deliver) -> None:
            picture = Picture()
            kept.append(weakref.ref(picture))
            report(0.5)
            deliver(picture)
            if len(kept) > 2:
                raise ExplorerError("The file is empty.")

    kept: list[weakref.ref[object]] = []
    for key in ("done", "failed"):
        work = Draw()
        kept.append(weakref.ref(work))
        queue.request(key, work)
        del work
        assert queue.wait(LONG)
    # The worker may still be about to let go of what it sent last.
    qtbot.waitUntil(lambda: [reference() for reference in kept] == [None] * 4)
    assert len(job_threads()) == 1, "while the thread lives on"


def test_work_is_let_go_of_on_the_thread_that_asked_for_it(queue: JobQueue) -> None:
    # It may hold the last reference to something that must not be deleted on another thread.
    work = delivers(1)
    reference = weakref.ref(work)
    heard: list[object] = []
    queue.finished.connect(lambda _key: heard.append(reference()))
    queue.request("a", work)
    del work
    assert queue.wait(LONG)
    assert heard == [None]


EXIT_WITH_WORK = """
import sys, threading
from PySide6.QtCore import QCoreApplication
from attention_explorer.session.jobs import JobQueue

application = QCoreApplication([])
queue = JobQueue()
begun = threading.Event()

def work(report, deliver):
    while True:
        report(0.5)
        deliver(bytes(10))
        begun.set()

def cancelled(report, deliver):
    try:
        work(report, deliver)
    finally:
        print("cancelled", flush=True)

queue.request("a", cancelled)
assert begun.wait(10)
"""


def test_the_process_can_end_while_work_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXIT_WITH_WORK], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "cancelled\n", "")
