"""The normal distribution, which NumPy samples but does not compute: density, cumulative distribution and tails."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, real_array
from attention_explorer.model.scalars import finite_number

# So many numbers are looked up in one go: `map` holds the interpreter meanwhile, 10 ms of which nobody notices.
_CHUNK = 65536


def normal_density(x: npt.ArrayLike, std: float = 1.0) -> Floats:
    """Return the density of N(0, std²): exp(−x²/2σ²) / (σ √2π).

    Parameters
    ----------
    x : array_like, any shape
        Real numbers; ±inf gives 0, NaN gives NaN.
    std : float
        σ, finite and above 0.

    Returns
    -------
    ndarray, the shape of `x`
        In 1/unit of x; inf where it is beyond the range. float32 for float16 and float32, otherwise float64.

    Raises
    ------
    ArrayError
        If x holds no real numbers, or the standard deviation is not above 0.
    """
    points, deviation = real_array("x", x), _positive_std(std)
    with np.errstate(over="ignore", under="ignore"):
        units = points.astype(np.float64, copy=False) / deviation  # which may be too small for float32
        density = np.exp(-0.5 * units * units) / (deviation * math.sqrt(2.0 * math.pi))
        return np.asarray(density.astype(points.dtype, copy=False))


def normal_cdf(x: npt.ArrayLike) -> Floats:
    """Return the share of N(0, 1) below x: Φ(x) = ½ erfc(−x/√2).

    Parameters
    ----------
    x : array_like, any shape
        Real numbers, ±inf too.

    Returns
    -------
    ndarray, the shape of `x`
        0 to 1, to some units in the last digit also where it is tiny; NaN for NaN. float32 for float16 and
        float32, otherwise float64.

    Raises
    ------
    ArrayError
        If x holds no real numbers.
    """
    points = real_array("x", x)
    flat = points.ravel() * -math.sqrt(0.5)
    below = np.empty(flat.size)
    for start in range(0, flat.size, _CHUNK):
        part = flat[start : start + _CHUNK].tolist()
        below[start : start + len(part)] = np.fromiter(map(math.erfc, part), np.float64, len(part))
    return np.asarray(0.5 * below).reshape(points.shape).astype(points.dtype, copy=False)


def normal_tail(beyond: float, std: float = 1.0) -> float:
    """Return the share of N(0, std²) that lies more than so far from 0, on both sides together.

    Parameters
    ----------
    beyond : float
        The distance, at least 0, in the unit of `std`.
    std : float
        The standard deviation, finite and above 0.

    Returns
    -------
    float
        0 to 1; erfc(beyond / (std √2)).

    Raises
    ------
    ArrayError
        If the distance is negative or not finite, or the standard deviation not above 0.
    """
    distance = finite_number("beyond", beyond)
    if distance < 0.0:
        raise ArrayError(f"beyond must be at least 0, not {beyond!r}")
    return math.erfc(distance / _positive_std(std) * math.sqrt(0.5))


def _positive_std(std: float) -> float:
    deviation = finite_number("std", std)
    if deviation <= 0.0:
        raise ArrayError(f"std must be above 0, not {std!r}")
    return deviation
