"""The derivative of multi-head attention by its input, pulled back through every intermediate."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array, one_of_each_row
from attention_explorer.model.derivatives import derivative_by_output, within_range
from attention_explorer.model.head_axis import apart, side_by_side
from attention_explorer.model.linear import flat_product
from attention_explorer.model.multi_head import MultiHeadAttention, MultiHeadTrace


class AttentionDerivative(NamedTuple):
    """A derivative by what multi-head attention was given.

    Attributes
    ----------
    x : ndarray, (..., n_q, d_model)
        By the sequence of the queries alone.
    context : ndarray, (..., n_k, d_context)
        By the sequence of keys and values; in self-attention the derivative by x is the sum of both.
    weights : ndarray, (..., heads, n_q, n_k)
        By the weights A, each taken for itself: through A V alone, and not as the others of its row change with it.
    """

    x: Floats
    context: Floats
    weights: Floats


def attention_reverse(attention: MultiHeadAttention, trace: MultiHeadTrace, d_output: Floats) -> AttentionDerivative:
    """Pull a derivative by the output of multi-head attention back to one by its input.

    Parameters
    ----------
    attention : MultiHeadAttention
        What made the trace.
    trace : MultiHeadTrace
        Every intermediate. Masks, biases, scale, temperature and positions need not be named again.
    d_output : ndarray, (..., n_q, d_out)
        ∂L/∂output of any number L.

    Returns
    -------
    AttentionDerivative

    Raises
    ------
    ArrayError
        If the derivative is not finite, is not of the shape of the output, or leads beyond the range, or the trace was
        made with dropout, or with a cache, which does not know the tokens before.

    Notes
    -----
    The chain rule through Vaswani et al. 2017, eq. 1: ∂L/∂V = Pᵀ ∂L/∂O, ∂L/∂P = ∂L/∂O Vᵀ, ∂L/∂S = P ⊙ (∂L/∂P −
    its mean under P), ∂L/∂Q = ∂L/∂S K/√d_k, ∂L/∂K = ∂L/∂Sᵀ Q/√d_k. The weights of a hard lookup do not answer to
    small moves: what goes through them is 0.
    """
    d_output = derivative_by_output(d_output, trace.output)
    if trace.call.drops:
        raise ArrayError("the trace was made with dropout: call the layer without it to pull a derivative back")
    if trace.k.shape[-2] != trace.context.shape[-2]:
        raise ArrayError(
            f"the trace has {trace.k.shape[-2]} keys and a context of {trace.context.shape[-2]} tokens, as it was made "
            "with a cache: call the layer for all tokens at once to pull a derivative back"
        )
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        by_q, by_k, by_v, by_weights = _pulled_back(attention, trace, d_output)
        by_x = _summed_to(flat_product(by_q, attention.w_q.T), trace.x.shape)
        both = flat_product(by_k, attention.w_k.T) + flat_product(by_v, attention.w_v.T)
        by_context = _summed_to(both, trace.context.shape)
    return AttentionDerivative(within_range(by_x), within_range(by_context), within_range(by_weights))


def _pulled_back(
    attention: MultiHeadAttention, trace: MultiHeadTrace, d_output: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the derivatives by queries, keys and values, the heads side by side, and by the weights."""
    by_found = apart(flat_product(d_output, attention.w_o.T), attention.heads)  # (..., heads, n_q, d_v)
    by_weights = by_found @ trace.v.swapaxes(-1, -2)  # (..., heads, n_q, n_k)
    call = trace.call
    scale = 1.0 / math.sqrt(attention.d_k) if call.scale is None else call.scale
    answer = 0.0 if call.hard else scale / call.temperature
    by_scores = _softmax_reverse(trace.weights, by_weights) * answer
    by_q: Floats = by_scores @ trace.k  # (..., heads, n_q, n_k) @ (..., heads, n_k, d_k)
    by_k: Floats = by_scores.swapaxes(-1, -2) @ trace.q
    if call.positions is not None:
        by_q, by_k = (call.positions.turned(each, back=True) for each in (by_q, by_k))
    by_v = trace.weights.swapaxes(-1, -2) @ by_found
    return side_by_side(by_q), side_by_side(by_k), side_by_side(by_v), by_weights


def softmax_reverse(weights: Floats, d_weights: Floats) -> Floats:
    """Pull a derivative by weights back to one by the scores they were made of.

    Parameters
    ----------
    weights : ndarray, (..., n_k)
        Rows of a softmax at temperature 1; a row of zeros had nothing to attend to.
    d_weights : ndarray, (..., n_k)
        ∂L/∂weights of any number L.

    Returns
    -------
    ndarray, (..., n_k)
        ∂L/∂scores, 0 where the weight is.

    Raises
    ------
    ArrayError
        If an entry is not finite, a weight is outside 0 to 1, the shapes differ, or the result is beyond the range.

    Notes
    -----
    The product with the matrix diag(p) − p pᵀ. The derivatives are first measured from that of the heaviest
    weight, which changes nothing as the weights sum to 1. In a saturated row what is left is then a plain sum of
    small terms, and not the rounding of a difference of large ones.
    """
    p = finite_array("weights", weights, "...", "n_k")
    if p.size and (p.min() < 0.0 or p.max() > 1.0):
        raise ArrayError(f"weights of shape {p.shape} must lie between 0 and 1: are weights and d_weights swapped?")
    slopes = derivative_by_output(d_weights, p, "d_weights", "weights")
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        found = _softmax_reverse(p, slopes)
    return within_range(found)


def _softmax_reverse(weights: Floats, d_weights: Floats) -> Floats:
    if weights.shape[-1] == 0:
        return np.zeros_like(weights)
    moved = d_weights - one_of_each_row(d_weights, weights.argmax(axis=-1))[..., None]
    return np.asarray(weights * (moved - (weights * moved).sum(axis=-1, keepdims=True)))


def _summed_to(derivative: Floats, shape: tuple[int, ...]) -> Floats:
    """Sum over the leading axes along which an argument was broadcast."""
    extra = derivative.ndim - len(shape)
    summed = derivative.sum(axis=tuple(range(extra)))
    stretched = tuple(i for i, length in enumerate(shape) if length == 1 and summed.shape[i] != 1)
    return np.asarray(summed.sum(axis=stretched, keepdims=True))
