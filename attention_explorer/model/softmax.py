"""From scores to weights: the softmax, its hard limit, and how spread out the weights are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, axis_index, finite_array, logit_array
from attention_explorer.model.scalars import finite_number, outside_range, positive_temperature

# Below this, a gap too wide for a float has weight 0 anyway, in float32 (gap/2**64 > 2**64) as in float64.
_HOT = 2.0**64
# Rounding may leave a weight a little above 1.
_ROUNDING = 1e-6
# NumPy takes the largest of each short row for itself; turned round, it takes whole columns at once.
_SHORT = 48


def softmax(scores: npt.ArrayLike, axis: int = -1, temperature: float = 1.0) -> Floats:
    """Turn scores into weights that sum to 1: exp(sᵢ/T) / Σⱼ exp(sⱼ/T).

    Parameters
    ----------
    scores : array_like, any shape (..., n, ...)
        Finite numbers; −inf stands for hidden and gets weight exactly 0.
    axis : int
        The axis that shall sum to 1.
    temperature : float
        T, finite and above 0. Small is sharp, large is even.

    Returns
    -------
    ndarray, the shape of `scores`
        float32 for float16 and float32, float64 for float64, integers and booleans. A slice that is −inf
        throughout has nothing to attend to and gives zeros.

    Raises
    ------
    ArrayError
        If the scores hold NaN, +inf or no real numbers, the axis is missing, or T is not above 0.

    Notes
    -----
    Vaswani et al. 2017, eq. 1; the temperature is that of Hinton, Vinyals & Dean 2015, eq. 1.
    """
    logits = logit_array("scores", scores)
    return exponential_weights(logits, axis_index("scores", logits, axis), positive_temperature(temperature))


def hard_weights(scores: npt.ArrayLike, axis: int = -1) -> Floats:
    """Give all the weight to the largest score: the limit of `softmax` for temperature 0.

    Parameters
    ----------
    scores : array_like, any shape (..., n, ...)
        Finite numbers or −inf.
    axis : int
        The axis in which one entry wins.

    Returns
    -------
    ndarray, the shape of `scores`
        1 at the largest score, at the lowest index among equals (`tied` shows them), 0 elsewhere. A slice
        that is −inf throughout gives zeros. The dtype is that of `softmax`.

    Raises
    ------
    ArrayError
        If the scores hold NaN, +inf or no real numbers, or the axis is missing.

    Notes
    -----
    The arg max in place of the softmax in Vaswani et al. 2017, eq. 1. The softmax tends to this where one
    score is the largest; among equals it tends to equal weights instead.
    """
    logits = logit_array("scores", scores)
    return one_hot(logits, axis_index("scores", logits, axis))


def tied(scores: npt.ArrayLike, axis: int = -1, *, tolerance: float = 0.0) -> Bools:
    """Mark the scores that are within a tolerance of the largest.

    Parameters
    ----------
    scores : array_like, any shape (..., n, ...)
        Finite numbers or −inf.
    axis : int
        The axis in which scores compete.
    tolerance : float
        How far below the largest still counts, in units of the scores; finite, at least 0.

    Returns
    -------
    ndarray of bool, the shape of `scores`
        More than one True in a slice is a tie. A slice that is −inf throughout has no True.

    Raises
    ------
    ArrayError
        If the scores hold NaN, +inf or no real numbers, the axis is missing, or the tolerance is negative.
    """
    logits = logit_array("scores", scores)
    along = axis_index("scores", logits, axis)
    allowed = finite_number("tolerance", tolerance)
    if allowed < 0.0:
        raise ArrayError(f"tolerance must be at least 0, not {tolerance!r}")
    with np.errstate(over="ignore"):  # a gap too wide for a float is no tie
        below: Floats = largest_of(logits, along) - logits
    return np.asarray(below.astype(np.float64, copy=False) <= allowed)


def entropy(weights: npt.ArrayLike, axis: int = -1) -> Floats:
    """Measure how spread out weights are: −Σ w ln w, in nats, with 0 · ln 0 = 0.

    Parameters
    ----------
    weights : array_like, any shape (..., n, ...)
        Numbers from 0 to 1, such as a row of `softmax`.
    axis : int
        The axis to sum over.

    Returns
    -------
    ndarray, the shape of `weights` without `axis`
        0 for one certain choice, ln n for n equal ones, 0 for a row of zeros. float32 for float16 and
        float32, otherwise float64.

    Raises
    ------
    ArrayError
        If a weight is not finite or outside 0 to 1, or the axis is missing.

    Notes
    -----
    Shannon 1948, section 6.
    """
    parts = finite_array("weights", weights, "...", "n")
    along = axis_index("weights", parts, axis)
    if parts.size and not (parts.min() >= 0.0 and parts.max() <= 1.0 + _ROUNDING):
        raise ArrayError(f"weights of shape {parts.shape} must lie between 0 and 1")
    return entropy_of(parts, along)


def entropy_of(weights: Floats, axis: int) -> Floats:
    """Compute `entropy` of checked arguments.

    Parameters
    ----------
    weights : ndarray, any shape (..., n, ...)
        float32 or float64, none below 0.
    axis : int
        Counted from the front.

    Returns
    -------
    ndarray
        The shape of `weights` without `axis`.
    """
    logs = np.log(np.where(weights > 0.0, weights, 1.0))
    with np.errstate(under="ignore"):
        return np.asarray(0.0 - (weights * logs).sum(axis=axis))


def exponential_weights(logits: Floats, axis: int, temperature: float) -> Floats:
    """Compute `softmax` of checked arguments.

    Parameters
    ----------
    logits : ndarray, any shape (..., n, ...)
        float32 or float64, finite or −inf.
    axis : int
        Counted from the front.
    temperature : float
        Finite and above 0.

    Returns
    -------
    ndarray
        The shape and dtype of `logits`.
    """
    with np.errstate(over="ignore", under="ignore"):
        gaps = _gaps(logits, axis, temperature)
        weights: Floats = np.exp(gaps, out=gaps)
        # The largest gap is 0 and its exponential 1: a sum below 1 means that nothing was visible.
        weights /= np.maximum(weights.sum(axis=axis, keepdims=True), 1.0)
        return weights.astype(logits.dtype, copy=False)


def largest_of(logits: Floats, axis: int) -> Floats:
    """Find the largest entry of each row, or the lowest float if all are −inf.

    Taken away from −inf, the lowest float leaves −inf; taking −inf away would leave NaN.

    Parameters
    ----------
    logits : ndarray, any shape (..., n, ...)
        float32 or float64, finite or −inf.
    axis : int
        Along the rows, counted from the front.

    Returns
    -------
    ndarray, (..., 1, ...)
    """
    lowest, n = np.finfo(logits.dtype).min, logits.shape[axis]
    if 0 < n <= _SHORT and axis == logits.ndim - 1:
        columns = np.ascontiguousarray(logits.reshape(-1, n).T)
        return np.asarray(columns.max(axis=0, initial=lowest)).reshape(*logits.shape[:-1], 1)
    return np.asarray(logits.max(axis=axis, keepdims=True, initial=lowest))


def one_hot(logits: Floats, axis: int) -> Floats:
    """Compute `hard_weights` of checked arguments.

    Parameters
    ----------
    logits : ndarray, any shape (..., n, ...)
        float32 or float64, finite or −inf.
    axis : int
        Counted from the front.

    Returns
    -------
    ndarray
        The shape and dtype of `logits`.
    """
    if logits.size == 0:
        return np.zeros_like(logits)
    winner = logits.argmax(axis=axis, keepdims=True)  # (..., 1, ...), the first of equals
    places = np.arange(logits.shape[axis]).reshape((-1,) + (1,) * (logits.ndim - axis - 1))  # (n, 1, ...)
    wins: Bools = (places == winner) & (logits > -np.inf)
    return wins.astype(logits.dtype)


def _gaps(logits: Floats, axis: int, temperature: float) -> Floats:
    """Measure how far each logit is below the largest, in units of the temperature.

    The largest is taken away before the division: 1e308 / 0.1 would be infinite, and inf − inf NaN.
    """
    if outside_range(temperature, logits.dtype):
        logits = logits.astype(np.float64, copy=False)
    if temperature > _HOT:  # hot enough for the gap between −1e308 and 1e308 to count; halved, it is a float
        logits, temperature = logits * 0.5, temperature * 0.5
    gaps: Floats = logits - largest_of(logits, axis)
    if temperature != 1.0:
        gaps /= temperature
    return gaps
