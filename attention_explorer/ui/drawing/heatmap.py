"""A map of scores or weights as it is drawn: cells, token labels, colour bar. One way for screen and file."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from attention_explorer.state.colour_scale import ColourScale
from attention_explorer.state.map_picture import MapPicture
from attention_explorer.ui.drawing.cell_marks import cell_text, cover, paint_hatching, paint_numbers
from attention_explorer.ui.drawing.colour_maps import DIVERGING, image_of, pixels_of
from attention_explorer.ui.theme import Look

GAP_FROM = 9.0
"""Cells of at least so many pixels have a line of ground between them."""
FAR_FROM_SQUARE = 3
NUMBERS_FROM = 36.0
"""Cells of at least so many pixels carry their number, if all of them fit."""
LARGEST_CELL, LARGEST_LABEL = 110.0, 13.0
"""Pixels at zoom 1."""
LARGEST_SHARE = 0.25
"""In a large room a cell may take this share of its shorter side, so that few tokens do not stand in a corner."""
LINE_HEIGHT = 1.25
"""How high a line of labels is, in sizes of its font."""
SMALLEST_LIT = 12.0
"""Pixels at zoom 1 of the font of a label that is pointed at, however small the others are."""
BESIDE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
"""Words that run from right to left begin at their cells like all others."""


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


def layout_of(
    picture: MapPicture, look: Look, room: QRectF, *, bar: bool = True, steady: bool = False
) -> HeatmapLayout:
    """Fit a heatmap into a room: square cells, labels beside them, the colour bar below.

    ``steady`` keeps room for any label at the right edge, so that nothing jumps while a part of a map moves on.
    """
    layout = _layout_for(picture, look, room, (LARGEST_LABEL, LARGEST_LABEL), bar=bar, steady=steady)
    sizes = layout.row_labels.size, layout.column_labels.size
    if look.still and min(sizes) < LARGEST_LABEL:
        # Small labels take less room, and none of them will ever be lit and written larger.
        layout = _layout_for(picture, look, room, sizes, bar=bar, steady=steady)
    return layout


def _layout_for(
    picture: MapPicture, look: Look, room: QRectF, sizes: tuple[float, float], *, bar: bool, steady: bool
) -> HeatmapLayout:
    """Fit a heatmap whose labels of rows and columns have fonts of at most some sizes (px at zoom 1)."""
    px = look.px
    bar = bar and look.colour_bars
    rows, columns = picture.cells
    sums_width = px(54) if picture.row_sums else 0
    bar_gap = px(16) + (px(10) if picture.row_sums else 0)  # "row sum" stands below the cells
    below = bar_gap + px(44) if bar else px(8)
    title = px(20) if look.axis_names else 0
    row_room = min(longest_label(picture.row_tokens, look, sizes[0]), 0.22 * room.width()) + px(10)
    column_longest = longest_label(picture.column_tokens, look, sizes[1])
    wide = max(room.width() - row_room - title - sums_width - px(8), px(20))
    slanted = min(column_longest, 0.2 * room.height())
    high = max(room.height() - slanted - title - below - px(8), px(20))
    largest = max(px(LARGEST_CELL), LARGEST_SHARE * min(wide, high))
    cell = min(wide / max(columns, 1), high / max(rows, 1), largest)
    # Far from square (one query, many keys) a square cell would be a thread: each side takes what it can get.
    far_from_square = max(rows, columns) > FAR_FROM_SQUARE * min(rows, columns)
    least = px(26) if far_from_square else 0.0
    cell_width = min(wide / max(columns, 1), max(cell, least))
    cell_height = min(high / max(rows, 1), max(cell, least))
    column_labels = _column_labels(look, cell_width, slanted, column_longest, sizes[1])
    overhang = _overhang(picture, look, column_labels, cell_width, steady=steady)
    if cell_width * columns + max(overhang - sums_width, 0.0) > wide:
        # The last labels lean out over the edge: the cells give way, all sides of a square one.
        narrower = (wide - max(overhang - sums_width, 0.0)) / max(columns, 1)
        cell_height = cell_height if far_from_square else min(cell_height, narrower)
        cell_width = narrower
    row_labels = _row_labels(look, cell_height, row_room, sizes[0])
    width, height = cell_width * columns, cell_height * rows
    spare = max(0.0, room.width() - title - row_room - width - max(sums_width, overhang))
    left = room.left() + title + row_room + spare / 2
    top_room = column_height(column_labels, look)
    spare_height = max(0.0, room.height() - top_room - title - height - below)
    top = room.top() + title + top_room + min(spare_height / 2, px(24))
    cells = QRectF(left, top, width, height)
    beside = px(40) + small_width(look, picture.masked_word) if picture.masked.any() else px(10)
    bar_width = min(max(width, px(160)), px(300), max(room.width() - beside, px(60)))
    bar_left = max(min(left, room.right() - bar_width - beside), room.left())
    bar_box = QRectF(bar_left, cells.bottom() + bar_gap, bar_width, px(12)) if bar else QRectF()
    sums = QRectF(cells.right() + px(4), top, sums_width, height) if picture.row_sums else QRectF()
    return HeatmapLayout(cells, rows, columns, row_labels, column_labels, bar_box, sums)


def longest_label(tokens: tuple[str, ...], look: Look, size: float) -> float:
    """Return how wide the widest token is in a font of ``size`` px at zoom 1; 0 if none is to be drawn."""
    if not look.token_labels:
        return 0.0
    return _widest(tokens, round(size * look.zoom)) + look.px(4)


@lru_cache(maxsize=64)
def _widest(tokens: tuple[str, ...], pixels: int) -> float:
    metrics = QFontMetricsF(Look().font(pixels, bold=True))  # as it is while it is pointed at
    # The widest of the longest few: measuring thousands of words would take longer than drawing them.
    longest = sorted(set(tokens), key=len, reverse=True)[:12]
    return max((metrics.horizontalAdvance(token) for token in longest), default=0.0)


def small_width(look: Look, text: str) -> float:
    """Return how wide a text in small print is."""
    return QFontMetricsF(look.font(11.5)).horizontalAdvance(text)


def label_size(look: Look, cell: float) -> tuple[float, int]:
    """Return a font size in px at zoom 1, and which share of the labels has room for it."""
    size = min(13.0, max(9.0, 0.72 * cell / look.zoom))
    return size, max(1, -int(-(size * LINE_HEIGHT * look.zoom) // max(cell, 0.01)))


def _row_labels(look: Look, cell: float, room: float, most: float) -> Labels:
    size, step = label_size(look, cell)
    return Labels(min(size, most), step, 0, room - look.px(10))


def _column_labels(look: Look, cell: float, slanted: float, longest: float, most: float) -> Labels:
    if longest <= cell - look.px(6):
        return Labels(most, 1, 0, cell)
    size, step = label_size(look, cell)
    size = min(size, most)
    # Side by side and slanted, lines of text need more room than upright ones.
    angle = -45 if cell >= look.px(18) else -90
    return Labels(size, step, angle, slanted)


def _overhang(picture: MapPicture, look: Look, labels: Labels, cell: float, *, steady: bool) -> float:
    """Return how far slanted labels of the last columns reach out over the right edge of the cells."""
    if labels.angle != -45:
        return 0.0
    metrics = QFontMetricsF(look.font(labels.size, bold=True))
    lengths = [metrics.horizontalAdvance(token) for token in reversed(picture.column_tokens[-12:])]
    if steady:
        lengths = [labels.room]
    reach = 0.0
    for place, length in enumerate(lengths):
        along = min(length, labels.room) + 0.5 * metrics.height()
        reach = max(reach, math.cos(math.radians(45)) * along - (place + 0.5) * cell)
    return reach + look.px(2)


def column_height(labels: Labels, look: Look) -> float:
    """Return how much room column labels take above the cells."""
    if not look.token_labels:
        return float(look.px(4))
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
    if look.axis_names:
        _paint_axis_names(painter, picture, layout, look)
    if picture.row_sums:
        _paint_sums(painter, picture, layout, look)
    if bar:
        paint_bar(painter, picture, layout.bar, look, vector=vector)


def paint_cells(
    painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint the cells with hatching on masked ones, gaps and numbers where there is room."""
    box = layout.cells
    if vector and picture.values.size <= look.most_rectangles:
        _paint_rectangles(painter, picture, layout, look)
    else:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(box, picture_image(picture, look))
    small = min(layout.cell_width, layout.cell_height)
    paint_hatching(painter, picture.masked, box, look)
    if small >= look.px(GAP_FROM):
        _paint_gaps(painter, layout, look, vector=vector)
    if layout.cell_width >= look.px(NUMBERS_FROM) and layout.cell_height >= look.px(18):
        _paint_numbers(painter, picture, layout, look)


def _paint_rectangles(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    pixels = pixels_of(picture.positions, picture.masked, colour_map_of(picture), look.theme.masked)
    paint_runs(painter, pixels, layout.cells)


def paint_runs(painter: QPainter, pixels: np.typing.NDArray[np.uint32], box: QRectF) -> None:
    """Draw runs of equal colour as rectangles: cells that can be edited, and no more of them than needed."""
    height, width = pixels.shape
    step_x, step_y = box.width() / width, box.height() / height
    painter.setPen(Qt.PenStyle.NoPen)
    for row in range(height):
        line = pixels[row]
        starts = np.flatnonzero(np.diff(line, prepend=~line[0])).tolist()
        for start, end in zip(starts, [*starts[1:], width], strict=True):
            left, top = box.left() + start * step_x, box.top() + row * step_y
            painter.fillRect(QRectF(left, top, (end - start) * step_x, step_y), QColor.fromRgb(int(line[start])))


def _paint_gaps(painter: QPainter, layout: HeatmapLayout, look: Look, *, vector: bool) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    ground, box = QColor(look.theme.card), layout.cells
    # Whole pixels of the image: else lines of one picture would be of two widths, and some would vanish.
    scale = 1.0 if vector else max(painter.deviceTransform().m11(), 0.01)
    wide = max(1, round(scale)) / scale
    for row in range(1, layout.rows):
        line = QRectF(box.left(), box.top() + row * layout.cell_height - wide / 2, box.width(), wide)
        painter.fillRect(line, ground)
    for column in range(1, layout.columns):
        line = QRectF(box.left() + column * layout.cell_width - wide / 2, box.top(), wide, box.height())
        painter.fillRect(line, ground)


def _paint_numbers(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    pixels = pixels_of(picture.positions, None, colour_map_of(picture), look.theme.masked)
    shown = np.argwhere(~picture.masked).tolist()
    texts = [cell_text(float(picture.values[row, column]), signed=picture.scale.is_diverging) for row, column in shown]
    boxes = [layout.rectangle(row, column) for row, column in shown]
    paint_numbers(painter, texts, boxes, [int(pixels[row, column]) for row, column in shown], look)


def paint_labels(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    """Paint the tokens along both axes."""
    painter.setPen(QColor(look.theme.text))
    for row in range(0, layout.rows, layout.row_labels.step):
        paint_row_label(painter, picture, layout, look, row)
    for column in range(0, layout.columns, layout.column_labels.step):
        paint_column_label(painter, picture, layout, look, column)


def _paint_axis_names(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
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
    if not look.token_labels:
        return
    labels = layout.row_labels
    font = _label_font(labels, look, picture.row_tokens[row], labels.room, lit=lit)
    painter.setFont(font)
    right, middle = layout.cells.left() - look.px(7), layout.cells.top() + (row + 0.5) * layout.cell_height
    text = QFontMetricsF(font).elidedText(picture.row_tokens[row], Qt.TextElideMode.ElideRight, labels.room + 1)
    box = QRectF(right - labels.room - look.px(4), middle - look.px(10), labels.room + look.px(4), look.px(20))
    if lit:
        half = 0.5 * LINE_HEIGHT * labels.size * look.zoom
        for away in _overlapped(labels, look, row, layout.rows, layout.cell_height):
            cover(painter, QRectF(box.left(), middle + away - half, box.width() + 2, 2 * half), look)
        cover(painter, box.adjusted(0, look.px(2), 0, -look.px(2)), look)
        painter.setPen(QColor(look.theme.query_ink))
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | BESIDE, text)


def paint_column_label(
    painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look, column: int, *, lit: bool = False
) -> None:
    """Paint the token of a column, slanted or upright where it does not fit across; ``lit`` while pointed at."""
    if not look.token_labels:
        return
    labels = layout.column_labels
    room = labels.room if labels.angle else layout.cell_width
    font = _label_font(labels, look, picture.column_tokens[column], room, lit=lit)
    painter.setFont(font)
    middle, foot = layout.cells.left() + (column + 0.5) * layout.cell_width, layout.cells.top() - look.px(5)
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
        _cover_column(painter, layout, look, column, box)
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | BESIDE, text)
    painter.restore()


def _label_font(labels: Labels, look: Look, text: str, room: float, *, lit: bool) -> QFont:
    """Return the font of a label: a lit one is larger where it then still fits."""
    large = look.font(max(labels.size, SMALLEST_LIT), bold=True)
    if lit and QFontMetricsF(large).horizontalAdvance(text) <= room + 1:
        return large
    return look.font(labels.size, bold=lit)


def _cover_column(painter: QPainter, layout: HeatmapLayout, look: Look, column: int, box: QRectF) -> None:
    """Clear the place of a column's label, given in its own turned coordinates, and the labels it would overlap."""
    labels, half = layout.column_labels, float(look.px(7))
    if labels.angle == -45:
        # There is room for every label; only the height of a line is more than from one to the next.
        half = min(half, math.cos(math.radians(45)) * layout.cell_width - 0.45 * labels.size * look.zoom)
    else:
        high = 0.5 * LINE_HEIGHT * labels.size * look.zoom
        for away in _overlapped(labels, look, column, layout.columns, layout.cell_width):
            cover(painter, QRectF(box.left() - 2, away - high, box.width() + 2, 2 * high), look)
    cover(painter, QRectF(box.left() + look.px(2), -half, box.width() - look.px(2), 2 * half), look)


def _overlapped(labels: Labels, look: Look, number: int, count: int, cell: float) -> list[float]:
    """Return how far from a lit label the others are that it would overlap, in pixels along their axis."""
    reach = 0.5 * LINE_HEIGHT * (max(labels.size, SMALLEST_LIT) + labels.size) * look.zoom
    near = math.ceil(reach / max(cell, 0.01))
    first = max(0, -(-(number - near) // labels.step) * labels.step)
    places = ((other - number) * cell for other in range(first, min(number + near + 1, count), labels.step))
    return [place for place in places if 0.5 < abs(place) < reach - 0.5]


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
    if not look.colour_bars:
        return
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
    _paint_bar_words(painter, picture.scale, box, look)
    if picture.masked.any():
        _paint_masked_sample(painter, picture.masked_word, box, look)


def _paint_bar_words(painter: QPainter, scale: ColourScale, box: QRectF, look: Look) -> None:
    """Write ticks below a colour bar, as many as fit, and its title between its ends or below them."""
    painter.setFont(look.font(11.5))
    painter.setPen(QColor(look.theme.muted))
    gap, middle = look.px(8), Qt.AlignmentFlag.AlignCenter
    row = QRectF(box.left(), box.bottom() + look.px(2), box.width(), look.px(16))
    low, *between, high = (_tick_box(painter, row, place, text) for place, text in scale.ticks())
    high.moveLeft(max(high.left(), low.right() + gap))
    kept = [low, high]
    for tick in between:
        if all(tick.adjusted(-gap, 0, gap, 0).intersected(other).isEmpty() for other in kept):
            kept.append(tick)
    for tick, (_, text) in zip((low, *between, high), scale.ticks(), strict=True):
        if tick in kept:
            painter.drawText(tick, middle, text)
    width = painter.fontMetrics().horizontalAdvance(scale.title) + 4
    title = QRectF(max(box.center().x() - width / 2, box.left()), row.top(), width, row.height())
    if any(title.adjusted(-gap, 0, gap, 0).intersects(tick) for tick in kept):
        title.translate(0, look.px(13))
    painter.drawText(title, middle, scale.title)


def _tick_box(painter: QPainter, row: QRectF, position: float, text: str) -> QRectF:
    width = painter.fontMetrics().horizontalAdvance(text) + 4
    left = min(max(row.left() + position * row.width() - width / 2, row.left() - 2), row.right() + 2 - width)
    return QRectF(left, row.top(), width, row.height())


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
