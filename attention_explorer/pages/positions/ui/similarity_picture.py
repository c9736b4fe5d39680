"""How alike positions are: two maps, and a curve against the offset with the places where it rises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import plain, signed, size_text
from attention_explorer.kit.drawing.colour_bar import paint_small_bar
from attention_explorer.kit.drawing.curve_chart import ChartLayout, paint_reading
from attention_explorer.kit.drawing.heatmap import paint_cells
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.drawing.legend import WORDS_SIZE, fitting
from attention_explorer.kit.drawing.marks import colour_of, draw_line, paint_reason, paint_words, pen, text_size
from attention_explorer.kit.drawing.small_map import paint_title
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.similarity import SimilarityPicture
from attention_explorer.pages.positions.table import ordinal, ticks
from attention_explorer.pages.positions.ui.notes import similarity_notes as similarity_notes
from attention_explorer.pages.positions.ui.similarity_curve import paint_similarity_chart, similarity_chart

HEADER, AXIS, SIDE, FOOT = 20, 32, 46, 38
"""Pixels at zoom 1 around a map: its title, the positions above and beside it, its colour bar and a line of words."""
GAP = 14


@dataclass(frozen=True, slots=True)
class SimilarityLayout:
    """Where maps and curve are."""

    room: QRectF
    note: QRectF  # empty if every position is drawn
    headers: tuple[QRectF, ...]
    maps: tuple[HeatmapLayout, ...]
    chart: ChartLayout | None


def similarity_layout(picture: SimilarityPicture, look: Look, room: QRectF) -> SimilarityLayout:
    """Fit the maps side by side and the curve below them, or beside them in a low room."""
    if picture.reason or picture.curve is None or picture.positions is None:
        return SimilarityLayout(room, QRectF(), (), (), None)
    px = look.px
    note = QRectF(room.left(), room.top(), room.width(), px(18)) if picture.step > 1 else QRectF()
    inner = room.adjusted(0, note.height(), 0, 0)
    beside = room.width() > 2.1 * inner.height()
    wide = inner.width() * (0.32 if beside else 0.5)
    slot = wide - px(GAP) / (1 if beside else 2)
    # Below the maps the curve has at least a third of the room.
    high = inner.height() - px(HEADER + AXIS + FOOT) - (0 if beside else max(0.34 * inner.height(), px(120)))
    side = max(min(slot - px(SIDE), high), 10.0)
    lefts = [inner.left(), inner.left() + wide + (0 if beside else px(GAP) / 2)]
    headers, maps = [], []
    for left in lefts:
        headers.append(QRectF(left, inner.top(), slot, px(HEADER)))
        start = left + px(SIDE) + (0 if beside else max(0.0, (slot - px(SIDE) - side) / 2))
        maps.append(_map_layout(picture, look, QRectF(start, inner.top() + px(HEADER + AXIS), side, side)))
    top = inner.top() if beside else maps[0].cells.bottom() + px(FOOT + 8)
    left = inner.left() + 2 * wide if beside else inner.left()
    box = QRectF(left, top, inner.right() - left, inner.bottom() - top)
    return SimilarityLayout(room, note, tuple(headers), tuple(maps), similarity_chart(picture, look, box))


def _map_layout(picture: SimilarityPicture, look: Look, cells: QRectF) -> HeatmapLayout:
    count = picture.maps[0].cells[0]
    wide = max(cells.width(), look.px(110))
    bar = QRectF(cells.center().x() - wide / 2, cells.bottom() + look.px(4), wide, look.px(14))
    return HeatmapLayout(cells, count, count, Labels(0.0, 1), Labels(0.0, 1), bar)


# ---- Painting ----


def paint_similarity(
    painter: QPainter, picture: SimilarityPicture, layout: SimilarityLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint maps, curve and what is to be seen in them."""
    if layout.chart is None:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    if picture.step > 1:
        paint_words(painter, layout.note, f"maps: every {ordinal(picture.step)} position", look)
    for number, (map_, header, place) in enumerate(zip(picture.maps, layout.headers, layout.maps, strict=True)):
        length = picture.state.length
        paint_title(painter, header, picture.titles[number], f"({length}, {length})", look, beyond=0.0)
        paint_cells(painter, map_, place, look, vector=vector)
        paint_small_bar(painter, map_, place.bar, look, vector=vector)
        _paint_positions(painter, picture, place, look)
        words = QRectF(header.left(), place.bar.bottom() + look.px(1), header.width(), look.px(16))
        said = fitting(_spread_words(picture, number), look.font(WORDS_SIZE), words.width())
        paint_words(painter, words, said, look, centred=True)
    paint_similarity_chart(painter, picture, layout.chart, look)


def _spread_words(picture: SimilarityPicture, number: int) -> tuple[str, str]:
    """Return how far apart the numbers at offset 1 are, at length and in short."""
    spread = picture.spreads[number]
    if not spread.count:
        return "", ""
    if spread.range <= 1e-9 * max(1.0, float(np.abs(picture.maps[number].values).max())):
        return "offset 1: the same number everywhere", "offset 1: all the same"
    size = size_text(spread.range)
    return f"offset 1: numbers spread over {size}", f"offset 1: spread {size}"


def _paint_positions(painter: QPainter, picture: SimilarityPicture, place: HeatmapLayout, look: Look) -> None:
    """Paint round positions along both axes, and what the axes are."""
    px, cells = look.px, place.cells
    font = look.font(11)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.muted))
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for position in ticks(picture.state.length, max(2, int(cells.width() / px(42)))):
        at = (position / picture.step + 0.5) * place.cell_width
        if at > cells.width():
            continue
        text = str(position)
        half = text_size(font, text)[0] / 2 + 1
        middle = min(cells.left() + at, cells.right() + px(4) - half)
        painter.drawText(
            QRectF(middle - half, cells.top() - px(16), 2 * half, px(14)), Qt.AlignmentFlag.AlignCenter, text
        )
        painter.drawText(QRectF(cells.left() - px(34), cells.top() + at - px(7), px(30), px(14)), right, text)
    painter.drawText(
        QRectF(cells.left(), cells.top() - px(31), cells.width(), px(15)), Qt.AlignmentFlag.AlignCenter, "position p′"
    )
    painter.save()
    painter.translate(cells.left() - px(39), cells.center().y())
    painter.rotate(-90)
    painter.drawText(QRectF(-px(60), -px(8), px(120), px(15)), Qt.AlignmentFlag.AlignCenter, "position p")
    painter.restore()


# ---- Pointing ----


def similarity_spot(picture: SimilarityPicture, layout: SimilarityLayout, place: QPointF) -> Spot:
    """Return the positions of the cell at a place, or the offset, as a column alone."""
    if layout.chart is None or picture.positions is None:
        return NOWHERE
    for map_ in layout.maps:
        row, column = map_.row_at(place.y()), map_.column_at(place.x())
        if row is not None and column is not None:
            return Spot(int(picture.positions[row]), int(picture.positions[column]))
    plot = layout.chart.plot
    if not plot.adjusted(-4, 0, 4, 0).contains(place):
        return NOWHERE
    offset = round(layout.chart.number_at(place.x()) / picture.offset_step) * picture.offset_step
    return Spot(None, min(max(offset, 0), _last_offset(picture)))


def _last_offset(picture: SimilarityPicture) -> int:
    return 0 if picture.offsets is None else int(picture.offsets[-1])


def mark_similarity(
    painter: QPainter, picture: SimilarityPicture, layout: SimilarityLayout, look: Look, spot: Spot
) -> None:
    """Light up a pair of positions in both maps and its offset on the curve, or the diagonals of an offset."""
    if layout.chart is None or spot.column is None or max(spot.row or 0, spot.column) >= picture.state.length:
        return
    if spot.row is None:
        offset = spot.column
        for map_ in layout.maps:
            _mark_diagonals(painter, map_, offset / picture.step, look, both=picture.is_symmetric)
    else:
        offset = spot.row - spot.column
        offset = abs(offset) if picture.is_symmetric else offset
        for map_ in layout.maps:
            _mark_cell(painter, map_, spot.row // picture.step, spot.column // picture.step, look)
    if not 0 <= offset < picture.state.length:
        return
    value = picture.value_at(offset)
    text = f"offset {offset}" + ("" if value is None else f": {plain(value, 3)}")
    paint_reading(painter, layout.chart, look, offset, value, text)


def _mark_cell(painter: QPainter, place: HeatmapLayout, row: int, column: int, look: Look) -> None:
    if row >= place.rows or column >= place.columns:
        return
    box = place.rectangle(row, column)
    grow = max(0.5, (look.px(5) - box.width()) / 2)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for stroke, width in ((look.theme.card, 3.5), (look.theme.text, 1.5)):
        painter.setPen(pen(stroke, width * look.zoom))
        painter.drawRect(box.adjusted(-grow, -grow, grow, grow))


def _mark_diagonals(painter: QPainter, place: HeatmapLayout, cells_away: float, look: Look, *, both: bool) -> None:
    """Draw a line along the cells that are an offset apart, queries after keys or ``both`` ways."""
    box, away = place.cells, cells_away * place.cell_width
    if away >= box.width():
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    lines = (
        (QPointF(box.left(), box.top() + away), QPointF(box.right() - away, box.bottom())),
        (QPointF(box.left() + away, box.top()), QPointF(box.right(), box.bottom() - away)),
    )
    for stroke, width in ((look.theme.card, 3.0), (look.theme.text, 1.2)):
        for start, end in lines if both else lines[:1]:
            draw_line(painter, start, end, pen(stroke, width * look.zoom))


# ---- Words ----


def similarity_words(picture: SimilarityPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    if spot.column is None or picture.positions is None:
        return ""
    if spot.row is None:
        value = picture.value_at(spot.column)
        if value is None:
            return ""
        rises = f" · {'nearer than' if picture.is_distance else 'above'} the offset before"
        rises = rises if spot.column in picture.rises else ""
        return f"{picture.curve_title.split(' at offset')[0]} · offset k = {spot.column}: {plain(value, 3)}{rises}"
    row, column = spot.row // picture.step, spot.column // picture.step
    if row >= len(picture.positions) or column >= len(picture.positions):
        return ""
    first, second = (_cell(map_, row, column) for map_ in picture.maps)
    return (
        f"p = {spot.row}, p′ = {spot.column} (offset {spot.row - spot.column}) · "
        f"{picture.titles[0]}: {first} · {picture.titles[1]}: {second}"
    )


def _cell(map_: MapPicture, row: int, column: int) -> str:
    return signed(float(map_.values[row, column]), 3)
