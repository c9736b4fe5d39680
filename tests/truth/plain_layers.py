"""A whole layer in loops, one sequence at a time, and its derivative by differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_explorer.model import DecoderLayer, EncoderLayer, FeedForward, MultiHeadAttention, Norm, Wiring
from tests.truth import plain
from tests.truth.draw import Array

Step = Callable[[Array], Array]
Factors = Mapping[str, Array]
"""What dropout multiplies by, 0 or 1/(1 − p), by its place in a layer and of its shape; nothing where it has none."""
NONE: Factors = {}


def long_or_none(array: Array | None) -> Array | None:
    """Return the numbers as long doubles, if there are any."""
    return None if array is None else plain.long(array)


def heads(held: MultiHeadAttention, x: Array, context: Array, mask: Array | None, factors: Factors = NONE) -> Array:
    """Return the output of multi-head attention of one sequence; only its numbers are taken from what holds them."""
    parts = []
    for source, name in ((x, "q"), (context, "k"), (context, "v")):
        weight, bias = plain.long(getattr(held, f"w_{name}")), long_or_none(getattr(held, f"b_{name}"))
        parts.append(plain.heads_of(plain.linear(source, weight, bias), held.heads))
    found = []
    for head, (q, k, v) in enumerate(zip(*parts, strict=True)):
        weights = plain.attention_stages(q, k, v, mask=mask)["weights"]
        found.append((weights * factors["weights"][head] if "weights" in factors else weights) @ v)
    output = plain.linear(np.concatenate(found, axis=1), plain.long(held.w_o), long_or_none(held.b_o))
    return output * factors.get("attention_output", 1)


def network(held: FeedForward, x: Array, factors: Factors = NONE) -> Array:
    """Return the output of a feed-forward network for some positions."""
    before = plain.linear(x, plain.long(held.w1), long_or_none(held.b1))
    hidden = np.vectorize(lambda one: plain.activation(one, held.activation.value), otypes=[plain.Long])(before)
    if held.w3 is not None:
        hidden = hidden * plain.linear(x, plain.long(held.w3), long_or_none(held.b3))
    hidden = hidden * factors.get("hidden", 1)
    output = plain.linear(hidden, plain.long(held.w2), long_or_none(held.b2))
    return output * factors.get("feed_forward_output", 1)


def norm(held: Norm, x: Array) -> Array:
    """Return normalised rows."""
    gain, bias = long_or_none(held.gain), long_or_none(held.bias)
    rows = [plain.norm_row(row, held.kind.value, gain, bias, held.eps, held.eps_inside_sqrt) for row in x]
    return np.array(rows).reshape(x.shape)


def sublayer(x: Array, inside: Step, wiring: Wiring, normed: Step) -> Array:
    """Return x + f(norm(x)), norm(x + f(x)) or x + f(x); without the residual, without x."""
    found = inside(normed(x) if wiring.placement.value == "pre" else x)
    found = x + found if wiring.residual else found
    return normed(found) if wiring.placement.value == "post" else found


def encoder(layer: EncoderLayer, x: Array, mask: Array | None, factors: Factors = NONE) -> Array:
    """Return what an encoder layer puts out for one sequence."""
    first, second = layer.norms
    middle = sublayer(x, lambda y: heads(layer.attention, y, y, mask, factors), layer.wiring, lambda y: norm(first, y))
    return sublayer(middle, lambda y: network(layer.feed_forward, y, factors), layer.wiring, lambda y: norm(second, y))


def decoder(layer: DecoderLayer, x: Array, context: Array) -> Array:
    """Return what a decoder layer puts out for one sequence."""
    causal = np.array([[j <= i for j in range(len(x))] for i in range(len(x))])
    steps: tuple[Step, ...] = (
        lambda y: heads(layer.self_attention, y, y, causal),
        lambda y: heads(layer.cross_attention, y, context, None),
        lambda y: network(layer.feed_forward, y),
    )
    for inside, held in zip(steps, layer.norms, strict=True):
        x = sublayer(x, inside, layer.wiring, lambda y, held=held: norm(held, y))  # type: ignore[misc]
    return x


def along(function: Step, x: Array, by_output: Array, direction: Array) -> Any:
    """Return the derivative of Σ by_output · function(x) along a direction."""
    x, g, u = plain.long(x), plain.long(by_output), plain.long(direction)
    return plain.slope(lambda t: (g * function(x + t * u)).sum(), plain.Long(0))
