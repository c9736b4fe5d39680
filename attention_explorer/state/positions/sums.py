"""Sums of many waves at many positions: exact, and fast enough for 8 192 positions of 512 waves."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.state.positions.table import FloatArray


def rates_of(width: int, base: float) -> FloatArray:
    """Return θ_i = base^(−2i/width), (⌈width/2⌉,), in radians a position."""
    with np.errstate(under="ignore"):
        return np.asarray(np.power(float(base), -np.arange(0, width, 2) / width))


def wave_sums(sines: FloatArray, cosines: FloatArray, rates: FloatArray, first: int, count: int) -> FloatArray:
    """Return Σ_i s_i sin(nθ_i) + c_i cos(nθ_i) for n from ``first`` on.

    Parameters
    ----------
    sines, cosines : ndarray, (pairs,)
        The amplitudes s and c.
    rates : ndarray, (pairs,)
        θ, in radians a position.
    first, count : int
        The positions.

    Returns
    -------
    ndarray, (count,)

    Notes
    -----
    With n = A + b, where A are multiples of about √count and b what is left, the addition theorems turn the sum into a
    product of two small matrices: 2√count sines and cosines a wave in place of count.
    """
    stride = max(1, math.isqrt(count))
    starts = (first + stride * np.arange(-(-count // stride)))[:, None] * rates  # (blocks, pairs)
    steps = np.arange(stride)[:, None] * rates  # (stride, pairs)
    sin, cos = np.sin(steps), np.cos(steps)
    # s sin(A + b) + c cos(A + b) = sin A (s cos b − c sin b) + cos A (s sin b + c cos b)
    with_sin, with_cos = sines * cos - cosines * sin, sines * sin + cosines * cos
    sums: FloatArray = np.sin(starts) @ with_sin.T + np.cos(starts) @ with_cos.T  # (blocks, stride)
    return sums.ravel()[:count]


def encoding_products(vector: FloatArray, base: float, count: int) -> FloatArray:
    """Return u · PE(n) for positions n = 0 … count − 1 of the sinusoidal encoding; u has the shape (d_model,)."""
    cosines = np.zeros(-(-len(vector) // 2))
    cosines[: len(vector) // 2] = vector[1::2]
    return wave_sums(vector[0::2], cosines, rates_of(len(vector), base), 0, count)


def turned_products(query: FloatArray, key: FloatArray, base: float, layout: str, first: int, count: int) -> FloatArray:
    """Return the product of a rotary query and key at distances i − j from ``first`` on.

    Parameters
    ----------
    query, key : ndarray, (d,)
        Before they are turned; d even.
    layout : str
        "half" or "interleaved".

    Returns
    -------
    ndarray, (count,)
        (aa′ + bb′) cos φ + (ab′ − ba′) sin φ, summed over the pairs (a, b) and (a′, b′), φ = (i − j)θ.
    """
    half = len(query) // 2
    first_of, second_of = (
        (slice(0, half), slice(half, None)) if layout == "half" else (slice(0, None, 2), slice(1, None, 2))
    )
    a, b, other_a, other_b = query[first_of], query[second_of], key[first_of], key[second_of]
    return wave_sums(a * other_b - b * other_a, a * other_a + b * other_b, rates_of(len(query), base), first, count)
