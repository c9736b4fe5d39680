"""The number line below the plane, where values are numbers and not points."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import plain
from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen, text_size
from attention_explorer.pages.lookup.plane import tick_step, ticks
from attention_explorer.pages.lookup.ui.plane_scene import PlaneScene

TITLE = "values and output on a number line"


def paint_number_line(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the line with its ticks on a strip of its own; nothing where values are points."""
    look, line = scene.look, scene.line
    if line is None:
        return
    theme, px = look.theme, look.px
    strip = QRectF(0, scene.rect.bottom(), scene.rect.width(), line.y + px(32) - scene.rect.bottom())
    painter.fillRect(strip, colour_of(theme.window))
    draw_line(painter, strip.topLeft(), strip.topRight(), pen(theme.border, 1.0))
    draw_line(painter, QPointF(line.left, line.y), QPointF(line.right, line.y), pen(theme.axis, 1.4))
    font = look.font(11.5)
    step = tick_step(1 / line.units_per_pixel, px(70))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    for number in ticks(line.low, line.high, step):
        at = line.to_pixels(number)
        draw_line(painter, at, at + QPointF(0, px(5)), pen(theme.axis, 1.4))
        text = plain(number, decimals)
        width, height = text_size(font, text)
        painter.setFont(font)
        painter.setPen(colour_of(theme.muted))
        box = QRectF(at.x() - width / 2, at.y() + px(15), width, height)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.setPen(colour_of(theme.muted))
    aligned = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
    painter.drawText(line_title_box(scene), aligned, TITLE)


def line_title_box(scene: PlaneScene) -> QRectF:
    """Return where it says what the line is."""
    px = scene.look.px
    return QRectF(px(8), scene.rect.bottom() + px(1), text_size(scene.look.font(11.5), TITLE)[0], px(16))
