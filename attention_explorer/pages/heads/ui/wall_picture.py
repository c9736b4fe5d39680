"""All heads on paper: thumbnails with tokens along their outer sides, and the colour bar."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.colour_maps import paint_bar
from attention_explorer.kit.drawing.heatmap import paint_column_labels, paint_row_labels
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels, label_size, longest_label
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.items.item import Item
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import HeadsView
from attention_explorer.pages.heads.survey import HeadSurvey, in_order, meets
from attention_explorer.pages.heads.ui.thumbnail import (
    Seen,
    bare_cells_in,
    cells_in,
    paint_cells,
    paint_thumbnail,
    thumbnail_image,
    thumbnail_pixels,
)
from attention_explorer.pages.heads.ui.wall import paint_numbers, wall_legend
from attention_explorer.pages.heads.ui.wall_grid import WallGrid

BAR_HEIGHT = 62
"""Pixels kept for the colour bar with its words."""
LEAST_MARGIN, MOST_MARGIN = 58, 90
"""Pixels for tokens and the names of the axes, at the left and above."""


@dataclass(frozen=True, slots=True)
class PrintedLayout:
    """Where the thumbnails are, and the room around all that is drawn."""

    grid: WallGrid
    room: QRectF


@dataclass(frozen=True, slots=True, eq=False)
class PrintedWall(Item[PrintedLayout]):
    """All heads: tokens stand at the left of the first column and above the first row, and hold for all.

    Those that do not meet the threshold of the view are pale: each stays in its place.

    Attributes
    ----------
    frame : HeadsFrame
        Whose heads they are.
    view : HeadsView
        How they are arranged and coloured.
    surveys : tuple of HeadSurvey
        All of them by number.
    width : float or None
        The pixels it is laid out for; None for what suits it.
    """

    frame: HeadsFrame
    view: HeadsView
    surveys: tuple[HeadSurvey, ...]
    width: float | None = None
    name: str = "all heads"
    is_given: bool = False

    # ---- Where everything is ----

    def size(self, look: Look) -> tuple[float, float]:
        """Return the width and height that it needs."""
        grid = self._grid(look)
        wide = grid.size.width() if self.width is None else self.width
        return wide, grid.size.height() + (BAR_HEIGHT if look.colour_bars else 6)

    def _grid(self, look: Look) -> WallGrid:
        margins = _margin(self.frame.queries, look), _margin(self.frame.keys, look)
        # Layers of few heads leave the rest of their line free, unless one head follows the other in another order.
        by_layer = self._ordered() == self.surveys
        return WallGrid.printed(self.frame.source.heads, look, self.width, margins, by_layer=by_layer)

    def _ordered(self) -> tuple[HeadSurvey, ...]:
        return in_order(self.surveys, self.view.sort, reverse=self.view.reverse)

    def layout(self, look: Look, box: QRectF) -> PrintedLayout:
        grid = self._grid(look)
        return PrintedLayout(replace(grid, left=grid.left + box.left(), top=grid.top + box.top()), box)

    def data_box(self, layout: PrintedLayout) -> QRectF:
        rows, columns = layout.grid.shape
        return layout.grid.cell(0, 0).united(layout.grid.cell(rows - 1, columns - 1))

    # ---- Painting ----

    def paint(self, painter: QPainter, layout: PrintedLayout, look: Look, *, vector: bool = False) -> None:
        grid, room, frame = layout.grid, layout.room, self.frame
        surveys = self.surveys if grid.is_bare else self._ordered()  # else rows and columns are layers and heads
        legend = wall_legend(surveys, self.view)
        as_cells = vector and sum(survey.shown.values.size for survey in surveys) <= look.most_rectangles
        make = thumbnail_pixels if as_cells else thumbnail_image
        first = grid.box_of(0)
        for index, survey in enumerate(surveys):
            box, picture = grid.box_of(index), make(survey, legend.scale, legend.colour_map, look)
            off, left_out = survey.place in frame.setup.switched_off, not meets(survey, self.view.threshold)
            seen = Seen(off=off, left_out=left_out)
            if grid.is_bare:
                paint_cells(painter, picture, bare_cells_in(box, survey), seen)
                continue
            paint_thumbnail(painter, survey, picture, box, self.view.sort, look, seen)
            tokens = replace(legend, row_tokens=frame.queries, column_tokens=frame.keys)
            is_first = box.left() == first.left(), box.top() == first.top()
            _paint_tokens(painter, tokens, survey, box, look, *is_first)
        corner = QRectF(room.topLeft(), first.topLeft())
        if grid.is_bare:
            self._paint_numbers(painter, grid, corner, look)
        elif look.axis_names:
            _paint_axis_names(painter, corner, look)
        width = min(260.0, room.right() - grid.left - 120)
        bar = QRectF(grid.left + look.px(6), room.bottom() - BAR_HEIGHT + 8, width, 12)
        paint_bar(painter, legend, bar, look, vector=vector)

    def _paint_numbers(self, painter: QPainter, grid: WallGrid, corner: QRectF, look: Look) -> None:
        """Write the numbers of layers at the left and heads above, and what the rows and columns of each map are."""
        paint_numbers(painter, grid, self.frame.count, look, look.theme.text)
        if not look.axis_names:
            return
        px, middle = look.px, Qt.AlignmentFlag.AlignVCenter
        painter.setPen(colour_of(look.theme.muted))
        line = QRectF(corner.left(), corner.bottom() - px(16), corner.width() - px(6), px(14))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | middle, "layer ↓")
        above = QRectF(corner.right(), corner.top(), grid.size.width() - grid.left, px(14))
        painter.drawText(above, Qt.AlignmentFlag.AlignLeft | middle, "head →   (in each map: query ↓, key →)")


def _margin(tokens: tuple[str, ...], look: Look) -> float:
    return min(max(longest_label(tokens, look, 11.0) + look.px(10), look.px(LEAST_MARGIN)), look.px(MOST_MARGIN))


def _paint_tokens(
    painter: QPainter, tokens: MapPicture, survey: HeadSurvey, box: QRectF, look: Look, rows: bool, columns: bool
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
