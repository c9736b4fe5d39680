"""What the plane shows of the output: its sum, its gradient, the target, and numbers on the line below."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPolygonF

from attention_explorer.core.numerals import plain
from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.marks import (
    box_round,
    colour_of,
    dashes,
    distance,
    draw_arrow,
    draw_circle,
    draw_haloed_text,
    draw_line,
    free_spot,
    pen,
    text_box,
    text_size,
)
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.plane import PlaneTransform, tick_step, ticks
from attention_explorer.pages.lookup.state import QUERY, TARGET, Part
from attention_explorer.pages.lookup.sums import weight_name
from attention_explorer.pages.lookup.ui.plane_backdrop import plane_names
from attention_explorer.pages.lookup.ui.plane_scene import (
    BADGE_RADIUS,
    PlaneScene,
    distance_to_segment,
    has_shaft,
    rect_of,
)
from attention_explorer.pages.lookup.wording import other_mode

# ---- Labels ----
# What is written on the plane: which badges lie under another, the tokens of a head, the numbers at the axes.


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


# ---- The output ----


def paint_output_shaft(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the arrow from the origin to the output, which a number line has not."""
    if scene.line is None:
        look, theme = scene.look, scene.look.theme
        # Over an edge: gold alone is too pale on white.
        for colour, width, head in ((theme.output_ink, 4.6, 17), (theme.output, 2.8, 14)):
            draw_arrow(
                painter, scene.place_value((0.0, 0.0)), scene.output_place, colour, width * look.zoom, look.px(head)
            )


def _badge_places(scene: PlaneScene) -> list[QPointF]:
    return [scene.place(part) for part in scene.parts if part.role is not Role.TARGET]


def _badges_at(scene: PlaneScene, place: QPointF) -> list[QPointF]:
    """Return the badges that a mark at a place would lie on."""
    radius = scene.look.px(BADGE_RADIUS)
    return [s for s in _badge_places(scene) if distance(s, place) < radius]


def paint_output(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the output as a disc, or as a ring around the badge that it lies on."""
    look, theme, place = scene.look, scene.look.theme, scene.output_place
    radius, is_covered = _radius_at(scene, place)
    if is_covered:
        draw_circle(painter, place, radius, pen(theme.output_ink, 5.4 * look.zoom))
        draw_circle(painter, place, radius, pen(theme.output, 3.6 * look.zoom))
    else:
        draw_circle(painter, place, radius, pen(theme.output_ink, 1.4 * look.zoom), colour_of(theme.output))
    _write_beside(painter, scene, place, "o", look.font(14, bold=True), (radius + look.px(1),))


GHOST = 0.6
"""How opaque the output of the other mode is."""


def paint_other(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the output of the other mode as a ghost of this one: its arrow, its disc or ring, and what it is."""
    look, px, theme = scene.look, scene.look.px, scene.look.theme
    place = scene.place_value(tuple(scene.frame.other_output.tolist()))
    if scene.line is None:
        draw_arrow(painter, scene.place_value((0.0, 0.0)), place, theme.output_ink, 1.6 * look.zoom, px(12), GHOST)
    radius, is_covered = _radius_at(scene, place)
    stroke = pen(theme.output_ink, (3.0 if is_covered else 1.6) * look.zoom, opacity=GHOST)
    draw_circle(painter, place, radius, stroke, None if is_covered else colour_of(theme.output, GHOST / 3))
    taken = [box_round(scene.output_place, px(22))]  # with its letter
    if scene.line is not None:
        taken.append(QRectF(scene.line.left, scene.line.y - px(1), scene.line.right - scene.line.left, px(2)))
        taken.append(line_title_box(scene))
    gaps = (radius + px(1), radius + px(14))
    _write_beside(painter, scene, place, f"{other_mode(scene.state)} o", look.font(12), gaps, taken)


def _radius_at(scene: PlaneScene, place: QPointF) -> tuple[float, bool]:
    """Return how large an output is drawn at a place, and whether a badge lies there."""
    is_covered = bool(_badges_at(scene, place))
    return scene.look.px(BADGE_RADIUS + 4 if is_covered else 7), is_covered


def _write_beside(
    painter: QPainter,
    scene: PlaneScene,
    place: QPointF,
    text: str,
    font: QFont,
    gaps: Sequence[float],
    others: Iterable[QRectF] = (),
) -> None:
    """Write what lies at a place beside it, clear of badges and other boxes where it can be."""
    taken = [box_round(badge, scene.look.px(BADGE_RADIUS + 3)) for badge in _badge_places(scene)]
    box = free_spot(place, text_size(font, text), gaps, [*taken, *others], scene.value_rect)
    draw_haloed_text(painter, box, text, font, scene.look.theme.output_ink, scene.look.theme.plane)


def paint_chain(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the output as a walk: α₁v₁, then α₂v₂ from where that ends, and so on."""
    look, font = scene.look, scene.look.font(11.5, bold=True)
    corner = np.zeros(2)
    taken = [box for _, _, box in covered_names(scene)]
    for i, step in enumerate(scene.frame.contributions):
        start, corner = scene.place_value((corner[0], corner[1])), corner + step
        end = scene.place_value((corner[0], corner[1]))
        draw_arrow(painter, start, end, look.theme.value, 2.0 * look.zoom, look.px(9))
        if distance(start, end) > look.px(36):
            text = f"{weight_name(i)}{Part(Role.VALUE, i).symbol}"
            box = text_box(font, text, (start + end) / 2 + QPointF(0, look.px(11)))
            if any(box.intersects(name) for name in taken):
                box.translate(0, -look.px(22))  # above its arrow
            draw_haloed_text(painter, box, text, font, look.theme.value_ink, look.theme.plane)


def paint_limit(painter: QPainter, scene: PlaneScene) -> None:
    """Paint where the output goes as the query is lengthened for ever: the mean of the winners' values."""
    look = scene.look
    spot = scene.place_value(tuple(scene.frame.limit.tolist()))
    half = look.px(BADGE_RADIUS + 9 if _badges_at(scene, spot) else 9)
    painter.setPen(pen(look.theme.output_ink, 2.0 * look.zoom))
    painter.drawPolygon(diamond(spot, half))


def diamond(centre: QPointF, half: float) -> QPolygonF:
    """Return a square that stands on a corner."""
    return QPolygonF([centre + QPointF(*way) for way in ((0, -half), (half, 0), (0, half), (-half, 0))])


def paint_tie(painter: QPainter, scene: PlaneScene) -> None:
    """Ring every value that a hard lookup could have picked: the scores tie, and only the index decides."""
    look, radius = scene.look, scene.look.px(BADGE_RADIUS + 8)
    stroke = dashes(look.theme.output_ink, 2.0 * look.zoom, look.px(4), look.px(3))
    for index in scene.frame.winners:
        draw_circle(painter, scene.place_value(scene.state.value_rows[index]), radius, stroke)


def paint_trail(painter: QPainter, scene: PlaneScene) -> None:
    """Paint past outputs, fading with age; where the output jumped there is a gap, because it was never in between."""
    look, spots = scene.look, [scene.place_value(row) for row in scene.state.trail]
    jump = look.px(24)
    for i, spot in enumerate(spots):
        opacity = round(0.75 * (i + 1) / len(spots), 2)
        if i and distance(spot, spots[i - 1]) < jump:
            draw_line(painter, spots[i - 1], spot, pen(look.theme.output, 2.4 * look.zoom, opacity=opacity))
        else:
            draw_circle(painter, spot, look.px(3), fill=colour_of(look.theme.output, opacity))


PROBE_RADIUS = 34.0
"""Pixels: the circle around q whose image under ∂o/∂q is drawn around o."""


def paint_probe(painter: QPainter, scene: PlaneScene) -> None:
    """Paint a circle around q: the small moves of the query whose effect is drawn around o."""
    look, radius, query = scene.look, scene.look.px(PROBE_RADIUS), scene.place(QUERY)
    draw_circle(painter, query, radius, dashes(look.theme.query, 1.5 * look.zoom, look.px(3), look.px(3)))
    for direction in (QPointF(radius, 0), QPointF(0, -radius)):
        _gradient_arrow(painter, scene, query, direction, look.theme.query)


def paint_swing(painter: QPainter, scene: PlaneScene) -> None:
    """Paint where ∂o/∂q takes the circle around q: an ellipse, a segment, or in hard mode nothing."""
    look, jacobian, output = scene.look, scene.frame.gradient.output, scene.output_place
    radius = look.px(PROBE_RADIUS)
    if scene.line is not None:
        units = radius / scene.transform.pixels_per_unit
        swing = float(np.linalg.norm(jacobian)) * units / scene.line.units_per_pixel
        for side in (-swing, swing):
            _gradient_arrow(painter, scene, output, QPointF(side, 0), look.theme.output_ink)
        return
    angles = np.linspace(0, 2 * np.pi, 49)
    jacobian = jacobian * scene.transform_of(TARGET).pixels_per_unit / scene.transform.pixels_per_unit
    image = radius * jacobian @ np.array([np.cos(angles), np.sin(angles)])
    painter.setPen(dashes(look.theme.output_ink, 1.5 * look.zoom, look.px(3), look.px(3)))
    painter.drawPolyline(QPolygonF([output + QPointF(x, -y) for x, y in image.T]))
    for dx, dy in radius * jacobian.T:
        _gradient_arrow(painter, scene, output, QPointF(dx, -dy), look.theme.output_ink)


def _gradient_arrow(painter: QPainter, scene: PlaneScene, start: QPointF, by: QPointF, colour: str) -> None:
    draw_arrow(painter, start, start + by, colour, 1.8 * scene.look.zoom, scene.look.px(8))


def paint_residual(painter: QPainter, scene: PlaneScene) -> None:
    """Paint what the output lacks: the line from it to the target."""
    look = scene.look
    stroke = dashes(look.theme.loss, 1.6 * look.zoom, look.px(2), look.px(3))
    draw_line(painter, scene.output_place, scene.place(TARGET), stroke)


def paint_target(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the target as cross hairs with its name."""
    look, spot = scene.look, scene.place(TARGET)
    radius = look.px(10)
    if TARGET in (scene.selected, scene.hovered):
        draw_circle(painter, spot, radius + look.px(6), fill=colour_of(look.theme.loss, 0.25))
    draw_circle(painter, spot, radius, pen(look.theme.loss, 2.2 * look.zoom))
    for way in (QPointF(1, 0), QPointF(-1, 0), QPointF(0, 1), QPointF(0, -1)):
        painter.drawLine(spot + way * look.px(5), spot + way * look.px(15))
    font = look.font(13, bold=True)
    width, height = text_size(font, "t")
    box = QRectF(spot.x() + look.px(12), spot.y() - look.px(8) - height, width, height)
    draw_haloed_text(painter, box, "t", font, look.theme.loss_ink, look.theme.plane)


def paint_next_step(painter: QPainter, scene: PlaneScene) -> None:
    """Paint where Step would take q: q − rate · ∂L/∂q."""
    look, pixels = scene.look, scene.transform.pixels_per_unit
    dx, dy = -scene.state.rate * scene.frame.loss_gradient * pixels
    if math.hypot(dx, dy) < 1:
        return
    query = scene.place(QUERY)
    draw_arrow(painter, query, query + QPointF(dx, -dy), look.theme.loss, 2.6 * look.zoom, look.px(10))


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
