"""What the hand does on the softmax bench: pointing at a number, dragging a score, walking from key to key."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QPointF, Qt

from attention_explorer.core.numerals import compact, plain, scientific, signed
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.pages.scaling.bench import BenchPicture
from attention_explorer.pages.scaling.state import ScalingState
from attention_explorer.pages.scaling.ui.bench_columns import column_at, number_text, score_at
from attention_explorer.pages.scaling.ui.bench_layout import BenchLayout

COLUMNS, WEIGHTS, JACOBIAN, GAP_CHART = 0, 100, 200, 300
"""Which part a spot is in: its row is this, plus the row of a map."""


# ---- Pointing ----


def bench_spot(picture: BenchPicture, layout: BenchLayout, place: QPointF) -> Spot:
    """Return the key of a column, a cell of a map, or a gap."""
    key = column_at(layout.columns, place)
    if key is not None:
        return Spot(COLUMNS, key)
    for first, map_ in ((WEIGHTS, layout.weights), (JACOBIAN, layout.jacobian)):
        row, column = map_.row_at(place.y()), map_.column_at(place.x())
        if row is not None and column is not None:
            return Spot(first + row, column)
    if layout.chart.plot.contains(place):
        index = round(layout.chart.number_at(place.x()) / layout.chart.across.high * (len(picture.gaps) - 1))
        return Spot(GAP_CHART, min(max(index, 0), len(picture.gaps) - 1))
    return NOWHERE


def bench_words(picture: BenchPicture, spot: Spot) -> str:
    """Return what is under the pointer, with the arithmetic that made it."""
    if spot.row is None or spot.column is None:
        return ""
    rows, keys = picture.weights.shape
    if spot.row == GAP_CHART and spot.column < len(picture.gaps):
        gap, slope = float(picture.gaps[spot.column]), float(picture.slopes[spot.column])
        p = plain(1 / (1 + math.exp(-gap)), 6)
        return f"two keys whose scores are {plain(gap)} apart: p = {p}, p (1 − p) = {scientific(slope)}"
    if spot.column >= keys:
        return ""
    if spot.row == COLUMNS:
        return f"{_arithmetic(picture, picture.row, spot.column)} · drag the bar, or ↑ and ↓"
    if WEIGHTS <= spot.row < WEIGHTS + rows:
        return f"query {spot.row - WEIGHTS + 1}, {_arithmetic(picture, spot.row - WEIGHTS, spot.column)}"
    if JACOBIAN <= spot.row < JACOBIAN + keys:
        return _slope_words(picture, spot.row - JACOBIAN, spot.column)
    return ""


def _arithmetic(picture: BenchPicture, row: int, key: int) -> str:
    score, shifted, exponential, total, weight = (
        float(part[row, key])
        for part in (picture.scores, picture.shifted, picture.exponentials, picture.totals, picture.weights)
    )
    inside = f"{compact(score)} − max" if picture.bench.subtract_max else compact(score)
    return (
        f"key {key + 1}: exp({inside}) = exp({number_text(shifted)}) = {number_text(exponential)}, "
        f"÷ {number_text(total)} = {number_text(weight)}"
    )


def _slope_words(picture: BenchPicture, weight: int, score: int) -> str:
    value = float(picture.jacobian[weight, score])
    p = picture.weights[picture.row].astype(float).tolist()
    if picture.bench.over_queries:
        made = "p (1 − p)" if weight == score else "0: keys do not compete along this axis"
    elif weight == score:
        made = f"p{weight + 1} (1 − p{weight + 1}) = {number_text(p[weight])} · {number_text(1 - p[weight])}"
    else:
        made = f"−p{weight + 1} p{score + 1} = −{number_text(p[weight])} · {number_text(p[score])}"
    shown = "NaN" if math.isnan(value) else signed(value, 4) if abs(value) >= 1e-3 or value == 0 else f"{value:.3g}"
    return f"weight {weight + 1} by score {score + 1}: {made} → {shown}".replace("-", "−")


# ---- Acting ----


def bench_grab(picture: BenchPicture, layout: BenchLayout, place: QPointF) -> int | None:
    """Return the key whose score bar is at a place."""
    within = layout.columns.scores.plot.adjusted(-4, -8, 4, 8).contains(place)
    return column_at(layout.columns, place) if within else None


def bench_drag(
    state: ScalingState, _picture: BenchPicture, layout: BenchLayout, key: int, place: QPointF
) -> Change[ScalingState]:
    """Move the score of a key to the pointer."""
    score = score_at(layout.columns, place.y())
    return Change(replace(state, bench=state.bench.with_score(key, score)), f"Drag score {key + 1}")


def bench_click(
    state: ScalingState, picture: BenchPicture, layout: BenchLayout, place: QPointF
) -> Change[ScalingState] | None:
    """Look closely at the row that is clicked."""
    spot = bench_spot(picture, layout, place)
    if spot.row is None or not WEIGHTS <= spot.row < WEIGHTS + len(picture.weights):
        return None
    return Change(replace(state, bench=replace(state.bench, row=spot.row - WEIGHTS)), "Look at another row")


_NUDGES = {
    Qt.Key.Key_Up: 1.0,
    Qt.Key.Key_Down: -1.0,
    Qt.Key.Key_PageUp: 10.0,
    Qt.Key.Key_PageDown: -10.0,
}


def bench_press(state: ScalingState, picture: BenchPicture, key: int) -> Change[ScalingState] | None:
    """Go to another key by left and right, move its score by up and down."""
    bench = state.bench
    if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        step = 1 if key == Qt.Key.Key_Right else -1
        found = min(max(bench.key_shown + step, 0), picture.weights.shape[1] - 1)
        return Change(replace(state, bench=replace(bench, key=found)), "Go to another key", "bench key")
    nudge = _NUDGES.get(Qt.Key(key)) if key in [int(known) for known in _NUDGES] else None
    if nudge is None:
        return None
    score = float(picture.scores[picture.row, bench.key_shown])
    step_size = 0.1 * bench.factor
    new = bench.with_score(bench.key_shown, score + nudge * step_size)
    return Change(replace(state, bench=new), f"Move score {bench.key_shown + 1}", "bench score")
