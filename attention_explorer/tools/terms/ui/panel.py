"""What a term means: two sentences, a small picture that is computed on the worker, and the way to see it large."""

from __future__ import annotations

import html
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QWidget

from attention_explorer.core.figure_options import PIXELS_PER_INCH, FigureOptions, FigureTheme, Length, LengthUnit
from attention_explorer.core.terms import WHOLE, Term
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import PICTURE, announce, sentences
from attention_explorer.kit.controls.made import Card, allow_unless, button, in_column, in_row, words
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.export.figure import Figure, rendered
from attention_explorer.kit.pictures.figure import computed
from attention_explorer.kit.theme import Look
from attention_explorer.pages.registry import PAGES, ReadyMade, find_preset
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.terms.references import PAPERS

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


IN_A_LESSON = "A lesson is open. Leave it to see the example."


class TermView(QWidget):
    """Explains one term at a time.

    Signals
    -------
    show_wanted : Term
        Its preset is to be shown in the window.
    """

    show_wanted = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.term: Term | None = None
        self._title, self._says = words("", "title"), words(wraps=True)
        self._source = words("", "source", wraps=True, has_links=True)
        self.picture = Miniature(look)
        self.show_me = button("Show me", run=lambda: self.show_wanted.emit(self.term))
        foot = in_row((self._source, 1), self.show_me)
        in_column(self._title, self._says, self.picture, foot, within=self, space=look.px(8))

    def show_term(self, term: Term, *, reason: str = "") -> None:
        """Explain a term; with a reason, why its preset cannot be shown, also without its picture."""
        self.term = term
        self._title.setText(term.name)
        self._says.setText(term.says)
        self._source.setText(_linked(term.source))
        ready = shown_by(term)
        self.show_me.setToolTip(f"Show the example “{ready.title}”. Undo brings back what you have.")
        self.show_me.setAccessibleName(f"Show me: {ready.title}")
        allow_unless(reason, self.show_me)
        self.picture.setVisible(term.picture and not reason)
        if self.picture.isVisibleTo(self):
            self.picture.show_preset(ready, term.part)

    def spoken(self) -> str:
        """Say what the term means."""
        return "" if self.term is None else sentences(self.term.name, self.term.says, self.term.source)


def _linked(source: str) -> str:
    """Return a source, as HTML, in which the paper is a link: the browser opens it, not the program."""
    for paper in PAPERS:
        if source.startswith(paper.cited):
            rest = html.escape(source.removeprefix(paper.cited))
            return (
                f'<a href="{html.escape(paper.link)}" style="color: palette(text)">{html.escape(paper.cited)}</a>{rest}'
            )
    return html.escape(source)


class TermCard(QDialog):
    """A small card beside a word that somebody asks about: Esc, or a click elsewhere, closes it."""

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.look = look
        self.view = TermView(look)
        card = Card(look)
        card.setFixedWidth(look.px(WIDE + 26))
        card.body.addWidget(self.view)
        in_column(card, within=self)
        self.view.show_wanted.connect(self.accept)

    def show_term(self, term: Term, reason: str = "") -> None:
        """Explain a term; with a reason, why its preset cannot be shown, also without its picture."""
        self.setAccessibleName(term.name)
        self.view.show_term(term, reason=reason)

    def open_at(self, place: QPoint, around: QRect) -> None:
        """Open below a place of the screen, or above it, wholly within a part of the screen."""
        self.ensurePolished()
        self.adjustSize()
        size = self.sizeHint()
        below = place.y() + 6
        top = below if below + size.height() <= around.bottom() else place.y() - size.height() - 24
        left = min(max(place.x() - 20, around.left() + 4), around.right() - size.width() - 4)
        self.move(left, max(min(top, around.bottom() - size.height()), around.top() + 4))
        self.show()
        self.view.show_me.setFocus()
        announce(self, self.view.spoken())
