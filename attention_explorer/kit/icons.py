"""Icons drawn from the bundled SVG files in the colour of the text beside them."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from attention_explorer.core import files


def icon(name: str, colour: str, size: int, strong: str | None = None) -> QIcon:
    """Return an icon in ``colour``, and in ``strong`` where it is checked; ``size`` in pixels."""
    result = QIcon()
    result.addPixmap(_pixmap(name, colour, size), QIcon.Mode.Normal, QIcon.State.Off)
    if strong is not None:
        result.addPixmap(_pixmap(name, strong, size), QIcon.Mode.Normal, QIcon.State.On)
    return result


def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", colour).encode()))
    if not renderer.isValid():
        raise files.damaged(_file(name))
    # Drawn at twice the size, so that it stays sharp on screens with two pixels per point.
    pixmap = QPixmap(QSize(2 * size, 2 * size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, 2 * size, 2 * size))
    painter.end()
    pixmap.setDevicePixelRatio(2.0)
    return pixmap


@lru_cache(maxsize=32)
def _drawing(name: str) -> str:
    return files.read_text(_file(name))


def _file(name: str) -> str:
    return f"icons/{name}.svg"


def program_icon() -> QIcon:
    """Return the icon of the program."""
    return icon("attention-explorer", "#000000", 128)
