"""The first half of a layer alone, against the same arithmetic by hand and against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    EncoderStack,
    NormPlacement,
    StackSetting,
    causal_mask,
    layer_norm,
    random_layer,
)
from attention_explorer.model.attention_layer import AttentionLayer

X = np.random.RandomState(3).randn(2, 5, 12)


def drawn(**changes: object) -> tuple[AttentionLayer, AttentionLayer]:
    numbers = np.random.RandomState(5)
    setting = StackSetting(**{"d_model": 12, "heads": 3, "d_ff": 20, **changes})  # type: ignore[arg-type]
    first, second = (AttentionLayer(random_layer(setting, numbers)) for _ in range(2))
    return first, second


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("norm", NormPlacement)
def test_it_is_attention_with_its_residual_and_norm(norm: NormPlacement, residual: bool) -> None:
    layer, _ = drawn(norm=norm, residual=residual)
    before = layer_norm(X) if norm is NormPlacement.PRE else X
    found = layer.attention(before).output
    summed = X + found if residual else found
    expected = layer_norm(summed) if norm is NormPlacement.POST else summed
    trace = layer(X)
    np.testing.assert_array_equal(trace.output, expected)
    assert layer.parameter_counts() == {"attention": 4 * 12 * 12, "feed_forward": 0, "norms": 0}


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("norm", NormPlacement)
def test_the_gradient_is_that_of_finite_differences(norm: NormPlacement, residual: bool) -> None:
    stack = EncoderStack(drawn(norm=norm, residual=residual))
    numbers = np.random.RandomState(1)
    by_output, way = numbers.randn(*X.shape), numbers.randn(*X.shape)
    gradient = stack.reverse(stack(X), by_output)[0]
    step = 1e-6
    ahead, back = (float((by_output * stack(X + sign * step * way).output).sum()) for sign in (1, -1))
    assert float((gradient * way).sum()) == pytest.approx((ahead - back) / (2 * step), rel=1e-6)


def test_decoding_is_causal_attention() -> None:
    stack = EncoderStack(drawn(norm=NormPlacement.PRE))
    whole = stack(X, mask=causal_mask(5)).output
    caches = None
    for token in range(5):
        trace, caches = stack.decode(X[:, token : token + 1], caches)
        np.testing.assert_allclose(trace.output[:, 0], whole[:, token], rtol=1e-12, atol=1e-13)


def test_a_derivative_of_another_shape_is_refused() -> None:
    layer, _ = drawn()
    with pytest.raises(ArrayError, match=r"d_output has shape \(1, 5, 12\)"):
        layer.reverse(layer(X), np.zeros((1, 5, 12)))
