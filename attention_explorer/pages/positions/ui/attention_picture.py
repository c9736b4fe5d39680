"""What an encoding does to attention: scores against the distance kind by kind, weights, lengths and terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import signed, weight_text
from attention_explorer.kit.drawing.curve_chart import (
    Axis,
    ChartLayout,
    chart_layout,
    paint_axes,
    paint_columns,
    paint_curve,
    paint_reading,
    widened,
)
from attention_explorer.kit.drawing.marks import colour_of, draw_haloed_text, draw_line, pen, text_size
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.model import tile_bounds
from attention_explorer.pages.positions.attention import KindScores, PositionAttentionPicture
from attention_explorer.pages.positions.state import PositionKind
from attention_explorer.pages.positions.ui.notes import position_attention_notes as position_attention_notes
from attention_explorer.pages.positions.ui.notes import titles_of
from attention_explorer.pages.positions.ui.term_bars import paint_lengths, paint_terms, paint_title

GAP = 10
BARS_FROM = 4.0
"""Keys that have at least so many pixels each have a bar of their own."""


@dataclass(frozen=True, slots=True)
class PositionAttentionLayout:
    """Where the charts are."""

    room: QRectF
    kinds: tuple[ChartLayout, ...]
    lengths: QRectF
    legend: QRectF
    weights: ChartLayout
    terms: QRectF


def position_attention_layout(picture: PositionAttentionPicture, look: Look, room: QRectF) -> PositionAttentionLayout:
    """Fit a grid of six charts, a line of words, and weights and terms below them."""
    px = look.px
    columns = 6 if room.height() < 0.5 * room.width() else 3
    legend = px(18) if room.width() > px(760) else px(34)
    lines = 6 // columns
    gap = px(GAP)
    grid = (room.height() - legend) * (0.55 if lines == 2 else 0.5)
    wide, high = (room.width() - gap * (columns - 1)) / columns, (grid - gap * (lines - 1)) / lines
    boxes = [
        QRectF(room.left() + (i % columns) * (wide + gap), room.top() + (i // columns) * (high + gap), wide, high)
        for i in range(6)
    ]
    words = QRectF(room.left(), room.top() + grid + px(4), room.width(), legend)
    top = words.bottom() + px(6)
    share = 0.6 * room.width()
    weights = QRectF(room.left(), top, share - gap, room.bottom() - top)
    terms = QRectF(room.left() + share, top, room.width() - share, room.bottom() - top)
    # All but ALiBi have one scale, so that a flat line is seen to be flat.
    ranges = [kind.range for kind in picture.kinds if kind.kind is not PositionKind.ALIBI and kind.lines]
    shared = min(low for low, _ in ranges), max(high for _, high in ranges)
    kinds = tuple(
        _kind_chart(picture, kind, kind.range if kind.kind is PositionKind.ALIBI else shared, look, box)
        for kind, box in zip(picture.kinds, boxes[:5], strict=True)
    )
    return PositionAttentionLayout(room, kinds, boxes[5], words, _weights_chart(picture, look, weights), terms)


def _kind_chart(
    picture: PositionAttentionPicture, kind: KindScores, scores: tuple[float, float], look: Look, box: QRectF
) -> ChartLayout:
    inner = box.adjusted(look.px(4), look.px(3), -look.px(2), -look.px(2))
    if kind.kind is PositionKind.ALIBI:
        inner.setWidth(inner.width() - look.px(30))  # for the slopes
    first, last = picture.distances
    return chart_layout(look, inner, Axis(float(first), float(last), "", True), Axis(*widened(*scores)))


def _weights_chart(picture: PositionAttentionPicture, look: Look, box: QRectF) -> ChartLayout:
    top = float(picture.weights.max(initial=0.0)) or 1.0
    across = Axis(-0.5, picture.state.length - 0.5, "key position j", True)
    return chart_layout(look, box, across, Axis(0.0, 1.08 * top))


# ---- Painting ----


def paint_position_attention(
    painter: QPainter,
    picture: PositionAttentionPicture,
    layout: PositionAttentionLayout,
    look: Look,
    *,
    vector: bool = False,
) -> None:
    """Paint everything that does not depend on the pointer; lines are lines in every file."""
    paint_attention_ground(painter, picture, layout, look, vector=vector)
    paint_attention_front(painter, picture, layout, look)


def attention_ground_key(picture: PositionAttentionPicture) -> object:
    """Return what the ground depends on besides room and look."""
    return picture.kinds, picture.norms, picture.distances


def paint_attention_front(
    painter: QPainter, picture: PositionAttentionPicture, layout: PositionAttentionLayout, look: Look
) -> None:
    """Paint the terms of the score of a pair."""
    paint_terms(painter, picture, layout.terms, look)


def paint_attention_ground(
    painter: QPainter,
    picture: PositionAttentionPicture,
    layout: PositionAttentionLayout,
    look: Look,
    *,
    vector: bool = False,
) -> None:
    """Paint what stays while the key moves."""
    for kind, chart in zip(picture.kinds, layout.kinds, strict=True):
        _paint_kind(painter, kind, titles_of(picture)[kind.kind], chart, look)
    paint_lengths(painter, picture, layout.lengths, look)
    painter.setFont(look.font(11.5))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(layout.legend, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, _legend(picture))
    _paint_weights(painter, picture, layout.weights, look)


def _legend(picture: PositionAttentionPicture) -> str:
    last = picture.state.length - 1
    others = [str(place) for place in sorted({0, last} - {picture.query})]
    faint = (
        f" · faint: {'queries' if len(others) > 1 else 'query'} {' and '.join(others)}, other heads" if others else ""
    )
    return (
        f"score q · k ÷ √d_k against the distance i − j · strong: query {picture.query}{faint} · "
        "dashed or pale: without W_q, W_k"
    )


def _paint_kind(painter: QPainter, kind: KindScores, title: str, chart: ChartLayout, look: Look) -> None:
    theme, px = look.theme, look.px
    if kind.is_shown:
        ground = chart.box.adjusted(-px(4), -px(3), px(2), px(2))
        if kind.kind is PositionKind.ALIBI:
            ground.setWidth(ground.width() + px(30))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(theme.axis, 1.0))
        painter.setBrush(colour_of(theme.window))
        painter.drawRoundedRect(ground, px(6), px(6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    if not kind.reason:
        paint_axes(painter, chart, look, title, bold=kind.is_shown)
    else:
        paint_title(painter, chart.box, title, look, bold=kind.is_shown)
        painter.setFont(look.font(11))
        painter.setPen(colour_of(theme.muted))
        painter.drawText(chart.plot, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, kind.reason)
    for line in kind.lines:
        style = Qt.PenStyle.DashLine if line.is_dashed else Qt.PenStyle.SolidLine
        width = (2.2 if kind.is_shown else 1.6) if line.is_main else 1.1
        colour = theme.text if line.is_main or line.is_dashed else theme.axis
        paint_curve(painter, chart, line.first, line.scores, pen(colour, width * look.zoom, style))
    if kind.kind is PositionKind.ALIBI:
        _paint_slopes(painter, kind, chart, look)


def _paint_slopes(painter: QPainter, kind: KindScores, chart: ChartLayout, look: Look) -> None:
    """Write each head's slope at the end of its line, where there is room, the chosen head's first."""
    px, theme = look.px, look.theme
    taken: list[float] = []
    for line in sorted(kind.lines, key=lambda line: not line.is_main):
        if not len(line.scores):
            continue
        y = chart.y(float(line.scores[-1]))
        if any(abs(y - other) < px(12) for other in taken):
            continue
        taken.append(y)
        painter.setFont(look.font(11, bold=line.is_main))
        painter.setPen(colour_of(theme.text if line.is_main else theme.muted))
        box = QRectF(chart.plot.right() + px(3), y - px(7), px(44), px(14))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line.label)


def _paint_weights(painter: QPainter, picture: PositionAttentionPicture, chart: ChartLayout, look: Look) -> None:
    """Paint the weights of the chosen query as bars, or as one shape where keys are thinner than that."""
    theme, px, plot = look.theme, look.px, chart.plot
    if picture.visible < picture.state.length:
        hidden = QRectF(QPointF(chart.x(picture.visible - 0.5), plot.top()), plot.bottomRight())
        painter.fillRect(hidden, colour_of(theme.masked))
    kind = titles_of(picture)[picture.state.kind]
    head = (
        f" ({picture.state.count.head(picture.state.head_shown)})" if picture.state.kind is PositionKind.ALIBI else ""
    )
    title = f"weights of query {picture.query}: {kind}{head}"
    if picture.reason:
        paint_title(painter, chart.box, title, look)
        painter.setFont(look.font(11.5))
        painter.setPen(colour_of(theme.muted))
        painter.drawText(plot, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, picture.reason)
        return
    paint_axes(painter, chart, look, title)
    x = chart.x(picture.query)  # behind the bars: the query often gives itself most
    draw_line(painter, QPointF(x, plot.top()), QPointF(x, plot.bottom()), pen(theme.query, 1.4 * look.zoom))
    count = len(picture.weights)
    if plot.width() / count >= BARS_FROM:
        inset = 0.12 * plot.width() / count
        for key, weight in enumerate(picture.weights.tolist()):
            left, right = chart.x(key - 0.5) + inset, chart.x(key + 0.5) - inset
            painter.fillRect(
                QRectF(QPointF(left, chart.y(weight)), QPointF(right, plot.bottom())), colour_of(theme.key)
            )
    else:
        _paint_shape(painter, picture, chart, look)
    _paint_label(painter, chart, x, "query", theme.query_ink, look)
    hidden_width = plot.right() - chart.x(picture.visible - 0.5)
    if hidden_width > px(110):
        painter.setFont(look.font(11.5))
        painter.setPen(colour_of(theme.muted))
        box = QRectF(plot.right() - hidden_width, plot.top(), hidden_width, plot.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "masked")


def _paint_shape(painter: QPainter, picture: PositionAttentionPicture, chart: ChartLayout, look: Look) -> None:
    """Paint a column a pixel, as high as the largest of its weights."""
    bounds = tile_bounds(len(picture.weights), max(int(chart.plot.width()), 8))
    tops = chart.ys(np.maximum.reduceat(picture.weights, bounds[:-1]))
    feet = [chart.plot.bottom()] * len(tops)
    paint_columns(painter, chart.xs(bounds - 0.5), tops, feet, colour_of(look.theme.key))


def _paint_label(painter: QPainter, chart: ChartLayout, x: float, text: str, ink: str, look: Look) -> None:
    font = look.font(11, bold=True)
    width, height = text_size(font, text)
    left = x + look.px(4) if x + look.px(6) + width <= chart.plot.right() else x - look.px(4) - width
    draw_haloed_text(painter, QRectF(left, chart.plot.top(), width, height), text, font, ink, look.theme.card)


# ---- Pointing ----


def position_attention_spot(picture: PositionAttentionPicture, layout: PositionAttentionLayout, place: QPointF) -> Spot:
    """Return query and key of a weight, or a distance, as a column alone: distance + length − 1, counted from 0."""
    if layout.weights.plot.contains(place):
        key = round(layout.weights.number_at(place.x()))
        return Spot(picture.query, min(max(key, 0), picture.state.length - 1))
    for chart in layout.kinds:
        if chart.plot.adjusted(-3, 0, 3, 0).contains(place):
            first, last = picture.distances
            distance = min(max(round(chart.number_at(place.x())), first), last)
            return Spot(None, distance + picture.state.length - 1)
    return NOWHERE


def _distance(picture: PositionAttentionPicture, spot: Spot) -> int | None:
    if spot.column is None:
        return None
    if spot.row is None:
        return spot.column - picture.state.length + 1
    return picture.query - spot.column


def mark_position_attention(
    painter: QPainter,
    picture: PositionAttentionPicture,
    layout: PositionAttentionLayout,
    look: Look,
    spot: Spot,
) -> None:
    """Mark a distance in every chart, and the key that is so far from the query."""
    distance = _distance(picture, spot)
    if distance is None:
        return
    first, last = picture.distances
    if first <= distance <= last:
        for kind, chart in zip(picture.kinds, layout.kinds, strict=True):
            score = _main_score(kind, distance)
            paint_reading(painter, chart, look, distance, score, "" if score is None else signed(score, 2))
    key = picture.query - distance
    if 0 <= key < len(picture.weights):
        weight = float(picture.weights[key])
        paint_reading(painter, layout.weights, look, key, weight, f"key {key}: {_weight(picture, key)}")


def _main_score(kind: KindScores, distance: int) -> float | None:
    return next((line.at(distance) for line in kind.lines if line.is_main), None)


def _weight(picture: PositionAttentionPicture, key: int) -> str:
    return "masked" if key >= picture.visible else weight_text(float(picture.weights[key]))


# ---- Words ----


def position_attention_words(picture: PositionAttentionPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    distance = _distance(picture, spot)
    if distance is None:
        return ""
    key = picture.query - distance
    if spot.row is not None:
        if not 0 <= key < len(picture.weights):
            return ""
        score = signed(float(picture.scores[key]), 3)
        return (
            f"query {picture.query}, key {key} · distance {distance} · score {score} · weight {_weight(picture, key)}"
        )
    if not picture.distances[0] <= distance <= picture.distances[1]:
        return ""
    found = [(kind.kind, _main_score(kind, distance)) for kind in picture.kinds]
    titles = titles_of(picture)
    parts = [f"{titles[kind]} {signed(score, 2)}" for kind, score in found if score is not None]
    return f"distance {distance}: " + " · ".join(parts)
