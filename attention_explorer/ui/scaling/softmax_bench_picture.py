"""The softmax bench: score bars that can be dragged, each step down to the weights, the Jacobian, and p (1 − p)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from attention_explorer.state.map_picture import MapPicture
from attention_explorer.state.numerals import compact, plain, scientific, signed
from attention_explorer.state.scaling.bench import BenchPicture
from attention_explorer.state.scaling.state import ScalingState
from attention_explorer.ui.drawing.cell_marks import paint_hatching, paint_numbers, paint_outline
from attention_explorer.ui.drawing.colour_bar import colour_map_of, paint_small_bar
from attention_explorer.ui.drawing.colour_maps import pixels_of
from attention_explorer.ui.drawing.curve_chart import (
    Axis,
    ChartLayout,
    chart_layout,
    draw_polyline,
    paint_axes,
    paint_reading,
)
from attention_explorer.ui.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.ui.drawing.marks import colour_of, draw_haloed_text, pen, text_size
from attention_explorer.ui.pictures.drawing import Change
from attention_explorer.ui.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.ui.scaling.bench_columns import (
    ColumnsLayout,
    column_at,
    columns_layout,
    number_text,
    paint_column_mark,
    paint_columns_of,
    score_at,
)
from attention_explorer.ui.theme import Look

COLUMNS, WEIGHTS, JACOBIAN, GAP_CHART = 0, 100, 200, 300
"""Which part a spot is in: its row is this, plus the row of a map."""
GAP, HEADER, LABELS, SUMS, FOOT = 16, 20, 26, 46, 18
NARROW, CURVE_SHARE = 520, 0.27
"""A room narrower than so many pixels at zoom 1 has the curve below all else, as high as this share of it."""
SIDE_BY_SIDE = 340
"""Pixels at zoom 1 that both maps need beside one another."""
LEAST_SLOPE = 1e-18
SOUND = 1e-6
"""A sum of weights this close to 1 is 1 but for rounding, in 32 bits; 16 bits have a thousand times less precision."""
MAP_SHARE = 0.25
"""A cell of a map with few of them takes at most so much of the height there is: the curve below needs room too."""


@dataclass(frozen=True, slots=True)
class BenchLayout:
    """Where columns, maps and curve are."""

    room: QRectF
    columns: ColumnsLayout
    weights: HeatmapLayout
    jacobian: HeatmapLayout
    chart: ChartLayout


def bench_layout(picture: BenchPicture, look: Look, room: QRectF) -> BenchLayout:
    """Fit the columns into the left half, the maps side by side and the curve below them into the right one."""
    px = look.px
    wide = 0.46 * room.width()
    # In a narrow room the curve stands across, below both halves: its words have no room in one.
    is_narrow = room.width() < px(NARROW)
    curve = QRectF(room.left(), room.bottom() - CURVE_SHARE * room.height(), room.width(), CURVE_SHARE * room.height())
    foot = curve.top() - px(10) if is_narrow else room.bottom()
    left = QRectF(room.left(), room.top(), wide, foot - room.top())
    right = QRectF(left.right() + px(GAP), room.top(), room.width() - wide - px(GAP), foot - room.top())
    rows, keys = picture.weights.shape
    first, second = _map_slots(look, right, 0.48 if is_narrow else 0.31)
    weights = _map_layout(look, first, rows, keys, px(SUMS))
    jacobian = _map_layout(look, second, keys, keys, 0)
    top = max(weights.bar.bottom(), jacobian.bar.bottom()) + px(14)
    lower = QRectF(right.left(), top, right.width(), right.bottom() - top)
    across = Axis(0.0, float(picture.gaps[-1]), "gap between the two largest scores")
    lowest = max(float(picture.slopes.min()) / 3.0, LEAST_SLOPE)
    chart = chart_layout(look, curve if is_narrow else lower, across, Axis(lowest, 0.5, log_base=10))
    return BenchLayout(room, columns_layout(picture, look, left), weights, jacobian, chart)


def _map_slots(look: Look, right: QRectF, share: float) -> tuple[QRectF, QRectF]:
    """Return room for both maps: side by side, or below one another where numbers would not fit into their cells.

    Then each takes a share of the height.
    """
    px = look.px
    if right.width() < px(SIDE_BY_SIDE):
        high = share * right.height()
        first = QRectF(right.left(), right.top(), right.width(), high)
        return first, QRectF(right.left(), first.bottom() + px(6), right.width() - px(SUMS), high)
    high = 0.58 * right.height()
    slot = (right.width() - px(GAP + SUMS)) / 2  # what is left for labels and cells, the same for both
    return (
        QRectF(right.left(), right.top(), slot + px(SUMS), high),
        QRectF(right.right() - slot, right.top(), slot, high),
    )


def _map_layout(look: Look, slot: QRectF, rows: int, columns: int, sums: int) -> HeatmapLayout:
    """Fit a map with its labels, its sums at the right and below, and its colour bar into a slot."""
    px = look.px
    left, top = slot.left() + px(LABELS), slot.top() + px(HEADER + 16)
    wide = max(slot.right() - sums - left, 8.0)
    below = px(FOOT) + (px(FOOT) if sums else 0)
    high = max(slot.bottom() - below - top, 8.0)
    cell = min(wide / columns, high / rows, max(px(64), MAP_SHARE * high))
    width = min(wide / columns, 1.6 * cell) * columns
    cells = QRectF(left, top, width, cell * rows)
    foot = cells.bottom() + (px(FOOT) if sums else 0) + px(3)
    bar = QRectF(cells.left(), foot, max(cells.width(), px(100)), px(13))
    margin = QRectF(cells.right(), cells.top(), sums, cells.height()) if sums else QRectF()
    return HeatmapLayout(cells, rows, columns, Labels(11.5, 1), Labels(11.5, 1), bar, margin)


# ---- Painting ----


def paint_bench(
    painter: QPainter, picture: BenchPicture, layout: BenchLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything."""
    paint_columns_of(painter, picture, layout.columns, look)
    _paint_map(painter, picture.weight_map, layout.weights, look, "Weights", vector=vector)
    _paint_sums(painter, picture, layout.weights, look)
    _paint_map(painter, picture.jacobian_map, layout.jacobian, look, "Jacobian ∂p ∕ ∂s", vector=vector)
    _paint_slopes(painter, picture, layout.chart, look)


def _paint_map(
    painter: QPainter, map_: MapPicture, place: HeatmapLayout, look: Look, title: str, *, vector: bool
) -> None:
    px, cells, theme = look.px, place.cells, look.theme
    painter.setFont(look.font(12.5, bold=True))
    painter.setPen(colour_of(theme.text))
    top = cells.top() - px(HEADER + 16)
    painter.drawText(QRectF(cells.left() - px(LABELS), top, px(180), px(18)), Qt.AlignmentFlag.AlignLeft, title)
    _paint_cells(painter, map_, place, look)
    painter.setFont(look.font(11.5))
    painter.setPen(colour_of(theme.muted))
    for row, name in enumerate(map_.row_tokens):
        box = place.rectangle(row, 0)
        text = name.replace("query ", "q")
        beside = QRectF(cells.left() - px(LABELS), box.top(), px(LABELS - 5), box.height())
        painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    for column, name in enumerate(map_.column_tokens):
        box = place.rectangle(0, column)
        text = (("k" if map_.row_sums else "s") if box.width() >= px(22) else "") + name
        painter.drawText(
            QRectF(box.left(), box.top() - px(16), box.width(), px(15)), Qt.AlignmentFlag.AlignCenter, text
        )
    paint_small_bar(painter, map_, place.bar, look, vector=vector)


def _paint_cells(painter: QPainter, map_: MapPicture, place: HeatmapLayout, look: Look) -> None:
    """Paint cells with their numbers: a few large ones, so that small numbers can have their powers of ten."""
    pixels = pixels_of(map_.positions, map_.masked, colour_map_of(map_), look.theme.masked)
    rows, columns = map_.cells
    texts, boxes, grounds = [], [], []
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for row, column in itertools.product(range(rows), range(columns)):
        box, ground = place.rectangle(row, column), int(pixels[row, column])
        painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), QColor.fromRgb(ground))
        if not map_.masked[row, column]:
            texts.append(_cell_text(float(map_.values[row, column]), map_.scale.is_diverging))
            boxes.append(box)
            grounds.append(ground)
    paint_hatching(painter, map_.masked, place.cells, look)
    if place.cell_width >= look.px(34):
        paint_numbers(painter, texts, boxes, grounds, look)


def _cell_text(number: float, is_signed: bool) -> str:
    if number == 0 or abs(number) >= 1e-3:
        return signed(number, 3) if is_signed and number else plain(number, 3)
    sign = "−" if number < 0 else "+" if is_signed else ""
    return sign + scientific(abs(number), 1)


def _paint_sums(painter: QPainter, picture: BenchPicture, place: HeatmapLayout, look: Look) -> None:
    """Write the sums of rows and columns in the margins, those that should be 1 and are not in another colour."""
    px, theme, cells = look.px, look.theme, place.cells
    row_sums, column_sums = picture.row_sums.tolist(), picture.column_sums.tolist()
    tolerance = 2e-2 if picture.weights.dtype.itemsize == 2 else SOUND
    painter.setFont(look.font(11.5))
    for row, total in enumerate(row_sums):
        box = place.rectangle(row, place.columns - 1)
        _paint_sum(painter, QRectF(cells.right(), box.top(), px(SUMS), box.height()), total, tolerance, look, flag=True)
    for column, total in enumerate(column_sums):
        box = place.rectangle(place.rows - 1, column)
        _paint_sum(painter, QRectF(box.left(), box.bottom(), box.width(), px(FOOT)), total, tolerance, look, flag=False)
    painter.setPen(colour_of(theme.muted))
    painter.setFont(look.font(11))
    header = QRectF(cells.right() - px(10), cells.top() - px(16), px(SUMS + 16), px(15))
    painter.drawText(header, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter, "row sum")
    side = QRectF(cells.right() + px(4), cells.bottom(), px(70), px(FOOT))
    painter.drawText(side, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "col. sum")
    if len(row_sums) > 1:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(theme.text, 1.5 * look.zoom))
        first = place.rectangle(picture.row, 0)
        painter.drawRect(QRectF(cells.left(), first.top(), cells.width(), first.height()))


def _paint_sum(painter: QPainter, box: QRectF, total: float, tolerance: float, look: Look, *, flag: bool) -> None:
    is_one = abs(total - 1.0) <= tolerance
    wrong = flag and not is_one
    painter.setPen(colour_of(look.theme.loss_ink if wrong else look.theme.text if is_one else look.theme.muted))
    text = "NaN" if math.isnan(total) else _sum_text(total, narrow=box.width() < look.px(30))
    size = 11.5
    while size > 8.0 and text_size(look.font(size, bold=is_one), text)[0] > box.width():
        size -= 0.5
    painter.setFont(look.font(size, bold=is_one))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _sum_text(total: float, *, narrow: bool) -> str:
    return plain(total, 1) if narrow else _cell_text(total, is_signed=False)


def _paint_slopes(painter: QPainter, picture: BenchPicture, chart: ChartLayout, look: Look) -> None:
    """Paint p (1 − p) of two keys against their gap, and where the row is."""
    paint_axes(painter, chart, look, "How a weight answers: p (1 − p) of two keys")
    pairs = zip(picture.gaps.tolist(), picture.slopes.tolist(), strict=True)
    draw_polyline(painter, [QPointF(chart.x(gap), chart.y(slope)) for gap, slope in pairs], pen(look.theme.text, 2.0))
    if math.isnan(picture.gap):
        return
    beyond = picture.gap > chart.across.high
    gap = min(picture.gap, chart.across.high)
    slope = _two_key_slope(picture.gap)
    text = f"gap {plain(picture.gap)}: {scientific(slope)}" + (" →" if beyond else "")
    paint_reading(painter, chart, look, gap, max(_two_key_slope(gap), LEAST_SLOPE), "")
    font = look.font(11.5, bold=True)
    width, height = text_size(font, text)
    left = chart.x(gap) + look.px(7)
    if left + width > chart.plot.right():
        left = chart.x(gap) - look.px(7) - width
    top = chart.plot.top() + look.px(2) if gap > 0.25 * chart.across.high else chart.plot.bottom() - height - look.px(4)
    draw_haloed_text(painter, QRectF(left, top, width, height), text, font, look.theme.text, look.theme.card)


def _two_key_slope(gap: float) -> float:
    decay = math.exp(-gap)
    return decay / (1.0 + decay) ** 2


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


def mark_bench(painter: QPainter, picture: BenchPicture, layout: BenchLayout, look: Look, spot: Spot) -> None:
    """Light up a key in its column and in the maps, a cell, or a gap."""
    if spot.row is None or spot.column is None:
        return
    rows, keys = picture.weights.shape
    if spot.row == GAP_CHART and spot.column < len(picture.gaps):
        gap, slope = float(picture.gaps[spot.column]), float(picture.slopes[spot.column])
        paint_reading(painter, layout.chart, look, gap, slope, f"gap {plain(gap)}: {scientific(slope)}")
        return
    if spot.column >= keys:
        return
    if spot.row == COLUMNS:
        paint_column_mark(painter, layout.columns, look, spot.column)
        paint_outline(painter, layout.weights.rectangle(picture.row, spot.column), look.theme.text, look)
        paint_outline(painter, layout.jacobian.rectangle(spot.column, spot.column), look.theme.text, look)
    elif WEIGHTS <= spot.row < WEIGHTS + rows:
        paint_outline(painter, layout.weights.rectangle(spot.row - WEIGHTS, spot.column), look.theme.text, look)
    elif JACOBIAN <= spot.row < JACOBIAN + keys:
        paint_outline(painter, layout.jacobian.rectangle(spot.row - JACOBIAN, spot.column), look.theme.text, look)


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
