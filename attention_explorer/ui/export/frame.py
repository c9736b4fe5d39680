"""What stands around the picture of a figure: its ground, its title above and its caption below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter

from attention_explorer.ui.drawing.marks import colour_of
from attention_explorer.ui.export.figure import FigureStyle
from attention_explorer.ui.theme import Look

MARGIN = 14
TITLE_HEIGHT = 26
"""Of a title of one line, with the gap below it."""
TITLE_GAP = 4
CAPTION_GAP = 4
NARROWEST = 520.0
"""Pixels that a picture is laid out for at least: in less its words have no room. On 89 mm they are 5 points then."""
SHRINKING = 0.6
LEFT_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


@dataclass(frozen=True, slots=True)
class FigureFrame:
    """A room for a picture with words around it; an empty title or caption takes no room."""

    look: Look
    width: float
    height: float
    title: str = ""
    caption: str = ""

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        high = self.room.bottom() + self._caption_height + MARGIN
        return QSize(round(self.width) + 2 * MARGIN, round(high))

    @property
    def room(self) -> QRectF:
        """Where the picture is."""
        return QRectF(MARGIN, MARGIN + self._title_height, self.width, self.height)

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
            box = QRectF(MARGIN, MARGIN, self.width, self._title_height - TITLE_GAP)
            painter.drawText(box, LEFT_WRAPPED | Qt.AlignmentFlag.AlignVCenter, self.title)

    def paint_caption(self, painter: QPainter) -> None:
        """Paint the caption, after the picture."""
        if self.caption:
            painter.setFont(self._caption_font)
            painter.setPen(colour_of(self.look.theme.muted))
            box = QRectF(MARGIN, self.room.bottom() + CAPTION_GAP, self.width, self._caption_height)
            painter.drawText(box, LEFT_WRAPPED, self.caption)


def styled_frame(style: FigureStyle, room: tuple[float, float], title: str, caption: str) -> FigureFrame:
    """Return the frame of a picture of a size, with the words that a style asks for."""
    return FigureFrame(style.look, *room, title if style.is_titled else "", caption if style.is_captioned else "")


def frame_for(
    style: FigureStyle, room: tuple[float, float], title: str, caption: str, narrowest: float = NARROWEST
) -> FigureFrame:
    """Return the frame of a picture that suits a room and can be laid out for narrower ones."""
    width, height = room
    if style.width is not None:
        narrow = max(style.width - 2 * MARGIN, narrowest)
        # A narrow picture needs its words as high as before: it loses less of its height.
        width, height = narrow, height * min(narrow / width, 1.0) ** SHRINKING
    return styled_frame(style, (width, height), title, caption)


def is_drawing(painter: QPainter) -> bool:
    """Return whether a painter writes a drawing of lines and letters, not pixels."""
    return not isinstance(painter.device(), QImage)
