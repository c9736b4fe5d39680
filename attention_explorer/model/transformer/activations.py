"""The functions between the matrices of a feed-forward network, in place and without SciPy.

A block of rows is worked on at a time, small enough to stay in the processor's cache: it is passed over ten times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from attention_explorer.model.arrays import Floats

BLOCK = 2**15
"""Numbers of a block."""

Activate = Callable[[Floats], None]


def _relu(x: Floats) -> None:
    np.maximum(x, np.float32(0.0), out=x)


def _silu(x: Floats) -> None:
    """Multiply x by σ(x), the Swish of Ramachandran, Zoph & Le 2017 with β = 1."""
    with np.errstate(over="ignore"):  # exp(−x) of a very negative x is inf, and x ÷ inf is 0, as it should be
        divisor = np.exp(-x)
    divisor += np.float32(1.0)
    x /= divisor


_SQUARE_ROOT = np.float32(math.sqrt(2.0 / math.pi))
_CUBIC = np.float32(0.044715)


def _gelu_tanh(x: Floats) -> None:
    """½ x (1 + tanh(√(2/π) (x + 0.044715 x³))): Hendrycks & Gimpel 2016, section 2."""
    inner = x * x
    inner *= _CUBIC
    inner += np.float32(1.0)
    inner *= x
    inner *= _SQUARE_ROOT
    np.tanh(inner, out=inner)
    inner += np.float32(1.0)
    inner *= np.float32(0.5)
    x *= inner


_STEP = np.float32(0.3275911 / math.sqrt(2.0))
_POLYNOMIAL = tuple(np.float32(0.5 * a) for a in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))


def _gelu(x: Floats) -> None:
    """Multiply x by Φ(x) (Hendrycks & Gimpel 2016), with the error function of Abramowitz & Stegun 1964, 7.1.26.

    Φ(−|x|) = ½ (a₁t + … + a₅t⁵) exp(−x²/2) with t = 1 / (1 + p |x|/√2), to 1.5 · 10⁻⁷; Φ(x) = 1 − Φ(−x).
    """
    size = np.abs(x)
    t = size * _STEP
    t += np.float32(1.0)
    np.reciprocal(t, out=t)
    tail = t * _POLYNOMIAL[0]
    for coefficient in _POLYNOMIAL[1:]:
        tail += coefficient
        tail *= t
    np.multiply(x, x, out=t)
    t *= np.float32(-0.5)
    np.exp(t, out=t)
    tail *= t
    tail *= size  # x Φ(x) is −|x| Φ(−|x|) below 0, and x − |x| Φ(−|x|) above
    np.maximum(x, np.float32(0.0), out=x)
    x -= tail


ACTIVATIONS: Mapping[str, Activate] = {
    "relu": _relu,
    "gelu": _gelu,
    "gelu_new": _gelu_tanh,
    "gelu_pytorch_tanh": _gelu_tanh,
    "silu": _silu,
    "swish": _silu,
}
"""By the names that configurations use; each works in place."""


def activate_rows(activation: str, x: Floats) -> None:
    """Apply an activation to rows, (n, d), in place."""
    function, rows = ACTIVATIONS[activation], max(1, BLOCK // max(1, x.shape[-1]))
    with np.errstate(under="ignore"):
        for start in range(0, len(x), rows):
            function(x[start : start + rows])


# ---- Slopes, of rows that are left as they are ----


def _relu_slope(x: Floats) -> Floats:
    return np.asarray(x > 0.0, x.dtype)


def _silu_slope(x: Floats) -> Floats:
    """σ(x) (1 + x (1 − σ(x)))."""
    with np.errstate(over="ignore"):
        sigma = np.float32(1.0) / (np.float32(1.0) + np.exp(-x))
    return np.asarray(sigma * (np.float32(1.0) + x * (np.float32(1.0) - sigma)))


def _gelu_tanh_slope(x: Floats) -> Floats:
    square = x * x
    t = np.tanh(_SQUARE_ROOT * x * (np.float32(1.0) + _CUBIC * square))
    inner = _SQUARE_ROOT * (np.float32(1.0) + np.float32(3.0) * _CUBIC * square)
    return np.asarray(np.float32(0.5) * (np.float32(1.0) + t + x * (np.float32(1.0) - t * t) * inner))


def _gelu_slope(x: Floats) -> Floats:
    """Φ(x) + x φ(x), with Φ as `_gelu` has it."""
    t = np.reciprocal(np.abs(x) * _STEP + np.float32(1.0))
    tail = t * _POLYNOMIAL[0]
    for coefficient in _POLYNOMIAL[1:]:
        tail = (tail + coefficient) * t
    bell = np.exp(np.float32(-0.5) * x * x)
    tail *= bell
    share = np.where(x < 0.0, tail, np.float32(1.0) - tail)
    return np.asarray(share + x * bell * np.float32(1.0 / math.sqrt(2.0 * math.pi)))


SLOPES: Mapping[str, Callable[[Floats], Floats]] = {
    "relu": _relu_slope,
    "gelu": _gelu_slope,
    "gelu_new": _gelu_tanh_slope,
    "gelu_pytorch_tanh": _gelu_tanh_slope,
    "silu": _silu_slope,
    "swish": _silu_slope,
}
"""Derivatives of `ACTIVATIONS`."""
