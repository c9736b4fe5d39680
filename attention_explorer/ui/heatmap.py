"""A map of scores or weights as it is drawn: cells, token labels, colour bar. One way for screen and file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from attention_explorer.state.map_picture import MapPicture
from attention_explorer.state.numerals import MINUS
from attention_explorer.state.numerals import signed as signed_number
from attention_explorer.ui.colour_maps import DIVERGING, image_of, pixels_of
from attention_explorer.ui.theme import Look

GAP_FROM = 9.0
"""Cells of at least so many pixels have a line of ground between them."""
HATCH_FROM = 11.0
FAR_FROM_SQUARE = 3
NUMBERS_FROM = 36.0
"""Cells of at least so many pixels carry their number."""
LARGEST_CELL = 110.0
MOST_RECTANGLES = 150 * 150
"""More cells than this go into a drawing as one image: nobody edits them one by one, and files stay small."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Token labels of one axis: every ``step``-th, in a font of ``size`` px, turned by ``angle``, ``room`` px long."""

    size: float
    step: int
    angle: int = 0
    room: float = 0.0


@dataclass(frozen=True, slots=True)
class HeatmapLayout:
    """Where everything of a heatmap is, in the coordinates of its painter."""

    cells: QRectF
    rows: int
    columns: int
    row_labels: Labels
    column_labels: Labels
    bar: QRectF
    sums: QRectF = field(default_factory=QRectF)

    @property
    def cell_height(self) -> float:
        """Pixels a row."""
        return self.cells.height() / max(self.rows, 1)

    @property
    def cell_width(self) -> float:
        """Pixels a column."""
        return self.cells.width() / max(self.columns, 1)

    def rectangle(self, row: int, column: int) -> QRectF:
        """Return the box of a cell, counted from the first one shown."""
        width, height = self.cell_width, self.cell_height
        return QRectF(self.cells.left() + column * width, self.cells.top() + row * height, width, height)

    def row_at(self, y: float) -> int | None:
        """Return the row shown at a height."""
        row = int((y - self.cells.top()) // (self.cell_height or 1.0))
        return row if 0 <= row < self.rows else None

    def column_at(self, x: float) -> int | None:
        """Return the column shown at a place."""
        column = int((x - self.cells.left()) // (self.cell_width or 1.0))
        return column if 0 <= column < self.columns else None


def colour_map_of(picture: MapPicture) -> str:
    """Return the colour map in effect: what has a sign is drawn around 0."""
    return DIVERGING if picture.scale.is_diverging else picture.colour_map


def picture_image(picture: MapPicture, look: Look) -> QImage:
    """Return one pixel a tile."""
    return image_of(pixels_of(picture.positions, picture.masked, colour_map_of(picture), look.theme.masked))


# ---- Layout ----


def layout_of(picture: MapPicture, look: Look, room: QRectF, *, bar: bool = True) -> HeatmapLayout:
    """Fit a heatmap into a room: square cells, labels beside them, the colour bar below."""
    px = look.px
    rows, columns = picture.cells
    sums_width = px(54) if picture.row_sums else 0
    below = px(58) if bar else px(8)
    title = px(20)
    row_room = min(longest_label(picture.row_tokens, look, 13.0), 0.22 * room.width()) + px(10)
    column_longest = longest_label(picture.column_tokens, look, 13.0)
    wide = max(room.width() - row_room - title - sums_width - px(8), px(20))
    slanted = min(column_longest, 0.2 * room.height())
    high = max(room.height() - slanted - title - below - px(8), px(20))
    cell = min(wide / max(columns, 1), high / max(rows, 1), px(LARGEST_CELL))
    # Far from square (one query, many keys) a square cell would be a thread: each side takes what it can get.
    far_from_square = max(rows, columns) > FAR_FROM_SQUARE * min(rows, columns)
    least = px(26) if far_from_square else 0.0
    cell_width = min(wide / max(columns, 1), max(cell, least))
    cell_height = min(high / max(rows, 1), max(cell, least))
    column_labels = _column_labels(picture, look, cell_width, slanted, column_longest)
    row_labels = _row_labels(look, cell_height, row_room)
    width, height = cell_width * columns, cell_height * rows
    overhang = column_labels.room if column_labels.angle == -45 else 0.0
    spare = max(0.0, room.width() - title - row_room - width - max(sums_width, overhang))
    left = room.left() + title + row_room + spare / 2
    top_room = column_height(column_labels, look)
    spare_height = max(0.0, room.height() - top_room - title - height - below)
    top = room.top() + title + top_room + min(spare_height / 2, px(24))
    cells = QRectF(left, top, width, height)
    beside = px(40) + small_width(look, picture.masked_word) if picture.masked.any() else px(10)
    bar_width = min(max(width, px(160)), px(300), max(room.width() - beside, px(60)))
    bar_left = max(min(left, room.right() - bar_width - beside), room.left())
    bar_box = QRectF(bar_left, cells.bottom() + px(16), bar_width, px(12)) if bar else QRectF()
    sums = QRectF(cells.right() + px(4), top, sums_width, height) if picture.row_sums else QRectF()
    return HeatmapLayout(cells, rows, columns, row_labels, column_labels, bar_box, sums)


def longest_label(tokens: tuple[str, ...], look: Look, size: float) -> float:
    """Return how wide the widest token is in a font of ``size`` px at zoom 1."""
    return _widest(tokens, round(size * look.zoom)) + look.px(4)


@lru_cache(maxsize=64)
def _widest(tokens: tuple[str, ...], pixels: int) -> float:
    metrics = QFontMetricsF(Look().font(pixels))
    # The widest of the longest few: measuring thousands of words would take longer than drawing them.
    longest = sorted(set(tokens), key=len, reverse=True)[:12]
    return max((metrics.horizontalAdvance(token) for token in longest), default=0.0)


def small_width(look: Look, text: str) -> float:
    """Return how wide a text in small print is."""
    return QFontMetricsF(look.font(11.5)).horizontalAdvance(text)


def label_size(look: Look, cell: float) -> tuple[float, int]:
    """Return a font size in px at zoom 1, and which share of the labels has room for it."""
    size = min(13.0, max(9.0, 0.72 * cell / look.zoom))
    return size, max(1, -int(-(size * 1.25 * look.zoom) // max(cell, 0.01)))


def _row_labels(look: Look, cell: float, room: float) -> Labels:
    size, step = label_size(look, cell)
    return Labels(size, step, 0, room - look.px(10))


def _column_labels(picture: MapPicture, look: Look, cell: float, slanted: float, longest: float) -> Labels:
    if longest <= cell - look.px(6):
        return Labels(13.0, 1, 0, cell)
    size, step = label_size(look, cell)
    # Side by side and slanted, lines of text need more room than upright ones.
    angle = -45 if cell >= look.px(18) else -90
    return Labels(size, step, angle, slanted)


def column_height(labels: Labels, look: Look) -> float:
    """Return how much room column labels take above the cells."""
    if labels.angle == 0:
        return float(look.px(22))
    return labels.room * (0.75 if labels.angle == -45 else 1.0) + look.px(12)


# ---- Painting ----


def paint_heatmap(
    painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look, *, vector: bool = False, bar: bool = True
) -> None:
    """Paint cells, labels, axis titles and colour bar; ``vector`` draws rectangles instead of an image."""
    paint_cells(painter, picture, layout, look, vector=vector)
    paint_labels(painter, picture, layout, look)
    if picture.row_sums:
        _paint_sums(painter, picture, layout, look)
    if bar:
        paint_bar(painter, picture, layout.bar, look, vector=vector)


def paint_cells(
    painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint the cells with hatching on masked ones, gaps and numbers where there is room."""
    box = layout.cells
    if vector and picture.values.size <= MOST_RECTANGLES:
        _paint_rectangles(painter, picture, layout, look)
    else:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(box, picture_image(picture, look))
    small = min(layout.cell_width, layout.cell_height)
    if small >= look.px(HATCH_FROM):
        _paint_hatching(painter, picture, layout, look)
    if small >= look.px(GAP_FROM):
        _paint_gaps(painter, layout, look)
    if layout.cell_width >= look.px(NUMBERS_FROM) and layout.cell_height >= look.px(18):
        _paint_numbers(painter, picture, layout, look)


def _paint_rectangles(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    """Draw runs of equal colour as rectangles: cells that can be edited, and no more of them than needed."""
    pixels = pixels_of(picture.positions, picture.masked, colour_map_of(picture), look.theme.masked)
    height, width = pixels.shape
    step_x, step_y = layout.cells.width() / width, layout.cells.height() / height
    painter.setPen(Qt.PenStyle.NoPen)
    for row in range(height):
        line = pixels[row]
        starts = np.flatnonzero(np.diff(line, prepend=~line[0])).tolist()
        for start, end in zip(starts, [*starts[1:], width], strict=True):
            left, top = layout.cells.left() + start * step_x, layout.cells.top() + row * step_y
            painter.fillRect(QRectF(left, top, (end - start) * step_x, step_y), QColor.fromRgb(int(line[start])))


def _paint_hatching(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    painter.setPen(QColor(look.theme.masked_line))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inset_x, inset_y = 0.3 * layout.cell_width, 0.3 * layout.cell_height
    for row, column in np.argwhere(picture.masked).tolist():
        box = layout.rectangle(row, column).adjusted(inset_x, inset_y, -inset_x, -inset_y)
        painter.drawLine(box.bottomLeft(), box.topRight())


def _paint_gaps(painter: QPainter, layout: HeatmapLayout, look: Look) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    ground, box = QColor(look.theme.card), layout.cells
    for row in range(1, layout.rows):
        painter.fillRect(QRectF(box.left(), box.top() + row * layout.cell_height - 0.5, box.width(), 1), ground)
    for column in range(1, layout.columns):
        painter.fillRect(QRectF(box.left() + column * layout.cell_width - 0.5, box.top(), 1, box.height()), ground)


def _paint_numbers(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    pixels = pixels_of(picture.positions, None, colour_map_of(picture), look.theme.masked)
    painter.setFont(look.font(min(18.0, max(11.5, 0.24 * layout.cell_width / look.zoom))))
    for row, column in np.argwhere(~picture.masked).tolist():
        painter.setPen(readable_ink(int(pixels[row, column])))
        text = cell_text(float(picture.values[row, column]), signed=picture.scale.is_diverging)
        painter.drawText(layout.rectangle(row, column), Qt.AlignmentFlag.AlignCenter, text)


def cell_text(number: float, *, signed: bool) -> str:
    """Return a number short enough for a cell: .38, 1, −1.2."""
    if signed:
        return signed_number(number) if abs(number) < 10 else ("+" if number > 0 else MINUS) + f"{abs(number):.3g}"
    text = f"{number:.3f}" if number < 0.9995 else "1"
    return text.removeprefix("0")


def readable_ink(pixel: int) -> QColor:
    """Return black or white, whichever stands out from a colour."""
    colour = QColor.fromRgb(pixel)
    light = 0.299 * colour.redF() + 0.587 * colour.greenF() + 0.114 * colour.blueF()
    return QColor("#101010") if light > 0.5 else QColor("#ffffff")


def paint_labels(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    """Paint the tokens along both axes, and what the axes are."""
    painter.setPen(QColor(look.theme.text))
    for row in range(0, layout.rows, layout.row_labels.step):
        paint_row_label(painter, picture, layout, look, row)
    for column in range(0, layout.columns, layout.column_labels.step):
        paint_column_label(painter, picture, layout, look, column)
    painter.setFont(look.font(12))
    painter.setPen(QColor(look.theme.query_ink))
    cells, px = layout.cells, look.px
    painter.save()
    left = cells.left() - layout.row_labels.room - px(24)
    painter.translate(left, cells.center().y())
    painter.rotate(-90)
    half = max(cells.height() / 2, px(90))
    painter.drawText(QRectF(-half, -px(8), 2 * half, px(18)), Qt.AlignmentFlag.AlignCenter, picture.row_title)
    painter.restore()
    painter.setPen(QColor(look.theme.key_ink))
    top = cells.top() - column_height(layout.column_labels, look) - px(18)
    half = max(cells.width() / 2, px(60))
    box = QRectF(cells.center().x() - half, top, 2 * half, px(18))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, picture.column_title)


def paint_row_label(
    painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look, row: int, *, lit: bool = False
) -> None:
    """Paint the token of a row; ``lit`` while it is pointed at."""
    labels = layout.row_labels
    font = look.font(max(labels.size, 12.0) if lit else labels.size, bold=lit)
    painter.setFont(font)
    right, middle = layout.cells.left() - look.px(7), layout.cells.top() + (row + 0.5) * layout.cell_height
    text = QFontMetricsF(font).elidedText(picture.row_tokens[row], Qt.TextElideMode.ElideRight, labels.room + 1)
    box = QRectF(right - labels.room - look.px(4), middle - look.px(10), labels.room + look.px(4), look.px(20))
    if lit:
        painter.fillRect(box.adjusted(0, look.px(2), 0, -look.px(2)), QColor(look.theme.card))
        painter.setPen(QColor(look.theme.query_ink))
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


def paint_column_label(
    painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look, column: int, *, lit: bool = False
) -> None:
    """Paint the token of a column, slanted or upright where it does not fit across; ``lit`` while pointed at."""
    labels = layout.column_labels
    font = look.font(max(labels.size, 12.0) if lit else labels.size, bold=lit)
    painter.setFont(font)
    middle, foot = layout.cells.left() + (column + 0.5) * layout.cell_width, layout.cells.top() - look.px(5)
    room = labels.room if labels.angle else layout.cell_width
    text = QFontMetricsF(font).elidedText(picture.column_tokens[column], Qt.TextElideMode.ElideRight, room + 1)
    if lit:
        painter.setPen(QColor(look.theme.key_ink))
    if labels.angle == 0:
        box = QRectF(middle - layout.cell_width / 2, foot - look.px(18), layout.cell_width, look.px(18))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        return
    painter.save()
    painter.translate(QPointF(middle, foot))
    painter.rotate(labels.angle)
    box = QRectF(0, -look.px(10), labels.room + look.px(6), look.px(20))
    if lit:
        painter.fillRect(box.adjusted(look.px(2), look.px(3), 0, -look.px(3)), QColor(look.theme.card))
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    painter.restore()


def _paint_sums(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    """Write each row's sum in the margin."""
    painter.setFont(look.font(min(12.0, layout.row_labels.size)))
    step = layout.row_labels.step
    for row in range(0, layout.rows, step):
        total = picture.row_sums[row]
        painter.setPen(QColor(look.theme.muted if abs(total - 1.0) < 1e-6 else look.theme.loss_ink))
        middle = layout.cells.top() + (row + 0.5) * layout.cell_height
        box = QRectF(layout.sums.left(), middle - look.px(9), layout.sums.width(), look.px(18))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, flags, f"{total:.4f}")
    painter.setPen(QColor(look.theme.muted))
    box = QRectF(layout.sums.left(), layout.cells.bottom(), layout.sums.width(), look.px(16))
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "row sum")


def paint_bar(painter: QPainter, picture: MapPicture, box: QRectF, look: Look, *, vector: bool = False) -> None:
    """Paint the colour bar with its ticks, and beside it what masked cells look like, if there are any."""
    steps = 64 if vector else 256
    positions = np.linspace(0.0, 1.0, steps)[None, :]
    pixels = pixels_of(positions, None, colour_map_of(picture), look.theme.masked)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    if vector:
        width = box.width() / steps
        for i in range(steps):
            colour = QColor.fromRgb(int(pixels[0, i]))
            painter.fillRect(QRectF(box.left() + i * width, box.top(), width + 0.4, box.height()), colour)
    else:
        painter.drawImage(box, image_of(pixels))
    painter.setFont(look.font(11.5))
    painter.setPen(QColor(look.theme.muted))
    row = QRectF(box.left(), box.bottom() + look.px(2), box.width(), look.px(16))
    for position, text in picture.scale.ticks():
        _paint_tick(painter, row, position, text)
    title = row.translated(0, look.px(13)) if len(picture.scale.ticks()) > 2 else row
    painter.drawText(title, Qt.AlignmentFlag.AlignCenter, picture.scale.title)
    if picture.masked.any():
        _paint_masked_sample(painter, picture.masked_word, box, look)


def _paint_tick(painter: QPainter, row: QRectF, position: float, text: str) -> None:
    width = painter.fontMetrics().horizontalAdvance(text) + 4
    left = min(max(row.left() + position * row.width() - width / 2, row.left()), row.right() - width)
    if 0 < position < 1:
        flags = Qt.AlignmentFlag.AlignHCenter
    else:
        flags = Qt.AlignmentFlag.AlignLeft if position <= 0 else Qt.AlignmentFlag.AlignRight
    painter.drawText(QRectF(left, row.top(), width, row.height()), flags | Qt.AlignmentFlag.AlignVCenter, text)


def _paint_masked_sample(painter: QPainter, word: str, box: QRectF, look: Look) -> None:
    side = box.height()
    sample = QRectF(box.right() + look.px(22), box.top(), side, side)
    painter.fillRect(sample, QColor(look.theme.masked))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(look.theme.masked_line))
    painter.drawLine(sample.bottomLeft() + QPointF(3, -3), sample.topRight() + QPointF(-3, 3))
    painter.setPen(QColor(look.theme.muted))
    words = QRectF(sample.right() + look.px(6), box.top() - 3, look.px(120), side + 6)
    painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, word)
