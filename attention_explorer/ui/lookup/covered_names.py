"""The names of parts of the plane whose badge lies under another."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF

from attention_explorer.state.lookup.state import Part
from attention_explorer.ui.drawing.marks import text_size
from attention_explorer.ui.lookup.plane_scene import BADGE_RADIUS, PlaneScene


def covered_names(scene: PlaneScene) -> list[tuple[Part, str, QRectF]]:
    """Return the parts that lie under another badge, what is written beside it, "= k₁", and where."""
    look, font = scene.look, scene.look.font(13, bold=True)
    tops: list[QPointF] = []
    names: list[tuple[Part, str, QRectF]] = []
    for part in scene.state.parts():
        spot = scene.place(part)
        under = [top for top in tops if math.hypot(top.x() - spot.x(), top.y() - spot.y()) < look.px(8)]
        if not under:
            tops.append(spot)
            continue
        text = f"= {part.symbol}"
        width, height = text_size(font, text)
        box = QRectF(under[0].x() + look.px(BADGE_RADIUS + 6), under[0].y() + look.px(4), width, height)
        names.append((part, text, box.translated(0, len(names) * height)))
    return names
