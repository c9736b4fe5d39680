"""The functions between the two matrices of a feed-forward network, and their slopes."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from attention_explorer.fields import choice
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.normal import normal_cdf, normal_density

# Hendrycks & Gimpel 2016, section 2.
_TANH_FACTOR = math.sqrt(2.0 / math.pi)
_TANH_CUBIC = 0.044715
# Beyond it tanh is ±1 in every precision and x³ might pass the float range.
_TANH_FLAT = 30.0


class Activation(StrEnum):
    """What a hidden unit does with its number."""

    RELU = "relu"
    """max(0, x): Vaswani et al. 2017, eq. 2."""

    GELU = "gelu"
    """x Φ(x), Φ the normal distribution: Hendrycks & Gimpel 2016, section 2."""

    GELU_TANH = "gelu_tanh"
    """½ x (1 + tanh(√(2/π) (x + 0.044715 x³))), the approximation given there; GPT-2 computes this one."""

    SILU_GATED = "silu_gated"
    """x σ(x), times a second projection of the same input: SwiGLU, Shazeer 2020, eq. 6."""


def activate(x: npt.ArrayLike, activation: Activation | str) -> Floats:
    """Apply an activation, number by number.

    Parameters
    ----------
    x : array_like, any shape
        Finite numbers.
    activation : Activation
        Which; of `Activation.SILU_GATED` only x σ(x), the gate itself.

    Returns
    -------
    ndarray, the shape of `x`
        float32 for float16 and float32, otherwise float64.

    Raises
    ------
    ArrayError
        If an entry is not finite or there is no such activation.
    """
    numbers = finite_array("x", x, "...")
    with np.errstate(over="ignore", under="ignore"):
        match choice("activation", activation, Activation):
            case Activation.RELU:
                return np.asarray(np.maximum(numbers, 0.0))
            case Activation.GELU:
                return np.asarray(numbers * normal_cdf(numbers))
            case Activation.GELU_TANH:
                return np.asarray(numbers * (0.5 + 0.5 * np.tanh(_tanh_argument(numbers))))
            case Activation.SILU_GATED:
                return np.asarray(numbers * _logistic(numbers))


def activation_slope(x: npt.ArrayLike, activation: Activation | str) -> Floats:
    """Differentiate an activation, number by number.

    Parameters
    ----------
    x : array_like, any shape
        Finite numbers.
    activation : Activation
        Which; of `Activation.SILU_GATED` the slope of x σ(x).

    Returns
    -------
    ndarray, the shape of `x`
        The slope of ReLU at 0, where it has none, is given as 0. float32 for float16 and float32, otherwise
        float64.

    Raises
    ------
    ArrayError
        If an entry is not finite or there is no such activation.
    """
    numbers = finite_array("x", x, "...")
    with np.errstate(over="ignore", under="ignore"):
        match choice("activation", activation, Activation):
            case Activation.RELU:
                return (numbers > 0.0).astype(numbers.dtype)
            case Activation.GELU:
                return np.asarray(normal_cdf(numbers) + numbers * normal_density(numbers))
            case Activation.GELU_TANH:
                return _tanh_slope(numbers)
            case Activation.SILU_GATED:
                return np.asarray(_logistic(numbers) * (1.0 + numbers * _logistic(-numbers)))


def _tanh_argument(x: Floats) -> Floats:
    near = np.clip(x, -_TANH_FLAT, _TANH_FLAT)
    return np.asarray(_TANH_FACTOR * near * (1.0 + _TANH_CUBIC * np.square(near)))


def _tanh_slope(x: Floats) -> Floats:
    near = np.clip(x, -_TANH_FLAT, _TANH_FLAT)
    tanh = np.tanh(_tanh_argument(near))
    inner = _TANH_FACTOR * (1.0 + 3.0 * _TANH_CUBIC * np.square(near))
    return np.asarray(0.5 + 0.5 * tanh + 0.5 * near * (1.0 - np.square(tanh)) * inner)


def _logistic(x: Floats) -> Floats:
    """Compute 1 / (1 + exp(−x)) without overflow and with all digits where it is small."""
    decay = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0.0, 1.0, decay) / (1.0 + decay))
