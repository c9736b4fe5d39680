"""Scaled dot-product attention and every intermediate: softmax(Q Kᵀ / √d_k) V, Vaswani et al. 2017, eq. 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import partial
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import (
    Bools,
    Floats,
    all_finite,
    boolean_mask,
    finite_array,
    logit_array,
    match_scores,
    not_a_mask,
)
from attention_explorer.model.beyond_range import stages_beyond_range
from attention_explorer.model.map_selection import row_blocks
from attention_explorer.model.scalars import finite_number, flag, outside_range, positive_temperature
from attention_explorer.model.softmax import exponential_weights, one_hot

# Where a product runs on several threads, each waits for the others at its end, on a busy machine for long: a few
# large products are faster there than many that fit into a processor's cache, and with one thread no slower.
_ENTRIES_OF_A_BLOCK = 2**21


class Attention(NamedTuple):
    """Attention with every intermediate, in the order of computation.

    Stages that do not differ may be the same array (`masked` is `scaled` without mask and bias): copy before
    writing into one.

    Attributes
    ----------
    scores : ndarray, (..., n_q, n_k)
        The raw products q·k, ±inf where one is beyond the float range.
    scaled : ndarray, (..., n_q, n_k)
        scores · scale.
    masked : ndarray, (..., n_q, n_k)
        scaled + bias, and −inf where the mask forbids.
    weights : ndarray, (..., n_q, n_k)
        Each row sums to 1, or is zero throughout if all its keys are hidden.
    output : ndarray, (..., n_q, d_v)
        weights @ v.
    """

    scores: Floats
    scaled: Floats
    masked: Floats
    weights: Floats
    output: Floats


class KeptAttention(NamedTuple):
    """Those stages of `Attention` that were to be kept, the others None."""

    scores: Floats | None = None
    scaled: Floats | None = None
    masked: Floats | None = None
    weights: Floats | None = None
    output: Floats | None = None


@overload
def scaled_dot_product_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = ...,
    bias: npt.ArrayLike | None = ...,
    scale: float | None = ...,
    temperature: float = ...,
    hard: bool = ...,
    keep: None = ...,
) -> Attention: ...


@overload
def scaled_dot_product_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = ...,
    bias: npt.ArrayLike | None = ...,
    scale: float | None = ...,
    temperature: float = ...,
    hard: bool = ...,
    keep: Collection[str],
) -> KeptAttention: ...


def scaled_dot_product_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    hard: bool = False,
    keep: Collection[str] | None = None,
) -> Attention | KeptAttention:
    """Let every query look up a mean of the values, weighted by how well their keys match.

    Parameters
    ----------
    q : array_like, (..., n_q, d_k)
        Queries. The leading axes of q, k and v broadcast.
    k : array_like, (..., n_k, d_k)
        Keys.
    v : array_like, (..., n_k, d_v)
        Values.
    mask : array_like of bool, optional
        True where a query may attend; (n_q, n_k), or as many axes as the scores, each as long as theirs or 1. A
        `padding_mask` is (batch, 1, n_k): with an axis of heads write ``padding_mask(lengths, n_k)[:, None]``.
    bias : array_like, optional
        Numbers added to the scaled scores; −inf hides. The same shapes as `mask`.
    scale : float, optional
        Factor of the scores, 1/√d_k if not given.
    temperature : float
        Divides the masked scores in the softmax; ignored if `hard`.
    hard : bool
        Whether the best key takes all, the first among equals (the limit of temperature 0).
    keep : collection of str, optional
        The stages that are wanted, such as ("output",) or ("weights", "output"); all if not given. The others are
        computed a block of rows at a time and not held: for long inputs that saves most of memory and time.

    Returns
    -------
    Attention, or KeptAttention if stages are chosen
        Of dtype ``np.result_type`` of q, k, v and bias, where integers count as float64 and
        float16 as float32. For any finite input weights and output are free of NaN. A row whose keys are all
        hidden has zero weights and a zero output.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, the mask is not boolean, the scale or temperature is not
        finite (the temperature above 0), a stage to keep is unknown, or q, k or bias is boolean, as a mask is.

    Notes
    -----
    Vaswani et al. 2017, eq. 1; the mask is that of section 3.2.3.
    """
    q, k, v = _checked(q, k, v)
    shape = (*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])
    allowed = None if mask is None else boolean_mask("mask", mask, shape)
    added = None if bias is None else _checked_bias(bias, shape)
    q, k, v, added = _one_dtype(q, k, v, added)
    factor = 1.0 / math.sqrt(q.shape[-1]) if scale is None else finite_number("scale", scale)
    hard = flag("hard", hard)
    compute = partial(_stages, factor=factor, warmth=1.0 if hard else positive_temperature(temperature), hard=hard)
    return compute(q, k, v, allowed, added) if keep is None else _kept(compute, _known(keep), q, k, v, allowed, added)


def _stages(
    q: Floats,
    k: Floats,
    v: Floats,
    allowed: Bools | None,
    added: Floats | None,
    *,
    factor: float,
    warmth: float,
    hard: bool,
) -> Attention:
    """Compute every stage of checked arguments."""
    with np.errstate(all="ignore"):  # overflow is looked for below
        scores: Floats = q @ k.swapaxes(-1, -2)  # (..., n_q, d_k) @ (..., d_k, n_k): (..., n_q, n_k)
        scaled = times(scores, factor)
        logits = scaled if added is None else scaled + added
    if _in_range(scaled, logits, added):
        masked = logits if allowed is None else np.where(allowed, logits, -np.inf)
        weights = weights_of(masked, warmth, hard)
    else:
        scores, scaled, masked, weights = stages_beyond_range(
            q, k, scores, scale=factor, bias=added, mask=allowed, temperature=warmth, hard=hard
        )
    return Attention(scores, scaled, masked, weights, weighted_mean(weights, v))


def _kept(
    compute: Callable[..., Attention],
    names: set[str],
    q: Floats,
    k: Floats,
    v: Floats,
    allowed: Bools | None,
    added: Floats | None,
) -> KeptAttention:
    """Compute stages a block of rows at a time, and hold those that are named."""
    n_q, n_k, d_v = q.shape[-2], k.shape[-2], v.shape[-1]
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    if np.broadcast_shapes(batch, v.shape[:-2]) != batch:  # values of more sequences than there are weights
        found = compute(q, k, v, allowed, added)
        return KeptAttention(**{name: getattr(found, name) for name in names})
    q, k, v = (np.broadcast_to(array, (*batch, *array.shape[-2:])) for array in (q, k, v))
    mask, bias = (None if each is None else np.broadcast_to(each, (*batch, n_q, n_k)) for each in (allowed, added))
    held = {name: np.empty((*batch, n_q, d_v if name == "output" else n_k), q.dtype) for name in names}
    for at in np.ndindex(*batch):
        for _, rows in row_blocks(slice(0, n_q), n_k, _ENTRIES_OF_A_BLOCK):
            part = (*at, rows)
            found = compute(q[part], k[at], v[at], *(None if each is None else each[part] for each in (mask, bias)))
            for name, array in held.items():
                array[part] = getattr(found, name)
            del found  # before the next block is made
    return KeptAttention(**held)


def _known(keep: Collection[str]) -> set[str]:
    """Take the names of stages."""
    named = {keep} if isinstance(keep, str) else set(keep)
    if not named <= set(Attention._fields):
        wrong = sorted(map(repr, named - set(Attention._fields)))
        raise ArrayError(f"keep names {', '.join(wrong)}, but the stages are {', '.join(Attention._fields)}")
    return named


def times(scores: Floats, scale: float) -> Floats:
    """Scale scores.

    Parameters
    ----------
    scores : ndarray, any shape
        float32 or float64.
    scale : float
        Any finite number, also one that float32 cannot hold.

    Returns
    -------
    ndarray
        The shape and dtype of `scores`; `scores` itself for a scale of 1.
    """
    if scale == 1.0:
        return scores
    if outside_range(scale, scores.dtype):
        return (scores.astype(np.float64) * scale).astype(scores.dtype)
    return scores * scale


def weights_of(masked: Floats, temperature: float, hard: bool) -> Floats:
    """Turn checked scores into soft or hard weights over the last axis.

    Parameters
    ----------
    masked : ndarray, (..., n_k)
        float32 or float64, finite or −inf.
    temperature : float
        Finite and above 0; ignored if `hard`.
    hard : bool
        Whether the largest takes all.

    Returns
    -------
    ndarray, (..., n_k)
        The dtype of `masked`.
    """
    last = masked.ndim - 1
    return one_hot(masked, last) if hard else exponential_weights(masked, last, temperature)


def weighted_mean(weights: Floats, values: Floats) -> Floats:
    """Mix values by weights.

    Parameters
    ----------
    weights : ndarray, (..., n_k) or (..., n_q, n_k)
        Rows that sum to 1 or are zero.
    values : ndarray, (n_k, d_v) or (..., n_k, d_v)
        Any finite numbers.

    Returns
    -------
    ndarray, (..., d_v) or (..., n_q, d_v)
        weights @ values, finite even if the values are the largest floats.

    Notes
    -----
    The product with V in Vaswani et al. 2017, eq. 1.
    """
    with np.errstate(all="ignore"):
        output: Floats = weights @ values  # (..., n_q, n_k) @ (..., n_k, d_v): (..., n_q, d_v)
    if all_finite(output):
        return output
    # Weights that sum to 1 + 2e-16 push a mean of the largest floats over the edge: half of it is in range,
    # and clipped to the values it is still so when doubled.
    half = values * 0.5
    low, high = half.min(axis=-2, keepdims=True), half.max(axis=-2, keepdims=True)  # (..., 1, d_v)
    if weights.ndim == 1:
        low, high = low[0], high[0]  # (d_v,)
    return np.where(np.isfinite(output), output, 2.0 * np.clip(weights @ half, low, high))


def _checked(q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Check that queries, keys and values fit together."""
    q = finite_array("q", not_a_mask("q", q), "...", "n_q", "d_k")
    k = finite_array("k", not_a_mask("k", k), "...", "n_k", "d_k")
    v = finite_array("v", v, "...", "n_k", "d_v")
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ArrayError(f"q has shape {q.shape} and k {k.shape}: the last axis d_k must be the same, at least 1")
    if k.shape[-2] != v.shape[-2]:
        raise ArrayError(f"k has shape {k.shape} and v {v.shape}: they must have as many rows n_k")
    try:
        np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ArrayError(
            f"q has shape {q.shape}, k {k.shape} and v {v.shape}: the leading axes do not broadcast"
        ) from None
    return q, k, v


def _checked_bias(bias: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    added = logit_array("bias", not_a_mask("bias", bias))
    match_scores("bias", added, shape)
    return added


def _one_dtype(q: Floats, k: Floats, v: Floats, bias: Floats | None) -> tuple[Floats, Floats, Floats, Floats | None]:
    """Promote to one dtype at the start, so that no stage is less precise than the next."""
    dtype = np.result_type(q, k, v) if bias is None else np.result_type(q, k, v, bias)
    q, k, v = (array.astype(dtype, copy=False) for array in (q, k, v))
    return q, k, v, None if bias is None else bias.astype(dtype, copy=False)


def _in_range(scaled: Floats, logits: Floats, bias: Floats | None) -> bool:
    """Tell whether no score and no sum left the float range; −inf in the bias is meant."""
    if not all_finite(scaled):
        return False
    return bias is None or bool((np.isfinite(logits) | np.isneginf(bias)).all())
