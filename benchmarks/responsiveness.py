"""A walk through everything, with a watchdog beside it: how long the GUI thread keeps a hand waiting at most.

Time is that of the GUI thread's own work, for the machine may be busy with something else. The longest are named with
the place in our code that they were seen in.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEventLoop, QSize, QTimer
from PySide6.QtWidgets import QApplication

from attention_explorer.app import make_application
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import JobQueue
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.session.watchdog import LIMIT_SECONDS, Stall, Watchdog
from attention_explorer.window.load_ahead import load
from attention_explorer.window.window import MainWindow
from benchmarks.report import Row
from benchmarks.timing import Samples
from benchmarks.walk import steps

SIZES = (QSize(1280, 800), QSize(2560, 1440))
QUIET_SECONDS, QUIET_ROUNDS = 0.02, 2
PATIENCE_SECONDS = 5.0
"""What computes for longer is stopped."""
LOOKING = "looking for workers"
LONGEST = 10


def measure() -> list[Row]:
    """Walk at both sizes; print the longest stalls and return how the longest compares with the limit."""
    make_application()
    return [_measured(size) for size in SIZES]


def _measured(size: QSize) -> Row:
    made, stalls = walked(size)
    worst = sorted(stalls, key=lambda stall: -stall.cpu_seconds)
    over = sum(stall.cpu_seconds > LIMIT_SECONDS for stall in worst)
    print(f"{size.width()} × {size.height()}: {made} steps, {over} of them over {1000 * LIMIT_SECONDS:.0f} ms of work")
    for stall in worst[:LONGEST]:
        print(f"  {stall}")
    longest = Samples((worst[0].cpu_seconds if worst else 0.0,))
    what = f"longest of {made} steps, {size.width()}×{size.height()}"
    return Row(what, longest, "what is felt as a hitch", Samples((LIMIT_SECONDS,)), 1.0)


def walked(size: QSize) -> tuple[int, list[Stall]]:
    """Walk through a window of a size and return how many steps that took, and the stalls on the way."""
    with TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        window = MainWindow(Session(ExplorerState()), store, replace(Settings(), theme=ThemeChoice.LIGHT))
        window.resize(size)
        window.show()
        load(lambda _share: None, lambda _result: None)  # as the program has done by the time somebody acts
        watchdog, made = Watchdog(window), 0
        _until_quiet(window, watchdog)
        watchdog.start()
        for step in steps(window, Path(folder)):
            watchdog.during, made = step.what, made + 1
            QTimer.singleShot(0, window, step.act)
            _until_quiet(window, watchdog)
        watchdog.stop()
        window.page.stop()
        window.deleteLater()
        QApplication.processEvents()
    return made, [stall for stall in watchdog.stalls if stall.during != LOOKING]


def _until_quiet(window: MainWindow, watchdog: Watchdog) -> None:
    """Handle events until nothing is computed any more and what came of it is painted."""
    for _ in range(QUIET_ROUNDS):
        rest(QUIET_SECONDS)
    during, watchdog.during = watchdog.during, LOOKING  # for the workers of a large window, which takes a while itself
    queues = window.findChildren(JobQueue)
    rest(QUIET_SECONDS)
    watchdog.during = during
    for queue in queues:
        if queue.is_busy() and not queue.wait(PATIENCE_SECONDS):
            queue.cancel()
    rest(QUIET_SECONDS)


def rest(seconds: float) -> None:
    """Handle events for so long."""
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop, loop.quit)
    loop.exec()
