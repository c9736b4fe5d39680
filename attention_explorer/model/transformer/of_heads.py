"""Heads off, masks and given patterns, by the heads that they are of: short ways to say the changes of a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from attention_explorer.errors import ArrayError, quoted
from attention_explorer.model.array_map import LARGEST_SUM
from attention_explorer.model.arrays import Floats, boolean_array, finite_array
from attention_explorer.model.transformer.change import Change, Room, is_whole
from attention_explorer.model.transformer.changes import HEAD, SCORES, WEIGHTS

HeadName = tuple[str, int, int]
"""A kind of attention, a layer and one of its heads, both from 0."""


def of_heads(off: object, masks: object, patterns: object, rooms: Mapping[str, Room]) -> list[Change]:
    """Return heads that are off, masks and patterns as changes.

    Parameters
    ----------
    off : iterable of places
        A place is (layer, head); in a model of two towers that is one of the decoder's self-attention, and
        ("encoder", layer, head) or ("cross", layer, head) is one of the others. Their output is 0; they still look.
    masks : mapping, or array_like of bool, optional
        By place, or by layer for all its heads, (n_q, n_k) each; or one array for all, which broadcasts to
        (layers, heads, n_q, n_k). True where a query may attend; what the model hides itself stays hidden.
    patterns : mapping, optional
        By place, (n_q, n_k) each, rows of which sum to 1, or to 0 where nothing is attended to.
    rooms : mapping of str to Room
        The kinds of attention, the first of which needs no name.

    Returns
    -------
    list of Change

    Raises
    ------
    ArrayError
        If there is no such head, or an array does not fit.
    """
    changes = []
    for given, array in _items(masks, "masks", rooms):
        mask = boolean_array("masks", array)  # type: ignore[arg-type]
        for kind, layer, head in _places(given, rooms):
            value = _fitting("masks", mask, rooms[kind])
            changes.append(Change(SCORES, layer, head, value=value, kind=kind))
    for given, array in _items(patterns, "patterns", rooms):
        kind, layer, head = _place(given, "patterns", rooms)
        value = _fitting("patterns", _weights(array), rooms[kind])
        changes.append(Change(WEIGHTS, layer, head, value=value, kind=kind))
    for given in _each(off, "off"):
        kind, layer, head = _place(given, "off", rooms)
        changes.append(Change(HEAD, layer, head, kind=kind))
    return changes


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
    shape = room.layers, room.heads, room.n_q, room.n_k
    array = boolean_array(name, given)  # type: ignore[arg-type]
    try:
        every = np.broadcast_to(array, shape)
    except ValueError:
        raise ArrayError(f"masks has shape {array.shape}, but must broadcast to {shape}") from None
    yield from (((layer, head), every[layer, head]) for layer in range(room.layers) for head in range(room.heads))


def _places(given: object, rooms: Mapping[str, Room]) -> list[HeadName]:
    """Take a place, or a layer, which stands for all its heads."""
    if is_whole(given):
        kind, layer, _ = _place((given, 0), "masks", rooms)
        return [(kind, layer, head) for head in range(rooms[kind].heads)]
    return [_place(given, "masks", rooms)]


def _place(given: object, name: str, rooms: Mapping[str, Room]) -> HeadName:
    parts = tuple(given) if isinstance(given, tuple | list) else ()
    kind = parts[0] if len(parts) == 3 else next(iter(rooms))
    if not isinstance(kind, str) or len(parts) not in (2, 3) or not all(is_whole(part) for part in parts[-2:]):
        raise ArrayError(f"{name} names heads as (layer, head), both from 0, not {given!r:.60}")
    if kind not in rooms:
        raise ArrayError(f"{name} names {quoted(kind)}, but this model has only {', '.join(rooms)}")
    layer, head = int(parts[-2]), int(parts[-1])
    room = rooms[kind]
    if not (0 <= layer < room.layers and 0 <= head < room.heads):
        raise ArrayError(f"{name} names layer {layer}, head {head}, but there are {room.layers} × {room.heads}, from 0")
    return kind, layer, head


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
