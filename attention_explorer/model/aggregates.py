"""Several maps in one: over the heads of a layer, over layers, and over the keys that are shown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, all_finite, boolean_array, finite_array
from attention_explorer.model.map_selection import row_blocks
from attention_explorer.model.scalars import flag


def mean_of_heads(weights: npt.ArrayLike) -> Floats:
    """Average over the heads.

    Parameters
    ----------
    weights : array_like, (..., heads, n_q, n_k)
        At least one head.

    Returns
    -------
    ndarray, (..., n_q, n_k)
        Rows sum to 1 if those of all heads do.

    Raises
    ------
    ArrayError
        If there is no head, too few axes, or an entry is not finite.
    """
    heads = _heads(weights)
    with np.errstate(over="ignore"):
        mean = np.asarray(heads.mean(axis=-3))
        if not all_finite(mean):  # of numbers near the end of the range the sum is beyond it, though the mean is not
            largest = np.finfo(heads.dtype).max
            mean = np.clip((heads / heads.shape[-3]).sum(axis=-3), -largest, largest)
    return mean


def max_of_heads(weights: npt.ArrayLike) -> Floats:
    """Take the largest weight that any head gives.

    Parameters
    ----------
    weights : array_like, (..., heads, n_q, n_k)
        At least one head.

    Returns
    -------
    ndarray, (..., n_q, n_k)
        Rows sum to 1 or more: these are no weights to average values with.

    Raises
    ------
    ArrayError
        If there is no head, too few axes, or an entry is not finite.
    """
    return np.asarray(_heads(weights).max(axis=-3))


def rollout(weights: Sequence[npt.ArrayLike], *, identity: bool = True) -> Floats:
    """Follow attention through the layers, down to the input: W_L ⋯ W_2 W_1.

    Parameters
    ----------
    weights : sequence of array_like, (n, n)
        One matrix a layer, averaged over its heads, the first layer first.
    identity : bool
        Whether to mix every matrix half and half with the identity first, for the residual connection.

    Returns
    -------
    ndarray, (n, n)
        Row i says how much of each input token position i of the last layer takes up, as far as attention
        alone decides it. Rows sum to 1 if those of all layers do. A row of zeros stays one without the
        identity; with it half of the token passes by.

    Raises
    ------
    ArrayError
        If there is no layer, a matrix is not (n, n) like the first, or an entry is not finite, or the product is not.

    Notes
    -----
    Abnar & Zuidema 2020, section 3, attention rollout.
    """
    try:
        given = list(weights)
    except TypeError:
        raise ArrayError("weights must be a sequence of matrices, one a layer") from None
    with_identity = flag("identity", identity)
    layers = [finite_array(f"weights[{number}]", layer, "n", "n") for number, layer in enumerate(given)]
    if not layers:
        raise ArrayError("weights is empty: a rollout needs the matrix of one layer at least")
    n = len(layers[0])
    rolled: Floats = np.eye(n, dtype=np.result_type(*layers))
    half = rolled * 0.5
    for number, layer in enumerate(layers):
        if layer.shape != (n, n):
            raise ArrayError(f"weights[{number}] has shape {layer.shape}, but must be ({n}, {n}): one n for all layers")
        with np.errstate(over="ignore", invalid="ignore"):  # looked for below
            rolled = _product(layer * 0.5 + half if with_identity else layer, rolled)
    if not all_finite(rolled):
        raise ArrayError(f"the rollout leaves the range of {rolled.dtype}: give weights, whose rows sum to 1")
    return rolled


def _product(left: Floats, right: Floats) -> Floats:
    """Multiply matrices, (m, n) @ (n, n), some rows at a time: with many tokens somebody may want to stop it."""
    product = np.empty((len(left), right.shape[1]), np.result_type(left, right))
    for _, rows in row_blocks(slice(0, len(left)), right.shape[1]):
        product[rows] = left[rows] @ right
    return product


def renormalised(weights: npt.ArrayLike, shown: npt.ArrayLike) -> Floats:
    """Leave out some keys and let the others share each row.

    Parameters
    ----------
    weights : array_like, (..., n_k)
        Numbers of at least 0, rows in the last axis.
    shown : array_like of bool, (n_k,)
        False for the keys to leave out.

    Returns
    -------
    ndarray, (..., n_k)
        0 where not shown; rows sum to 1, or are zero throughout if nothing is left.

    Raises
    ------
    ArrayError
        If `shown` is not boolean or not as long as a row, or a weight is not finite or below 0.
    """
    parts = finite_array("weights", weights, "...", "n_k")
    kept = boolean_array("shown", shown)
    if kept.shape != parts.shape[-1:]:
        raise ArrayError(f"shown has shape {kept.shape}, but weights {parts.shape}: it must be (n_k,)")
    if parts.size and parts.min() < 0.0:
        raise ArrayError(f"weights of shape {parts.shape} must be at least 0, not {parts.min()}")
    rest = np.where(kept, parts, parts.dtype.type(0.0))
    with np.errstate(over="ignore", under="ignore"):
        largest = rest.max(axis=-1, keepdims=True, initial=0.0)
        rest /= np.where(largest > 0.0, largest, 1.0)  # a sum of numbers below 1e-308 has lost its digits
        total = rest.sum(axis=-1, keepdims=True)  # (..., 1)
        return np.asarray(rest / np.where(total > 0.0, total, 1.0))


def _heads(weights: npt.ArrayLike) -> Floats:
    heads = finite_array("weights", weights, "...", "heads", "n_q", "n_k")
    if heads.shape[-3] == 0:
        raise ArrayError(f"weights has shape {heads.shape}: there must be at least one head")
    return heads
