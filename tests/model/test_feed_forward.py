"""The feed-forward network unit by unit, and its derivative against finite differences."""

from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import Activation, FeedForward, activate, feed_forward

Array = np.ndarray


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def network(activation: Activation, d_model: int = 4, d_ff: int = 7, d_out: int = 4) -> FeedForward:
    gate: dict[str, Array] = {}
    if activation is Activation.SILU_GATED:
        gate = {"w3": random(d_model, d_ff, seed=5), "b3": random(d_ff, seed=6)}
    w1, w2 = random(d_model, d_ff, seed=1), random(d_ff, d_out, seed=3)
    return FeedForward(w1, random(d_ff, seed=2), w2, random(d_out, seed=4), activation, **gate)


@pytest.mark.parametrize("activation", list(Activation))
def test_unit_by_unit(activation: Activation) -> None:
    net, x = network(activation, d_out=3), random(2, 5, 4)
    trace = net(x)
    for row in np.ndindex(2, 5):
        hidden = []
        for unit in range(7):
            number = sum(x[row][i] * net.w1[i, unit] for i in range(4)) + net.b1[unit]
            assert trace.before[row][unit] == pytest.approx(number, rel=1e-12)
            value = float(activate(number, activation))
            if net.w3 is not None:
                value *= sum(x[row][i] * net.w3[i, unit] for i in range(4)) + net.b3[unit]
            hidden.append(value)
        np.testing.assert_allclose(trace.hidden[row], hidden, rtol=1e-10, atol=1e-13)
        for out in range(3):
            number = sum(h * net.w2[unit, out] for unit, h in enumerate(hidden)) + net.b2[out]
            assert trace.output[row][out] == pytest.approx(number, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("activation", list(Activation))
def test_derivative_by_finite_differences(activation: Activation) -> None:
    net, x, weight = network(activation), random(2, 4, seed=8), random(2, 4, seed=9)
    found = net.reverse(net(x), weight)
    for place in np.ndindex(2, 4):
        moved = np.zeros_like(x)
        moved[place] = 1e-6
        measured = ((net(x + moved).output - net(x - moved).output) * weight).sum() / 2e-6
        assert found[place] == pytest.approx(measured, rel=1e-6, abs=1e-7)


def test_half_of_the_units_are_zero_and_shuffled_tokens_stay_themselves() -> None:
    numbers = np.random.RandomState(0)
    w1, w2 = numbers.randn(64, 256) * 0.1, numbers.randn(256, 64) * 0.1
    x, order = numbers.randn(50, 64), numbers.permutation(50)
    trace = feed_forward(x, w1, None, w2, None)
    assert trace.zero_share == pytest.approx(0.5, abs=0.02)
    assert trace.zero_share == np.count_nonzero(trace.before <= 0) / trace.before.size
    np.testing.assert_allclose(feed_forward(x[order], w1, None, w2, None).output, trace.output[order], rtol=1e-12)
    assert feed_forward(x[:0], w1, None, w2, None).zero_share == 0.0


def test_float32_stays_float32_and_arrays_cannot_be_changed() -> None:
    w1, w2 = random(3, 5).astype(np.float32), random(5, 3).astype(np.float32)
    for activation in (Activation.RELU, Activation.GELU, Activation.GELU_TANH):
        trace = feed_forward(np.ones((2, 3), np.float32), w1, None, w2, None, activation)
        assert trace.output.dtype == trace.hidden.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        FeedForward(w1, None, w2, None).w1[0, 0] = 1.0
    assert network(Activation.SILU_GATED).parameter_count() == 4 * 7 + 7 + 7 * 4 + 4 + 4 * 7 + 7


@pytest.mark.parametrize(
    ("replaced", "words"),
    [
        ({"w2": np.zeros((4, 3))}, r"w1 has shape \(3, 5\) and w2 \(4, 3\)"),
        ({"b1": np.zeros(3)}, r"b1 has shape \(3,\), but w1 has 5 columns"),
        ({"b2": np.zeros(5)}, r"b2 has shape \(5,\), but w2 has 3 columns"),
        ({"activation": "silu_gated"}, r"give w3 too, of shape \(3, 5\)"),
        ({"w3": np.zeros((3, 5))}, "'relu' has no gate"),
        ({"b3": np.zeros(5)}, "'relu' has no gate"),
        ({"activation": "silu_gated", "w3": np.zeros((3, 4))}, r"w3 has shape \(3, 4\)"),
        ({"x": np.zeros((2, 4))}, r"x has shape \(2, 4\) and w1 \(3, 5\)"),
        ({"x": np.full((2, 3), 1e308), "w1": np.full((3, 5), 10.0)}, "x @ w1 leaves the range of float64"),
    ],
)
def test_networks_that_do_not_fit_are_refused(replaced: dict[str, Any], words: str) -> None:
    fits = {"x": np.zeros((2, 3)), "w1": np.zeros((3, 5)), "b1": None, "w2": np.zeros((5, 3)), "b2": None}
    with pytest.raises(ArrayError, match=words):
        feed_forward(**{**fits, **replaced})
