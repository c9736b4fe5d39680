"""ALiBi as a picture: what each head takes off a score against the distance, and the biases of one head as a map."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.colour_scale import short_number
from attention_explorer.kit.drawing.curve_chart import round_ticks
from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.encoding import BiasLines, slope_words
from attention_explorer.pages.positions.ui.encoding_map import (
    NumberMapLayout,
    number_map_layout,
    paint_badge_line,
    paint_column_marker,
    paint_number_map,
    paint_position_axis,
    paint_row_marker,
)

LABEL_WIDTH, AXIS_WIDTH = 112, 56
"""Pixels at zoom 1 for the names at the right of the lines, and for the numbers at their left."""
LINE_HEIGHT = 17
BESIDE_FROM = 640
"""Pixels at zoom 1 from which on lines and map have room beside each other."""
NEAR = 7
"""So many pixels from a line still count as on it."""


@dataclass(frozen=True, slots=True)
class BiasLayout:
    """Where lines and map are."""

    plot: QRectF
    heading: QRectF
    map_heading: QRectF
    map: NumberMapLayout
    names: tuple[tuple[int, QRectF], ...]  # (head, box), those of the heads that have room for a name
    ends: tuple[float, ...]  # where the line of each head ends
    longest: int  # the largest distance


def bias_layout(bias: BiasLines, look: Look, room: QRectF) -> BiasLayout:
    """Put the map beside the lines, or below them in a narrow room."""
    px = look.px
    if room.width() >= max(1.15 * room.height(), px(BESIDE_FROM)):
        lines = QRectF(room.left(), room.top(), 0.5 * room.width() - px(12), room.height())
        rest = QRectF(lines.right() + px(24), room.top(), room.right() - lines.right() - px(24), room.height())
    else:
        lines = QRectF(room.left(), room.top(), room.width(), 0.42 * room.height())
        rest = QRectF(room.left(), lines.bottom() + px(10), room.width(), room.bottom() - lines.bottom() - px(10))
    plot = lines.adjusted(px(AXIS_WIDTH), px(30), -px(LABEL_WIDTH), -px(44))
    longest = max(bias.map.row_count - 1, 1)
    steepest = float(bias.slopes.max())
    ends = tuple(plot.top() + plot.height() * slope / steepest for slope in bias.slopes.tolist())
    names = _names(ends, plot, bias.head, look)
    map_ = number_map_layout(bias.map, look, rest.adjusted(0, px(24), 0, 0), square=True)
    heading = QRectF(lines.left(), lines.top(), lines.width(), px(20))
    map_heading = QRectF(rest.left(), rest.top(), rest.width(), px(20))
    return BiasLayout(plot, heading, map_heading, map_, names, ends, longest)


def _names(ends: tuple[float, ...], plot: QRectF, chosen: int, look: Look) -> tuple[tuple[int, QRectF], ...]:
    """Write the names of the heads at the ends of their lines, moved apart, as many as there is room for."""
    high = look.px(LINE_HEIGHT)
    most = max(1, int((plot.height() + high) / high))
    step = -(-len(ends) // most)
    heads = sorted({*range(0, len(ends), step), chosen} if step > 1 else range(len(ends)), key=lambda head: ends[head])
    found: list[tuple[int, QRectF]] = []
    y = plot.top() - high / 2
    for head in heads:
        y = max(y, ends[head] - high / 2)
        found.append((head, QRectF(plot.right() + look.px(8), y, look.px(LABEL_WIDTH - 8), high)))
        y += high
    over = found[-1][1].bottom() - (plot.bottom() + high / 2)
    if over > 0:  # from the bottom up, only as far as needed
        foot = plot.bottom() + high / 2
        for index in range(len(found) - 1, -1, -1):
            head, box = found[index]
            box.moveBottom(min(box.bottom(), foot))
            found[index] = head, box
            foot = box.top()
    return tuple(found)


def paint_bias(painter: QPainter, bias: BiasLines, layout: BiasLayout, look: Look, *, vector: bool = False) -> None:
    """Paint lines and map."""
    _paint_heading(painter, layout.heading, "What each head takes off a score", look)
    _paint_axes(painter, bias, layout, look)
    for head in range(len(bias.slopes)):
        _paint_line(painter, layout, head, look, strong=head == bias.head)
    for head, box in layout.names:
        _paint_name(painter, bias, layout, head, box, look)
    _paint_heading(painter, layout.map_heading, f"The biases of {bias.count.head(bias.head)}", look)
    paint_number_map(painter, bias.map, layout.map, look, vector=vector)
    if bias.map.badge:
        left = layout.map_heading.adjusted(look.px(170), 0, 0, 0)
        paint_badge_line(painter, bias.map.badge, left, look)


def _paint_heading(painter: QPainter, box: QRectF, text: str, look: Look) -> None:
    painter.setFont(look.font(13, bold=True))
    painter.setPen(colour_of(look.theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def _paint_axes(painter: QPainter, bias: BiasLines, layout: BiasLayout, look: Look) -> None:
    plot, px = layout.plot, look.px
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    lowest = -float(bias.slopes.max()) * layout.longest
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for tick in round_ticks(lowest, 0.0, max(2, int(plot.height() / px(60)))):
        y = plot.top() + tick / lowest * plot.height()
        draw_line(painter, QPointF(plot.left(), y), QPointF(plot.right(), y), pen(look.theme.grid, 1.0))
        painter.setFont(look.font(11.5))
        painter.setPen(colour_of(look.theme.muted))
        box = QRectF(plot.left() - px(AXIS_WIDTH), y - px(8), px(AXIS_WIDTH) - px(6), px(16))
        painter.drawText(box, right, short_number(tick))
    paint_position_axis(painter, layout.longest + 1, plot.left(), plot.right(), plot.bottom(), look)
    if not look.axis_names:
        return
    painter.setPen(colour_of(look.theme.text))
    painter.setFont(look.font(12))
    name = QRectF(plot.left(), plot.bottom() + px(20), plot.width(), px(18))
    painter.drawText(name, Qt.AlignmentFlag.AlignCenter, "distance between query and key")


def _paint_line(painter: QPainter, layout: BiasLayout, head: int, look: Look, *, strong: bool) -> None:
    colour, width = (look.theme.text, 2.4) if strong else (look.theme.axis, 1.2)
    end = QPointF(layout.plot.right(), layout.ends[head])
    draw_line(painter, layout.plot.topLeft(), end, pen(colour, width * look.zoom))


def _paint_name(painter: QPainter, bias: BiasLines, layout: BiasLayout, head: int, box: QRectF, look: Look) -> None:
    end = QPointF(layout.plot.right() + 1, layout.ends[head])
    draw_line(painter, end, QPointF(box.left() - 2, box.center().y()), pen(look.theme.grid, 1.0))
    chosen = head == bias.head
    painter.setFont(look.font(12, bold=chosen))
    painter.setPen(colour_of(look.theme.text if chosen else look.theme.muted))
    text = f"{bias.count.head(head)}: −{slope_words(float(bias.slopes[head]))}"
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def mark_bias(painter: QPainter, bias: BiasLines, layout: BiasLayout, look: Look, spot: Spot) -> None:
    """Light up the line of a head, or a cell of the map with its distance on the line."""
    if spot.row is not None and spot.column is None:
        _paint_line(painter, layout, spot.row, look, strong=True)
        return
    if spot.row is None or spot.column is None:
        return
    paint_column_marker(painter, layout.map, look, spot.column)
    paint_row_marker(painter, layout.map, look, spot.row, lit=True)
    share = abs(spot.row - spot.column) / layout.longest
    plot = layout.plot
    x, y = plot.left() + share * plot.width(), plot.top() + share * (layout.ends[bias.head] - plot.top())
    painter.setPen(pen(look.theme.card, 1.5 * look.zoom))
    painter.setBrush(colour_of(look.theme.text))
    painter.drawEllipse(QPointF(x, y), 4.5 * look.zoom, 4.5 * look.zoom)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def bias_spot(layout: BiasLayout, place: QPointF) -> Spot:
    """Return the cell of the map at a place, or the head (row alone) whose line or name is there."""
    row, column = layout.map.row_at(place.y()), layout.map.column_at(place.x())
    if row is not None and column is not None:
        return Spot(row, column)
    for head, box in layout.names:
        if box.contains(place):
            return Spot(head)
    plot = layout.plot
    if not plot.contains(place):
        return NOWHERE
    share = (place.x() - plot.left()) / plot.width()
    away = [abs(plot.top() + share * (end - plot.top()) - place.y()) for end in layout.ends]
    head = min(range(len(away)), key=away.__getitem__)
    return Spot(head) if away[head] <= NEAR else NOWHERE
