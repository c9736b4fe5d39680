"""The feed-forward network of a layer, plain or gated."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer.activations import activate_rows
from attention_explorer.model.transformer.parts import FastNorm, Linear


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
    norm : FastNorm
        Before or after it, as its layer has it.
    up : Linear
        (d_model, d_ff), or with a gate (d_model, 2 d_ff): the gate, then what it is multiplied by.
    down : Linear
        (d_ff, d_model).
    activation : str
        f, a name of `ACTIVATIONS`.
    gated : bool
        Whether there is a gate.

    Notes
    -----
    Vaswani et al. 2017, eq. 2; Shazeer 2020, eq. 6.
    """

    norm: FastNorm
    up: Linear
    down: Linear
    activation: str
    gated: bool = False

    def __call__(self, x: Floats) -> NetworkRun:
        """Run on rows, (n, d_model), normalised where the layer has it so."""
        inner = self.up(x)
        if not self.gated:
            activate_rows(self.activation, inner)
            return NetworkRun(inner, self.down(inner))
        width = inner.shape[1] // 2
        activate_rows(self.activation, inner[:, :width])
        hidden: Floats = inner[:, :width] * inner[:, width:]
        return NetworkRun(hidden, self.down(hidden))
