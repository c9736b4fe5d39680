"""Where the parts of the softmax bench are: columns, maps and curve."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from attention_explorer.kit.drawing.curve_chart import Axis, ChartLayout, chart_layout
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.theme import Look
from attention_explorer.pages.scaling.bench import BenchPicture
from attention_explorer.pages.scaling.ui.bench_columns import ColumnsLayout, columns_layout

GAP, HEADER, LABELS, SUMS, FOOT = 16, 20, 26, 46, 18
NARROW, CURVE_SHARE = 520, 0.27
"""A room narrower than so many pixels at zoom 1 has the curve below all else, as high as this share of it."""
SIDE_BY_SIDE = 340
"""Pixels at zoom 1 that both maps need beside one another."""
LEAST_SLOPE = 1e-18
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
