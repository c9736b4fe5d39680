"""A figure on the clipboard: an image, with a drawing beside it, or the numbers as text."""

from __future__ import annotations

import atexit

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage
from shiboken6 import isValid

from attention_explorer.state.figure_options import FigureOptions
from attention_explorer.ui.export.figure import Figure, figure_bytes, format_of, rendered

_MIME = {".svg": "image/svg+xml", ".pdf": "application/pdf"}


def copy_figure(figure: Figure, options: FigureOptions) -> None:
    """Put a figure on the clipboard as the options describe it.

    Raises
    ------
    ExportError
        The picture is too large.
    """
    data = _mime_data(figure, options)
    QGuiApplication.clipboard().setMimeData(data)
    atexit.unregister(_leave_to_qt)
    atexit.register(_leave_to_qt, data)


def _mime_data(figure: Figure, options: FigureOptions) -> QMimeData:
    data = QMimeData()
    if not format_of(options.format).is_picture:
        numbers = figure.numbers()
        data.setText(numbers.json if options.format == ".json" else numbers.csv)
        return data
    data.setImageData(rendered(figure, options))
    if options.format in _MIME:
        data.setData(_MIME[options.format], figure_bytes(figure, options))
    return data


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
