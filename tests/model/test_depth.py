"""Initialisers against their formulas, and what depth does to gradients and tokens."""

import math
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    Activation,
    DepthSurvey,
    EncoderStack,
    Initialiser,
    NormKind,
    NormPlacement,
    StackSetting,
    causal_mask,
    initial_gain,
    mean_token_cosine,
    random_layer,
    random_stack,
    sinusoidal_encoding,
    survey_depth,
)

HE, GPT2 = Initialiser.HE, Initialiser.GPT2
NONE, POST, PRE = NormPlacement.NONE, NormPlacement.POST, NormPlacement.PRE


@pytest.mark.parametrize(
    ("initialiser", "expected"),
    [
        (Initialiser.GPT2, 0.02),
        (Initialiser.TENTH, 0.1),
        (Initialiser.THREE_TENTHS, 0.3),
        (Initialiser.HE, math.sqrt(2 / 50)),
        (Initialiser.NORMALISED, 1 / math.sqrt(50)),
        (Initialiser.XAVIER, math.sqrt(2 / 250)),
        (0.7, 0.7),
        (0, 0.0),
    ],
)
def test_gains(initialiser: Initialiser | float, expected: float) -> None:
    assert initial_gain(initialiser, 50, 200) == pytest.approx(expected, rel=1e-15)


def test_he_keeps_the_size_of_relu_layers_and_normalised_that_of_linear_ones() -> None:
    numbers = np.random.RandomState(0)
    x = numbers.randn(200, 400)
    for initialiser, activate in ((HE, lambda h: np.maximum(h, 0)), (Initialiser.NORMALISED, lambda h: h)):
        h = x
        for _ in range(5):
            h = activate(h @ (numbers.randn(400, 400) * initial_gain(initialiser, 400, 400)))
        assert (h**2).mean() == pytest.approx((activate(x) ** 2).mean() * (2 if initialiser is HE else 1), rel=0.2)


def test_a_random_layer_is_drawn_in_the_order_of_the_tutorials() -> None:
    layer = random_layer(StackSetting(8, 2, 32, initialiser=HE), np.random.RandomState(42))
    numbers = np.random.RandomState(42)
    for name in ("w_q", "w_k", "w_v", "w_o"):
        np.testing.assert_array_equal(getattr(layer.attention, name), numbers.randn(8, 8) * math.sqrt(2 / 8))
    np.testing.assert_array_equal(layer.feed_forward.w1, numbers.randn(8, 32) * math.sqrt(2 / 8))
    np.testing.assert_array_equal(layer.feed_forward.w2, numbers.randn(32, 8) * math.sqrt(2 / 32))
    assert not layer.feed_forward.b1.any()


def test_settings_reach_the_layers() -> None:
    setting = StackSetting(8, 4, 16, 3, 0.1, PRE, NormKind.RMS, False, Activation.SILU_GATED, 0.5, False)
    stack = random_stack(setting, np.random.RandomState(0))
    assert len(stack.layers) == 3
    layer = stack.layers[2]
    assert (layer.attention.heads, layer.feed_forward.w3.shape) == (4, (8, 16))
    assert (layer.wiring.placement, layer.wiring.residual) == (PRE, False)
    assert (layer.norms[1].kind, layer.norms[1].eps, layer.norms[1].eps_inside_sqrt) == (NormKind.RMS, 0.5, False)
    assert not np.array_equal(layer.attention.w_q, stack.layers[1].attention.w_q)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((HE, 0, 4), "d_in must be at least 1, not 0"),
        ((-0.1, 4, 4), r"initialiser must be at least 0, not -0\.1"),
        ((math.nan, 4, 4), "initialiser must be one finite number"),
        (("large", 4, 4), "initialiser must be one finite number, not 'large'"),
    ],
)
def test_gains_that_cannot_be_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        initial_gain(*arguments)


# ---- Depth ----


def survey(initialiser: Initialiser, norm: NormPlacement, residual: bool, **more: Any) -> DepthSurvey:
    setting = StackSetting(initialiser=initialiser, norm=norm, residual=residual)
    return survey_depth(setting, draws=3, **more).medians()


# initialiser, norm, residual: gradient ratio after 24 layers at least, at most; cosine of the tokens at least, at most.
CLAIMS = [
    (HE, POST, True, 0.05, 10.0, 0.99, 1.0),  # the norm keeps the gradient, the tokens collapse
    (HE, PRE, True, 5.0, 80.0, 0.7, 0.98),
    (HE, POST, False, 0.05, 10.0, 0.99, 1.0),
    (HE, NONE, True, 1e13, 1e17, 0.99, 1.0),  # explodes
    (GPT2, POST, True, 0.9, 1.1, -0.1, 0.1),
    (GPT2, NONE, False, 1e-77, 1e-71, 0.99, 1.0),  # vanishes
    (GPT2, NONE, True, 0.9, 1.1, -0.1, 0.1),  # the residual mends it
    (GPT2, POST, False, 0.05, 10.0, 0.99, 1.0),
]


@pytest.mark.parametrize(("initialiser", "norm", "residual", "least", "most", "alike", "at_most"), CLAIMS)
def test_gradient_and_tokens_through_24_layers(
    initialiser: Initialiser,
    norm: NormPlacement,
    residual: bool,
    least: float,
    most: float,
    alike: float,
    at_most: float,
) -> None:
    found = survey(initialiser, norm, residual)
    assert found.gradient_ratios.shape == found.token_cosines.shape == found.token_norms.shape == (25,)
    assert found.gradient_ratios[0] == 1.0
    assert least < found.gradient_ratios[24] < most
    assert alike < found.token_cosines[24] <= at_most + 1e-9
    assert abs(found.token_cosines[0]) < 0.1
    if norm is POST:
        np.testing.assert_allclose(found.token_norms[1:], 8.0, rtol=1e-2)  # √d_model


def test_the_ratio_is_that_of_the_first_layers() -> None:
    setting = StackSetting(8, 2, 16, layers=2)
    found = survey_depth(setting, tokens=4, draws=1, seed=5, causal=True, encoding=sinusoidal_encoding(4, 8))
    numbers = np.random.RandomState(5)
    x = numbers.randn(4, 8) + sinusoidal_encoding(4, 8)
    stack = random_stack(setting, numbers)
    low, high = numbers.randn(4, 8), numbers.randn(4, 8)
    trace = stack(x, mask=causal_mask(4))
    first = stack.layers[0].reverse(trace.layers[0], low)
    both = stack.reverse(trace, high)[0]
    expected = [1.0, np.linalg.norm(first) / np.linalg.norm(low), np.linalg.norm(both) / np.linalg.norm(high)]
    np.testing.assert_allclose(found.gradient_ratios[0], expected, rtol=1e-12)
    np.testing.assert_allclose(found.token_cosines[0], [mean_token_cosine(level) for level in trace.levels])


def test_a_survey_reports_and_can_be_ended() -> None:
    told: list[float] = []
    setting = StackSetting(8, 2, 16, layers=3)
    survey_depth(setting, draws=2, report=told.append)
    np.testing.assert_allclose(told, np.arange(1, 7) / 6)

    def end(done: float) -> None:
        if done > 0.4:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        survey_depth(setting, draws=2, report=end)
    again = survey_depth(setting, draws=2, seed=1)
    np.testing.assert_array_equal(again.gradient_ratios, survey_depth(setting, draws=2, seed=1).gradient_ratios)
    assert not np.array_equal(again.gradient_ratios, survey_depth(setting, draws=2, seed=2).gradient_ratios)
    assert survey_depth(StackSetting(8, 2, 16, layers=0)).gradient_ratios.shape == (7, 1)


def test_token_cosines() -> None:
    assert mean_token_cosine([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0]]) == pytest.approx(1 / 3)
    assert mean_token_cosine([[1.0, 0.0], [-5.0, 0.0]]) == pytest.approx(-1.0)
    assert mean_token_cosine(np.array([[3.0, 4.0], [6.0, 8.0]]) * 1e-200) == pytest.approx(1.0)
    assert mean_token_cosine([[0.0, 0.0], [6.0, 8.0]]) == 0.0
    with pytest.raises(ArrayError, match="two tokens at least"):
        mean_token_cosine([[1.0, 2.0]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"tokens": 1}, "tokens must be at least 2, not 1"),
        ({"draws": 0}, "draws must be at least 1, not 0"),
        ({"seed": 2**32}, "seed must be at most 4294967295"),
        ({"encoding": np.zeros((3, 8))}, r"encoding has shape \(3, 8\), but must be \(tokens, d_model\) = \(10, 8\)"),
    ],
)
def test_surveys_that_cannot_be_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        survey_depth(StackSetting(8, 2, 16, 1), **arguments)


@pytest.mark.parametrize("factor", [1e-170, 1e160])
def test_a_gradient_whose_squares_leave_the_range_is_still_compared(monkeypatch, factor: float) -> None:
    setting = StackSetting(layers=1, d_model=8, heads=2, d_ff=16)
    usual = survey_depth(setting, draws=1, seed=3, tokens=4).gradient_ratios
    reverse = EncoderStack.reverse
    monkeypatch.setattr(
        EncoderStack, "reverse", lambda *arguments: (reverse(*arguments)[0] * factor, *reverse(*arguments)[1:])
    )
    extreme = survey_depth(setting, draws=1, seed=3, tokens=4).gradient_ratios
    np.testing.assert_allclose(extreme[:, 1:], usual[:, 1:] * factor, rtol=1e-12)
