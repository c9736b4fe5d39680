"""A head as a thumbnail: one image, whatever the number of cells, with its name and summary below."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from attention_explorer.core.colour_scale import ColourScale
from attention_explorer.core.numerals import counted, plain
from attention_explorer.kit.drawing.colour_maps import image_of, pixels_of
from attention_explorer.kit.drawing.heatmap import paint_runs
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.model import MapSummary
from attention_explorer.pages.heads.state import HeadsView, SortBy
from attention_explorer.pages.heads.survey import HeadSurvey, character, measure_text, pattern_words

NOT_COMPUTED, COMING, NO_WEIGHTS = "not computed yet", "being computed …", "no weights"
LEFT_OUT = 0.12
"""How much is seen of a head that does not meet the threshold of the wall."""


def thumbnail_image(survey: HeadSurvey, scale: ColourScale, colour_map: str, look: Look) -> QImage:
    """Return the picture of a head, one pixel a tile, in the colours of the wall."""
    return image_of(thumbnail_pixels(survey, scale, colour_map, look))


def thumbnail_pixels(
    survey: HeadSurvey, scale: ColourScale, colour_map: str, look: Look
) -> np.typing.NDArray[np.uint32]:
    """Return the colours of the picture of a head, one a tile."""
    values, masked = survey.pooled
    return pixels_of(scale.positions(values), masked, colour_map, look.theme.masked)


def paint_thumbnail(
    painter: QPainter,
    survey: HeadSurvey,
    image: QImage | np.typing.NDArray[np.uint32],
    box: QRectF,
    view: HeadsView,
    look: Look,
    *,
    off: bool = False,
    old: bool = False,
    left_out: bool = False,
) -> QRectF:
    """Paint a head with its name and summary into a box and return where its map is.

    A head that is switched off, or ``old``, of the numbers before, is pale and says so; one that is ``left_out`` by
    the threshold of the wall is paler.
    """
    px = look.px
    side = box.width() - px(12)
    cells = cells_in(box, survey, look)
    if survey.is_computed:
        paint_thumbnail_cells(painter, image, cells, off=off, old=old, left_out=left_out)
    else:
        painter.setFont(look.font(11.5))
        painter.setPen(QColor(look.theme.muted))
        painter.drawText(cells, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, _why_empty(survey))
    words = QRectF(box.left() + px(6), box.top() + px(8) + side, side, px(17))
    is_entropy = view.sort in (SortBy.NUMBER, SortBy.ENTROPY)
    said = measure_text(survey, view.sort) if survey.is_computed and not (look.few and is_entropy) else ""
    standing_out = "off" if off else "as before" if old else character(survey)
    painter.setFont(look.font(12, bold=True))
    painter.setPen(QColor(look.theme.muted if off or old or left_out else look.theme.text))
    name = painter.fontMetrics()
    painter.drawText(
        words,
        Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
        name.elidedText(survey.name, Qt.TextElideMode.ElideRight, round(side)),
    )
    below = words.translated(0, px(16))
    painter.setFont(look.font(11.5))
    painter.setPen(QColor(look.theme.muted))
    painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, said)
    taken = painter.fontMetrics().horizontalAdvance(f"{said}  {standing_out}")
    if standing_out != said and taken <= side:
        painter.drawText(below, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, standing_out)
    return cells


def _why_empty(survey: HeadSurvey) -> str:
    return NO_WEIGHTS if survey.refusal else _not_yet(survey)


def _not_yet(survey: HeadSurvey) -> str:
    return COMING if survey.is_coming else NOT_COMPUTED


def paint_thumbnail_cells(
    painter: QPainter,
    image: QImage | np.typing.NDArray[np.uint32],
    cells: QRectF,
    *,
    off: bool = False,
    old: bool = False,
    left_out: bool = False,
) -> None:
    """Paint the map of a head, from an image of it, or from its colours as rectangles."""
    painter.setOpacity(LEFT_OUT if left_out else 0.25 if off else 0.45 if old else 1.0)
    if isinstance(image, QImage):
        is_shrunk = max(image.width() / cells.width(), image.height() / cells.height()) > 1.0
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_shrunk)
        painter.drawImage(cells, image)
    else:
        paint_runs(painter, image, cells)
    painter.setOpacity(1.0)


def cells_in(box: QRectF, survey: HeadSurvey, look: Look) -> QRectF:
    """Return where the map of a head is in the box of its thumbnail."""
    corner = box.topLeft() + QPointF(look.px(6), look.px(6))
    return cells_from(corner, survey, box.width() - look.px(12), 2.0)


def cells_from(corner: QPointF, survey: HeadSurvey, side: float, least: float) -> QRectF:
    """Return where the map of a head is in a square at a corner; it is ``least`` pixels wide and high at least."""
    height, width = survey.pooled.values.shape
    stretch = side / max(height, width, 1)
    return QRectF(corner, QSizeF(max(width * stretch, least), max(height * stretch, least)))


def thumbnail_height(look: Look, width: float) -> float:
    """Return how high a thumbnail of a width is."""
    return width - look.px(12) + look.px(46)


def paint_thumbnail_mark(painter: QPainter, shape: tuple[int, int], cells: QRectF, spot: Spot, look: Look) -> None:
    """Outline the cell, row or column that is pointed at elsewhere; the nearest one where the map is smaller."""
    if spot == NOWHERE:
        return
    n_q, n_k = shape
    height, width = cells.height() / n_q, cells.width() / n_k
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(look.theme.query), 1.5))
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
    painter.setPen(QPen(QColor(look.theme.card), 0.4 * radius))
    painter.setBrush(QColor(look.theme.text))
    painter.drawEllipse(box.topRight() + QPointF(-1.4 * radius, 1.4 * radius), radius, radius)


def _measures(summary: MapSummary, *, few: bool) -> str:
    """Return how spread the weights of a head are: with ``few`` numbers, without the entropy."""
    largest = f"mean of the row maxima {plain(summary.max_weight)}"
    return largest if few else f"entropy {plain(summary.entropy)} nats, {largest}"


def line_words(survey: HeadSurvey, *, few: bool = False) -> str:
    """Return what a line has room for of the summary of a head; ``few`` of its numbers at the level Start."""
    if not survey.is_computed:
        return f"{survey.name}: {_not_yet(survey)}"
    empty = survey.summary.empty_rows
    parts = [
        f"{survey.name}: {_measures(survey.summary, few=few)}",
        _difference_words(survey) or pattern_words(survey, short=True),
        f"{counted(empty, 'row')} with nothing to attend to" if empty else "",
    ]
    return "; ".join(filter(None, parts))


def _difference_words(survey: HeadSurvey) -> str:
    """Return how much a head differs from B; empty if that was not measured."""
    if survey.difference is None or math.isnan(survey.difference):
        return ""
    return f"{plain(survey.difference)} of each query’s weight lies elsewhere than in B"


def summary_words(survey: HeadSurvey, *, few: bool = False) -> str:
    """Return the summary of a head in words; ``few`` of its numbers at the level Start."""
    if not survey.is_computed:
        return f"{survey.name}: {survey.refusal or _not_yet(survey)}"
    summary = survey.summary
    text = (
        f"{survey.name}: {_measures(summary, few=few)}, mean distance {plain(summary.distance)}, weight on "
        f"itself {plain(summary.self_mass)}, on the previous token {plain(summary.previous_mass)}, "
        f"on the first {plain(summary.first_mass)}"
    )
    pattern = pattern_words(survey)
    text = f"{text}; {pattern}" if pattern else text
    if elsewhere := _difference_words(survey):
        text = f"{text}; {elsewhere}"
    empty = summary.empty_rows
    return f"{text}; {counted(empty, 'row')} with nothing to attend to" if empty else text
