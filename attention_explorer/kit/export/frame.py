"""What stands around the picture of a figure: its ground, its title above and its caption below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter

from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.export.figure import FigureStyle
from attention_explorer.kit.theme import Look

MARGIN = 14
TITLE_HEIGHT = 26
"""Of a title of one line, with the gap below it."""
TITLE_GAP = 4
CAPTION_GAP = 8
PAPER_MARGIN = 4
"""Pixels around a figure that is laid out for a width: a page has margins of its own."""
NARROWEST = 240.0
"""Pixels that a picture is laid out for at least."""
SHRINKING = 0.6
WIDENING = 0.5
"""How fast the height of a picture follows its width, below and above the one that suits it: as a power."""
LEFT_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


@dataclass(frozen=True, slots=True)
class FigureFrame:
    """A room for a picture with words around it; an empty title or caption takes no room."""

    look: Look
    width: float
    height: float
    title: str = ""
    caption: str = ""
    margin: float = MARGIN

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        high = self.room.bottom() + self._caption_height + self.margin
        return QSize(round(self.width + 2 * self.margin), round(high))

    @property
    def room(self) -> QRectF:
        """Where the picture is."""
        return QRectF(self.margin, self.margin + self._title_height, self.width, self.height)

    @property
    def _title_height(self) -> float:
        if not self.title:
            return 0.0
        return max(TITLE_HEIGHT, self._wrapped(self._title_font, self.title) + TITLE_GAP)

    @property
    def _caption_height(self) -> float:
        return self._wrapped(self._caption_font, self.caption) + CAPTION_GAP if self.caption else 0.0

    @property
    def _title_font(self) -> QFont:
        return self.look.font(15, bold=True)

    @property
    def _caption_font(self) -> QFont:
        return self.look.font(12)

    def _wrapped(self, font: QFont, text: str) -> float:
        box = QRectF(0, 0, max(self.width, 40.0), 10_000.0)
        return QFontMetricsF(font).boundingRect(box, LEFT_WRAPPED, text).height()

    def paint_ground(self, painter: QPainter) -> None:
        """Paint the ground and the title, before the picture: readers of a file go from first to last."""
        theme, size = self.look.theme, self.size
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), colour_of(theme.card))
        if self.title:
            painter.setFont(self._title_font)
            painter.setPen(colour_of(theme.text))
            box = QRectF(self.margin, self.margin, self.width, self._title_height - TITLE_GAP)
            painter.drawText(box, LEFT_WRAPPED | Qt.AlignmentFlag.AlignVCenter, self.title)

    def paint_caption(self, painter: QPainter) -> None:
        """Paint the caption, after the picture."""
        if self.caption:
            painter.setFont(self._caption_font)
            painter.setPen(colour_of(self.look.theme.muted))
            box = QRectF(self.margin, self.room.bottom() + CAPTION_GAP, self.width, self._caption_height)
            painter.drawText(box, LEFT_WRAPPED, self.caption)


def width_for(style: FigureStyle, narrowest: float = NARROWEST) -> float | None:
    """Return how wide a picture is to be, without the margins around it; None for what suits it."""
    return None if style.width is None else max(style.width - 2 * PAPER_MARGIN, narrowest)


def styled_frame(style: FigureStyle, room: tuple[float, float], title: str, caption: str) -> FigureFrame:
    """Return the frame of a picture of a size, with the words that a style asks for."""
    words = title if style.is_titled else "", caption if style.is_captioned else ""
    return FigureFrame(style.look, *room, *words, margin=MARGIN if style.width is None else PAPER_MARGIN)


def room_for(style: FigureStyle, room: tuple[float, float], narrowest: float = NARROWEST) -> tuple[float, float]:
    """Return the room of a picture that suits one room and can be laid out for others."""
    width, height = room
    wide = width_for(style, narrowest)
    if wide is None:
        return room
    # A narrow picture needs its words as high as before: it loses less of its height.
    return wide, height * (wide / width) ** (SHRINKING if wide < width else WIDENING)


def is_drawing(painter: QPainter) -> bool:
    """Return whether a painter writes a drawing of lines and letters, not pixels."""
    return not isinstance(painter.device(), QImage)
