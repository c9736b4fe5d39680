"""What a person alters in a model's attention: heads off, masks, and a pattern in place of another."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from attention_explorer.errors import ArrayError, quoted
from attention_explorer.model.array_map import LARGEST_SUM
from attention_explorer.model.arrays import Bools, Floats, boolean_array, finite_array

Place = tuple[int, int]
"""A layer and one of its heads, both from 0."""


class Softmax(NamedTuple):
    """How scores become weights, where that is not as the model was trained."""

    factor: float = 1.0
    """What the scores, biases included, are multiplied by before: 1 ÷ temperature."""
    hard: bool = False
    """Whether the best key takes all, the first of several."""


AS_TRAINED = Softmax()


@dataclass(frozen=True, slots=True, eq=False)
class LayerChanges:
    """What is altered in one attention."""

    off: frozenset[int] = frozenset()
    masks: Mapping[int, Bools] = field(default_factory=dict)
    patterns: Mapping[int, Floats] = field(default_factory=dict)
    softmax: Softmax = AS_TRAINED

    def visible(self, visible: Bools | None, heads: int) -> Bools | None:
        """Return who may attend to whom: (n_q, n_k), or (heads, n_q, n_k) where heads differ; None for all to all."""
        if not self.masks:
            return visible
        some = next(iter(self.masks.values()))
        every = np.broadcast_to(np.ones_like(some) if visible is None else visible, (heads, *some.shape)).copy()
        for head, mask in self.masks.items():
            every[head] &= mask
        return every


NOTHING = LayerChanges()


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What is altered in the attention of all layers of a tower.

    Attributes
    ----------
    off : frozenset of (layer, head)
        Heads whose output is 0; their weights are still computed, for they still look.
    masks : mapping of (layer, head) to ndarray of bool, (n_q, n_k)
        True where a query may attend; what the model hides itself stays hidden.
    patterns : mapping of (layer, head) to ndarray, (n_q, n_k)
        Weights that take the place of those that the head would compute.
    softmax : Softmax
        Of all heads.
    """

    off: frozenset[Place] = frozenset()
    masks: Mapping[Place, Bools] = field(default_factory=dict)
    patterns: Mapping[Place, Floats] = field(default_factory=dict)
    softmax: Softmax = AS_TRAINED

    def of(self, layer: int) -> LayerChanges:
        """Return those of one layer."""
        if not (self.off or self.masks or self.patterns) and self.softmax == AS_TRAINED:
            return NOTHING
        return LayerChanges(
            frozenset(head for at, head in self.off if at == layer),
            {head: mask for (at, head), mask in self.masks.items() if at == layer},
            {head: pattern for (at, head), pattern in self.patterns.items() if at == layer},
            self.softmax,
        )


class Room(NamedTuple):
    """How much attention of a kind there is."""

    layers: int
    heads: int
    n_q: int
    n_k: int


def taken_changes(off: object, masks: object, patterns: object, rooms: Mapping[str, Room]) -> dict[str, Changes]:
    """Take what a person altered, for each kind of attention.

    Parameters
    ----------
    off : iterable of places
        A place is (layer, head); in a model of two towers that is one of the decoder's self-attention, and
        ("encoder", layer, head) or ("cross", layer, head) is one of the others.
    masks : mapping, or array_like of bool, optional
        By place, or by layer for all its heads, (n_q, n_k) each; or one array for all, which broadcasts to
        (layers, heads, n_q, n_k).
    patterns : mapping, optional
        By place, (n_q, n_k) each, rows of which sum to 1, or to 0 where nothing is attended to.
    rooms : mapping of str to Room
        The kinds of attention, the first of which needs no name.

    Returns
    -------
    dict of str to Changes

    Raises
    ------
    ArrayError
        If there is no such head, or an array does not fit.
    """
    gone = {kind: set[Place]() for kind in rooms}
    for given in _each(off, "off"):
        kind, place = _place(given, "off", rooms)
        gone[kind].add(place)
    hidden = {kind: dict[Place, Bools]() for kind in rooms}
    for given, array in _items(masks, "masks", rooms):
        kind, places = _places(given, rooms)
        mask = boolean_array("masks", array)  # type: ignore[arg-type]
        hidden[kind] |= dict.fromkeys(places, _fitting("masks", mask, rooms[kind]))
    put = {kind: dict[Place, Floats]() for kind in rooms}
    for given, array in _items(patterns, "patterns", rooms):
        kind, place = _place(given, "patterns", rooms)
        put[kind][place] = _fitting("patterns", _weights(array), rooms[kind])
    return {kind: Changes(frozenset(gone[kind]), hidden[kind], put[kind]) for kind in rooms}


def _each(given: object, name: str) -> Iterator[object]:
    if isinstance(given, Collection) and not isinstance(given, str | Mapping):
        return iter(given)
    raise ArrayError(f"{name} must be a list of (layer, head), not {given!r:.60}")


def _items(given: object, name: str, rooms: Mapping[str, Room]) -> Iterator[tuple[object, object]]:
    if given is None:
        return
    if isinstance(given, Mapping):
        yield from given.items()
        return
    if name != "masks":
        raise ArrayError(f"{name} must be a dictionary from (layer, head) to arrays, not {given!r:.60}")
    room = next(iter(rooms.values()))
    array = boolean_array(name, given)  # type: ignore[arg-type]
    try:
        every = np.broadcast_to(array, room)
    except ValueError:
        raise ArrayError(f"masks has shape {array.shape}, but must broadcast to {tuple(room)}") from None
    yield from (((layer, head), every[layer, head]) for layer in range(room.layers) for head in range(room.heads))


def _places(given: object, rooms: Mapping[str, Room]) -> tuple[str, list[Place]]:
    """Take a place, or a layer, which stands for all its heads."""
    if isinstance(given, int | np.integer):
        room = next(iter(rooms.values()))
        kind, (layer, _) = _place((given, 0), "masks", rooms)
        return kind, [(layer, head) for head in range(room.heads)]
    kind, place = _place(given, "masks", rooms)
    return kind, [place]


def _place(given: object, name: str, rooms: Mapping[str, Room]) -> tuple[str, Place]:
    parts = tuple(given) if isinstance(given, tuple | list) else ()
    kind = parts[0] if len(parts) == 3 else next(iter(rooms))
    if not isinstance(kind, str) or len(parts) not in (2, 3) or not all(_is_whole(part) for part in parts[-2:]):
        raise ArrayError(f"{name} names heads as (layer, head), both from 0, not {given!r:.60}")
    if kind not in rooms:
        raise ArrayError(f"{name} names {quoted(kind)}, but this model has only {', '.join(rooms)}")
    layer, head = int(parts[-2]), int(parts[-1])
    room = rooms[kind]
    if not (0 <= layer < room.layers and 0 <= head < room.heads):
        raise ArrayError(f"{name} names layer {layer}, head {head}, but there are {room.layers} × {room.heads}, from 0")
    return kind, (layer, head)


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _fitting(name: str, array: np.ndarray, room: Room) -> np.ndarray:
    if array.shape != (room.n_q, room.n_k):
        raise ArrayError(
            f"{name} has an array of shape {array.shape}, but there are {room.n_q} queries and {room.n_k} keys"
        )
    return array


def _weights(given: object) -> Floats:
    array = finite_array("patterns", given, "n_q", "n_k").astype(np.float32)  # type: ignore[arg-type]
    sums = array.sum(axis=-1)
    if array.size and (array.min() < 0.0 or not np.all((np.abs(sums - 1.0) < LARGEST_SUM - 1.0) | (sums == 0.0))):
        raise ArrayError("patterns must hold weights: none below 0, and rows that sum to 1 (or to 0)")
    return array
