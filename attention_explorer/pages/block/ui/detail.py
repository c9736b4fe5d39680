"""The box that is looked at, large: its numbers with tokens and axes, and how long each token is before and after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import compact
from attention_explorer.kit.drawing.cell_marks import cover
from attention_explorer.kit.drawing.colour_bar import paint_small_bar
from attention_explorer.kit.drawing.heatmap import BESIDE, paint_cells, paint_column_labels, paint_row_labels
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels, label_size, longest_label
from attention_explorer.kit.drawing.marks import colour_of, pen, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.block.boxes import Box, Form
from attention_explorer.pages.block.diagram import DiagramPicture
from attention_explorer.pages.block.ui.boxes import (
    colour_map_name,
    ink_of_box,
    masked_cells,
    outline,
    sampled,
    scale_of,
)

HEADING, BAR, COLUMN_TITLE = 21, 16, 17
WIDEST_CELL, HIGHEST_CELL = 90, 64
TICK_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
BARS_SHARE, BARS_LEAST, BARS_MOST = 0.27, 170, 380
NUMBERS = 92
"""Pixels at zoom 1 for the numbers beside the bars."""
LEAST_BARS = 6
"""Pixels at zoom 1 of a row that has room for two bars."""


@dataclass(frozen=True, slots=True)
class DetailLayout:
    """Where the large map is, with what is drawn in it, and the bars of the norms beside it."""

    heading: QRectF
    map: MapPicture
    cells: HeatmapLayout
    bars: QRectF
    """The rows of the bars are those of the map."""
    bars_title: QRectF

    def row_at(self, y: float) -> int | None:
        """Return the token at a height."""
        return self.cells.row_at(y)


def detail_layout(picture: DiagramPicture, look: Look, room: QRectF) -> DetailLayout:
    """Fit the large map and the bars into a room."""
    px, box = look.px, picture.chosen
    rows, columns = box.part(0).shape
    heading = QRectF(room.left(), room.top(), room.width(), px(HEADING))
    bars_width = min(max(BARS_SHARE * room.width(), px(BARS_LEAST)), px(BARS_MOST))
    least = px(84 if box.form is Form.KEYS else 52)  # the names of the axes stand above the labels
    label_room = max(min(longest_label(picture.tokens, look, 13.0), 0.16 * room.width()), least)
    left = room.left() + label_room + px(10)
    wide = max(room.right() - bars_width - px(18) - left, px(30))
    width = min(wide / columns, px(WIDEST_CELL))
    column_labels = _column_labels(picture, box, look, width)
    above = px(HEADING) + (px(COLUMN_TITLE) if column_labels.angle == 0 else 0.75 * column_labels.room + px(12))
    high = max(room.height() - above - px(BAR) - px(8), px(20))
    height = min(high / rows, px(HIGHEST_CELL))
    cells = QRectF(left, room.top() + above, width * columns, height * rows)
    size, step = label_size(look, height)
    bar = QRectF(left, cells.bottom() + px(4), min(max(cells.width(), px(150)), px(260)), px(BAR))
    map_ = _map_picture(picture, box, cells)
    layout = HeatmapLayout(cells, rows, columns, Labels(size, step, 0, label_room), column_labels, bar)
    bars = QRectF(room.right() - bars_width, cells.top(), bars_width, cells.height())
    lift = max(px(8) - height / 2, 0.0)  # the numbers of a low row reach above it
    title = QRectF(bars.left(), bars.top() - px(COLUMN_TITLE) - lift, bars.width(), px(COLUMN_TITLE))
    return DetailLayout(heading, map_, layout, bars, title)


def _column_labels(picture: DiagramPicture, box: Box, look: Look, width: float) -> Labels:
    px = look.px
    if box.form is Form.KEYS:
        longest = longest_label(picture.tokens, look, 12.0)
        if longest <= width - px(4):
            return Labels(12.0, 1, 0, width)
        size, step = label_size(look, width)
        return Labels(size, step, -45 if width >= px(18) else -90, min(longest, px(52)))
    widest = text_size(look.font(11), str(box.first.shape[-1]))[0] + px(6)
    step = next((step for step in TICK_STEPS if step * width >= widest), TICK_STEPS[-1])
    return Labels(11.0, step, 0, max(step * width, widest))


def _map_picture(picture: DiagramPicture, box: Box, cells: QRectF) -> MapPicture:
    array = box.part(picture.state.head_shown)
    rows, columns = sampled(array.shape[0], cells.height()), sampled(array.shape[1], cells.width())
    values = array[rows][:, columns]
    hidden = masked_cells(picture, box)
    masked = np.zeros(values.shape, np.bool_) if hidden is None else hidden[rows][:, columns]
    names = picture.tokens if box.form is Form.KEYS else tuple(map(str, range(array.shape[1])))
    return MapPicture(values, masked, scale_of(box), colour_map_name(box), picture.tokens, names)


# ---- Painting ----


def paint_detail(
    painter: QPainter, picture: DiagramPicture, layout: DetailLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint heading, map, colour bar and bars."""
    _paint_heading(painter, picture, layout, look)
    cells = layout.cells
    paint_cells(painter, layout.map, cells, look, vector=vector)
    paint_row_labels(painter, layout.map, cells, look)
    _paint_columns(painter, picture, layout, look)
    paint_small_bar(painter, layout.map, cells.bar, look, vector=vector)
    _paint_bars(painter, picture, layout, look)
    if picture.token is not None:
        mark_token(painter, picture, layout, look, picture.token)


def _paint_heading(painter: QPainter, picture: DiagramPicture, layout: DetailLayout, look: Look) -> None:
    box, theme, line = picture.chosen, look.theme, layout.heading
    bold, plain = look.font(13, bold=True), look.font(12)
    head = f", {picture.state.count.head(picture.state.head_shown)} of {picture.state.heads}" if box.has_heads else ""
    sequence = f", sequence {picture.state.count.number(0)} of {picture.state.batch}" if picture.state.batch > 1 else ""
    title = f"{box.what}{head}{sequence}"
    middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.setFont(bold)
    painter.setPen(colour_of(ink_of_box(box, theme)))
    painter.drawText(line, middle, QFontMetricsF(bold).elidedText(title, Qt.TextElideMode.ElideRight, line.width()))
    left = line.left() + text_size(bold, title)[0] + look.px(10)
    room = QRectF(left, line.top(), max(line.right() - left, 0.0), line.height())
    text = QFontMetricsF(plain).elidedText(box.formula, Qt.TextElideMode.ElideRight, room.width())
    if look.still and text != box.formula:
        return  # where nobody can look it up, half a formula says nothing
    painter.setFont(plain)
    painter.setPen(colour_of(theme.muted))
    painter.drawText(room, middle, text)


def _paint_columns(painter: QPainter, picture: DiagramPicture, layout: DetailLayout, look: Look) -> None:
    cells, px, theme = layout.cells, look.px, look.theme
    labels, box = cells.column_labels, picture.chosen
    if box.form is Form.KEYS and labels.angle:
        paint_column_labels(painter, layout.map, cells, look)
    else:
        painter.setFont(look.font(labels.size))
        painter.setPen(colour_of(theme.text if box.form is Form.KEYS else theme.muted))
        for column in range(0, cells.columns, labels.step):
            middle = cells.cells.left() + (column + 0.5) * cells.cell_width
            text = QRectF(middle - labels.room / 2, cells.cells.top() - px(COLUMN_TITLE), labels.room, px(15))
            painter.drawText(text, Qt.AlignmentFlag.AlignCenter, layout.map.column_tokens[column])
    if not look.axis_names:
        return
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    painter.setFont(look.font(11))
    top = cells.cells.top() - px(COLUMN_TITLE)
    corner = QRectF(cells.cells.left() - px(100), top, px(93), px(15))
    if box.form is Form.KEYS:
        painter.setPen(colour_of(theme.key_ink))
        painter.drawText(corner, right, "key →")
        painter.setPen(colour_of(theme.query_ink))
        painter.drawText(corner.translated(-text_size(look.font(11), "key →")[0] - px(7), 0), right, "query ↓")
        return
    painter.setPen(colour_of(theme.muted))
    painter.drawText(corner, right, "feature →")


def _paint_bars(painter: QPainter, picture: DiagramPicture, layout: DetailLayout, look: Look) -> None:
    """Paint two bars a token: how long its row is as it enters and as it leaves the layer; for low rows two lines."""
    px, theme, rows = look.px, look.theme, layout.cells
    painter.setFont(look.font(11.5))
    painter.setPen(colour_of(theme.muted))
    title = _bars_title(layout, look)
    painter.drawText(layout.bars_title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
    _paint_legend(painter, layout, look, title)
    wide = max(layout.bars.width() - px(NUMBERS), px(20))
    largest = max(float(picture.before.max()), float(picture.after.max())) or 1.0
    height = rows.cell_height
    middles = [layout.bars.top() + (row + 0.5) * height for row in range(rows.rows)]
    thick = min(0.4 * height, px(8))
    for norms, colour, up in ((picture.before, theme.axis, thick), (picture.after, theme.text, 0.0)):
        lengths = (wide * norms / largest).tolist()
        if height < px(LEAST_BARS):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(pen(colour, 1.5))
            painter.drawPolyline([QPointF(layout.bars.left() + x, y) for x, y in zip(lengths, middles, strict=True)])
            continue
        for x, y in zip(lengths, middles, strict=True):
            bar = QRectF(layout.bars.left(), y - up, max(x, 1.0), max(thick - 1, 0.5))
            painter.fillRect(bar, colour_of(colour))
    painter.setFont(look.font(min(12.0, max(9.0, 0.72 * height / look.zoom))))
    painter.setPen(colour_of(theme.text))
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for row in range(0, rows.rows, rows.row_labels.step):
        text = QRectF(layout.bars.right() - px(NUMBERS - 4), middles[row] - px(9), px(NUMBERS - 4), px(18))
        painter.drawText(text, right, f"{_norm(float(picture.before[row]))} → {_norm(float(picture.after[row]))}")


def _bars_title(layout: DetailLayout, look: Look) -> str:
    """Return what the bars are, in as many words as leave room for which of two is which."""
    font, px = look.font(11.5), look.px
    rest = sum(text_size(font, name)[0] for name in ("before", "after")) + 2 * px(12) + px(10) + px(12)
    return "token norm" if text_size(font, "token norm")[0] + rest <= layout.bars_title.width() else "norm"


def _paint_legend(painter: QPainter, layout: DetailLayout, look: Look, title: str) -> None:
    """Say which of two bars is which."""
    font, px, line = look.font(11.5), look.px, layout.bars_title
    left = line.left() + text_size(font, title)[0] + px(10)
    for name, colour in (("before", look.theme.axis), ("after", look.theme.text)):
        painter.fillRect(QRectF(left, line.center().y() - px(4), px(8), px(8)), colour_of(colour))
        width = text_size(font, name)[0]
        text = QRectF(left + px(12), line.top(), width + 2, line.height())
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        left += width + px(24)


def _norm(number: float) -> str:
    return f"{number:.2f}" if 0.1 <= number < 1000 or number == 0.0 else compact(number)


def mark_token(painter: QPainter, picture: DiagramPicture, layout: DetailLayout, look: Look, token: int) -> None:
    """Light up a token: its label and its row."""
    cells = layout.cells
    _paint_lit_label(painter, layout, look, token)
    row = cells.rectangle(token, 0).united(cells.rectangle(token, cells.columns - 1))
    outline(painter, picture.chosen, row, look)


def _paint_lit_label(painter: QPainter, layout: DetailLayout, look: Look, row: int) -> None:
    """Write the token of a row bold, over those that are in the way."""
    cells, px = layout.cells, look.px
    font = look.font(max(cells.row_labels.size, 12.0), bold=True)
    room, middle = cells.row_labels.room, cells.cells.top() + (row + 0.5) * cells.cell_height
    box = QRectF(cells.cells.left() - room - px(10), middle - px(9), room + px(3), px(18))
    cover(painter, box.adjusted(0, px(1), 0, -px(1)), look)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    text = QFontMetricsF(font).elidedText(layout.map.row_tokens[row], Qt.TextElideMode.ElideRight, room + px(3))
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | BESIDE, text)


def mark_cell(
    painter: QPainter, picture: DiagramPicture, layout: DetailLayout, look: Look, row: int, column: int
) -> None:
    """Light up a cell, and the name of its row."""
    _paint_lit_label(painter, layout, look, row)
    outline(painter, picture.chosen, layout.cells.rectangle(row, column), look)


def label_box(layout: DetailLayout) -> QRectF:
    """Return where the names of the rows are."""
    cells, room = layout.cells.cells, layout.cells.row_labels.room
    return QRectF(QPointF(cells.left() - room - 12, cells.top()), QPointF(cells.left(), cells.bottom()))
