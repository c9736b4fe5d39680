"""The matrices of one head, as papers write them: W_Q, W_K, W_V and W_O."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer.attention import Attention


class HeadWeights(NamedTuple):
    """What one head multiplies by, float32. Heads that share keys and values have the same ``k`` and ``v``."""

    q: Floats
    """(d_model, d): queries are rows times this, plus ``q_bias``."""
    k: Floats
    """(d_model, d)."""
    v: Floats
    """(d_model, d)."""
    o: Floats
    """(d, d_model): what the head adds to the output is its mixture times this."""
    q_bias: Floats
    """(d,), 0 where there is none."""
    k_bias: Floats
    v_bias: Floats

    def qk(self, left: Floats, right: Floats) -> Floats:
        """Return left W_Q W_Kᵀ rightᵀ, (m, n), of (m, d_model) and (n, d_model); never d_model × d_model."""
        return (left @ self.q) @ (right @ self.k).T

    def ov(self, rows: Floats) -> Floats:
        """Return rows W_V W_O, (n, d_model), of (n, d_model): what a head that looks at them alone adds."""
        return (rows @ self.v) @ self.o


def head_weights(attention: Attention, head: int, *, folded: bool = False, of_context: bool = False) -> HeadWeights:
    """Take the matrices of one head.

    Parameters
    ----------
    attention : Attention
        Of a layer.
    head : int
        Which one, from 0.
    folded : bool
        Whether gain and bias of the norm before the attention are part of the matrices: W becomes diag(gain) W and b
        becomes b + bias W, so that they are of rows that are only centred and divided (Elhage et al. 2021).
    of_context : bool
        Whether keys and values are made of another tower, in front of which that norm does not stand.

    Returns
    -------
    HeadWeights
    """
    spec, width = attention.spec, attention.spec.head_width
    shared = spec.heads // spec.kv_heads
    starts = (head, spec.heads + head // shared, spec.heads + spec.kv_heads + head // shared)
    parts = [attention.project.part(start * width, (start + 1) * width) for start in starts]
    matrices = [part.weight for part in parts]
    biases = [np.zeros(width, np.float32) if part.bias is None else part.bias for part in parts]
    norm = attention.norms.before
    if folded and norm is not None:
        for which in range(1 if of_context else 3):
            if norm.bias is not None:
                biases[which] = biases[which] + norm.bias @ matrices[which]
            matrices[which] = norm.gain[:, None] * matrices[which]
    (q, k, v), (q_bias, k_bias, v_bias) = matrices, biases
    return HeadWeights(q, k, v, attention.output.weight[head * width : (head + 1) * width], q_bias, k_bias, v_bias)
