"""A large picture as a figure: on white, with title and caption, whatever the screen wears."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter

from attention_explorer.core.numbers_export import Numbers
from attention_explorer.kit.accessible import sentences
from attention_explorer.kit.export.figure import FigureStyle
from attention_explorer.kit.export.frame import FigureFrame, is_drawing, room_for, styled_frame
from attention_explorer.kit.items.item import Arrays
from attention_explorer.kit.picture import Picture
from attention_explorer.kit.theme import Look

TILES = (512, 512)


@dataclass(frozen=True, eq=False)
class PicturesFigure:
    """A `Figure` of what a state of such a page shows."""

    state: Any
    drawing: Picture[Any, Any]
    title: str
    summary: str
    """The picture in words, before what it says of its numbers."""
    caption: str
    """What the numbers were made with."""
    make_numbers: Callable[[Arrays], Numbers]
    shown: object = None
    """The picture on the screen, if it is that of the state: what took long to compute is not computed again."""
    room: tuple[float, float] = (900.0, 680.0)
    style: FigureStyle = FigureStyle()
    page: str = ""
    """The name of the page; that of the class of the state, if it is empty."""
    stem: str = ""
    """The name a file is proposed; that of the title, if it is empty."""

    @cached_property
    def picture(self) -> object:
        """What is drawn."""
        return self.drawing.compute(self.state, TILES) if self.shown is None else self.shown

    @property
    def description(self) -> str:
        """The page and the picture in words, with the notes that stand beside it."""
        page = self.page or type(self.state).__name__.removesuffix("State")
        notes = (line.text for line in self.drawing.notes(self.picture))
        return sentences(f"{page} page", self.summary, *notes)

    @property
    def file_stem(self) -> str:
        """The name a file is proposed."""
        return self.stem or re.sub(r"\W+", "-", self.title).strip("-")

    @property
    def has_cells(self) -> bool:
        """Whether there are maps in it."""
        return self.drawing.has_cells(self.picture)

    def numbers(self) -> Numbers:
        """Return the numbers behind the picture."""
        return self.make_numbers(self.drawing.numbers(self.picture))

    # ---- Drawing ----

    def styled(self, style: FigureStyle) -> PicturesFigure:
        """Return the same picture in a style; what took long to compute is kept."""
        return replace(self, style=style, shown=self.picture)

    @property
    def look(self) -> Look:
        """The colours."""
        return self.style.look

    @cached_property
    def _frame(self) -> FigureFrame:
        return framed(self.style, self.drawing, self.picture, self.room, self.title, self.caption)

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        return self._frame.size

    def paint(self, painter: QPainter) -> None:
        """Paint the figure with its top left corner at the painter's origin."""
        paint_framed(painter, self._frame, self.drawing, self.picture)


def framed(
    style: FigureStyle,
    drawing: Picture[Any, Any],
    picture: object,
    room: tuple[float, float],
    title: str,
    caption: str,
) -> FigureFrame:
    """Return the frame of a picture that suits a room, as wide as its style asks and as high as it takes then."""
    wide, high = room_for(style, room, drawing.narrowest)
    if style.width is not None:
        high = drawing.height(picture, wide) or high
    return styled_frame(style, (wide, high), title, caption)


def paint_framed(painter: QPainter, frame: FigureFrame, drawing: Picture[Any, Any], picture: object) -> None:
    """Paint a picture with its frame, whose top left corner is at the painter's origin."""
    frame.paint_ground(painter)
    painter.save()
    layout = drawing.layout(picture, frame.look, frame.room)
    drawing.paint(painter, picture, layout, frame.look, vector=is_drawing(painter))
    painter.restore()
    frame.paint_caption(painter)
