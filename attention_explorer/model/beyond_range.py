"""Attention weights when a score is beyond the float range.

Two vectors of ordinary floats can have a product that is no float: 1e200 · 1e200. As ±inf such scores cannot
be compared, and inf − inf is NaN; yet their weights are well defined. So this rare case carries the exponent
of every score apart from its fraction, as an integer, and compares within a row after moving the row into
range. Powers of two move without rounding: rows that were in range get the weights that they would have got.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.model.products import products_in_order
from attention_explorer.model.softmax import exponential_weights, one_hot

if TYPE_CHECKING:
    from attention_explorer.model.arrays import Bools, Floats

# Vectors are moved to just below 2**500: their products then stay below 2**1000 with 2**23 features to add,
# while what is small beside the largest keeps 1500 powers of two before it vanishes.
_ROOM = 500
# Larger than any exponent that can occur (3 · 1074, from query, key and scale).
_BEYOND = 10_000


class Stages(NamedTuple):
    """The stages of attention before the values; all (..., n_q, n_k), in the dtype of the raw scores."""

    scores: Floats
    scaled: Floats
    masked: Floats
    weights: Floats


class _Wide(NamedTuple):
    """Numbers fraction · 2**exponent, entry by entry; a fraction is 0, within ±[½, 1), or −inf for hidden."""

    fraction: npt.NDArray[np.float64]
    exponent: npt.NDArray[np.int32]


def stages_beyond_range(
    q: Floats,
    k: Floats,
    scores: Floats,
    *,
    scale: float,
    bias: Floats | None = None,
    mask: Bools | None = None,
    temperature: float,
    hard: bool,
) -> Stages:
    """Repeat the stages of attention with exponents of unlimited size.

    Parameters
    ----------
    q : ndarray, (..., n_q, d_k)
        Finite queries.
    k : ndarray, (..., n_k, d_k)
        Finite keys.
    scores : ndarray, (..., n_q, n_k)
        The plain products, ±inf or NaN where they left the range; the others are kept.
    scale, temperature : float
        Finite; the temperature above 0 unless `hard`.
    bias : ndarray, optional
        Broadcasts to the scores; finite or −inf.
    mask : ndarray of bool, optional
        Broadcasts to the scores; True where a query may attend.
    hard : bool
        Whether the largest score takes all.

    Returns
    -------
    Stages
        Scores, scaled and masked are rounded to the dtype of `scores`, ±inf where IEEE 754 says so, never
        NaN; the weights are those of floats whose exponents have no limit.

    Notes
    -----
    Vaswani et al. 2017, eq. 1.
    """
    hidden = np.zeros((1, 1), dtype=np.bool_) if mask is None else ~mask
    with np.errstate(all="ignore"):  # out of range is the subject here
        products = _products(q.astype(np.float64), k.astype(np.float64), scores)
        scaled = logits = _times(products, scale)
        if bias is not None:
            hidden = hidden | np.isneginf(bias)
            logits = _plus(scaled, np.where(np.isneginf(bias), 0.0, bias))
        masked = _hide(logits, hidden)
        weights = _largest_takes_all(masked) if hard else _softmax(masked, temperature)
        dtype = scores.dtype
        return Stages(
            _rounded(products, dtype), _rounded(scaled, dtype), _rounded(masked, dtype), weights.astype(dtype)
        )


def _products(q: Floats, k: Floats, scores: Floats) -> _Wide:
    """Multiply queries and keys, each moved into range by the exponent of its largest entry."""
    q_exponent = np.frexp(np.abs(q).max(axis=-1))[1] - _ROOM  # (..., n_q)
    k_exponent = np.frexp(np.abs(k).max(axis=-1))[1] - _ROOM  # (..., n_k)
    moved = products_in_order(np.ldexp(q, -q_exponent[..., None]), np.ldexp(k, -k_exponent[..., None]))
    wide = _wide(moved, q_exponent[..., :, None] + k_exponent[..., None, :])  # (..., n_q, n_k)
    plain = _wide(scores.astype(np.float64), 0)
    fine = np.isfinite(scores)
    return _Wide(np.where(fine, plain.fraction, wide.fraction), np.where(fine, plain.exponent, wide.exponent))


def _wide(number: Floats, exponent: npt.NDArray[np.int32] | int) -> _Wide:
    """Split number · 2**exponent; the int32 is what ldexp takes on every platform."""
    fraction, own = np.frexp(number)
    return _Wide(fraction, np.where(fraction == 0.0, 0, own + exponent).astype(np.int32))


def _rounded(wide: _Wide, dtype: np.dtype[np.floating[Any]]) -> Floats:
    return np.ldexp(wide.fraction, wide.exponent).astype(dtype)


def _times(wide: _Wide, factor: float) -> _Wide:
    fraction, exponent = math.frexp(factor)
    return _wide(wide.fraction * fraction, wide.exponent + np.int32(exponent))


def _plus(wide: _Wide, bias: npt.NDArray[Any]) -> _Wide:
    """Add finite numbers after moving both to the larger exponent."""
    other = _wide(bias.astype(np.float64), 0)
    unit = np.maximum(wide.exponent, other.exponent)
    total = np.ldexp(wide.fraction, wide.exponent - unit) + np.ldexp(other.fraction, other.exponent - unit)
    return _wide(total, unit)


def _hide(wide: _Wide, hidden: Bools) -> _Wide:
    """Hide entries, with an exponent that ranks them below every number."""
    exponent = np.where(hidden, np.int32(_BEYOND), wide.exponent)
    return _Wide(np.where(hidden, -np.inf, wide.fraction), exponent)


def _exponent_of_largest(wide: _Wide) -> npt.NDArray[np.int32]:
    """Find the exponent of the largest number of each row, (..., n_q, 1).

    Among positive numbers the largest has the largest exponent, among negative ones the smallest: raised
    above 0 and signed, exponents sort like the numbers.
    """
    order = np.sign(wide.fraction).astype(np.int32) * (wide.exponent + np.int32(_BEYOND))
    first = order.max(axis=-1, keepdims=True, initial=-2 * _BEYOND)  # (..., n_q, 1)
    return np.where(first == 0, 0, np.abs(first) - _BEYOND).astype(np.int32)


def _softmax(wide: _Wide, temperature: float) -> Floats:
    """Move each row into the range of its largest number or the temperature, then proceed as usual."""
    t_fraction, t_exponent = math.frexp(temperature)
    # Whatever vanishes in this unit is nothing beside the largest number, or beside the temperature.
    unit = np.maximum(_exponent_of_largest(wide), np.int32(t_exponent))  # (..., n_q, 1)
    level = np.ldexp(wide.fraction, wide.exponent - unit)
    gaps = level - level.max(axis=-1, keepdims=True, initial=np.finfo(np.float64).min)
    return exponential_weights(np.ldexp(gaps / t_fraction, unit - np.int32(t_exponent)), gaps.ndim - 1, 1.0)


def _largest_takes_all(wide: _Wide) -> Floats:
    level = np.ldexp(wide.fraction, wide.exponent - _exponent_of_largest(wide))
    return one_hot(level, level.ndim - 1)
