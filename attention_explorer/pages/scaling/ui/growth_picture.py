"""Spread of the scores, largest weight, entropy and gradient against d_k: raw and scaled in the same charts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.curve_chart import (
    Axis,
    ChartLayout,
    aligned,
    chart_layout,
    draw_polyline,
    paint_axes,
    paint_dot,
)
from attention_explorer.kit.drawing.label_places import draw_leader
from attention_explorer.kit.drawing.log_axis import log_bounds
from attention_explorer.kit.drawing.marks import draw_haloed_text, draw_line, pen, text_size
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.scaling.growth import GrowthPicture
from attention_explorer.pages.scaling.state import ScalingState
from attention_explorer.pages.scaling.ui.growth_labels import FONT, Label, curve_points, growth_labels
from attention_explorer.pages.scaling.ui.style import NAMES, legend_height, paint_legend, predicted_stroke, stroke_of
from attention_explorer.pages.scaling.wording import measured

QUANTITIES = (
    ("std", "Standard deviation of the scores"),
    ("largest", "Mean largest weight"),
    ("entropy", "Entropy ÷ ln n"),
    ("gradient", "Norm of the softmax gradient"),
)
GAP = 12
MORE = "whiskers: two standard errors"
LEAST = 1e-8
"""The axis of the gradients goes down to this at most; what is below leaves the chart."""


@dataclass(frozen=True, slots=True)
class GrowthLayout:
    """Where the four charts are."""

    room: QRectF
    legend: QRectF
    charts: tuple[ChartLayout, ...]


def growth_layout(picture: GrowthPicture, look: Look, room: QRectF) -> GrowthLayout:
    """Fit the charts into two rows of two."""
    px = look.px
    legend = QRectF(room.left(), room.top(), room.width(), legend_height(look, room.width(), MORE))
    below = room.adjusted(0, legend.height() + px(2), 0, 0)
    wide, high = (below.width() - px(GAP)) / 2, (below.height() - px(GAP)) / 2
    charts: list[ChartLayout] = []
    for number, (quantity, _) in enumerate(QUANTITIES):
        row, column = divmod(number, 2)
        box = QRectF(below.left() + column * (wide + px(GAP)), below.top() + row * (high + px(GAP)), wide, high)
        charts.append(chart_layout(look, box, Axis(0.87, 590.0, "d_k", log_base=2), _up(picture, quantity)))
    columns = [aligned(charts[column::2]) for column in (0, 1)]
    return GrowthLayout(room, legend, (columns[0][0], columns[1][0], columns[0][1], columns[1][1]))


def _up(picture: GrowthPicture, quantity: str) -> Axis:
    if quantity in ("largest", "entropy"):
        return Axis(0.0, 1.04 if quantity == "largest" else 1.12)
    numbers = [float(value) for scaled in (False, True) for value in picture.values(quantity, scaled)]
    if quantity == "std":
        numbers += picture.predicted_stds(False).tolist() + picture.predicted_stds(True).tolist()
    return Axis(*log_bounds(numbers, LEAST), log_base=10)


# ---- Painting ----


def paint_growth(
    painter: QPainter, picture: GrowthPicture, layout: GrowthLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint the charts, with a line at the d_k that is looked at."""
    paint_legend(painter, layout.legend, look, picture.state.scaled, more=MORE)
    for chart, (quantity, title) in zip(layout.charts, QUANTITIES, strict=True):
        paint_axes(painter, chart, look, title)
        painter.save()
        painter.setClipRect(chart.plot.adjusted(-look.px(4), -look.px(4), look.px(4), 1))
        for scaled in (not picture.state.scaled, picture.state.scaled):
            _paint_measured(painter, picture, chart, look, quantity, scaled)
        _paint_expected(painter, picture, chart, look, quantity)
        painter.restore()
    for chart, (quantity, _) in zip(layout.charts, QUANTITIES, strict=True):
        d_k = picture.state.d_k
        _paint_numbers(painter, chart, look, d_k, growth_labels(picture, chart, look, quantity, d_k))


def _paint_expected(painter: QPainter, picture: GrowthPicture, chart: ChartLayout, look: Look, quantity: str) -> None:
    """Paint the predicted spread, or where uniform weights would be."""
    if quantity == "std":
        for scaled in (False, True):
            points = curve_points(chart, picture.d_ks, picture.predicted_stds(scaled))
            draw_polyline(painter, points, predicted_stroke(look))
        return
    if quantity == "gradient":
        return
    uniform = 1.0 / picture.state.keys if quantity == "largest" else 1.0
    y, plot = chart.y(uniform), chart.plot
    draw_line(painter, QPointF(plot.left(), y), QPointF(plot.right(), y), pen(look.theme.axis, look.zoom))
    font = look.font(11)
    text = f"uniform: 1/{picture.state.keys}" if quantity == "largest" else "uniform"
    width, height = text_size(font, text)
    # Where no curve is: above the highest there can be, below the lowest.
    box = QRectF(plot.right() - width - look.px(2), y - height, width, height)
    if quantity == "largest" and y + height < plot.bottom():
        box = QRectF(plot.left() + look.px(4), y, width, height)
    draw_haloed_text(painter, box, text, font, look.theme.muted, look.theme.card)


def _paint_measured(
    painter: QPainter, picture: GrowthPicture, chart: ChartLayout, look: Look, quantity: str, scaled: bool
) -> None:
    stroke = stroke_of(look, scaled, leading=picture.state.scaled is scaled)
    points = curve_points(chart, picture.d_ks, picture.values(quantity, scaled))
    whisker = pen(stroke.color().name(), look.zoom)
    inside = [point for point in points if point.y() <= chart.plot.bottom() + 1]  # the first ones, if not all
    for point, measure in zip(inside, picture.measures(quantity, scaled), strict=False):
        low, high = (chart.y(max(measure.value + sign * 2 * measure.error, LEAST)) for sign in (-1, 1))
        if abs(low - high) > 2.0:  # else the line covers it, or a single draw cannot tell
            draw_line(painter, QPointF(point.x(), low), QPointF(point.x(), high), whisker)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_polyline(painter, points, stroke)
    for point in inside:
        paint_dot(painter, point, stroke.color().name(), 1.9 * look.zoom)


def _paint_numbers(painter: QPainter, chart: ChartLayout, look: Look, d_k: int, labels: tuple[Label, ...]) -> None:
    """Draw a line at a d_k, and write the numbers there."""
    theme, plot, x = look.theme, chart.plot, chart.x(d_k)
    stroke = pen(theme.text, look.zoom, Qt.PenStyle.DotLine)
    draw_line(painter, QPointF(x, plot.top()), QPointF(x, plot.bottom()), stroke)
    for label in labels:
        if label.dot is not None:
            paint_dot(painter, label.dot, theme.text, 3.4 * look.zoom)
            draw_leader(painter, label.dot, label.box, look)
        draw_haloed_text(painter, label.box, label.text, look.font(FONT, bold=True), theme.text, theme.card)


# ---- Pointing ----


def growth_spot(picture: GrowthPicture, layout: GrowthLayout, place: QPointF) -> Spot:
    """Return the chart as the row and the nearest d_k that was measured as the column."""
    for number, chart in enumerate(layout.charts):
        if chart.plot.adjusted(-3, 0, 3, 0).contains(place):
            return Spot(number, picture.nearest(chart.number_at(place.x())))
    return NOWHERE


def mark_growth(painter: QPainter, picture: GrowthPicture, layout: GrowthLayout, look: Look, spot: Spot) -> None:
    """Write the numbers at the d_k that is pointed at into all charts."""
    if spot.column is None or spot.column >= len(picture.points):
        return
    d_k = picture.points[spot.column].d_k
    if d_k != picture.state.d_k:
        for chart, (quantity, _) in zip(layout.charts, QUANTITIES, strict=True):
            others = growth_labels(picture, chart, look, quantity, picture.state.d_k)
            _paint_numbers(painter, chart, look, d_k, growth_labels(picture, chart, look, quantity, d_k, others))


def growth_words(picture: GrowthPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    if spot.row is None or spot.column is None or spot.column >= len(picture.points):
        return ""
    point = picture.points[spot.column]
    quantity, title = QUANTITIES[spot.row]
    parts = []
    for scaled in (False, True):
        measure = getattr(point.of(scaled), quantity)
        text = f"{NAMES[scaled]} {measured(measure)}"
        if not np.isnan(measure.error):
            text += f" ± {measure.error:.2g}"
        if quantity == "std":
            text += f" (predicted {point.setting.predicted_std(scaled):.4g})"
        parts.append(text)
    return f"{title} at d_k = {point.d_k}: {' · '.join(parts)} · {point.raw.draws} draws. Click to go there."


def growth_click(
    state: ScalingState, picture: GrowthPicture, layout: GrowthLayout, place: QPointF
) -> Change[ScalingState] | None:
    """Look at the d_k that is clicked."""
    spot = growth_spot(picture, layout, place)
    if spot.column is None:
        return None
    d_k = picture.points[spot.column].d_k
    return Change(replace(state, d_k=d_k), "Change d_k", "d_k")
