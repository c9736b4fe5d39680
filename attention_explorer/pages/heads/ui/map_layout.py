"""A map that fills its card: cells as large as there is room for, the colour bar in the line of its axes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.colour_maps import paint_small_bar, paint_title_of_small_bar, title_of_small_bar
from attention_explorer.kit.drawing.heatmap_layout import (
    LARGEST_LABEL,
    HeatmapLayout,
    Labels,
    column_height,
    label_size,
    longest_label,
)
from attention_explorer.kit.theme import Look

LINE, BAR, SAMPLE = 26.0, 190.0, 12.0
"""Pixels at zoom 1 of the line above the map, of the colour bar in it, and of the sample of a masked cell."""
LEAST_BAR = 96.0
"""Pixels at zoom 1 of the colour bar with its numbers in a narrow card."""
STRETCH, LARGEST = 1.45, 150.0
"""How much wider or higher than square a cell is at most, and pixels at zoom 1 that it has at most."""
APART, SUMS, SLANTED = 4.0, 54.0, 0.2
"""Pixels between labels that stand beside each other, for sums of rows, and the share of height of slanted labels."""
ROWS_ASK, COLUMNS_ANSWER = "rows ask", "columns answer"


@dataclass(frozen=True, slots=True)
class HeadLine:
    """The line above a map: what its axes are, and its colours."""

    axes: QRectF
    bar: QRectF
    title: QRectF


def filled_layout(picture: MapPicture, look: Look, room: QRectF) -> tuple[HeatmapLayout, HeadLine]:
    """Fit a map and the line above it into a room."""
    px = look.px
    line = _line(picture, look, room)
    below = QRectF(room.left(), room.top() + px(LINE), room.width(), room.height() - px(LINE))
    rows, columns = picture.cells
    sums = px(SUMS) if picture.row_sums else 0
    foot = px(20) if picture.row_sums else px(2)
    row_room = min(longest_label(picture.row_tokens, look, LARGEST_LABEL), 0.22 * below.width()) + px(10)
    wide = max(below.width() - row_room - sums - px(4), px(20))
    labels = _column_labels(picture, look, wide / max(columns, 1), below)
    width, height = _cell(picture, look, labels, below, wide, foot)
    # The last of slanted ones lean out over the edge; cells that are wider than high may stay narrower than their room.
    if labels.angle == -45 or (labels.angle == 0 and not _stand_apart(picture.column_tokens, look, width)):
        wide = max(wide - 0.6 * labels.room, px(20)) if labels.angle else wide
        labels = _column_labels(picture, look, min(width, wide / max(columns, 1)), below, is_slanted=True)
        width, height = _cell(picture, look, labels, below, wide, foot)
    spare = (below.width() - row_room - width * columns - sums) / 2
    cells = QRectF(
        below.left() + row_room + max(min(spare, px(60)), 0.0),
        below.top() + column_height(labels, look),
        width * columns,
        height * rows,
    )
    size, step = label_size(look, height)
    row_labels = Labels(min(size, LARGEST_LABEL), step, 0, row_room - px(10))
    beside = QRectF(cells.right() + px(4), cells.top(), sums, cells.height()) if picture.row_sums else QRectF()
    return HeatmapLayout(cells, rows, columns, row_labels, labels, QRectF(), beside), line


def _cell(
    picture: MapPicture, look: Look, labels: Labels, room: QRectF, wide: float, foot: float
) -> tuple[float, float]:
    """Return how wide and how high a cell is under such labels, at most so many times as wide as high."""
    rows, columns = picture.cells
    high = max(room.height() - column_height(labels, look) - foot, look.px(20))
    width, height, largest = wide / max(columns, 1), high / max(rows, 1), look.px(LARGEST)
    return min(width, STRETCH * height, largest), min(height, STRETCH * width, largest)


def _column_labels(picture: MapPicture, look: Look, cell: float, room: QRectF, *, is_slanted: bool = False) -> Labels:
    if not is_slanted and _stand_apart(picture.column_tokens, look, cell):
        return Labels(LARGEST_LABEL, 1, 0, max(cell, longest_label(picture.column_tokens, look, LARGEST_LABEL)))
    size, step = label_size(look, cell)
    longest = longest_label(picture.column_tokens, look, LARGEST_LABEL)
    angle = -45 if cell >= look.px(18) else -90
    return Labels(min(size, LARGEST_LABEL), step, angle, min(longest, SLANTED * room.height()))


def _stand_apart(tokens: tuple[str, ...], look: Look, cell: float) -> bool:
    """Whether labels can stand upright, each over its cell, without touching."""
    if len(tokens) * look.px(APART) > len(tokens) * cell:
        return False
    metrics = QFontMetricsF(look.font(LARGEST_LABEL, bold=True))
    widths = [metrics.horizontalAdvance(token) for token in tokens[:256]]
    fits = all(a / 2 + b / 2 + look.px(APART) <= cell for a, b in pairwise(widths))
    return fits and (not widths or widths[-1] <= cell + 2 * look.px(APART)) and len(tokens) <= 256


def _line(picture: MapPicture, look: Look, room: QRectF) -> HeadLine:
    line = QRectF(room.left(), room.top(), room.width(), look.px(LINE - 4))
    metrics = QFontMetricsF(look.font(12))
    title = title_of_small_bar(picture.scale, look)
    sample = metrics.horizontalAdvance(picture.masked_word) + look.px(SAMPLE + 20) if picture.masked.any() else 0
    wide = min(look.px(BAR), max(0.24 * line.width(), look.px(LEAST_BAR)))
    bar = QRectF(line.right() - wide - sample, line.top(), wide, line.height())
    return HeadLine(line, bar, QRectF(bar.left() - title, line.top(), title, line.height()))


def paint_line(
    painter: QPainter, picture: MapPicture, title: str, line: HeadLine, look: Look, *, vector: bool = False
) -> None:
    """Paint whose map it is, what rows and columns are, and which number has which colour."""
    middle, theme, left = Qt.AlignmentFlag.AlignVCenter, look.theme, line.axes.left()
    parts = (title, 15, theme.text), (ROWS_ASK, 12, theme.query_ink), (COLUMNS_ANSWER, 12, theme.key_ink)
    for words, size, ink in parts:
        font = look.font(size, bold=True)
        width = QFontMetricsF(font).horizontalAdvance(words)
        if left + width > line.bar.left() - look.px(6):
            break
        painter.setFont(font)
        painter.setPen(QColor(ink))
        painter.drawText(QRectF(left, line.axes.top(), width + 2, line.axes.height()), middle, words)
        left += width + look.px(18)
    if line.title.left() > left:
        paint_title_of_small_bar(painter, picture, line.bar, look)
    paint_legend(painter, picture, line.bar, look, vector=vector)


def paint_legend(painter: QPainter, picture: MapPicture, bar: QRectF, look: Look, *, vector: bool = False) -> None:
    """Paint a colour bar in one line, and behind it what a masked cell looks like, if there is one."""
    paint_small_bar(painter, picture, bar, look, vector=vector)
    if look.colour_bars and picture.masked.any():
        _paint_masked(painter, picture.masked_word, bar, look)


def _paint_masked(painter: QPainter, word: str, bar: QRectF, look: Look) -> None:
    side = look.px(SAMPLE)
    sample = QRectF(bar.right() + look.px(12), bar.center().y() - side / 2, side, side)
    painter.fillRect(sample, QColor(look.theme.masked))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(look.theme.masked_line))
    painter.drawLine(sample.bottomLeft(), sample.topRight())
    painter.setPen(QColor(look.theme.muted))
    painter.setFont(look.font(12))
    words = QRectF(sample.right() + look.px(5), bar.top(), look.px(160), bar.height())
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, word)
