"""What programs write where a mask forbids, and what comes of it in 64, 32 and 16 bits."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.fields import choice
from attention_explorer.model.arrays import Bools, Floats, boolean_mask, finite_array
from attention_explorer.model.precision import float_precision
from attention_explorer.model.scalars import positive_temperature

LARGE = 1e9
"""The large number of the fills that are not −inf; float16 ends at 65504."""


class MaskFill(StrEnum):
    """Ways to hide a key."""

    MINUS_INFINITY = "minus infinity"
    """−inf in place of the score: exact in every precision; a row with nothing visible gives zeros here."""

    LARGE_NEGATIVE = "minus 1e9"
    """−1e9 in place of the score: a row with nothing visible becomes uniform, scores below −1e9 lose."""

    ADDED = "add minus 1e9"
    """−1e9 added to the score: a row with nothing visible attends as if there were no mask, up to rounding."""

    AFTER_SOFTMAX = "zero afterwards"
    """Zero in place of the weight: the row no longer sums to 1, and hidden scores still took their share."""


def filled_weights(
    scaled: npt.ArrayLike,
    mask: npt.ArrayLike,
    fill: MaskFill,
    *,
    temperature: float = 1.0,
    dtype: npt.DTypeLike = np.float64,
) -> Floats:
    """Compute weights as a program with that way of masking and that precision does, faults included.

    Parameters
    ----------
    scaled : array_like, (..., n_q, n_k)
        Finite scaled scores; rounded to `dtype` first.
    mask : array_like of bool
        True where a query may attend; (n_q, n_k), or as many axes as the scores, each as long as theirs or 1.
    fill : MaskFill
        What happens where it may not.
    temperature : float
        Divides the filled scores in the softmax.
    dtype : dtype
        float64, float32 or float16; every operation is done in it.

    Returns
    -------
    ndarray, (..., n_q, n_k)
        Of that dtype. NaN and inf are not mended: in float16 −1e9 is −inf, so a row with nothing visible is
        NaN unless the fill is `MaskFill.MINUS_INFINITY`, which follows the convention of this package.

    Raises
    ------
    ArrayError
        If a score is not finite, the shape of the mask does not fit, it is not boolean, the temperature is
        not above 0, or the dtype or the fill is none of those there are.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.3, says −inf; −1e9 is what many programs write.
    """
    precision, fill = float_precision(dtype), choice("fill", fill, MaskFill)
    scores = finite_array("scaled", scaled, "...", "n_q", "n_k")
    visible = boolean_mask("mask", mask, scores.shape)
    warmth = precision.type(positive_temperature(temperature))
    with np.errstate(all="ignore"):  # the faults are the subject
        weights = _softmax(_filled(scores.astype(precision), visible, fill), warmth)
        if fill is MaskFill.AFTER_SOFTMAX:
            return np.asarray(weights * visible.astype(precision))
    if fill is MaskFill.MINUS_INFINITY:
        return np.where(visible.any(axis=-1, keepdims=True), weights, precision.type(0.0))
    return weights


def _filled(logits: Floats, visible: Bools, fill: MaskFill) -> Floats:
    """Write the fill where nothing may be seen, in the precision of the logits."""
    number = logits.dtype.type
    match fill:
        case MaskFill.MINUS_INFINITY:
            return np.where(visible, logits, number(-np.inf))
        case MaskFill.LARGE_NEGATIVE:
            return np.where(visible, logits, number(-LARGE))
        case MaskFill.ADDED:
            return np.asarray(logits + np.where(visible, number(0.0), number(-LARGE)))
        case MaskFill.AFTER_SOFTMAX:
            return logits


def _softmax(logits: Floats, temperature: np.floating[Any]) -> Floats:
    """Compute the textbook's stable softmax, without the guard against rows of −inf."""
    gaps = logits - logits.max(axis=-1, keepdims=True, initial=-np.inf)
    exponentials = np.exp(gaps / temperature)
    total = exponentials.cumsum(axis=-1)[..., -1:]  # rounds after every addition; sum adds float16 in float32
    return np.asarray(exponentials / total)
