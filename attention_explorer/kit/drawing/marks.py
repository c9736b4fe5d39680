"""The marks that pictures are made of: arrows, badges, haloed text, messages, labels clear of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from PySide6.QtCore import QByteArray, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QRawFont,
    QTextLayout,
)
from PySide6.QtWidgets import QWidget

from attention_explorer.core import files
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.kit.theme import FONT_FAMILY, Look

# ---- Outlines of words ----


def outline_of(text: str, font: QFont, baseline: QPointF) -> QPainterPath:
    """Return the outline of a line of text that begins at ``baseline``.

    A font that draws letters leaves sizes behind in the library below Qt, by which the next outline is rounded. So the
    letters come from a font of their own, at the places where the drawing font puts them.
    """
    layout = QTextLayout(text, font)
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    top_left = baseline - QPointF(0, line.ascent())
    path = QPainterPath()
    for run in layout.glyphRuns():
        letters = run.rawFont()
        if letters.familyName().startswith(FONT_FAMILY):
            letters = _own_font(font.pixelSize(), font.weight() > QFont.Weight.Medium)
        for glyph, place in zip(run.glyphIndexes(), run.positions(), strict=True):
            path.addPath(letters.pathForGlyph(glyph).translated(top_left + place))
    return path


@lru_cache(maxsize=64)
def _own_font(pixels: int, bold: bool) -> QRawFont:
    """Return the interface font as nobody else has it."""
    name = "fonts/Inter-SemiBold.otf" if bold else "fonts/Inter-Regular.otf"
    font = QRawFont()
    data = QByteArray(Path(files.path(name)).read_bytes())
    font.loadFromData(data, float(pixels), QFont.HintingPreference.PreferNoHinting)
    return font


# ---- Pens, arrows, badges and words ----


@lru_cache(maxsize=256)
def colour_of(name: str, opacity: float = 1.0) -> QColor:
    """Return a colour by its #rrggbb name. Do not alter it: it is shared."""
    colour = QColor(name)
    colour.setAlphaF(opacity)
    return colour


def mixed(ground: str, colour: str, share: float) -> QColor:
    """Return a ground with so much of a colour on it."""
    below, above = colour_of(ground), colour_of(colour)
    parts = zip(below.getRgb()[:3], above.getRgb()[:3], strict=True)  # type: ignore[index] # red, green, blue
    return QColor(*(round(low + share * (high - low)) for low, high in parts))


@lru_cache(maxsize=256)
def pen(colour: str, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine, opacity: float = 1.0) -> QPen:
    """Return a pen with round joins. Do not alter it: it is shared."""
    brush = QBrush(colour_of(colour, opacity))
    return QPen(brush, width, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


@lru_cache(maxsize=64)
def dashes(colour: str, width: float, on: float, off: float) -> QPen:
    """Return a dashed pen; ``on`` and ``off`` in pixels. Do not alter it: it is shared."""
    result = QPen(QColor(colour), width)
    result.setCapStyle(Qt.PenCapStyle.FlatCap)
    result.setDashPattern([on / width, off / width])
    return result


def draw_line(painter: QPainter, start: QPointF, end: QPointF, stroke: QPen) -> None:
    """Draw a straight line."""
    painter.setPen(stroke)
    painter.drawLine(start, end)


def draw_circle(
    painter: QPainter, centre: QPointF, radius: float, stroke: QPen | None = None, fill: QColor | None = None
) -> None:
    """Draw a circle, a disc, or both."""
    painter.setPen(Qt.PenStyle.NoPen if stroke is None else stroke)
    painter.setBrush(Qt.BrushStyle.NoBrush if fill is None else fill)
    painter.drawEllipse(centre, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_dot(painter: QPainter, centre: QPointF, colour: str, radius: float) -> None:
    """Paint a filled circle."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_circle(painter, centre, radius, fill=colour_of(colour))


def draw_arrow(
    painter: QPainter,
    start: QPointF,
    end: QPointF,
    colour: str,
    width: float,
    head: float,
    opacity: float = 1.0,
) -> None:
    """Draw an arrow whose head ends exactly at ``end``; a very short one is all head, scaled down."""
    length = distance(start, end)
    if length < 0.5:
        return
    head = min(head, length)
    ux, uy = (end.x() - start.x()) / length, (end.y() - start.y()) / length
    neck = QPointF(end.x() - head * 0.8 * ux, end.y() - head * 0.8 * uy)
    draw_line(painter, start, neck, pen(colour, width, opacity=opacity))
    back = QPointF(end.x() - head * ux, end.y() - head * uy)
    half = head * 0.42
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(colour, opacity))
    painter.drawPolygon(
        QPolygonF(
            [
                end,
                QPointF(back.x() - half * uy, back.y() + half * ux),
                QPointF(back.x() + half * uy, back.y() - half * ux),
            ]
        )
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_badge(
    painter: QPainter,
    centre: QPointF,
    text: str,
    *,
    font: QFont,
    radius: float,
    ink: str,
    edge: str,
    fill: str,
    width: float,
    square: bool = False,
) -> None:
    """Draw a labelled badge: round for queries and keys, square for values."""
    box = box_round(centre, radius)
    painter.setPen(pen(edge, width))
    painter.setBrush(colour_of(fill))
    if square:
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), radius * 0.25, radius * 0.25)
    else:
        painter.drawEllipse(box)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(font)
    painter.setPen(colour_of(ink))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def distance(one: QPointF, other: QPointF) -> float:
    """Return how many pixels two places are apart."""
    return math.hypot(one.x() - other.x(), one.y() - other.y())


def box_round(centre: QPointF, radius: float) -> QRectF:
    """Return the square round a circle."""
    return QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)


def text_box(font: QFont, text: str, centre: QPointF) -> QRectF:
    """Return the box of a line of text round a place."""
    width, height = text_size(font, text)
    return QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)


def text_size(font: QFont, text: str) -> tuple[float, float]:
    """Return width and height of a line of text."""
    metrics = QFontMetricsF(font)
    return metrics.horizontalAdvance(text), metrics.height()


def draw_haloed_text(painter: QPainter, box: QRectF, text: str, font: QFont, ink: str, halo: str) -> None:
    """Draw text centred in ``box`` with an outline in the colour of the ground, so that lines behind do no harm.

    Stroking an outline takes most of a millisecond, so on a screen the finished label is kept and drawn again. In a
    file it stays text, which can be searched and selected.
    """
    device = painter.device()
    if isinstance(device, QWidget | QPixmap):
        label = _kept_label(text, font, ink, halo, device.devicePixelRatioF())
        size = label.deviceIndependentSize()
        left, top = box.center().x() - size.width() / 2, box.center().y() - size.height() / 2
        painter.drawPixmap(QPointF(round(left), round(top)), label)
        return
    _paint_haloed_text(painter, box, text, font, ink, halo)


HALO_WIDTH = 3.0


@lru_cache(maxsize=256)
def _kept_label(text: str, font: QFont, ink: str, halo: str, ratio: float) -> QPixmap:
    width, height = text_size(font, text)
    size = QSize(math.ceil(width + 2 * HALO_WIDTH), math.ceil(height + 2 * HALO_WIDTH))
    label = QPixmap(size * ratio)
    label.setDevicePixelRatio(ratio)
    label.fill(Qt.GlobalColor.transparent)
    painter = QPainter(label)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_haloed_text(painter, QRectF(0, 0, size.width(), size.height()), text, font, ink, halo)
    painter.end()
    return label


def _paint_haloed_text(painter: QPainter, box: QRectF, text: str, font: QFont, ink: str, halo: str) -> None:
    painter.setFont(font)
    font = painter.font()  # as the painter wears it: one for PDF leaves features out
    width, _ = text_size(font, text)
    metrics = QFontMetricsF(font)
    middle = box.center().y() + (metrics.ascent() - metrics.descent()) / 2
    baseline = QPointF(box.center().x() - width / 2, middle)
    outline = outline_of(text, font, baseline)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(halo, HALO_WIDTH, opacity=0.75))
    painter.drawPath(outline)
    # Real text on top, not the outline filled: it stays selectable and searchable in SVG and PDF.
    painter.setPen(colour_of(ink))
    painter.drawText(baseline, text)


def pixels_under(size: QSize, ratio: float) -> QSize:
    """Return how many pixels of the screen a widget touches: with 1.75 pixels for one it may end amid one."""
    return QSize(math.ceil(size.width() * ratio), math.ceil(size.height() * ratio))


def paint_message(painter: QPainter, message: str, room: QRectF, look: Look) -> None:
    """Write in the middle of a room why there is no picture in it."""
    painter.setFont(look.font(15))
    painter.setPen(colour_of(look.theme.muted))
    width = min(room.width(), look.px(460))
    box = QRectF(room.center().x() - width / 2, room.top(), width, room.height())
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, message)


def paint_question_mark(painter: QPainter, room: QRectF, look: Look, size: float = 28) -> None:
    """Write “?” in the middle of what is asked for and so not drawn."""
    painter.setFont(look.font(size))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(room, Qt.AlignmentFlag.AlignCenter, "?")


def paint_reason(painter: QPainter, reason: str, room: QRectF, look: Look) -> None:
    """Say why there is nothing to draw."""
    painter.setFont(look.font(13))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, reason)


def paint_focus_frame(painter: QPainter, widget: QWidget, look: Look) -> None:
    """Draw a frame along the edge of a widget that has the keyboard."""
    if widget.hasFocus():
        width = look.px(2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(look.theme.focus), width))
        painter.drawRect(widget.rect().adjusted(width // 2, width // 2, -(width + 1) // 2, -(width + 1) // 2))


def paint_eye(painter: QPainter, middle: QPointF, half: float, colour: QColor, *, shut: bool) -> None:
    """Paint an eye, half of whose width is given; struck through if it is shut."""
    high = 0.62 * half
    path = QPainterPath(QPointF(middle.x() - half, middle.y()))
    path.quadTo(QPointF(middle.x(), middle.y() - 2 * high), QPointF(middle.x() + half, middle.y()))
    path.quadTo(QPointF(middle.x(), middle.y() + 2 * high), QPointF(middle.x() - half, middle.y()))
    painter.setPen(QPen(colour, 0.18 * half))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    painter.setBrush(colour)
    painter.drawEllipse(middle, 0.26 * half, 0.26 * half)
    if shut:
        painter.setPen(QPen(colour, 0.22 * half))
        away = QPointF(0.85 * half, -0.85 * half)
        painter.drawLine(middle - away, middle + away)


# ---- Places of labels ----
# Where labels stand in a picture: beside what they name and clear of the rest, with a line to it from farther away.


ANGLES = (45, -45, 135, -135, 0, 180, 90, -90)
"""Degrees at which a label can stand as seen from its mark, the best place first."""
LEVEL_FIRST = (0, 180, 90, -90, 45, 135, -45, -135, 60, 120, -60, -120)
"""Those for names that had rather stand right or left of their mark, and that may have little room."""
NO_LINES: FloatArray = np.empty((0, 4))
TOUCHING = 9.0
"""Pixels at zoom 1 between mark and label, up to which it is plain that they belong together."""
MARK = 5.0
"""Pixels at zoom 1 around the middle of a mark that are its own."""


def free_spot(
    centre: QPointF,
    size: tuple[float, float],
    gaps: Sequence[float],
    taken: Sequence[QRectF],
    inside: QRectF,
    lines: FloatArray = NO_LINES,
    angles: Sequence[int] = ANGLES,
) -> QRectF:
    """Return the box for a label around ``centre`` that covers the least of what is taken and stays ``inside``.

    ``gaps`` are distances in pixels, the nearest first, and ``angles`` those of the places, the best first. What is
    taken are boxes, and ``lines`` as `boxes_along` says.
    """
    (width, height), half, turns = size, np.divide(size, 2), np.radians(angles)
    directions = np.stack([np.cos(turns), -np.sin(turns)], axis=1)
    away = np.repeat(np.asarray(gaps, float), len(angles))[:, None]
    middles = np.array([centre.x(), centre.y()]) + np.tile(directions, (len(gaps), 1)) * (away + half)
    low, high = middles - half, middles + half  # (places, 2)
    (first_x, first_y), (last_x, last_y) = low.min(axis=0), high.max(axis=0)
    left, top, right, bottom = lines.T
    reached = lines[(left < last_x) & (top < last_y) & (right > first_x) & (bottom > first_y)]
    boxes = np.concatenate([np.reshape([_corners(box) for box in (inside, *taken)], (-1, 4)), reached])
    left, top, right, bottom = boxes.T.copy()  # each in a piece: NumPy goes through them several times as fast
    wide = np.minimum(high[:, :1], right) - np.maximum(low[:, :1], left)  # (places, boxes)
    tall = np.minimum(high[:, 1:], bottom) - np.maximum(low[:, 1:], top)
    areas = np.maximum(wide, 0.0) * np.maximum(tall, 0.0)
    covered = width * height - areas[:, 0] + areas[:, 1:].sum(axis=1)
    x, y = low[int(covered.round(6).argmin())].tolist()  # sums of the same areas differ in their last digits
    return QRectF(x, y, width, height)


def _corners(box: QRectF) -> tuple[float, float, float, float]:
    return box.left(), box.top(), box.right(), box.bottom()


def boxes_along(places: FloatArray, half: float) -> FloatArray:
    """Return left, top, right and bottom of boxes over a line through places (n, 2), a box a piece, (n − 1, 4).

    They are ``half`` pixels larger than the pieces on all sides.
    """
    before, after = places[:-1], places[1:]
    return np.concatenate([np.minimum(before, after) - half, np.maximum(before, after) + half], axis=1)


def draw_leader(painter: QPainter, mark: QPointF, box: QRectF, look: Look) -> None:
    """Draw a thin line from a mark to its label, where it stands so far away that it could be another's."""
    # The line of a label is higher than its letters.
    letters = box.adjusted(-1, 0.2 * box.height(), 1, -0.2 * box.height())
    end = QPointF(
        min(max(mark.x(), letters.left()), letters.right()), min(max(mark.y(), letters.top()), letters.bottom())
    )
    length = math.hypot(end.x() - mark.x(), end.y() - mark.y())
    if length <= TOUCHING * look.zoom:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    start = mark + (end - mark) * (MARK * look.zoom / length)
    draw_line(painter, start, end, pen(look.theme.muted, look.zoom))


# ---- The parts of a legend ----
# In as many lines as a room asks for, so that no words are cut.


WORDS_SIZE = 11.5


def flowing(widths: Sequence[float], room: float, gap: float) -> list[tuple[float, int]]:
    """Return for parts of some widths how far from the left each stands, and in which line, counted from 0."""
    places: list[tuple[float, int]] = []
    left, line = 0.0, 0
    for width in widths:
        if left > 0 and left + width > room:
            left, line = 0.0, line + 1
        places.append((left, line))
        left += width + gap
    return places


def entry_boxes(
    names: Sequence[str], sample: float, box: QRectF, line: float, look: Look, *, size: float = WORDS_SIZE
) -> list[QRectF]:
    """Return the box of each entry of a legend, in lines of one height from the top of ``box``, as wide as that is.

    Each entry is a sample of a width (px) with its name behind it, in letters of a ``size``; `entry_words` is where
    that is written.
    """
    metrics = QFontMetricsF(look.font(size))
    widths = [sample + look.px(6) + metrics.horizontalAdvance(name) + 2 for name in names]
    places = flowing(widths, box.width(), look.px(14))
    return [
        QRectF(box.left() + left, box.top() + number * line, width, line)
        for (left, number), width in zip(places, widths, strict=True)
    ]


def entries_height(
    names: Sequence[str], sample: float, room: float, line: float, look: Look, *, size: float = WORDS_SIZE
) -> float:
    """Return how high a legend is in a room of a width."""
    boxes = entry_boxes(names, sample, QRectF(0, 0, room, 0), line, look, size=size)
    return boxes[-1].bottom() if boxes else 0.0


def entry_words(box: QRectF, sample: float, look: Look) -> QRectF:
    """Return where the name of an entry is written."""
    return box.adjusted(sample + look.px(6), 0, 1, 0)


def wrapped_height(words: str, width: float, font: QFont) -> float:
    """Return how high words are that wrap into a width."""
    room = QRectF(0, 0, max(width, 40.0), 10_000.0)
    return QFontMetricsF(font).boundingRect(room, Qt.TextFlag.TextWordWrap, words).height()


def paint_wrapped(painter: QPainter, box: QRectF, words: str, look: Look) -> None:
    """Write small muted words, in as many lines as they take."""
    painter.setFont(look.font(WORDS_SIZE))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, words)


def fitting(texts: Sequence[str], font: QFont, width: float) -> str:
    """Return the first of some wordings, from long to short, that fits a width; the last if none does."""
    metrics = QFontMetricsF(font)
    return next((text for text in texts if metrics.horizontalAdvance(text) <= width), texts[-1])
