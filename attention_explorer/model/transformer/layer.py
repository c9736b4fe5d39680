"""A layer: attention and a network, each with its norms and a way around it; a decoder's with a look at the encoder."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.transformer.attention import Attention, AttentionRun
from attention_explorer.model.transformer.changes import (
    AFTER,
    AROUND_ATTENTION,
    AROUND_NETWORK,
    BETWEEN,
    NETWORK,
    NOTHING,
    OF_ATTENTION,
    RESIDUAL,
    Altering,
)
from attention_explorer.model.transformer.network import Network, NetworkRun
from attention_explorer.model.transformer.parts import Norms, normed
from attention_explorer.model.transformer.rope import Turn
from attention_explorer.model.transformer.spec import Spec


@dataclass(frozen=True, slots=True, eq=False)
class LayerRun:
    """What a layer computed, float32."""

    attention: AttentionRun
    cross: AttentionRun | None
    network: NetworkRun
    output: Floats
    """(n, d_model)."""
    residual: Floats
    """What entered, (n, d_model), with what was altered of it."""
    between: Floats
    """What the attention left for the network, (n, d_model); of a decoder behind its look at the encoder."""


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What a layer is given besides x."""

    visible: Bools | None = None
    bias: Floats | None = None
    turn: Turn | None = None
    context: Floats | None = None
    changes: Altering = field(default=NOTHING)
    cross_changes: Altering = field(default=NOTHING)
    past: tuple[Floats, Floats] | None = None
    """Keys and values of the tokens before."""
    cross_past: tuple[Floats, Floats] | None = None
    """Those of the context."""

    def around_attention(self, x: Floats) -> Floats:
        """Return what goes around the attention: what enters it, with what is altered of it on the way."""
        return self._around(AROUND_ATTENTION, x)

    def around_network(self, y: Floats) -> Floats:
        """Return what goes around the network, likewise."""
        return self._around(AROUND_NETWORK, y)

    def _around(self, part: str, way: Floats) -> Floats:
        return self.changes.altered(part, way.copy()) if self.changes.touches(part) else way


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
        """Run on (..., n, d_model)."""
        changes = given.changes
        if changes.touches(RESIDUAL):
            x = changes.altered(RESIDUAL, x.copy())
        attention = self.looked(x, given)
        y = self.joined(self.attention.norms, given.around_attention(x), attention.output)
        cross = None
        if self.cross is not None:
            entering = normed(self.cross.norms.before, y)
            cross = self.cross(entering, context=given.context, changes=given.cross_changes, past=given.cross_past)
            y = self.joined(self.cross.norms, y, cross.output)
        y = changes.altered(BETWEEN, y)
        network = self.network(normed(self.network.norms.before, x if self.spec.parallel else y), changes)
        changes.altered(NETWORK, network.output)
        output = self.joined(self.network.norms, given.around_network(y), network.output)
        output = changes.altered(AFTER, output)
        return LayerRun(attention, cross, network, output, x, y)

    def looked(self, x: Floats, given: Surroundings) -> AttentionRun:
        """Return what the attention of the tokens to each other computes of what enters, (..., n, d_model)."""
        entering = normed(self.attention.norms.before, x)
        return self.attention(
            entering,
            visible=given.visible,
            bias=given.bias,
            turn=given.turn,
            changes=given.changes,
            past=given.past,
        )

    def joined(self, norms: Norms, way: Floats, output: Floats) -> Floats:
        """Return what a part leaves: its output, added to the way around it."""
        return normed(norms.after, way + self.added(norms, output))

    def added(self, norms: Norms, output: Floats) -> Floats:
        """Return what of a part's output is added to the way around it."""
        found = normed(norms.inner, output)
        return found if self.spec.residual_scale == 1.0 else found * np.float32(self.spec.residual_scale)

    @np.errstate(all="ignore")
    def carried(self, x: Floats, run: LayerRun, given: Surroundings) -> Floats:
        """Return what leaves the layer if x enters, and every part but those altered writes what it wrote in a run.

        Parameters
        ----------
        x : ndarray, (n, d_model)
            What is carried along the way around all parts.
        run : LayerRun
            Of this layer.
        given : Surroundings
            As of the run, with the changes of what is carried.
        """
        changes, attention = given.changes, run.attention.output
        if changes.touches(RESIDUAL):
            x = changes.altered(RESIDUAL, x.copy())
        if changes.touches(*OF_ATTENTION):
            attention = self.looked(run.residual, given).output
        y = self.joined(self.attention.norms, given.around_attention(x), attention)
        if self.cross is not None and run.cross is not None:
            y = self.joined(self.cross.norms, y, run.cross.output)
        network = run.network.output
        if changes.touches(NETWORK):
            network = changes.altered(NETWORK, network.copy())
        y = given.around_network(changes.altered(BETWEEN, y))
        return changes.altered(AFTER, self.joined(self.network.norms, y, network))
