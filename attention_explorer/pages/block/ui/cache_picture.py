"""Decoding with a KV cache: keys and values that grow by a row, what each step costs, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.numerals import percent
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.marks import colour_of, draw_line, paint_words, pen, text_size
from attention_explorer.kit.drawing.text_table import Column, TableLayout, paint_table, table_layout
from attention_explorer.kit.pictures.drawing import Change, PictureDrawing
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.block.cache import (
    CachePicture,
    cache_numbers,
    cache_picture,
    cache_sentences,
    cache_words,
    decoded_shown,
    equality_text,
    is_quick,
    step_words,
    table_rows,
    with_decoded,
)
from attention_explorer.pages.block.ui.feature_map import (
    FeatureMap,
    label_room,
    mark_feature_map,
    paint_feature_map,
    place_map,
)
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.state import BlockState

CHIPS, GAP, ROW, VERDICT = 30, 18, 19, 22
SPAN = 10_000
"""Columns of K are counted from 0, those of V from this number on, those of the weights from twice as much."""
COLUMNS = (
    Column("", is_muted=True),
    Column("with cache", is_right=True, is_bold=True),
    Column("without", is_right=True),
)


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """Where tokens, maps, bars and table are."""

    chips: tuple[QRectF, ...]
    maps: tuple[FeatureMap, ...]
    bars: QRectF
    """Where the bars of the steps are."""
    bars_title: QRectF
    verdict: QRectF
    table: TableLayout

    def step(self, index: int) -> QRectF:
        """Return the room of the bars of a step."""
        width = self.bars.width() / max(len(self.chips), 1)
        return QRectF(self.bars.left() + index * width, self.bars.top(), width, self.bars.height())


def cache_layout(picture: CachePicture, look: Look, room: QRectF) -> CacheLayout:
    """Fit tokens above, maps in the middle, bars and table below."""
    px = look.px
    chips = _chips(picture, look, QRectF(room.left(), room.top(), room.width(), px(CHIPS)))
    rows = table_rows(picture)
    foot = px(VERDICT) + (len(rows) + 1) * px(ROW) + px(6)
    narrow = room.width() < px(700)
    low = foot + (max(0.5 * foot, px(80)) if narrow else 0)
    middle = QRectF(room.left(), room.top() + px(CHIPS) + px(8), room.width(), 0)
    middle.setBottom(max(room.bottom() - low - px(12), middle.top() + px(60)))
    maps = _maps(picture, look, middle)
    below = QRectF(room.left(), middle.bottom() + px(12), room.width(), room.bottom() - middle.bottom() - px(12))
    split = below.width() if narrow else 0.46 * below.width()
    bars_box = QRectF(below.left(), below.top(), split, below.height() - foot - px(6) if narrow else below.height())
    title = QRectF(bars_box.left(), bars_box.top(), bars_box.width(), px(VERDICT))
    bars = bars_box.adjusted(0, px(VERDICT) + px(2), 0, -px(16))
    bars.setHeight(max(bars.height(), 4.0))
    left = below.left() if narrow else bars_box.right() + px(GAP)
    top = bars_box.bottom() + px(6) if narrow else below.top()
    verdict = QRectF(left, top, below.right() - left, px(VERDICT))
    box = QRectF(left, verdict.bottom(), verdict.width(), below.bottom() - verdict.bottom())
    table = table_layout(look, box, COLUMNS, rows, row_height=px(ROW))
    return CacheLayout(chips, maps, bars, title, verdict, table)


def _chips(picture: CachePicture, look: Look, line: QRectF) -> tuple[QRectF, ...]:
    """Return a box for each token: as wide as its word, or all alike where they would not fit."""
    px, font = look.px, look.font(12.5, bold=True)
    widths = [text_size(font, token)[0] + px(16) for token in picture.tokens]
    gap = float(px(5))
    if sum(widths) + gap * (len(widths) - 1) > line.width():
        gap = float(px(5)) if line.width() / len(widths) > px(30) else 1.0
        widths = [(line.width() - gap * (len(widths) - 1)) / len(widths)] * len(widths)
    boxes, left = [], line.left()
    for width in widths:
        boxes.append(QRectF(left, line.top() + px(2), width, px(CHIPS - 5)))
        left += width + gap
    return tuple(boxes)


def _maps(picture: CachePicture, look: Look, box: QRectF) -> tuple[FeatureMap, ...]:
    px, count = look.px, len(picture.tokens)
    labels = label_room(picture.tokens, look, box)
    wide = (box.width() - labels - 2 * px(GAP)) / 3
    places = []
    for number, map_ in enumerate(picture.maps):
        left = box.left() + number * (wide + px(GAP)) + (labels if number else 0)
        room = QRectF(left, box.top(), wide + (0 if number else labels), box.height())
        places.append(place_map(look, room, map_, labels=0 if number else labels, rows=count))
    return tuple(places)


# ---- Painting ----


def paint_cache(
    painter: QPainter, picture: CachePicture, layout: CacheLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    _paint_chips(painter, picture, layout, look)
    count = picture.state.count
    head = count.head(picture.state.head_shown)
    width = picture.maps[0].cells[1], picture.maps[1].cells[1]
    words = (
        (f"K of {head}", f"feature 0…{width[0] - 1} →", f"({picture.decoded}, {width[0]})"),
        (f"V of {head}", f"feature 0…{width[1] - 1} →", f"({picture.decoded}, {width[1]})"),
        (
            "weights",
            f"key {count.first}…{count.number(len(picture.tokens) - 1)} →",
            f"({picture.decoded}, {len(picture.tokens)})",
        ),
    )
    for map_, place, (title, across, shape) in zip(picture.maps, layout.maps, words, strict=True):
        paint_feature_map(painter, map_, place, look, title, across, shape=shape, vector=vector)
        newest = place.layout.rectangle(picture.decoded - 1, 0)
        newest.setWidth(place.layout.cells.width())
        paint_outline(painter, newest, look.theme.text, look)
    _paint_bars(painter, picture, layout, look)
    _paint_verdict(painter, picture, layout, look)
    paint_table(painter, layout.table, look)


def _paint_chips(painter: QPainter, picture: CachePicture, layout: CacheLayout, look: Look) -> None:
    """Paint the tokens: in the cache, newest, still to come."""
    theme = look.theme
    for index, (token, box) in enumerate(zip(picture.tokens, layout.chips, strict=True)):
        held, newest = index < picture.decoded, index == picture.decoded - 1
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(theme.text if newest else theme.border, (1.8 if newest else 1.0) * look.zoom))
        painter.setBrush(colour_of(theme.track if held else theme.card))
        painter.drawRoundedRect(box, look.px(5), look.px(5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        font = look.font(12.5, bold=newest)
        painter.setFont(font)
        painter.setPen(colour_of(theme.text if held else theme.muted))
        text = QFontMetricsF(font).elidedText(token, Qt.TextElideMode.ElideRight, box.width() - 3)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text if box.width() >= look.px(14) else "")


def _paint_bars(painter: QPainter, picture: CachePicture, layout: CacheLayout, look: Look) -> None:
    """Paint what each step costs: an outline without the cache, filled with it; pale what is still to come."""
    theme, px, work = look.theme, look.px, picture.work
    paint_words(painter, layout.bars_title, "FLOPs of each step: outline without, filled with the cache", look)
    largest, bars = float(work.anew.max()), layout.bars
    size = look.font(11)
    every = max(1, -(-int(text_size(size, str(len(picture.tokens)))[0] + px(6)) // max(int(layout.step(0).width()), 1)))
    for index, (cached, anew) in enumerate(zip(work.cached.tolist(), work.anew.tolist(), strict=True)):
        box = layout.step(index)
        inset = min(0.14 * box.width(), px(12))
        place = box.adjusted(inset, 0, -inset, 0)
        opacity = 1.0 if index < picture.decoded else 0.28
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        high = bars.height() * anew / largest
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(theme.text, 1.0, opacity=opacity))
        painter.drawRect(QRectF(place.left(), bars.bottom() - high, place.width(), high))
        filled = bars.height() * cached / largest
        painter.fillRect(
            QRectF(place.left(), bars.bottom() - filled, place.width(), filled), colour_of(theme.text, 0.7 * opacity)
        )
        if index % every == 0:
            painter.setFont(size)
            painter.setPen(colour_of(theme.text if index == picture.decoded - 1 else theme.muted))
            name = QRectF(box.center().x() - px(20), bars.bottom() + px(1), px(40), px(15))
            painter.drawText(name, Qt.AlignmentFlag.AlignCenter, str(picture.state.count.number(index)))
    draw_line(painter, bars.bottomLeft(), bars.bottomRight(), pen(theme.axis, 1))


def _paint_verdict(painter: QPainter, picture: CachePicture, layout: CacheLayout, look: Look) -> None:
    font = look.font(12.5, bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    words = f"{percent(picture.saved)} of the FLOPs saved; {equality_text(picture)}"
    if text_size(font, words)[0] > layout.verdict.width():
        words = words.replace("largest difference from full causal attention:", "off full attention by").replace(
            "the FLOPs", "FLOPs"
        )
    text = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, layout.verdict.width())
    painter.drawText(layout.verdict, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


# ---- Pointing ----


def cache_spot(picture: CachePicture, layout: CacheLayout, place: QPointF) -> Spot:
    """Return a cell of a map (see `SPAN`), or a step as a column alone: a token above, or its bars."""
    for number, map_ in enumerate(layout.maps):
        cell = map_.cell_at(place)
        if cell is not None:
            return Spot(cell[0], number * SPAN + cell[1])
    for index, chip in enumerate(layout.chips):
        if chip.contains(place) or layout.step(index).adjusted(0, 0, 0, 15).contains(place):
            return Spot(None, index)
    return NOWHERE


def mark_cache(painter: QPainter, picture: CachePicture, layout: CacheLayout, look: Look, spot: Spot) -> None:
    """Outline a token in all maps with the number that is pointed at, or a step."""
    if spot.column is None:
        return
    if spot.row is None:
        if spot.column < len(layout.chips):
            paint_outline(painter, layout.chips[spot.column], look.theme.text, look)
            paint_outline(painter, layout.step(spot.column), look.theme.text, look)
        return
    which, column = divmod(spot.column, SPAN)
    for number, (map_, place) in enumerate(zip(picture.maps, layout.maps, strict=True)):
        mark_feature_map(painter, map_, place, look, spot.row, column if number == which else None)


def spot_words(picture: CachePicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    if spot.column is None:
        return ""
    return step_words(picture, spot.column) if spot.row is None else cache_words(picture, *_cell(spot))


def _cell(spot: Spot) -> tuple[int, int, int]:
    which, column = divmod(spot.column or 0, SPAN)
    return which, spot.row or 0, column


def cache_notes(picture: CachePicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    return notes_of(cache_sentences(picture))


def _changed(state: BlockState, decoded: int) -> Change[BlockState] | None:
    new = with_decoded(state, decoded)
    if new.decoded == decoded_shown(state):
        return None
    return Change(new, f"Decode {new.decoded} token{'' if new.decoded == 1 else 's'}", "decoded")


def _click(state: BlockState, picture: CachePicture, layout: CacheLayout, place: QPointF) -> Change[BlockState] | None:
    """Decode up to the token that is clicked."""
    spot = cache_spot(picture, layout, place)
    return _changed(state, spot.column + 1) if spot.row is None and spot.column is not None else None


def _press(state: BlockState, picture: CachePicture, key: int) -> Change[BlockState] | None:
    """Right decodes the next token, left forgets the newest; Home and End go to the ends."""
    now, count = decoded_shown(state), len(picture.tokens)
    places = {
        Qt.Key.Key_Right: now + 1,
        Qt.Key.Key_Left: now - 1,
        Qt.Key.Key_Home: 1,
        Qt.Key.Key_End: count,
    }
    wanted = places.get(Qt.Key(key))
    return None if wanted is None else _changed(state, wanted)


def cache_drawing() -> PictureDrawing[BlockState, CachePicture, CacheLayout]:
    """Return how the picture is drawn."""
    return PictureDrawing(
        cache_picture,
        cache_layout,
        paint_cache,
        mark_cache,
        cache_spot,
        spot_words,
        cache_notes,
        click=_click,
        press=_press,
        is_quick=is_quick,
        checkpoints=steps_to_learn,
        uses_pixels=False,
        parts=lambda _picture: ("Keys kept", "Values kept", "The new row, both ways", "FLOPs of each step"),
        numbers=cache_numbers,
    )
