"""Colour maps as tables, maps of numbers as images, and how well one colour stands out from another."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from PySide6.QtGui import QColor, QImage

from attention_explorer.core import files
from attention_explorer.core.map_picture import SEQUENTIAL as SEQUENTIAL
from attention_explorer.core.map_picture import BoolArray, FloatArray

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
