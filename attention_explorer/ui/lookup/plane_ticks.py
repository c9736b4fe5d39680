"""The numbers at the axes of the plane. One that a badge covers is left out: half of 10 would read as 0."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.state.lookup.plane import tick_step, ticks
from attention_explorer.state.numerals import plain
from attention_explorer.ui.drawing.marks import colour_of, text_size
from attention_explorer.ui.lookup.covered_names import covered_names
from attention_explorer.ui.lookup.plane_scene import BADGE_RADIUS, PlaneScene


def paint_tick_labels(painter: QPainter, scene: PlaneScene) -> None:
    """Write the labels beside the axes, or at the edge of the picture where an axis is out of sight."""
    painter.setFont(scene.look.font(11.5))
    painter.setPen(colour_of(scene.look.theme.muted))
    taken = _taken(scene)
    for text, box in _labels(scene):
        if not any(box.intersects(other) for other in taken):
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _taken(scene: PlaneScene) -> list[QRectF]:
    """Return where badges and the names beside them are."""
    radius = scene.look.px(BADGE_RADIUS)
    places = [scene.place(part) for part in scene.state.parts() if not scene.state.on_number_line(part)]
    badges = [QRectF(place.x() - radius, place.y() - radius, 2 * radius, 2 * radius) for place in places]
    return badges + [box for _, _, box in covered_names(scene)]


def _labels(scene: PlaneScene) -> Iterator[tuple[str, QRectF]]:
    seen, rect, gap = scene.transform.visible, scene.rect, scene.look.px(4)
    font = scene.look.font(11.5)
    step = tick_step(scene.transform.pixels_per_unit, scene.look.px(70))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    _, height = text_size(font, "0")
    row = min(max(scene.origin.y() + gap, rect.top() + gap), rect.bottom() - height - gap)
    for x in ticks(seen.left, seen.right, step):
        text = plain(x, decimals)
        width, _ = text_size(font, text)
        left = scene.point((x, 0.0)).x() + gap
        if rect.left() <= left - gap and left + width <= rect.right():
            yield text, QRectF(left, row, width, height)
    for y in ticks(seen.bottom, seen.top, step):
        text = plain(y, decimals)
        width, _ = text_size(font, text)
        column = min(max(scene.origin.x() + gap, rect.left() + gap), rect.right() - width - gap)
        top = scene.point((0.0, y)).y() - height - gap / 2
        if y != 0 and rect.top() <= top and top + height <= rect.bottom():
            yield text, QRectF(column, top, width, height)
