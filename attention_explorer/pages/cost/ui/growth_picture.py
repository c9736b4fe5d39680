"""How the price grows, as curves on two logarithmic axes with the points measured on this machine."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.curve_chart import paint_dot
from attention_explorer.kit.drawing.label_places import boxes_along, draw_leader, free_spot
from attention_explorer.kit.drawing.log_chart import LogChart, Tick, log_chart, paint_log_axes, paint_log_curve
from attention_explorer.kit.drawing.marks import (
    colour_of,
    dashes,
    draw_haloed_text,
    draw_line,
    paint_reason,
    pen,
    text_size,
)
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.cost.growth import (
    Curve,
    GrowthPicture,
    amount_text,
    curve_words,
    doubling_of,
    growth_sentences,
    point_words,
    points_of,
)
from attention_explorer.pages.cost.numerals import ratio_words, time_words
from attention_explorer.pages.cost.state import Quantity

REACH = 10.0
"""How many pixels from a point it is still pointed at."""
LEGEND_ROW = 19
LABEL_GAPS = (6, 16, 30)
"""Pixels at zoom 1 between a mark and its label, the nearest first."""


@dataclass(frozen=True, slots=True)
class GrowthLayout:
    """Where the chart is."""

    room: QRectF
    chart: LogChart | None


def cost_growth_layout(picture: GrowthPicture, look: Look, room: QRectF) -> GrowthLayout:
    """Fit the chart into the room."""
    if picture.reason:
        return GrowthLayout(room, None)
    low, high = _ends(picture)
    across = float(picture.lengths[0]), float(picture.lengths[-1])
    lengths = [(2.0**p, grouped(2**p)) for p in range(round(math.log2(across[0])), round(math.log2(across[1])) + 1)]
    chart = log_chart(
        look, room, across, (low, high), lengths, _ticks_up(picture, low, high), _seconds(picture, low, high)
    )
    return GrowthLayout(room, chart)


def _ends(picture: GrowthPicture) -> tuple[float, float]:
    """Return what the vertical axis goes from and to: round numbers around all that is drawn."""
    values = [float(number) for curve in picture.curves for number in (curve.values[0], curve.values[-1])]
    values += [seconds * picture.per_second for point in points_of(picture.measurement) for seconds in point.seconds]
    base = _step(picture)
    low, high = (math.log(number, base) for number in (min(values), max(values)))
    return base ** math.floor(low), base ** (math.ceil(high - 1e-9))


def _step(picture: GrowthPicture) -> float:
    """Return the factor from one line of the grid to the next."""
    return 2.0**5 if picture.state.quantity is Quantity.BYTES else 10.0


def _ticks_up(picture: GrowthPicture, low: float, high: float) -> list[Tick]:
    base = _step(picture)
    count = round(math.log(high / low, base))
    return [
        (low * base**step, amount_text(picture.state, low * base**step) if low * base**step >= 1 else "")
        for step in range(count + 1)
    ]


def _seconds(picture: GrowthPicture, low: float, high: float) -> list[Tick]:
    if not picture.per_second:
        return []
    first, last = (math.log10(number / picture.per_second) for number in (low, high))
    return [
        (10.0**power * picture.per_second, time_words(10.0**power))
        for power in range(math.ceil(first), math.floor(last) + 1)
    ]


# ---- Painting ----


def stroke_of(curve: Curve, look: Look) -> QPen:
    """Return how a curve is drawn: told apart by dashes and width, not by hue."""
    theme, zoom = look.theme, look.zoom
    if curve.style == "total":
        return pen(theme.text, 2.6 * zoom)
    if curve.style == "square":
        return dashes(theme.text, 1.6 * zoom, 7 * zoom, 4 * zoom)
    if curve.style == "flat":
        return dashes(theme.muted, 1.6 * zoom, 2 * zoom, 3 * zoom)
    return pen(theme.axis, 1.0 * zoom)


def paint_cost_growth(
    painter: QPainter, picture: GrowthPicture, layout: GrowthLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint axes, curves, the place of the settings and what was measured."""
    chart = layout.chart
    if chart is None:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    paint_log_axes(painter, chart, look, "tokens n (both axes logarithmic)")
    for curve in reversed(picture.curves):
        paint_log_curve(painter, chart, picture.lengths, curve.values, stroke_of(curve, look))
    _paint_marks(painter, picture, chart, look)
    _paint_points(painter, picture, chart, look)
    _paint_labels(painter, picture, chart, look)
    _paint_legend(painter, picture, chart, look)


def _main(picture: GrowthPicture) -> Curve:
    """Return the curve the settings stand on."""
    return picture.curve("total" if picture.state.quantity is Quantity.OPERATIONS else "square")


def _crossing(picture: GrowthPicture, chart: LogChart) -> QPointF | None:
    """Return where the two parts are equal, if that is in the plot."""
    equal = picture.crossover
    if equal is None or not chart.across[0] < equal < chart.across[1]:
        return None
    return QPointF(chart.x(equal), chart.y(picture.value_at(picture.curve("flat"), equal)))


def _corner(picture: GrowthPicture, chart: LogChart) -> tuple[QPointF, QPointF]:
    """Return the curve at n and at 2n."""
    curve, n = _main(picture), picture.state.n
    first, second = (QPointF(chart.x(at), chart.y(picture.value_at(curve, at))) for at in (n, 2 * n))
    return first, second


def _paint_marks(painter: QPainter, picture: GrowthPicture, chart: LogChart, look: Look) -> None:
    """Mark n, the step from n to 2n as a corner below the curve, and where both parts are equal."""
    theme, (start, end) = look.theme, _corner(picture, chart)
    foot = QPointF(start.x(), chart.plot.bottom())
    draw_line(painter, start, foot, pen(theme.text, 1.0, Qt.PenStyle.DotLine))
    corner = QPointF(end.x(), start.y())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_line(painter, start, corner, pen(theme.text, 1.2 * look.zoom))
    draw_line(painter, corner, end, pen(theme.text, 1.2 * look.zoom))
    paint_dot(painter, start, theme.text, 4.0 * look.zoom)
    crossing = _crossing(picture, chart)
    if crossing is not None:
        painter.setBrush(colour_of(theme.card))
        painter.setPen(pen(theme.text, 1.5 * look.zoom))
        painter.drawEllipse(crossing, 4.5 * look.zoom, 4.5 * look.zoom)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_labels(painter: QPainter, picture: GrowthPicture, chart: LogChart, look: Look) -> None:
    """Name the marks, each label where it covers least."""
    theme, n = look.theme, picture.state.n
    start, end = _corner(picture, chart)
    labels = [
        (QPointF(end.x(), (start.y() + end.y()) / 2), ratio_words(doubling_of(picture)), look.font(12, bold=True))
    ]
    crossing = _crossing(picture, chart)
    if crossing is not None and picture.crossover is not None:
        labels.append((crossing, f"equal at n = {grouped(round(picture.crossover))}", look.font(11.5)))
    labels.append(
        (QPointF(start.x(), chart.plot.bottom() - look.px(14)), f"n = {grouped(n)}", look.font(11.5, bold=True))
    )
    taken = _covered(picture, chart, look)
    for at, text, font in labels:
        width, height = text_size(font, text)
        reach = QRectF(0, 0, 2 * (width + look.px(LABEL_GAPS[-1])), 2 * (height + look.px(LABEL_GAPS[-1])))
        reach.moveCenter(at)
        near = [box for box in taken if box.intersects(reach)]
        box = free_spot(at, (width, height), [look.px(gap) for gap in LABEL_GAPS], near, chart.plot)
        taken.append(box)
        draw_leader(painter, at, box, look)
        draw_haloed_text(painter, box, text, font, theme.text, theme.card)


def _covered(picture: GrowthPicture, chart: LogChart, look: Look) -> list[QRectF]:
    """Return boxes over curves, points and marks, for labels to keep clear of."""
    start, end = _corner(picture, chart)
    corner = QPointF(end.x(), start.y())
    lines = [[start, corner, end], [start, QPointF(start.x(), chart.plot.bottom())]]
    for curve in picture.curves:
        pairs = zip(picture.lengths.tolist(), curve.values.tolist(), strict=True)
        lines.append([QPointF(chart.x(n), chart.y(value)) for n, value in pairs])
    places, crossing = _places(picture, chart), _crossing(picture, chart)
    for place, after in itertools.pairwise(places):
        lines.append([place + (after - place) * (step / 8) for step in range(9)])
    half = look.px(3)
    boxes = [box for line in lines for box in boxes_along(line, half)]
    spots = places if crossing is None else [*places, crossing]
    return boxes + [QRectF(spot.x() - 2 * half, spot.y() - 2 * half, 4 * half, 4 * half) for spot in spots]


def _places(picture: GrowthPicture, chart: LogChart) -> list[QPointF]:
    return [
        QPointF(chart.x(point.n), chart.y(point.fastest * picture.per_second))
        for point in points_of(picture.measurement)
    ]


def _paint_points(painter: QPainter, picture: GrowthPicture, chart: LogChart, look: Look) -> None:
    """Paint the fastest run of each length, joined, with a whisker to the slowest."""
    theme, places = look.theme, _places(picture, chart)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for before, after in itertools.pairwise(places):
        draw_line(painter, before, after, pen(theme.text, 1.1 * look.zoom))
    for place, point in zip(places, points_of(picture.measurement), strict=True):
        ends = [chart.y(seconds * picture.per_second) for seconds in (min(point.seconds), max(point.seconds))]
        draw_line(painter, QPointF(place.x(), ends[0]), QPointF(place.x(), ends[1]), pen(theme.text, 1.1 * look.zoom))
        _paint_point(painter, place, look, filled=picture.is_of_these_settings)


def _paint_point(painter: QPainter, place: QPointF, look: Look, *, filled: bool) -> None:
    """Paint a square, hollow if it was measured with other settings; dots stand for what is counted."""
    half = 4.2 * look.zoom
    painter.setPen(pen(look.theme.text, 1.4 * look.zoom))
    painter.setBrush(colour_of(look.theme.text if filled else look.theme.card))
    painter.drawRect(QRectF(place.x() - half, place.y() - half, 2 * half, 2 * half))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_legend(painter: QPainter, picture: GrowthPicture, chart: LogChart, look: Look) -> None:
    """Name the curves in the upper left corner, which curves that rise leave free."""
    px, theme, font = look.px, look.theme, look.font(12)
    left, top = chart.plot.left() + px(12), chart.plot.top() + px(6)
    entries: list[tuple[Curve | None, str]] = [
        (curve, f"{curve.name}: {curve.formula}" if curve.formula else curve.name) for curve in picture.curves
    ]
    found = picture.measurement
    if found is not None and found.points:
        settings = f"one head, d_k = {found.d_k}, {found.precision.value}"
        entries.append((None, f"measured here: seconds, on the right; {settings}; the line goes up to the slowest run"))
    for index, (curve, text) in enumerate(entries):
        y = top + (index + 0.5) * px(LEGEND_ROW)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if curve is None:
            _paint_point(painter, QPointF(left + px(13), y), look, filled=picture.is_of_these_settings)
        else:
            draw_line(painter, QPointF(left, y), QPointF(left + px(26), y), stroke_of(curve, look))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(chart.plot.width()) - px(50))
        width, height = text_size(font, shown)
        box = QRectF(left + px(34), y - height / 2, width, height)
        draw_haloed_text(painter, box, shown, font, theme.text, theme.card)


# ---- Pointing ----


def cost_growth_spot(picture: GrowthPicture, layout: GrowthLayout, place: QPointF) -> Spot:
    """Return a measured point as a row alone, else the number of tokens as a column."""
    chart = layout.chart
    if chart is None or not chart.plot.contains(place):
        return NOWHERE
    near = [
        (math.hypot(point.x() - place.x(), point.y() - place.y()), index)
        for index, point in enumerate(_places(picture, chart))
    ]
    distance, index = min(near, default=(math.inf, 0))
    return Spot(index) if distance <= REACH else Spot(None, length_at(chart, place.x()))


def length_at(chart: LogChart, x: float) -> int:
    """Return the number of tokens at a place: a power of two where it is near one, else two digits of it."""
    number = chart.number_at(x)
    power = 2 ** round(math.log2(number))
    if abs(chart.x(power) - x) <= 5:
        return int(power)
    return max(int(float(f"{number:.1e}")), 1)


def mark_cost_growth(painter: QPainter, picture: GrowthPicture, layout: GrowthLayout, look: Look, spot: Spot) -> None:
    """Draw a line at the number of tokens with a dot on every curve, or a ring around a measured point."""
    chart, theme = layout.chart, look.theme
    if chart is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if spot.row is not None:
        places = _places(picture, chart)
        if spot.row < len(places):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(theme.text, 1.5 * look.zoom))
            painter.drawEllipse(places[spot.row], 9 * look.zoom, 9 * look.zoom)
    elif spot.column is not None:
        x = chart.x(spot.column)
        stroke = pen(theme.muted, 1.0, Qt.PenStyle.DotLine)
        draw_line(painter, QPointF(x, chart.plot.top()), QPointF(x, chart.plot.bottom()), stroke)
        for curve in picture.curves:
            value = picture.value_at(curve, spot.column)
            paint_dot(painter, QPointF(x, chart.y(value)), theme.text, 3.2 * look.zoom)


# ---- Words ----


def cost_growth_words(picture: GrowthPicture, spot: Spot) -> str:
    """Return what is under the pointer, with formula and numbers."""
    if picture.reason:
        return ""
    if spot.row is not None:
        return point_words(picture, spot.row) if spot.row < len(points_of(picture.measurement)) else ""
    return "" if spot.column is None else curve_words(picture, spot.column)


def cost_growth_notes(picture: GrowthPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    return notes_of(growth_sentences(picture))
