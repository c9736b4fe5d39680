"""What moves on the plane: query, keys, values, output, gradients, target, trail and the number line."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.marks import (
    box_round,
    colour_of,
    dashes,
    distance,
    draw_badge,
    draw_circle,
    draw_haloed_text,
    draw_line,
    pen,
)
from attention_explorer.pages.lookup.state import QUERY, Overlay, Part
from attention_explorer.pages.lookup.ui.plane_backdrop import paint_backdrop
from attention_explorer.pages.lookup.ui.plane_output import (
    covered_names,
    paint_chain,
    paint_limit,
    paint_next_step,
    paint_number_line,
    paint_other,
    paint_output,
    paint_output_shaft,
    paint_probe,
    paint_residual,
    paint_swing,
    paint_target,
    paint_tick_labels,
    paint_tie,
    paint_tokens,
    paint_trail,
)
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS, PlaneScene, has_shaft


def paint_foreground(painter: QPainter, scene: PlaneScene) -> None:
    """Paint everything that a drag can move, back to front."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.save()
    painter.setClipRect(scene.rect)
    paint_tick_labels(painter, scene)
    _paint_vectors(painter, scene)
    painter.restore()
    if scene.line is not None:
        paint_number_line(painter, scene)
    else:
        painter.setClipRect(scene.value_rect)
    _paint_outcome(painter, scene)
    painter.restore()


def _paint_vectors(painter: QPainter, scene: PlaneScene) -> None:
    """Paint what lies on the plane whatever the values are: shafts, the chain, the descent, the badges."""
    state = scene.state
    if not scene.has_values_apart:
        _paint_below_values(painter, scene)
    for part in reversed(state.parts()):
        if part != QUERY and has_shaft(state, part) and not scene.is_apart(part):
            _paint_shaft(painter, scene, part)
    if not scene.has_values_apart:
        _paint_output_vectors(painter, scene)
    _paint_shaft(painter, scene, QUERY)
    if state.shows(Overlay.GRADIENT):
        paint_probe(painter, scene)
    if state.shows(Overlay.TARGET) and not scene.withheld:
        paint_next_step(painter, scene)
    if scene.selected is not None:
        _paint_handles(painter, scene, scene.selected)
    paint_tokens(painter, scene)
    _paint_badges(painter, scene, apart=False)


def _paint_below_values(painter: QPainter, scene: PlaneScene) -> None:
    if scene.state.shows(Overlay.TRAIL):
        paint_trail(painter, scene)
    if scene.state.shows(Overlay.TARGET) and not scene.withheld:  # it would end where the output is
        paint_residual(painter, scene)


def _paint_output_vectors(painter: QPainter, scene: PlaneScene) -> None:
    if scene.withheld:
        return
    if scene.frame.draws(Overlay.CHAIN):
        paint_chain(painter, scene)
    paint_output_shaft(painter, scene)


def _paint_outcome(painter: QPainter, scene: PlaneScene) -> None:
    """Paint what lies where the values lie, on a plane or on the number line: the output and all about it."""
    state = scene.state
    if scene.has_values_apart:
        _paint_below_values(painter, scene)
        if scene.values is not None:
            paint_tick_labels(painter, scene, of_values=True)
            for part in reversed(state.parts()):
                if part.role is Role.VALUE:
                    _paint_shaft(painter, scene, part)
            _paint_output_vectors(painter, scene)
        _paint_badges(painter, scene, apart=True)
    if scene.withheld:
        return
    if state.shows(Overlay.GRADIENT):
        paint_swing(painter, scene)
    if state.shows(Overlay.LIMIT):
        paint_limit(painter, scene)
    if state.hard and len(scene.frame.winners) > 1:
        paint_tie(painter, scene)
    if state.shows(Overlay.OTHER):
        paint_other(painter, scene)
    paint_output(painter, scene)


# ---- Vectors ----

_SHAFT_WIDTHS = {Role.QUERY: 3.6, Role.KEY: 2.6, Role.VALUE: 1.5}


def _paint_shaft(painter: QPainter, scene: PlaneScene, part: Part) -> None:
    width = _SHAFT_WIDTHS[part.role] + (1.0 if part in (scene.selected, scene.hovered) else 0.0)
    stroke = pen(scene.look.theme.of_role(part.role), width * scene.look.zoom)
    draw_line(painter, scene.start_of(part), scene.place(part), stroke)


def _paint_badges(painter: QPainter, scene: PlaneScene, *, apart: bool) -> None:
    """Paint the badges, the query's last: it is what a hand reaches for."""
    for part in reversed(scene.parts):
        if scene.is_apart(part) is not apart:
            continue
        if part.role is Role.TARGET:
            paint_target(painter, scene)
            continue
        _paint_badge(painter, scene, part)
    _paint_covered_names(painter, scene, apart=apart)


def _paint_covered_names(painter: QPainter, scene: PlaneScene, *, apart: bool) -> None:
    look, font = scene.look, scene.look.font(13, bold=True)
    for part, text, box in covered_names(scene):
        if scene.is_apart(part) is apart:
            draw_haloed_text(painter, box, text, font, look.theme.ink_of_role(part.role), look.theme.plane)


def _paint_badge(painter: QPainter, scene: PlaneScene, part: Part) -> None:
    theme, px = scene.look.theme, scene.look.px
    role = part.role
    chosen = part in (scene.selected, scene.hovered)
    if chosen:
        draw_circle(painter, scene.place(part), px(BADGE_RADIUS + 5), fill=colour_of(theme.of_role(role), 0.25))
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
    if not has_shaft(scene.state, part) or scene.state.is_fixed(part):
        return None
    x, y = scene.state.position(part)
    away = scene.look.px(BADGE_RADIUS + 17)
    reach = math.hypot(x, y) * scene.transform.pixels_per_unit
    angle = math.atan2(y, x)
    # Near the origin the arc would wrap around it; there the handle stands straight across instead.
    turn, radius = (away / reach, reach) if reach > away else (math.pi / 2, away)
    return _around(scene, angle, reach + away), _around(scene, angle + turn, radius)


def _around(scene: PlaneScene, angle: float, away: float) -> QPointF:
    return scene.origin + QPointF(away * math.cos(angle), -away * math.sin(angle))


def _paint_handles(painter: QPainter, scene: PlaneScene, part: Part) -> None:
    places = handle_places(scene, part)
    if places is None:
        return
    colour, radius = scene.look.theme.of_role(part.role), scene.look.px(5)
    (length_at, angle_at), tip = places, scene.place(part)
    guide = dashes(colour, 1.4 * scene.look.zoom, scene.look.px(2), scene.look.px(2))
    draw_line(painter, tip, length_at, guide)
    reach = distance(tip, scene.origin)
    x, y = scene.state.position(part)
    if reach > scene.look.px(BADGE_RADIUS + 17):
        start, turn = math.atan2(y, x), scene.look.px(BADGE_RADIUS + 17) / reach
        painter.drawArc(box_round(scene.origin, reach), round(16 * math.degrees(start)), round(16 * math.degrees(turn)))
    stroke, ground = pen(colour, 1.6 * scene.look.zoom), colour_of(scene.look.theme.card)
    painter.setPen(stroke)
    painter.setBrush(ground)
    painter.drawRect(box_round(length_at, radius - 1))
    draw_circle(painter, angle_at, radius, stroke, ground)


def paint_plane(painter: QPainter, scene: PlaneScene) -> None:
    """Paint a scene with its top left corner at the painter's origin."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_backdrop(painter, scene)
    paint_foreground(painter, scene)
