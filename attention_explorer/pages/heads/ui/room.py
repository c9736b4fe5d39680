"""How large the pictures of the Heads page are in a figure: as suits them, or for a width."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.heatmap_layout import layout_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.large_picture import LargePicture
from attention_explorer.pages.heads.lines import LinePicture
from attention_explorer.pages.heads.marked import MarkedHeads
from attention_explorer.pages.heads.stages import StagesPicture
from attention_explorer.pages.heads.ui.compare_picture import compare_layout
from attention_explorer.pages.heads.ui.marked_picture import marked_layout
from attention_explorer.pages.heads.ui.stages_picture import stages_layout

LABELLED_CELL = 13.0
"""Pixels of a cell in a small map from which on its tokens are written beside it."""
STAGE_SIDE = 200.0
"""Pixels of each map of the stages, where all four stand in one row."""
HIGHEST, FLATTEST = 1.5, 0.62
"""How high a picture laid out for a width may be at most, in widths, and how high it may always be."""
PAGE_HEIGHT = 1100.0
"""Pixels: at the scale of paper 233 mm, what a page holds with a caption."""
THREE_FROM = 660.0
"""Pixels from which on three maps have room beside each other; more height would put one above the other."""
LEGEND_HEIGHT = 60.0
"""Of the line view."""


def shape_of(picture: LargePicture) -> tuple[int, int]:
    """Return how many rows and columns of tokens a picture shows."""
    if isinstance(picture, MapPicture):
        return picture.cells
    if isinstance(picture, LinePicture):
        return len(picture.row_tokens), len(picture.column_tokens)
    cells = [part.cells for part in picture.pictures]
    return max(rows for rows, _ in cells), max(columns for _, columns in cells)


def heads_room(picture: LargePicture) -> tuple[float, float]:
    """Return width and height that suit a picture."""
    rows, columns = shape_of(picture)
    if isinstance(picture, LinePicture):
        return 620.0, min(max(rows, columns) * 24.0, 2000.0) + 130.0
    side = max(rows, columns, 1)
    small = LABELLED_CELL if side <= 100 else 3.0  # pixels of a cell where several maps stand side by side
    if isinstance(picture, StagesPicture):
        if side * LABELLED_CELL <= STAGE_SIDE:
            return 1180.0, 430.0
        return max(2 * min(columns * small, 1500.0) + 260.0, 1180.0), 2 * min(rows * small, 1500.0) + 460.0
    cell = min(44.0, max(12.0 if side <= 150 else 3.0, 560.0 / side))
    width, height = min(columns * cell, 3000.0) + 240.0, min(rows * cell, 3000.0) + 230.0
    if isinstance(picture, MarkedHeads):
        count = len(picture.pictures)
        across = min(count, 4)
        width, height = max(columns * small, 120.0) + 20.0, max(rows * small, 120.0) + 60.0
        return max(across * min(width, 1500.0) + 100.0, 460.0), -(-count // across) * min(height, 1500.0) + 110.0
    if isinstance(picture, Comparison):
        width, height = max(0.7 * width, columns * small + 90.0), max(0.75 * height, rows * small + 230.0)
        return 3 * max(width, 340.0), max(height, 380.0)
    return max(width, 460.0), max(height, 320.0)


def _most_height(picture: LargePicture, width: float) -> float:
    """Return how high a picture may be: few tokens do not fill a page only because it is wide."""
    wide, high = heads_room(picture)
    suits = high * max(1.0, wide / width)  # what it loses at its sides it may have below
    return min(HIGHEST * width, PAGE_HEIGHT, max(FLATTEST * width, suits))


def fitted_room(picture: LargePicture, look: Look, width: float) -> tuple[float, float]:
    """Return a width with the height that a picture laid out for it takes."""
    rows, columns = shape_of(picture)
    most = _most_height(picture, width)
    if isinstance(picture, LinePicture):
        return width, min(max(rows, columns) * 24.0 + LEGEND_HEIGHT + 40.0, most)
    room = QRectF(0, 0, width, most)
    if isinstance(picture, MapPicture):
        layout = layout_of(picture, look, room)
        foot = layout.bar.bottom() + look.px(32) if look.colour_bars else layout.cells.bottom() + look.px(10)
        spare = look.px(24) if foot + look.px(48) < most else 0  # what the layout leaves free above in a high room
        return width, min(max(foot - spare, 120.0), most)
    if isinstance(picture, Comparison):
        room.setHeight(width / 3 + 170.0 if width >= THREE_FROM else most)
        return width, min(compare_layout(picture, look, room).words.bottom() + look.px(6), most)
    if isinstance(picture, MarkedHeads):
        foot = marked_layout(picture, look, room).bar.bottom() + look.px(34)
        return width, min(max(foot, 120.0), most)
    strip = stages_layout(picture, look, room)
    feet = [*(small.foot for small in strip.maps), *(placed.place.bottom() for placed in strip.chain.boxes)]
    return width, min(max(feet) + look.px(8), most)
