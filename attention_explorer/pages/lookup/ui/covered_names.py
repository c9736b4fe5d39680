"""The names of parts of the plane whose badge lies under another."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF

from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.pages.lookup.state import Part
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS, PlaneScene


def covered_names(scene: PlaneScene) -> list[tuple[Part, str, QRectF]]:
    """Return the parts that lie under another badge, what is written beside it, and where.

    That is "= k₁", or "≈ k₁" if it is only closer than the badge can show.
    """
    look, font = scene.look, scene.look.font(13, bold=True)
    tops: list[tuple[Part, QPointF]] = []
    names: list[tuple[Part, str, QRectF]] = []
    for part in scene.parts:
        spot = scene.place(part)
        under = [top for top in tops if math.hypot(top[1].x() - spot.x(), top[1].y() - spot.y()) < look.px(8)]
        if not under:
            tops.append((part, spot))
            continue
        top, place = under[0]
        is_same = scene.state.position(top) == scene.state.position(part)
        text = f"{'=' if is_same else '≈'} {part.symbol}"
        width, height = text_size(font, text)
        box = QRectF(place.x() + look.px(BADGE_RADIUS + 6), place.y() + look.px(4), width, height)
        names.append((part, text, box.translated(0, len(names) * height)))
    return names
