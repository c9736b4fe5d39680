"""The softmax bench as it is painted: score bars, each step down to the weights, the Jacobian, and p (1 − p)."""

from __future__ import annotations

import itertools
import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import plain, scientific, signed, subscript
from attention_explorer.kit.drawing.cell_marks import paint_hatching, paint_numbers, paint_outline
from attention_explorer.kit.drawing.colour_bar import colour_map_of, paint_small_bar
from attention_explorer.kit.drawing.colour_maps import pixels_of
from attention_explorer.kit.drawing.curve_chart import ChartLayout, draw_polyline, paint_axes, paint_reading
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout
from attention_explorer.kit.drawing.marks import colour_of, draw_haloed_text, paint_question_mark, pen, text_size
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.scaling.bench import BenchPicture
from attention_explorer.pages.scaling.ui.bench_columns import (
    number_text,
    paint_column_mark,
    paint_columns_of,
    paint_given_columns,
)
from attention_explorer.pages.scaling.ui.bench_hand import COLUMNS, GAP_CHART, JACOBIAN, WEIGHTS
from attention_explorer.pages.scaling.ui.bench_layout import FOOT, HEADER, LABELS, SUMS, BenchLayout

WEIGHTS_TITLE, JACOBIAN_TITLE = "Weights", "Jacobian ∂p ∕ ∂s"
SOUND = 1e-6
"""A sum of weights this close to 1 is 1 but for rounding, in 32 bits; 16 bits have a thousand times less precision."""


def paint_bench(
    painter: QPainter, picture: BenchPicture, layout: BenchLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything."""
    paint_columns_of(painter, picture, layout.columns, look)
    _paint_map(painter, picture.weight_map, layout.weights, look, WEIGHTS_TITLE, vector=vector)
    _paint_sums(painter, picture, layout.weights, look)
    _paint_map(painter, picture.jacobian_map, layout.jacobian, look, JACOBIAN_TITLE, vector=vector)
    _paint_slopes(painter, picture, layout.chart, look)


def paint_given_bench(painter: QPainter, picture: BenchPicture, layout: BenchLayout, look: Look) -> None:
    """Paint the scores, and “?” for all that is computed from them."""
    paint_given_columns(painter, picture, layout.columns, look)
    for place, title in ((layout.weights, WEIGHTS_TITLE), (layout.jacobian, JACOBIAN_TITLE)):
        _paint_title(painter, place, look, title)
        painter.fillRect(place.cells, colour_of(look.theme.track))
        paint_question_mark(painter, place.cells, look)


def _paint_map(
    painter: QPainter, map_: MapPicture, place: HeatmapLayout, look: Look, title: str, *, vector: bool
) -> None:
    px, cells, theme = look.px, place.cells, look.theme
    _paint_title(painter, place, look, title)
    _paint_cells(painter, map_, place, look)
    painter.setFont(look.font(11.5))
    painter.setPen(colour_of(theme.muted))
    for row, name in enumerate(map_.row_tokens):
        box = place.rectangle(row, 0)
        text = _short(name)
        beside = QRectF(cells.left() - px(LABELS), box.top(), px(LABELS - 5), box.height())
        painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    for column, name in enumerate(map_.column_tokens):
        box = place.rectangle(0, column)
        letter = "k" if map_.row_sums else "s"
        text = letter + subscript(int(name)) if box.width() >= px(22) else name
        painter.drawText(
            QRectF(box.left(), box.top() - px(16), box.width(), px(15)), Qt.AlignmentFlag.AlignCenter, text
        )
    paint_small_bar(painter, map_, place.bar, look, vector=vector)


def _paint_title(painter: QPainter, place: HeatmapLayout, look: Look, title: str) -> None:
    px, cells = look.px, place.cells
    painter.setFont(look.font(12.5, bold=True))
    painter.setPen(colour_of(look.theme.text))
    top = cells.top() - px(HEADER + 16)
    painter.drawText(QRectF(cells.left() - px(LABELS), top, px(180), px(18)), Qt.AlignmentFlag.AlignLeft, title)


def _short(name: str) -> str:
    """Return “query 1” as q₁ and “p1” as p₁."""
    letter = "q" if name.startswith("query") else name[0]
    return letter + subscript(int(name.removeprefix("query").removeprefix(letter)))


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
    text = "NaN" if math.isnan(total) else _sum_text(total, box.width() / look.zoom)
    size = 11.5
    while size > 8.0 and text_size(look.font(size, bold=is_one), text)[0] > box.width():
        size -= 0.5
    painter.setFont(look.font(size, bold=is_one))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _sum_text(total: float, width: float) -> str:
    """Return a sum as short as a width in pixels at zoom 1 asks for."""
    decimals = 1 if width < 30 else 2 if width < 46 else 3
    return _cell_text(total, is_signed=False) if decimals == 3 else plain(total, decimals)


def _paint_slopes(painter: QPainter, picture: BenchPicture, chart: ChartLayout, look: Look) -> None:
    """Paint p (1 − p) of two keys against their gap, and the row’s own number where it has one."""
    paint_axes(painter, chart, look, "How a weight answers: p (1 − p) of two keys")
    pairs = zip(picture.gaps.tolist(), picture.slopes.tolist(), strict=True)
    draw_polyline(painter, [QPointF(chart.x(gap), chart.y(slope)) for gap, slope in pairs], pen(look.theme.text, 2.0))
    if not picture.has_slope:
        return
    beyond = picture.gap > chart.across.high
    gap = min(picture.gap, chart.across.high)
    text = f"this row: {number_text(picture.slope)} at a gap of {plain(picture.gap)}" + (" →" if beyond else "")
    paint_reading(painter, chart, look, gap, max(picture.slope, chart.up.low), "")
    font = look.font(11.5, bold=True)
    width, height = text_size(font, text)
    left = chart.x(gap) + look.px(7)
    if left + width > chart.plot.right():
        left = chart.x(gap) - look.px(7) - width
    top = chart.plot.top() + look.px(2) if gap > 0.25 * chart.across.high else chart.plot.bottom() - height - look.px(4)
    draw_haloed_text(painter, QRectF(left, top, width, height), text, font, look.theme.text, look.theme.card)


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
