"""The softmax as a program computes it in 64, 32 or 16 bits, with and without taking the largest score away first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, all_finite, finite_array
from attention_explorer.model.scalars import flag


class PrecisionSoftmax(NamedTuple):
    """A softmax with every intermediate, faults included, all of one dtype.

    Attributes
    ----------
    scores : ndarray, (..., n)
        The scores in that precision; ±inf if they are too large for it.
    shifted : ndarray, (..., n)
        The scores minus the largest, or the scores themselves.
    exponentials : ndarray, (..., n)
        exp(shifted); inf above 709.78 in float64, 88.72 in float32, 11.09 in float16.
    total : ndarray, (..., 1)
        Their sum; it may be inf although none of them is.
    weights : ndarray, (..., n)
        exponentials / total. NaN where inf is divided by inf or 0 by 0; 0 throughout, without any NaN, where
        only the total is inf.
    """

    scores: Floats
    shifted: Floats
    exponentials: Floats
    total: Floats
    weights: Floats


def softmax_in_precision(
    scores: npt.ArrayLike, dtype: npt.DTypeLike = np.float64, subtract_max: bool = True
) -> PrecisionSoftmax:
    """Compute a softmax over the last axis as the textbook does, in a precision, without mending anything.

    Parameters
    ----------
    scores : array_like, (..., n)
        Finite numbers, n at least 1; rounded to `dtype` first.
    dtype : dtype
        float64, float32 or float16; every operation is done in it.
    subtract_max : bool
        Whether the largest score is taken away first, which changes no weight in exact arithmetic.

    Returns
    -------
    PrecisionSoftmax

    Raises
    ------
    ArrayError
        If a score is not finite, there is none, or the dtype is none of the three.

    Notes
    -----
    Vaswani et al. 2017, eq. 1; `softmax` is the one that never fails.
    """
    precision = float_precision(dtype)
    exact = finite_array("scores", scores, "...", "n")
    if exact.shape[-1] == 0:
        raise ArrayError(f"scores has shape {exact.shape}: a softmax needs at least one score")
    with np.errstate(all="ignore"):  # the faults are the subject
        rounded = exact.astype(precision)
        shifted = rounded - rounded.max(axis=-1, keepdims=True) if flag("subtract_max", subtract_max) else rounded
        exponentials = np.exp(shifted)
        total = exponentials.cumsum(axis=-1)[..., -1:]  # rounds after every addition; sum adds float16 in float32
        return PrecisionSoftmax(rounded, shifted, exponentials, total, np.asarray(exponentials / total))


def in_precision(what: str, exact: Floats, dtype: npt.DTypeLike) -> Floats:
    """Round numbers that were computed in float64 to a type of floats.

    Parameters
    ----------
    what : str
        What they are, for the message.
    exact : ndarray, any shape
        Finite numbers.
    dtype : dtype
        float64, float32 or float16.

    Returns
    -------
    ndarray
        The same shape; not copied if it is float64.

    Raises
    ------
    ArrayError
        If the dtype is none of the three, or a number is beyond its range.
    """
    precision = float_precision(dtype)
    with np.errstate(over="ignore", under="ignore"):
        rounded: Floats = exact.astype(precision, copy=False)
    if not all_finite(rounded):
        raise ArrayError(f"{what} passes the range of {precision}: choose a wider dtype or smaller numbers")
    return rounded


def float_precision(dtype: npt.DTypeLike) -> np.dtype[np.floating[Any]]:
    """Take one of the three types of floats.

    Parameters
    ----------
    dtype : dtype
        float64, float32 or float16.

    Returns
    -------
    dtype
        The same.

    Raises
    ------
    ArrayError
        If it is none of them.
    """
    try:
        precision: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise ArrayError(f"dtype must be float64, float32 or float16, not {dtype!r}") from None
    if precision.type not in (np.float64, np.float32, np.float16):
        raise ArrayError(f"dtype must be float64, float32 or float16, not {precision}")
    return precision
