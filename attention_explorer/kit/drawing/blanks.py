"""What a question draws into a picture: names of what is asked for, and the place that somebody thinks it has."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.kit.drawing.marks import (
    colour_of,
    dashes,
    draw_circle,
    draw_haloed_text,
    draw_line,
    paint_question_mark,
    text_size,
)
from attention_explorer.kit.theme import Look

TITLE, GAP, NARROWEST = 22, 14, 150
"""Pixels at zoom 1: how high the name of a place is, what is between places, and how wide one is at least."""


def paint_blanks(painter: QPainter, room: QRectF, names: tuple[str, ...], look: Look) -> None:
    """Fill a room with places of one size, each under its name and with “?” in it; nothing where there is no room."""
    if room.isEmpty():
        return
    px = look.px
    columns = _columns(len(names), room, look)
    rows = math.ceil(len(names) / columns)
    wide = (room.width() - (columns - 1) * px(GAP)) / columns
    high = (room.height() - (rows - 1) * px(GAP)) / rows
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        place = QRectF(room.left() + column * (wide + px(GAP)), room.top() + row * (high + px(GAP)), wide, high)
        paint_blank(painter, place, name, look)


def _columns(count: int, room: QRectF, look: Look) -> int:
    """Return in how many columns the places are least flat and wide, with room for their names."""
    most = max(1, min(count, int(room.width() // look.px(NARROWEST))))

    def flatness(columns: int) -> float:
        rows = math.ceil(count / columns)
        shape = (room.width() / columns) / max(room.height() / rows - look.px(TITLE), 1.0)
        return abs(math.log(shape / 2)) + 0.1 * (rows * columns - count)

    return min(range(1, most + 1), key=flatness)


def paint_blank(painter: QPainter, place: QRectF, name: str, look: Look) -> None:
    """Write a name, and below it “?” on a place of the shade that stands for what is not drawn."""
    title = QRectF(place.left(), place.top(), place.width(), look.px(TITLE))
    font = look.font(12.5, bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    words = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, title.width())
    painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
    cells = place.adjusted(0, title.height(), 0, 0)
    painter.fillRect(cells, colour_of(look.theme.track))
    paint_question_mark(painter, cells, look, min(28.0, 0.7 * cells.height() / look.zoom))


# ---- Guesses ----


RADIUS = 9.0
"""Pixels at zoom 1 of the ring of a guess."""


def paint_guess(painter: QPainter, at: QPointF, truth: QPointF | None, look: Look, radius: float = RADIUS) -> None:
    """Paint a guess, and once the truth is there, a line from one to the other."""
    theme, radius = look.theme, look.px(radius)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    stroke = dashes(theme.output, 2.2 * look.zoom, look.px(3), look.px(2))
    if truth is not None:
        draw_line(painter, at, truth, stroke)
    draw_circle(painter, at, radius, stroke)
    font = look.font(12)
    width, height = text_size(font, "your guess")
    box = QRectF(at.x() - width / 2, at.y() - radius - look.px(3) - height, width, height)
    draw_haloed_text(painter, box, "your guess", font, theme.output_ink, theme.plane)
    painter.restore()
