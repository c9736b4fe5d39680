"""Gradient and likeness of tokens against depth: the median of the draws, their spread, and a table to compare with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import plain
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.curve_chart import (
    Axis,
    ChartLayout,
    chart_layout,
    draw_polyline,
    paint_axes,
    paint_dot,
)
from attention_explorer.kit.drawing.label_places import boxes_along, draw_leader, free_spot
from attention_explorer.kit.drawing.legend import entries_height, entry_boxes, entry_words
from attention_explorer.kit.drawing.log_axis import SMALLEST, log_bounds
from attention_explorer.kit.drawing.marks import (
    colour_of,
    draw_haloed_text,
    draw_line,
    paint_reason,
    paint_words,
    pen,
    text_size,
)
from attention_explorer.kit.pictures.drawing import Change, PictureDrawing
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.block.depth import (
    DEPTHS,
    TABLE,
    DepthPicture,
    depth_numbers,
    depth_picture,
    depth_sentences,
    depth_stream,
    depth_words,
    is_measured,
    table_sentences,
)
from attention_explorer.pages.block.numerals import brief
from attention_explorer.pages.block.stack import most_layers
from attention_explorer.pages.block.state import BlockState

QUANTITIES = (
    ("gradient_ratios", "Gradient: its norm at the input ÷ at the output, log scale"),
    ("token_cosines", "Likeness: mean cosine of the tokens that come out"),
)
LEGEND, GAP, SAMPLE = 20, 14, 24
GAPS = (6, 14, 26)
"""Pixels at zoom 1 between a dot and its number, the nearest first."""


@dataclass(frozen=True, slots=True)
class DepthLayout:
    """Where the two charts are; none if there is nothing to draw."""

    room: QRectF
    legend: QRectF
    charts: tuple[ChartLayout, ...]


def depth_layout(picture: DepthPicture, look: Look, room: QRectF) -> DepthLayout:
    """Fit the charts below each other, or side by side in a low room."""
    px = look.px
    high = entries_height(_legend_names(picture), px(SAMPLE), room.width(), px(LEGEND), look)
    legend = QRectF(room.left(), room.top(), room.width(), high)
    if picture.survey is None:
        return DepthLayout(room, legend, ())
    below = room.adjusted(0, legend.height() + px(4), 0, 0)
    beside = below.width() > 1.5 * below.height()
    wide = (below.width() - px(GAP)) / 2 if beside else below.width()
    high = below.height() if beside else (below.height() - px(GAP)) / 2
    second = QPointF(wide + px(GAP), 0) if beside else QPointF(0, high + px(GAP))
    across = Axis(0.0, float(picture.setting.layers), "layers gone through", is_whole=True)
    charts = [
        chart_layout(look, QRectF(below.topLeft() + offset, QRectF(0, 0, wide, high).size()), across, up)
        for offset, up in ((QPointF(), _ratio_axis(picture)), (second, _cosine_axis(picture)))
    ]
    return DepthLayout(room, legend, tuple(charts))


def _ratio_axis(picture: DepthPicture) -> Axis:
    numbers = picture.values("gradient_ratios").ravel().tolist()
    if picture.row is not None:
        numbers += TABLE[picture.row].ratios
    return Axis(*log_bounds(numbers, SMALLEST), log_base=10)


def _cosine_axis(picture: DepthPicture) -> Axis:
    return Axis(min(-0.05, 1.1 * float(picture.values("token_cosines").min())), 1.14)


# ---- Painting ----


def paint_depth(
    painter: QPainter, picture: DepthPicture, layout: DepthLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint both charts, with a line at the number of layers of the page."""
    if picture.survey is None:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    _paint_legend(painter, picture, layout.legend, look)
    for chart, (quantity, title) in zip(layout.charts, QUANTITIES, strict=True):
        paint_axes(painter, chart, look, title)
        painter.save()
        painter.setClipRect(chart.plot.adjusted(-look.px(5), -look.px(5), look.px(5), 1))
        _paint_even(painter, chart, look)
        _paint_band(painter, picture, chart, look, quantity)
        draw_polyline(
            painter,
            _points(chart, picture.depths, np.median(picture.values(quantity), axis=0)),
            pen(look.theme.text, 2.4 * look.zoom),
        )
        painter.restore()
        for mark in _marks(picture, chart, quantity):
            _paint_square(painter, mark, look)
        _paint_reading(painter, picture, chart, look, quantity, min(picture.state.layers, picture.setting.layers))


def _points(chart: ChartLayout, depths: FloatArray, values: FloatArray) -> list[QPointF]:
    foot = chart.plot.bottom() + 3
    return [QPointF(chart.x(x), min(chart.y(y), foot)) for x, y in zip(depths.tolist(), values.tolist(), strict=True)]


def _paint_even(painter: QPainter, chart: ChartLayout, look: Look) -> None:
    """Draw a line where the gradient is unchanged, or where all tokens point the same way."""
    if chart.up.low < 1.0 < chart.up.high:
        y = chart.y(1.0)
        draw_line(painter, QPointF(chart.plot.left(), y), QPointF(chart.plot.right(), y), pen(look.theme.axis, 1.0))


def _paint_band(painter: QPainter, picture: DepthPicture, chart: ChartLayout, look: Look, quantity: str) -> None:
    """Fill what lies between the smallest and the largest draw."""
    values = picture.values(quantity)
    upper = _points(chart, picture.depths, values.max(axis=0))
    lower = _points(chart, picture.depths, values.min(axis=0))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(look.theme.text, 0.16))
    painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _marks(picture: DepthPicture, chart: ChartLayout, quantity: str) -> list[QPointF]:
    """Return where the table has a number for these switches."""
    if picture.row is None:
        return []
    row = TABLE[picture.row]
    marks = zip(DEPTHS, row.ratios, strict=True) if quantity == "gradient_ratios" else [(DEPTHS[-1], row.cosine)]
    return [QPointF(chart.x(depth), chart.y(value)) for depth, value in marks]


def _paint_square(painter: QPainter, place: QPointF, look: Look) -> None:
    half = 4.2 * look.zoom
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(look.theme.loss_ink, 1.6 * look.zoom))
    painter.setBrush(colour_of(look.theme.card))
    painter.drawRect(QRectF(place.x() - half, place.y() - half, 2 * half, 2 * half))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_reading(
    painter: QPainter, picture: DepthPicture, chart: ChartLayout, look: Look, quantity: str, depth: int
) -> None:
    """Draw a line at a depth, with the median there in numbers."""
    theme, plot, px = look.theme, chart.plot, look.px
    value, x = picture.median(quantity, depth), chart.x(depth)
    stroke = pen(theme.text, look.zoom, Qt.PenStyle.DotLine)
    draw_line(painter, QPointF(x, plot.top()), QPointF(x, plot.bottom()), stroke)
    dot = QPointF(x, min(chart.y(value), plot.bottom()))
    paint_dot(painter, dot, theme.text, 3.6 * look.zoom)
    font, text = look.font(12, bold=True), brief(value) if quantity == "gradient_ratios" else plain(value, 3)
    taken = [*_covered(picture, chart, look, quantity), QRectF(x - 1, plot.top(), 2, plot.height())]
    box = free_spot(dot, text_size(font, text), [px(gap) for gap in GAPS], taken, plot)
    draw_leader(painter, dot, box, look)
    draw_haloed_text(painter, box, text, font, theme.text, theme.card)


def _covered(picture: DepthPicture, chart: ChartLayout, look: Look, quantity: str) -> list[QRectF]:
    """Return boxes over the median and the marks of the table, for a number to keep clear of."""
    median = _points(chart, picture.depths, np.median(picture.values(quantity), axis=0))
    half = look.px(6)
    squares = [
        QRectF(place.x() - half, place.y() - half, 2 * half, 2 * half) for place in _marks(picture, chart, quantity)
    ]
    return [*boxes_along(median, look.px(3)), *squares]


def _legend_names(picture: DepthPicture) -> tuple[str, ...]:
    names = f"median of {picture.draws} draws", "smallest to largest"
    return names if picture.row is None else (*names, "table, measured with PyTorch")


def _paint_legend(painter: QPainter, picture: DepthPicture, box: QRectF, look: Look) -> None:
    px, names = look.px, _legend_names(picture)
    boxes = entry_boxes(names, px(SAMPLE), box, px(LEGEND), look)
    for name, entry in zip(names, boxes, strict=True):
        paint_words(painter, entry_words(entry, px(SAMPLE), look), name, look)
    samples = [QRectF(entry.left(), entry.top(), px(SAMPLE), entry.height()) for entry in boxes]
    line, band, *table = samples
    stroke = pen(look.theme.text, 2.4 * look.zoom)
    draw_line(painter, QPointF(line.left(), line.center().y()), QPointF(line.right(), line.center().y()), stroke)
    painter.fillRect(
        QRectF(band.left(), band.center().y() - px(5), band.width(), px(10)), colour_of(look.theme.text, 0.16)
    )
    for sample in table:
        _paint_square(painter, sample.center(), look)


# ---- Pointing ----


def depth_spot(picture: DepthPicture, layout: DepthLayout, place: QPointF) -> Spot:
    """Return the chart as the row and the nearest depth as the column."""
    for number, chart in enumerate(layout.charts):
        if chart.plot.adjusted(-6, 0, 6, 4).contains(place):
            return Spot(number, min(max(round(chart.number_at(place.x())), 0), picture.setting.layers))
    return NOWHERE


def mark_depth(painter: QPainter, picture: DepthPicture, layout: DepthLayout, look: Look, spot: Spot) -> None:
    """Write the numbers at the depth that is pointed at into both charts."""
    if spot.column is None or spot.column == picture.state.layers or spot.column > picture.setting.layers:
        return
    for chart, (quantity, _) in zip(layout.charts, QUANTITIES, strict=False):
        _paint_reading(painter, picture, chart, look, quantity, spot.column)


def spot_words(picture: DepthPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    return "" if spot.column is None else depth_words(picture, spot.column)


def depth_notes(picture: DepthPicture) -> tuple[TextLine, ...]:
    """Return what the panel says: the numbers, then the whole table with the row that applies marked."""
    title, applies = table_sentences(picture)
    rows = [
        TextLine(("▸ " if number == picture.row else "") + row.sentence, bold=number == picture.row, size=12)
        for number, row in enumerate(TABLE)
    ]
    return (*notes_of(depth_sentences(picture)), TextLine(title, bold=True), TextLine(applies), *rows)


def _with_layers(state: BlockState, layers: int) -> Change[BlockState] | None:
    held = most_layers(state, layers)
    label = f"Stack {held} layer{'' if held == 1 else 's'}"
    return None if held == state.layers else Change(replace(state, layers=held), label, "layers")


def _click(state: BlockState, picture: DepthPicture, layout: DepthLayout, place: QPointF) -> Change[BlockState] | None:
    """Stack as many layers as the place that is clicked stands for."""
    spot = depth_spot(picture, layout, place)
    return None if spot.column is None else _with_layers(state, spot.column)


def _press(state: BlockState, _picture: DepthPicture, key: int) -> Change[BlockState] | None:
    """Left and right: a layer fewer or more."""
    step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key), 0)
    return _with_layers(state, state.layers + step) if step else None


def depth_drawing() -> PictureDrawing[BlockState, DepthPicture, DepthLayout]:
    """Return how the picture is drawn."""
    return PictureDrawing(
        depth_picture,
        depth_layout,
        paint_depth,
        mark_depth,
        depth_spot,
        spot_words,
        depth_notes,
        click=_click,
        press=_press,
        is_quick=is_measured,
        stream=depth_stream,
        uses_pixels=False,
        parts=lambda _picture: tuple(title for _, title in QUANTITIES),
        numbers=depth_numbers,
    )
