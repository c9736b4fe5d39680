"""A tower of layers, and a run through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import TypeAlias, overload

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, all_finite
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.masks import causal_mask, window_mask
from attention_explorer.model.transformer.attention import AttentionRun
from attention_explorer.model.transformer.changes import Changes
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

    def visible(self, layer: int, n: int) -> Bools | None:
        """Return who may attend to whom in a layer, (n, n); None for all to all."""
        window, is_causal = self.spec.layers[layer].window, self.spec.is_causal
        if window is not None and window < n:
            return window_mask(n, window, causal=is_causal)
        return causal_mask(n) if is_causal else None


SELF, CROSS = "self", "cross"
"""The kinds of attention in a tower, by which heads are named."""
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
    changes, cross_changes : Changes
        What is altered in the attention of the tokens to each other, and to the context.
    context : callable, optional
        Gives the last hidden states of the encoder, (n_k, d_model).
    room : int
        Bytes for weights.

    Attributes
    ----------
    weights, cross_weights : Maps
        By layer; of the latter none if the tower looks at no other.
    """

    def __init__(
        self,
        stack: Stack,
        given: Inputs,
        changes: Changes,
        *,
        cross_changes: Changes | None = None,
        context: Callable[[], Floats] | None = None,
        room: int,
    ) -> None:
        self._stack, self._given, self._n = stack, given, len(given.ids)
        self._changes, self._cross_changes = changes, cross_changes or Changes()
        self._context, self._room = context, room
        self._kept: dict[str, dict[int, Floats]] = {SELF: {}, CROSS: {}}
        self._hidden: list[Floats] = []
        self._masks: dict[int, Bools | None] = {}
        self._turns: dict[Rope, Turn] = {}
        self._lock = RLock()

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
        return self._through(place, self._hidden[place])

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
            If the numbers pass the range of float32.
        """
        with self._lock:
            if not self._hidden:
                self._hidden.append(self._stack.embedding(self._given))
            for place in range(self.reached, layers):
                checkpoint()
                self._hidden.append(self._run(place, keep))

    def _run(self, place: int, keep: Keep) -> Floats:
        """Run the next layer, and return what leaves it."""
        run = self._through(place, self._hidden[place])
        if not all_finite(run.output):
            raise ArrayError(
                f"layer {place} leads beyond the range of float32: the weights are damaged, or were meant for "
                "another configuration"
            )
        for kind, found in ((SELF, run.attention), (CROSS, run.cross)):
            if found is not None:
                keep(kind, place, found)
                if found.weights.nbytes <= self._room:
                    self._kept[kind][place] = found.weights
                    self._room -= found.weights.nbytes
        return normed(self._stack.final_norm if place == self.count - 1 else None, run.output)

    def _through(self, place: int, x: Floats) -> LayerRun:
        context = None if self._context is None else self._context()
        rope = self._stack.spec.layers[place].rope
        turn = None if rope is None else self._turn(rope)
        changes, cross = self._changes.of(place), self._cross_changes.of(place)
        given = Surroundings(self._visible(place), self._bias, turn, context, changes, cross)
        return self._stack.layers[place](x, given)

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
        return None if relative is None else relative.bias(self._n, self._n)

    def _cross_again(self, place: int) -> Floats:
        cross = self.layer(place).cross
        if cross is None:
            raise ArrayError(f"layer {place} looks at no other tower")
        return cross.weights
