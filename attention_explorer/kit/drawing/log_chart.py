"""A chart with two logarithmic axes, painted the same way on the screen and in a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.kit.drawing.log_axis import log_share
from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen, text_size
from attention_explorer.kit.theme import Look

Tick = tuple[float, str]
"""A number, and what it is called; an empty name is a line of the grid alone."""


@dataclass(frozen=True, slots=True)
class LogChart:
    """Where a chart is, and what its axes go from and to; all numbers are above 0."""

    box: QRectF
    plot: QRectF
    across: tuple[float, float]
    up: tuple[float, float]
    ticks_across: tuple[Tick, ...]
    ticks_up: tuple[Tick, ...]
    ticks_right: tuple[Tick, ...] = ()
    """On the vertical axis of the curves, named in another unit."""

    def x(self, number: float) -> float:
        """Return where a number is across."""
        return self.plot.left() + log_share(number, *self.across) * self.plot.width()

    def y(self, number: float) -> float:
        """Return where a number is, from the top down."""
        return self.plot.bottom() - log_share(number, *self.up) * self.plot.height()

    def number_at(self, x: float) -> float:
        """Return the number at a place across."""
        low, high = self.across
        share = (x - self.plot.left()) / (self.plot.width() or 1.0)
        return float(low * (high / low) ** min(max(share, 0.0), 1.0))


def log_chart(
    look: Look,
    box: QRectF,
    across: tuple[float, float],
    up: tuple[float, float],
    ticks_across: Sequence[Tick],
    ticks_up: Sequence[Tick],
    ticks_right: Sequence[Tick] = (),
) -> LogChart:
    """Fit a chart into a box: numbers at the left and right, numbers and a title below."""
    px, font = look.px, look.font(11)

    def widest(ticks: Sequence[Tick]) -> float:
        return max((text_size(font, name)[0] for _, name in ticks), default=0.0)

    left = widest(ticks_up) + px(8)
    right = widest(ticks_right) + px(8) if ticks_right else px(10)
    plot = box.adjusted(left, px(8), -right, -px(36 if look.axis_names else 20))
    plot.setWidth(max(plot.width(), 8.0))
    plot.setHeight(max(plot.height(), 8.0))
    return LogChart(box, plot, across, up, tuple(ticks_across), tuple(ticks_up), tuple(ticks_right))


def paint_log_axes(painter: QPainter, chart: LogChart, look: Look, title: str) -> None:
    """Paint grid, numbers and the title of the axis below."""
    px, theme, plot = look.px, look.theme, chart.plot
    font = look.font(11)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(font)
    high = QFontMetricsF(font).height()
    for ticks, left_side in ((chart.ticks_up, True), (chart.ticks_right, False)):
        last = math.inf
        for number, name in ticks:
            y = chart.y(number)
            if not plot.top() - 1 <= y <= plot.bottom() + 1:
                continue
            if left_side:
                draw_line(painter, QPointF(plot.left(), y), QPointF(plot.right(), y), pen(theme.grid, 1))
            else:
                draw_line(painter, QPointF(plot.right(), y), QPointF(plot.right() + px(3), y), pen(theme.axis, 1))
            if not name or last - y < high:
                continue
            last = y
            painter.setPen(colour_of(theme.muted))
            if left_side:
                place = QRectF(chart.box.left(), y - px(7), plot.left() - px(5) - chart.box.left(), px(14))
                painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
            else:
                place = QRectF(plot.right() + px(6), y - px(7), chart.box.right() - plot.right(), px(14))
                painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
    _paint_ticks_across(painter, chart, look)
    draw_line(painter, plot.bottomLeft(), plot.bottomRight(), pen(theme.axis, 1))
    draw_line(painter, plot.bottomLeft(), plot.topLeft(), pen(theme.axis, 1))
    if chart.ticks_right:
        draw_line(painter, plot.bottomRight(), plot.topRight(), pen(theme.axis, 1))
    if look.axis_names:
        painter.setPen(colour_of(theme.muted))
        painter.setFont(font)
        below = QRectF(plot.left(), plot.bottom() + px(19), plot.width(), px(16))
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, title)


def _paint_ticks_across(painter: QPainter, chart: LogChart, look: Look) -> None:
    px, theme, plot = look.px, look.theme, chart.plot
    font = look.font(11)
    taken = -math.inf
    for number, name in chart.ticks_across:
        x = chart.x(number)
        draw_line(painter, QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + px(3)), pen(theme.axis, 1))
        half = text_size(font, name)[0] / 2 + 1
        middle = min(x, chart.box.right() - half)
        if middle - half < taken + px(8):
            continue
        taken = middle + half
        painter.setPen(colour_of(theme.muted))
        painter.setFont(font)
        place = QRectF(middle - half, plot.bottom() + px(4), 2 * half, px(14))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name)


def paint_log_curve(painter: QPainter, chart: LogChart, numbers: FloatArray, values: FloatArray, stroke: QPen) -> None:
    """Paint a curve, cut off at the edges of the plot."""
    points = [
        QPointF(chart.x(number), chart.y(value))
        for number, value in zip(numbers.tolist(), values.tolist(), strict=True)
        if value > 0
    ]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(stroke)
    painter.drawPolyline(QPolygonF(points))
