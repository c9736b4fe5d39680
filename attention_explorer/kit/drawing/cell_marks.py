"""What is drawn over the cells of a map: hatching where they are masked or missing, numbers, and outlines."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from attention_explorer.core.map_picture import BoolArray
from attention_explorer.core.numerals import MINUS
from attention_explorer.core.numerals import signed as signed_number
from attention_explorer.kit.drawing.colour_maps import readable_ink
from attention_explorer.kit.drawing.marks import colour_of, pen
from attention_explorer.kit.theme import Look

HATCH_GAP = 5.0
"""Pixels at zoom 1 between two lines of hatching, at least."""
LARGEST_NUMBER, SMALLEST_NUMBER = 18.0, 11.0
"""Pixels at zoom 1 of the font of a number in a cell."""
LARGEST_STILL = 13.0
"""The same in a figure, whose words are all of about one size however large its cells are."""
MOST_PIXELS = 60.0
"""How high letters are at most: from 64 pixels on Qt fills outlines, whose edges differ from one time to another."""
BESIDE_NUMBER = 2.0
"""Pixels at zoom 1 that stay free at either side of a number."""


# ---- Masked cells ----


def paint_hatching(painter: QPainter, masked: BoolArray, cells: QRectF, look: Look) -> None:
    """Hatch the masked tiles (h, w) of a map: in a dark theme their grey alone is close to the dark end of colours."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line = QPen(pen(look.theme.masked_line, 1.4 * math.sqrt(look.zoom)))
    # Round ends take Qt 40 to 100 times as long: 7 s where a causal mask of 512 tokens is exported, 0.1 s so.
    line.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(line)
    painter.drawLines(hatching(masked, cells, look.px(HATCH_GAP)))


def paint_absent(painter: QPainter, rows: BoolArray, columns: BoolArray, cells: QRectF, look: Look) -> None:
    """Paint rows (h,) and columns (w,) of tiles that a map does not have: bare, hatched the other way than a mask."""
    height, width = cells.height() / len(rows), cells.width() / len(columns)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    ground = colour_of(look.theme.card)
    for first, end in _runs(rows):
        top = cells.top() + first * height
        painter.fillRect(QRectF(cells.left(), top, cells.width(), (end - first) * height), ground)
    for first, end in _runs(columns):
        left = cells.left() + first * width
        painter.fillRect(QRectF(left, cells.top(), (end - first) * width, cells.height()), ground)
    absent = rows[:, None] | columns
    middle = cells.left() + cells.right()
    lines = hatching(absent[:, ::-1], cells, look.px(HATCH_GAP))
    mirrored = [QLineF(middle - line.x1(), line.y1(), middle - line.x2(), line.y2()) for line in lines]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line = QPen(pen(look.theme.masked_line, math.sqrt(look.zoom)))
    line.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(line)
    painter.drawLines(mirrored)


def _runs(flags: BoolArray) -> list[tuple[int, int]]:
    """Return first and end of every run of True."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def hatching(masked: BoolArray, cells: QRectF, gap: float) -> list[QLineF]:
    """Return lines over masked tiles (h, w), at least ``gap`` apart; through neighbours a line goes on."""
    rows, columns = masked.shape
    if not masked.any():
        return []
    height, width = cells.height() / rows, cells.width() / columns
    apart = height * width / math.hypot(height, width)  # from the diagonals of one tile to those of the next
    every = max(1, math.ceil(gap / apart))
    lines = list[QLineF]()
    for diagonal in range(every // 2, rows + columns - 1, every):
        # The tiles of a diagonal, from the upper right to the lower left.
        first, last = max(0, diagonal - columns + 1), min(rows - 1, diagonal)
        row = np.arange(first, last + 1)
        edges = np.flatnonzero(np.diff(masked[row, diagonal - row], prepend=False, append=False)) + first
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            upper = QPointF(cells.left() + (diagonal - start + 1) * width, cells.top() + start * height)
            lower = QPointF(cells.left() + (diagonal - end + 1) * width, cells.top() + end * height)
            lines.append(QLineF(lower, upper))
    return lines


# ---- Numbers ----


def paint_numbers(painter: QPainter, texts: list[str], boxes: list[QRectF], grounds: list[int], look: Look) -> None:
    """Write texts into boxes of one size, black or white by the colour of their ground; not if they would touch."""
    if not texts:
        return
    size = number_size(texts, boxes[0], look)
    if size < SMALLEST_NUMBER:
        return
    painter.setFont(look.font(size))
    for text, box, ground in zip(texts, boxes, grounds, strict=True):
        painter.setPen(readable_ink(ground))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def number_size(texts: list[str], box: QRectF, look: Look) -> float:
    """Return the font size, in pixels at zoom 1, at which the longest of some texts leaves air around it in a box."""
    metrics = QFontMetricsF(look.font(100.0))
    # The digits are of equal width: among the longest few is the widest.
    longest = sorted(set(texts), key=len, reverse=True)[:12]
    widest = max(metrics.horizontalAdvance(text) for text in longest)
    wide = 100.0 * (box.width() - 2 * look.px(BESIDE_NUMBER)) / max(widest, 1.0)
    calm = 0.24 * box.width() / look.zoom
    grown = min(max(LARGEST_NUMBER, 0.1 * box.height() / look.zoom), MOST_PIXELS / look.zoom)
    most = LARGEST_STILL if look.still else grown
    return math.floor(min(wide, max(calm, SMALLEST_NUMBER), 0.65 * box.height() / look.zoom, most))


def cell_text(number: float, *, signed: bool) -> str:
    """Return a number short enough for a cell: .38, −1.2; 0 and 1 only for weights that are exactly that.

    A sign is that of the number, also where its digits are all 0.
    """
    if signed and abs(number) < 10:
        return signed_number(number).replace("+", MINUS) if number < 0 else signed_number(number)
    if signed:
        return ("+" if number > 0 else MINUS) + f"{abs(number):.3g}"
    if number in (0.0, 1.0):
        return f"{number:.0f}"
    if number < 0:
        return MINUS + cell_text(-number, signed=False)
    return f"{number:.3f}".removeprefix("0") if number < 0.9995 else f"{number:.2f}"


# ---- What is pointed at ----


def paint_outline(painter: QPainter, box: QRectF, colour: str, look: Look) -> None:
    """Draw a frame around cells, with a halo: one colour alone is lost on one end of a colour map or the other."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    least = look.px(5)
    grow_x, grow_y = max(0.5, (least - box.width()) / 2), max(0.5, (least - box.height()) / 2)
    frame = box.adjusted(-grow_x, -grow_y, grow_x, grow_y)
    scale = min(look.zoom, max(1.0, min(box.width(), box.height()) / 12))  # small cells stay visible in between
    for stroke, width in ((look.theme.card, 4.0), (colour, 2.0)):
        painter.setPen(pen(stroke, width * scale))
        painter.drawRoundedRect(frame, 2, 2)


def cover(painter: QPainter, box: QRectF, look: Look) -> None:
    """Make a place as if nothing were there: half a word is worse than none."""
    painter.fillRect(box, colour_of(look.theme.card))
