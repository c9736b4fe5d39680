"""A head as a thumbnail: one image, whatever the number of cells, with its name and summary below."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from attention_explorer.core.map_picture import BoolArray, ColourScale, FloatArray
from attention_explorer.kit.drawing.colour_maps import DIVERGING, image_of, pixels_of
from attention_explorer.kit.drawing.heatmap import paint_runs
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.state import SortBy
from attention_explorer.pages.heads.survey import HeadSurvey, character, doing, measure_text, not_yet
from attention_explorer.pages.heads.ui.wall_grid import AROUND, BELOW, MOST_STRETCH

LEFT_OUT, OFF, OLD = 0.12, 0.25, 0.45
"""How much is seen of a head that does not meet the threshold, that is switched off, and of one from before."""

Pixels: TypeAlias = np.typing.NDArray[np.uint32]


class Seen(NamedTuple):
    """What alters a thumbnail besides its numbers."""

    chosen: bool = False
    off: bool = False
    old: bool = False
    left_out: bool = False
    marked: bool = False


def thumbnail_pixels(survey: HeadSurvey, scale: ColourScale, colour_map: str, look: Look) -> Pixels:
    """Return the colours of the picture of a head, one a tile, in the colours of the wall."""
    values, masked = survey.shown
    return tile_pixels(scale.positions(values), masked, scale, colour_map, look)


def tile_pixels(positions: FloatArray, masked: BoolArray, scale: ColourScale, colour_map: str, look: Look) -> Pixels:
    """Return the colours of tiles, of one head or of many, by where they stand on the bar of the wall."""
    name = DIVERGING if scale.is_diverging else colour_map
    return pixels_of(positions, masked, name, look.theme.masked)


def thumbnail_image(survey: HeadSurvey, scale: ColourScale, colour_map: str, look: Look) -> QImage:
    """Return the picture of a head, one pixel a tile."""
    return image_of(thumbnail_pixels(survey, scale, colour_map, look))


def cells_in(box: QRectF, survey: HeadSurvey, look: Look, *, stretches: bool = False) -> QRectF:
    """Return where the map of a head is in its thumbnail with words; one that ``stretches`` fills its room."""
    around = look.px(AROUND)
    room = box.adjusted(around, around, -around, -look.px(BELOW))
    return _fitted(room, survey, 2.0, MOST_STRETCH if stretches else 1.0)


def bare_cells_in(box: QRectF, survey: HeadSurvey) -> QRectF:
    """Return where the map of a head is in a thumbnail without words on paper."""
    return _fitted(box, survey, 1.0, 1.0)


def _fitted(room: QRectF, survey: HeadSurvey, least: float, most_stretch: float) -> QRectF:
    """Return the cells at the top left of a room, ``least`` pixels wide and high at least."""
    high, wide = (max(length, 1) for length in survey.pooled.values.shape)
    across, down = room.width() / wide, room.height() / high
    across, down = min(across, most_stretch * down), min(down, most_stretch * across)
    return QRectF(room.left(), room.top(), max(wide * across, least), max(high * down, least))


def paint_cells(painter: QPainter, image: QImage | Pixels, cells: QRectF, seen: Seen) -> None:
    """Paint the map of a head, from an image of it, or from its colours as rectangles."""
    painter.setOpacity(LEFT_OUT if seen.left_out else OFF if seen.off else OLD if seen.old else 1.0)
    if isinstance(image, QImage):
        is_shrunk = max(image.width() / cells.width(), image.height() / cells.height()) > 1.0
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_shrunk)
        painter.drawImage(cells, image)
    else:
        paint_runs(painter, image, cells)
    painter.setOpacity(1.0)


def paint_thumbnail(
    painter: QPainter,
    survey: HeadSurvey,
    image: QImage | Pixels,
    box: QRectF,
    sort: SortBy,
    look: Look,
    seen: Seen,
    *,
    short: str = "",
    stretches: bool = False,
) -> None:
    """Paint a head with its name and the summary that it is sorted by into a box.

    Where its name is ``short``, as in the strip, it is called what it does, if that is clear.

    A head that is switched off, or old, of the numbers before, is pale and says so; one that is left out by the
    threshold of the wall is paler.
    """
    cells = cells_in(box, survey, look, stretches=stretches)
    if survey.is_computed:
        paint_cells(painter, image, cells, seen)
    else:
        painter.setFont(look.font(11.5))
        painter.setPen(colour_of(look.theme.muted))
        why = "no weights" if survey.refusal else not_yet(survey)
        painter.drawText(cells, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, why)
    name, said, aside = _words(survey, sort, seen, short)
    px, middle = look.px, Qt.AlignmentFlag.AlignVCenter
    line = QRectF(box.left() + px(AROUND), box.bottom() - px(BELOW - 2), box.width() - px(2 * AROUND), px(17))
    painter.setFont(look.font(12, bold=True))
    painter.setPen(colour_of(look.theme.muted if seen.off or seen.old or seen.left_out else look.theme.text))
    shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, round(line.width()))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | middle, shown)
    line.translate(0, px(16))
    painter.setFont(look.font(11.5))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | middle, said)
    if aside != said and painter.fontMetrics().horizontalAdvance(f"{said}  {aside}") <= line.width():
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | middle, aside)


def _words(survey: HeadSurvey, sort: SortBy, seen: Seen, short: str) -> tuple[str, str, str]:
    """Return the name of a head, what is said below it, and what stands beside that where there is room."""
    said = measure_text(survey, sort) if survey.is_computed else ""
    aside = "off" if seen.off else "as before" if seen.old else ""
    if not short:
        return survey.name, said, aside or character(survey)
    does = doing(survey) if survey.is_computed else ""
    if aside:  # in a narrow strip instead of its measure
        return does or short, aside, ""
    return does or short, said, short if does else character(survey)


def paint_spot(painter: QPainter, shape: tuple[int, int], cells: QRectF, spot: Spot, look: Look) -> None:
    """Outline the cell, row or column that is pointed at elsewhere; the nearest one where the map is smaller."""
    if spot == NOWHERE:
        return
    n_q, n_k = shape
    height, width = cells.height() / n_q, cells.width() / n_k
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour_of(look.theme.query), 1.5))
    row = 0 if spot.row is None else min(spot.row, n_q - 1)
    column = 0 if spot.column is None else min(spot.column, n_k - 1)
    box = QRectF(
        cells.left() + column * width,
        cells.top() + row * height,
        cells.width() if spot.column is None else max(width, 3.0),
        cells.height() if spot.row is None else max(height, 3.0),
    )
    painter.drawRect(box)


def paint_marked_dot(painter: QPainter, box: QRectF, look: Look) -> None:
    """Paint a dot into the corner of a head that is marked, to be seen on dark maps and light ones."""
    radius = min(look.px(4.5), 0.3 * box.width())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour_of(look.theme.card), 0.4 * radius))
    painter.setBrush(colour_of(look.theme.text))
    painter.drawEllipse(box.topRight() + QPointF(-1.4 * radius, 1.4 * radius), radius, radius)
