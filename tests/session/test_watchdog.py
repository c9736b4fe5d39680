"""The watchdog names what keeps the GUI thread, and has nothing to say of a window that does nothing."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest
from blocking.gui_thread import LONG_ENOUGH, keep_computing, on_the_way, wait_for_a_disk
from PySide6.QtCore import QObject, QTimer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from attention_explorer.session import garbage
from attention_explorer.session.watchdog import Place, Stall, Watchdog, _shared

BLOCKING = Path(__file__).parent / "blocking"


@pytest.fixture
def watched_here(watchdog: Watchdog) -> Watchdog:
    """The watchdog of every test, for which the code that blocks may be the culprit."""
    watchdog._folder = f"{BLOCKING}/"
    watchdog.start()
    return watchdog


def stall_of(watchdog: Watchdog, qtbot: QtBot, block) -> Stall:
    """Block the event loop once, and return the stall."""
    long = qtbot.waitSignal(
        watchdog.stalled, timeout=20_000, check_params_cb=lambda stall: stall.seconds > LONG_ENOUGH / 2
    )
    with long:
        QTimer.singleShot(0, watchdog, lambda: on_the_way(block))
    return max(watchdog.stalls, key=lambda stall: stall.seconds)


def test_work_on_the_gui_thread_is_named(watched_here: Watchdog, qtbot: QtBot) -> None:
    watched_here.during = "in a test"
    stall = stall_of(watched_here, qtbot, keep_computing)
    assert stall.cpu_seconds >= LONG_ENOUGH
    assert stall.culprits[0][0].function == "keep_computing"
    # Now and then the other thread looks in the very moment of the call.
    assert {place.function for place, _ in stall.culprits} <= {"keep_computing", "on_the_way"}
    assert {place.file for place, _ in stall.culprits} == {"gui_thread.py"}
    assert sum(seen for _, seen in stall.culprits) <= stall.looks
    assert stall.way[0].function == "on_the_way"
    assert "in a test: gui_thread.py:" in str(stall)
    assert "by way of" in str(stall)


def test_waiting_is_told_from_working(watched_here: Watchdog, qtbot: QtBot) -> None:
    stall = stall_of(watched_here, qtbot, wait_for_a_disk)
    assert stall.cpu_seconds < LONG_ENOUGH
    assert stall.culprits[0][0].function == "wait_for_a_disk"


def test_what_a_stall_was_is_told_to_whoever_listens(watched_here: Watchdog, qtbot: QtBot) -> None:
    heard: list[Stall] = []
    watched_here.stalled.connect(heard.append)
    stall = stall_of(watched_here, qtbot, wait_for_a_disk)
    assert stall in heard
    assert heard == watched_here.stalls


def test_code_of_others_is_no_culprit(watched_here: Watchdog, qtbot: QtBot) -> None:
    watched_here._folder = "/nowhere/"
    stall = stall_of(watched_here, qtbot, keep_computing)
    assert stall.culprits == ()
    assert "Qt itself" in str(stall)


def test_an_idle_window_does_no_work(make_window, watchdog: Watchdog) -> None:
    make_window()
    QTest.qWait(100)  # sizes settle
    watchdog.start()
    QTest.qWait(500)
    assert [stall for stall in watchdog.stalls if stall.cpu_seconds > watchdog.limit] == []


def test_nothing_is_watched_before_and_after(watchdog: Watchdog) -> None:
    def watchers() -> int:
        return sum(thread.name == "attention-explorer-watchdog" for thread in threading.enumerate())

    keep_computing()
    QTest.qWait(20)
    watchdog.start()
    watchdog.start()
    assert watchers() == 1
    watchdog.stop()
    watchdog.stop()
    assert watchers() == 0
    keep_computing()
    QTest.qWait(20)
    assert watchdog.stalls == []


def test_garbage_is_collected_on_the_thread_that_is_watched(watchdog: Watchdog, qtbot: QtBot) -> None:
    class Circle(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.me = self

        def __del__(self) -> None:
            on.append(threading.get_ident())

    on: list[int] = []
    watchdog.start()
    assert not gc.isenabled()
    Circle()
    keep = []

    def fill() -> bool:
        keep.append([[] for _ in range(2000)])  # so many new objects that the collector would come
        return bool(on)

    qtbot.waitUntil(fill, timeout=20_000)
    assert on == [threading.get_ident()]
    watchdog.stop()
    assert gc.isenabled()


def test_nothing_is_collected_that_is_not_due(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "get_threshold", lambda: (700, 10, 0))
    monkeypatch.setattr(gc, "collect", collected.append)
    for counts in ((700, 10, 99), (701, 0, 0), (701, 11, 0)):
        monkeypatch.setattr(gc, "get_count", lambda counts=counts: counts)
        garbage.collect_if_due()
    assert collected == [0, 1], "a limit of 0 is none"


def test_a_stall_reads_as_a_sentence() -> None:
    place = Place("ui/window.py", 12, "set_theme")
    stall = Stall("theme", 0.15, 0.12, 40, ((place, 30),), (place,))
    assert str(stall) == ("150 ms (120 ms of work) theme: ui/window.py:12 set_theme (30 of 40); by way of set_theme")


def test_the_way_ends_where_two_looks_went_apart() -> None:
    outer, inner, other = Place("a.py", 1, "outer"), Place("a.py", 2, "inner"), Place("b.py", 3, "other")
    elsewhere = Place("a.py", 9, "outer")  # another line of the same function
    assert _shared([(outer, inner), (elsewhere, inner, other)]) == (outer, inner)
    assert _shared([(outer, inner), (outer, other)]) == (outer,)
    assert _shared([]) == ()
