"""Outlines of words, the same each time: those of Qt's fonts depend on what was drawn with them before."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QPointF
from PySide6.QtGui import QFont, QPainterPath, QRawFont, QTextLayout

from attention_explorer.core import assets
from attention_explorer.kit.theme import FONT_FAMILY


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
    data = QByteArray(Path(assets.path(name)).read_bytes())
    font.loadFromData(data, float(pixels), QFont.HintingPreference.PreferNoHinting)
    return font
