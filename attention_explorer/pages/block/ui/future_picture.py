"""Which rows move when one token is replaced: every level of the stack as a column, with and without a mask."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attention_explorer.core.colour_scale import ColourScale, FloatArray, ScaleKind
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import size_text
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.colour_bar import paint_small_bar
from attention_explorer.kit.drawing.colour_maps import pixels_of
from attention_explorer.kit.drawing.contrast import readable_ink
from attention_explorer.kit.drawing.heatmap_layout import label_size
from attention_explorer.kit.drawing.legend import WORDS_SIZE, fitting
from attention_explorer.kit.drawing.marks import colour_of, draw_line, paint_reason, paint_words, pen, text_size
from attention_explorer.kit.pictures.drawing import Change, PictureDrawing
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.block.future import (
    FuturePicture,
    changed_shown,
    count_text,
    future_numbers,
    future_picture,
    future_sentences,
    future_words,
    is_quick,
    level_name,
    title_of,
)
from attention_explorer.pages.block.ui.feature_map import TALL_SHARE, label_room
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.state import BlockState

TITLE, WORDS, LEVELS, FOOT, GAP = 20, 17, 17, 26, 22
"""Pixels at zoom 1 of the title of a half, the words and the levels below it, the legend, and between halves."""
HIGHEST_ROW, WIDEST_CELL = 58, 66
NUMBERS_FROM = 46
"""A cell of so many pixels has its change in numbers."""
COLOURS = "viridis"
LEGEND_WORDS = "largest change in a row (log scale), framed: the replaced token"
BESIDE_FROM, ONE_LINE = 520, 740
"""Pixels at zoom 1 from which on the halves have room beside each other, and the legend in one line."""


@dataclass(frozen=True, slots=True)
class Half:
    """Where the rows of one mask are."""

    causal: bool
    title: QRectF
    words: QRectF
    cells: QRectF
    bars: QRectF
    labels: float
    row: float
    """Pixels a row."""
    column: float

    def cell(self, token: int, level: int) -> QRectF:
        """Return the box of a row at a level."""
        return QRectF(
            self.cells.left() + level * self.column, self.cells.top() + token * self.row, self.column, self.row
        )


@dataclass(frozen=True, slots=True)
class FutureLayout:
    """Where the two halves and the legend are."""

    room: QRectF
    halves: tuple[Half, ...]
    legend: QRectF


def future_layout(picture: FuturePicture, look: Look, room: QRectF) -> FutureLayout:
    """Fit the halves side by side, or below each other in a narrow room."""
    px = look.px
    foot = px(FOOT) if room.width() >= px(ONE_LINE) else 2 * px(FOOT) - px(4)
    legend = QRectF(room.left(), room.bottom() - foot + px(4), room.width(), foot - px(4))
    if picture.reason:
        return FutureLayout(room, (), legend)
    above = room.adjusted(0, 0, 0, -foot)
    beside = above.width() > max(1.05 * above.height(), px(BESIDE_FROM))
    wide = (above.width() - px(GAP)) / 2 if beside else above.width()
    high = above.height() if beside else (above.height() - px(12)) / 2
    halves = []
    for number, causal in enumerate((True, False)):
        offset = QPointF(wide + px(GAP), 0) if beside else QPointF(0, high + px(12))
        corner = above.topLeft() + offset * number
        halves.append(_half(picture, look, QRectF(corner.x(), corner.y(), wide, high), causal))
    return FutureLayout(room, tuple(halves), legend)


def _half(picture: FuturePicture, look: Look, box: QRectF, causal: bool) -> Half:
    px = look.px
    labels = label_room(picture.tokens, look, box)
    numbers = text_size(look.font(11.5, bold=True), "same bits")[0] + px(10)
    title = QRectF(box.left(), box.top(), box.width(), px(TITLE))
    words = QRectF(box.left(), title.bottom(), box.width(), px(WORDS))
    top = words.bottom() + px(LEVELS)
    high = box.bottom() - top
    row = min(high / len(picture.tokens), max(px(HIGHEST_ROW), TALL_SHARE * high))
    levels = picture.layers + 1
    room = box.width() - labels - numbers
    column = min(0.66 * room / levels, max(px(WIDEST_CELL), row))
    cells = QRectF(box.left() + labels, top, column * levels, row * len(picture.tokens))
    left = cells.right() + px(10)
    bars = QRectF(left, top, max(box.right() - numbers - left, 4.0), cells.height())
    return Half(causal, title, words, cells, bars, labels, row, column)


# ---- Painting ----


def paint_future(
    painter: QPainter, picture: FuturePicture, layout: FutureLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint both halves and what the colours are."""
    if picture.reason:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    for half in layout.halves:
        _paint_titles(painter, picture, half, look)
        _paint_cells(painter, picture, half, look)
        _paint_bars(painter, picture, half, look)
        _paint_labels(painter, picture, half, look)
    _paint_legend(painter, picture, layout.legend, look, vector=vector)


def _paint_titles(painter: QPainter, picture: FuturePicture, half: Half, look: Look) -> None:
    font = look.font(13, bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    own = ", as on the page" if half.causal is picture.state.causal else ""
    title = title_of(half.causal)
    text = title[0].upper() + title[1:] + own
    if text_size(font, text)[0] > half.title.width():
        text = ("Causal" if half.causal else "No mask") + own
    elided = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, half.title.width())
    painter.drawText(half.title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)
    words, count = count_text(picture, half.causal), picture.state.count
    longer = f"{words} · columns: X, layers {count.first}…{count.number(picture.layers - 1)}"
    fits = picture.layers > 3 and text_size(look.font(11.5), longer)[0] <= half.words.width()
    paint_words(painter, half.words, longer if fits else words, look)
    painter.setFont(look.font(11))
    painter.setPen(colour_of(look.theme.muted))
    taken = half.cells.left() - 20.0
    for level in range(picture.layers + 1):
        name = level_name(level, picture.state.count)
        if picture.layers > 3 or half.column < look.px(44):
            name = name.removeprefix("layer ")
        box = QRectF(0, half.cells.top() - look.px(LEVELS), text_size(look.font(11), name)[0] + 2, look.px(LEVELS))
        box.moveCenter(QPointF(half.cell(0, level).center().x(), box.center().y()))
        if box.left() > taken + 3:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
            taken = box.right()
    head = QRectF(half.bars.left(), half.cells.top() - look.px(LEVELS), half.title.right() - half.bars.left(), 0)
    head.setHeight(look.px(LEVELS))
    words = fitting(("output’s change (log)", "change (log)"), look.font(WORDS_SIZE), head.width())
    paint_words(painter, head, words, look)


def _shares(picture: FuturePicture, change: FloatArray) -> FloatArray:
    """Return where changes stand on the colour bar, whose ends are powers of the smallest and largest."""
    low, high = np.log(picture.smallest), np.log(picture.largest)
    return np.asarray(np.clip((np.log(np.maximum(change, 1e-300)) - low) / max(high - low, 1e-9), 0.0, 1.0))


def _paint_cells(painter: QPainter, picture: FuturePicture, half: Half, look: Look) -> None:
    moved = picture.moved[half.causal]
    same = (moved.numbers == 0).T  # (tokens, levels)
    pixels = pixels_of(_shares(picture, moved.change.T), same, COLOURS, look.theme.track)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    gap = 1.0 if min(half.row, half.column) >= look.px(7) else 0.0
    says = half.column >= look.px(NUMBERS_FROM) and half.row >= look.px(15)
    painter.setFont(look.font(11))
    for token in range(len(picture.tokens)):
        for level in range(picture.layers + 1):
            box = half.cell(token, level)
            painter.fillRect(box.adjusted(0, 0, -gap, -gap), QColor.fromRgb(int(pixels[token, level])))
            if same[token, level]:
                painter.setPen(colour_of(look.theme.muted))
                if half.row >= look.px(11) and half.column >= look.px(11):
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "=")
            elif says:
                painter.setPen(readable_ink(int(pixels[token, level])))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, size_text(float(moved.change[level, token])))


def _paint_bars(painter: QPainter, picture: FuturePicture, half: Half, look: Look) -> None:
    """Paint the largest change of every row of the output; a row without one says that its bits are the same."""
    theme, px = look.theme, look.px
    change = picture.moved[half.causal].change[-1]
    left, right = half.bars.left(), half.bars.right()
    draw_line(painter, QPointF(left, half.cells.top()), QPointF(left, half.cells.bottom()), pen(theme.axis, 1))
    size, step = label_size(look, half.row)
    font = look.font(min(size, 11.5), bold=True)
    # As long as they are bright in the cells: the smallest change is no empty bar.
    shares = 0.06 + 0.94 * _shares(picture, change)
    for token, (value, share) in enumerate(zip(change.tolist(), shares.tolist(), strict=True)):
        top = half.cells.top() + token * half.row
        length = (right - left) * share
        thick = min(0.6 * half.row, px(14))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if value > 0:
            bar = QRectF(left, top + (half.row - thick) / 2, length, thick)
            painter.fillRect(bar, colour_of(theme.output))
        if token % step:
            continue
        painter.setFont(font)
        painter.setPen(colour_of(theme.text if value > 0 else theme.muted))
        box = QRectF(left + (length if value > 0 else 0.0) + px(5), top, px(90), half.row)
        text = size_text(value) if value > 0 else "same bits"
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def _paint_labels(painter: QPainter, picture: FuturePicture, half: Half, look: Look) -> None:
    """Write the tokens, the replaced one in bold and framed."""
    size, step = label_size(look, half.row)
    for token, word in enumerate(picture.tokens):
        replaced = token == picture.token
        if token % step and not replaced:
            continue
        font = look.font(size, bold=replaced)
        painter.setFont(font)
        painter.setPen(colour_of(look.theme.text))
        box = QRectF(half.title.left(), half.cells.top() + token * half.row, half.labels - look.px(7), half.row)
        text = QFontMetricsF(font).elidedText(word, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    row = half.cell(picture.token, 0)
    row.setWidth(half.cells.width())
    paint_outline(painter, row, look.theme.text, look)


def _paint_legend(painter: QPainter, picture: FuturePicture, room: QRectF, look: Look, *, vector: bool) -> None:
    """Say what the colours are, in a high room on two lines."""
    px = look.px
    line = QRectF(room.left(), room.top(), room.width(), px(FOOT) - px(4))
    middle = line.center().y()
    swatch = QRectF(line.left(), middle - px(7), px(18), px(14))
    painter.fillRect(swatch, colour_of(look.theme.track))
    painter.setFont(look.font(11))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(swatch, Qt.AlignmentFlag.AlignCenter, "=")
    words = "the same bit for bit"
    width = text_size(look.font(11.5), words)[0] + 2
    left = swatch.right() + px(6)
    paint_words(painter, QRectF(left, line.top(), width, line.height()), words, look)
    left += width + px(18)
    bar = QRectF(left, middle - px(7), min(px(230), max(line.right() - left, 8.0)), px(14))
    paint_small_bar(painter, _bar_of(picture), bar, look, vector=vector)
    words = LEGEND_WORDS
    below = room.height() > line.height()
    start = room.left() if below else bar.right() + px(8)
    place = QRectF(start, room.bottom() - line.height(), max(room.right() - start, 0.0), line.height())
    paint_words(painter, place, words, look)


def _bar_of(picture: FuturePicture) -> MapPicture:
    """Return a picture whose colour bar goes from the smallest to the largest change."""
    scale = ColourScale(ScaleKind.LINEAR, picture.smallest, picture.largest, "")
    return MapPicture(np.zeros((1, 1)), np.zeros((1, 1), np.bool_), scale, COLOURS, ("",), ("",))


# ---- Pointing ----


def future_spot(picture: FuturePicture, layout: FutureLayout, place: QPointF) -> Spot:
    """Return the token as the row; as the column the level, those without a mask after those of the causal half.

    Labels and bars are the output: the last level.
    """
    for number, half in enumerate(layout.halves):
        token = int((place.y() - half.cells.top()) // (half.row or 1.0))
        inside = half.title.left() <= place.x() <= half.title.right()
        if inside and 0 <= token < len(picture.tokens):
            level = int((place.x() - half.cells.left()) // (half.column or 1.0))
            held = level if half.cells.left() <= place.x() < half.cells.right() else picture.layers
            return Spot(token, number * (picture.layers + 1) + held)
    return NOWHERE


def mark_future(painter: QPainter, picture: FuturePicture, layout: FutureLayout, look: Look, spot: Spot) -> None:
    """Outline the same row and level in both halves."""
    if spot.row is None or spot.column is None or spot.row >= len(picture.tokens):
        return
    level = spot.column % (picture.layers + 1)
    for half in layout.halves:
        paint_outline(painter, half.cell(spot.row, level), look.theme.text, look)


def spot_words(picture: FuturePicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    if spot.row is None or spot.column is None:
        return ""
    half, level = divmod(spot.column, picture.layers + 1)
    return future_words(picture, half == 0, spot.row, level)


def future_notes(picture: FuturePicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    return notes_of(future_sentences(picture))


def _replaced(state: BlockState, token: int, count: int) -> Change[BlockState] | None:
    held = min(max(token, 0), count - 1)
    if held == changed_shown(state, count):
        return None
    return Change(replace(state, changed_token=held), f"Replace token {state.count.number(held)}", "replaced token")


def _click(
    state: BlockState, picture: FuturePicture, layout: FutureLayout, place: QPointF
) -> Change[BlockState] | None:
    """Replace the token that is clicked."""
    spot = future_spot(picture, layout, place)
    return None if spot.row is None else _replaced(state, spot.row, len(picture.tokens))


def _press(state: BlockState, picture: FuturePicture, key: int) -> Change[BlockState] | None:
    """Up and down: the token before or after."""
    step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key), 0)
    count = len(picture.tokens)
    return _replaced(state, changed_shown(state, count) + step, count) if step else None


def future_drawing() -> PictureDrawing[BlockState, FuturePicture, FutureLayout]:
    """Return how the picture is drawn."""
    return PictureDrawing(
        future_picture,
        future_layout,
        paint_future,
        mark_future,
        future_spot,
        spot_words,
        future_notes,
        click=_click,
        press=_press,
        is_quick=is_quick,
        checkpoints=steps_to_learn,
        uses_pixels=False,
        parts=lambda _picture: ("What changes without the mask", "What changes with the mask"),
        numbers=future_numbers,
    )
