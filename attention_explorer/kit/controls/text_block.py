"""Text that changes at every mouse move: painted in place, so that no layout has to be worked out again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextLayout,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from attention_explorer.core.terms import SCHEME, Mention, is_read, mentions, term_named, term_of_link
from attention_explorer.kit.accessible import WORDS
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look, Theme
from attention_explorer.session.later import later

NATURAL_WIDTH = 390
"""Pixels at zoom 1: the width for which a block asks for its height before it knows its real one."""


NO_BREAK, JOINER = "\N{NO-BREAK SPACE}", "\N{WORD JOINER}"
_TOGETHER = re.compile(r"(?<=\d) (?=%)|(?<=×) (?=\d)|(?<=\d) (?=\d{3}\b)| (?=\S{1,3}[.?!]$)")
"""Spaces at which no line should end: 50 %, × 99, 1 048 576, and before a last word that would stand alone."""
_FRACTION = re.compile(r"(?<=\S)/(?=\S)")
_SHAPE = re.compile(r"\(\d+(?:, \d+)+\)")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A paragraph and how it is written; ``ink`` names a colour of the theme."""

    text: str
    ink: str = "text"
    bold: bool = False
    size: float = 13.0


class TextBlock(QWidget):
    """A few paragraphs with room kept for a fixed number of lines; text that needs more makes the block grow."""

    accessible_role = WORDS

    def __init__(
        self, look: Look, lines_kept: int, name: str, parent: QWidget | None = None, *, ground: str = "card"
    ) -> None:
        """Keep room for ``lines_kept`` lines on a ground of that theme colour."""
        super().__init__(parent)
        self._look, self._lines_kept, self._ground = look, lines_kept, ground
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # or Qt paints everything behind it first
        self._paragraphs: tuple[TextLine, ...] = ()
        self._width, self._zoom = 0, look.zoom
        """How wide it was laid out, and at which zoom."""
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(name)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._ask_anew()
        self.update()

    def set_text(self, *paragraphs: TextLine) -> None:
        """Show these paragraphs."""
        if paragraphs == self._paragraphs:
            return
        asked, self._paragraphs = self.sizeHint().height(), paragraphs
        self.setAccessibleDescription(self.text())
        # What was asked for last counts too: the layout may be about to give it.
        if {asked, self.height()} != {self.sizeHint().height()}:
            self._ask_anew()
        self.update()

    def text(self) -> str:
        """Return what is shown, a paragraph a line."""
        return "\n".join(paragraph.text for paragraph in self._paragraphs)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        needed = sum(self._height_of(paragraph, width) for paragraph in self._paragraphs)
        return max(needed, self._lines_kept * self._look.px(19))

    def _height_of(self, paragraph: TextLine, width: int) -> int:
        return _paragraph_height(paragraph, self._look.zoom, width) + self._look.px(3)

    def sizeHint(self) -> QSize:
        width = self._look.px(NATURAL_WIDTH)
        # A layout gives no more height than is asked for here, so ask for what the real width needs once it is known.
        return QSize(width, self.heightForWidth(self._known_width() or width))

    def _known_width(self) -> int:
        # On a tab out of view nothing is laid out anew when the zoom changes: it will be as much wider.
        return self._width if self.isVisible() else round(self._width * self._look.zoom / self._zoom)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != self._width:
            asked = self.sizeHint().height()
            self._width, self._zoom = event.size().width(), self._look.zoom
            if {asked, self.height()} != {self.sizeHint().height()}:
                self._ask_anew()

    def _ask_anew(self) -> None:
        """Have the layouts around ask for the height again: that of the card at once, not only an event later."""
        self.updateGeometry()
        card = self.parentWidget()
        if card is not None:
            card.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(60), self._lines_kept * self._look.px(19))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour_of(ink_of(self._look.theme, self._ground)))
        top = 0
        for paragraph in self._paragraphs:
            height = self._height_of(paragraph, self.width())
            painter.setFont(self._look.font(paragraph.size, bold=paragraph.bold))
            painter.setPen(colour_of(ink_of(self._look.theme, paragraph.ink)))
            painter.drawText(QRect(0, top, self.width(), height), Qt.TextFlag.TextWordWrap, unbroken(paragraph.text))
            top += height
        painter.end()


@lru_cache(maxsize=512)
def _paragraph_height(paragraph: TextLine, zoom: float, width: int) -> int:
    metrics = QFontMetrics(Look(zoom=zoom).font(paragraph.size, bold=paragraph.bold))
    room = QRect(0, 0, max(width, 40), 100_000)
    box = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, unbroken(paragraph.text) or " ")
    return max(box.height(), metrics.height())


@lru_cache(maxsize=512)
def unbroken(text: str) -> str:
    """Return a text as it is drawn: numbers with their units, fractions and shapes such as (2, 10, 512) in one line."""
    text = _SHAPE.sub(lambda shape: shape[0].replace(" ", NO_BREAK), _TOGETHER.sub(NO_BREAK, text))
    return _FRACTION.sub("/" + JOINER, text)


def ink_of(theme: Theme, name: str) -> str:
    """Return a colour of the theme by name."""
    return str(getattr(theme, name))


# ---- Terms in words ----


EXPLAINING_KEYS = (Qt.Key.Key_F1, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class TermLabel(QLabel):
    """A label of rich text whose links lead to terms.

    Signals
    -------
    term_wanted : str
        A term is to be explained, by its name.
    """

    term_wanted = Signal(str)

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.linkActivated.connect(self._on_link)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        # Without links it is no stop for Tab.
        flags = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        self.setTextInteractionFlags(flags if SCHEME in text else Qt.TextInteractionFlag.NoTextInteraction)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if SCHEME in text else Qt.FocusPolicy.NoFocus)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and SCHEME in self.text():
            words = self.text()  # Qt gives links their colour when it reads the text
            super().setText("")
            super().setText(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        term = term_named(self.selectedText())  # Qt selects the link that has the keyboard
        if event.key() in EXPLAINING_KEYS and term is not None:
            self.term_wanted.emit(term.name)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        is_help = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_F1
        if is_help and event.type() is QEvent.Type.ShortcutOverride and self.hasSelectedText():
            event.accept()  # else it is the shortcut of the window
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():  # within its room: a border would make the words wrap anew
            with QPainter(self) as painter:
                painter.setPen(QPen(self.palette().highlight().color(), 2))
                painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 4, 4)

    def _on_link(self, link: str) -> None:
        term = term_of_link(link)
        if term is not None:
            self.term_wanted.emit(term.name)


DOTS = [1.0, 2.0]
"""Of the line below a term: a dot and a gap, by the width of the line."""


class TermBlock(TextBlock):
    """One paragraph with its terms underlined by dots: a click or F1 asks what they mean, the arrows go between them.

    Signals
    -------
    term_wanted : str
        A term is to be explained, by its name.
    searched : ()
        The terms in another text were found; Tab goes to it if there are any.
    """

    term_wanted = Signal(str)
    searched = Signal()

    def __init__(
        self, look: Look, lines_kept: int, name: str, parent: QWidget | None = None, *, ground: str = "card"
    ) -> None:
        self._mentions: tuple[Mention, ...] = ()
        self._is_searched = False
        self._at = 0
        """The mention that has the keyboard, when the block has it."""
        self._places: tuple[object, list[list[QRectF]]] | None = None
        super().__init__(look, lines_kept, name, parent, ground=ground)
        self.setMouseTracking(True)

    def set_text(self, *paragraphs: TextLine) -> None:
        if paragraphs == self._paragraphs:
            return
        super().set_text(*paragraphs)
        self._mentions, self._at, self._is_searched = (), 0, False
        if is_read():
            self._search()

    def _search(self) -> None:
        """Find the terms in the text."""
        self._mentions, self._is_searched = mentions(unbroken(self.text())), True
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if self._mentions else Qt.FocusPolicy.NoFocus)
        self.searched.emit()
        self.update()

    # ---- Where the terms are ----

    def places(self) -> list[list[QRectF]]:
        """Return the boxes of each term: two where it goes on in the next line."""
        key = self._paragraphs, self._mentions, self.width(), self._look.zoom
        if self._places is None or self._places[0] != key:
            self._places = key, _boxes(self._paragraphs, self._mentions, self._look, self.width())
        return self._places[1]

    def _term_at(self, place: QPointF) -> Mention | None:
        found = (
            mention
            for mention, boxes in zip(self._mentions, self.places(), strict=True)
            if any(box.contains(place) for box in boxes)
        )
        return next(found, None)

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_searched:  # at the start: the first picture does not wait for the file of the terms
            later(self, self._search)
        if not self._mentions:
            return
        painter = QPainter(self)
        pen = QPen(colour_of(self._look.theme.muted), max(1.0, self._look.px(1)))
        pen.setDashPattern(DOTS)
        focus = QPen(colour_of(self._look.theme.focus), self._look.px(2))
        for at, boxes in enumerate(self.places()):
            painter.setPen(focus if self.hasFocus() and at == self._at else pen)
            for box in boxes:
                painter.drawLine(box.bottomLeft(), box.bottomRight())
        if self.hasFocus():
            painter.setPen(focus)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    # ---- Mouse and keys ----

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._term_at(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if over is None else Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        over = self._term_at(event.position())
        if over is not None and event.button() is Qt.MouseButton.LeftButton:
            self.term_wanted.emit(over.term.name)

    def event(self, event: QEvent) -> bool:
        is_help = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_F1
        if is_help and event.type() is QEvent.Type.ShortcutOverride and self._mentions:
            event.accept()  # else it is the shortcut of the window
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()), 0)
        if not self._mentions or not (step or event.key() in EXPLAINING_KEYS):
            super().keyPressEvent(event)
        elif step:
            self._at = (self._at + step) % len(self._mentions)
            self.setAccessibleName(self._mentions[self._at].term.name)
            self.update()
        else:
            self.term_wanted.emit(self._mentions[self._at].term.name)

    def foot_of_term(self) -> QPoint:
        """Return where the term with the keyboard ends, for what opens below it."""
        return self.places()[self._at][0].bottomLeft().toPoint() if self._mentions else QPoint(0, self.height())


def _boxes(
    paragraphs: tuple[TextLine, ...], mentions_in: tuple[Mention, ...], look: Look, width: int
) -> list[list[QRectF]]:
    """Return the boxes of the terms of one paragraph, laid out as `QPainter.drawText` breaks its lines."""
    if not paragraphs:
        return []
    font = look.font(paragraphs[0].size, bold=paragraphs[0].bold)
    metrics = QFontMetricsF(font)
    layout, high = QTextLayout(unbroken(paragraphs[0].text), font), 0.0
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, high))
        high += line.height() + max(0.0, metrics.leading())
    layout.endLayout()
    return [_boxes_of(layout, mention, metrics.descent()) for mention in mentions_in]


def _boxes_of(layout: QTextLayout, mention: Mention, descent: float) -> list[QRectF]:
    boxes = []
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        start, end = (
            max(mention.start, line.textStart()),
            min(mention.end, line.textStart() + line.textLength()),
        )
        if start < end:
            left, right = (float(_x(line.cursorToX(at))) for at in (start, end))
            boxes.append(QRectF(left, line.y(), right - left, line.ascent() + descent - 1))
    return boxes


def _x(found: object) -> float:
    """Return the x of a place in a line, which PySide gives with the place itself."""
    return float(found[0]) if isinstance(found, tuple) else float(found)  # type: ignore[arg-type]
