"""A tower of layers, and a run through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import RLock
from typing import TypeAlias, overload

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, all_finite
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.masks import causal_mask, window_mask
from attention_explorer.model.transformer.attention import AttentionRun
from attention_explorer.model.transformer.change import Path, Taken
from attention_explorer.model.transformer.changes import CROSS, NOTHING, RESIDUAL, SELF, K, Q, Step
from attention_explorer.model.transformer.embedding import Embedding, Inputs
from attention_explorer.model.transformer.layer import Layer, LayerRun, Surroundings
from attention_explorer.model.transformer.parts import FastNorm, normed
from attention_explorer.model.transformer.relative import RelativePositions
from attention_explorer.model.transformer.rope import Rope, Turn
from attention_explorer.model.transformer.spec import Spec


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """A tower: embeddings, layers one above the other, and often a last norm.

    Parameters
    ----------
    spec : Spec
        What it is.
    embedding : Embedding
        What enters the first layer.
    layers : sequence of Layer
        Taken one after the other, so that one that is fetched when it is asked for need not be kept.
    final_norm : FastNorm, optional
        After the last layer.
    relative : RelativePositions, optional
        Added to the scores.
    """

    spec: Spec
    embedding: Embedding
    layers: Sequence[Layer]
    final_norm: FastNorm | None = None
    relative: RelativePositions | None = None

    def visible(self, layer: int, n: int, start: int = 0) -> Bools | None:
        """Return who may attend to whom in a layer, (n − start, n), from ``start`` on; None for all to all."""
        window, is_causal = self.spec.layers[layer].window, self.spec.is_causal
        if start:
            distance = np.arange(start, n)[:, None] - np.arange(n)
            sees = distance >= 0 if is_causal else np.ones(distance.shape, np.bool_)
            return sees if window is None else sees & (np.abs(distance) < window)
        if window is not None and window < n:
            return window_mask(n, window, causal=is_causal)
        return causal_mask(n) if is_causal else None


Keep: TypeAlias = Callable[[str, int, AttentionRun], object]


def keep_nothing(_kind: str, _layer: int, _run: AttentionRun) -> None:
    """Let go of everything that an attention computed."""


class Maps(Sequence[Floats]):
    """The weights of all layers, (heads, n_q, n_k) each: those that were kept, and the others computed again.

    Parameters
    ----------
    count : int
        How many layers there are.
    again : callable
        Computes those of a layer.
    kept : mapping of int to ndarray
        By layer.
    """

    def __init__(self, count: int, again: Callable[[int], Floats], kept: Mapping[int, Floats]) -> None:
        self._count, self._again, self.kept = count, again, kept

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, layer: int) -> Floats: ...

    @overload
    def __getitem__(self, layer: slice) -> tuple[Floats, ...]: ...

    def __getitem__(self, layer: int | slice) -> Floats | tuple[Floats, ...]:
        """Return the weights of a layer, or of some."""
        if isinstance(layer, slice):
            return tuple(self[each] for each in range(*layer.indices(self._count)))
        place = range(self._count)[layer]
        return self.kept[place] if place in self.kept else self._again(place)


class StackRun:
    """A run through a tower, as far up as somebody looked. All threads may ask.

    Hidden states stay, (n, d_model) each; of the weights as many layers as there is room for. Everything else of one
    is computed again from its hidden state by `layer`, when somebody asks.

    Parameters
    ----------
    stack : Stack
        The tower.
    given : Inputs
        Its tokens.
    taken, cross : Taken
        What is altered in the tower, and in its look at the context.
    context : callable, optional
        Gives the last hidden states of the encoder, (n_k, d_model).
    room : int
        Bytes for weights.
    since : StackRun, optional
        An unaltered run on the same tokens and the same context: what lies before the first change is taken from it.

    Attributes
    ----------
    weights, cross_weights : Maps
        By layer; of the latter none if the tower looks at no other.
    """

    def __init__(
        self,
        stack: Stack,
        given: Inputs,
        taken: Taken,
        *,
        cross: Taken | None = None,
        context: Callable[[], Floats] | None = None,
        room: int,
        since: StackRun | None = None,
    ) -> None:
        self._stack, self._given, self._n = stack, given, len(given.ids)
        self._taken, self._cross = taken, cross or Taken()
        self._context, self._room = context, room
        self._kept: dict[str, dict[int, Floats]] = {SELF: {}, CROSS: {}}
        self._hidden: list[Floats] = []
        self._carried: dict[tuple[Path, int], Floats] = {}
        self._masks: dict[int, Bools | None] = {}
        self._turns: dict[Rope, Turn] = {}
        self._lock = RLock()
        if since is not None:
            self._begin(since)

    def _begin(self, since: StackRun) -> None:
        """Take what lies before the first change from another run."""
        firsts = [found.first for found in (self._taken, self._cross) if found.first is not None]
        first = min(firsts, default=self.count)
        since.reach(first)
        self._hidden = since._hidden[: first + 1]
        for kind, kept in since._kept.items():
            self._kept[kind] = {place: weights for place, weights in kept.items() if place < first}

    @property
    def stack(self) -> Stack:
        """The tower."""
        return self._stack

    @property
    def is_altered(self) -> bool:
        """Whether anything is altered in it."""
        return self._taken.first is not None or self._cross.first is not None

    @property
    def count(self) -> int:
        """How many layers there are."""
        return len(self._stack.layers)

    @property
    def reached(self) -> int:
        """How many layers were run."""
        return max(len(self._hidden) - 1, 0)

    @property
    def hidden(self) -> tuple[Floats, ...]:
        """What enters each layer, and what leaves the last, after the last norm; runs the layers that are left."""
        self.reach(self.count)
        return tuple(self._hidden)

    # Maps know the run and not the other way round: a circle would stay in memory until Python looks for circles.

    @property
    def weights(self) -> Maps:
        """Of the tokens to each other."""
        return Maps(self.count, lambda place: self.layer(place).attention.weights, self._kept[SELF])

    @property
    def cross_weights(self) -> Maps:
        """To the context; of no layer where there is none."""
        count = 0 if self._context is None else self.count
        return Maps(count, self._cross_again, self._kept[CROSS])

    def layer(self, place: int) -> LayerRun:
        """Run one layer again, and return everything that it computes.

        Raises
        ------
        IndexError
            If there is no such layer.
        """
        place = range(self.count)[place]
        self.reach(place)
        return self._through(place)

    def reach(self, layers: int, keep: Keep = keep_nothing) -> None:
        """Run so many layers from below, unless they were run already.

        Parameters
        ----------
        layers : int
            How many.
        keep : callable
            Handed the kind of each attention, the number of its layer and all that it computed, as it comes along.

        Raises
        ------
        ArrayError
            If the numbers pass the range of float32, or a change changes nothing that may not.
        """
        with self._lock:
            if not self._hidden:
                self._hidden.append(self._stack.embedding(self._given))
            for place in range(self.reached, layers):
                checkpoint()
                self._hidden.append(self._run(place, keep))

    def _run(self, place: int, keep: Keep) -> Floats:
        """Run the next layer, and return what leaves it."""
        run = self._through(place)
        checked(place, run.output)
        self._carry(place, run)
        for kind, found in ((SELF, run.attention), (CROSS, run.cross)):
            if found is not None:
                keep(kind, place, found)
                if found.weights.nbytes <= self._room:
                    self._kept[kind][place] = found.weights
                    self._room -= found.weights.nbytes
        return normed(self._stack.final_norm if place == self.count - 1 else None, run.output)

    def _through(self, place: int) -> LayerRun:
        given, changes = self.surroundings(place), self._taken.changes.of(place)
        for path in self._taken.paths:
            if path.layer == place:
                changes = changes.with_step(path.part, self._seen(path, given.turn))
        return self._stack.layers[place](self._hidden[place], replace(given, changes=changes))

    def surroundings(self, place: int) -> Surroundings:
        """Return what a layer is given besides what enters."""
        context = None if self._context is None else self._context()
        rope = self._stack.spec.layers[place].rope
        turn = None if rope is None else self._turn(rope)
        changes, cross = self._taken.changes.of(place), self._cross.changes.of(place)
        return Surroundings(self._visible(place), self._bias, turn, context, changes, cross)

    # ---- Changes that one head alone sees: they are carried along the way around all parts ----

    def _carry(self, place: int, run: LayerRun) -> None:
        """Take them past a layer."""
        for path in self._taken.paths:
            if path.start <= place < path.layer:
                changes = path.changes if place == path.start else NOTHING
                given = replace(self.surroundings(place), changes=changes)
                entering = self._carried.get((path, place), run.residual)
                self._carried[path, place + 1] = self._stack.layers[place].carried(entering, run, given)

    def _seen(self, path: Path, turn: Turn | None) -> Step:
        """Return what the head sees of it: its queries, keys or values."""
        attention = self._stack.layers[path.layer].attention
        x = self._hidden[path.layer]
        x = (
            self._carried.get((path, path.layer), x)
            if path.start < path.layer
            else path.changes.altered(RESIDUAL, x.copy())
        )
        q, k, v = attention.projected(normed(attention.norms.before, x), None, turn)
        found = {Q: q, K: np.repeat(k, len(q) // len(k), axis=0)}.get(path.part, np.repeat(v, len(q) // len(v), axis=0))
        return Step(np.ix_([path.head], range(self._n)), found[path.head][None], said=path.said)

    # ---- What all layers need ----

    def _visible(self, place: int) -> Bools | None:
        reach = min(self._n, self._stack.spec.layers[place].window or self._n)
        if reach not in self._masks:
            self._masks[reach] = self._stack.visible(place, self._n)
        return self._masks[reach]

    def _turn(self, rope: Rope) -> Turn:
        if rope not in self._turns:
            self._turns[rope] = rope.turn(self._n)
        return self._turns[rope]

    @cached_property
    def _bias(self) -> Floats | None:
        relative = self._stack.relative
        return None if relative is None else relative.bias(self._n)

    def _cross_again(self, place: int) -> Floats:
        cross = self.layer(place).cross
        if cross is None:
            raise ArrayError(f"layer {place} looks at no other tower")
        return cross.weights

    # ---- For several runs at once: see `together` ----

    @property
    def goes_alone(self) -> bool:
        """Whether it has to be run by itself."""
        return bool(self._taken.paths)

    @property
    def latest(self) -> Floats:
        """What left the highest layer that was run, or the embedding."""
        self.reach(0)
        return self._hidden[-1]

    def came_out(self, output: Floats) -> None:
        """Take what left the next layer, after the last norm if it is the last."""
        with self._lock:
            self._hidden.append(output)


def checked(place: int, output: Floats) -> None:
    """Make sure that what left a layer is finite.

    Raises
    ------
    ArrayError
        If not.
    """
    if not all_finite(output):
        raise ArrayError(
            f"layer {place} leads beyond the range of float32: the weights are damaged, or were meant for "
            "another configuration"
        )
