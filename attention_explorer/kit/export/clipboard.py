"""A figure on the clipboard: an image, with a drawing beside it, or the numbers as text that a worker makes."""

from __future__ import annotations

import atexit
import io

from PySide6.QtCore import QByteArray, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.core.numbers_files import write_csv, write_json
from attention_explorer.core.numerals import grouped
from attention_explorer.errors import ExplorerError, ExportError
from attention_explorer.kit.export.figure import Figure, figure_bytes, rendered
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable

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
