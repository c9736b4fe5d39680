"""A layer: attention and a network, each with its norm and a way around it; a decoder's with a look at the encoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.transformer.attention import Attention, AttentionRun
from attention_explorer.model.transformer.changes import NOTHING, LayerChanges
from attention_explorer.model.transformer.network import Network, NetworkRun
from attention_explorer.model.transformer.parts import FastNorm
from attention_explorer.model.transformer.rope import Turn


class _Part(Protocol):
    @property
    def norm(self) -> FastNorm: ...


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
    attention : Attention
        Of the tokens to each other.
    network : Network
        Of each token by itself.
    cross : Attention, optional
        Of a decoder to its encoder, between the two.
    pre_norm : bool
        Whether norms stand before each part (Xiong et al. 2020), or after the addition (Vaswani et al. 2017).
    """

    attention: Attention
    network: Network
    cross: Attention | None = None
    pre_norm: bool = True

    @property
    def nbytes(self) -> int:
        """Bytes of its matrices."""
        parts = [self.attention, *([self.cross] if self.cross else [])]
        matrices = [self.network.up, self.network.down, *(m for part in parts for m in (part.project, part.output))]
        return sum(matrix.weight.nbytes for matrix in matrices)

    @np.errstate(all="ignore")  # whoever runs it looks for what is not finite
    def __call__(self, x: Floats, given: Surroundings) -> LayerRun:
        """Run on (n, d_model)."""
        attention, x = self._around(
            self.attention,
            x,
            lambda rows: self.attention(
                rows, visible=given.visible, bias=given.bias, turn=given.turn, changes=given.changes
            ),
        )
        cross = None
        if self.cross is not None:
            look = self.cross
            cross, x = self._around(look, x, lambda rows: look(rows, given.context, changes=given.cross_changes))
        network, x = self._around(self.network, x, self.network)
        return LayerRun(attention, cross, network, x)

    def _around(self, part: _Part, x: Floats, run: Callable[[Floats], R]) -> tuple[R, Floats]:
        """Return what a part computed, and x with it added."""
        if self.pre_norm:
            found = run(part.norm(x))
            return found, x + found.output
        found = run(x)
        return found, part.norm(x + found.output)
