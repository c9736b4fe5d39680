"""Colour maps as tables, maps of numbers as images, and how well one colour stands out from another."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from attention_explorer.core import files
from attention_explorer.core.map_picture import SEQUENTIAL as SEQUENTIAL
from attention_explorer.core.map_picture import BoolArray, ColourScale, FloatArray, MapPicture
from attention_explorer.kit.drawing.marks import colour_of, text_size
from attention_explorer.kit.theme import Look

DIVERGING = "brown-teal"
"""For what has a sign: brown below 0, teal above, apart for every kind of colour vision."""

_COLOUR = re.compile("[0-9A-Fa-f]{6}")


@lru_cache(maxsize=8)
def colour_table(name: str) -> np.typing.NDArray[np.uint32]:
    """Return the colours of a map as 0xffRRGGBB, from its low end to its high end.

    Raises
    ------
    ExplorerError
        There is no map of this name, or its file is damaged.
    """
    file = f"colour_maps/{name}.txt"
    lines = files.read_text(file).split()
    if len(lines) < 2 or not all(_COLOUR.fullmatch(line) for line in lines):
        raise files.damaged(file)
    return np.asarray([0xFF000000 | int(line, 16) for line in lines], np.uint32)


def load_colour_maps() -> None:
    """Read all colour maps: a damaged file is found at the start, not in the middle of a picture."""
    for name in (*SEQUENTIAL, DIVERGING):
        colour_table(name)


def pixels_of(
    positions: FloatArray, masked: BoolArray | None, name: str, masked_colour: str
) -> np.typing.NDArray[np.uint32]:
    """Return the colours (h, w) of places 0…1 on a map, masked cells in a colour that is none of the map's."""
    table = colour_table(name)
    pixels = table[np.rint(positions * (len(table) - 1)).astype(np.intp)]
    if masked is not None and masked.any():
        pixels[masked] = QColor(masked_colour).rgb()
    return pixels


def image_of(pixels: np.typing.NDArray[np.uint32]) -> QImage:
    """Return an image that owns its pixels (h, w)."""
    height, width = pixels.shape
    rows = np.ascontiguousarray(pixels)
    # The copy takes the pixels along: an image over NumPy's memory would outlive it.
    return QImage(rows.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


# ---- Contrast ----


TEXT_CONTRAST = 4.5
"""What text needs (level AA); text of 24 pixels, or bold of 18.7, needs no more than graphics do."""
GRAPHICS_CONTRAST = 3.0
"""What the parts of a picture or a control need that say something."""


def luminance(colour: QColor) -> float:
    """Return how bright a colour is, 0 for black to 1 for white."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast of two colours, from 1 (the same) to 21 (black and white)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=1024)
def readable_ink(pixel: int) -> QColor:
    """Return black or white, whichever stands out more from a colour 0xRRGGBB: always enough for text."""
    ground = QColor.fromRgb(pixel)
    # Pure black: with any other there are greys on which neither has a contrast of 4.5.
    black, white = QColor("#000000"), QColor("#ffffff")
    return black if contrast(black, ground) > contrast(white, ground) else white


# ---- The colour bar ----


LONG_STEPS, SHORT_STEPS, IMAGE_STEPS = 64, 48, 256
"""How many colours a bar below a map, a bar in one line, and either of them as an image has."""


def colour_map_of(picture: MapPicture) -> str:
    """Return the colour map in effect: what has a sign is drawn around 0."""
    return DIVERGING if picture.scale.is_diverging else picture.colour_map


def paint_bar(painter: QPainter, picture: MapPicture, box: QRectF, look: Look, *, vector: bool = False) -> None:
    """Paint the colour bar with its ticks, and beside it what masked cells look like, if there are any."""
    if not look.colour_bars:
        return
    _paint_colours(painter, picture, box, look, LONG_STEPS if vector else None)
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


def paint_small_bar(painter: QPainter, picture: MapPicture, box: QRectF, look: Look, *, vector: bool = False) -> None:
    """Paint a colour bar with its ends beside it, in one line."""
    if not look.colour_bars:
        return
    font = look.font(11)
    (_, low), *_, (_, high) = picture.scale.ticks()
    left, right = ends_of_small_bar(picture.scale, look)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.muted))
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, low)
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | middle, high)
    bar = QRectF(box.left() + left, box.center().y() - look.px(4), box.width() - left - right, look.px(8))
    _paint_colours(painter, picture, bar, look, SHORT_STEPS if vector else None)


def ends_of_small_bar(scale: ColourScale, look: Look) -> tuple[float, float]:
    """Return how wide the numbers left and right of a colour bar in one line are, with their distance to it."""
    (_, low), *_, (_, high) = scale.ticks()
    left, right = (text_size(look.font(11), text)[0] + look.px(5) for text in (low, high))
    return left, right


def title_of_small_bar(scale: ColourScale, look: Look) -> float:
    """Return how wide the title at the left of a colour bar in one line is, with its distance to it."""
    return text_size(look.font(12), scale.title)[0] + look.px(8)


def paint_title_of_small_bar(painter: QPainter, picture: MapPicture, bar: QRectF, look: Look) -> None:
    """Write the title of a colour bar in one line at the left of it."""
    painter.setFont(look.font(12))
    painter.setPen(colour_of(look.theme.muted))
    title = bar.adjusted(-title_of_small_bar(picture.scale, look), 0, 0, 0)
    painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, picture.scale.title)


def _paint_colours(painter: QPainter, picture: MapPicture, box: QRectF, look: Look, rectangles: int | None) -> None:
    """Fill a box with the colours from the lowest number to the highest: as rectangles, else as an image."""
    steps = rectangles or IMAGE_STEPS
    pixels = pixels_of(np.linspace(0.0, 1.0, steps)[None, :], None, colour_map_of(picture), look.theme.masked)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    if rectangles is None:
        painter.drawImage(box, image_of(pixels))
        return
    width = box.width() / steps
    for number, pixel in enumerate(pixels[0].tolist()):
        # A little over the next one: else some programs show the ground between them.
        step = QRectF(box.left() + number * width, box.top(), width + 0.4, box.height())
        painter.fillRect(step, QColor.fromRgb(pixel))
