"""Whatever starts a thread: nothing that refers to itself is deleted there, and on the GUI thread it is soon."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.session import memory, threads
from attention_explorer.session.threads import side_by_side
from attention_explorer.session.watchdog import Watchdog

Run = Callable[[], object]


class Circle(QObject):
    """Refers to itself: only the collector deletes it."""

    def __init__(self) -> None:
        super().__init__()
        self.own = self


def by_start(run: Run, _monkeypatch: pytest.MonkeyPatch) -> None:
    threads.start(lambda: [run()], "attention-explorer-test")


def by_tidying(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CACHE, "tidy", run)
    memory.tidy()


def by_calls_side_by_side(run: Run, _monkeypatch: pytest.MonkeyPatch) -> None:
    list(side_by_side([run]))


def by_watching(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watchdog, "_watch", lambda _watchdog: run())
    Watchdog().start()


@pytest.fixture(autouse=True)
def idle(qtbot: QtBot) -> Iterator[None]:
    """Begin and end with a collector that nobody holds."""
    qtbot.waitUntil(gc.isenabled)
    yield
    qtbot.waitUntil(gc.isenabled)


@pytest.mark.parametrize("begin", [by_start, by_tidying, by_calls_side_by_side, by_watching])
def test_what_it_allocates_makes_the_collector_run_on_the_gui_thread_only(
    begin: Callable[[Run, pytest.MonkeyPatch], None], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted_on, done, keep = list[str](), threading.Event(), list[list[int]]()

    def fill() -> bool:
        keep.extend([] for _ in range(20 * gc.get_threshold()[0]))
        return bool(deleted_on)

    def run() -> None:
        fill()
        done.set()

    gc.collect()
    weakref.finalize(Circle(), lambda: deleted_on.append(threading.current_thread().name))
    begin(run, monkeypatch)
    assert done.wait(10)
    qtbot.waitUntil(fill)
    assert deleted_on == ["MainThread"]


def test_what_rests_and_works_again_holds_the_collector_again(qtbot: QtBot) -> None:
    end = threading.Event()
    thread = threads.start(end.wait, "attention-explorer-test")
    assert not gc.isenabled()
    threads.rest(thread)
    qtbot.waitUntil(gc.isenabled)
    threads.wake(thread)
    assert not gc.isenabled()
    end.set()
