"""Where the parts of a legend stand: in as many lines as a room asks for, so that no words are cut."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look

WORDS_SIZE = 11.5


def flowing(widths: Sequence[float], room: float, gap: float) -> list[tuple[float, int]]:
    """Return for parts of some widths how far from the left each stands, and in which line, counted from 0."""
    places: list[tuple[float, int]] = []
    left, line = 0.0, 0
    for width in widths:
        if left > 0 and left + width > room:
            left, line = 0.0, line + 1
        places.append((left, line))
        left += width + gap
    return places


def entry_boxes(
    names: Sequence[str], sample: float, box: QRectF, line: float, look: Look, *, size: float = WORDS_SIZE
) -> list[QRectF]:
    """Return the box of each entry of a legend, in lines of one height from the top of ``box``, as wide as that is.

    Each entry is a sample of a width (px) with its name behind it, in letters of a ``size``; `entry_words` is where
    that is written.
    """
    metrics = QFontMetricsF(look.font(size))
    widths = [sample + look.px(6) + metrics.horizontalAdvance(name) + 2 for name in names]
    places = flowing(widths, box.width(), look.px(14))
    return [
        QRectF(box.left() + left, box.top() + number * line, width, line)
        for (left, number), width in zip(places, widths, strict=True)
    ]


def entries_height(
    names: Sequence[str], sample: float, room: float, line: float, look: Look, *, size: float = WORDS_SIZE
) -> float:
    """Return how high a legend is in a room of a width."""
    boxes = entry_boxes(names, sample, QRectF(0, 0, room, 0), line, look, size=size)
    return boxes[-1].bottom() if boxes else 0.0


def entry_words(box: QRectF, sample: float, look: Look) -> QRectF:
    """Return where the name of an entry is written."""
    return box.adjusted(sample + look.px(6), 0, 1, 0)


def wrapped_height(words: str, width: float, look: Look) -> float:
    """Return how high small words are that wrap into a width."""
    room = QRectF(0, 0, max(width, 40.0), 10_000.0)
    return QFontMetricsF(look.font(WORDS_SIZE)).boundingRect(room, Qt.TextFlag.TextWordWrap, words).height()


def paint_wrapped(painter: QPainter, box: QRectF, words: str, look: Look) -> None:
    """Write small muted words, in as many lines as they take."""
    painter.setFont(look.font(WORDS_SIZE))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, words)


def fitting(texts: Sequence[str], font: QFont, width: float) -> str:
    """Return the first of some wordings, from long to short, that fits a width; the last if none does."""
    metrics = QFontMetricsF(font)
    return next((text for text in texts if metrics.horizontalAdvance(text) <= width), texts[-1])
