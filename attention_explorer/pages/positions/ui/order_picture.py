"""The order experiment as a table kind × mask, and the weights of one head before and after the shuffle."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.numerals import weight_text
from attention_explorer.kit.drawing.blanks import paint_blank
from attention_explorer.kit.drawing.marks import colour_of, draw_line, paint_reason, pen, text_size
from attention_explorer.kit.drawing.small_map import paint_mark, paint_small_map, paint_title
from attention_explorer.kit.drawing.small_map_layout import Arrangement, SmallMap, arranged, cell_at
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.order import KINDS, OrderPicture, Outcome
from attention_explorer.pages.positions.ui.notes import MASKS, TITLES
from attention_explorer.pages.positions.ui.notes import order_notes as order_notes

ROW, SENTENCE = 26, 42
"""Pixels at zoom 1 of a line of the table, and of the two sentences above it."""
LEAST_ROW = 17


@dataclass(frozen=True, slots=True)
class OrderLayout:
    """Where table and maps are."""

    room: QRectF
    sentences: QRectF
    table: QRectF
    names: float  # pixels the first column is wide
    row: float
    maps: tuple[SmallMap, ...]

    def cell(self, outcome: int) -> QRectF:
        """Return the box of an outcome; −1 and −2 are the titles of the columns."""
        line, column = divmod(outcome, 2)
        width = (self.table.width() - self.names) / 2
        return QRectF(
            self.table.left() + self.names + column * width, self.table.top() + (line + 1) * self.row, width, self.row
        )


def order_layout(picture: OrderPicture, look: Look, room: QRectF) -> OrderLayout:
    """Fit the table and the maps below each other, or side by side in a low room."""
    px = look.px
    if picture.reason:
        return OrderLayout(room, QRectF(), QRectF(), 0.0, 0.0, ())
    beside = room.width() > 2.1 * room.height()
    wide = 0.58 * room.width() if beside else room.width()
    sentences = QRectF(room.left(), room.top(), wide, px(SENTENCE))
    count = len(KINDS) + 1
    share = room.height() - px(SENTENCE) if beside else 0.34 * room.height()
    row = float(min(max(share / count, px(LEAST_ROW)), px(ROW)))
    table = QRectF(room.left(), sentences.bottom() + px(4), wide, count * row)
    names = max(text_size(look.font(12, bold=True), title)[0] for title in TITLES.values()) + px(14)
    if beside:
        below = QRectF(table.right() + px(20), room.top(), room.right() - table.right() - px(20), room.height())
    else:
        below = QRectF(room.left(), table.bottom() + px(12), room.width(), room.bottom() - table.bottom() - px(12))
    maps: tuple[SmallMap, ...] = ()
    if picture.maps:
        maps = arranged(picture.maps, look, below, Arrangement(2, px(24), 0, px(22)), shared=False)
    return OrderLayout(room, sentences, table, names, row, maps)


# ---- Painting ----


def paint_order(
    painter: QPainter, picture: OrderPicture, layout: OrderLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    if picture.reason:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    _paint_sentences(painter, picture, layout, look)
    _paint_table(painter, picture, layout, look)
    for map_, small, title in zip(picture.maps, layout.maps, _titles(picture), strict=True):
        paint_small_map(painter, map_, small, look, vector=vector)
        paint_title(painter, small.header, title, f"({map_.cells[0]}, {map_.cells[1]})", look)


def paint_given_order(painter: QPainter, picture: OrderPicture, layout: OrderLayout, look: Look) -> None:
    """Paint the words and how they are shuffled, and “?” for what comes out."""
    if picture.reason:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    _paint_sentences(painter, picture, layout, look)
    _paint_table(painter, picture, layout, look, is_asked=True)
    for small, title in zip(layout.maps, _titles(picture), strict=True):
        high = small.layout.cells.bottom() - small.header.top()
        paint_blank(painter, QRectF(small.header.left(), small.header.top(), small.header.width(), high), title, look)


def _titles(picture: OrderPicture) -> tuple[str, ...]:
    head = picture.state.count.head(picture.head)
    return (f"before, {head}", f"shuffled, {head}") if picture.maps else ()


def _paint_sentences(painter: QPainter, picture: OrderPicture, layout: OrderLayout, look: Look) -> None:
    px, font = look.px, look.font(12.5)
    names = text_size(font, "shuffled")[0] + px(12)
    for number, (name, words) in enumerate((("words", picture.words), ("shuffled", picture.shuffled))):
        line = QRectF(
            layout.sentences.left(), layout.sentences.top() + number * px(20), layout.sentences.width(), px(20)
        )
        painter.setFont(font)
        painter.setPen(colour_of(look.theme.muted))
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.setPen(colour_of(look.theme.text))
        room = line.adjusted(names, 0, 0, 0)
        text = QFontMetricsF(font).elidedText(" ".join(words), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def _paint_table(
    painter: QPainter, picture: OrderPicture, layout: OrderLayout, look: Look, *, is_asked: bool = False
) -> None:
    theme, px = look.theme, look.px
    shown = layout.cell(picture.shown)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(theme.axis, 1.2 * look.zoom))
    painter.setBrush(colour_of(theme.window))
    painter.drawRoundedRect(shown.adjusted(1, 1, -1, -1), px(5), px(5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.setFont(look.font(12))
    painter.setPen(colour_of(theme.muted))
    for column, name in enumerate(MASKS):
        painter.drawText(layout.cell(column - 2).adjusted(px(8), 0, 0, 0), left, name)
    head = layout.table.top() + layout.row
    draw_line(painter, QPointF(layout.table.left(), head), QPointF(layout.table.right(), head), pen(theme.border, 1))
    for number, kind in enumerate(KINDS):
        line = layout.cell(2 * number)
        painter.setFont(look.font(12, bold=kind is picture.state.kind))
        painter.setPen(colour_of(theme.text))
        painter.drawText(QRectF(layout.table.left(), line.top(), layout.names, line.height()), left, TITLES[kind])
    for number, outcome in enumerate(picture.outcomes):
        box = layout.cell(number).adjusted(px(8), 0, -px(4), 0)
        if is_asked:
            painter.setPen(colour_of(theme.muted))
            painter.drawText(box, left, "?")
        else:
            _paint_outcome(painter, outcome, box, look)


def _paint_outcome(painter: QPainter, outcome: Outcome, box: QRectF, look: Look) -> None:
    """Paint a verdict; on a narrow picture without the word "error"."""
    font = look.font(12, bold=outcome.is_equivariant)
    text = outcome.verdict
    if text_size(font, text)[0] > box.width():
        text = text.replace("error ", "").replace("same rows, reordered", "reordered")
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.muted if outcome.found is None else look.theme.text))
    shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


# ---- Pointing ----


def order_spot(picture: OrderPicture, layout: OrderLayout, place: QPointF) -> Spot:
    """Return an outcome of the table, as a row alone, or the two words of a cell, counted before the shuffle."""
    for number in range(len(picture.outcomes)):
        if layout.cell(number).contains(place):
            return Spot(number)
    hit = cell_at(layout.maps, place)
    if hit is None:
        return NOWHERE
    if hit.map == 0:
        return Spot(hit.row, hit.column)
    return Spot(picture.order[hit.row], picture.order[hit.column])


def mark_order(painter: QPainter, picture: OrderPicture, layout: OrderLayout, look: Look, spot: Spot) -> None:
    """Outline an outcome, or the same pair of words in both maps."""
    if spot.row is None:
        return
    if spot.column is None:
        if spot.row < len(picture.outcomes):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(look.theme.text, 1.5 * look.zoom))
            painter.drawRoundedRect(layout.cell(spot.row).adjusted(1, 1, -1, -1), look.px(5), look.px(5))
        return
    if max(spot.row, spot.column) >= len(picture.words):
        return
    after = picture.order.index(spot.row), picture.order.index(spot.column)
    for map_, small, mark in zip(picture.maps, layout.maps, ((spot.row, spot.column), after), strict=False):
        paint_mark(painter, map_, small, look, mark)


# ---- Words ----


def order_words(picture: OrderPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    if spot.row is None:
        return ""
    if spot.column is None:
        if spot.row >= len(picture.outcomes):
            return ""
        outcome = picture.outcomes[spot.row]
        return f"{TITLES[outcome.kind]}, {MASKS[outcome.causal]}: max |f(PX) − P f(X)| · {outcome.verdict}"
    if max(spot.row, spot.column) >= len(picture.words) or not picture.maps:
        return ""
    query, key = (f"“{picture.words[word]}” ({word})" for word in (spot.row, spot.column))
    after = picture.order.index(spot.row), picture.order.index(spot.column)
    weights = [
        "masked" if map_.masked[cell] else weight_text(float(map_.values[cell]))
        for map_, cell in zip(picture.maps, ((spot.row, spot.column), after), strict=True)
    ]
    return f"{query} attends to {key}: weight {weights[0]} before, {weights[1]} shuffled"
