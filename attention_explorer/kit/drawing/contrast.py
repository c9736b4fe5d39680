"""How well a colour stands out from another, as the Web Content Accessibility Guidelines 2.2 count it."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor

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
