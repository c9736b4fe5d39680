"""The encoding as a picture: the map position × dimension above, the waves of the chosen dimensions below."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from attention_explorer.core.numerals import coordinate, signed
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.curve_chart import draw_polyline
from attention_explorer.kit.drawing.marks import colour_of, draw_line, paint_message, pen
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.encoding import EncodingPicture, Wave, bias_words, cell_words, slope_words
from attention_explorer.pages.positions.state import PositionKind
from attention_explorer.pages.positions.table import FloatArray, encoding_at, pair_count, wavelength, wavelength_text
from attention_explorer.pages.positions.ui.bias import (
    BESIDE_FROM,
    BiasLayout,
    bias_layout,
    bias_spot,
    mark_bias,
    paint_bias,
)
from attention_explorer.pages.positions.ui.encoding_map import (
    NumberMapLayout,
    badge_height,
    number_map_layout,
    paint_badge_line,
    paint_column_marker,
    paint_number_map,
    paint_position_axis,
    paint_row_marker,
)

LANE, AXIS = 42, 34
"""Pixels at zoom 1 that a wave would like, and that the axis below takes."""
LABEL_WIDTH = 196
VALUE_WIDTH = 58


@dataclass(frozen=True, slots=True)
class EncodingLayout:
    """Where everything is."""

    room: QRectF
    map: NumberMapLayout | None = None
    badge: QRectF | None = None
    lanes: tuple[QRectF, ...] = ()  # the plot of each wave
    bias: BiasLayout | None = None
    length: int = 1

    def lane_x(self, position: float) -> float:
        """Return where a position is along the waves."""
        lane = self.lanes[0]
        return lane.left() + position * lane.width() / max(self.length - 1, 1)

    def lane_at(self, place: QPointF) -> tuple[int, int] | None:
        """Return which wave and which position are at a place."""
        for number, lane in enumerate(self.lanes):
            if lane.adjusted(-4, 0, 4, 0).contains(place):
                share = (place.x() - lane.left()) / max(lane.width(), 1.0)
                return number, min(max(round(share * (self.length - 1)), 0), self.length - 1)
        return None


def encoding_layout(picture: EncodingPicture, look: Look, room: QRectF) -> EncodingLayout:
    """Give the waves a lane each, and the map the rest."""
    if picture.bias is not None:
        return EncodingLayout(room, bias=bias_layout(picture.bias, look, room))
    if picture.table is None:
        return EncodingLayout(room)
    px = look.px
    high = badge_height(picture.table.badge, room.width(), look) if picture.table.badge else 0.0
    badge = QRectF(room.left(), room.top(), room.width(), high) if high else None
    top = room.top() + high
    waves = len(picture.waves)
    lane = min(px(LANE), 0.42 * room.height() / max(waves, 1)) if waves else 0.0
    below = waves * lane + (px(AXIS) if waves else px(20))
    map_ = number_map_layout(picture.table, look, QRectF(room.left(), top, room.width(), room.bottom() - below - top))
    first = map_.heat.bar.bottom() + px(38) if waves else 0.0
    lane = min(px(LANE), (room.bottom() - px(AXIS) - first) / max(waves, 1))
    left, right = room.left() + px(LABEL_WIDTH), room.right() - px(VALUE_WIDTH)
    lanes = tuple(QRectF(left, first + i * lane, max(right - left, 20.0), lane) for i in range(waves))
    return EncodingLayout(room, map_, badge, lanes, length=picture.state.length)


def encoding_height(picture: EncodingPicture, width: float) -> float | None:
    """Return how high a figure of a width is: higher where the map of biases stands below their lines."""
    return 1.35 * width if picture.bias is not None and width < BESIDE_FROM else None


def encoding_parts(picture: EncodingPicture) -> tuple[str, ...]:
    """Return what the picture shows, in names that tell no number."""
    if picture.bias is not None:
        return "What each distance takes off the score", "Slope of each head"
    return "Numbers of each position", *(f"Dimension {wave.dimension}" for wave in picture.waves)


# ---- Painting ----


def paint_encoding(
    painter: QPainter, picture: EncodingPicture, layout: EncodingLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    paint_encoding_ground(painter, picture, layout, look, vector=vector)
    paint_encoding_front(painter, picture, layout, look)


def paint_encoding_ground(
    painter: QPainter, picture: EncodingPicture, layout: EncodingLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint what stays while the position moves."""
    if picture.bias is not None and layout.bias is not None:
        paint_bias(painter, picture.bias, layout.bias, look, vector=vector)
        return
    if picture.table is None or layout.map is None:
        paint_message(painter, picture.message, layout.room, look)
        return
    if layout.badge is not None:
        paint_badge_line(painter, picture.table.badge, layout.badge, look)
    paint_number_map(painter, picture.table, layout.map, look, vector=vector)
    _paint_chosen(painter, picture, layout.map, look)
    for wave, lane in zip(picture.waves, layout.lanes, strict=True):
        _paint_wave(painter, wave, lane, picture, look)
    if layout.lanes:
        _paint_lane_axis(painter, layout, look)


def encoding_ground_key(picture: EncodingPicture) -> object:
    """Return what the ground depends on besides room and look."""
    return picture.table, picture.waves, picture.bias, picture.message


def paint_encoding_front(painter: QPainter, picture: EncodingPicture, layout: EncodingLayout, look: Look) -> None:
    """Mark the position of the page in the map and on the waves."""
    if layout.map is None:
        return
    paint_row_marker(painter, layout.map, look, picture.position)
    if layout.lanes:
        _paint_reading(painter, picture, layout, look, picture.position)


def _paint_chosen(painter: QPainter, picture: EncodingPicture, map_: NumberMapLayout, look: Look) -> None:
    """Mark below the map which columns have their waves drawn."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(look.theme.text))
    half, high, foot = look.px(4), look.px(6), map_.cells.bottom() + 1
    for wave in picture.waves:
        x = map_.column_box(wave.dimension).center().x()
        painter.drawPolygon(
            QPolygonF([QPointF(x, foot), QPointF(x + half, foot + high), QPointF(x - half, foot + high)])
        )
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_wave(painter: QPainter, wave: Wave, lane: QRectF, picture: EncodingPicture, look: Look) -> None:
    px, last = look.px, max(picture.state.length - 1, 1)
    middle, reach = lane.center().y(), 0.42 * lane.height() / (picture.high or 1.0)
    draw_line(painter, QPointF(lane.left(), middle), QPointF(lane.right(), middle), pen(look.theme.grid, 1.0))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    x = np.minimum(lane.left() + wave.places * lane.width() / last, lane.right())
    y = middle - wave.values * reach
    if wave.highs is None:
        draw_polyline(painter, _points(x, y), pen(look.theme.text, 1.2 * look.zoom))
    else:
        # A line to and fro between lowest and highest would take a hundred times as long and look the same.
        _paint_band(painter, x, middle - wave.highs * reach, y, look)
    if wave.has_dots and lane.width() / last >= look.px(6):
        _paint_dots(painter, wave, lane, picture, reach, look)
    painter.setFont(look.font(12))
    painter.setPen(colour_of(look.theme.text))
    label = QRectF(lane.left() - px(LABEL_WIDTH) + px(2), lane.top(), px(LABEL_WIDTH) - px(12), lane.height())
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(label, right, wave.label)


def _paint_band(painter: QPainter, x: FloatArray, tops: FloatArray, feet: FloatArray, look: Look) -> None:
    """Fill between the highest and the lowest at each place; never thinner than a line."""
    half, wide = 0.6 * look.zoom, float(x[1] - x[0])
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(look.theme.text))
    places = zip(x.tolist(), tops.tolist(), feet.tolist(), strict=True)
    painter.drawRects([QRectF(at - wide / 2, top - half, wide, foot - top + 2 * half) for at, top, foot in places])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _points(x: FloatArray, y: FloatArray) -> list[QPointF]:
    return [QPointF(*place) for place in zip(x.tolist(), y.tolist(), strict=True)]


def _paint_dots(
    painter: QPainter, wave: Wave, lane: QRectF, picture: EncodingPicture, reach: float, look: Look
) -> None:
    whole = np.arange(picture.state.length)
    values = encoding_at(picture.state, whole, np.asarray([wave.dimension]))[:, 0]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(look.theme.text))
    radius, step = 1.7 * look.zoom, lane.width() / max(picture.state.length - 1, 1)
    for position, value in zip(whole.tolist(), values.tolist(), strict=True):
        painter.drawEllipse(QPointF(lane.left() + position * step, lane.center().y() - value * reach), radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_lane_axis(painter: QPainter, layout: EncodingLayout, look: Look) -> None:
    """Draw the axis of positions below the waves."""
    px, foot = look.px, layout.lanes[-1].bottom()
    paint_position_axis(painter, layout.length, layout.lanes[0].left(), layout.lanes[0].right(), foot, look)
    if not look.axis_names:
        return
    painter.setPen(colour_of(look.theme.text))
    name = QRectF(layout.room.left(), foot + px(2), px(LABEL_WIDTH) - px(24), px(18))
    painter.setFont(look.font(12))
    painter.drawText(name, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "position, from 0")


def _paint_reading(
    painter: QPainter, picture: EncodingPicture, layout: EncodingLayout, look: Look, position: int
) -> None:
    """Draw a line through all waves at a position, and write at the right what they are there."""
    x = layout.lane_x(position)
    style = Qt.PenStyle.DashLine if position == picture.position else Qt.PenStyle.SolidLine
    line = pen(look.theme.muted, 1.2 * look.zoom, style)
    draw_line(painter, QPointF(x, layout.lanes[0].top()), QPointF(x, layout.lanes[-1].bottom()), line)
    columns = np.asarray([wave.dimension for wave in picture.waves])
    values = encoding_at(picture.state, np.asarray([position]), columns)[0].tolist()
    digits = 3 if picture.state.kind is not PositionKind.LEARNED else 4
    painter.setFont(look.font(12))
    for lane, value in zip(layout.lanes, values, strict=True):
        box = QRectF(lane.right() + 5, lane.top(), look.px(VALUE_WIDTH) - 5, lane.height())
        painter.fillRect(box.adjusted(0, 2, 0, -2), colour_of(look.theme.card))
        painter.setPen(colour_of(look.theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, signed(value, digits))
        place = QPointF(x, lane.center().y() - value * 0.42 * lane.height() / (picture.high or 1.0))
        painter.setPen(pen(look.theme.card, 1.2 * look.zoom))
        painter.setBrush(colour_of(look.theme.text))
        painter.drawEllipse(place, 4.0 * look.zoom, 4.0 * look.zoom)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def mark_encoding(painter: QPainter, picture: EncodingPicture, layout: EncodingLayout, look: Look, spot: Spot) -> None:
    """Light up what is pointed at: the row and the column, and the position on all waves."""
    if picture.bias is not None and layout.bias is not None:
        mark_bias(painter, picture.bias, layout.bias, look, spot)
        return
    if layout.map is None:
        return
    if spot.column is not None:
        paint_column_marker(painter, layout.map, look, spot.column)
    if spot.row is not None:
        paint_row_marker(painter, layout.map, look, spot.row, lit=True)
        if layout.lanes:
            _paint_reading(painter, picture, layout, look, spot.row)


# ---- Pointing ----


def encoding_spot(picture: EncodingPicture, layout: EncodingLayout, place: QPointF) -> Spot:
    """Return the position (row) and dimension (column) at a place: on the map, beside it, above it or on a wave."""
    if layout.bias is not None and picture.bias is not None:
        return bias_spot(layout.bias, place)
    if layout.map is None:
        return NOWHERE
    hit = layout.lane_at(place)
    if hit is not None:
        return Spot(hit[1], picture.waves[hit[0]].dimension)
    cells = layout.map.cells
    row, column = layout.map.row_at(place.y()), layout.map.column_at(place.x())
    if cells.left() - 50 <= place.x() < cells.left() and row is not None:
        return Spot(row, None)
    if cells.top() - 36 <= place.y() < cells.top() and column is not None:
        return Spot(None, column)
    return Spot(row, column) if row is not None and column is not None else NOWHERE


def is_on_waves(layout: EncodingLayout, place: QPointF) -> bool:
    """Whether a place is on the waves, and not on the map."""
    return layout.lane_at(place) is not None


def encoding_words(picture: EncodingPicture, spot: Spot) -> str:
    """Return what is pointed at, with its arithmetic."""
    state = picture.state
    if picture.bias is not None:
        if spot.column is None:
            head = spot.row
            if head is None:
                return ""
            return f"{state.count.head(head)}: slope {slope_words(float(picture.bias.slopes[head]))}"
        return bias_words(state, picture.bias.head, spot.row or 0, spot.column)
    if picture.table is None or spot == NOWHERE:
        return ""
    if spot.row is not None and spot.column is not None:
        return cell_words(state, spot.row, spot.column)
    if spot.row is not None:
        return f"position {spot.row}: click to move there"
    wave = next((wave for wave in picture.waves if wave.dimension == spot.column), None)
    return f"dimension {spot.column}: click to {'remove its wave' if wave else 'draw its wave'}"


def encoding_notes(picture: EncodingPicture) -> tuple[TextLine, ...]:
    """Return what the picture says, in sentences for the panel."""
    state = picture.state
    if picture.bias is not None:
        return _bias_notes()
    if picture.table is None:
        return (TextLine(picture.message, size=12.5),)
    if state.kind is PositionKind.LEARNED:
        largest = picture.table.picture.scale.high
        return (
            TextLine(f"Random numbers of standard deviation 0.02; the largest shown is {largest:.3g}.", size=12.5),
            TextLine("Columns have no wavelength, and a row is like the next only by chance.", "muted", size=12.5),
        )
    last = pair_count(state) - 1
    longest = f", {wavelength_text(wavelength(state, state.d_model - 1))} for i = {last}" if last else ""
    formula = f"{coordinate(state.base)}^(2i/{state.d_model})"
    begin = "PE(p, 2i) = sin(p / {0}) and PE(p, 2i + 1) = cos(p / {0})."
    if state.kind is PositionKind.ROTARY:
        begin = "Pair i of a query or key at position p is turned by p / {0}; shown are cos and sin of that angle."
    power = f"exp(−2i · ln {coordinate(state.base)} / {state.d_model})"
    return (
        TextLine(begin.format(formula), size=12.5),
        TextLine(f"Also written p · {power}: the same angle.", size=12.5),
        TextLine(f"Wavelength 2π · {formula}: {wavelength_text(wavelength(state, 0))} for i = 0{longest}.", size=12.5),
        TextLine("Click a column to draw its wave; click a row’s number or a wave to move there.", "muted", size=12.5),
    )


def _bias_notes() -> tuple[TextLine, ...]:
    return (
        TextLine("Added to the score q·k ÷ √d_k before the softmax: −slope · |i − j|.", size=12.5),
        TextLine("Click a line or its name to see the map of that head.", "muted", size=12.5),
    )
