"""A large picture as a figure: on white, with title and caption, whatever the screen wears."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QImage, QPainter

from attention_explorer.core.numbers_export import Numbers
from attention_explorer.kit.accessible import sentences
from attention_explorer.kit.drawing.marks import colour_of, wrapped_height
from attention_explorer.kit.export.figure import Figure, FigureStyle
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.items.item import Arrays
from attention_explorer.kit.picture import Picture
from attention_explorer.kit.theme import Look

# ---- Ground, title and caption ----


MARGIN = 14
TITLE_HEIGHT = 26
"""Of a title of one line, with the gap below it."""
TITLE_GAP = 4
CAPTION_GAP = 8
PAPER_MARGIN = 4
"""Pixels around a figure that is laid out for a width: a page has margins of its own."""
NARROWEST = 240.0
"""Pixels that a picture is laid out for at least."""
SHRINKING = 0.6
WIDENING = 0.5
"""How fast the height of a picture follows its width, below and above the one that suits it: as a power."""
LEFT_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


@dataclass(frozen=True, slots=True)
class FigureFrame:
    """A room for a picture with words around it; an empty title or caption takes no room."""

    look: Look
    width: float
    height: float
    title: str = ""
    caption: str = ""
    margin: float = MARGIN

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        high = self.room.bottom() + self._caption_height + self.margin
        return QSize(round(self.width + 2 * self.margin), round(high))

    @property
    def room(self) -> QRectF:
        """Where the picture is."""
        return QRectF(self.margin, self.margin + self._title_height, self.width, self.height)

    @property
    def _title_height(self) -> float:
        if not self.title:
            return 0.0
        return max(TITLE_HEIGHT, wrapped_height(self.title, self.width, self._title_font) + TITLE_GAP)

    @property
    def _caption_height(self) -> float:
        return wrapped_height(self.caption, self.width, self._caption_font) + CAPTION_GAP if self.caption else 0.0

    @property
    def _title_font(self) -> QFont:
        return self.look.font(15, bold=True)

    @property
    def _caption_font(self) -> QFont:
        return self.look.font(12)

    def paint_ground(self, painter: QPainter) -> None:
        """Paint the ground and the title, before the picture: readers of a file go from first to last."""
        theme, size = self.look.theme, self.size
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), colour_of(theme.card))
        if self.title:
            painter.setFont(self._title_font)
            painter.setPen(colour_of(theme.text))
            box = QRectF(self.margin, self.margin, self.width, self._title_height - TITLE_GAP)
            painter.drawText(box, LEFT_WRAPPED | Qt.AlignmentFlag.AlignVCenter, self.title)

    def paint_caption(self, painter: QPainter) -> None:
        """Paint the caption, after the picture."""
        if self.caption:
            painter.setFont(self._caption_font)
            painter.setPen(colour_of(self.look.theme.muted))
            box = QRectF(self.margin, self.room.bottom() + CAPTION_GAP, self.width, self._caption_height)
            painter.drawText(box, LEFT_WRAPPED, self.caption)


def width_for(style: FigureStyle, narrowest: float = NARROWEST) -> float | None:
    """Return how wide a picture is to be, without the margins around it; None for what suits it."""
    return None if style.width is None else max(style.width - 2 * PAPER_MARGIN, narrowest)


def styled_frame(style: FigureStyle, room: tuple[float, float], title: str, caption: str) -> FigureFrame:
    """Return the frame of a picture of a size, with the words that a style asks for."""
    words = title if style.is_titled else "", caption if style.is_captioned else ""
    return FigureFrame(style.look, *room, *words, margin=MARGIN if style.width is None else PAPER_MARGIN)


def room_for(style: FigureStyle, room: tuple[float, float], narrowest: float = NARROWEST) -> tuple[float, float]:
    """Return the room of a picture that suits one room and can be laid out for others."""
    width, height = room
    wide = width_for(style, narrowest)
    if wide is None:
        return room
    # A narrow picture needs its words as high as before: it loses less of its height.
    return wide, height * (wide / width) ** (SHRINKING if wide < width else WIDENING)


def is_drawing(painter: QPainter) -> bool:
    """Return whether a painter writes a drawing of lines and letters, not pixels."""
    return not isinstance(painter.device(), QImage)


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


# ---- A view as a figure ----
# The one way from a page in the frame to files and the clipboard.


def figure_of(view: View[Any], state: Any, page: str, shown: object = None) -> PicturesFigure:  # noqa: ANN401 # of its part
    """Return the figure of a view of a page; ``shown`` are the numbers of its picture, if they have been computed."""
    picture = view.picture
    numbers = picture.compute(state, TILES if picture.uses_pixels else (0, 0)) if shown is None else shown
    title, settings = picture.title(numbers).removesuffix("."), view.settings(state)
    return PicturesFigure(
        state,
        picture,
        title,
        f"{title}. {settings}",
        settings,
        lambda arrays: view.numbers(state, numbers, arrays),
        numbers,
        page=page,
    )
