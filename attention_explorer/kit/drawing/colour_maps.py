"""Colour maps as tables, and maps of numbers as images: one pixel a cell, never an object a cell."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from PySide6.QtGui import QColor, QImage

from attention_explorer.core import assets
from attention_explorer.core.colour_scale import SEQUENTIAL as SEQUENTIAL
from attention_explorer.core.colour_scale import BoolArray, FloatArray

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
    lines = assets.read_text(file).split()
    if len(lines) < 2 or not all(_COLOUR.fullmatch(line) for line in lines):
        raise assets.damaged(file)
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
