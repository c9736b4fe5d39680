"""Positional encodings that are added to the embeddings: sinusoidal, which is computed, and learned."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.precision import in_precision
from attention_explorer.model.scalars import finite_number, random_seed, size


def sinusoidal_encoding(
    length: SupportsIndex, d_model: SupportsIndex, base: float = 10000.0, *, dtype: npt.DTypeLike = np.float64
) -> Floats:
    """Give each position the hands of clocks, from fast to slow.

    Parameters
    ----------
    length : int
        Number of positions.
    d_model : int
        Number of features. If odd, the last clock has a sine and no cosine.
    base : float
        The slowest clock is nearly so many times slower than the fastest; above 0.
    dtype : dtype
        float64, float32 or float16, to which the numbers are rounded: a float32 layer stays one.

    Returns
    -------
    ndarray, (length, d_model)
        Feature 2i is sin(p / base^(2i/d_model)) and 2i + 1 its cosine, for position p.

    Raises
    ------
    ArrayError
        If a size is no integer or negative, or the base is not a finite number above 0, or so small that the
        angles pass the range of float64.

    Notes
    -----
    Vaswani et al. 2017, section 3.5, where the base is 10000 and d_model even.
    """
    return sinusoidal_rows(np.arange(size("length", length)), d_model, base, dtype=dtype)


def sinusoidal_rows(
    positions: npt.ArrayLike, d_model: SupportsIndex, base: float = 10000.0, *, dtype: npt.DTypeLike = np.float64
) -> Floats:
    """Give the rows of the sinusoidal encoding at chosen positions.

    Parameters
    ----------
    positions : array_like, (n,)
        Any real numbers, in any order; negative ones too.
    d_model : int
        Number of features.
    base, dtype
        As for `sinusoidal_encoding`.

    Returns
    -------
    ndarray, (n, d_model)
        For positions 0, 1, 2, … the rows of `sinusoidal_encoding`.

    Raises
    ------
    ArrayError
        As `sinusoidal_encoding`, and if the positions are not finite numbers in one axis.

    Notes
    -----
    Vaswani et al. 2017, section 3.5.
    """
    features = size("d_model", d_model)
    angles = clock_angles(positions, features, base)
    encoding = np.empty((len(angles), features))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : features // 2])
    return in_precision("the encoding", encoding, dtype)


def wavelengths(d_model: SupportsIndex, base: float = 10000.0) -> Floats:
    """Tell after how many positions each clock of the sinusoidal encoding comes round.

    Parameters
    ----------
    d_model : int
        Number of features.
    base : float
        As for `sinusoidal_encoding`.

    Returns
    -------
    ndarray, (⌈d_model/2⌉,)
        float64, in positions: entry i is 2π · base^(2i/d_model), of the features 2i and 2i + 1. It starts at
        2π and, for a base above 1, stays below 2π · base.

    Raises
    ------
    ArrayError
        If the size is no integer or negative, or the base is not a finite number above 0, or so large that a
        wavelength passes the range of float64.

    Notes
    -----
    Vaswani et al. 2017, section 3.5, which names the limits 2π and 10000 · 2π.
    """
    with np.errstate(over="ignore", under="ignore"):
        waves = 2.0 * np.pi * _slowness(size("d_model", d_model), base)
    if not np.isfinite(waves).all():
        raise ArrayError(f"base {base!r} takes the wavelengths beyond the range of float64: choose a smaller base")
    return waves


def shift_matrix(offset: float, d_model: SupportsIndex, base: float = 10000.0) -> Floats:
    """Build the rotation that moves the sinusoidal encoding by an offset, whatever the position.

    Parameters
    ----------
    offset : float
        By how many positions k; any real number, negative moves back.
    d_model : int
        Number of features; even.
    base : float
        As for `sinusoidal_encoding`.

    Returns
    -------
    ndarray, (d_model, d_model)
        float64, R_k with PE(p + k) = R_k PE(p) for a column PE(p); for rows, PE @ R_k.T. On the diagonal are
        the blocks [[cos kω, sin kω], [−sin kω, cos kω]] of the clocks, ω = base^(−2i/d_model).

    Raises
    ------
    ArrayError
        As `sinusoidal_encoding`, and if d_model is odd: the last clock then lacks the cosine that its next
        sine depends on.

    Notes
    -----
    Vaswani et al. 2017, section 3.5, claims such a linear function for any fixed offset; it follows from the
    addition theorems. R_k is orthogonal with determinant 1, and R_a R_b = R_(a+b).
    """
    features = size("d_model", d_model)
    if features % 2:
        raise ArrayError(
            f"d_model must be even for a shift matrix, not {features}: the last clock of an odd encoding has a sine "
            f"and no cosine, so no matrix can turn it; choose {features - 1} or {features + 1}"
        )
    angles = clock_angles([finite_number("offset", offset)], features, base)[0]  # (d_model/2,)
    sine = np.arange(0, features, 2)  # the feature of each clock's sine
    cosine = sine + 1
    rotation = np.zeros((features, features))
    rotation[sine, sine] = rotation[cosine, cosine] = np.cos(angles)
    rotation[sine, cosine] = np.sin(angles)
    rotation[cosine, sine] = -np.sin(angles)
    return rotation


def learned_encoding(
    length: SupportsIndex,
    d_model: SupportsIndex,
    seed: SupportsIndex,
    std: float = 0.02,
    *,
    dtype: npt.DTypeLike = np.float64,
) -> Floats:
    """Draw a learned encoding as it is before training: one random vector for each position.

    Parameters
    ----------
    length : int
        Number of positions; there are no others.
    d_model : int
        Number of features.
    seed : int
        0 to 2³² − 1, of NumPy's legacy random numbers, whose stream never changes. A longer encoding of the
        same width begins with the same rows.
    std : float
        Standard deviation of every feature, at least 0.
    dtype : dtype
        float64, float32 or float16, to which the numbers are rounded: a float32 layer stays one.

    Returns
    -------
    ndarray, (length, d_model)
        ``RandomState(seed).randn(length, d_model) * std``.

    Raises
    ------
    ArrayError
        If a size or the seed is no integer or out of range, or the deviation is negative or not finite, or so
        large that a feature passes the range of the dtype.

    Notes
    -----
    Radford et al. 2018 (GPT), section 4.1, learns its encoding and starts all weights from N(0, 0.02).
    """
    shape = size("length", length), size("d_model", d_model)
    seed_number, deviation = random_seed(seed), finite_number("std", std)
    if deviation < 0.0:
        raise ArrayError(f"std must be at least 0, not {std!r}")
    with np.errstate(over="ignore", under="ignore"):
        encoding: Floats = np.random.RandomState(seed_number).randn(*shape) * deviation
    if not np.isfinite(encoding).all():
        raise ArrayError(f"std {std!r} takes the encoding beyond the range of float64: choose a smaller one")
    return in_precision("the encoding", encoding, dtype)


def clock_angles(positions: npt.ArrayLike, d_model: int, base: float) -> Floats:
    """Tell by how much each clock has turned at each position.

    Parameters
    ----------
    positions : array_like, (n,)
        Any real numbers.
    d_model : int
        Number of features, two for a clock.
    base : float
        The slowest clock is nearly so many times slower than the fastest; above 0.

    Returns
    -------
    ndarray, (n, ⌈d_model/2⌉)
        float64, in radians: p / base^(2i/d_model), not reduced to one turn.

    Raises
    ------
    ArrayError
        If the positions are not finite numbers in one axis, the base is not a finite number above 0, or the
        angles pass the range of float64.
    """
    places = finite_array("positions", positions, "n")
    try:
        with np.errstate(over="raise", under="ignore"):
            return places[:, None] / _slowness(d_model, base)  # (n, 1) / (⌈d_model/2⌉,), as float64
    except FloatingPointError:
        raise ArrayError(
            f"base {base!r} takes the angles beyond the range of float64: choose a larger base or smaller positions"
        ) from None


def _slowness(d_model: int, base: float) -> Floats:
    """Return base^(2i/d_model), how many times slower than the first each clock is: (⌈d_model/2⌉,)."""
    slowest = finite_number("base", base)
    if slowest <= 0.0:
        raise ArrayError(f"base must be above 0, not {base!r}")
    with np.errstate(under="ignore"):
        slowness: Floats = np.power(slowest, np.arange(0, d_model, 2) / max(d_model, 1))
    return slowness
