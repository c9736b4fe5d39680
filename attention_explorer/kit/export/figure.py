"""Pictures and numbers to take away: one way from any page to file, clipboard, tests and command line."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, BinaryIO, Protocol, TypeAlias, runtime_checkable

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageWriter, QPainter

from attention_explorer import __version__
from attention_explorer.core.figure_options import (
    MILLIMETRES_PER_INCH,
    PIXELS_PER_INCH,
    Cells,
    FigureOptions,
    FigureTheme,
    LengthUnit,
)
from attention_explorer.core.files import write_whole
from attention_explorer.core.numbers_export import Numbers
from attention_explorer.core.numbers_files import Report, write_csv, write_json, write_npy, write_npz
from attention_explorer.errors import ExportError, UsageError, did_you_mean, quoted
from attention_explorer.kit.export.svg_file import pdf_bytes, svg_bytes
from attention_explorer.kit.theme import DARK, LIGHT, PRINT, Look

LARGEST_SIDE = 16_000
PAPER_SCALE = 0.8
"""From pixels to those of 1/96 inch in a figure laid out for a width on paper: words of 12 pixels are 7.2 points, and
the smallest, of 9 pixels, are 5.4 points. Journals ask for 5 to 9."""
PNG_QUALITY = 60
"""What Qt makes the third of zlib's nine levels from: twice as fast as the usual one, and files are 5 % larger."""

THEMES = {FigureTheme.PRINT: PRINT, FigureTheme.LIGHT: LIGHT, FigureTheme.DARK: DARK}
MOST_RECTANGLES = {Cells.AUTO: Look().most_rectangles, Cells.RECTANGLES: 2**62, Cells.IMAGE: 0}


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


@dataclass(frozen=True, slots=True)
class FigureStyle:
    """What a figure can be told about its looks."""

    look: Look = Look(PRINT, still=True)
    is_titled: bool = True
    is_captioned: bool = True
    width: float | None = None
    """Pixels to lay it out for; None leaves it as wide as suits it. It may come out wider if it cannot be so narrow."""


@runtime_checkable
class StyledFigure(Protocol):
    """A figure that wears other colours, leaves parts out and is laid out for a width."""

    def styled(self, style: FigureStyle) -> Figure:
        """Return the same picture in a style."""


# ---- What is drawn, and how large ----


@dataclass(frozen=True, slots=True)
class Sheet:
    """A figure as it is drawn: laid out, with the scale from its pixels to those of 1/96 inch."""

    figure: Figure
    scale: float = 1.0

    @property
    def millimetres(self) -> tuple[float, float]:
        """Width and height on paper."""
        per_pixel = self.scale / PIXELS_PER_INCH * MILLIMETRES_PER_INCH
        return self.figure.size.width() * per_pixel, self.figure.size.height() * per_pixel

    def pixels(self, dpi: float) -> QSize:
        """Return the size of an image of it."""
        return self.figure.size * (self.scale * dpi / PIXELS_PER_INCH)


def sheet_of(figure: Figure, options: FigureOptions) -> Sheet:
    """Return a figure in the style and for the width that is asked for.

    Words keep their size whatever the width: a wider figure has more room, not larger letters. A figure that cannot be
    laid out, or not so narrow, is made larger or smaller as a whole.
    """
    wide = options.wide_in_pixels(is_raster=is_raster(options.format))
    style = _style(options)
    if isinstance(figure, StyledFigure):
        figure = figure.styled(style if wide is None else replace(style, width=wide / _type_scale(options)))
    return Sheet(figure) if wide is None else Sheet(figure, wide / max(figure.size.width(), 1))


def _style(options: FigureOptions) -> FigureStyle:
    look = Look(
        THEMES[options.theme],
        axis_names=options.axis_names,
        token_labels=options.token_labels,
        colour_bars=options.colour_bar,
        most_rectangles=MOST_RECTANGLES[options.cells],
        still=True,
    )
    return FigureStyle(look, options.title, options.caption)


def _type_scale(options: FigureOptions) -> float:
    """Return the scale of words: a width in pixels is one for screens, where they are as large as in the window."""
    is_paper = options.width is not None and options.width.unit is not LengthUnit.PX
    return PAPER_SCALE if is_paper else 1.0


# ---- Pictures ----


def rendered(figure: Figure, options: FigureOptions) -> QImage:
    """Return the figure as an image, with its resolution and its words stored in it.

    Raises
    ------
    ExportError
        A side would have more than 16 000 pixels.
    """
    return _image(sheet_of(figure, replace(options, format=".png")), options)


def figure_image(figure: Figure, scale: float = 1.0) -> QImage:
    """Return the figure as it usually looks as an image of ``scale`` × its size."""
    return rendered(figure, FigureOptions(".png", dpi=PIXELS_PER_INCH * scale))


def _image(sheet: Sheet, options: FigureOptions) -> QImage:
    size, dpi = sheet.pixels(options.dpi), options.dpi
    if max(size.width(), size.height()) > LARGEST_SIDE:
        remedy = "fewer dots per inch, or SVG or PDF" if dpi > PIXELS_PER_INCH else "SVG or PDF"
        raise ExportError(f"A picture of {size.width()} × {size.height()} pixels is too large. Choose {remedy}.")
    if size.isEmpty():
        raise ExportError("The picture would have no pixels. Choose more dots per inch or a larger width.")
    image = painted(sheet, size)
    per_metre = round(dpi / MILLIMETRES_PER_INCH * 1000)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    image.setText("Title", file_title(sheet.figure))
    image.setText("Description", sheet.figure.description)
    image.setText("Software", f"Attention Explorer {__version__}")
    return image


def painted(sheet: Sheet, size: QSize) -> QImage:
    """Return a sheet as an image of a size."""
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)  # whatever lay in its memory is not to be seen where a figure paints nothing
    with QPainter(image) as painter:  # ended whatever happens: a painter that outlives its image crashes Qt
        painter.scale(size.width() / sheet.figure.size.width(), size.height() / sheet.figure.size.height())
        sheet.figure.paint(painter)
    return image


def file_title(figure: Figure) -> str:
    """Return what a file says that it is."""
    return f"Attention Explorer: {figure.title}"


def png_bytes(image: QImage) -> bytes:
    """Return an image encoded as PNG.

    Raises
    ------
    ExportError
        Qt could not encode it: it is empty or there is no memory for it.
    """
    buffer = QBuffer()  # with an array of its own: it does not keep one that it is given
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    writer.setQuality(PNG_QUALITY)
    if not writer.write(image):
        raise ExportError("The picture could not be encoded as PNG. Choose a smaller scale.")
    return bytes(buffer.data().data())


Contents: TypeAlias = Callable[[IO[bytes], Report], object]
"""Writes what is drawn by then to a file, on any thread. It reports how much is done; what that raises ends it."""


def _png(figure: Figure, options: FigureOptions) -> Contents:
    image = rendered(figure, options)
    return lambda file, _: file.write(png_bytes(image))


def _svg(figure: Figure, options: FigureOptions) -> Contents:
    sheet = sheet_of(figure, options)
    drawn = sheet.figure
    drawing = svg_bytes(drawn.paint, drawn.size, sheet.scale, file_title(drawn), drawn.description)
    return lambda file, _: file.write(drawing)


def _pdf(figure: Figure, options: FigureOptions) -> Contents:
    sheet = sheet_of(figure, options)
    drawn = sheet.figure
    page = pdf_bytes(drawn.paint, drawn.size, sheet.scale, file_title(drawn), drawn.description)
    return lambda file, _: file.write(page)


def _numbers(write: Callable[[Numbers, IO[bytes], Report], None]) -> Callable[[Figure, FigureOptions], Contents]:
    """Return how a format begins that holds the numbers and draws nothing."""
    return lambda figure, _: lambda file, report: write(figure.numbers(), file, report)


# ---- Files ----


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A kind of file: its suffix, what it is good for, and how it is made; ``is_raster`` if it is made of pixels.

    ``begin`` does what only the GUI thread may do: it draws. What it returns does the rest.
    """

    suffix: str
    title: str
    begin: Callable[[Figure, FigureOptions], Contents]
    is_picture: bool = True
    is_raster: bool = False


EXPORT_FORMATS: tuple[ExportFormat, ...] = (
    ExportFormat(".png", "PNG picture", _png, is_raster=True),
    ExportFormat(".svg", "SVG drawing", _svg),
    ExportFormat(".pdf", "PDF page", _pdf),
    ExportFormat(".csv", "CSV numbers", _numbers(write_csv), is_picture=False),
    ExportFormat(".npy", "NumPy array", _numbers(write_npy), is_picture=False),
    ExportFormat(".npz", "NumPy archive", _numbers(write_npz), is_picture=False),
    ExportFormat(".json", "JSON numbers", _numbers(write_json), is_picture=False),
)


def format_of(suffix: str) -> ExportFormat:
    """Return the kind of file that a suffix stands for.

    Raises
    ------
    UsageError
        No format has this suffix; the message names the nearest, or lists those there are.
    """
    for export_format in EXPORT_FORMATS:
        if export_format.suffix == suffix.lower():
            return export_format
    near = did_you_mean(suffix, (export_format.suffix for export_format in EXPORT_FORMATS))
    raise UsageError(f"Files ending in {quoted(suffix)} cannot be written. {near}")


def is_raster(suffix: str) -> bool:
    """Whether files with this suffix are made of pixels, so that their resolution counts."""
    return any(kind.is_raster and kind.suffix == suffix.lower() for kind in EXPORT_FORMATS)


def encoded(figure: Figure, suffix: str, scale: float = 1.0) -> bytes:
    """Return the contents of a file of a kind as it usually is, a PNG with ``scale`` × the pixels of the figure."""
    return figure_bytes(figure, FigureOptions(suffix, dpi=PIXELS_PER_INCH * scale))


def figure_bytes(figure: Figure, options: FigureOptions) -> bytes:
    """Return the contents of the file that the options describe: the same bytes each time.

    Raises
    ------
    ExportError
        The format is unknown, or the picture is too large.
    """
    file = io.BytesIO()
    begun(figure, options)(file, lambda _fraction: None)
    return file.getvalue()


def begun(figure: Figure, options: FigureOptions) -> Contents:
    """Draw a figure, and return what writes its file, on any thread.

    Raises
    ------
    ExportError
        The format is unknown, or the picture is too large.
    """
    return format_of(options.format).begin(figure, options)


def write_figure(figure: Figure, target: Path | BinaryIO, options: FigureOptions | None = None) -> None:
    """Write a figure to a file, whole or not at all, or to a stream.

    The kind of file is that of the options; if they name none, that of the suffix of the path.

    Raises
    ------
    ExportError
        The format is unknown, the picture too large, or the path cannot be written.
    """
    options = FigureOptions() if options is None else options
    if isinstance(target, Path):
        options = options if options.format else replace(options, format=target.suffix)
        contents = begun(figure, options)
        write_whole(target, lambda file: contents(file, lambda _fraction: None))
        return
    target.write(figure_bytes(figure, options))
