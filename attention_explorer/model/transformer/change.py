"""What a person alters in a run: a value for it, and taking it for the layers of a model, with every check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError, did_you_mean, quoted
from attention_explorer.model.arrays import Bools, Floats, all_finite, real_array, whole_array
from attention_explorer.model.transformer.changes import (
    AS_TRAINED,
    CROSS,
    OF_ATTENTION,
    OF_HEADS,
    OF_ROWS,
    PARTS,
    RESIDUAL,
    SCORES,
    SELF,
    WEIGHTS,
    Changes,
    Index,
    K,
    LayerChanges,
    Q,
    Softmax,
    Step,
    V,
)

ZERO, MEAN, SET, ADD = "zero", "mean", "set", "add"
Places = int | Sequence[int] | None
"""One, some or, as None, all."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a run. Layers, heads and positions count from 0.

    Parameters
    ----------
    where : str
        What is changed. Of heads: "q", "k", "v" (normalised and turned where they are; keys and values that heads share
        are told apart), "scores" (what the softmax is made of), "weights" (what it gives), "head" (the mixture of
        values, before W_O). Of layers: "attention" and "network" (what either writes), "residual" (what enters the
        layer), "between" (what enters the network's half), "around attention" and "around network" (what goes around
        either and is added behind it: zero cuts the way) and "after" (what leaves the layer, before the last norm).
    layer : int, or several
        In which layers.
    head : int, or several, optional
        Of which heads; all if not given.
    position : int, or several, optional
        At which tokens, those of queries for scores and weights; all if not given. Negative ones count from the end.
    value : str, array_like or run
        "zero"; "mean" of `texts`; numbers that broadcast to what is chosen, such as (n, d) for one head; or the run of
        a twin, a text of as many tokens, whose own value is put in. For scores also truth values: False hides, as −∞.
    how : str
        "set" or "add".
    texts : sequence, optional
        Over which the mean is taken: over all their tokens, and of scores and weights place by place.
    into : (layer, head, "q" | "k" | "v"), optional
        What alone sees the change: it reaches that head along the way around all parts between, which keep on writing
        what they wrote (path patching: Wang et al. 2022, section 3.1).
    kind : str
        "self"; in a model of two towers that is the decoder, and "encoder" and "cross" are the others.
    """

    where: str
    layer: int | Sequence[int]
    head: Places = None
    position: Places = None
    value: object = ZERO
    how: str = SET
    texts: object = None
    into: tuple[int, int, str] | None = None
    kind: str = SELF

    def __repr__(self) -> str:
        given = [f"{self.where!r}", f"layer={self.layer!r}"]
        given += [f"{n}={v!r}" for n, v in (("head", self.head), ("position", self.position)) if v is not None]
        given += [f"into={self.into!r}"] if self.into is not None else []
        given += [f"kind={self.kind!r}"] if self.kind != SELF else []
        return f"Change({', '.join(given)})"


@runtime_checkable
class Twin(Protocol):
    """A run whose values can be put into another."""

    def part(self, where: str, layer: int, kind: str) -> Floats:
        """Return what a layer computed of a part; keys and values for each head."""


class Room(NamedTuple):
    """How much there is of a tower, or of a look at another."""

    layers: int
    heads: int
    n_q: int
    n_k: int
    head_width: int
    width: int

    def shape(self, where: str) -> tuple[int, ...]:
        """Return that of a part."""
        if where in OF_ROWS:
            return self.n_q, self.width
        if where in (SCORES, WEIGHTS):
            return self.heads, self.n_q, self.n_k
        return self.heads, self.n_k if where in (K, V) else self.n_q, self.head_width


class Path(NamedTuple):
    """A change that one head alone sees."""

    start: int
    """The layer in which it is made."""
    changes: LayerChanges
    layer: int
    head: int
    part: str
    said: str


class Taken(NamedTuple):
    """What is altered in a tower, or in its look at another."""

    changes: Changes = Changes()
    paths: tuple[Path, ...] = ()

    @property
    def first(self) -> int | None:
        """The lowest layer that is not run as it was; None if all are."""
        starts = [path.start for path in self.paths]
        return min(starts if self.changes.first is None else [self.changes.first, *starts], default=None)


def taken(
    given: Iterable[Change], rooms: Mapping[str, Room], softmax: Softmax = AS_TRAINED, *, insists: bool = True
) -> dict[str, Taken]:
    """Take changes, for each kind of attention.

    Parameters
    ----------
    given : iterable of Change
        One after the other: of two at the same place the later is the last.
    rooms : mapping of str to Room
        The kinds of attention.
    softmax : Softmax
        Of all heads.
    insists : bool
        Whether one that changes nothing is refused while it is run.

    Returns
    -------
    dict of str to Taken

    Raises
    ------
    ArrayError
        If a change names what there is not, or its value does not fit.
    """
    layers: dict[str, dict[int, LayerChanges]] = {kind: {} for kind in rooms}
    paths: dict[str, list[Path]] = {kind: [] for kind in rooms}
    for change in given:
        room = _room_of(change, rooms)
        for layer in _layers(change, room):
            step = _step(change, layer, room, repr(change) if insists else "")
            if change.into is not None:
                paths[change.kind].append(_path(change, layer, room, step))
                continue
            found = layers[change.kind]
            found[layer] = found.get(layer, LayerChanges()).with_step(change.where, step)
    return {kind: Taken(Changes(layers[kind], softmax), tuple(paths[kind])) for kind in rooms}


def _room_of(change: object, rooms: Mapping[str, Room]) -> Room:
    if not isinstance(change, Change):
        raise ArrayError(f"changes must be a list of Change(where, layer, …), but hold {change!r:.60}")
    _one_of(change, "where", change.where, PARTS)
    _one_of(change, "how", change.how, (SET, ADD))
    _one_of(change, "kind", change.kind, tuple(rooms))
    if change.kind == CROSS and change.where not in OF_ATTENTION:
        raise ArrayError(f"{change}: the cross-attention has only {', '.join(OF_ATTENTION)}")
    if change.head is not None and change.where not in OF_HEADS:
        raise ArrayError(f"{change}: {change.where} is of no single head, so leave head out; heads have {_listed()}")
    return rooms[change.kind]


def _listed() -> str:
    return ", ".join(OF_HEADS)


def _one_of(change: Change, name: str, value: object, known: tuple[str, ...]) -> None:
    if not isinstance(value, str):
        raise ArrayError(f"{change!r:.90}: {name} must be one of {', '.join(known)}, not {value!r:.40}")
    if value not in known:
        raise ArrayError(
            f"{change!r:.90}: {name} is {quoted(value)}, which there is not here. {did_you_mean(value, known)}"
        )


def _layers(change: Change, room: Room) -> Sequence[int]:
    if change.layer is None:
        raise ArrayError(f"{change}: say in which layer, from 0 to {room.layers - 1}, or in which layers")
    return _numbers(change, "layer", change.layer, room.layers)


def _numbers(change: Change, name: str, given: object, count: int, *, from_end: bool = False) -> list[int]:
    """Take one number or several, which count from 0."""
    several = isinstance(given, list | tuple | range | np.ndarray)
    found = []
    for each in given if several else (given,):  # type: ignore[attr-defined]
        if not is_whole(each):
            raise ArrayError(f"{change!r:.90}: {name} must be a whole number or several, not {each!r:.40}")
        if not (-count if from_end else 0) <= each < count:
            raise ArrayError(f"{change}: there is no {name} {each}: there are {count}, from 0 to {count - 1}")
        found.append(int(each) % count)
    if not found:
        raise ArrayError(f"{change}: {name} names none, so nothing would change")
    if len(set(found)) < len(found):
        raise ArrayError(f"{change}: {name} names one twice")
    return found


def is_whole(value: object) -> bool:
    """Whether something is a whole number, and no truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _step(change: Change, layer: int, room: Room, said: str) -> Step:
    """Return what a change does in one layer."""
    shape = room.shape(change.where)
    axes: list[tuple[str, Places]] = [("position", change.position)]
    if change.where in OF_HEADS:
        axes.insert(0, ("head", change.head))
    chosen = [
        None if given is None else _numbers(change, name, given, count, from_end=name == "position")
        for (name, given), count in zip(axes, shape, strict=False)
    ]
    every = [list(range(count)) if some is None else some for some, count in zip(chosen, shape, strict=False)]
    while every and chosen[len(every) - 1] is None:
        every.pop()  # all rows, as of most changes: heads alone are picked
    at: Index = np.ix_(*every) if every else ()
    single = tuple(axis for axis, (_, given) in enumerate(axes) if is_whole(given))
    value, visible = _value(change, layer, shape, at, single)
    return Step(at, value, change.how == ADD, visible, said)


def _value(
    change: Change, layer: int, shape: tuple[int, ...], at: Index, single: tuple[int, ...]
) -> tuple[Floats | None, Bools | None]:
    """Return what is put in or added, and of scores what is not hidden."""
    given, where = change.value, change.where
    if (change.texts is not None) != (isinstance(given, str) and given == MEAN):
        raise ArrayError(f'{change}: texts go with value="mean", and it with them')
    if isinstance(given, str):
        _one_of(change, "value", given, (ZERO, MEAN))
        if given == ZERO and change.how == ADD:
            raise ArrayError(f'{change} would change nothing: adding zero leaves all as it is; take how="set"')
        whole = np.zeros((), np.float32) if given == ZERO else _mean(change, layer, shape)
        return whole if whole.ndim == 0 else _chosen(whole, shape, at), None
    if isinstance(given, Twin):
        return _chosen(_of_twin(change, given, layer, shape), shape, at), None
    chosen = tuple(index.size for index in at) + shape[len(at) :] if at else shape
    left = tuple(size for axis, size in enumerate(chosen) if axis not in single)
    array = whole_array("value", given, "an array of numbers")
    if where == SCORES and array.dtype == np.bool_:
        return None, np.expand_dims(_broadcast(change, array, left), single)
    numbers = np.expand_dims(_broadcast(change, _float32(change, array), left), single)
    return numbers, None


def _chosen(whole: Floats, shape: tuple[int, ...], at: Index) -> Floats:
    """Return some heads and rows of what broadcasts to a whole part."""
    every = np.broadcast_to(whole, shape)
    return every[at] if at else every


def _float32(change: Change, array: npt.NDArray[Any]) -> Floats:
    if array.dtype == np.bool_:
        raise ArrayError(f"{change}: value holds truth values, which only scores take, as a mask; give numbers")
    with np.errstate(over="ignore"):
        numbers = real_array("value", array).astype(np.float32)
    hides = change.where == SCORES
    if not all_finite(np.where(numbers == -np.inf, 0.0, numbers) if hides else numbers):
        raise ArrayError(f"{change}: value must hold finite numbers of float32{' or −inf' if hides else ''}")
    return numbers


def _broadcast(change: Change, array: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ArrayError(f"{change}: value has shape {array.shape}, but must be {shape} or broadcast to it") from None


def _of_twin(change: Change, twin: Twin, layer: int, shape: tuple[int, ...]) -> Floats:
    found = twin.part(change.where, layer, change.kind)
    if found.shape != shape:
        raise ArrayError(
            f"{change}: its twin gives an array of shape {found.shape}, but that of the text is {shape}: twins are of "
            "one model, and have as many tokens"
        )
    return found


def _mean(change: Change, layer: int, shape: tuple[int, ...]) -> Floats:
    """Return the mean over texts, and but for scores and weights over their tokens; it broadcasts to the shape."""
    texts = change.texts if isinstance(change.texts, list | tuple) else ()
    if not texts or not all(isinstance(each, Twin) for each in texts):
        raise ArrayError(f"{change}: texts must be a list of at least one text")
    if change.where in (SCORES, WEIGHTS):
        maps = [_of_twin(change, text, layer, shape) for text in texts]
        return np.asarray(np.mean(maps, axis=0, dtype=np.float32))
    found = [text.part(change.where, layer, change.kind) for text in texts]
    total = sum(each.sum(axis=-2, keepdims=True, dtype=np.float64) for each in found)
    return np.asarray(total / sum(each.shape[-2] for each in found), np.float32)


def _path(change: Change, layer: int, room: Room, step: Step) -> Path:
    """Return a change that one head alone sees."""
    into = change.into
    if change.kind == CROSS or not isinstance(into, tuple) or len(into) != 3:
        raise ArrayError(f'{change}: into is (layer, head, "q", "k" or "v") of a head of the same tower')
    _one_of(change, "into", into[2], (Q, K, V))
    target = _numbers(change, "layer of into", into[0], room.layers)[0]
    head = _numbers(change, "head of into", into[1], room.heads)[0]
    first = layer if change.where == RESIDUAL else layer + 1
    if target < first:
        raise ArrayError(f"{change}: what is changed in layer {layer} reaches heads from layer {first} on")
    changes = LayerChanges({change.where: (step,)})
    return Path(layer, changes, target, head, into[2], step.said)
