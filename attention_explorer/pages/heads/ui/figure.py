"""The pictures of the Heads page as figures: on white, with title and caption, whatever the screen wears."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import MapPicture, Window
from attention_explorer.core.numbers_export import Numbers
from attention_explorer.core.words import capital
from attention_explorer.kit.export.figure import FigureStyle
from attention_explorer.kit.pictures.figure import FramedFigure, figure_of, width_for
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.pages.heads.alt_text import alt_text
from attention_explorer.pages.heads.compare import Comparison, compared_sources
from attention_explorer.pages.heads.export import (
    difference_numbers,
    map_numbers,
    marked_numbers,
    stages_numbers,
    wall_numbers,
)
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show, head_name, other_frame
from attention_explorer.pages.heads.head_difference import compared_with, effect_said, surveys_on_wall
from attention_explorer.pages.heads.large_picture import (
    MOST_PRINTED_LINE_ROWS,
    LargePicture,
    large_picture,
    part_shown,
)
from attention_explorer.pages.heads.lines import LinePicture
from attention_explorer.pages.heads.shown_map import MarkedHeads
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Picture
from attention_explorer.pages.heads.survey import HeadSurvey, threshold_words
from attention_explorer.pages.heads.ui.maps_item import room_of
from attention_explorer.pages.heads.ui.pictures import item_of
from attention_explorer.pages.heads.ui.views import view_of
from attention_explorer.pages.heads.ui.wall_picture import PrintedWall
from attention_explorer.pages.heads.wording import badges, map_title, source_words
from attention_explorer.pages.registry import PICTURE

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.pages.explorer import ExplorerState

MOST_TILES = (1024, 1024)
WALL = "wall"
"""The name of the figure of all heads."""
DRAWN = (Picture.HEATMAP, Picture.LINES, Picture.STAGES, Picture.COMPARE, Picture.MARKED)
"""The views whose pictures these are, besides that of all heads."""
NARROWEST_WALL = 360.0
"""Pixels that three thumbnails beside each other need."""


def drawn(state: ExplorerState, what: str) -> Figure:
    """Return what the page shows large, one of its views by its name, or ``wall``, all heads."""
    heads = state.heads
    if what not in (PICTURE, WALL):
        heads = heads.with_view(picture=Picture.HEATMAP if what == "map" else Picture(what))
    if what != WALL and heads.view.picture in (Picture.ROW, Picture.CHECK):
        return figure_of(view_of(heads.view.picture), heads, "Heads")
    return HeadsFigure(heads, is_wall=what == WALL or heads.view.picture is Picture.ALL)


@dataclass(frozen=True)
class HeadsFigure(FramedFigure):
    """A `Figure` of the large picture of a state, or of the wall of all heads."""

    heads: HeadsState
    is_wall: bool = False
    style: FigureStyle = FigureStyle()

    @cached_property
    def frame(self) -> HeadsFrame:
        """The numbers."""
        return frame_to_show(self.heads.setup)

    @cached_property
    def picture(self) -> LargePicture:
        """What is drawn, unless it is the wall."""
        return large_picture(self.heads, self.frame, MOST_TILES, MOST_PRINTED_LINE_ROWS)

    @cached_property
    def surveys(self) -> tuple[HeadSurvey, ...]:
        """The heads of the wall, by number."""
        return surveys_on_wall(self.heads, self.frame)

    # ---- Words and numbers ----

    @property
    def view(self) -> HeadsView:
        """How it is shown."""
        return self.heads.view

    @property
    def title(self) -> str:
        """What is drawn."""
        if self.is_wall:
            return "all heads"
        return self.picture.title if isinstance(self.picture, MarkedHeads) else map_title(self.frame)

    @property
    def description(self) -> str:
        """The picture in words."""
        said = alt_text(self.heads, is_wall=self.is_wall, most_line_rows=MOST_PRINTED_LINE_ROWS)
        if self.is_wall or not isinstance(self.picture, Comparison):
            return said
        return f"{said} {self.picture.spoken}"

    @property
    def file_stem(self) -> str:
        """The name a file is proposed."""
        if self.is_wall:
            return "heads"
        kind = "" if self.view.picture in (Picture.HEATMAP, Picture.MARKED) else self.view.picture.value
        return re.sub(r"\W+", "-", f"{self.title} {kind}").strip("-")

    def numbers(self) -> Numbers:
        """Return the numbers behind the picture."""
        if self.is_wall:
            return wall_numbers(self.frame, self.view, self.surveys, compared_with(self.heads))
        if self.view.picture is Picture.STAGES:
            return stages_numbers(self.frame)
        if self.view.picture is Picture.COMPARE:
            return difference_numbers(self.frame, other_frame(self.heads), self.view)
        if self.view.picture is Picture.MARKED:
            return marked_numbers(self.frame, self.view)
        return map_numbers(self.frame, self.view)

    @property
    def caption(self) -> str:
        """Where the numbers come from, and what the colours do not show as it is."""
        if not self.is_wall and isinstance(self.picture, Comparison):
            parts = list(compared_sources(self.picture))
        else:
            parts = [source_words(self.frame)]
            if self.frame.mask is not None:
                parts.append(f"mask: {self.frame.mask_words}")
        if self.is_wall and self.view.threshold is not None:
            kept = threshold_words(self.surveys, self.view.threshold)
            parts.append(f"{kept} with {self.view.threshold.words}, the others pale")
        if self.is_wall:
            parts += [compared_with(self.heads), effect_said(self.heads).removesuffix(".")]
        if not self.is_wall and isinstance(self.picture, MapPicture | LinePicture | MarkedHeads):
            parts.extend(badges(self.frame, self.view, self.picture, most=True))
        if not self.is_wall:
            parts.extend(_left_out(part_shown(self.view, self.frame.shape, MOST_PRINTED_LINE_ROWS), self.frame))
        return f"{capital('; '.join(filter(None, (*parts, self._counted))))}."

    @property
    def _counted(self) -> str:
        """How layers, heads and tokens are counted that are called by their numbers."""
        frame = self.frame
        if self.is_wall:
            names = [head_name(frame, *place) for place in frame.places]
        else:
            names = [self.title, *(self.picture.titles if isinstance(self.picture, Comparison | MarkedHeads) else ())]
        if any(frame.source.are_numbers):
            names.append(f"token {frame.queries[0]}")
        return frame.count.said_of(*names)

    # ---- Drawing ----

    def styled(self, style: FigureStyle) -> HeadsFigure:
        """Return the same picture in a style."""
        return replace(self, style=style)

    def _words(self) -> tuple[str, str]:
        return self.title, self.caption

    @property
    def _wall(self) -> PrintedWall:
        return PrintedWall(self.frame, self.view, self.surveys, width_for(self.style, NARROWEST_WALL))

    def _space(self) -> tuple[float, float]:
        if self.is_wall:
            return self._wall.size(self.look)
        return room_of(item_of(self.picture), self.look, width_for(self.style))

    def _paint_picture(self, painter: QPainter, room: QRectF, *, vector: bool) -> None:
        look = self.look
        if self.is_wall:
            self._wall.paint(painter, self._wall.layout(look, room), look, vector=vector)
            return
        item = item_of(self.picture)
        layout = item.layout(look, room)
        shared = replace(look, most_rectangles=look.most_rectangles // item.maps)
        pinned = Spot(self.view.row, self.view.column)  # framed as in the window
        item.paint_lit(painter, layout, shared, pinned, vector=vector)


def _left_out(part: Window, frame: HeadsFrame) -> list[str]:
    """Return what a caption says of queries and keys that a figure does not show: they are in the sum of a row too."""
    n_q, n_k = frame.shape
    queries, keys = ("queries", part.top, part.bottom, n_q), ("keys", part.left, part.right, n_k)
    span = frame.count.span
    return [
        f"{name} {span(first, end)} of {count}" for name, first, end, count in (queries, keys) if end - first < count
    ]
