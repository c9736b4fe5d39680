"""The output on the plane: its arrow, the walk that adds up to it, its limit, what it ties with, and where it was."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.label_places import free_spot
from attention_explorer.kit.drawing.marks import (
    colour_of,
    dashes,
    draw_arrow,
    draw_haloed_text,
    draw_line,
    pen,
    text_size,
)
from attention_explorer.pages.lookup.state import Part
from attention_explorer.pages.lookup.ui.covered_names import covered_names
from attention_explorer.pages.lookup.ui.number_line import line_title_box
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS, PlaneScene
from attention_explorer.pages.lookup.wording import other_mode, weight_name


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
    return [s for s in _badge_places(scene) if math.hypot(s.x() - place.x(), s.y() - place.y()) < radius]


def paint_output(painter: QPainter, scene: PlaneScene) -> None:
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
    box = free_spot(place, text_size(font, "o"), (radius + px(1),), taken, scene.value_rect)
    draw_haloed_text(painter, box, "o", font, look.theme.output_ink, look.theme.plane)


GHOST = 0.6
"""How opaque the output of the other mode is."""


def paint_other(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the output of the other mode as a ghost of this one: its arrow, its disc or ring, and what it is."""
    look, px = scene.look, scene.look.px
    place = scene.place_value(tuple(scene.frame.other_output.tolist()))
    if scene.line is None:
        draw_arrow(painter, scene.place_value((0.0, 0.0)), place, look.theme.output_ink, 1.6 * look.zoom, px(12), GHOST)
    covered = _badges_at(scene, place)
    radius = px(BADGE_RADIUS + 4) if covered else px(7)
    painter.setBrush(Qt.BrushStyle.NoBrush if covered else colour_of(look.theme.output, GHOST / 3))
    painter.setPen(pen(look.theme.output_ink, (3.0 if covered else 1.6) * look.zoom, opacity=GHOST))
    painter.drawEllipse(place, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    reach, text, font = px(BADGE_RADIUS + 3), f"{other_mode(scene.state)} o", look.font(12)
    taken = [QRectF(s.x() - reach, s.y() - reach, 2 * reach, 2 * reach) for s in _badge_places(scene)]
    output = scene.output_place
    taken.append(QRectF(output.x() - px(22), output.y() - px(22), px(44), px(44)))  # with its letter
    if scene.line is not None:
        taken.append(QRectF(scene.line.left, scene.line.y - px(1), scene.line.right - scene.line.left, px(2)))
        taken.append(line_title_box(scene))
    box = free_spot(place, text_size(font, text), (radius + px(1), radius + px(14)), taken, scene.value_rect)
    draw_haloed_text(painter, box, text, font, look.theme.output_ink, look.theme.plane)


def paint_chain(painter: QPainter, scene: PlaneScene) -> None:
    """Paint the output as a walk: α₁v₁, then α₂v₂ from where that ends, and so on."""
    look, font = scene.look, scene.look.font(11.5, bold=True)
    corner = np.zeros(2)
    taken = [box for _, _, box in covered_names(scene)]
    for i, step in enumerate(scene.frame.contributions):
        start, corner = scene.place_value((corner[0], corner[1])), corner + step
        end = scene.place_value((corner[0], corner[1]))
        draw_arrow(painter, start, end, look.theme.value, 2.0 * look.zoom, look.px(9))
        if math.hypot(end.x() - start.x(), end.y() - start.y()) > look.px(36):
            text = f"{weight_name(i)}{Part(Role.VALUE, i).symbol}"
            width, height = text_size(font, text)
            box = QRectF(0, 0, width, height)
            box.moveCenter(QPointF((start.x() + end.x()) / 2, (start.y() + end.y()) / 2 + look.px(11)))
            if any(box.intersects(name) for name in taken):
                box.translate(0, -look.px(22))  # above its arrow
            draw_haloed_text(painter, box, text, font, look.theme.value_ink, look.theme.plane)


def paint_limit(painter: QPainter, scene: PlaneScene) -> None:
    """Paint where the output goes as the query is lengthened for ever: the mean of the winners' values."""
    look = scene.look
    spot = scene.place_value(tuple(scene.frame.limit.tolist()))
    half = look.px(BADGE_RADIUS + 9 if _badges_at(scene, spot) else 9)
    painter.setPen(pen(look.theme.output_ink, 2.0 * look.zoom))
    painter.drawPolygon(QPolygonF([spot + QPointF(*d) for d in ((0, -half), (half, 0), (0, half), (-half, 0))]))


def paint_tie(painter: QPainter, scene: PlaneScene) -> None:
    """Ring every value that a hard lookup could have picked: the scores tie, and only the index decides."""
    look, radius = scene.look, scene.look.px(BADGE_RADIUS + 8)
    painter.setPen(dashes(look.theme.output_ink, 2.0 * look.zoom, look.px(4), look.px(3)))
    for index in scene.frame.winners:
        painter.drawEllipse(scene.place_value(scene.state.value_rows[index]), radius, radius)


def paint_trail(painter: QPainter, scene: PlaneScene) -> None:
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
