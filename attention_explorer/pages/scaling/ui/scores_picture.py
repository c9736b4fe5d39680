"""Histograms of raw and scaled scores under the curve that theory predicts, and what the softmax makes of them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import plain
from attention_explorer.kit.drawing.curve_chart import (
    ChartLayout,
    draw_polyline,
    paint_axes,
    paint_columns,
    paint_reading,
)
from attention_explorer.kit.drawing.legend import fitting
from attention_explorer.kit.drawing.marks import colour_of, draw_haloed_text, draw_line, pen, text_size
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.scaling.growth import STOPS
from attention_explorer.pages.scaling.rows import TAIL
from attention_explorer.pages.scaling.scores import ScoresPicture, predicted_density
from attention_explorer.pages.scaling.state import ScalingState
from attention_explorer.pages.scaling.ui.scores_layout import MORE, ScoresLayout, curve_of
from attention_explorer.pages.scaling.ui.style import (
    NAMES,
    fill_of,
    paint_legend,
    predicted_stroke,
    stroke_of,
)
from attention_explorer.pages.scaling.ui.table import (
    mark_table,
    paint_table,
    table_lines,
    table_row_at,
)
from attention_explorer.pages.scaling.wording import share

RAW, SCALED, WEIGHTS, EXAMPLE, TABLE = range(5)
"""Which part a spot is in: its row. The column is a bin, a key or a line."""
MOST_BAR = 34.0


# ---- Painting ----


def paint_scores(
    painter: QPainter, picture: ScoresPicture, layout: ScoresLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything."""
    paint_legend(painter, layout.legend, look, picture.state.scaled, more=MORE)
    for chart, scaled in zip(layout.scores, (False, True), strict=True):
        _paint_histogram(painter, picture, chart, look, scaled)
    paint_table(painter, layout.lines, layout.table, look, picture.state.scaled)
    _paint_weights(painter, picture, layout.weights, look)
    _paint_example(painter, picture, layout.example, look)


def _paint_histogram(painter: QPainter, picture: ScoresPicture, chart: ChartLayout, look: Look, scaled: bool) -> None:
    std = picture.of(scaled).summary.std.value
    rooted = f"scaled, ÷ √{picture.setting.d_k}" if scaled else NAMES[False]
    paint_axes(painter, chart, look, f"{rooted}: std {plain(std)}", bold=picture.state.scaled is scaled)
    edges, densities = _bars(picture, chart, scaled)
    tops = chart.ys(densities)
    paint_columns(painter, chart.xs(edges), tops, [chart.plot.bottom()] * len(tops), fill_of(look, scaled))
    _paint_tail(painter, picture, chart, look, scaled)
    _paint_beyond(painter, picture, chart, look, scaled)
    points, curve = curve_of(picture, scaled)
    painter.save()
    painter.setClipRect(chart.plot.adjusted(0, -2, 0, 1))
    draw_polyline(
        painter,
        [QPointF(chart.x(x), chart.y(y)) for x, y in zip(points.tolist(), curve.tolist(), strict=True)],
        predicted_stroke(look),
    )
    painter.restore()


def _bars(picture: ScoresPicture, chart: ChartLayout, scaled: bool) -> tuple[FloatArray, FloatArray]:
    """Return the edges (bins + 1,) and the densities (bins,) of the bins on the axis, cut off at its ends."""
    edges, densities = picture.bin_edges(scaled), picture.densities(scaled)
    low, high = chart.across.low, chart.across.high
    shown = np.flatnonzero((edges[1:] > low) & (edges[:-1] < high))
    return np.clip(edges[shown[0] : shown[-1] + 2], low, high), densities[shown]


def _paint_beyond(painter: QPainter, picture: ScoresPicture, chart: ChartLayout, look: Look, scaled: bool) -> None:
    """Say what share of the scores an axis that is held has no room for."""
    beyond = picture.beyond(scaled)
    if beyond < 1e-4:
        return
    text, font = f"about {share(beyond)} beyond the axis", look.font(11.5)
    box = QRectF(QPointF(chart.plot.left() + look.px(4), chart.plot.top()), QSizeF(*text_size(font, text)))
    draw_haloed_text(painter, box, text, font, look.theme.text, look.theme.card)


def _paint_tail(painter: QPainter, picture: ScoresPicture, chart: ChartLayout, look: Look, scaled: bool) -> None:
    """Mark ±30 where the axis reaches so far, shade what lies beyond, and say how much that is."""
    if not chart.across.low < TAIL < chart.across.high:
        return
    theme, plot = look.theme, chart.plot
    for end in (-TAIL, TAIL):
        if chart.across.low < end:
            x = chart.x(end)
            line = pen(theme.axis, look.zoom, Qt.PenStyle.DashLine)
            draw_line(painter, QPointF(x, plot.top()), QPointF(x, plot.bottom()), line)
    edges, densities = _bars(picture, chart, scaled)
    for left, right, density in zip(edges[:-1].tolist(), edges[1:].tolist(), densities.tolist(), strict=True):
        parts = ((left, min(right, -TAIL)), (max(left, TAIL), right))
        for start, end in parts:
            if start < end and density:
                box = QRectF(QPointF(chart.x(start), chart.y(density)), QPointF(chart.x(end), plot.bottom()))
                painter.fillRect(box, colour_of(theme.loss, 0.55))
    part = picture.of(scaled)
    text = f"{share(part.summary.tail.value)} beyond ±30"
    font = look.font(11.5)
    width, height = text_size(font, text)
    x = chart.x(TAIL) + look.px(4)
    if x + width > plot.right():
        x = chart.x(TAIL) - look.px(4) - width
    draw_haloed_text(painter, QRectF(x, plot.top(), width, height), text, font, theme.text, theme.card)


def _paint_weights(painter: QPainter, picture: ScoresPicture, chart: ChartLayout, look: Look) -> None:
    """Paint how many rows have which largest weight: scaled filled, unscaled as an outline."""
    titles = "Share of rows by their largest weight", "Rows by their largest weight", "Rows by largest weight"
    paint_axes(painter, chart, look, fitting(titles, look.font(12.5), chart.box.width()), bold=False)
    rows, plot = picture.raw.summary.rows, chart.plot
    xs = chart.xs(picture.weight_edges)
    for scaled in (True, False):
        tops = [chart.y(count / rows) for count in picture.of(scaled).weight_counts.tolist()]
        if scaled:
            paint_columns(painter, xs, tops, [plot.bottom()] * len(tops), fill_of(look, True))
        steps = [QPointF(xs[0], plot.bottom())]
        for left, right, top in zip(xs[:-1], xs[1:], tops, strict=True):
            steps += [QPointF(left, top), QPointF(right, top)]
        steps.append(QPointF(xs[-1], plot.bottom()))
        draw_polyline(painter, steps, stroke_of(look, scaled, leading=picture.state.scaled is scaled))


def _paint_example(painter: QPainter, picture: ScoresPicture, chart: ChartLayout, look: Look) -> None:
    """Paint the weights of one row, unscaled and scaled side by side."""
    paint_axes(painter, chart, look, "One of the rows: its weights", bold=False)
    for key in range(picture.setting.keys):
        for scaled in (False, True):
            box = _bar(picture, chart, look, key, scaled)
            painter.fillRect(box, fill_of(look, scaled))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if box.width() >= look.px(5):
                painter.setPen(stroke_of(look, scaled, leading=False))
                painter.drawRect(box)


def _bar(picture: ScoresPicture, chart: ChartLayout, look: Look, key: int, scaled: bool) -> QRectF:
    slot = chart.plot.width() / picture.setting.keys
    width = min(0.38 * slot, look.px(MOST_BAR))
    middle = chart.x(key + 1)
    left = middle + (0.02 * slot if scaled else -0.02 * slot - width)
    top = chart.y(float(picture.of(scaled).example[key]))
    return QRectF(left, top, width, chart.plot.bottom() - top)


def scores_parts(picture: ScoresPicture) -> tuple[str, ...]:
    """Return what the picture shows, in names that tell no number."""
    measures = (line.title for line in table_lines(picture) if not line.is_prediction)
    return "Scores, not scaled", "Scores ÷ √d_k", *(f"{name[0].upper()}{name[1:]}" for name in measures)


# ---- Pointing ----


def scores_spot(picture: ScoresPicture, layout: ScoresLayout, place: QPointF) -> Spot:
    """Return the bin, the key or the line of the table at a place."""
    for part, chart in enumerate(layout.scores):
        if chart.plot.contains(place):
            edges = picture.bin_edges(part == SCALED)
            found = int(np.searchsorted(edges, chart.number_at(place.x()), "right")) - 1
            return Spot(part, found) if 0 <= found < len(edges) - 1 else NOWHERE
    if layout.weights.plot.contains(place):
        count = len(picture.weight_edges) - 1
        return Spot(WEIGHTS, min(max(int(layout.weights.number_at(place.x()) * count), 0), count - 1))
    if layout.example.plot.contains(place):
        key = round(layout.example.number_at(place.x())) - 1
        return Spot(EXAMPLE, min(max(key, 0), picture.setting.keys - 1))
    row = table_row_at(layout.lines, layout.table, place)
    return NOWHERE if row is None else Spot(TABLE, row)


def mark_scores(painter: QPainter, picture: ScoresPicture, layout: ScoresLayout, look: Look, spot: Spot) -> None:
    """Light up a bin in both histograms, for they hold the same scores, or what else is pointed at."""
    if spot.row is None or spot.column is None:
        return
    if spot.row in (RAW, SCALED) and spot.column < len(picture.counts):
        for chart, scaled in zip(layout.scores, (False, True), strict=True):
            edges = picture.bin_edges(scaled)
            middle = 0.5 * float(edges[spot.column] + edges[spot.column + 1])
            if chart.across.low <= middle <= chart.across.high:
                density = float(picture.densities(scaled)[spot.column])
                paint_reading(painter, chart, look, middle, density, plain(middle))
    elif spot.row == WEIGHTS and spot.column < len(picture.weight_edges) - 1:
        low, high = picture.weight_edges[spot.column : spot.column + 2].tolist()
        paint_reading(painter, layout.weights, look, 0.5 * (low + high), None, f"{plain(low, 3)} to {plain(high, 3)}")
    elif spot.row == EXAMPLE and spot.column < picture.setting.keys:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(look.theme.text, 1.5 * look.zoom))
        for scaled in (False, True):
            painter.drawRect(_bar(picture, layout.example, look, spot.column, scaled).adjusted(-1, -1, 1, 0))
    elif spot.row == TABLE:
        mark_table(painter, layout.lines, layout.table, look, spot.column)


def scores_words(picture: ScoresPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    if spot.row is None or spot.column is None:
        return ""
    if spot.row in (RAW, SCALED) and spot.column < len(picture.counts):
        return _bin_words(picture, spot.row == SCALED, spot.column)
    if spot.row == WEIGHTS and spot.column < len(picture.weight_edges) - 1:
        low, high = picture.weight_edges[spot.column : spot.column + 2].tolist()
        parts = [
            f"{NAMES[scaled]} {share(float(picture.of(scaled).weight_counts[spot.column]) / picture.raw.summary.rows)}"
            for scaled in (False, True)
        ]
        return f"largest weight from {plain(low, 3)} to {plain(high, 3)}: of the rows {', '.join(parts)}"
    if spot.row == EXAMPLE and spot.column < picture.setting.keys:
        score, root = float(picture.example[spot.column]), picture.root
        raw, scaled = (float(picture.of(which).example[spot.column]) for which in (False, True))
        return (
            f"key {spot.column + 1}: q·k = {plain(score)}, weight {plain(raw, 4)} · "
            f"÷ √{picture.setting.d_k} = {plain(score / root)}, weight {plain(scaled, 4)}"
        )
    lines = table_lines(picture)
    return lines[spot.column].words if spot.row == TABLE and spot.column < len(lines) else ""


def _bin_words(picture: ScoresPicture, scaled: bool, index: int) -> str:
    edges = picture.bin_edges(scaled)
    low, high = float(edges[index]), float(edges[index + 1])
    found = float(picture.counts[index]) / picture.scores
    middle = np.linspace(low, high, 9)
    expected = float(predicted_density(picture.setting, scaled, middle).mean()) * (high - low)
    return (
        f"{NAMES[scaled]}: {share(found)} of the scores are from {plain(low)} to {plain(high)}"
        f" · predicted {share(expected)}"
    )


# ---- Keys ----


def with_d_k_moved(state: ScalingState, _picture: object, key: int) -> Change[ScalingState] | None:
    """Go to the next or the previous d_k by an arrow key."""
    if key == Qt.Key.Key_Right:
        found = next((stop for stop in STOPS if stop > state.d_k), state.d_k)
    elif key == Qt.Key.Key_Left:
        found = next((stop for stop in reversed(STOPS) if stop < state.d_k), state.d_k)
    else:
        return None
    return Change(state.with_d_k(found), "Change d_k", "d_k")
