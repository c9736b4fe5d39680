"""The pictures of the Heads page as figures: on white, with title and caption, whatever the screen wears."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from attention_explorer.state.heads import HeadsState, HeadsView, Picture
from attention_explorer.state.heads_compare import Comparison
from attention_explorer.state.heads_export import difference_numbers, map_numbers, wall_numbers
from attention_explorer.state.heads_frame import HeadsFrame, heads_frame
from attention_explorer.state.heads_lines import LinePicture
from attention_explorer.state.heads_stages import StagesPicture
from attention_explorer.state.heads_survey import in_order, surveys_of, wall_legend
from attention_explorer.state.heads_wording import badges, description, map_title, source_words
from attention_explorer.state.large_picture import LargePicture, large_picture
from attention_explorer.state.map_picture import MapPicture, Window
from attention_explorer.state.numbers_export import Numbers
from attention_explorer.ui.compare_picture import paint_compare
from attention_explorer.ui.head_wall import paint_thumbnail, thumbnail_height, thumbnail_image
from attention_explorer.ui.heatmap import layout_of, paint_bar, paint_heatmap
from attention_explorer.ui.line_picture import paint_lines
from attention_explorer.ui.stages_picture import paint_stage_maps, stages_layout
from attention_explorer.ui.theme import LIGHT, Look

MARGIN = 14
TITLE_HEIGHT = 26
CAPTION_HEIGHT = 20
MOST_TILES = (1024, 1024)
WALL_TILE = 150
WALL_BAR = 44
"""Pixels kept below a wall for its colour bar."""


@dataclass(frozen=True)
class HeadsFigure:
    """A `Figure` of the large picture of a state, or of the wall of all heads."""

    heads: HeadsState
    window: Window | None = None
    is_wall: bool = False
    look: Look = Look(LIGHT)

    @cached_property
    def frame(self) -> HeadsFrame:
        """The numbers."""
        return heads_frame(self.heads.setup)

    @cached_property
    def picture(self) -> LargePicture:
        """What is drawn, unless it is the wall."""
        return large_picture(self.heads, self.frame, self.window, MOST_TILES)

    # ---- Words and numbers ----

    @property
    def view(self) -> HeadsView:
        """How it is shown."""
        return self.heads.view

    @property
    def title(self) -> str:
        """What is drawn."""
        return "all heads" if self.is_wall else map_title(self.frame)

    @property
    def description(self) -> str:
        """The picture in words."""
        if self.is_wall:
            return f"The weights of {len(self.frame.layers) * self.frame.heads} heads as small maps, a row a query."
        return description(self.frame, self.view)

    @property
    def file_stem(self) -> str:
        """The name a file is proposed."""
        return "heads" if self.is_wall else re.sub(r"\W+", "-", self.title).strip("-")

    def numbers(self) -> Numbers:
        """Return the numbers behind the picture."""
        if self.is_wall:
            return wall_numbers(self.frame)
        if self.view.picture is Picture.COMPARE and self.heads.other is not None:
            return difference_numbers(self.frame, heads_frame(self.heads.other), self.view)
        return map_numbers(self.frame, self.view)

    @property
    def caption(self) -> str:
        """Where the numbers come from, and what the colours do not show as it is."""
        setup = self.frame.setup
        parts = [source_words(self.frame)]
        if self.frame.mask is not None:
            parts.append(f"mask: {setup.mask.kind.value}" + (", painted" if setup.mask.flipped else ""))
        if not self.is_wall and isinstance(self.picture, MapPicture):
            parts.extend(badges(self.frame, self.view, self.picture))
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}."

    # ---- Drawing ----

    @cached_property
    def _room(self) -> tuple[float, float]:
        """Width and height of the picture itself."""
        if self.is_wall:
            columns = self._wall_columns
            rows = math.ceil(self.frame.heads * len(self.frame.layers) / columns)
            return columns * WALL_TILE, rows * (thumbnail_height(self.look, WALL_TILE - 8) + 8) + WALL_BAR
        rows, columns = self._cells
        if isinstance(self.picture, LinePicture):
            return 620.0, min(max(rows, columns) * 24.0, 2000.0) + 130.0
        if isinstance(self.picture, StagesPicture):
            return 1180.0, 430.0
        side = max(rows, columns, 1)
        cell = min(44.0, max(12.0 if side <= 150 else 3.0, 560.0 / side))
        width, height = min(columns * cell, 3000.0) + 240.0, min(rows * cell, 3000.0) + 230.0
        if isinstance(self.picture, Comparison):
            return 3 * max(width * 0.7, 340.0), max(height * 0.75, 380.0)
        return max(width, 460.0), max(height, 320.0)

    @property
    def _cells(self) -> tuple[int, int]:
        seen = Window.whole(self.frame.shape) if self.window is None else self.window.held_within(self.frame.shape)
        return seen.bottom - seen.top, seen.right - seen.left

    @property
    def _wall_columns(self) -> int:
        count = self.frame.heads * len(self.frame.layers)
        if len(self.frame.layers) > 1:
            return self.frame.heads  # a line a layer
        return min(count, max(2, math.ceil(math.sqrt(count))))

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        width, height = self._room
        return QSize(round(width) + 2 * MARGIN, round(height) + 2 * MARGIN + TITLE_HEIGHT + self._caption_height)

    @property
    def _caption_height(self) -> int:
        letters_a_line = max(self._room[0] / 5.6, 20.0)
        return CAPTION_HEIGHT * math.ceil(len(self.caption) / letters_a_line)

    def paint(self, painter: QPainter) -> None:
        """Paint the figure with its top left corner at the painter's origin."""
        theme, (width, height) = self.look.theme, self._room
        painter.fillRect(QRect(0, 0, self.size.width(), self.size.height()), QColor(theme.card))
        painter.setFont(self.look.font(15, bold=True))
        painter.setPen(QColor(theme.text))
        title = QRectF(MARGIN, MARGIN, width, TITLE_HEIGHT - 4)
        painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.title)
        room = QRectF(MARGIN, MARGIN + TITLE_HEIGHT, width, height)
        painter.save()
        self._paint_picture(painter, room, vector=not isinstance(painter.device(), QImage))
        painter.restore()
        painter.setFont(self.look.font(12))
        painter.setPen(QColor(theme.muted))
        caption = QRectF(MARGIN, room.bottom(), width, self._caption_height)
        painter.drawText(caption, Qt.TextFlag.TextWordWrap, self.caption)

    def _paint_picture(self, painter: QPainter, room: QRectF, *, vector: bool) -> None:
        look, picture = self.look, self.picture if not self.is_wall else None
        if picture is None:
            self._paint_wall(painter, room, vector=vector)
        elif isinstance(picture, MapPicture):
            paint_heatmap(painter, picture, layout_of(picture, look, room), look, vector=vector)
        elif isinstance(picture, LinePicture):
            paint_lines(painter, picture, room, look, row=self.view.row, column=self.view.column, vector=vector)
        elif isinstance(picture, StagesPicture):
            paint_stage_maps(painter, picture, stages_layout(picture, look, room), look, vector=vector)
        else:
            paint_compare(painter, picture, room, look, vector=vector)

    def _paint_wall(self, painter: QPainter, room: QRectF, *, vector: bool) -> None:
        surveys = in_order(surveys_of(self.frame), self.view.sort)
        width, columns = WALL_TILE - 8.0, self._wall_columns
        height = thumbnail_height(self.look, width)
        for index, survey in enumerate(surveys):
            row, column = divmod(index, columns)
            box = QRectF(room.left() + column * WALL_TILE, room.top() + row * (height + 8), width, height)
            image = thumbnail_image(survey, self.view, self.look)
            off = survey.place in self.frame.setup.switched_off
            paint_thumbnail(painter, survey, image, box, self.view, self.look, off=off)
        bar = QRectF(room.left() + 6, room.bottom() - WALL_BAR + 6, min(260.0, room.width() - 110), 12)
        paint_bar(painter, wall_legend(surveys, self.view), bar, self.look, vector=vector)
