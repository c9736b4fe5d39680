"""A soft dictionary: one query, a few keys, and the mean of their values."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.attention import Attention, times, weighted_mean, weights_of
from attention_explorer.model.beyond_range import stages_beyond_range
from attention_explorer.model.products import products_in_order
from attention_explorer.model.scalars import flag, positive_temperature


def lookup(
    query: npt.ArrayLike,
    keys: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    hard: bool = False,
    temperature: float = 1.0,
    scaled: bool = False,
) -> Attention:
    """Look a query up among keys: attention of single queries, without mask.

    Parameters
    ----------
    query : array_like, (..., d)
        One query, or any array of them.
    keys : array_like, (n, d)
        At least one key.
    values : array_like, (n, d_v)
        One row per key.
    hard : bool
        Whether the best key takes all, the first among equals.
    temperature : float
        Divides the scores in the softmax; ignored if `hard`.
    scaled : bool
        Whether to multiply the scores by 1/√d; otherwise the scale is 1.

    Returns
    -------
    Attention
        scores, scaled, masked and weights (..., n), output (..., d_v), of dtype ``np.result_type`` of the
        three, where integers and booleans count as float64 and float16 as float32.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, there is no key, or the temperature is not above 0.

    Notes
    -----
    Vaswani et al. 2017, eq. 1, a query at a time. The scores are summed in the order of the features, so that
    mirrored keys tie exactly; for many features use `scaled_dot_product_attention`.
    """
    points = finite_array("query", query, "...", "d")
    points, rows, contents = checked_lookup("query", points, keys, values)
    warmth = 1.0 if flag("hard", hard) else positive_temperature(temperature)
    return attend(points, rows, contents, lookup_scale(points.shape[-1], scaled), warmth, hard)


def checked_lookup(
    name: str, query: Floats, keys: npt.ArrayLike, values: npt.ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """Check that keys and values fit each other and a query, and bring all three to one dtype.

    Parameters
    ----------
    name : str
        What the query is called in messages.
    query : ndarray, (..., d)
        Checked already.
    keys : array_like, (n, d)
        At least one key of at least one feature.
    values : array_like, (n, d_v)
        One row per key.

    Returns
    -------
    tuple of ndarray
        The query, the keys and the values, of dtype ``np.result_type`` of the three.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, or there is no key.
    """
    rows = finite_array("keys", keys, "n", "d")
    contents = finite_array("values", values, "n", "d_v", hint="; for one number per key write values[:, None]")
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        raise ArrayError(f"keys has shape {rows.shape}: a lookup needs at least one key of at least one feature")
    if query.shape[-1] != rows.shape[1]:
        raise ArrayError(f"{name} has shape {query.shape} and keys {rows.shape}: the last axis d must be the same")
    if contents.shape[0] != rows.shape[0]:
        raise ArrayError(f"keys has shape {rows.shape} and values {contents.shape}: they must have as many rows n")
    if query.dtype == rows.dtype == contents.dtype:
        return query, rows, contents
    dtype = np.result_type(query, rows, contents)
    return query.astype(dtype, copy=False), rows.astype(dtype, copy=False), contents.astype(dtype, copy=False)


def lookup_scale(d: int, scaled: bool) -> float:
    """Choose the factor of the scores.

    Parameters
    ----------
    d : int
        The number of features.
    scaled : bool
        Whether to scale.

    Returns
    -------
    float
        1/√d (Vaswani et al. 2017, eq. 1), or 1.
    """
    return 1.0 / math.sqrt(d) if flag("scaled", scaled) else 1.0


def attend(query: Floats, keys: Floats, values: Floats, scale: float, temperature: float, hard: bool) -> Attention:
    """Compute `lookup` of checked arguments.

    Parameters
    ----------
    query : ndarray, (..., d)
        Queries.
    keys : ndarray, (n, d)
        Keys of the same dtype.
    values : ndarray, (n, d_v)
        Values of the same dtype.
    scale : float
        Factor of the scores.
    temperature : float
        Finite and above 0; ignored if `hard`.
    hard : bool
        Whether the best key takes all.

    Returns
    -------
    Attention
        As `lookup`.
    """
    q = query[..., None, :]  # (..., d): (..., 1, d), as products are taken of rows
    with np.errstate(all="ignore"):  # overflow is looked for below
        scores = products_in_order(q, keys)  # (..., 1, n)
        logits = times(scores, scale)
    if np.isfinite(logits).all():
        scores, logits = scores[..., 0, :], logits[..., 0, :]  # (..., n)
        weights = weights_of(logits, temperature, hard)
        return Attention(scores, logits, logits, weights, weighted_mean(weights, values))
    stages = stages_beyond_range(q, keys, scores, scale=scale, temperature=temperature, hard=hard)
    scores, logits, masked, weights = (stage[..., 0, :] for stage in stages)  # (..., n)
    return Attention(scores, logits, masked, weights, weighted_mean(weights, values))
