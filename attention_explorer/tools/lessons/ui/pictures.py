"""The picture of a lesson: what its page shows at the beginning of one of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap, QPixmapCache

from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.export.figure import FigureStyle, Sheet, StyledFigure, painted
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.later import later
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.walk import begun, page_of, reached

_WIDTH = 450.0
"""Pixels at zoom 1 of the figure that is made small: its letters are to be read."""


def picture_of(shown: Lesson | str, look: Look, room: QSize, ratio: float, *, whole: bool = False) -> QPixmap:
    """Return the picture of a lesson, or large letters, for a room in pixels of the window.

    It fills the room, and what lies outside is cut off; ``whole`` it fits into it. Of the screen each pixel is
    ``ratio`` pixels. Qt keeps those drawn last.
    """
    if isinstance(shown, str):
        return _letters(shown, look, room.boundedTo(QSize(room.width(), room.width() // 2)) if whole else room, ratio)
    if shown.letters:
        return picture_of(shown.letters, look, room, ratio, whole=whole)
    key = f"{shown.key} {look} {room.toTuple()} {ratio} {whole}"
    kept = QPixmap()
    if not QPixmapCache.find(key, kept):
        kept = _drawn(shown, look, room * ratio, whole=whole)
        kept.setDevicePixelRatio(ratio)
        QPixmapCache.insert(key, kept)
    return kept


def _letters(text: str, look: Look, room: QSize, ratio: float) -> QPixmap:
    """Return a picture of a few letters, as large as there is room for."""
    picture = QPixmap(room * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    font = look.font(30.0, bold=True)
    across = 0.7 * room.width() / max(QFontMetricsF(font).horizontalAdvance(text), 1.0)
    font.setPixelSize(max(round(min(font.pixelSize() * min(across, 3.0), 0.6 * room.height())), 1))
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    painter.drawText(QRect(QPoint(), room), Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return picture


def _drawn(lesson: Lesson, look: Look, pixels: QSize, *, whole: bool) -> QPixmap:
    at = lesson.picture
    state = begun(lesson.steps[at], reached(lesson, at, ExplorerState()))
    return picture_of_state(state, page_of(lesson, at, state), look, pixels, whole=whole)


def picture_of_state(state: ExplorerState, page: str, look: Look, pixels: QSize, *, whole: bool) -> QPixmap:
    """Return what a page shows of a state, as `picture_of` does, in so many pixels of the screen."""
    entry = next(entry for entry in PAGES if entry.id == page)
    figure = entry.figure(state)
    if isinstance(figure, StyledFigure):
        figure = figure.styled(FigureStyle(look, is_titled=False, is_captioned=False, width=_WIDTH))
    fits = Qt.AspectRatioMode.KeepAspectRatio if whole else Qt.AspectRatioMode.KeepAspectRatioByExpanding
    size = figure.size.scaled(pixels, fits)
    picture = QPixmap.fromImage(painted(Sheet(figure), size))
    if not whole:
        picture = picture.copy(
            QRect(QPoint(), pixels).translated(
                (size.width() - pixels.width()) // 2, (size.height() - pixels.height()) // 2
            )
        )
    return picture


def one_after_another(owner: QObject, steps: Iterator[object]) -> None:
    """Take one step after another, each once Qt has nothing else to do, as long as the owner is there."""
    later(owner, partial(_go_on, owner, steps))


def _go_on(owner: QObject, steps: Iterator[object]) -> None:
    end = object()
    if next(steps, end) is not end:
        one_after_another(owner, steps)
