"""Pictures and numbers to take away: one way from any page to file, clipboard, tests and command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRect, QSize, QSizeF
from PySide6.QtGui import QImage, QImageWriter, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from attention_explorer import __version__
from attention_explorer.errors import ExportError
from attention_explorer.files import write_whole
from attention_explorer.state.numbers_export import Numbers, npy_bytes, npz_bytes

PIXELS_PER_INCH = 96
LARGEST_SIDE = 16_000

_SVG_GROUP_FONT = re.compile(
    r'(<g [^>]*?)\nfont-family="[^"]*" font-size="[^"]*" font-weight="[^"]*" font-style="[^"]*" (?=\n>)'
)

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class Figure(Protocol):
    """A picture with the numbers it shows. It does not change once it is made."""

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""

    @property
    def title(self) -> str:
        """What is drawn, in a word or two that fit after “the”: “lookup”."""

    @property
    def description(self) -> str:
        """The picture in words, for those who cannot see it."""

    @property
    def file_stem(self) -> str:
        """The proposed name of a file, without suffix."""

    def paint(self, painter: QPainter) -> None:
        """Paint the figure with its top left corner at the painter's origin.

        SVG does not clip: paint over what reaches out of its place. It repeats every colour and place, so paint no more
        parts than can be told apart.
        """

    def numbers(self) -> Numbers:
        """Return the numbers that are drawn; asked for only when numbers are taken away."""


# ---- Pictures ----


def picture_fits(figure: Figure, scale: float = 1.0) -> bool:
    """Return whether an image of ``scale`` × the size of the figure has no side of more than 16 000 pixels."""
    size = figure.size * scale
    return max(size.width(), size.height()) <= LARGEST_SIDE


def figure_image(figure: Figure, scale: float = 1.0) -> QImage:
    """Return the figure as an image of ``scale`` × its size, with the matching resolution stored in it.

    Raises
    ------
    ExportError
        A side would have more than 16 000 pixels.
    """
    size = figure.size * scale
    if not picture_fits(figure, scale):
        remedy = "a smaller scale, or SVG or PDF" if scale > 1 else "SVG or PDF"
        raise ExportError(f"A picture of {size.width()} × {size.height()} pixels is too large. Choose {remedy}.")
    image = QImage(size, QImage.Format.Format_RGB32)
    per_metre = round(PIXELS_PER_INCH * scale / 0.0254)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    image.setText("Software", f"Attention Explorer {__version__}")
    image.setText("Description", figure.description)
    painter = QPainter(image)
    painter.scale(scale, scale)
    figure.paint(painter)
    painter.end()
    return image


def _png(figure: Figure, scale: float) -> bytes:
    return png_bytes(figure_image(figure, scale))


def png_bytes(image: QImage) -> bytes:
    """Return an image encoded as PNG.

    Raises
    ------
    ExportError
        Qt could not encode it: it is empty or there is no memory for it.
    """
    buffer = _open_buffer()
    if not QImageWriter(buffer, QByteArray(b"png")).write(image):
        raise ExportError("The picture could not be encoded as PNG. Choose a smaller scale.")
    return bytes(buffer.data().data())


def _svg(figure: Figure, _scale: float) -> bytes:
    buffer = _open_buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(PIXELS_PER_INCH)
    generator.setSize(figure.size)
    generator.setViewBox(QRect(0, 0, figure.size.width(), figure.size.height()))
    generator.setTitle(f"Attention Explorer: {figure.title}")
    generator.setDescription(figure.description)
    painter = QPainter(generator)
    figure.paint(painter)
    painter.end()
    return _mended_svg(bytes(buffer.data().data()).decode("utf-8")).encode()


def _mended_svg(text: str) -> str:
    """Return Qt's SVG so that every reader takes it, with text that finds a font, and no larger than need be."""
    # Every text has its font; repeating it on every group, text or not, makes a map of many cells two thirds larger.
    text = _SVG_GROUP_FONT.sub(r"\1", text)
    # A token may be any character, but XML cannot hold all of them.
    text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
    # Where the font is not installed a viewer should take another sans serif, not its default.
    return text.replace('font-family="Inter"', "font-family=\"Inter, 'DejaVu Sans', Arial, sans-serif\"")


def _pdf(figure: Figure, _scale: float) -> bytes:
    buffer = _open_buffer()
    writer = QPdfWriter(buffer)
    points = QSizeF(figure.size) * (72 / PIXELS_PER_INCH)
    writer.setResolution(PIXELS_PER_INCH)
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "figure", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)
    writer.setTitle(f"Attention Explorer: {figure.title}")
    writer.setCreator(f"Attention Explorer {__version__}")
    painter = QPainter(writer)
    figure.paint(painter)
    painter.end()
    return bytes(buffer.data().data())


def _open_buffer() -> QBuffer:
    buffer = QBuffer()  # with an array of its own: it does not keep one that it is given
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


# ---- Files ----


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A kind of file: its suffix, what it is good for, and how it is made."""

    suffix: str
    title: str
    encode: Callable[[Figure, float], bytes]


EXPORT_FORMATS: tuple[ExportFormat, ...] = (
    ExportFormat(".png", "PNG picture", _png),
    ExportFormat(".svg", "SVG drawing", _svg),
    ExportFormat(".pdf", "PDF page", _pdf),
    ExportFormat(".csv", "CSV numbers", lambda figure, _: figure.numbers().csv.encode()),
    ExportFormat(".npy", "NumPy array", lambda figure, _: npy_bytes(figure.numbers())),
    ExportFormat(".npz", "NumPy archive", lambda figure, _: npz_bytes(figure.numbers())),
    ExportFormat(".json", "JSON numbers", lambda figure, _: figure.numbers().json.encode()),
)


def encoded(figure: Figure, suffix: str, scale: float = 1.0) -> bytes:
    """Return the contents of a file of a kind.

    Raises
    ------
    ExportError
        No format has this suffix; the message lists those there are.
    """
    for export_format in EXPORT_FORMATS:
        if export_format.suffix == suffix.lower():
            return export_format.encode(figure, scale)
    known = ", ".join(export_format.suffix for export_format in EXPORT_FORMATS)
    raise ExportError(f"Files ending in “{suffix}” cannot be written. Choose one of {known}.")


def write_figure(figure: Figure, path: Path, scale: float = 1.0) -> None:
    """Write a file, its kind chosen by its suffix: whole or not at all.

    Raises
    ------
    ExportError
        The suffix is unknown, the picture too large, or the path cannot be written.
    """
    write_whole(path, encoded(figure, path.suffix, scale))
