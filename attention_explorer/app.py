"""Puts the program together: application, session, window, and what happens when something goes wrong."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType, TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    QObject,
    QSize,
    QSocketNotifier,
    QStandardPaths,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attention_explorer.errors import ExplorerError, FileAccessError, FileError
from attention_explorer.kit import accessible
from attention_explorer.kit.drawing.colour_maps import load_colour_maps
from attention_explorer.kit.theme import load_fonts
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import HIDING, heads_preset
from attention_explorer.pages.ui.session import Session
from attention_explorer.session import garbage
from attention_explorer.session.later import later
from attention_explorer.session.memory import use_one_heap
from attention_explorer.session.settings import SettingsStore, ThemeChoice
from attention_explorer.window.load_ahead import LoadAhead
from attention_explorer.window.model_at_hand import ModelAtHand
from attention_explorer.window.window import MainWindow

# Kept to the very end of the process: widgets and fonts that are collected after the application is gone crash Qt.
_application: QGuiApplication | None = None


def make_application(*options: str) -> QApplication:
    """Return the application, made once, with the bundled font and a style that looks the same everywhere.

    ``options`` are those of Qt, such as ``"-platform", "offscreen"``.
    """
    global _application
    use_one_heap()
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication([sys.argv[0], *options])
    _application = application
    application.setApplicationName("attention-explorer")
    application.setApplicationDisplayName("Attention Explorer")
    application.setDesktopFileName("attention-explorer")
    application.setStyle("Fusion")
    accessible.install()
    load_fonts()
    load_colour_maps()
    return application


def make_drawing_application() -> QGuiApplication:
    """Return the application for drawing without a window: off-screen, or the one of the caller, left as it is.

    Raises
    ------
    ExplorerError
        There is none, and it cannot be made on this thread; or it is one that cannot draw.
    """
    global _application
    existing = QCoreApplication.instance()
    if existing is None:
        if threading.current_thread() is not threading.main_thread():
            raise ExplorerError("Qt starts on the main thread only. Draw there first, then on others too.")
        return make_application("-platform", "offscreen")
    if not isinstance(existing, QGuiApplication):
        raise ExplorerError("There is a QCoreApplication, which cannot draw. Make a QGuiApplication in its place.")
    if existing is not _application:
        load_fonts()
        load_colour_maps()
        _application = existing
    return existing


class ErrorReporter(QObject):
    """Shows uncaught errors, of every thread, in a dialog with a report to copy: never in silence.

    A file that was written over or can no longer be read is no error of the program: its sentence is told.
    """

    reported = Signal(str)
    file_failed = Signal(str)

    def __init__(self, window: MainWindow | None = None) -> None:
        super().__init__()
        self._window = window
        self._showing = False
        self.reported.connect(self._show)
        if window is not None:
            self.file_failed.connect(window.tell)

    def install(self) -> None:
        """Catch what nobody else catches, on every thread."""
        sys.excepthook = self._on_uncaught
        threading.excepthook = lambda args: self._on_uncaught(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )

    def _on_uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(text)
        if self._window is not None and isinstance(error, FileError | FileAccessError):
            self.file_failed.emit(str(error))
            return
        self.reported.emit(text)  # queued to the GUI thread when it comes from another

    def _show(self, text: str) -> None:
        if self._showing:
            return  # one dialog is enough: an error that repeats must not bury the window
        from attention_explorer.window.session_dialogs import error_dialog

        self._showing = True
        dialog = error_dialog(self._window, text)
        dialog.finished.connect(self._on_closed)
        dialog.open()

    def _on_closed(self, _result: int) -> None:
        self._showing = False


class EndFromOutside(QObject):
    """Keeps what is not saved when the program is ended from outside: Ctrl+C, `kill`, the end of the login or display.

    Python calls its handlers between two steps of its own, of which there are none while Qt waits. So the system also
    writes to a pipe that Qt listens to, and that wakes Python.
    """

    def __init__(self, keep: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keep = keep

    def install(self) -> None:
        """Listen to the signals that ask a program to end."""
        qInstallMessageHandler(self._on_message)
        if sys.platform == "win32":  # where Qt cannot listen to a pipe
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            return
        self._woken, waking = os.pipe()
        for end in (self._woken, waking):
            os.set_blocking(end, False)
        notifier = QSocketNotifier(self._woken, QSocketNotifier.Type.Read, self)
        notifier.activated.connect(self._on_woken)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_message(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        sys.stderr.write(f"{message}\n")
        # Where the display goes away, Qt ends the process after this line, and nobody else is told.
        if kind is QtMsgType.QtFatalMsg or "connection broke" in message:
            self._keep()

    def _on_woken(self) -> None:
        os.read(self._woken, 64)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # first: a second one ends it whatever happens here
        self._keep()
        os.kill(os.getpid(), number)


def data_folder() -> Path:
    """Return the folder of the user that unsaved sessions are kept in."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation)) / "sessions"


def first_state() -> ExplorerState:
    """Return what the program shows when it starts for the first time: on Heads a model from which words are hidden."""
    return ExplorerState(heads=heads_preset(HIDING).state)


def run_window(
    state: ExplorerState | None = None,
    path: Path | None = None,
    page: str = "",
    *,
    is_watched: bool = False,
    from_zero: bool = False,
) -> int:
    """Open the window, on a state or a session file and on a page if they are given, and return when it is closed.

    With ``is_watched``, whatever keeps the window for more than 50 ms is named on standard error; with
    ``from_zero``, layers, heads and tokens are counted from 0, as the menu does it.
    """
    application = make_application()
    store = SettingsStore()
    settings = store.load()
    if from_zero:
        settings = replace(settings, from_zero=True)
    is_first = store.is_new
    window = MainWindow(Session(first_state() if state is None and is_first else state), store, settings)
    reporter = ErrorReporter(window)
    reporter.install()
    end = EndFromOutside(window.files.keep_now, window)
    end.install()
    window.files.start(data_folder(), path, goes_on=state is None)
    if page:
        window.begin_on(page)
    window.show()
    later(window, collect_garbage_again)
    ahead = LoadAhead(window)
    is_welcomed = is_first and state is None and path is None and not page
    if is_welcomed:
        ahead.lessons_ready.connect(window.tools.welcome)
    ahead.start(lessons_first=is_welcomed)
    ModelAtHand(window).look(store.recent())
    if is_watched:
        watch(window)
    return application.exec()


def watch(window: MainWindow) -> None:
    """Name on standard error whatever keeps the window, as long as it is there."""
    from attention_explorer.session.watchdog import Watchdog

    watchdog = Watchdog(window)
    watchdog.stalled.connect(lambda stall: sys.stderr.write(f"{stall}\n"))
    watchdog.start()


def collect_garbage_again() -> None:
    """Release the collector, which `cli` holds during the start: what was loaded by now stays to the end."""
    gc.freeze()
    garbage.release()


def _without_known_noise(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Pass on what Qt says, but for one line that the off-screen platform prints for every window it opens."""
    if "propagateSizeHints" not in message:
        sys.stderr.write(f"{kind.name}: {message}\n")


def run_gallery(folder: Path, sizes: list[tuple[int, int]], themes: list[ThemeChoice], page: str) -> list[Path]:
    """Render every page, or the one that is named, without a screen and return the files written."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from attention_explorer.window.gallery import write_gallery

    qInstallMessageHandler(_without_known_noise)
    application = make_application()
    paths = list(write_gallery(folder, [QSize(*size) for size in sizes], themes, page))
    application.processEvents()
    return paths
