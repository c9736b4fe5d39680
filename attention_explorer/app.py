"""Puts the program together: application, session, window, and what happens when something goes wrong."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, QSize, QTimer, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from attention_explorer.session.session import Session
from attention_explorer.session.settings import SettingsStore, ThemeChoice
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.ui.theme import load_fonts
from attention_explorer.ui.window import MainWindow

# Kept to the very end of the process: widgets and fonts that are collected after the application is gone crash Qt.
_application: QApplication | None = None


def make_application() -> QApplication:
    """Return the application, made once, with the bundled font and a style that looks the same everywhere."""
    global _application
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication([sys.argv[0]])
    _application = application
    application.setApplicationName("attention-explorer")
    application.setApplicationDisplayName("Attention Explorer")
    application.setDesktopFileName("attention-explorer")
    application.setStyle("Fusion")
    load_fonts()
    return application


class ErrorReporter(QObject):
    """Shows uncaught errors, of every thread, in a dialog with a report to copy: never in silence."""

    reported = Signal(str)

    def __init__(self, window: MainWindow | None = None) -> None:
        super().__init__()
        self._window = window
        self._showing = False
        self.reported.connect(self._show)

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
        self.reported.emit(text)  # queued to the GUI thread when it comes from another

    def _show(self, text: str) -> None:
        if self._showing:
            return  # one dialog is enough: an error that repeats must not bury the window
        from attention_explorer.ui.dialogs import error_dialog

        self._showing = True
        dialog = error_dialog(self._window, text)
        dialog.finished.connect(self._on_closed)
        dialog.open()

    def _on_closed(self, _result: int) -> None:
        self._showing = False


def run_window(state: ExplorerState | None = None) -> int:
    """Open the window and return when it is closed."""
    application = make_application()
    window = MainWindow(Session(state), SettingsStore())
    reporter = ErrorReporter(window)
    reporter.install()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends it at once, also while Qt waits
    window.show()
    QTimer.singleShot(0, window, collect_garbage_again)
    return application.exec()


def collect_garbage_again() -> None:
    """Switch the collector on, which `cli` switches off for the start: what was loaded by now stays to the end."""
    gc.freeze()
    gc.enable()


def _without_known_noise(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Pass on what Qt says, but for one line that the off-screen platform prints for every window it opens."""
    if "propagateSizeHints" not in message:
        sys.stderr.write(f"{kind.name}: {message}\n")


def run_gallery(folder: Path, sizes: list[tuple[int, int]], themes: list[ThemeChoice]) -> list[Path]:
    """Render every page without a screen and return the files written."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from attention_explorer.ui.gallery import write_gallery

    qInstallMessageHandler(_without_known_noise)
    application = make_application()
    paths = list(write_gallery(folder, [QSize(*size) for size in sizes], themes))
    application.processEvents()
    return paths
