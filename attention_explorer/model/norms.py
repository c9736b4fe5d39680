"""Layer normalisation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.scalars import finite_number


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
    rows = finite_array("x", x, "...", "d_model")
    smallest = finite_number("eps", eps)
    if smallest < 0.0:
        raise ArrayError(f"eps must be at least 0, not {eps!r}")
    if rows.shape[-1] == 0:
        return rows.copy()
    with np.errstate(all="ignore"):  # looked for below
        moved = rows - rows[..., :1]  # exactly 0 where all are one number, as a rounded mean may not be
        centred = moved - moved.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)  # (..., 1)
    if not np.isfinite(variance).all():
        raise ArrayError(f"x of shape {rows.shape} has a variance beyond the range of {rows.dtype}: divide it first")
    divisor = np.sqrt(variance + smallest) if eps_inside_sqrt else np.sqrt(variance) + smallest
    normal: Floats = centred / np.where(divisor > 0.0, divisor, 1.0)
    if gain is not None:
        normal = normal * _feature_wise("gain", gain, rows.shape)
    return normal if bias is None else normal + _feature_wise("bias", bias, rows.shape)


def _feature_wise(name: str, value: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = finite_array(name, value, "d_model")
    if array.shape != shape[-1:]:
        raise ArrayError(f"{name} has shape {array.shape}, but x has shape {shape}: it must be ({shape[-1]},)")
    return array
