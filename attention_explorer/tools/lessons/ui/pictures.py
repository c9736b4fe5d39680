"""The pictures of lessons: what their pages show at the beginning of one of their steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.export.figure import Figure, FigureStyle, Sheet, StyledFigure, painted
from attention_explorer.kit.pictures.figure import computed
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.session.later import later
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.walk import begun, page_of, reached

_WIDTH = 450.0
"""Pixels at zoom 1 of the figure that is made small: its letters are to be read."""


class LessonPictures(QObject):
    """Draws them: the worker computes what is on them, and keeps that; painting is for the thread of the window.

    Signals
    -------
    computed : Lesson
        Its picture can be drawn.
    """

    computed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._figures: dict[str, Figure] = {}
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)

    def compute(self, lessons: Iterable[Lesson]) -> None:
        """Have those computed that are not yet, in this order."""
        wanted = tuple(lesson for lesson in lessons if not lesson.letters and lesson.key not in self._figures)
        if wanted:
            self.jobs.request(tuple(lesson.key for lesson in wanted), partial(_compute, wanted))

    def _on_delivered(self, _key: object, found: tuple[Lesson, Figure]) -> None:
        lesson, figure = found
        self._figures[lesson.key] = figure
        self.computed.emit(lesson)

    def draw(self, shown: Lesson | str, look: Look, room: QSize, ratio: float, *, whole: bool = False) -> QPixmap:
        """Return the picture of a lesson, or large letters, for a room in pixels of the window.

        It fills the room, and what lies outside is cut off; ``whole`` it fits into it. Of the screen each pixel is
        ``ratio`` pixels. It is empty as long as it is not computed, and where there is no room.
        """
        if room.isEmpty():
            return QPixmap()
        letters = shown if isinstance(shown, str) else shown.letters
        if letters:
            low = QSize(room.width(), min(room.height(), room.width() // 2))
            return _letters(letters, look, low if whole else room, ratio)
        figure = self._figures.get(shown.key) if isinstance(shown, Lesson) else None
        if figure is None:
            return QPixmap()
        picture = _drawn(figure, look, room * ratio, whole=whole)
        picture.setDevicePixelRatio(ratio)
        return picture


def _compute(lessons: Iterable[Lesson], report: Report, deliver: Deliver) -> None:
    with stoppable(report):
        for lesson in lessons:
            at = lesson.picture
            try:
                state = begun(lesson.steps[at], reached(lesson, at, ExplorerState()))
                entry = next(entry for entry in PAGES if entry.id == page_of(lesson, at, state))
                deliver((lesson, computed(entry.figure(state))))
            except ExplorerError:
                continue  # the lesson says why, once it is begun


def picture_of_state(state: ExplorerState, page: str, look: Look, pixels: QSize, *, whole: bool) -> QPixmap:
    """Return what a page shows of a state, in so many pixels of the screen; empty if these are none.

    It is computed here.
    """
    entry = next(entry for entry in PAGES if entry.id == page)
    return _drawn(entry.figure(state), look, pixels, whole=whole)


def _drawn(figure: Figure, look: Look, pixels: QSize, *, whole: bool) -> QPixmap:
    if isinstance(figure, StyledFigure):
        figure = figure.styled(FigureStyle(look, is_titled=False, is_captioned=False, width=_WIDTH))
    fits = Qt.AspectRatioMode.KeepAspectRatio if whole else Qt.AspectRatioMode.KeepAspectRatioByExpanding
    size = figure.size.scaled(pixels, fits)
    if size.isEmpty():  # a large zoom in a small window leaves no room, and an image of no pixels cannot be painted
        return QPixmap()
    picture = QPixmap.fromImage(painted(Sheet(figure), size))
    if whole:
        return picture
    beyond = (size - pixels) / 2
    return picture.copy(QRect(QPoint(beyond.width(), beyond.height()), pixels))


def _letters(text: str, look: Look, room: QSize, ratio: float) -> QPixmap:
    """Return a picture of a few letters, as large as there is room for."""
    picture = QPixmap(room * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    across = 0.7 * room.width() / max(QFontMetricsF(look.font(30.0, bold=True)).horizontalAdvance(text), 1.0)
    painter.setFont(look.font(min(30.0 * min(across, 3.0), 0.6 * room.height() / look.zoom), bold=True))
    painter.setPen(colour_of(look.theme.text))
    painter.drawText(QRect(QPoint(), room), Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return picture


def one_after_another(owner: QObject, steps: Iterator[object]) -> None:
    """Take one step after another, each once Qt has nothing else to do, as long as the owner is there."""
    later(owner, partial(_go_on, owner, steps))


def _go_on(owner: QObject, steps: Iterator[object]) -> None:
    end = object()
    if next(steps, end) is not end:
        one_after_another(owner, steps)
