"""Text that changes at every mouse move: painted in place, so that no layout has to be worked out again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.kit.accessible import WORDS
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look, Theme

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
