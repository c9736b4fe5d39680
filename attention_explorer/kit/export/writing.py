"""Figures taken away: written to files on a worker, and put on the clipboard."""

from __future__ import annotations

import atexit
import io
from pathlib import Path
from threading import Lock
from typing import IO

from PySide6.QtCore import QByteArray, QElapsedTimer, QEventLoop, QMimeData, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QImage, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from shiboken6 import isValid

from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.core.files import write_whole
from attention_explorer.core.numbers_files import write_csv, write_json
from attention_explorer.core.numerals import grouped
from attention_explorer.errors import ExplorerError, ExportError, quoted
from attention_explorer.kit.export.figure import Contents, Figure, begun, figure_bytes, rendered
from attention_explorer.session.jobs import Cancelled, Deliver, JobQueue, Report, stoppable

SHOW_AFTER = 300
"""Milliseconds before there is a window that says what is going on: one that only flickers tells nobody anything."""


def write_awake(parent: QWidget, figure: Figure, path: Path, options: FigureOptions) -> bool:
    """Draw a figure, and write it to a file with the window awake. Return whether it was written, or cancelled.

    Raises
    ------
    ExportError
        The picture is too large, or the path cannot be written.
    """
    return write_contents(parent, begun(figure, options), path)


def write_contents(parent: QWidget, contents: Contents, path: Path) -> bool:
    """Write a file with the window awake, whole or not at all. Return whether it was written, or cancelled.

    Parameters
    ----------
    parent : QWidget
        In whose window progress and Cancel are shown where it takes longer.
    contents : callable
        Writes to the file that it is given, on a worker, and reports how much is done.
    path : Path
        Where to.

    Raises
    ------
    ExplorerError
        The path cannot be written, or what ``contents`` raises.
    """
    writing = _Writing(contents, path)
    # The application owns it: what was cancelled may still be compressing for a moment.
    queue = JobQueue(QApplication.instance())
    errors: list[Exception] = []
    queue.failed.connect(lambda _, error: errors.append(error))
    queue.finished.connect(queue.deleteLater)
    queue.progressed.connect(writing.note_progress)
    queue.request(path, writing.work)
    _wait(parent, queue, writing)
    if errors:
        raise errors[0]
    return not writing.is_cancelled


def _wait(parent: QWidget, queue: JobQueue, writing: _Writing) -> None:
    """Handle events until the file is written; at first none of people, who see nothing yet of what goes on."""
    running, tick, clock = [True], QTimer(), QElapsedTimer()
    queue.finished.connect(running.clear)
    tick.start(SHOW_AFTER)
    clock.start()
    loop, wait = QEventLoop(), QEventLoop.ProcessEventsFlag.WaitForMoreEvents
    while running and clock.elapsed() < SHOW_AFTER:
        loop.processEvents(wait | QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    if not running:
        return
    note = QMessageBox(parent.window())
    note.setWindowTitle("Export")
    note.setText(writing.words)
    note.setStandardButtons(QMessageBox.StandardButton.Cancel)
    note.rejected.connect(writing.cancel)
    note.open()
    while running and not writing.is_cancelled:
        loop.processEvents(wait)
        if note.text() != writing.words:
            note.setText(writing.words)
    note.rejected.disconnect(writing.cancel)
    note.close()
    note.deleteLater()


class _Writing:
    """What the worker does. Up to the last moment it can be cancelled, and then nothing is written."""

    def __init__(self, contents: Contents, path: Path) -> None:
        self.path = path
        self.is_cancelled = False
        self.words = f"Writing {quoted(path.name)}…"
        self._contents = contents
        self._is_complete = False
        self._turn = Lock()

    def note_progress(self, _key: object, fraction: float) -> None:
        """Say how much is done."""
        self.words = f"Writing {quoted(self.path.name)}… {fraction:.0%}"

    def work(self, report: Report, _deliver: Deliver) -> None:
        """Write the file beside the place it is for, and put it there when it is complete."""

        def go_on(fraction: float) -> None:
            if self.is_cancelled:
                raise Cancelled
            report(fraction)

        with stoppable(go_on) as watched_report:
            write_whole(self.path, lambda file: self._write(file, watched_report))

    def _write(self, file: IO[bytes], report: Report) -> None:
        self._contents(file, report)
        with self._turn:
            if self.is_cancelled:
                raise Cancelled
            self._is_complete = True

    def cancel(self) -> None:
        """Write nothing, unless the file is complete already."""
        with self._turn:
            self.is_cancelled = not self._is_complete


_MIME = {".svg": "image/svg+xml", ".pdf": "application/pdf"}


MOST_CELLS = 2**23
"""The most cells of a table that is copied: some 150 MB of text, which few programs take from a clipboard."""


class NumbersCopier(QObject):
    """Puts numbers on the clipboard as text that the worker makes; Esc stops it. A later copy replaces one under way.

    Signals
    -------
    under_way : str
        How much is done.
    done : str
        The numbers are on the clipboard, or it was stopped and nothing was copied.
    refused : str
        Why they cannot be copied.
    """

    under_way = Signal(str)
    done = Signal(str)
    refused = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._count = 0
        self._escape: QShortcut | None = None
        self.jobs = JobQueue(self)
        self.jobs.started.connect(self._on_started)
        self.jobs.progressed.connect(self._on_progressed)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)
        self.jobs.finished.connect(self._on_finished)

    def copy(self, figure: Figure, suffix: str = ".csv") -> None:
        """Copy the numbers of a figure: as JSON if that is the suffix, else as CSV."""
        kind, write = ("JSON", write_json) if suffix == ".json" else ("CSV", write_csv)

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report) as watched_report:
                numbers, file = figure.numbers(), io.BytesIO()
                if numbers.table.size > MOST_CELLS:
                    raise ExportError(
                        f"{grouped(numbers.table.size)} cells are too many for the clipboard, which takes "
                        f"{grouped(MOST_CELLS)} at most here. Export them to a file instead (Ctrl+E)."
                    )
                write(numbers, file, watched_report)
                hidden = numbers.parameters.get("hidden_keys")
                note = f" Hidden keys: {hidden}." if hidden else ""
                deliver((QByteArray(file.getvalue()), note))

        self._count += 1
        self.jobs.request((self._count, kind), work, replace=True)

    def stop(self) -> None:
        """Copy nothing of what is under way."""
        self.jobs.cancel()
        self._give_escape_back()
        self.done.emit("Stopped: nothing was copied.")

    def _on_started(self, _key: object) -> None:
        if self._escape is None:  # a shortcut, so that it comes before whatever else Esc does in the window
            self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self._window())
            self._escape.activated.connect(self.stop)

    def _window(self) -> QWidget:
        parent = self.parent()
        if not isinstance(parent, QWidget):
            raise TypeError("What copies belongs to a widget.")
        return parent.window()

    def _on_progressed(self, _key: object, fraction: float) -> None:
        self.under_way.emit(f"Copying the numbers … {fraction:.0%}; Esc stops it")

    def _on_delivered(self, key: tuple[int, str], copied: tuple[QByteArray, str]) -> None:
        text, note = copied
        data = QMimeData()
        data.setData("text/plain", text)  # not setText, which would make it UTF-16 on this thread
        _put_on_clipboard(data)
        self.done.emit(f"The numbers are on the clipboard, as {key[1]}.{note}")

    def _on_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.refused.emit(str(error))

    def _on_finished(self, _key: object) -> None:
        if not self.jobs.is_busy():
            self._give_escape_back()

    def _give_escape_back(self) -> None:
        if self._escape is not None:
            self._escape.setEnabled(False)
            self._escape.deleteLater()
            self._escape = None


def copy_picture(figure: Figure, options: FigureOptions) -> None:
    """Put a picture on the clipboard as the options describe it.

    Raises
    ------
    ExportError
        The picture is too large.
    """
    data = QMimeData()
    data.setImageData(rendered(figure, options))
    if options.format in _MIME:
        data.setData(_MIME[options.format], figure_bytes(figure, options))
    _put_on_clipboard(data)


def _put_on_clipboard(data: QMimeData) -> None:
    QGuiApplication.clipboard().setMimeData(data)
    atexit.unregister(_leave_to_qt)
    atexit.register(_leave_to_qt, data)


def _leave_to_qt(data: QMimeData) -> None:
    """Put what is still on the clipboard there anew: Qt deletes it after Python has gone, and data of Python's crashes.

    What somebody else has put in its place has deleted it already.
    """
    if QGuiApplication.instance() is None or not isValid(data):
        return
    image = data.imageData()
    if isinstance(image, QImage):
        QGuiApplication.clipboard().setImage(image)
    else:
        QGuiApplication.clipboard().setText(data.text())
