"""A large picture as a figure: on white, with title and caption, whatever the screen wears."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter

from attention_explorer.core.numbers_export import Numbers
from attention_explorer.kit.accessible import sentences
from attention_explorer.kit.export.figure import Figure, FigureStyle
from attention_explorer.kit.export.frame import FigureFrame, is_drawing, room_for, styled_frame
from attention_explorer.kit.items.item import Arrays
from attention_explorer.kit.picture import Picture
from attention_explorer.kit.theme import Look

TILES = (512, 512)


class FramedFigure:
    """What every `Figure` with a title above and a caption below does; what stands in between is its own."""

    style: FigureStyle

    def _words(self) -> tuple[str, str]:
        """Return title and caption."""
        raise NotImplementedError

    def _space(self) -> tuple[float, float]:
        """Return width and height of the picture, as its style asks."""
        raise NotImplementedError

    def _paint_picture(self, painter: QPainter, room: QRectF, *, vector: bool) -> None:
        raise NotImplementedError

    @property
    def look(self) -> Look:
        """The colours."""
        return self.style.look

    @cached_property
    def _frame(self) -> FigureFrame:
        return styled_frame(self.style, self._space(), *self._words())

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        return self._frame.size

    def paint(self, painter: QPainter) -> None:
        """Paint the figure with its top left corner at the painter's origin."""
        self._frame.paint_ground(painter)
        painter.save()
        try:
            self._paint_picture(painter, self._frame.room, vector=is_drawing(painter))
        finally:  # Qt complains of a painter that ends otherwise, also where something cannot be computed
            painter.restore()
        self._frame.paint_caption(painter)


@dataclass(frozen=True, eq=False)
class PicturesFigure(FramedFigure):
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

    def _words(self) -> tuple[str, str]:
        return self.title, self.caption

    def _space(self) -> tuple[float, float]:
        """Return as wide a room as the style asks, as high as the picture takes then."""
        wide, high = room_for(self.style, self.room, self.drawing.narrowest)
        if self.style.width is not None:
            high = self.drawing.height(self.picture, wide) or high
        return wide, high

    def _paint_picture(self, painter: QPainter, room: QRectF, *, vector: bool) -> None:
        look = self._frame.look
        layout = self.drawing.layout(self.picture, look, room)
        self.drawing.paint(painter, self.picture, layout, look, vector=vector)


def computed(figure: Figure) -> Figure:
    """Return a figure with what it would compute once it is painted, so that this is done on another thread."""
    picture = getattr(figure, "picture", None)
    return replace(figure, shown=picture) if isinstance(figure, PicturesFigure) else figure
