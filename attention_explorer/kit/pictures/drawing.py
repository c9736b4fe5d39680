"""How a page that shows one large picture at a time knows its pictures: a handful of functions for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.blanks import paint_blanks
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look

S = TypeVar("S")
P = TypeVar("P")
L = TypeVar("L")

Arrays = dict[str, np.typing.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Change(Generic[S]):
    """What a click or a key makes of the page's part of the state."""

    state: S
    label: str
    """What it is called in the undo menu."""
    merge: str = ""
    """Changes with the same word, soon after one another, are one step of the history."""


def _nothing_to_click(_state: object, _picture: object, _layout: object, _place: QPointF) -> None:
    """Leave everything as it is."""


def _nothing_to_grab(_picture: object, _layout: object, _place: QPointF) -> None:
    """There is nothing that can be dragged."""


def _nothing_to_drag(_state: object, _picture: object, _layout: object, _handle: object, _place: QPointF) -> None:
    """Leave everything as it is."""


def _nothing_to_press(_state: object, _picture: object, _key: int) -> None:
    """Leave the key to others."""


def _nothing_to_walk(_picture: object, _hovered: object, _key: int) -> None:
    """Leave the key to others."""


def _nothing_to_mark(_painter: QPainter, _picture: object, _layout: object, _look: Look, _spot: Spot) -> None:
    """Light nothing up."""


def _whole_room(_picture: object, _look: Look, room: QRectF) -> Any:  # noqa: ANN401 # a layout of its own kind
    return room


@dataclass(frozen=True, slots=True)
class PictureDrawing(Generic[S, P, L]):
    """How a picture is computed, laid out, painted, marked, pointed at and put into words.

    The picture and its layout differ from one to the next; nobody but these functions looks inside. ``compute`` knows
    nothing of Qt and may run on the worker; the others run on the GUI thread. ``paint`` serves the screen and, with
    ``vector``, the files: there it draws lines and rectangles where the screen gets an image.
    """

    compute: Callable[[S, tuple[int, int]], P]
    """(state, (rows, columns) of pixels there are) -> picture. Raises `ExplorerError` for what cannot be shown."""
    layout: Callable[[P, Look, QRectF], L]
    paint: Callable[..., None]
    """(painter, picture, layout, look, *, vector=False)."""
    mark: Callable[[QPainter, P, L, Look, Spot], None]
    """Draw what lights up for a spot that is pointed at, over the picture."""
    spot_at: Callable[[P, L, QPointF], Spot]
    words: Callable[[P, Spot], str]
    """What is at a spot, for the status bar."""
    notes: Callable[[P], tuple[TextLine, ...]]
    """What the picture says, for the side panel."""
    click: Callable[[S, P, L, QPointF], Change[S] | None] = _nothing_to_click
    grab: Callable[[P, L, QPointF], object] = _nothing_to_grab
    """What can be dragged at a place, anything but None; it takes the press that would have been a click."""
    drag: Callable[[S, P, L, Any, QPointF], Change[S] | None] = _nothing_to_drag
    """(state, picture, layout, what was grabbed, place) -> change; all but the place as they were when it was grabbed.

    A drag is one step of the history, and Esc puts back what was there before it.
    """
    has_cells: Callable[[P], bool] = lambda _picture: True
    """Whether there may be maps in it, with tokens and a colour bar."""
    follows: bool = False
    """Whether what a click sets goes on following the pointer until the button is let go."""
    press: Callable[[S, P, int], Change[S] | None] = _nothing_to_press
    """What a key (of Qt.Key) does while the picture has the keyboard; None leaves it to the page."""
    walk: Callable[[P, Any, int], Any] = _nothing_to_walk
    """(picture, what is pointed at or None, key of Qt.Key) -> what is pointed at then, if the key changes nothing."""
    is_quick: Callable[[S], bool] = lambda _state: True
    """Whether computing takes less than about 20 ms; what takes longer is done on the worker."""
    checkpoints: Callable[[S], int] = lambda _state: 0
    """How many checkpoints are passed before the picture is there, where that can be told: its progress is shown."""
    is_step: Callable[[S, S], bool] = lambda _shown, _wanted: False
    """Whether it takes little to go from the state on show to another, although its picture is not quick: what takes
    long is kept from the time before."""
    stream: Callable[[S, tuple[int, int]], Iterator[tuple[float, P | None]]] | None = None
    """For long work: (share done, the picture so far), again and again; used on the worker instead of ``compute``.

    None in place of a picture leaves the one before on show. Whatever comes after the first picture makes way for a
    newer request.
    """
    uses_pixels: bool = True
    """Whether the picture depends on how many pixels there are; if not, (0, 0) is said, and nothing is computed anew
    when the window is resized."""
    numbers: Callable[[P], Arrays] = lambda _picture: {}
    """The arrays of the picture for export, the main one first."""
    narrowest: float = 360.0
    """Pixels that the picture has room in at least, on paper 76 mm; a narrower figure is a smaller one as a whole."""
    height: Callable[[P, float], float | None] = lambda _picture, _width: None
    """(picture, width at zoom 1) -> the height of a figure laid out for a width; None for the usual proportions."""
    parts: Callable[[P], tuple[str, ...]] = lambda _picture: ()
    """What the picture shows, in names that tell no number: all that is seen of it while they are asked for."""
    paint_given: Callable[..., None] | None = None
    """(painter, picture, layout, look): paint instead of these names what is given, and “?” for what is computed."""

    def has(self, _picture: P, _spot: object) -> bool:
        """Whether what keys have chosen in an earlier picture is still there."""
        return False

    def held(self, picture: P, look: Look, room: QRectF, _pressed: L) -> L:
        """Lay it out while something of it is dragged."""
        return self.layout(picture, look, room)

    def withheld(self) -> PictureDrawing[S, P, L]:
        """Return how the picture is drawn while its numbers are asked for: it tells nothing, and nothing moves it."""
        return PictureDrawing(
            self.compute,
            self.layout if self.paint_given else _whole_room,
            self.paint_given or self._paint_parts,
            _nothing_to_mark,
            lambda _picture, _layout, _place: NOWHERE,
            lambda _picture, _spot: "",
            lambda picture: (TextLine(f"Hidden until you answer: {', '.join(self._names(picture))}."),),
        )

    def _names(self, picture: P) -> tuple[str, ...]:
        return self.parts(picture) or ("The picture",)

    def _paint_parts(self, painter: QPainter, picture: P, room: QRectF, look: Look) -> None:
        paint_blanks(painter, room, self._names(picture), look)
