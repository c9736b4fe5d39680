"""The place of a picture where somebody thinks that something is, and how far off that was."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.marks import dashes, draw_circle, draw_haloed_text, draw_line, text_size
from attention_explorer.kit.theme import Look

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
