"""Writes a figure while the window stays awake: computing, compressing and the disk are left to a worker."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import IO

from PySide6.QtCore import QElapsedTimer, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.core.files import write_whole
from attention_explorer.errors import quoted
from attention_explorer.kit.export.figure import Contents, Figure, begun
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
