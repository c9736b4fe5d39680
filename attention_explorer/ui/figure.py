"""The plane as a figure with legend and caption: one way to draw it for files, clipboard and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from attention_explorer import __version__
from attention_explorer.errors import ExportError
from attention_explorer.files import write_whole
from attention_explorer.state.lookup import LookupState
from attention_explorer.state.lookup_export import lookup_csv, lookup_json
from attention_explorer.state.lookup_frame import lookup_frame
from attention_explorer.state.lookup_wording import description, logit_text, output_sum
from attention_explorer.state.numerals import coordinate
from attention_explorer.state.plane import Extent
from attention_explorer.ui.marks import text_size
from attention_explorer.ui.overlay_chips import (
    OVERLAY_NAMES,
    SAMPLE_HEIGHT,
    SAMPLE_WIDTH,
    OverlayName,
    draw_sample,
)
from attention_explorer.ui.plane_painter import paint_plane
from attention_explorer.ui.plane_scene import scene_for
from attention_explorer.ui.theme import LIGHT, Look

PIXELS_PER_INCH = 96
LARGEST_SIDE = 16_000
FIELD_COLUMNS = 360


@dataclass(frozen=True, slots=True)
class Figure:
    """What is drawn and how large: ``width`` × ``height`` px of plane, the footer below it."""

    state: LookupState
    width: int = 720
    height: int = 480
    look: Look = Look(LIGHT)
    camera: Extent | None = None
    trail: tuple[tuple[float, ...], ...] = ()

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        return QSize(self.width, self.height + self._footer_height())

    def paint(self, painter: QPainter) -> None:
        """Paint the figure with its top left corner at the painter's origin."""
        painter.fillRect(QRect(0, 0, self.size.width(), self.size.height()), QColor(self.look.theme.plane))
        state = self.state if self.camera is None else replace(self.state, extent=self.camera)
        scene = scene_for(state, self.look, self.width, self.height, trail=self.trail, field_columns=FIELD_COLUMNS)
        painter.save()
        painter.setClipRect(QRectF(0, 0, self.width, self.height))
        paint_plane(painter, scene)
        painter.restore()
        self._paint_footer(painter)

    # ---- Footer ----

    def _legend(self) -> list[tuple[QRectF, OverlayName]]:
        """Return the box of each legend entry, in lines that fit the width, with its overlay name."""
        px, font = self.look.px, self.look.font(12)
        x, y, boxes = float(px(12)), self.height + px(8), list[tuple[QRectF, OverlayName]]()
        for name in OVERLAY_NAMES:
            if not self.state.draws(name.overlay):
                continue
            width = px(SAMPLE_WIDTH + 6) + text_size(font, name.title)[0]
            if x + width > self.width - px(12) and boxes:
                x, y = float(px(12)), y + px(20)
            boxes.append((QRectF(x, y, width, px(18)), name))
            x += width + px(16)
        return boxes

    def caption(self) -> str:
        """Return the line that says what is shown, with the settings that made it."""
        frame, state = lookup_frame(self.state), self.state
        temperature = f", T = {coordinate(state.temperature)}" if state.temperature != 1 else ""
        soft = f"Soft lookup, weights = softmax({logit_text(state)}){temperature},"
        kind = "Hard lookup (arg max)" if state.hard else soft
        return f"{kind} at q = ({coordinate(state.query[0])}, {coordinate(state.query[1])}):  {output_sum(frame)}"

    def _footer_height(self) -> int:
        legend = self._legend()
        bottom = legend[-1][0].bottom() if legend else self.height + self.look.px(4)
        return round(bottom - self.height) + self._caption_height() + self.look.px(14)

    def _caption_height(self) -> int:
        width, height = text_size(self.look.font(12), self.caption())
        lines = -(-width // max(1.0, self.width - self.look.px(24)))
        return round(height * max(1.0, lines)) + self.look.px(2)

    def _paint_footer(self, painter: QPainter) -> None:
        look, px = self.look, self.look.px
        legend = self._legend()
        # SVG does not clip: what reaches out of the plane is covered here.
        painter.fillRect(QRectF(0, self.height, self.width, self._footer_height()), QColor(look.theme.plane))
        for box, name in legend:
            sample = QRectF(box.left(), box.top() + px(2), px(SAMPLE_WIDTH), px(SAMPLE_HEIGHT))
            draw_sample(painter, name.overlay, sample, look)
            painter.setFont(look.font(12))
            painter.setPen(QColor(look.theme.text))
            words = box.adjusted(px(SAMPLE_WIDTH + 6), 0, px(8), 0)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, name.title)
        top = legend[-1][0].bottom() + px(5) if legend else self.height + px(8)
        painter.setFont(look.font(12))
        painter.setPen(QColor(look.theme.muted))
        box = QRectF(px(12), top, self.width - px(24), self._caption_height())
        painter.drawText(box, Qt.TextFlag.TextWordWrap, self.caption())


# ---- Pictures ----


def figure_image(figure: Figure, scale: float = 1.0) -> QImage:
    """Return the figure as an image of ``scale`` × its size, with the matching resolution stored in it.

    Raises
    ------
    ExportError
        A side would have more than 16 000 pixels.
    """
    size = figure.size * scale
    if max(size.width(), size.height()) > LARGEST_SIDE:
        raise ExportError(
            f"A picture of {size.width()} × {size.height()} pixels is too large. Choose a smaller scale, or SVG or PDF."
        )
    image = QImage(size, QImage.Format.Format_RGB32)
    per_metre = round(PIXELS_PER_INCH * scale / 0.0254)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    image.setText("Software", f"Attention Explorer {__version__}")
    image.setText("Description", description(lookup_frame(figure.state)))
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
    generator.setTitle("Attention Explorer: lookup")
    generator.setDescription(description(lookup_frame(figure.state)))
    painter = QPainter(generator)
    figure.paint(painter)
    painter.end()
    # Where the font is not installed a viewer should take another sans serif, not its default.
    text = bytes(buffer.data().data()).decode("utf-8")
    return text.replace('font-family="Inter"', "font-family=\"Inter, 'DejaVu Sans', Arial, sans-serif\"").encode()


def _pdf(figure: Figure, _scale: float) -> bytes:
    buffer = _open_buffer()
    writer = QPdfWriter(buffer)
    points = QSizeF(figure.size) * (72 / PIXELS_PER_INCH)
    writer.setResolution(PIXELS_PER_INCH)
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "figure", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)
    writer.setTitle("Attention Explorer: lookup")
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
    ExportFormat(".csv", "CSV numbers", lambda figure, _: lookup_csv(figure.state).encode()),
    ExportFormat(".json", "JSON numbers", lambda figure, _: lookup_json(figure.state).encode()),
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
