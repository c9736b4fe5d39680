"""Items beside and above one another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.kit.items.item import TURNS, Arrays, Hit, Item, Leaves, Step, Value, around
from attention_explorer.kit.theme import Look

F = TypeVar("F")

GAP = 16
"""Pixels at zoom 1 between two items."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An item with where everything of it is."""

    item: Item[Any]
    layout: Any


@dataclass(frozen=True, slots=True)
class Together(Item[tuple[Placed, ...]]):
    """Several items in one; `Beside` and `Above` say where they stand.

    Attributes
    ----------
    items : tuple of Item
        In their order, for keys and words too.
    shares : tuple of float
        How the room that is left is shared between those that have no height of their own; equally if empty.
    gap : float
        Pixels at zoom 1 between them.
    """

    items: tuple[Item[Any], ...]
    shares: tuple[float, ...] = ()
    gap: float = GAP
    name: str = ""

    def boxes(self, look: Look, box: QRectF) -> list[QRectF]:
        """Return the box of each item."""
        raise NotImplementedError

    def layout(self, look: Look, box: QRectF) -> tuple[Placed, ...]:
        boxes = self.boxes(look, box)
        return tuple(Placed(item, item.layout(look, own)) for item, own in zip(self.items, boxes, strict=True))

    def held(self, pressed: tuple[Placed, ...], look: Look, box: QRectF) -> tuple[Placed, ...]:
        if [type(item) for item in self.items] != [type(placed.item) for placed in pressed]:
            return self.layout(look, box)
        laid = zip(self.items, pressed, self.boxes(look, box), strict=True)
        return tuple(Placed(item, item.held(before.layout, look, own)) for item, before, own in laid)

    def _weights(self) -> tuple[float, ...]:
        return self.shares or (1.0,) * len(self.items)

    def paint(self, painter: QPainter, layout: tuple[Placed, ...], look: Look, *, vector: bool = False) -> None:
        for placed in layout:
            placed.item.paint(painter, placed.layout, look, vector=vector)

    def leaves(self, layout: tuple[Placed, ...]) -> Leaves:
        return tuple(leaf for placed in layout for leaf in placed.item.leaves(placed.layout))

    # ---- What is under the pointer is asked of each; what it names is asked of the one that has it ----

    def hit(self, layout: tuple[Placed, ...], place: QPointF) -> Hit | None:
        return _first(placed.item.hit(placed.layout, place) for placed in layout)

    def grab(self, layout: tuple[Placed, ...], place: QPointF) -> Hit | None:
        return _first(placed.item.grab(placed.layout, place) for placed in layout)

    def mark(self, painter: QPainter, layout: tuple[Placed, ...], look: Look, hit: Hit) -> None:
        for placed in layout:
            placed.item.mark(painter, placed.layout, look, hit)

    def value_at(self, layout: tuple[Placed, ...], hit: Hit, place: QPointF) -> Value:
        return _first(placed.item.value_at(placed.layout, hit, place) for placed in layout)

    def press(self, key: int) -> Step | None:
        return _first(item.press(key) for item in self.items)

    def owns(self, hit: Hit | None) -> bool:
        return any(item.owns(hit) for item in self.items)

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        own = next((number for number, item in enumerate(self.items) if item.owns(hit)), None)
        if own is None:
            return _first(item.walk(None, key) for item in self.items)
        found = self.items[own].walk(hit, key)
        if found is None or found != hit:
            return found
        # At its end, the next that can be walked through; before the first and after the last there is none.
        beyond = self.items[own + 1 :] if sum(TURNS.get(key, (0, 0))) > 0 else reversed(self.items[:own])
        return _first(item.walk(None, key) for item in beyond) or found

    def hidden(self) -> Item[Any]:
        return replace(self, items=tuple(item.hidden() for item in self.items))

    def names(self) -> tuple[str, ...]:
        return tuple(name for item in self.items for name in item.names())

    @property
    def has_cells(self) -> bool:
        return any(item.has_cells for item in self.items)

    def data_box(self, layout: tuple[Placed, ...]) -> QRectF:
        return around(placed.item.data_box(placed.layout) for placed in layout)

    def spoken(self) -> str:
        return " ".join(filter(None, (item.spoken() for item in self.items)))

    def arrays(self) -> Arrays:
        return {name: array for item in self.items for name, array in item.arrays().items()}


def _first(found: Iterable[F | None]) -> F | None:
    return next((each for each in found if each is not None), None)


@dataclass(frozen=True, slots=True)
class Above(Together):
    """Items above one another. Those with a height of their own have that; the others share what is left."""

    def boxes(self, look: Look, box: QRectF) -> list[QRectF]:
        gap = look.px(self.gap)
        own = [item.height(look, box.width()) for item in self.items]
        left = box.height() - gap * (len(own) - 1) - sum(height for height in own if height is not None)
        weights = [0.0 if height is not None else share for height, share in zip(own, self._weights(), strict=True)]
        whole, boxes, top = sum(weights) or 1.0, [], box.top()
        for height, weight in zip(own, weights, strict=True):
            high = max(left, 0.0) * weight / whole if height is None else height
            boxes.append(QRectF(box.left(), top, box.width(), high))
            top += high + gap
        return boxes

    def height(self, look: Look, width: float) -> float | None:
        own = [item.height(look, width) for item in self.items]
        if any(height is None for height in own):
            return None
        return sum(height for height in own if height is not None) + look.px(self.gap) * (len(own) - 1)


@dataclass(frozen=True, slots=True)
class Beside(Together):
    """Items beside one another; in less than ``narrow`` pixels at zoom 1, above one another."""

    narrow: float = 0.0

    def boxes(self, look: Look, box: QRectF) -> list[QRectF]:
        if self._is_narrow(look, box.width()):
            return self._turned().boxes(look, box)
        gap, weights = look.px(self.gap), self._weights()
        room, left, boxes = box.width() - gap * (len(self.items) - 1), box.left(), []
        for weight in weights:
            wide = max(room, 0.0) * weight / sum(weights)
            boxes.append(QRectF(left, box.top(), wide, box.height()))
            left += wide + gap
        return boxes

    def _is_narrow(self, look: Look, width: float) -> bool:
        return width < look.px(self.narrow) if self.narrow else False

    def _turned(self) -> Above:
        return Above(self.items, self.shares, self.gap)

    def height(self, look: Look, width: float) -> float | None:
        return self._turned().height(look, width) if self._is_narrow(look, width) else None


@dataclass(frozen=True, slots=True)
class Grid(Together):
    """Items in lines of so many, all equally large; keys go from one to the next as they stand."""

    columns: int = 1

    def boxes(self, look: Look, box: QRectF) -> list[QRectF]:
        gap, lines = look.px(self.gap), -(-len(self.items) // self.columns)
        wide = max((box.width() - gap * (self.columns - 1)) / self.columns, 1.0)
        high = max((box.height() - gap * (lines - 1)) / lines, 1.0)
        places = (divmod(number, self.columns) for number in range(len(self.items)))
        return [QRectF(box.left() + x * (wide + gap), box.top() + y * (high + gap), wide, high) for y, x in places]

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        if key not in TURNS:
            return None
        own = next((number for number, item in enumerate(self.items) if item.owns(hit)), None)
        down, along = TURNS[key]
        to = 0 if own is None else min(max(own + down * self.columns + along, 0), len(self.items) - 1)
        return Hit(self.items[to].name)
