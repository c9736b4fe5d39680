"""Sums of many waves at many positions: exact, and fast enough for 8 192 positions of 512 waves."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import FloatArray


def rates_of(width: int, base: float) -> FloatArray:
    """Return θ_i = base^(−2i/width), (⌈width/2⌉,), in radians a position."""
    with np.errstate(under="ignore"):
        return np.asarray(np.power(float(base), -np.arange(0, width, 2) / width))


def wave_sums(sines: FloatArray, cosines: FloatArray, width: int, base: float, first: int, count: int) -> FloatArray:
    """Return Σ_i s_i sin(nθ_i) + c_i cos(nθ_i) for n from ``first`` on.

    Parameters
    ----------
    sines, cosines : ndarray, (…, pairs)
        The amplitudes s and c; several sums share their angles.
    width : int
        d_model or d_k, with ``base`` that which `rates_of` tells θ by; pairs = ⌈width/2⌉.
    base : float
        Of the wavelengths.
    first, count : int
        The positions.

    Returns
    -------
    ndarray, (…, count)

    Notes
    -----
    With n = A + b, where A are multiples of about √count and b what is left, the addition theorems turn the sum into a
    product of two small matrices: 2√count sines and cosines a wave in place of count.
    """
    sin_a, cos_a, sin_b, cos_b = _turns(width, base, first, count)
    sines, cosines = sines[..., None, :], cosines[..., None, :]
    # s sin(A + b) + c cos(A + b) = sin A (s cos b − c sin b) + cos A (s sin b + c cos b)
    with_sin, with_cos = sines * cos_b - cosines * sin_b, sines * sin_b + cosines * cos_b  # (…, stride, pairs)
    sums: FloatArray = sin_a @ with_sin.mT + cos_a @ with_cos.mT  # (…, blocks, stride)
    return sums.reshape(*sums.shape[:-2], -1)[..., :count]


@kept  # sines and cosines take longer than the products: the next query needs the same ones
def _turns(width: int, base: float, first: int, count: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return sin A, cos A (blocks, pairs) and sin b, cos b (stride, pairs) of `wave_sums`."""
    rates, stride = rates_of(width, base), max(1, math.isqrt(count))
    starts = (first + stride * np.arange(-(-count // stride)))[:, None] * rates
    steps = np.arange(stride)[:, None] * rates
    return np.sin(starts), np.cos(starts), np.sin(steps), np.cos(steps)


def encoding_products(vectors: FloatArray, base: float, count: int) -> FloatArray:
    """Return u · PE(n), (…, count), for positions n = 0 … count − 1 of the sinusoidal encoding; u is (…, d_model)."""
    sines, width = vectors[..., 0::2], vectors.shape[-1]
    cosines = np.zeros(sines.shape)
    cosines[..., : width // 2] = vectors[..., 1::2]
    return wave_sums(sines, cosines, width, base, 0, count)


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
    return wave_sums(a * other_b - b * other_a, a * other_a + b * other_b, len(query), base, first, count)
