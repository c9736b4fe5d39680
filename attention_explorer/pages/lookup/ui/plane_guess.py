"""The place on the plane where somebody thinks that the output is, and how far off that was."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.marks import dashes, draw_haloed_text, draw_line, text_size
from attention_explorer.pages.lookup.plane import Vector
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS, PlaneScene


def paint_guess(painter: QPainter, scene: PlaneScene, guess: Vector) -> None:
    """Paint a guess, and once the output is there, a line from one to the other."""
    look, theme = scene.look, scene.look.theme
    at, radius = scene.place_value(guess), look.px(BADGE_RADIUS - 3)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    stroke = dashes(theme.output, 2.2 * look.zoom, look.px(3), look.px(2))
    if not scene.withheld:
        draw_line(painter, at, scene.output_place, stroke)
    painter.setPen(stroke)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(at, radius, radius)
    font = look.font(12)
    width, height = text_size(font, "your guess")
    box = QRectF(at.x() - width / 2, at.y() - radius - look.px(3) - height, width, height)
    draw_haloed_text(painter, box, "your guess", font, theme.output_ink, theme.plane)
    painter.restore()
