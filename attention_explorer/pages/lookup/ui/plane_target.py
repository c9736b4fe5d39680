"""Gradient and target on the plane: how the output answers the query, and where a step would take it."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from attention_explorer.kit.drawing.marks import (
    colour_of,
    dashes,
    draw_arrow,
    draw_haloed_text,
    draw_line,
    pen,
    text_size,
)
from attention_explorer.pages.lookup.state import QUERY, TARGET
from attention_explorer.pages.lookup.ui.plane_scene import PlaneScene

PROBE_RADIUS = 34.0
"""Pixels: the circle around q whose image under ∂o/∂q is drawn around o."""


def paint_probe(painter: QPainter, scene: PlaneScene) -> None:
    """Paint a circle around q: the small moves of the query whose effect is drawn around o."""
    look, radius, query = scene.look, scene.look.px(PROBE_RADIUS), scene.place(QUERY)
    painter.setPen(dashes(look.theme.query, 1.5 * look.zoom, look.px(3), look.px(3)))
    painter.drawEllipse(query, radius, radius)
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


def paint_next_step(painter: QPainter, scene: PlaneScene) -> None:
    """Paint where Step would take q: q − rate · ∂L/∂q."""
    look, pixels = scene.look, scene.transform.pixels_per_unit
    dx, dy = -scene.state.rate * scene.frame.loss_gradient * pixels
    if math.hypot(dx, dy) < 1:
        return
    query = scene.place(QUERY)
    draw_arrow(painter, query, query + QPointF(dx, -dy), look.theme.loss, 2.6 * look.zoom, look.px(10))
