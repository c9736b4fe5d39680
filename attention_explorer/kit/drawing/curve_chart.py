"""A small line chart, painted the same way on the screen and in a file: axes, round ticks, curves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import shiboken6
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPaintEngine, QPainter, QPen, QPolygonF

from attention_explorer.core.colour_scale import FloatArray, short_number
from attention_explorer.kit.drawing.log_axis import log_number, log_share, log_text, log_ticks
from attention_explorer.kit.drawing.marks import colour_of, draw_haloed_text, draw_line, pen, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.model import tile_bounds

PIECE = 16
"""Points of a line that are drawn at once."""
SELDOM = 0.25
"""A curve with at most so many turns a column is drawn as a line through all of them."""

STRAIGHT = 1e-6
"""Pixels² between two steps of a line below which it goes straight on: over 300 steps that is 0.01 pixels at most."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What goes from ``low`` to ``high``."""

    low: float
    high: float
    title: str = ""
    is_whole: bool = False
    """Whether only whole numbers can be on it."""
    log_base: int = 0
    """10 or 2 for a logarithmic axis with ticks at its powers; both ends are above 0 then."""

    def share(self, number: float) -> float:
        """Return where a number is, 0 at the low end and 1 at the high one."""
        if self.log_base:
            return log_share(number, self.low, self.high)
        return (number - self.low) / (self.high - self.low)

    def shares(self, numbers: FloatArray) -> FloatArray:
        """Return where numbers (n,) are, the same as `share` of each."""
        if self.log_base:
            return np.asarray([self.share(number) for number in numbers.tolist()])
        return (numbers - self.low) / (self.high - self.low)

    def number(self, share: float) -> float:
        """Return the number at a place."""
        return log_number(share, self.low, self.high) if self.log_base else self.low + share * (self.high - self.low)

    def ticks(self, most: int) -> list[float]:
        """Return at most about so many round numbers on it."""
        if self.log_base:
            return log_ticks(self.low, self.high, most, self.log_base)
        return [tick for tick in round_ticks(self.low, self.high, most) if not self.is_whole or tick == round(tick)]

    def text(self, tick: float) -> str:
        """Return a tick as it is written."""
        return log_text(tick) if self.log_base else short_number(tick)


@dataclass(frozen=True, slots=True)
class ChartLayout:
    """Where a chart is."""

    box: QRectF
    plot: QRectF
    across: Axis
    up: Axis

    def x(self, number: float) -> float:
        """Return where a number is across."""
        return self.plot.left() + self.across.share(number) * self.plot.width()

    def y(self, number: float) -> float:
        """Return where a number is, from the top down."""
        return self.plot.bottom() - self.up.share(number) * self.plot.height()

    def xs(self, numbers: FloatArray) -> list[float]:
        """Return where numbers (n,) are across: much sooner than one by one."""
        places: list[float] = (self.plot.left() + self.across.shares(numbers) * self.plot.width()).tolist()
        return places

    def ys(self, numbers: FloatArray) -> list[float]:
        """Return where numbers (n,) are, from the top down."""
        places: list[float] = (self.plot.bottom() - self.up.shares(numbers) * self.plot.height()).tolist()
        return places

    def bends(self, across: FloatArray, up: FloatArray) -> list[QPointF]:
        """Return the places of pairs of numbers, each (n,), without those within a straight piece of their line."""
        x, y = np.asarray(self.xs(across)), np.asarray(self.ys(up))
        right, down = np.diff(x), np.diff(y)
        keep = np.ones(len(x), np.bool_)
        keep[1:-1] = np.abs(right[:-1] * down[1:] - down[:-1] * right[1:]) > STRAIGHT
        return list(map(QPointF, x[keep].tolist(), y[keep].tolist()))

    def number_at(self, x: float) -> float:
        """Return the number at a place across."""
        return self.across.number((x - self.plot.left()) / (self.plot.width() or 1.0))


def widened(low: float, high: float) -> tuple[float, float]:
    """Return a range that has some room around it, also if it was a single number."""
    # What is flat but for rounding must not look like a mountain range.
    is_flat = high - low < 1e-9 * max(1.0, abs(low), abs(high))
    margin = max(1.0, 0.5 * abs(low)) if is_flat else 0.07 * (high - low)
    return low - margin, high + margin


def chart_layout(look: Look, box: QRectF, across: Axis, up: Axis, *, titled: bool = True) -> ChartLayout:
    """Fit a chart into a box: title above, numbers at the left and below, the title of the axis below them."""
    px = look.px
    font = look.font(11)
    foot = px(17) + (px(15) if across.title and look.axis_names else 0)
    plot = box.adjusted(0, px(22) if titled else px(6), -px(10), -foot)
    plot.setHeight(max(plot.height(), 8.0))
    numbers = max((text_size(font, up.text(tick))[0] for tick in _ticks_up(up, plot, look)), default=0.0)
    plot.setLeft(plot.left() + min(numbers + px(8), 0.3 * box.width()))
    plot.setWidth(max(plot.width(), 8.0))
    if across.high <= across.low and not across.log_base:
        across = Axis(across.low - 0.5, across.high + 0.5, across.title, across.is_whole)
    return ChartLayout(box, plot, across, up)


def aligned(charts: Sequence[ChartLayout]) -> tuple[ChartLayout, ...]:
    """Return charts that stand above one another with plots that begin at the same place."""
    left = max(chart.plot.left() for chart in charts)
    return tuple(replace(chart, plot=chart.plot.adjusted(left - chart.plot.left(), 0, 0, 0)) for chart in charts)


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most about so many round numbers from low to high."""
    if not math.isfinite(high - low) or high <= low:
        return [low]
    for parts in range(max(most, 1), max(most, 1) + 8):
        rough = (high - low) / parts
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last > first:  # one number alone says nothing about the scale
            break
    # A product of 3 and 0.1 is 0.30000000000000004.
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def _ticks_up(up: Axis, plot: QRectF, look: Look) -> list[float]:
    return up.ticks(max(2, int(plot.height() / look.px(30))))


# ---- Painting ----


def paint_axes(painter: QPainter, layout: ChartLayout, look: Look, title: str = "", *, bold: bool = True) -> None:
    """Paint grid, numbers and titles."""
    px, theme, plot = look.px, look.theme, layout.plot
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(look.font(11))
    metrics = QFontMetricsF(look.font(11))
    for tick in _ticks_up(layout.up, plot, look):
        y = layout.y(tick)
        draw_line(
            painter, QPointF(plot.left(), y), QPointF(plot.right(), y), pen(theme.axis if tick == 0 else theme.grid, 1)
        )
        painter.setPen(colour_of(theme.muted))
        box = QRectF(layout.box.left(), y - px(7), plot.left() - px(4) - layout.box.left(), px(14))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, layout.up.text(tick))
    for tick in _ticks_across(layout, look):
        x, text = layout.x(tick), layout.across.text(tick)
        draw_line(painter, QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + px(3)), pen(theme.axis, 1))
        painter.setPen(colour_of(theme.muted))
        half = metrics.horizontalAdvance(text) / 2 + 1
        middle = min(max(x, layout.box.left() + half), layout.box.right() - half)
        painter.drawText(
            QRectF(middle - half, plot.bottom() + px(3), 2 * half, px(14)), Qt.AlignmentFlag.AlignCenter, text
        )
    draw_line(painter, plot.bottomLeft(), plot.bottomRight(), pen(theme.axis, 1))
    if layout.across.title and look.axis_names:
        painter.setPen(colour_of(theme.muted))
        line = QRectF(plot.left(), plot.bottom() + px(17), plot.width(), px(15))
        painter.drawText(
            line,
            Qt.AlignmentFlag.AlignCenter,
            metrics.elidedText(layout.across.title, Qt.TextElideMode.ElideRight, line.width()),
        )
    if title:
        font = look.font(12.5, bold=bold)
        painter.setFont(font)
        painter.setPen(colour_of(theme.text))
        line = QRectF(layout.box.left(), layout.box.top(), layout.box.width(), px(18))
        text = QFontMetricsF(font).elidedText(title, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def _ticks_across(layout: ChartLayout, look: Look) -> list[float]:
    room = look.px(40 if layout.across.log_base == 2 else 62)  # whole powers of two are short
    return layout.across.ticks(max(3, int(layout.plot.width() / room)))


def paint_curve(
    painter: QPainter, layout: ChartLayout, first: float, values: FloatArray, stroke: QPen, step: float = 1.0
) -> None:
    """Paint numbers that begin at ``first`` across and are ``step`` apart; one alone is a dot."""
    if not len(values):
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    wide = max(int(layout.plot.width() / 1.5), 8)
    if len(values) > 3 * wide:
        _paint_band(painter, layout, first, values, stroke, step, wide)
        return
    if len(values) == 1:
        paint_dot(painter, QPointF(layout.x(first), layout.y(float(values[0]))), stroke.color().name(), 3.0)
        return
    draw_polyline(painter, layout.bends(first + np.arange(len(values)) * step, values), stroke)


def draw_polyline(painter: QPainter, points: list[QPointF], stroke: QPen) -> None:
    """Draw a line through points.

    On the screen in pieces: the more points a smooth line has, the longer Qt takes for each of them.
    """
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if painter.paintEngine().type() is not QPaintEngine.Type.Raster:
        painter.setPen(stroke)
        painter.drawPolyline(QPolygonF(points))
        return
    is_dashed, gone = stroke.style() is not Qt.PenStyle.SolidLine, 0.0
    for start in range(0, len(points) - 1, PIECE):
        piece = points[start : start + PIECE + 1]
        if is_dashed:
            stroke = QPen(stroke)
            stroke.setDashOffset(gone / (stroke.widthF() or 1.0))
            gone += sum(math.hypot(b.x() - a.x(), b.y() - a.y()) for a, b in itertools.pairwise(piece))
        painter.setPen(stroke)
        painter.drawPolyline(QPolygonF(piece))


def _paint_band(
    painter: QPainter, layout: ChartLayout, first: float, values: FloatArray, stroke: QPen, step: float, wide: int
) -> None:
    """Paint a curve with more numbers than pixels: as a line if it turns seldom, else as what it covers."""
    bounds = tile_bounds(len(values), wide)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(values)))) + 1
    if len(turns) <= SELDOM * len(bounds):
        knots = np.unique([*bounds[:-1].tolist(), *turns.tolist(), len(values) - 1])
        draw_polyline(painter, layout.bends(first + step * knots, values[knots]), stroke)
        return
    low, high = np.minimum.reduceat(values, bounds[:-1]), np.maximum.reduceat(values, bounds[:-1])
    # Each column reaches to the first number of the next, or the band would break where the curve is steep.
    following = values[bounds[1:-1]]
    low[:-1], high[:-1] = np.minimum(low[:-1], following), np.maximum(high[:-1], following)
    edges, tops, feet = layout.xs(first + step * (bounds - 0.5)), layout.ys(high), layout.ys(low)
    # So many dashes would run together: the band is pale instead.
    opacity = 0.35 if stroke.style() is Qt.PenStyle.DashLine else 1.0
    paint_columns(painter, edges, tops, feet, colour_of(stroke.color().name(), opacity), 0.5 * stroke.widthF())


def paint_columns(
    painter: QPainter, edges: list[float], tops: list[float], feet: list[float], colour: QColor, grow: float = 0.0
) -> None:
    """Fill columns from one edge to the next, each from its top to its foot and as much more at both ends."""
    if not len(tops):
        return
    # Soft edges would leave a seam between two columns.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    # One outline, there and back with a step at each edge: a rectangle for each column takes Python longer.
    across, top, foot = np.repeat(edges, 2)[1:-1], np.repeat(tops, 2) - grow, np.repeat(feet, 2) + grow
    painter.drawPolygon(_polygon(np.concatenate([across, across[::-1]]), np.concatenate([top, foot[::-1]])))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _polygon(x: FloatArray, y: FloatArray) -> QPolygonF:
    """Return points, x and y (n,) each, written where Qt keeps them: sooner than a `QPointF` for each."""
    polygon = QPolygonF()
    polygon.resize(len(x))
    pointer = shiboken6.VoidPtr(polygon.data(), 16 * len(x), True)  # type: ignore[call-arg, arg-type]
    memory = np.frombuffer(pointer, np.float64).reshape(-1, 2)  # type: ignore[call-overload]
    memory[:, 0], memory[:, 1] = x, y
    return polygon


def paint_dot(painter: QPainter, centre: QPointF, colour: str, radius: float) -> None:
    """Paint a filled circle."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(colour))
    painter.drawEllipse(centre, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_reading(
    painter: QPainter, layout: ChartLayout, look: Look, number: float, value: float | None, text: str
) -> None:
    """Mark a place across with a line, a dot on its value if it has one, and words beside it."""
    theme, plot, px = look.theme, layout.plot, look.px
    x = layout.x(number)
    draw_line(painter, QPointF(x, plot.top()), QPointF(x, plot.bottom()), pen(theme.text, 1.0, Qt.PenStyle.DotLine))
    if value is not None:
        paint_dot(painter, QPointF(x, layout.y(value)), theme.text, 3.5 * look.zoom)
    if text:
        font = look.font(11.5, bold=True)
        width, height = text_size(font, text)
        left = min(max(x - width / 2, plot.left()), plot.right() - width)
        draw_haloed_text(painter, QRectF(left, plot.top() - px(2), width, height), text, font, theme.text, theme.card)
