"""The program that the monkey is let loose on: one window after another in one process, in a folder of its own."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType

from collector_watch import watch_the_collector
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QStandardPaths,
    QThread,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QWidget

from attention_explorer.app import data_folder, make_application
from attention_explorer.kit.tween import Tween
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.training.ui.player import TrainingPlayer
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import JobQueue
from attention_explorer.session.settings import SettingsStore
from attention_explorer.tools.presenting.ui.player import Presenter
from attention_explorer.window.window import MainWindow

LONGEST_SETTLING, LONGEST_LEARNING = 60.0, 20.0
"""Seconds after which work that is still under way is taken to hang, and after which Play is stopped."""
SHORT = 1000
"""Milliseconds."""
THRESHOLDS = (200, 5, 5)
"""Python collects garbage so often that what must not be deleted somewhere is; its own are 700, 10 and 10."""
HARMLESS = ("propagateSizeHints", "This plugin does not support", "Mouse event occurs outside target window")
"""Parts of what Qt says of the off-screen platform, whatever a program does."""


class World:
    """The application, its window, its files, and everything that goes wrong in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wrong: list[str] = []
        self.longest = (0.0, 0.0, "")
        """The longest time that one event has kept the window: seconds, how many of them computing, and by what."""
        self.doing = "start"
        self.steps_under_way = 0
        self.time = 0.0
        self.windows_opened = 0
        self.patience = 2.0
        """Seconds that one event may keep the window; where it was meanwhile is then written to a file."""
        self._stacks = (folder / "stacks.log").open("w", encoding="utf-8")
        gc.set_threshold(*THRESHOLDS)
        _use_folder(folder)
        self._catch()
        self.application = make_application()
        self.application.setQuitOnLastWindowClosed(False)  # a new one is opened
        self.window = self._open()

    # ---- What goes wrong ----

    def _catch(self) -> None:
        warnings.simplefilter("error")  # libraries turn exceptions in handlers into warnings
        sys.excepthook = self._on_error
        sys.unraisablehook = lambda raised: self._on_error(
            raised.exc_type, raised.exc_value or raised.exc_type(), raised.exc_traceback
        )
        threading.excepthook = lambda raised: self._on_error(
            raised.exc_type, raised.exc_value or raised.exc_type(), raised.exc_traceback
        )
        qInstallMessageHandler(self._on_message)
        signal.signal(signal.SIGALRM, self._write_stack)
        watch_the_collector()

    def _on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        text = "".join(traceback.format_exception(kind, error, trace))
        self.wrong.append(text)
        sys.stderr.write(text)  # it may be one of this test itself, after which nobody looks at the list

    def _on_message(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and not any(part in message for part in HARMLESS):
            self.wrong.append(f"Qt says: {message}\n" + "".join(traceback.format_stack(limit=6)))

    # ---- Windows ----

    def _open(self) -> MainWindow:
        """Open a window as `app.run_window` does."""
        session = Session(clock=lambda: self.time)
        self.first = session.state
        restart = session.restart

        def remember(state: ExplorerState) -> None:
            self.first = state  # no history leads back beyond it
            restart(state)

        session.restart = remember  # type: ignore[method-assign]
        window = MainWindow(session, SettingsStore())
        window.files.start(data_folder())
        window.show()
        window.activateWindow()
        self.windows_opened += 1
        return window

    def open_again(self) -> None:
        """Open a new window, when the one before has been closed."""
        self.window.deleteLater()
        self.window = self._open()
        self.settle()

    @property
    def is_open(self) -> bool:
        """Whether the window has not been closed."""
        return self.window.isVisible()

    def leave_presentation(self) -> None:
        """End presenting, if it is under way."""
        presenter = self.window.findChild(Presenter)
        if presenter is not None and presenter.is_on:
            self.turn(presenter.leave)

    def shown_windows(self) -> list[QWidget]:
        """Return what is on the screen, in an order that does not change from run to run."""
        shown = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget.windowHandle()]
        return sorted(
            shown, key=lambda widget: (widget is not self.window, type(widget).__name__, widget.windowTitle())
        )

    # ---- Time ----

    def turn(self, act: Callable[[], object]) -> None:
        """Do something, and handle what comes of it at once."""
        self._measured(act)
        self._measured(QApplication.processEvents)

    def _measured(self, act: Callable[[], object]) -> None:
        before, began, computed = self.steps_under_way, time.perf_counter(), time.thread_time()
        steps = self.time
        signal.setitimer(signal.ITIMER_REAL, self.patience)
        act()
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self.time != steps or self.steps_under_way != before:
            return  # a dialog was open meanwhile, with steps of its own
        took = time.perf_counter() - began
        if took > self.longest[0]:
            self.longest = (took, time.thread_time() - computed, self.doing)

    def _write_stack(self, _number: int, frame: FrameType | None) -> None:
        """Write where the window is kept. No thread does so: Python could collect garbage on it."""
        traceback.print_stack(frame, file=self._stacks)
        self._stacks.flush()

    def settle(self) -> None:
        """Wait until nothing is being computed any more."""
        began = time.monotonic()
        until = began + LONGEST_SETTLING
        while self.is_busy():
            if time.monotonic() > began + LONGEST_LEARNING:
                self._stop_learning()
            if time.monotonic() > until:
                self.wrong.append(f"Still computing after {LONGEST_SETTLING:g} s: {self.doing}")
                return
            self._measured(QApplication.processEvents)
            time.sleep(0.002)
        for _ in range(3):  # a layout within a layout takes its turn only after the outer one
            self._measured(QApplication.processEvents)
        if QThread.currentThread().loopLevel() == 0:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _stop_learning(self) -> None:
        """Stop Play, as one does who has seen enough: a large network learns for minutes."""
        for player in self.window.findChildren(TrainingPlayer):
            if player.is_running:
                self._measured(player.stop)

    def is_busy(self) -> bool:
        """Whether a worker of the window has something to do."""
        return any(queue.is_busy() for queue in self.window.findChildren(JobQueue))

    def settle_wholly(self, window: MainWindow) -> None:
        """Wait also for what a page puts off for a moment, such as drawing finely after a drag."""
        self.settle()
        while self.waits_for_a_moment(window):
            QApplication.processEvents()
            time.sleep(0.002)
        self.settle()

    @staticmethod
    def waits_for_a_moment(window: MainWindow) -> bool:
        """Whether the page has put something off for a moment, or a picture is on its way."""
        return any(tween.is_under_way for tween in window.page.findChildren(Tween)) or any(
            timer.isActive() and timer.isSingleShot() and timer.interval() <= SHORT
            for timer in window.page.findChildren(QTimer)
        )

    def collect(self) -> None:
        """Delete what nobody refers to."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()


def _use_folder(folder: Path) -> None:
    """Have the program keep everything it writes in a folder of its own."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(folder / name.lower())
    os.environ["HOME"] = str(folder)
    for kind in ("PICTURES", "DOCUMENTS"):
        os.environ.pop(f"XDG_{kind}_DIR", None)
    os.chdir(folder)
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    if not documents.startswith(str(folder)):
        raise RuntimeError(f"The monkey would write into {documents}.")
