"""A layer: attention and a network, each with its norms and a way around it; a decoder's with a look at the encoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.transformer.attention import Attention, AttentionRun
from attention_explorer.model.transformer.changes import NOTHING, LayerChanges
from attention_explorer.model.transformer.network import Network, NetworkRun
from attention_explorer.model.transformer.parts import Norms, normed
from attention_explorer.model.transformer.rope import Turn
from attention_explorer.model.transformer.spec import Spec


class _Run(Protocol):
    @property
    def output(self) -> Floats: ...


R = TypeVar("R", bound=_Run)


@dataclass(frozen=True, slots=True, eq=False)
class LayerRun:
    """What a layer computed, float32."""

    attention: AttentionRun
    cross: AttentionRun | None
    network: NetworkRun
    output: Floats
    """(n, d_model)."""


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What a layer is given besides x."""

    visible: Bools | None = None
    bias: Floats | None = None
    turn: Turn | None = None
    context: Floats | None = None
    changes: LayerChanges = field(default=NOTHING)
    cross_changes: LayerChanges = field(default=NOTHING)


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer with its weights.

    Parameters
    ----------
    spec : Spec
        Of the tower.
    attention : Attention
        Of the tokens to each other.
    network : Network
        Of each token by itself.
    cross : Attention, optional
        Of a decoder to its encoder, between the two.
    """

    spec: Spec
    attention: Attention
    network: Network
    cross: Attention | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of its matrices."""
        parts = [self.attention, *([self.cross] if self.cross else [])]
        matrices = [self.network.up, self.network.down, *(m for part in parts for m in (part.project, part.output))]
        return sum(matrix.weight.nbytes for matrix in matrices)

    @np.errstate(all="ignore")  # whoever runs it looks for what is not finite
    def __call__(self, x: Floats, given: Surroundings) -> LayerRun:
        """Run on (n, d_model)."""
        look = partial(self.attention, visible=given.visible, bias=given.bias, turn=given.turn, changes=given.changes)
        attention, y = self._around(self.attention.norms, x, x, look)
        cross = None
        if self.cross is not None:
            look = partial(self.cross, context=given.context, changes=given.cross_changes)
            cross, y = self._around(self.cross.norms, y, y, look)
        network, y = self._around(self.network.norms, x if self.spec.parallel else y, y, self.network)
        return LayerRun(attention, cross, network, y)

    def _around(self, norms: Norms, x: Floats, way: Floats, run: Callable[[Floats], R]) -> tuple[R, Floats]:
        """Return what a part makes of x, and the way around it, to which that is added."""
        found = run(normed(norms.before, x))
        added = normed(norms.inner, found.output)
        if self.spec.residual_scale != 1.0:
            added = added * np.float32(self.spec.residual_scale)
        return found, normed(norms.after, way + added)
