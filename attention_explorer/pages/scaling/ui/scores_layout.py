"""Where the parts of the scores picture are: two histograms, the table, and what concerns weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF

from attention_explorer.kit.drawing.curve_chart import Axis, ChartLayout, aligned, chart_layout
from attention_explorer.kit.theme import Look
from attention_explorer.pages.scaling.scores import ScoresPicture, predicted_density
from attention_explorer.pages.scaling.ui.style import legend_height
from attention_explorer.pages.scaling.ui.table import Line, table_height, table_lines

GAP = 14
MORE = "bars: measured"
"""What the legend says after what its lines are."""
TABLE_BESIDE_FROM = 560
"""Pixels at zoom 1 from which on the table has room beside the histograms."""
CURVE_POINTS = 321


@dataclass(frozen=True, slots=True)
class ScoresLayout:
    """Where the histograms, the table and the weights are."""

    room: QRectF
    legend: QRectF
    scores: tuple[ChartLayout, ChartLayout]
    """Raw above scaled."""
    table: QRectF
    lines: tuple[Line, ...]
    weights: ChartLayout
    example: ChartLayout


def scores_layout(picture: ScoresPicture, look: Look, room: QRectF) -> ScoresLayout:
    """Fit the two histograms into the left half, the table and what concerns weights into the right one.

    In a narrow room the table stands across, between the histograms and the weights.
    """
    px = look.px
    lines = table_lines(picture, few=look.few)
    legend = QRectF(room.left(), room.top(), room.width(), legend_height(look, room.width(), MORE))
    below = room.adjusted(0, legend.height(), 0, 0)
    if room.width() < px(TABLE_BESIDE_FROM):
        return _narrow_layout(picture, look, room, legend, below)
    wide = max(min(0.44 * below.width(), px(430)), min(px(250), 0.5 * below.width()))
    left = QRectF(below.left(), below.top(), below.width() - wide - px(GAP), below.height())
    right = QRectF(below.right() - wide, below.top(), wide, below.height())
    half = (left.height() - px(6)) / 2
    boxes = (
        QRectF(left.left(), left.top(), left.width(), half),
        QRectF(left.left(), left.bottom() - half, left.width(), half),
    )
    table = QRectF(right.left(), right.top(), right.width(), min(table_height(lines, look), 0.55 * right.height()))
    rest = right.adjusted(0, table.height() + px(8), 0, 0)
    upper = QRectF(rest.left(), rest.top(), rest.width(), 0.55 * rest.height())
    lower = QRectF(rest.left(), upper.bottom() + px(4), rest.width(), rest.bottom() - upper.bottom() - px(4))
    scores = aligned([_score_chart(picture, look, boxes[scaled], scaled) for scaled in (False, True)])
    lower_two = aligned([_weight_chart(picture, look, upper), _example_chart(picture, look, lower)])
    return ScoresLayout(
        room,
        legend,
        (scores[0], scores[1]),
        table,
        lines,
        *lower_two,
    )


def _narrow_layout(picture: ScoresPicture, look: Look, room: QRectF, legend: QRectF, below: QRectF) -> ScoresLayout:
    px, lines = look.px, table_lines(picture, few=look.few)
    high = min(table_height(lines, look), 0.45 * below.height())
    rest = below.height() - high - 2 * px(10)
    wide = (below.width() - px(GAP)) / 2
    upper = [QRectF(below.left() + n * (wide + px(GAP)), below.top(), wide, 0.52 * rest) for n in (0, 1)]
    table = QRectF(below.left(), upper[0].bottom() + px(10), below.width(), high)
    lower = [QRectF(box.left(), table.bottom() + px(10), wide, 0.48 * rest) for box in upper]
    raw, scaled = (_score_chart(picture, look, upper[number], bool(number)) for number in (0, 1))
    weights, example = _weight_chart(picture, look, lower[0]), _example_chart(picture, look, lower[1])
    return ScoresLayout(room, legend, (raw, scaled), table, lines, weights, example)


def _score_chart(picture: ScoresPicture, look: Look, box: QRectF, scaled: bool) -> ChartLayout:
    _, curve = curve_of(picture, scaled)
    # One bin of many equal scores must not press the rest down to nothing.
    highest = max(float(picture.densities(scaled).max()), min(float(curve.max()), 1e6))
    title = "q·k ÷ √d_k" if scaled else "q·k"
    return chart_layout(look, box, Axis(*picture.axis_ends(scaled), title), Axis(0.0, 1.1 * highest))


def curve_of(picture: ScoresPicture, scaled: bool) -> tuple[np.typing.NDArray[np.floating], ...]:
    """Return scores on the axis with the density (both (321,)) that theory predicts for raw or scaled ones."""
    low, high = np.clip(picture.bin_edges(scaled)[[0, -1]], *picture.axis_ends(scaled))
    xs = np.linspace(low, high, CURVE_POINTS)
    return xs, predicted_density(picture.setting, scaled, xs)


def _weight_chart(picture: ScoresPicture, look: Look, box: QRectF) -> ChartLayout:
    most = max(float(picture.of(scaled).weight_counts.max()) for scaled in (False, True))
    rows = max(picture.raw.summary.rows, 1)
    return chart_layout(look, box, Axis(0.0, 1.0, "largest weight of a row"), Axis(0.0, 1.08 * most / rows))


def _example_chart(picture: ScoresPicture, look: Look, box: QRectF) -> ChartLayout:
    return chart_layout(look, box, Axis(0.5, picture.setting.keys + 0.5, "key", is_whole=True), Axis(0.0, 1.0))
