"""How weights answer to small changes of their scores: the Jacobian of the softmax, its size, and why it vanishes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Floats, finite_array, logit_array
from attention_explorer.model.scalars import positive_temperature
from attention_explorer.model.softmax import exponential_weights


def softmax_jacobian(scores: npt.ArrayLike, temperature: float = 1.0) -> Floats:
    """Differentiate every weight by every score.

    Parameters
    ----------
    scores : array_like, (..., n)
        Finite numbers; −inf stands for hidden.
    temperature : float
        T, finite and above 0.

    Returns
    -------
    ndarray, (..., n, n)
        ∂pᵢ/∂sⱼ = pᵢ (δᵢⱼ − pⱼ) / T: symmetric, rows and columns sum to 0; ±inf beyond the range. float32 for
        float16 and float32, otherwise float64.

    Raises
    ------
    ArrayError
        If the scores hold NaN, +inf or no real numbers, or T is not above 0.

    Notes
    -----
    The derivative of `softmax`. The diagonal is p · (sum of all others), which keeps its digits where p rounds
    to 1.
    """
    logits, warmth = logit_array("scores", scores), positive_temperature(temperature)
    p = exponential_weights(logits, logits.ndim - 1, warmth)
    with np.errstate(over="ignore", under="ignore"):
        jacobian: Floats = -p[..., :, None] * p[..., None, :]  # (..., n, 1) · (..., 1, n)
        places = np.arange(p.shape[-1])
        jacobian[..., places, places] = p * _all_others(p)
        return _per_unit(jacobian, warmth)


def softmax_gradient_norm(scores: npt.ArrayLike, temperature: float = 1.0) -> Floats:
    """Measure the Jacobian of every row of scores: the square root of the sum of its squares.

    Parameters
    ----------
    scores : array_like, (..., n)
        Finite numbers; −inf stands for hidden.
    temperature : float
        T, finite and above 0.

    Returns
    -------
    ndarray, (...)
        The Frobenius norm of `softmax_jacobian`, which is not built. √(n − 1)/(n T) for equal scores, 0 in the
        limit of one certain choice.

    Raises
    ------
    ArrayError
        As for `softmax_jacobian`.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.1, suspect it to be extremely small where dot products are large: hence their
    scale of 1/√d_k.
    """
    logits, warmth = logit_array("scores", scores), positive_temperature(temperature)
    p = exponential_weights(logits, logits.ndim - 1, warmth)
    with np.errstate(over="ignore", under="ignore"):
        square = np.square(p)
        by_row = square * (np.square(_all_others(p)) + _all_others(square))
        return _per_unit(np.sqrt(by_row.sum(axis=-1)), warmth)


def two_key_slope(gap: npt.ArrayLike) -> Floats:
    """Differentiate the larger of two weights by the gap between their scores: p (1 − p).

    Parameters
    ----------
    gap : array_like, any shape
        Difference of the two scores.

    Returns
    -------
    ndarray, the shape of `gap`
        ¼ for gap 0, about exp(−|gap|) for large ones.

    Raises
    ------
    ArrayError
        If a gap is not finite.
    """
    with np.errstate(under="ignore"):
        decay = np.exp(-np.abs(finite_array("gap", gap, "...")))
    return np.asarray(decay / np.square(1.0 + decay))


def _per_unit(slope: Floats, temperature: float) -> Floats:
    """Divide by the temperature: 0 stays 0 for one that is next to nothing, and what passes the range is ±inf."""
    with np.errstate(all="ignore"):
        return np.asarray(np.where(slope == 0.0, slope, slope / temperature))


def _all_others(parts: Floats) -> Floats:
    """Sum for each entry of a row all others, (..., n), without taking any away from the total."""
    total = np.zeros_like(parts)
    total[..., 1:] = parts[..., :-1].cumsum(axis=-1)  # those before
    total[..., :-1] += parts[..., :0:-1].cumsum(axis=-1)[..., ::-1]  # those behind
    return total
