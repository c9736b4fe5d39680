"""All heads in one picture to take away: thumbnails with tokens along their outer sides, and the colour bar."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.colour_bar import paint_bar
from attention_explorer.kit.drawing.heatmap import paint_column_labels, paint_row_labels
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels, label_size, longest_label
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import HeadsView
from attention_explorer.pages.heads.survey import HeadSurvey, in_order, meets, surveys_of, wall_legend
from attention_explorer.pages.heads.ui.thumbnail import (
    cells_from,
    cells_in,
    paint_thumbnail,
    paint_thumbnail_cells,
    thumbnail_height,
    thumbnail_image,
    thumbnail_pixels,
)

TILE = 150
"""Pixels from one thumbnail to the next."""
LARGEST_TILE = 220
"""The same at zoom 1 in a wall laid out for a width."""
BESIDE = 8
BAR_HEIGHT = 62
"""Pixels kept for the colour bar with its words."""
LEAST_TILE = 104
"""Pixels at zoom 1 of a thumbnail with words below it, at least."""
NUMBER_MARGIN, COMPACT_GAP = 52, 3
"""Pixels for the numbers of layers and heads, and between thumbnails, in a wall without words below them."""
LEAST_MARGIN, MOST_MARGIN = 58, 90
"""Pixels for tokens and the names of the axes, at the left and above."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the thumbnails stand: in so many columns, ``tile`` pixels from one to the next.

    In a compact wall there is no room for words below each: layers are rows and heads columns, and both are numbered.
    """

    columns: int
    rows: int
    tile: float
    is_compact: bool = False

    def tile_height(self, look: Look) -> float:
        """Return how many pixels it is from one row to the next."""
        return self.tile if self.is_compact else thumbnail_height(look, self.tile - BESIDE) + BESIDE


def _plan(frame: HeadsFrame, look: Look, width: float | None) -> _Plan:
    columns, layers = _columns(frame), len(frame.layers)
    rows = layers if layers > 1 else math.ceil(frame.heads / columns)
    if width is None:
        return _Plan(columns, rows, float(TILE))
    room = max(width - _margin(frame.queries, look), 40.0)
    least = look.px(LEAST_TILE)
    if layers > 1 and room / columns < least:
        return _Plan(columns, rows, (width - look.px(NUMBER_MARGIN)) / columns, is_compact=True)
    if layers == 1:
        rows = math.ceil(frame.heads / max(1, int(room // least)))
        columns = math.ceil(frame.heads / rows)  # no more than needed: then the last row is as full as can be
    return _Plan(columns, rows, min(room / columns, float(look.px(LARGEST_TILE))))


def wall_size(frame: HeadsFrame, look: Look, width: float | None = None) -> tuple[float, float]:
    """Return width and height of the picture of a wall; ``width`` is what there is, None for what suits it."""
    plan = _plan(frame, look, width)
    left, top = _margins(frame, look, plan)
    bar = BAR_HEIGHT if look.colour_bars else 6
    wide = left + plan.columns * plan.tile if width is None else width
    return wide, top + plan.rows * plan.tile_height(look) + bar


def _columns(frame: HeadsFrame) -> int:
    if len(frame.layers) > 1:
        return max(frame.source.heads)  # a line a layer
    return min(frame.heads, max(2, math.ceil(math.sqrt(frame.heads))))


def _margins(frame: HeadsFrame, look: Look, plan: _Plan) -> tuple[float, float]:
    """Return the room for words at the left and above."""
    if plan.is_compact:
        return float(look.px(NUMBER_MARGIN)), float(look.px(NUMBER_MARGIN - 10))
    return _margin(frame.queries, look), _margin(frame.keys, look)


def _margin(tokens: tuple[str, ...], look: Look) -> float:
    return min(max(longest_label(tokens, look, 11.0) + look.px(10), look.px(LEAST_MARGIN)), look.px(MOST_MARGIN))


def paint_wall(
    painter: QPainter,
    frame: HeadsFrame,
    view: HeadsView,
    room: QRectF,
    look: Look,
    surveys: tuple[HeadSurvey, ...] = (),
    *,
    width: float | None = None,
    vector: bool = False,
) -> None:
    """Paint all heads: tokens stand at the left of the first column and above the first row, and hold for all.

    ``surveys`` are the heads by number with all that the view arranges them by, if that is more than their own numbers.
    Those that do not meet the threshold of the view are pale: each stays in its place.
    ``room`` has the size that `wall_size` gives for the same ``width``.
    """
    plan = _plan(frame, look, width)
    by_number = surveys = surveys or surveys_of(frame)
    if not plan.is_compact:  # else rows and columns are layers and heads
        surveys = in_order(surveys, view.sort, reverse=view.reverse)
    # Layers of few heads leave the rest of their line free, unless one head follows the other in another order.
    by_layer = len(frame.layers) > 1 and surveys == by_number
    legend = wall_legend(surveys, view)
    margins = _margins(frame, look, plan)
    left, top = room.left() + margins[0], room.top() + margins[1]
    as_cells = vector and sum(survey.pooled.values.size for survey in surveys) <= look.most_rectangles
    make = thumbnail_pixels if as_cells else thumbnail_image
    for index, survey in enumerate(surveys):
        row, column = survey.place if by_layer else divmod(index, plan.columns)
        corner = QPointF(left + column * plan.tile, top + row * plan.tile_height(look))
        off = survey.place in frame.setup.switched_off
        picture = make(survey, legend.scale, legend.colour_map, look)
        left_out = not meets(survey, view.threshold)
        if plan.is_compact:
            cells = cells_from(corner, survey, plan.tile - COMPACT_GAP, 1.0)
            paint_thumbnail_cells(painter, picture, cells, off=off, left_out=left_out)
            continue
        box = QRectF(corner, QSizeF(plan.tile - BESIDE, 0.0))
        paint_thumbnail(painter, survey, picture, box, view, look, off=off, left_out=left_out)
        tokens = replace(legend, row_tokens=frame.queries, column_tokens=frame.keys)
        _paint_tokens(painter, tokens, survey, box, look, rows=column == 0, columns=row == 0)
    corner_box = QRectF(room.left(), room.top(), left - room.left(), top - room.top())
    if plan.is_compact:
        _paint_numbers(painter, plan, frame.count, corner_box, look)
    elif look.axis_names:
        _paint_axis_names(painter, corner_box, look)
    bar = QRectF(left + look.px(6), room.bottom() - BAR_HEIGHT + 8, min(260.0, room.right() - left - 120), 12)
    paint_bar(painter, legend, bar, look, vector=vector)


def _paint_numbers(painter: QPainter, plan: _Plan, count: Count, corner: QRectF, look: Look) -> None:
    """Write the numbers of layers at the left and of heads above, and say what the rows and columns of each map are."""
    px, font, middle = look.px, look.font(11), Qt.AlignmentFlag.AlignCenter
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    every = max(1, math.ceil(px(20) / plan.tile))
    line = QRectF(corner.right(), corner.bottom() - px(16), plan.tile - COMPACT_GAP, px(14))
    for column in range(0, plan.columns, every):
        painter.drawText(line.translated(column * plan.tile, 0), middle, str(count.number(column)))
    beside = QRectF(corner.left(), corner.bottom(), corner.width() - px(6), plan.tile - COMPACT_GAP)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for row in range(0, plan.rows, every):
        painter.drawText(beside.translated(0, row * plan.tile), right, str(count.number(row)))
    if not look.axis_names:
        return
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(QRectF(corner.left(), line.top(), corner.width() - px(6), px(14)), right, "layer ↓")
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    above = QRectF(corner.right(), corner.top(), plan.columns * plan.tile, px(14))
    painter.drawText(above, left, "head →   (in each map: query ↓, key →)")


def _paint_tokens(
    painter: QPainter, tokens: MapPicture, survey: HeadSurvey, box: QRectF, look: Look, *, rows: bool, columns: bool
) -> None:
    """Write tokens beside and above a thumbnail, every how-manieth as there is room."""
    cells = cells_in(box, survey, look)
    n_q, n_k = tokens.cells
    row_size, row_step = label_size(look, cells.height() / n_q)
    column_size, column_step = label_size(look, cells.width() / n_k)
    layout = HeatmapLayout(
        cells,
        n_q,
        n_k,
        Labels(min(row_size, 11.0), row_step, 0, _margin(tokens.row_tokens, look) - look.px(10)),
        Labels(min(column_size, 11.0), column_step, -90, _margin(tokens.column_tokens, look) - look.px(10)),
        QRectF(),
    )
    if rows:
        paint_row_labels(painter, tokens, layout, look)
    if columns:
        paint_column_labels(painter, tokens, layout, look)


def _paint_axis_names(painter: QPainter, corner: QRectF, look: Look) -> None:
    """Say in the corner what rows and columns are."""
    painter.setFont(look.font(11.5))
    flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    line = QRectF(corner.left(), corner.bottom() - look.px(16), corner.width() - look.px(2), look.px(15))
    painter.setPen(colour_of(look.theme.query_ink))
    painter.drawText(line, flags, "query ↓")
    painter.setPen(colour_of(look.theme.key_ink))
    painter.drawText(line.translated(0, -look.px(15)), flags, "key →")
