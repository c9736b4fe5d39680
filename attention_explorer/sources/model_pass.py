"""A run of a model, as far up as somebody looks, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from attention_explorer.errors import ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.one_core import one_core
from attention_explorer.model.transformer import CROSS, ENCODER, SELF, AttentionRun, TransformerRun
from attention_explorer.model.transformer.stack import StackRun
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.layers import Layers
from attention_explorer.sources.models import Model

KEPT_BYTES = 2**28
"""Queries, keys and values that stay with the layers; of more, a layer is run again when it is looked at."""


class Known(NamedTuple):
    """What is kept of an attention."""

    q: Floats
    k: Floats
    v: Floats
    weights: Floats | None
    """Only where they cannot be had from q and k."""

    @property
    def nbytes(self) -> int:
        """Its bytes."""
        return sum(array.nbytes for array in self if array is not None)


class Pass:
    """A run of a model, as far up as somebody looks; of one kind of attention, what was computed.

    Parameters
    ----------
    run : TransformerRun
        One that runs its layers when they are looked at.
    kind : str
        Which one is wanted.
    with_weights : bool
        Whether weights are kept beside queries, keys and values.
    is_short : bool
        Whether one core is enough.
    """

    def __init__(self, run: TransformerRun, kind: str, *, with_weights: bool, is_short: bool) -> None:
        self.run, self._kind, self._with_weights, self._is_short = run, kind, with_weights, is_short
        self._kept: dict[int, Known] = {}
        self._room = KEPT_BYTES

    def __call__(self, place: int) -> Known:
        """Return what a layer's attention computed."""
        with self._cores():
            self._tower.reach(place + 1, self._keep)
            if place in self._kept:
                return self._kept[place]
            again = self._tower.layer(place)
        found = again.cross if self._kind == CROSS else again.attention
        if found is None:
            raise ExplorerError(f"The model has no {self._kind} attention.")
        return self._known(found)

    @property
    def last_hidden(self) -> Floats:
        """What leaves the tower, (n, d_model)."""
        tower = self._tower
        with self._cores():
            tower.reach(tower.count, self._keep)
        return tower.hidden[-1]

    def _cores(self) -> AbstractContextManager[None]:
        return one_core() if self._is_short else nullcontext()

    @property
    def _tower(self) -> StackRun:
        seen = self.run.encoder
        return seen if self._kind == ENCODER and seen is not None else self.run.main

    def _keep(self, kind: str, place: int, run: AttentionRun) -> None:
        if kind != (CROSS if self._kind == CROSS else SELF):
            return
        known = self._known(run)
        if known.nbytes <= self._room:
            self._room -= known.nbytes
            self._kept[place] = known

    def _known(self, run: AttentionRun) -> Known:
        return Known(run.q, run.k, run.v, run.weights if self._with_weights else None)


class ModelLayers(Layers):
    """The layers of a run, the run itself, and the model, whose weights are in memory as long as it is looked at.

    Parameters
    ----------
    count, make
        As `Layers`.
    known : Pass
        The run.
    model : Model
        What runs.
    with_more : callable
        (ids) -> a run of the same kind with these tokens after those that are there.
    """

    def __init__(
        self,
        count: int,
        make: Callable[[Sequence[Layer], int], Layer],
        known: Pass,
        model: Model,
        with_more: Callable[[tuple[int, ...]], TransformerRun],
    ) -> None:
        super().__init__(count, make)
        self.known, self.model, self.with_more = known, model, with_more
