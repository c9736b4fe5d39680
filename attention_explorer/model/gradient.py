"""How a lookup answers to a small move of its query."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.lookup import attend, checked_lookup, lookup_scale
from attention_explorer.model.scalars import flag, positive_temperature

# Columns are moved below 2**500, so that a product of two and a sum of such products are floats.
_ROOM = 500


class LookupGradient(NamedTuple):
    """The derivatives of one lookup by its query.

    Attributes
    ----------
    output : ndarray, (d_v, d)
        ∂oᵢ/∂qⱼ.
    weights : ndarray, (n, d)
        ∂αᵢ/∂qⱼ.
    """

    output: Floats
    weights: Floats


def lookup_gradient(
    query: npt.ArrayLike,
    keys: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    hard: bool = False,
    temperature: float = 1.0,
    scaled: bool = False,
) -> LookupGradient:
    """Differentiate `lookup` by its query.

    Parameters
    ----------
    query : array_like, (d,)
        One query.
    keys : array_like, (n, d)
        At least one key.
    values : array_like, (n, d_v)
        One row per key.
    hard, temperature, scaled
        As in `lookup`.

    Returns
    -------
    LookupGradient
        Of dtype ``np.result_type`` of the three, where integers and booleans count as float64 and float16 as
        float32. A hard lookup does not answer to small moves: zeros. Where keys tie for the highest score there is no
        gradient, as the output jumps from one value to the other; the zeros are then those of the side of the first
        key, and `tied` tells whether it is so. For any finite input free of NaN; ±inf
        where a derivative is beyond the float range.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, there is no key, or the temperature is not above 0.

    Notes
    -----
    With α = softmax(scale · K q / T) (Vaswani et al. 2017, eq. 1) the chain rule gives
    ∂αⱼ/∂q = αⱼ (kⱼ − Σₘ αₘ kₘ) · scale / T, and ∂o/∂q is the covariance of values and keys under α, times the
    same factor.
    """
    point = finite_array("query", query, "d", hint="; the gradient is taken at one query")
    point, rows, contents = checked_lookup("query", point, keys, values)
    if flag("hard", hard):
        zeros = np.zeros((contents.shape[1] + rows.shape[0], rows.shape[1]), dtype=point.dtype)
        return LookupGradient(*np.split(zeros, [contents.shape[1]]))
    warmth, scale = positive_temperature(temperature), lookup_scale(rows.shape[1], scaled)
    alpha = attend(point, rows, contents, scale, warmth, hard=False).weights.astype(np.float64, copy=False)
    with np.errstate(all="ignore"):  # a derivative beyond the float range is ±inf
        return weighted_covariances(alpha, rows, contents, scale, warmth)


def weighted_covariances(
    alpha: Floats, keys: Floats, values: Floats, scale: float, temperature: float
) -> LookupGradient:
    """Differentiate output and weights by the query, given the weights.

    Parameters
    ----------
    alpha : ndarray, (n,)
        Weights; they sum to 1.
    keys, values : ndarray, (n, d) and (n, d_v)
        Of the same dtype.
    scale, temperature : float
        Factor of the scores, and what divides them.

    Returns
    -------
    LookupGradient
        As `lookup_gradient`; computed with fractions and exponents apart, so that no 0 · inf arises.
    """
    centred_keys, key_exponent = _centred(keys, alpha)  # (n, d), (d,)
    centred_values, value_exponent = _centred(values, alpha)  # (n, d_v), (d_v,)
    (scale_part, scale_exponent), (t_part, t_exponent) = math.frexp(scale), math.frexp(temperature)
    key_exponent = key_exponent + scale_exponent - t_exponent
    d_weights = alpha[:, None] * centred_keys * (scale_part / t_part)  # (n, 1) · (n, d)
    d_output = centred_values.T @ d_weights  # (d_v, n) @ (n, d): (d_v, d)
    return LookupGradient(
        np.ldexp(d_output, value_exponent[:, None] + key_exponent).astype(keys.dtype, copy=False),
        np.ldexp(d_weights, key_exponent).astype(keys.dtype, copy=False),
    )


def _centred(rows: Floats, alpha: Floats) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Take the mean under α away; the result is times 2**exponent, an exponent for each column.

    Rows are first measured from the heaviest. Its own distance from the mean, all but lost in αₘ ≈ 1, is then
    a plain sum of the small weights.
    """
    exponent = np.maximum(np.frexp(np.abs(rows).max(axis=0))[1] - _ROOM, 0).astype(np.int32)  # (columns,)
    moved = np.ldexp(rows.astype(np.float64, copy=False), -exponent)
    moved = moved - moved[alpha.argmax()]
    return moved - alpha @ moved, exponent
