"""What moves on the plane: query, keys, values, output, gradients, target, trail and the number line."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from attention_explorer.state.lookup.plane import tick_step, ticks
from attention_explorer.state.lookup.state import QUERY, TARGET, Overlay, Part
from attention_explorer.state.numerals import plain, subscript
from attention_explorer.state.role import Role
from attention_explorer.ui.drawing.marks import (
    colour_of,
    dashes,
    draw_arrow,
    draw_badge,
    draw_haloed_text,
    draw_line,
    free_spot,
    pen,
    text_size,
)
from attention_explorer.ui.lookup.plane_scene import BADGE_RADIUS, PlaneScene, has_shaft

PROBE_RADIUS = 34.0
"""Pixels: the circle around q whose image under ∂o/∂q is drawn around o."""


def paint_foreground(painter: QPainter, scene: PlaneScene) -> None:
    """Paint everything that a drag can move, back to front."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.save()
    painter.setClipRect(scene.rect)
    _paint_vectors(painter, scene)
    painter.restore()
    if scene.line is not None:
        _paint_number_line(painter, scene)
    else:
        painter.setClipRect(scene.rect)
    _paint_outcome(painter, scene)
    painter.restore()


def _paint_vectors(painter: QPainter, scene: PlaneScene) -> None:
    """Paint what lies on the plane whatever the values are: shafts, the chain, the descent, the badges."""
    state = scene.state
    if state.shows(Overlay.TRAIL) and scene.line is None:
        _paint_trail(painter, scene)
    if state.shows(Overlay.TARGET) and scene.line is None:
        _paint_residual(painter, scene)
    for part in reversed(state.parts()):
        if part != QUERY and has_shaft(state, part):
            _paint_shaft(painter, scene, part)
    if state.draws(Overlay.CHAIN):
        _paint_chain(painter, scene)
    _paint_output_shaft(painter, scene)
    _paint_shaft(painter, scene, QUERY)
    if state.shows(Overlay.GRADIENT):
        _paint_probe(painter, scene)
    if state.shows(Overlay.TARGET):
        _paint_next_step(painter, scene)
    if scene.selected is not None:
        _paint_handles(painter, scene, scene.selected)
    _paint_badges(painter, scene, on_number_line=False)


def _paint_outcome(painter: QPainter, scene: PlaneScene) -> None:
    """Paint what lies where the values lie, on the plane or on the number line: the output and all about it."""
    state = scene.state
    if scene.line is not None:
        if state.shows(Overlay.TRAIL):
            _paint_trail(painter, scene)
        if state.shows(Overlay.TARGET):
            _paint_residual(painter, scene)
        _paint_badges(painter, scene, on_number_line=True)
    if state.shows(Overlay.GRADIENT):
        _paint_swing(painter, scene)
    if state.shows(Overlay.LIMIT):
        _paint_limit(painter, scene)
    if state.hard and len(scene.frame.winners) > 1:
        _paint_tie(painter, scene)
    _paint_output(painter, scene)


# ---- Vectors ----

_SHAFT_WIDTHS = {Role.QUERY: 3.6, Role.KEY: 2.6, Role.VALUE: 1.5}


def _paint_shaft(painter: QPainter, scene: PlaneScene, part: Part) -> None:
    width = _SHAFT_WIDTHS[part.role] + (1.0 if part in (scene.selected, scene.hovered) else 0.0)
    stroke = pen(scene.look.theme.of_role(part.role), width * scene.look.zoom)
    draw_line(painter, scene.origin, scene.place(part), stroke)


def _paint_badges(painter: QPainter, scene: PlaneScene, *, on_number_line: bool) -> None:
    """Paint the badges, the query's last: it is what a hand reaches for."""
    for part in reversed(scene.state.parts()):
        if scene.state.on_number_line(part) is not on_number_line:
            continue
        if part.role is Role.TARGET:
            _paint_target(painter, scene)
            continue
        _paint_badge(painter, scene, part)
    _paint_covered_names(painter, scene, on_number_line=on_number_line)


def _covered_names(scene: PlaneScene) -> list[tuple[Part, str, QRectF]]:
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


def _paint_covered_names(painter: QPainter, scene: PlaneScene, *, on_number_line: bool) -> None:
    look, font = scene.look, scene.look.font(13, bold=True)
    for part, text, box in _covered_names(scene):
        if scene.state.on_number_line(part) is on_number_line:
            draw_haloed_text(painter, box, text, font, look.theme.ink_of_role(part.role), look.theme.plane)


def _paint_badge(painter: QPainter, scene: PlaneScene, part: Part) -> None:
    theme, px = scene.look.theme, scene.look.px
    role = part.role
    chosen = part in (scene.selected, scene.hovered)
    if chosen:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(theme.of_role(role), 0.25))
        painter.drawEllipse(scene.place(part), px(BADGE_RADIUS + 5), px(BADGE_RADIUS + 5))
    draw_badge(
        painter,
        scene.place(part),
        part.symbol,
        font=scene.look.font(13, bold=True),
        radius=px(BADGE_RADIUS),
        ink=theme.ink_of_role(role),
        edge=theme.of_role(role),
        fill=theme.card,
        width=2.4 * scene.look.zoom,
        square=role is Role.VALUE,
    )


def handle_places(scene: PlaneScene, part: Part) -> tuple[QPointF, QPointF] | None:
    """Return where the length handle and the angle handle of a vector are, or None if it has none.

    The length handle lies further along the vector, the angle handle further around the origin: where each can go.
    """
    if not has_shaft(scene.state, part):
        return None
    x, y = scene.state.position(part)
    away = scene.look.px(BADGE_RADIUS + 17)
    reach = math.hypot(x, y) * scene.transform.pixels_per_unit
    angle = math.atan2(y, x)
    # Near the origin the arc would wrap around it; there the handle stands straight across instead.
    turn, radius = (away / reach, reach) if reach > away else (math.pi / 2, away)
    return _around(scene, angle, reach + away), _around(scene, angle + turn, radius)


def _around(scene: PlaneScene, angle: float, distance: float) -> QPointF:
    return scene.origin + QPointF(distance * math.cos(angle), -distance * math.sin(angle))


def _paint_handles(painter: QPainter, scene: PlaneScene, part: Part) -> None:
    places = handle_places(scene, part)
    if places is None:
        return
    colour, radius = scene.look.theme.of_role(part.role), scene.look.px(5)
    (length_at, angle_at), tip = places, scene.place(part)
    guide = dashes(colour, 1.4 * scene.look.zoom, scene.look.px(2), scene.look.px(2))
    draw_line(painter, tip, length_at, guide)
    reach = math.hypot(tip.x() - scene.origin.x(), tip.y() - scene.origin.y())
    box = QRectF(scene.origin.x() - reach, scene.origin.y() - reach, 2 * reach, 2 * reach)
    x, y = scene.state.position(part)
    if reach > scene.look.px(BADGE_RADIUS + 17):
        start, turn = math.atan2(y, x), scene.look.px(BADGE_RADIUS + 17) / reach
        painter.drawArc(box, round(16 * math.degrees(start)), round(16 * math.degrees(turn)))
    painter.setPen(pen(colour, 1.6 * scene.look.zoom))
    painter.setBrush(colour_of(scene.look.theme.card))
    side = 2 * radius - 2
    painter.drawRect(QRectF(length_at.x() - side / 2, length_at.y() - side / 2, side, side))
    painter.drawEllipse(angle_at, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)


# ---- Output ----


def _paint_output_shaft(painter: QPainter, scene: PlaneScene) -> None:
    if scene.line is None:
        look, theme = scene.look, scene.look.theme
        # Over an edge: gold alone is too pale on white.
        for colour, width, head in ((theme.output_ink, 4.6, 17), (theme.output, 2.8, 14)):
            draw_arrow(painter, scene.origin, scene.output_place, colour, width * look.zoom, look.px(head))


def _badge_places(scene: PlaneScene) -> list[QPointF]:
    return [scene.place(part) for part in scene.state.parts() if part.role is not Role.TARGET]


def _badges_at(scene: PlaneScene, place: QPointF) -> list[QPointF]:
    """Return the badges that a mark at a place would lie on."""
    radius = scene.look.px(BADGE_RADIUS)
    return [s for s in _badge_places(scene) if math.hypot(s.x() - place.x(), s.y() - place.y()) < radius]


def _paint_output(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the output as a disc, or as a ring around the badge that it lies on."""
    look, place, px = scene.look, scene.output_place, scene.look.px
    covered = _badges_at(scene, place)
    radius = px(BADGE_RADIUS + 4) if covered else px(7)
    painter.setBrush(Qt.BrushStyle.NoBrush if covered else colour_of(look.theme.output))
    if covered:
        painter.setPen(pen(look.theme.output_ink, 5.4 * look.zoom))
        painter.drawEllipse(place, radius, radius)
        painter.setPen(pen(look.theme.output, 3.6 * look.zoom))
    else:
        painter.setPen(pen(look.theme.output_ink, 1.4 * look.zoom))
    painter.drawEllipse(place, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    reach = px(BADGE_RADIUS + 3)
    taken = [QRectF(s.x() - reach, s.y() - reach, 2 * reach, 2 * reach) for s in _badge_places(scene)]
    font = look.font(14, bold=True)
    inside = scene.rect if scene.line is None else QRectF(0, scene.rect.bottom(), scene.rect.width(), 1e4)
    box = free_spot(place, text_size(font, "o"), radius + px(1), taken, inside)
    draw_haloed_text(painter, box, "o", font, look.theme.output_ink, look.theme.plane)


def _paint_chain(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the output as a walk: α₁v₁, then α₂v₂ from where that ends, and so on."""
    look, font = scene.look, scene.look.font(11.5, bold=True)
    corner = np.zeros(2)
    taken = [box for _, _, box in _covered_names(scene)]
    for i, step in enumerate(scene.frame.contributions):
        start, corner = scene.point((corner[0], corner[1])), corner + step
        end = scene.point((corner[0], corner[1]))
        draw_arrow(painter, start, end, look.theme.value, 2.0 * look.zoom, look.px(9))
        if math.hypot(end.x() - start.x(), end.y() - start.y()) > look.px(36):
            text = f"α{subscript(i + 1)}v{subscript(i + 1)}"
            width, height = text_size(font, text)
            box = QRectF(0, 0, width, height)
            box.moveCenter(QPointF((start.x() + end.x()) / 2, (start.y() + end.y()) / 2 + look.px(11)))
            if any(box.intersects(name) for name in taken):
                box.translate(0, -look.px(22))  # above its arrow
            draw_haloed_text(painter, box, text, font, look.theme.value_ink, look.theme.plane)


def _paint_limit(painter: QPainter, scene: PlaneScene) -> None:
    """Paint where the output goes as the query is lengthened for ever: the mean of the winners' values."""
    look = scene.look
    spot = scene.place_value(tuple(scene.frame.limit.tolist()))
    half = look.px(BADGE_RADIUS + 9 if _badges_at(scene, spot) else 9)
    painter.setPen(pen(look.theme.output_ink, 2.0 * look.zoom))
    painter.drawPolygon(QPolygonF([spot + QPointF(*d) for d in ((0, -half), (half, 0), (0, half), (-half, 0))]))


def _paint_tie(painter: QPainter, scene: PlaneScene) -> None:
    """Ring every value that a hard lookup could have picked: the scores tie, and only the index decides."""
    look, radius = scene.look, scene.look.px(BADGE_RADIUS + 8)
    painter.setPen(dashes(look.theme.output_ink, 2.0 * look.zoom, look.px(4), look.px(3)))
    for index in scene.frame.winners:
        painter.drawEllipse(scene.place_value(scene.state.value_rows[index]), radius, radius)


def _paint_trail(painter: QPainter, scene: PlaneScene) -> None:
    """Paint past outputs, fading with age; where the output jumped there is a gap, because it was never in between."""
    look, spots = scene.look, [scene.place_value(row) for row in scene.state.trail]
    jump = look.px(24)
    for i, spot in enumerate(spots):
        opacity = 0.75 * (i + 1) / len(spots)
        if i and math.hypot(spot.x() - spots[i - 1].x(), spot.y() - spots[i - 1].y()) < jump:
            draw_line(painter, spots[i - 1], spot, pen(look.theme.output, 2.4 * look.zoom, opacity=round(opacity, 2)))
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour_of(look.theme.output, round(opacity, 2)))
            painter.drawEllipse(spot, look.px(3), look.px(3))
            painter.setBrush(Qt.BrushStyle.NoBrush)


# ---- Gradient and target ----


def _paint_probe(painter: QPainter, scene: PlaneScene) -> None:
    """Paint a circle around q: the small moves of the query whose effect is drawn around o."""
    look, radius, query = scene.look, scene.look.px(PROBE_RADIUS), scene.place(QUERY)
    painter.setPen(dashes(look.theme.query, 1.5 * look.zoom, look.px(3), look.px(3)))
    painter.drawEllipse(query, radius, radius)
    for direction in (QPointF(radius, 0), QPointF(0, -radius)):
        _gradient_arrow(painter, scene, query, direction, look.theme.query)


def _paint_swing(painter: QPainter, scene: PlaneScene) -> None:
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
    image = radius * jacobian @ np.array([np.cos(angles), np.sin(angles)])
    painter.setPen(dashes(look.theme.output_ink, 1.5 * look.zoom, look.px(3), look.px(3)))
    painter.drawPolyline(QPolygonF([output + QPointF(x, -y) for x, y in image.T]))
    for dx, dy in radius * jacobian.T:
        _gradient_arrow(painter, scene, output, QPointF(dx, -dy), look.theme.output_ink)


def _gradient_arrow(painter: QPainter, scene: PlaneScene, start: QPointF, by: QPointF, colour: str) -> None:
    draw_arrow(painter, start, start + by, colour, 1.8 * scene.look.zoom, scene.look.px(8))


def _paint_residual(painter: QPainter, scene: PlaneScene) -> None:
    look = scene.look
    stroke = dashes(look.theme.loss, 1.6 * look.zoom, look.px(2), look.px(3))
    draw_line(painter, scene.output_place, scene.place(TARGET), stroke)


def _paint_target(painter: QPainter, scene: PlaneScene) -> None:
    look, spot = scene.look, scene.place(TARGET)
    radius = look.px(10)
    if TARGET in (scene.selected, scene.hovered):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(look.theme.loss, 0.25))
        painter.drawEllipse(spot, radius + look.px(6), radius + look.px(6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(look.theme.loss, 2.2 * look.zoom))
    painter.drawEllipse(spot, radius, radius)
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        inner, outer = look.px(5), look.px(15)
        painter.drawLine(spot + QPointF(dx * inner, dy * inner), spot + QPointF(dx * outer, dy * outer))
    font = look.font(13, bold=True)
    width, height = text_size(font, "t")
    box = QRectF(spot.x() + look.px(12), spot.y() - look.px(8) - height, width, height)
    draw_haloed_text(painter, box, "t", font, look.theme.loss_ink, look.theme.plane)


def _paint_next_step(painter: QPainter, scene: PlaneScene) -> None:
    """Paint where Step would take q: q − rate · ∂L/∂q."""
    look, pixels = scene.look, scene.transform.pixels_per_unit
    dx, dy = -scene.state.rate * scene.frame.loss_gradient * pixels
    if math.hypot(dx, dy) < 1:
        return
    query = scene.place(QUERY)
    draw_arrow(painter, query, query + QPointF(dx, -dy), look.theme.loss, 2.6 * look.zoom, look.px(10))


# ---- Number line ----


def _paint_number_line(painter: QPainter, scene: PlaneScene) -> None:
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
    painter.drawText(
        QRectF(px(8), strip.top() + px(1), px(320), px(16)),
        Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
        "values and output on a number line",
    )
