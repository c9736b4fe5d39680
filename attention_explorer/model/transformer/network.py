"""The feed-forward network of a layer, plain or gated."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer.activations import activate_rows
from attention_explorer.model.transformer.changes import HIDDEN, NOTHING, Altering
from attention_explorer.model.transformer.parts import Linear, Norms
from attention_explorer.model.transformer.spec import Spec


@dataclass(frozen=True, slots=True, eq=False)
class NetworkRun:
    """What a network computed, float32."""

    hidden: Floats
    """(n, d_ff), after the activation and the gate."""
    output: Floats
    """(n, d_model)."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """down(f(up(x))), or down(f(gate(x)) · up(x)).

    Parameters
    ----------
    spec : Spec
        Of the tower: f, and whether there is a gate.
    norms : Norms
        Around it.
    up : Linear
        (d_model, d_ff), or with a gate (d_model, 2 d_ff): the gate, then what it is multiplied by.
    down : Linear
        (d_ff, d_model).

    Notes
    -----
    Vaswani et al. 2017, eq. 2; Shazeer 2020, eq. 6.
    """

    spec: Spec
    norms: Norms
    up: Linear
    down: Linear

    def __call__(self, x: Floats, changes: Altering = NOTHING) -> NetworkRun:
        """Run on rows, (..., d_model), normalised where the layer has it so."""
        hidden = self.activated(self.up(x.reshape(-1, x.shape[-1]))).reshape(*x.shape[:-1], -1)
        hidden = changes.altered(HIDDEN, hidden)
        return NetworkRun(hidden, self.down(hidden))

    def activated(self, inner: Floats) -> Floats:
        """Return f(inner), or with a gate f of its first half times the second; what is given is written over."""
        if not self.spec.gated:
            activate_rows(self.spec.activation, inner)
            return inner
        width = inner.shape[1] // 2
        activate_rows(self.spec.activation, inner[:, :width])
        return inner[:, :width] * inner[:, width:]
