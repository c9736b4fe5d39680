"""The large picture of a state, whichever it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from attention_explorer.core.map_picture import MapPicture, Window
from attention_explorer.pages.heads.compare import Comparison, compare_pictures
from attention_explorer.pages.heads.frame import HeadsFrame, other_frame
from attention_explorer.pages.heads.lines import LinePicture, line_picture
from attention_explorer.pages.heads.shown_map import MarkedHeads, map_picture, marked_heads
from attention_explorer.pages.heads.stages import StagesPicture, stages_picture
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Picture

LargePicture: TypeAlias = MapPicture | LinePicture | StagesPicture | Comparison | MarkedHeads

MOST_LINE_ROWS = 96
"""More queries than this are not drawn as lines at once: nobody could follow them."""

MOST_PRINTED_LINE_ROWS = 160
"""More than on a screen, where all of them have to be followed with the eye; the caption says which are drawn."""

MOST_LINES = 600
"""Lines that can be painted while a person waits for the next letter; the legend says how many are left out."""


def part_shown(view: HeadsView, shape: tuple[int, int], most_line_rows: int = MOST_LINE_ROWS) -> Window:
    """Return the part of a map of this shape that the large picture shows.

    Heatmap and lines show the part in view, of which only so much is drawn as lines as can be followed. A row shows
    itself, or the column that is pinned. The others show every map as a whole: what they are for is to see several of
    them side by side.
    """
    if view.picture is Picture.HEATMAP:
        return view.seen(shape)
    if view.picture is Picture.LINES:
        seen = view.seen(shape)
        bottom, right = min(seen.bottom, seen.top + most_line_rows), min(seen.right, seen.left + most_line_rows)
        return Window(seen.top, bottom, seen.left, right)
    whole = Window.whole(shape)
    if view.picture is Picture.ROW:
        return _line_shown(view, whole)
    return whole


def _line_shown(view: HeadsView, whole: Window) -> Window:
    """Return the row that is pinned, or else the column, or else the last row."""
    if view.row is None and view.column is not None:
        column = min(view.column, whole.right - 1)
        return replace(whole, left=column, right=column + 1)
    row = whole.bottom - 1 if view.row is None else min(view.row, whole.bottom - 1)
    return replace(whole, top=row, bottom=row + 1)


def large_picture(
    heads: HeadsState, frame: HeadsFrame, tiles: tuple[int, int], most_line_rows: int = MOST_LINE_ROWS
) -> LargePicture:
    """Compute what the large picture shows, for at most as many tiles as there are pixels."""
    kind, part = heads.view.picture, part_shown(heads.view, frame.shape, most_line_rows)
    if kind is Picture.LINES:
        return line_picture(frame, heads.view, part, MOST_LINES)
    if kind is Picture.STAGES:
        return stages_picture(frame, heads.view, _share(tiles, 2))
    if kind is Picture.COMPARE:
        return compare_pictures(frame, other_frame(heads), heads.view, _share(tiles, 2))
    if kind is Picture.MARKED:
        return marked_heads(frame, heads.view, _share(tiles, 2))
    return map_picture(frame, heads.view, part, tiles)


def _share(tiles: tuple[int, int], parts: int) -> tuple[int, int]:
    return max(tiles[0] // parts, 64), max(tiles[1] // parts, 64)
