"""The boxes of a layer's diagram as they are painted: frame, title, shape, and the array as a small map."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath

from attention_explorer.core.colour_scale import ColourScale, ScaleKind
from attention_explorer.kit.drawing.colour_maps import DIVERGING, SEQUENTIAL, image_of, pixels_of
from attention_explorer.kit.drawing.legend import fitting
from attention_explorer.kit.drawing.marks import colour_of, draw_arrow, draw_line, pen, text_size
from attention_explorer.kit.theme import Look, Theme
from attention_explorer.model.arrays import Bools
from attention_explorer.pages.block.boxes import Box
from attention_explorer.pages.block.diagram import DiagramPicture
from attention_explorer.pages.block.ui.layout import SMALLEST, BoxPlace, DiagramLayout, Path, title_of

MOST_RECTANGLES = 1200
"""A small map of more cells goes into a drawing as one image."""
RADIUS = 5
LEAST_FRAME, SMALL_ROW = 2.5, 5.0
"""Pixels of the lowest row that is framed and not crossed by a line, and of the lowest that is framed with a halo."""
DARK_INK, LIGHT_INK = "#101010", "#ffffff"


def scale_of(box: Box) -> ColourScale:
    """Return the colours of a box: weights from 0 to the largest, everything else around 0.

    Weights that are all alike stand in the middle of the colour bar, not at its end.
    """
    if box.name == "weights":
        top = min(max(box.largest, 2.0 / box.first.shape[-1]), 1.0)
        return ColourScale(ScaleKind.LINEAR, 0.0, top, "weight")
    end = box.largest or 1.0
    return ColourScale(ScaleKind.DIVERGING, -end, end, box.what)


def colour_map_name(box: Box) -> str:
    """Return the colour map of a box."""
    return SEQUENTIAL[0] if box.name == "weights" else DIVERGING


def masked_cells(picture: DiagramPicture, box: Box) -> Bools | None:
    """Return which cells (n, n) of a box are masked; None if none are."""
    if picture.mask is None or box.name not in ("masked", "weights"):
        return None
    return ~picture.mask


def sampled(count: int, room: float) -> np.typing.NDArray[np.intp]:
    """Return which rows or columns are drawn: all, or as many as there are pixels, evenly spread."""
    shown = min(count, max(round(room * 2), 1))
    return np.asarray((np.arange(shown) + 0.5) * count / shown, np.intp)


def ink_of_box(box: Box, theme: Theme) -> str:
    """Return the colour of the title of a box."""
    return str(getattr(theme, f"{box.colour}_ink")) if box.colour else theme.text


def paint_diagram(
    painter: QPainter, picture: DiagramPicture, layout: DiagramLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint boxes and lines, and the row of the token that is followed."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for path in layout.paths:
        _paint_path(painter, path, look)
    for place in layout.places.values():
        _paint_box(painter, picture, place, look, vector=vector)
    if picture.token is not None:
        for place in layout.places.values():
            outline_row(painter, place, picture.token, look)


def outline_row(painter: QPainter, place: BoxPlace, row: int, look: Look) -> None:
    """Frame a token's row in every head of a box."""
    count = place.box.first.shape[-2]
    for tile in place.tiles:
        height = tile.height() / count
        outline(painter, place.box, QRectF(tile.left(), tile.top() + row * height, tile.width(), height), look)


def outline(painter: QPainter, box: Box, place: QRectF, look: Look) -> None:
    """Frame cells of a box, in ink that stands out from its colour map in either theme."""
    ink, halo = (LIGHT_INK, DARK_INK) if box.name == "weights" else (DARK_INK, LIGHT_INK)
    small = min(place.width(), place.height())
    width = (1.0 if small < SMALL_ROW else 1.3 if small < 2 * SMALL_ROW else 2.0) * min(look.zoom, 1.5)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if place.height() < LEAST_FRAME:
        y = place.center().y()
        draw_line(painter, QPointF(place.left(), y), QPointF(place.right(), y), pen(ink, 1.0))
        return
    frame = place.adjusted(-0.5, -0.5, 0.5, 0.5)
    if small >= SMALL_ROW:  # a halo would cover lower rows
        painter.setPen(pen(halo, 2 * width))
        painter.drawRect(frame)
    painter.setPen(pen(ink, width))
    painter.drawRect(frame)


# ---- Boxes ----


def _paint_box(painter: QPainter, picture: DiagramPicture, place: BoxPlace, look: Look, *, vector: bool) -> None:
    box, theme, px = place.box, look.theme, look.px
    chosen = box is picture.chosen
    edge = theme.text if chosen else str(getattr(theme, box.colour)) if box.colour else theme.border
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(edge, (2.2 if chosen else 1.2) * min(look.zoom, 1.5)))
    painter.setBrush(colour_of(theme.card))
    painter.drawRoundedRect(place.frame, px(RADIUS), px(RADIUS))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _paint_words(painter, place, look)
    paint_tiles(painter, picture, place, look, vector=vector)
    if chosen and box.has_heads and len(place.tiles) > 1:
        outline(painter, box, place.tiles[picture.state.head_shown], look)


def _paint_words(painter: QPainter, place: BoxPlace, look: Look) -> None:
    box, theme = place.box, look.theme
    beside = place.shape.top() == place.title.top()
    small = look.font(11 if beside else _fitting_size(box.shape_text, 11.0, place.shape.width(), look))
    shape_width = text_size(small, box.shape_text)[0]
    room = place.title.width() - (shape_width + look.px(5) if beside else 0.0)
    titles = title_of(box), "→ out" if box.is_output else box.title
    title = fitting(titles, look.font(SMALLEST, bold=True), room)
    font = look.font(_fitting_size(title, 12.0, room, look, bold=True), bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(ink_of_box(box, theme)))
    text = QFontMetricsF(font).elidedText(title, Qt.TextElideMode.ElideRight, room + 1)
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(place.title, Qt.AlignmentFlag.AlignLeft | middle, text)
    painter.setFont(small)
    painter.setPen(colour_of(theme.muted))
    side = Qt.AlignmentFlag.AlignRight if beside else Qt.AlignmentFlag.AlignHCenter
    if shape_width <= place.shape.width() + 1 and (not beside or room > look.px(8)):
        painter.drawText(place.shape, side | middle, box.shape_text)


def _fitting_size(text: str, size: float, width: float, look: Look, *, bold: bool = False) -> float:
    """Return the largest font up to a size in which a text fits a width, at least the smallest."""
    while size > SMALLEST and text_size(look.font(size, bold=bold), text)[0] > width:
        size -= 0.5
    return size


def paint_tiles(
    painter: QPainter, picture: DiagramPicture, place: BoxPlace, look: Look, *, vector: bool = False
) -> None:
    """Paint the array of a box, one tile a head."""
    box, masked = place.box, masked_cells(picture, place.box)
    tile = place.tiles[0]
    rows, columns = sampled(box.first.shape[-2], tile.height()), sampled(box.first.shape[-1], tile.width())
    array = box.first if box.has_heads else box.first[None]
    values = array[:, rows][:, :, columns]  # (heads, rows drawn, columns drawn)
    hidden = None if masked is None else np.broadcast_to(masked[rows][:, columns], values.shape)
    pixels = pixels_of(scale_of(box).positions(values), hidden, colour_map_name(box), look.theme.masked)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    as_rectangles = vector and pixels.size <= MOST_RECTANGLES
    for cells, room in zip(pixels, place.tiles, strict=True):
        if as_rectangles:
            _paint_rectangles(painter, cells, room)
        else:
            painter.drawImage(room, image_of(cells))


def _paint_rectangles(painter: QPainter, pixels: np.typing.NDArray[np.uint32], room: QRectF) -> None:
    """Draw every cell of a tile as a rectangle, which a drawing program can take hold of."""
    height, width = room.height() / pixels.shape[0], room.width() / pixels.shape[1]
    for row, line in enumerate(pixels.tolist()):
        for column, pixel in enumerate(line):
            cell = QRectF(room.left() + column * width, room.top() + row * height, width, height)
            painter.fillRect(cell, QColor.fromRgb(pixel))


# ---- Lines ----


def _paint_path(painter: QPainter, path: Path, look: Look) -> None:
    colour = str(getattr(look.theme, path.colour))
    width = (2.2 if path.is_residual else 1.4) * min(look.zoom, 1.6)
    *before, start, end = path.points
    if before:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(colour, width))
        painter.drawPath(_rounded((*before, start), look.px(5)))
    draw_arrow(painter, start, end, colour, width, look.px(8 if path.is_residual else 7))
    if path.is_residual:
        _paint_residual_label(painter, path, look)


def _paint_residual_label(painter: QPainter, path: Path, look: Look) -> None:
    """Write what the way around is, on its level stretch, or beside it if there is none."""
    font = look.font(11)
    width = text_size(font, "residual")[0] + look.px(8)
    if len(path.points) < 4:
        box = QRectF(path.points[0].x() + look.px(5), path.points[0].y() + look.px(4), width, look.px(14))
    else:
        _, start, end, _ = path.points
        middle = (start.x() + end.x()) / 2
        if abs(end.x() - start.x()) < width + look.px(10):  # too short a stretch: to the right of it
            middle = max(start.x(), end.x()) + look.px(6) + width / 2
        box = QRectF(middle - width / 2, start.y() - look.px(7), width, look.px(14))
        painter.fillRect(box, colour_of(look.theme.card))
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "residual")


def _rounded(points: tuple[QPointF, ...], radius: float) -> QPainterPath:
    """Return a line through points with its corners rounded."""
    path = QPainterPath(points[0])
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        path.lineTo(_towards(corner, before, radius))
        path.quadTo(corner, _towards(corner, after, radius))
    path.lineTo(points[-1])
    return path


def _towards(corner: QPointF, other: QPointF, distance: float) -> QPointF:
    gap = other - corner
    length = max((gap.x() ** 2 + gap.y() ** 2) ** 0.5, 1e-6)
    share = min(distance / length, 0.5)
    return QPointF(corner.x() + share * gap.x(), corner.y() + share * gap.y())
