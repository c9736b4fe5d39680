"""A small picture of a preset, computed on the worker, as its page would show it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.core.figure_options import PIXELS_PER_INCH, FigureOptions, FigureTheme, Length, LengthUnit
from attention_explorer.core.terms import WHOLE, Term
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import PICTURE
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.export.figure import Figure, rendered
from attention_explorer.kit.pictures.figure import computed
from attention_explorer.kit.theme import Look
from attention_explorer.pages.ready_made import ReadyMade, find_preset
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.tools.lessons.names import with_fields

WIDE, HIGH = 440, 280
"""Pixels at 100 %: of the place, and the width that a picture is laid out for."""
LARGEST = 1.3
"""How much larger than it was laid out a picture becomes, if it is a small part of one."""


def shown_by(term: Term) -> ReadyMade:
    """Return the preset that shows a term, with the fields that the term sets."""
    ready = find_preset(term.show, term.page)
    return replace(ready, state=with_fields(ready.state, term.set))


class Miniature(QWidget):
    """Shows the large picture of a preset, small."""

    accessible_role = PICTURE

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._ready: ReadyMade | None = None
        self._part: tuple[float, ...] = WHOLE
        self._image, self._words = QImage(), ""
        self._kept: dict[object, tuple[QImage, str]] = {}
        self.setAccessibleName("Picture of the example")
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(lambda key, _error: self._show(key, (QImage(), "")))
        self.setFixedHeight(look.px(HIGH))

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(WIDE), self._look.px(HIGH))

    def spoken(self) -> str:
        """Say what is drawn."""
        return self._words

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.setFixedHeight(look.px(HIGH))
        if self._ready is not None:
            self.show_preset(self._ready, self._part)

    def show_preset(self, ready: ReadyMade, part: tuple[float, ...] = WHOLE) -> None:
        """Show a preset, or a part of its picture, as soon as it is painted."""
        self._ready, self._part = ready, part
        key = ready, part, self._look.theme.name, self._look.zoom, self.devicePixelRatioF()
        if key in self._kept:
            self._show(key, self._kept[key])
            return
        self._image, self._words = QImage(), f"The example “{ready.title}”, which is being drawn."
        self.update()
        self.jobs.request(key, partial(_computed, ready))

    def _on_delivered(self, key: object, result: tuple[Figure, str]) -> None:
        figure, words = result
        self._kept[key] = painted(figure, self._part, self._look, self.devicePixelRatioF()), words
        self._show(key, self._kept[key])

    def _show(self, key: object, result: tuple[QImage, str]) -> None:
        if isinstance(key, tuple) and key[:2] == (self._ready, self._part):
            self._image, self._words = result
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image.isNull():
            return
        painter = QPainter(self)
        size = self._image.deviceIndependentSize()
        left, top = (self.width() - size.width()) // 2, (self.height() - size.height()) // 2
        box = QRectF(left, top, size.width(), size.height())
        painter.drawImage(box, self._image)
        painter.setPen(colour_of(self._look.theme.border))
        painter.drawRect(box.adjusted(0, 0, -1, -1))
        painter.end()


def _computed(ready: ReadyMade, report: Report, deliver: Deliver) -> None:
    """Compute the figure of a preset. Painting it is for the thread of the window: Qt shapes words on no other."""
    entry = next(entry for entry in PAGES if entry.id == ready.page)
    with stoppable(report):
        try:
            figure = computed(entry.figure(ready.state))
            deliver((figure, figure.description))
        except ExplorerError:
            return  # what cannot be drawn is left out


def painted(figure: Figure, part: tuple[float, ...], look: Look, ratio: float) -> QImage:
    """Return a part of a figure as an image, as large as the place for it allows."""
    theme = FigureTheme.DARK if look.theme.name == "dark" else FigureTheme.LIGHT

    def drawn(scale: float) -> QImage:
        wide = Length(round(WIDE * scale), LengthUnit.PX)
        options = FigureOptions(".png", PIXELS_PER_INCH * scale, wide, theme, title=False, caption=False)
        return rendered(figure, options)

    left, top, across, down = part
    first = drawn(1.0)
    fitting = min(WIDE / (across * first.width()), HIGH / (down * first.height()), LARGEST)
    whole = drawn(fitting * look.zoom * ratio)
    wide, high = whole.width(), whole.height()
    image = whole.copy(round(left * wide), round(top * high), round(across * wide), round(down * high))
    image.setDevicePixelRatio(ratio)
    return image
