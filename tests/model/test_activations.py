"""Activations, their slopes and the normal distribution against the standard library and finite differences."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    Activation,
    activate,
    activation_slope,
    normal_cdf,
    normal_density,
    normal_tail,
)

POINTS = np.linspace(-6.0, 6.0, 97) + 0.01  # not the kink of ReLU


def test_normal_distribution() -> None:
    bell = NormalDist()
    np.testing.assert_allclose(normal_cdf(POINTS), [bell.cdf(x) for x in POINTS], rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(normal_density(POINTS), [bell.pdf(x) for x in POINTS], rtol=1e-13)
    np.testing.assert_allclose(normal_density(POINTS, 3.0), [NormalDist(0, 3).pdf(x) for x in POINTS], rtol=1e-13)
    # The asymptotic series: far out Φ(−x) is φ(x)/x (1 − 1/x² + 3/x⁴ − 15/x⁶ …); 1 + erf would be 0.
    x = 20.0
    far = normal_density(x) / x * (1 - x**-2 + 3 * x**-4 - 15 * x**-6)
    np.testing.assert_allclose(normal_cdf(-x), far, rtol=1e-7)
    np.testing.assert_array_equal(normal_cdf([-np.inf, 0.0, np.inf]), [0.0, 0.5, 1.0])


def test_normal_cdf_of_more_numbers_than_one_chunk() -> None:
    x = np.random.default_rng(0).normal(size=(3, 40000)).astype(np.float32)
    found = normal_cdf(x)
    assert found.shape == x.shape
    assert found.dtype == np.float32
    for place in ((0, 0), (1, 30000), (2, 39999)):
        assert found[place] == pytest.approx(NormalDist().cdf(float(x[place])), rel=1e-6)
    assert normal_cdf(0.0).shape == ()
    assert normal_cdf(np.zeros((0, 3))).shape == (0, 3)


def test_tail_of_512_dimensions() -> None:
    assert normal_tail(30.0, math.sqrt(512)) == pytest.approx(2 * NormalDist(0, math.sqrt(512)).cdf(-30.0), rel=1e-12)
    assert normal_tail(30.0, math.sqrt(512)) == pytest.approx(0.185, abs=5e-4)
    assert normal_tail(0.0) == 1.0


def test_activations_number_by_number() -> None:
    bell = NormalDist()
    for x in POINTS:
        tanh = math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        assert activate(x, "relu") == max(0.0, x)
        assert activate(x, "gelu") == pytest.approx(x * bell.cdf(x), rel=1e-9, abs=1e-14)
        assert activate(x, "gelu_tanh") == pytest.approx(0.5 * x * (1 + tanh), rel=1e-11, abs=1e-14)
        assert activate(x, "silu_gated") == pytest.approx(x / (1 + math.exp(-x)), rel=1e-13)


def test_the_tanh_is_near_the_exact_gelu_and_not_the_same() -> None:
    apart = np.abs(activate(POINTS, Activation.GELU) - activate(POINTS, Activation.GELU_TANH)).max()
    assert 1e-4 < apart < 1e-3


@pytest.mark.parametrize("activation", list(Activation))
def test_slopes_by_finite_differences(activation: Activation) -> None:
    step = 1e-5
    measured = (activate(POINTS + step, activation) - activate(POINTS - step, activation)) / (2 * step)
    np.testing.assert_allclose(activation_slope(POINTS, activation), measured, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("activation", list(Activation))
def test_far_out_every_activation_is_x_or_0(activation: Activation) -> None:
    x = np.array([-1e300, -1e4, 1e4, 1e300])
    np.testing.assert_array_equal(activate(x, activation), [0.0, 0.0, 1e4, 1e300])
    np.testing.assert_array_equal(activation_slope(x, activation), [0.0, 0.0, 1.0, 1.0])
    assert activation_slope(np.zeros(1), Activation.RELU) == 0.0
    assert activate(x[1:3].astype(np.float32), activation).dtype == np.float32


def test_activations_that_cannot_be_are_refused() -> None:
    with pytest.raises(ArrayError, match="activation must be 'relu', 'gelu', 'gelu_tanh' or 'silu_gated', not 'tanh'"):
        activate(1.0, "tanh")
    with pytest.raises(ArrayError, match="x of shape"):
        activation_slope([np.nan], "relu")
    with pytest.raises(ArrayError, match=r"std must be above 0, not 0\.0"):
        normal_density(1.0, 0.0)
    with pytest.raises(ArrayError, match=r"beyond must be at least 0, not -1\.0"):
        normal_tail(-1.0)
