"""Figures as SVG: what Qt writes, mended so that every reader takes it and it is no larger than need be."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QBuffer, QIODevice, QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from attention_explorer.core.figure_options import MILLIMETRES_PER_INCH, PIXELS_PER_INCH
from attention_explorer.kit.export.xml_text import xml_text

FONT_FAMILIES = "Inter, 'Helvetica Neue', Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
"""Where Inter is not installed another sans serif takes its place, narrow ones first: then all text still fits."""

_HEAD = re.compile(r'<svg width="[^"]*" height="[^"]*"\s*viewBox="[^"]*"')
_GROUP_FONT = re.compile(
    r'(<g [^>]*?)\nfont-family="[^"]*" font-size="[^"]*" font-weight="[^"]*" font-style="[^"]*" (?=\n>)'
)
_FILLED = re.compile(
    r'<g fill="(#\w{6})" fill-opacity="1" stroke="none" transform="matrix\(1,0,0,1,0,0\)"\s*>\s*'
    r'<rect x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"/>\s*</g>\s*'
)
_SHARP = 'image-rendering="optimizeSpeed" style="image-rendering:pixelated"'


def svg_bytes(paint: Callable[[QPainter], None], size: QSize, scale: float, title: str, description: str) -> bytes:
    """Return an SVG of ``scale`` × ``size`` pixels of 1/96 inch, painted in pixels of ``size``."""
    buffer = QBuffer()  # with an array of its own: it does not keep one that it is given
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(PIXELS_PER_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    generator.setDescription(description)
    with QPainter(generator) as painter:
        paint(painter)
    text = bytes(buffer.data().data()).decode("utf-8")
    return _mended(text, size, scale).encode()


def _mended(text: str, size: QSize, scale: float) -> str:
    wide, high = (side * scale / PIXELS_PER_INCH * MILLIMETRES_PER_INCH for side in size.toTuple())
    # Qt rounds what it is given to whole pixels.
    head = f'<svg width="{wide:.6g}mm" height="{high:.6g}mm" viewBox="0 0 {size.width()} {size.height()}"'
    text = _HEAD.sub(head, text, count=1)
    # Every text has its font; repeating it on every group, text or not, makes a map of many cells two thirds larger.
    text = _GROUP_FONT.sub(r"\1", text)
    # A cell is one element, not a rectangle in a group with a transformation that does nothing.
    text = _FILLED.sub(r'<rect fill="\1" stroke="none" x="\2" y="\3" width="\4" height="\5"/>\n', text)
    text = xml_text(text)
    # The old word for edges that stay sharp is no longer understood by all viewers.
    text = text.replace('image-rendering="optimizeSpeed"', _SHARP)
    return text.replace('font-family="Inter"', f'font-family="{FONT_FAMILIES}"')
