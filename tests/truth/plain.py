"""The textbook in loops: what the model layer computes, written again without a look at its code.

All arithmetic is in NumPy's long double, one row, head or sequence after the other; 64 bits of mantissa on most
machines, so that what is left between this and float64 is the rounding of float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Long = np.longdouble
PI = Long(math.pi) + Long(1.2246467991473532e-16)
"""π to the digits of a long double: what float64 leaves of it is added."""


def long(value: npt.ArrayLike) -> Array:
    """Return the same numbers as long doubles."""
    return np.asarray(value).astype(Long)


def beside_one(array: npt.ArrayLike) -> Array:
    """Return the numbers with a 1 behind them, so that a deviation is measured by 1 if none of them is larger."""
    held = np.asarray(array)
    return np.append(held, held.dtype.type(1))


def by_row(function: Callable[..., Array], *arrays: Array) -> Array:
    """Call a function for each index of the leading axes and stack what it gives."""
    leading = arrays[0].shape[:-1]
    found = [function(*(array[index] for array in arrays)) for index in product(*map(range, leading))]
    return np.array(found, dtype=found[0].dtype if found else Long).reshape(leading + np.shape(found[0]))


def softmax_row(scores: Array, temperature: float = 1.0) -> Array:
    """Return exp(s/T) over its sum; zeros for a row of −inf."""
    top = max(scores, default=Long(-np.inf))
    if top == -np.inf:
        return np.zeros(len(scores), Long)
    exponentials = [np.exp((score - top) / Long(temperature)) for score in scores]
    total = sum(exponentials, Long(0))
    return np.array([one / total for one in exponentials], Long)


def hard_row(scores: Array) -> Array:
    """Return 1 at the first of the largest, else 0; zeros for a row of −inf."""
    found = np.zeros(len(scores), Long)
    best = -1
    for index, score in enumerate(scores):
        if score > -np.inf and (best < 0 or score > scores[best]):
            best = index
    if best >= 0:
        found[best] = 1
    return found


def entropy_row(weights: Array) -> Array:
    """Return −Σ w ln w of one row."""
    return np.asarray(-sum((w * np.log(w) for w in weights if w > 0), Long(0)))


def jacobian_row(scores: Array, temperature: float) -> Array:
    """Return ∂pᵢ/∂sⱼ of one row, by the quotient rule."""
    p = softmax_row(scores, temperature)
    places = range(len(p))  # 1 − p is the sum of all others: near 1 the difference would have lost its digits
    others = [sum((p[j] for j in places if j != i), Long(0)) for i in places]
    slopes = [[p[i] * (others[i] if i == j else -p[j]) for j in places] for i in places]
    return np.array(slopes, Long) / Long(temperature)


def attention_stages(
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array | None = None,
    bias: Array | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    hard: bool = False,
) -> dict[str, Array]:
    """Return scores, scaled, masked, weights and output of one head: (n_q, d_k), (n_k, d_k), (n_k, d_v)."""
    n_q, n_k = len(q), len(k)
    scores, scaled, masked = (np.zeros((n_q, n_k), Long) for _ in range(3))
    factor = 1 / np.sqrt(Long(q.shape[1])) if scale is None else Long(scale)
    for i, j in product(range(n_q), range(n_k)):
        scores[i, j] = sum((q[i, f] * k[j, f] for f in range(q.shape[1])), Long(0))
        scaled[i, j] = scores[i, j] * factor
        masked[i, j] = scaled[i, j] + (0 if bias is None else bias[i, j])
        if mask is not None and not mask[i, j]:
            masked[i, j] = -np.inf
    weights = np.zeros((n_q, n_k), Long)
    output = np.zeros((n_q, v.shape[1]), Long)
    for i in range(n_q):
        weights[i] = hard_row(masked[i]) if hard else softmax_row(masked[i], temperature)
        for j in range(n_k):
            output[i] += weights[i, j] * v[j]
    return {"scores": scores, "scaled": scaled, "masked": masked, "weights": weights, "output": output}


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """Return x @ weight + bias of one sequence, entry by entry."""
    found = np.zeros((len(x), weight.shape[1]), Long)
    for i, j in product(range(len(x)), range(weight.shape[1])):
        found[i, j] = np.sum(x[i] * weight[:, j], dtype=Long) + (Long(0) if bias is None else bias[j])
    return found


def heads_of(x: Array, heads: int) -> list[Array]:
    """Cut columns into those of each head."""
    width = x.shape[1] // heads
    return [x[:, head * width : (head + 1) * width] for head in range(heads)]


def norm_row(x: Array, kind: str, gain: Array | None, bias: Array | None, eps: float, inside: bool) -> Array:
    """Return one row with mean 0 (layer norm) and mean square 1, gain and bias."""
    centre = np.sum(x, dtype=Long) / len(x) if kind == "layer" else Long(0)
    square = sum(((one - centre) ** 2 for one in x), Long(0)) / len(x)
    divisor = np.sqrt(square + Long(eps)) if inside else np.sqrt(square) + Long(eps)
    found = np.array([(one - centre) / divisor for one in x], Long)
    found = found if gain is None else found * gain
    return found if bias is None else found + bias


def erfc(x: Any) -> Any:
    """Return 1 − erf in long double: a series for small arguments, a continued fraction for large ones."""
    if x < 0:
        return 2 - erfc(-x)
    if x < 2.5:
        term = total = Long(x)
        n = 0
        while abs(term) > abs(total) * Long(1e-21):
            n += 1
            term = -term * x * x / n
            total += term / (2 * n + 1)
        return 1 - 2 / np.sqrt(PI) * total
    fraction = Long(x)
    for level in range(200, 0, -1):
        fraction = x + Long(level) / 2 / fraction
    return np.exp(-x * x) / fraction / np.sqrt(PI)


def activation(x: Any, kind: str) -> Any:
    """Return the activation of one number; of the gated one the gate."""
    if kind == "relu":
        return max(x, Long(0))
    if kind == "gelu":
        return x * erfc(-x / np.sqrt(Long(2))) / 2
    if kind == "gelu_tanh":
        inner = np.sqrt(2 / PI) * (x + Long("0.044715") * x**3)
        return x * (1 + np.tanh(inner)) / 2
    return x / (1 + np.exp(-x))


def slope(function: Callable[[Any], Any], x: Any) -> Any:
    """Differentiate numerically, by differences of sixth order, to some 1e-15."""
    h = Long(2) ** -13
    near, mid, far = (function(x + n * h) - function(x - n * h) for n in (1, 2, 3))
    return (45 * near - 9 * mid + far) / (60 * h)
