"""The pictures of the Positions page as figures: on white, with title and caption, whatever the screen wears."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter

from attention_explorer.core.numbers_export import Numbers
from attention_explorer.kit.export.figure import FigureStyle
from attention_explorer.kit.export.frame import FigureFrame
from attention_explorer.kit.pictures.figure import TILES, framed, paint_framed
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.export import encoding_numbers, picture_numbers
from attention_explorer.pages.positions.state import PositionKind, PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.pictures import Drawing, drawing_of
from attention_explorer.pages.positions.wording import description, picture_title, settings_words

ROOM = 900.0, 680.0
WIDE_ROOM = 1100.0, 560.0


@dataclass(frozen=True)
class PositionsFigure:
    """A `Figure` of the large picture of a state."""

    state: PositionsState
    style: FigureStyle = FigureStyle()

    @property
    def drawing(self) -> Drawing:
        """How it is drawn."""
        return drawing_of(self.state.picture)

    @cached_property
    def picture(self) -> object:
        """What is drawn."""
        return self.drawing.compute(self.state, TILES)

    # ---- Words and numbers ----

    @property
    def title(self) -> str:
        """What is drawn."""
        return picture_title(self.state)

    @property
    def description(self) -> str:
        """The picture in words."""
        return f"Positions page. {description(self.state)}"

    @property
    def file_stem(self) -> str:
        """The name a file is proposed."""
        return re.sub(r"\W+", "-", f"{self.state.kind.value} {self.state.picture.value}").strip("-")

    @property
    def caption(self) -> str:
        """What the numbers were made with."""
        heads = f", heads {self.state.count.value}" if self.state.kind is PositionKind.ALIBI else ""
        return f"{settings_words(self.state)}; positions and dimensions counted from 0{heads}."

    def numbers(self) -> Numbers:
        """Return the numbers behind the picture."""
        found = self.drawing.numbers(self.picture)
        return picture_numbers(self.state, found) if found else encoding_numbers(self.state)

    # ---- Drawing ----

    @property
    def _room(self) -> tuple[float, float]:
        alibi = self.state.kind is PositionKind.ALIBI and self.state.picture is PositionsPicture.ENCODING
        return WIDE_ROOM if alibi else ROOM

    def styled(self, style: FigureStyle) -> PositionsFigure:
        """Return the same picture in a style."""
        return replace(self, style=style)

    @property
    def look(self) -> Look:
        """The colours."""
        return self.style.look

    @cached_property
    def _frame(self) -> FigureFrame:
        return framed(self.style, self.drawing, self.picture, self._room, self.title, self.caption)

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        return self._frame.size

    def paint(self, painter: QPainter) -> None:
        """Paint the figure with its top left corner at the painter's origin."""
        paint_framed(painter, self._frame, self.drawing, self.picture)
