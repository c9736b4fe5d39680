"""What is written on the plane: which badges lie under another, the tokens of a head, the numbers at the axes."""

from __future__ import annotations

import math
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import plain
from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.label_places import free_spot
from attention_explorer.kit.drawing.marks import box_round, colour_of, distance, draw_haloed_text, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.plane import PlaneTransform, tick_step, ticks
from attention_explorer.pages.lookup.state import Part
from attention_explorer.pages.lookup.ui.plane_backdrop import plane_names
from attention_explorer.pages.lookup.ui.plane_scene import (
    BADGE_RADIUS,
    PlaneScene,
    distance_to_segment,
    has_shaft,
    rect_of,
)


def covered_names(scene: PlaneScene) -> list[tuple[Part, str, QRectF]]:
    """Return the parts that lie under another badge, what is written beside it, and where.

    That is "= k₁", or "≈ k₁" if it is only closer than the badge can show.
    """
    look, font = scene.look, scene.look.font(13, bold=True)
    tops: list[tuple[Part, QPointF]] = []
    names: list[tuple[Part, str, QRectF]] = []
    for part in scene.parts:
        spot = scene.place(part)
        under = [top for top in tops if distance(top[1], spot) < look.px(8)]
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
    taken += [box_round(at, radius) for at in places.values()]
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


def paint_tick_labels(painter: QPainter, scene: PlaneScene, *, of_values: bool = False) -> None:
    """Write the labels beside the axes, or at the edge of the picture where an axis is out of sight.

    ``of_values`` for the plane of a head's values.
    """
    painter.setFont(scene.look.font(11.5))
    painter.setPen(colour_of(scene.look.theme.muted))
    taken = _taken(scene)
    plane = scene.values if of_values and scene.values is not None else scene.transform
    for text, box in _labels(plane, scene.look):
        if not any(box.intersects(other) for other in taken) and not _is_crossed(box, scene):
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _is_crossed(box: QRectF, scene: PlaneScene) -> bool:
    """Return whether one of the many shafts of a head goes through a box, or nearly."""
    if scene.frame.row is None:
        return False
    half = math.hypot(box.width(), box.height()) / 2
    ends = [(scene.start_of(part), scene.place(part)) for part in scene.parts if has_shaft(scene.state, part)]
    ends.append((scene.place_value((0.0, 0.0)), scene.output_place))
    return any(distance_to_segment(box.center(), *shaft) < half for shaft in ends)


def _taken(scene: PlaneScene) -> list[QRectF]:
    """Return where badges, the names beside them and those of the planes are."""
    radius = scene.look.px(BADGE_RADIUS)
    places = [scene.place(part) for part in scene.parts if not scene.state.on_number_line(part)]
    badges = [box_round(place, radius) for place in places]
    return [*badges, *(box for _, _, box in covered_names(scene)), *(box for _, box in plane_names(scene))]


@lru_cache(maxsize=4)
def _labels(plane: PlaneTransform, look: Look) -> tuple[tuple[str, QRectF], ...]:
    """Return all numbers with their places; they stay while something is dragged, so they are measured once."""
    seen, room, gap = plane.visible, rect_of(plane), look.px(4)
    font, step = look.font(11.5), tick_step(plane.pixels_per_unit, look.px(70))
    decimals, height = max(0, -math.floor(math.log10(step) + 1e-9)), text_size(font, "0")[1]
    across, down = plane.to_pixels(0.0, 0.0)
    row = min(max(down + gap, room.top() + gap), room.bottom() - height - gap)
    found = []
    for x in ticks(seen.left, seen.right, step):
        text = plain(x, decimals)
        box = QRectF(plane.to_pixels(x, 0.0)[0] + gap, row, text_size(font, text)[0], height)
        if room.left() + gap <= box.left() and box.right() <= room.right():
            found.append((text, box))
    for y in ticks(seen.bottom, seen.top, step):
        text = plain(y, decimals)
        width, top = text_size(font, text)[0], plane.to_pixels(0.0, y)[1] - height - gap / 2
        column = min(max(across + gap, room.left() + gap), room.right() - width - gap)
        if y != 0 and top >= room.top() and top + height <= room.bottom():
            found.append((text, QRectF(column, top, width, height)))
    return tuple(found)
