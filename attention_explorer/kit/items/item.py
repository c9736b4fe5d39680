"""An item of a picture: a value that lays itself out, paints itself, lights up and says what it shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from attention_explorer.kit.drawing.blanks import paint_blank, paint_blanks
from attention_explorer.kit.theme import Look

L = TypeVar("L")

Arrays = dict[str, np.typing.NDArray[Any]]
Value: TypeAlias = Any
"""What a place of an item stands for, as the item says: a number, a pair, a size …"""


@dataclass(frozen=True, slots=True)
class Hit:
    """What is under the pointer, or chosen by keys.

    Attributes
    ----------
    item : str
        The name of the item.
    part : object
        What of it, as the item counts: a row, a cell, a place on an axis, the name of a handle.
    """

    item: str
    part: Any = None


@dataclass(frozen=True, slots=True)
class Step:
    """Where a key sends a handle.

    Attributes
    ----------
    hit : Hit
        The handle.
    to : object
        What it stands for then, as `Item.value_at` gives it.
    """

    hit: Hit
    to: Any


Pieces: TypeAlias = tuple[tuple[QImage, QRectF], ...]
"""Pictures without words or numbers, and where they are."""
Leaves: TypeAlias = "tuple[tuple[Item[Any], Any], ...]"
"""Items that are made of no others, each with its layout."""


class Item(Generic[L]):
    """The base of all items, which are immutable values.

    Attributes
    ----------
    name : str
        What it is, in words that tell no number: for screen readers, and where its numbers are asked for. No two items
        of a picture have one name.
    is_given : bool
        Whether it shows only what a question gives, and so stays while the picture keeps an answer to itself.
    """

    __slots__ = ()
    name: str
    is_given: bool = False

    # ---- For the kinds of items ----

    def layout(self, look: Look, box: QRectF) -> L:
        """Return where everything of it is, in a box."""
        raise NotImplementedError

    def held(self, _pressed: L, look: Look, box: QRectF) -> L:
        """Return where everything is while something of it is dragged.

        Axes and scales stay as they were laid out when it was pressed: else it would run away from the pointer.
        """
        return self.layout(look, box)

    def paint(self, painter: QPainter, layout: L, look: Look, *, vector: bool = False) -> None:
        """Paint it; with ``vector``, into a drawing that somebody may edit."""
        raise NotImplementedError

    def leaves(self, layout: L) -> Leaves:
        """Return each item that it is made of with where everything of that is; itself, if it is made of none."""
        return ((self, layout),)

    def resting(self) -> Item[L]:
        """Return it without what moves while it is looked at elsewhere: handles, the row that is framed, their numbers.

        What rests is painted once for many pictures. What moves takes no room: the layout is the same.
        """
        return self

    def paint_moving(self, painter: QPainter, layout: L, look: Look) -> None:
        """Paint on a screen what `resting` leaves out, over it."""

    def height(self, _look: Look, _width: float) -> float | None:
        """Return the pixels it takes in a column so wide; None if it takes its share of what is left."""
        return None

    def pieces(self, _layout: L, _look: Look) -> Pieces:
        """Return what of it goes to its place where it is to be seen going: pictures of parts, and their boxes."""
        return ()

    def hit(self, _layout: L, _place: QPointF) -> Hit | None:
        """Return what is at a place."""
        return None

    def mark(self, painter: QPainter, layout: L, look: Look, hit: Hit) -> None:
        """Light up what was hit, over the picture."""

    def grab(self, _layout: L, _place: QPointF) -> Hit | None:
        """Return the handle at a place, which a drag moves."""
        return None

    def value_at(self, _layout: L, _hit: Hit, _place: QPointF) -> Value:
        """Return what a place stands for, to which something is dragged or which is clicked."""
        return None

    def press(self, _key: int) -> Step | None:
        """Return where a key (of Qt.Key) sends the handle of the item."""
        return None

    def walk(self, _hit: Hit | None, _key: int) -> Hit | None:
        """Return what a key leads to from what is chosen; None if the item has nothing to walk through."""
        return None

    def owns(self, hit: Hit | None) -> bool:
        """Whether something was hit of this item."""
        return hit is not None and hit.item == self.name

    def hidden(self) -> Item[Any]:
        """Return what stands in its place while its numbers are asked for."""
        return self if self.is_given else Blank(self.name)

    def names(self) -> tuple[str, ...]:
        """Return what is hidden of it while its numbers are asked for, by its names."""
        return () if self.is_given else (self.name,)

    @property
    def has_cells(self) -> bool:
        """Whether it has a map, with tokens and a colour bar."""
        return False

    def data_box(self, layout: L) -> QRectF:
        """Return the smallest rectangle round what is drawn from data: without labels, axes and legend."""
        raise NotImplementedError

    def spoken(self) -> str:
        """Return what it shows in words, for who cannot see it; empty where the notes of the picture say it all."""
        return ""

    def arrays(self) -> Arrays:
        """Return its numbers by their names, for files."""
        return {}


def is_alike(one: Any, other: Any) -> bool:  # noqa: ANN401 # whatever an item may be made of
    """Whether two items, or whatever they are made of, are painted alike: arrays by their numbers."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(is_alike, one, other))
    names = _painted_fields(type(one))  # type: ignore[arg-type] # a class has a hash
    if names:
        return all(is_alike(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one == other)


@cache
def _painted_fields(kind: type) -> tuple[str, ...]:
    """Return the fields of a dataclass that decide how it is painted; none of another class."""
    return tuple(each.name for each in fields(kind) if each.compare) if is_dataclass(kind) else ()


class Boxed(Item[QRectF]):
    """An item whose layout is the box that it fills."""

    __slots__ = ()

    def layout(self, _look: Look, box: QRectF) -> QRectF:
        return box

    def data_box(self, layout: QRectF) -> QRectF:
        return layout


@dataclass(frozen=True, slots=True)
class Blank(Boxed):
    """The place of an item that is asked about: its name, and “?”."""

    name: str
    is_given: bool = True

    def paint(self, painter: QPainter, layout: QRectF, look: Look, *, vector: bool = False) -> None:
        paint_blank(painter, layout, self.name, look)


@dataclass(frozen=True, slots=True)
class Blanks(Boxed):
    """The places of what an item is made of, each with its name, and “?”."""

    name: str
    parts: tuple[str, ...]
    is_given: bool = True

    def paint(self, painter: QPainter, layout: QRectF, look: Look, *, vector: bool = False) -> None:
        paint_blanks(painter, layout, self.parts, look)


def around(boxes: Iterable[QRectF]) -> QRectF:
    """Return the smallest rectangle round some boxes."""
    whole = QRectF()
    for box in boxes:
        whole = whole.united(box)
    return whole


TURNS = {
    int(Qt.Key.Key_Up): (-1, 0),
    int(Qt.Key.Key_Down): (1, 0),
    int(Qt.Key.Key_Left): (0, -1),
    int(Qt.Key.Key_Right): (0, 1),
}
"""By key, how it goes through rows and columns."""
SIDEWAYS = {key: column for key, (row, column) in TURNS.items() if not row}
"""By key, how it goes from left to right."""


def walked(name: str, hit: Hit | None, key: int, shape: tuple[int, int]) -> Hit | None:
    """Return the cell of an item to which a key leads; None for other keys."""
    turn = TURNS.get(key)
    if turn is None:
        return None
    if hit is None or hit.item != name:
        return Hit(name, (0, 0))
    places = (at + by for at, by in zip(hit.part, turn, strict=True))
    row, column = (min(max(at, 0), count - 1) for at, count in zip(places, shape, strict=True))
    return Hit(name, (row, column))
