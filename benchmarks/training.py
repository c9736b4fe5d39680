"""Play on the Training page in the window: until "it" is understood, pictures a second, holds of the GUI thread.

All three come of the same runs, each from a network that has learned nothing. Seconds are counted from the click until
a point of the curve at 99 % is on show, at full speed. A picture is one that the page was given to draw. The whole
program has one core, where the system lets it be chosen.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from attention_explorer.app import make_application
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.training.moment import answer_at
from attention_explorer.pages.training.state import Speed, TrainingState
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.session.watchdog import LIMIT_SECONDS, Watchdog
from attention_explorer.sources.learned.run import run_of
from attention_explorer.window.load_ahead import load
from attention_explorer.window.window import MainWindow
from benchmarks.report import Row
from benchmarks.responsiveness import rest
from benchmarks.timing import Samples

ROUNDS = 5
SIZE = QSize(1280, 800)
SECONDS_AIM, PICTURES_AIM = 2.0, 30.0
GOAL = 0.99


def measure() -> list[Row]:
    """Play some times; return the rows."""
    make_application()
    with _one_core():
        played = [_played() for _ in range(ROUNDS)]
    seconds, between, longest = (Samples(tuple(each[kind] for each in played)) for kind in range(3))
    hitch, aim = Samples((LIMIT_SECONDS,)), Samples((SECONDS_AIM,))
    return [
        Row("from the click on Play to 99 % of “it”", seconds, "two seconds", aim, 1.0),
        Row("between two pictures while it learns", between, "30 a second", Samples((1 / PICTURES_AIM,)), 1.0),
        Row("longest hold of the GUI thread", longest, "what is felt as a hitch", hitch, 1.0),
    ]


@contextmanager
def _one_core() -> Iterator[None]:
    """Let the program have one core, as its threads made from now on."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _played() -> tuple[float, float, float]:
    """Play once; return seconds until the goal, mean seconds between pictures, and the longest stall's work."""
    run_of.cache_clear()
    answer_at.cache_clear()
    with TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        state = ExplorerState(training=TrainingState(speed=Speed.FULL))
        window = MainWindow(Session(state), store, Settings(theme=ThemeChoice.LIGHT, page="training"))
        window.resize(SIZE)
        window.show()
        load(lambda _share: None, lambda _result: None)  # as the program has done by the time somebody acts
        rest(1.0)
        page, seen, reached = window.page, list[float](), list[float]()

        def arrived(*_picture: object) -> None:
            seen.append(perf_counter())
            if not reached and run_of(window.session.state.training.setup).curve().accuracy[-1] >= GOAL:
                reached.append(seen[-1])

        page.requests.delivered.connect(arrived)
        watchdog = Watchdog(window)
        watchdog.start()
        start = perf_counter()
        page.main.play.click()
        while page.player.is_running:
            rest(0.01)
        watchdog.stop()
        page.stop()
        window.deleteLater()
        QApplication.processEvents()
    longest = max((stall.cpu_seconds for stall in watchdog.stalls), default=0.0)
    return reached[0] - start, (seen[-1] - start) / len(seen), longest
