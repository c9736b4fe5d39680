"""Layer normalisation and its relative without a mean."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, all_finite, finite_array
from attention_explorer.model.scalars import finite_number, flag


def layer_norm(
    x: npt.ArrayLike,
    gain: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    eps: float = 1e-5,
    eps_inside_sqrt: bool = True,
) -> Floats:
    """Give every row mean 0 and variance 1, then a gain and a bias for each feature.

    Parameters
    ----------
    x : array_like, (..., d_model)
        Finite numbers.
    gain, bias : array_like, (d_model,), optional
        1 and 0 if not given.
    eps : float
        Keeps the divisor away from 0; at least 0.
    eps_inside_sqrt : bool
        Whether to divide by √(variance + eps), as is usual, or by √variance + eps.

    Returns
    -------
    ndarray, (..., d_model)
        float32 if all is float32. A row of one number repeated gives zeros (before gain and bias), also for
        eps 0.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, eps is negative, or the variance leaves the float range.

    Notes
    -----
    Ba, Kiros & Hinton 2016, eq. 4, which has no eps. The variance is that of the population.
    """
    rows, smallest = finite_array("x", x, "...", "d_model"), smallest_divisor(eps)
    if rows.shape[-1] == 0:
        return rows.copy()
    centred = centred_rows(rows)
    return _stretched(_divided(rows.shape, centred, smallest, eps_inside_sqrt), gain, bias)


def rms_norm(
    x: npt.ArrayLike, gain: npt.ArrayLike | None = None, eps: float = 1e-5, eps_inside_sqrt: bool = True
) -> Floats:
    """Give every row the mean square 1, then a gain for each feature; the mean stays what it is.

    Parameters
    ----------
    x : array_like, (..., d_model)
        Finite numbers.
    gain : array_like, (d_model,), optional
        1 if not given.
    eps : float
        Keeps the divisor away from 0; at least 0.
    eps_inside_sqrt : bool
        Whether to divide by √(mean square + eps), as is usual, or by √mean square + eps.

    Returns
    -------
    ndarray, (..., d_model)
        float32 if all is float32. A row of zeros gives zeros, also for eps 0.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, eps is negative, or the squares leave the float range.

    Notes
    -----
    Zhang & Sennrich 2019, eq. 4, which has no eps.
    """
    rows, smallest = finite_array("x", x, "...", "d_model"), smallest_divisor(eps)
    if rows.shape[-1] == 0:
        return rows.copy()
    return _stretched(_divided(rows.shape, rows, smallest, eps_inside_sqrt), gain)


def smallest_divisor(eps: float) -> float:
    """Take the eps of a norm.

    Parameters
    ----------
    eps : float
        Finite, at least 0.

    Returns
    -------
    float
        The same.

    Raises
    ------
    ArrayError
        If it is negative or not finite.
    """
    smallest = finite_number("eps", eps)
    if smallest < 0.0:
        raise ArrayError(f"eps must be at least 0, not {eps!r}")
    return smallest


def centred_rows(rows: Floats) -> Floats:
    """Take the mean of every row away.

    Parameters
    ----------
    rows : ndarray, (..., d_model)
        Finite numbers, d_model at least 1.

    Returns
    -------
    ndarray, (..., d_model)
        Exactly 0 where a row is one number repeated, as a rounded mean may not be; not finite beyond the range.
    """
    with np.errstate(all="ignore"):  # whoever squares it looks for it
        moved: Floats = rows - rows[..., :1]
        moved -= moved.mean(axis=-1, keepdims=True)
        return moved


def norm_divisor(mean_square: Floats, eps: float, eps_inside_sqrt: bool) -> Floats:
    """Compute what a norm divides by.

    Parameters
    ----------
    mean_square : ndarray, any shape
        Mean of the squares of each row.
    eps : float
        At least 0.
    eps_inside_sqrt : bool
        Whether it is added under the root.

    Returns
    -------
    ndarray
        The shape of `mean_square`; 1 where it would be 0.
    """
    with np.errstate(over="ignore"):  # an eps beyond the range of float32 divides by inf, and leaves 0
        divisor = np.sqrt(mean_square + eps) if flag("eps_inside_sqrt", eps_inside_sqrt) else np.sqrt(mean_square) + eps
    return np.asarray(np.where(divisor > 0.0, divisor, 1.0))


def _divided(shape: tuple[int, ...], rows: Floats, eps: float, eps_inside_sqrt: bool) -> Floats:
    with np.errstate(all="ignore"):  # looked for below
        mean_square = np.square(rows).mean(axis=-1, keepdims=True)  # (..., 1)
    if not np.isfinite(mean_square).all():
        raise ArrayError(f"x of shape {shape} has a variance beyond the range of {rows.dtype}: divide it first")
    quotient: Floats = rows / norm_divisor(mean_square, eps, eps_inside_sqrt)
    return quotient


def _stretched(normal: Floats, gain: npt.ArrayLike | None, bias: npt.ArrayLike | None = None) -> Floats:
    """Multiply each feature by its gain, and add its bias."""
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        stretched = normal if gain is None else normal * _feature_wise("gain", gain, normal.shape)
        if bias is not None:
            stretched = stretched + _feature_wise("bias", bias, normal.shape)
    if not all_finite(stretched):
        raise ArrayError(f"gain and bias lead beyond the range of {stretched.dtype}: make them smaller")
    return stretched


def _feature_wise(name: str, value: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = finite_array(name, value, "d_model")
    if array.shape != shape[-1:]:
        raise ArrayError(f"{name} has shape {array.shape}, but x has shape {shape}: it must be ({shape[-1]},)")
    return array
