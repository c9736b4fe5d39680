"""A map of scores or weights as it is drawn: cells and token labels. One way for screen and file."""

from __future__ import annotations

import itertools
import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from attention_explorer.core.map_picture import FloatArray, MapPicture
from attention_explorer.kit.drawing.cell_marks import (
    cell_text,
    cover,
    paint_absent,
    paint_hatching,
    paint_numbers,
    paint_outline,
)
from attention_explorer.kit.drawing.colour_maps import colour_map_of, image_of, paint_bar, pixels_of
from attention_explorer.kit.drawing.heatmap_layout import LINE_HEIGHT, HeatmapLayout, Labels, column_height
from attention_explorer.kit.drawing.marks import paint_question_mark
from attention_explorer.kit.theme import Look

GAP_FROM = 9.0
"""Cells of at least so many pixels have a line of ground between them."""
UNKNOWN_FROM = 18.0
"""Cells of at least so many pixels at zoom 1 have a “?” of their own while their numbers are asked for."""
NUMBERS_FROM = 36.0
"""Cells of at least so many pixels carry their number, if all of them fit."""
SMALLEST_LIT = 12.0
"""Pixels at zoom 1 of the font of a label that is pointed at, however small the others are."""
ROUNDING = 1e-6
"""Pixels: a box this much smaller than a whole number of them has that number."""
BESIDE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
"""Words that run from right to left begin at their cells like all others."""


def picture_image(picture: MapPicture, look: Look, on_the_way: FloatArray | None = None) -> QImage:
    """Return one pixel a tile."""
    positions = picture.positions if on_the_way is None else on_the_way
    return image_of(pixels_of(positions, picture.masked, colour_map_of(picture), look.theme.masked))


def paint_heatmap(
    painter: QPainter,
    picture: MapPicture,
    layout: HeatmapLayout,
    look: Look,
    *,
    vector: bool = False,
    bar: bool = True,
    on_the_way: FloatArray | None = None,
) -> None:
    """Paint cells, labels, axis titles and colour bar.

    With ``vector``, cells are rectangles and no image. Tiles may be ``on_the_way`` to their positions on the colour
    bar, (h, w): then no numbers stand in them.
    """
    paint_cells(painter, picture, layout, look, vector=vector, on_the_way=on_the_way)
    paint_labels(painter, picture, layout, look)
    if look.axis_names:
        _paint_axis_names(painter, picture, layout, look)
    if picture.row_sums:
        _paint_sums(painter, picture, layout, look)
    if bar:
        paint_bar(painter, picture, layout.bar, look, vector=vector)


def paint_unknown(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    """Paint a map whose numbers are asked for: tokens, axis titles, and “?” in each cell or amid small ones."""
    painter.fillRect(layout.cells, QColor(look.theme.track))
    is_roomy = min(layout.cell_width, layout.cell_height) >= look.px(UNKNOWN_FROM)
    places = itertools.product(range(layout.rows), range(layout.columns)) if is_roomy else ()
    if is_roomy:
        _paint_gaps(painter, layout, look, vector=False)
    for box in [layout.rectangle(*place) for place in places] or [layout.cells]:
        paint_question_mark(painter, box, look, 13 if is_roomy else 28)
    paint_labels(painter, picture, layout, look)
    if look.axis_names:
        _paint_axis_names(painter, picture, layout, look)


def paint_cells(
    painter: QPainter,
    picture: MapPicture,
    layout: HeatmapLayout,
    look: Look,
    *,
    vector: bool = False,
    on_the_way: FloatArray | None = None,
    has_numbers: bool = True,
) -> None:
    """Paint the cells with hatching on masked ones, gaps and numbers where there is room for them.

    What is drawn in pixels has no more tiles than these, so that the number of each tile can be seen.
    """
    box = layout.cells
    if vector and picture.values.size <= look.most_rectangles:
        _paint_rectangles(painter, picture, layout, look)
    elif vector:
        _paint_image(painter, picture, box, look)
    else:
        on_device = painter.deviceTransform().mapRect(box)
        most = most_tiles(on_device)
        picture = picture.fitted(*most)
        if any(tiles == pixels for tiles, pixels in zip(picture.values.shape, most, strict=True)):
            box = _on_whole_pixels(painter, on_device)
        fits = on_the_way is not None and on_the_way.shape == picture.values.shape
        _paint_image(painter, picture, box, look, on_the_way if fits else None)
    small = min(layout.cell_width, layout.cell_height)
    if picture.absent is None:
        paint_hatching(painter, picture.masked, box, look)
    else:
        paint_hatching(painter, picture.masked & ~picture.absent_tiles, box, look)
        paint_absent(painter, *picture.absent, box, look)
    if small >= look.px(GAP_FROM):
        _paint_gaps(painter, layout, look, vector=vector)
    has_room = layout.cell_width >= look.px(NUMBERS_FROM) and layout.cell_height >= look.px(18)
    if has_numbers and on_the_way is None and has_room:
        _paint_numbers(painter, picture, layout, look)


def most_tiles(cells: QRectF, ratio: float = 1.0) -> tuple[int, int]:
    """Return the most rows and columns of tiles in a box of so many device pixels per unit: one a pixel."""
    return int(cells.height() * ratio + ROUNDING), int(cells.width() * ratio + ROUNDING)


def _on_whole_pixels(painter: QPainter, on_device: QRectF) -> QRectF:
    """Return a box of the device on its whole pixels: else an image of one tile a pixel would lose some."""
    height, width = most_tiles(on_device)
    box = QRectF(round(on_device.left()), round(on_device.top()), width, height)
    inverse, _ = painter.deviceTransform().inverted()
    return inverse.mapRect(box)


def _paint_image(
    painter: QPainter, picture: MapPicture, box: QRectF, look: Look, on_the_way: FloatArray | None = None
) -> None:
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(box, picture_image(picture, look, on_the_way))


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
    is_shown, signed = ~picture.masked, picture.scale.is_diverging
    texts = [cell_text(number, signed=signed) for number in picture.values[is_shown].tolist()]
    boxes = layout.rectangles(np.argwhere(is_shown).tolist())
    paint_numbers(painter, texts, boxes, pixels[is_shown].tolist(), look)


def paint_labels(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    """Paint the tokens along both axes."""
    paint_row_labels(painter, picture, layout, look)
    paint_column_labels(painter, picture, layout, look)


def paint_row_labels(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    """Paint the tokens of the rows, as many as fit."""
    painter.setPen(QColor(look.theme.text))
    for row in range(0, layout.rows, layout.row_labels.step):
        paint_row_label(painter, picture, layout, look, row)


def paint_column_labels(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    """Paint the tokens of the columns, as many as fit."""
    painter.setPen(QColor(look.theme.text))
    for column in range(0, layout.columns, layout.column_labels.step):
        paint_column_label(painter, picture, layout, look, column)


def _paint_axis_names(painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look) -> None:
    painter.setFont(look.font(12))
    painter.setPen(QColor(look.theme.query_ink))
    cells, px = layout.cells, look.px
    painter.save()
    left = cells.left() - layout.row_labels.room - px(24)
    middle, long = cells.center().y(), painter.fontMetrics().horizontalAdvance(picture.row_title)
    if not layout.bar.isEmpty() and layout.bar.top() < cells.bottom():
        # The bar is beside the cells of a low map: there is no room below them.
        middle = min(middle, cells.bottom() + px(6) - long / 2)
    painter.translate(left, middle)
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
    room = labels.room if labels.angle else max(labels.room, layout.cell_width)
    font = _label_font(labels, look, picture.column_tokens[column], room, lit=lit)
    painter.setFont(font)
    middle, foot = layout.cells.left() + (column + 0.5) * layout.cell_width, layout.cells.top() - look.px(5)
    text = QFontMetricsF(font).elidedText(picture.column_tokens[column], Qt.TextElideMode.ElideRight, room + 1)
    if lit:
        painter.setPen(QColor(look.theme.key_ink))
    if labels.angle == 0:
        box = QRectF(middle - room / 2, foot - look.px(18), room, look.px(18))
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


def paint_lit(
    painter: QPainter, picture: MapPicture, layout: HeatmapLayout, look: Look, row: int | None, column: int | None
) -> None:
    """Frame a row and light up its token, or a column, or for both a cell, by their numbers in the whole map.

    What is out of view is left out.
    """
    row = _in_view(row, picture.first_row, layout.rows)
    column = _in_view(column, picture.first_column, layout.columns)
    if row is not None:
        paint_row_label(painter, picture, layout, look, row, lit=True)
        box = layout.rectangle(row, 0)
        box.setWidth(layout.cells.width())
        paint_outline(painter, box, look.theme.query, look)
    if column is not None:
        paint_column_label(painter, picture, layout, look, column, lit=True)
        if row is not None:
            paint_outline(painter, layout.rectangle(row, column), look.theme.text, look)
        else:
            box = layout.rectangle(0, column)
            box.setHeight(layout.cells.height())
            paint_outline(painter, box, look.theme.key, look)


def _in_view(number: int | None, first: int, count: int) -> int | None:
    """Return where a row or column of the whole map is among those that are drawn; None if it is not."""
    return number - first if number is not None and first <= number < first + count else None


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
