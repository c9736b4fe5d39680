"""The tokens of a head beside their keys on the plane."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.label_places import free_spot
from attention_explorer.kit.drawing.marks import draw_haloed_text, text_size
from attention_explorer.pages.lookup.ui.covered_names import covered_names
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS, PlaneScene

LONGEST = 16
"""Letters of a token; what is longer is cut."""


def paint_tokens(painter: QPainter, scene: PlaneScene) -> None:
    """Write which token each key of a row belongs to, where there is room: the bars name all of them."""
    if scene.frame.row is None:
        return
    look, font = scene.look, scene.look.font(12)
    radius = look.px(BADGE_RADIUS + 1)
    covered = covered_names(scene)
    taken = [box for _, _, box in covered]
    places = {part: scene.place(part) for part in scene.parts if not scene.is_apart(part)}
    taken += [QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius) for at in places.values()]
    hidden = [part for part, _, _ in covered]
    for part, at in places.items():
        if part.role is not Role.KEY or part in hidden or not scene.rect.contains(at):
            continue
        name = scene.frame.row.names[part.index]
        text = name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
        box = free_spot(at, text_size(font, text), (radius + look.px(2),), taken, scene.rect)
        if scene.rect.contains(box) and not any(box.intersects(other) for other in taken):
            draw_haloed_text(painter, box, text, font, look.theme.key_ink, look.theme.plane)
            taken.append(box)
