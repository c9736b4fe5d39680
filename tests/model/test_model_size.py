"""Costs against the reference, against counting in loops, and against the layer itself."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    GPT2_SMALL,
    GPT2_XL,
    LONG_CONTEXT,
    EncoderStack,
    ModelSize,
    MultiHeadAttention,
    StackSetting,
    product_flops,
    random_stack,
    window_mask,
)

CASES = json.loads((Path(__file__).parents[1] / "data" / "reference_cost.json").read_text(encoding="utf-8"))["cases"]
MIB, GIB = 2**20, 2**30


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['n']}×{case['d_model']}")
def test_reference(case: dict[str, Any]) -> None:
    found = ModelSize(case["n"], case["d_model"], case["heads"], case["layers"])
    assert found.matrix_elements == case["elements_one_matrix"]
    assert found.all_matrix_elements == case["elements_all"]
    assert found.matrix_bytes / MIB == case["fp32_MiB_one"]
    assert found.all_matrix_bytes / MIB == case["fp32_MiB_all"]
    assert found.layer_flops == case["layer_flops_mul_add"]
    assert found.doubling_ratio == pytest.approx(case["flop_ratio_when_n_doubles"], rel=1e-14)
    twice = ModelSize(2 * case["n"], case["d_model"], case["heads"], case["layers"])
    assert twice.matrix_elements / found.matrix_elements == case["matrix_ratio_when_n_doubles"]
    assert twice.layer_flops / found.layer_flops == pytest.approx(found.doubling_ratio, rel=1e-14)


def test_presets() -> None:
    assert GPT2_SMALL.matrix_elements == 1_048_576
    assert GPT2_SMALL.all_matrix_bytes == 576 * MIB
    assert round(GPT2_SMALL.doubling_ratio, 3) == 2.364
    assert GPT2_SMALL.balance_tokens == 4608
    assert GPT2_SMALL.cache_bytes == 72 * MIB
    assert round(GPT2_XL.all_matrix_bytes / GIB, 2) == 4.69
    assert round(LONG_CONTEXT.matrix_bytes / GIB, 1) == 37.3
    assert round(LONG_CONTEXT.doubling_ratio, 2) == 3.91
    assert round(ModelSize(10, 512, 8).doubling_ratio, 3) == 2.006


def test_flops_are_those_of_the_products_of_a_layer() -> None:
    setting = StackSetting(d_model=12, heads=3, d_ff=20, layers=2)
    stack = random_stack(setting, np.random.RandomState(0))
    trace = stack(np.ones((7, 12)))
    size = ModelSize(7, 12, 3, 2, d_ff=20)

    def products(stack: EncoderStack) -> int:
        """Count 2 · rows · inner · columns of every product, from the shapes alone."""
        total = 0
        for layer, passed in zip(stack.layers, trace.layers, strict=True):
            heads, fed = passed.attention.inside, passed.feed_forward.inside
            for matrix in (layer.attention.w_q, layer.attention.w_k, layer.attention.w_v, layer.attention.w_o):
                total += 2 * 7 * matrix.size
            total += 2 * heads.scores.size * heads.q.shape[-1] + 2 * heads.head_output.size * heads.weights.shape[-1]
            total += 2 * fed.hidden.size * 12 + 2 * fed.output.size * 20
        return total

    assert size.flops == products(stack)
    assert size.parameters == sum(layer.attention.parameter_count() + 2 * 12 * 20 for layer in stack.layers)
    assert size.all_matrix_elements == sum(weights.size for weights in trace.weights)


class Counter:
    """Multiplies and counts every multiplication and every addition, the first addition being to zero."""

    def __init__(self) -> None:
        self.operations = 0

    def product(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result = np.zeros((a.shape[0], b.shape[1]))
        for row in range(a.shape[0]):
            for column in range(b.shape[1]):
                for k in range(a.shape[1]):
                    result[row, column] += a[row, k] * b[k, column]
                    self.operations += 2
        return result


@pytest.mark.parametrize(("n", "d", "heads", "d_ff"), [(3, 4, 2, 8), (5, 6, 3, 7), (1, 2, 1, 1)])
def test_a_layer_takes_as_many_operations_as_its_products_counted_one_by_one(n, d, heads, d_ff) -> None:
    stream, counter = np.random.default_rng(1), Counter()
    x = stream.standard_normal((n, d))
    w_q, w_k, w_v, w_o = (stream.standard_normal((d, d)) for _ in range(4))
    q, k, v = (counter.product(x, w) for w in (w_q, w_k, w_v))
    projected = counter.operations
    parts = []
    for head in range(heads):
        of_head = slice(head * d // heads, (head + 1) * d // heads)
        scores = counter.product(q[:, of_head], k[:, of_head].T) / np.sqrt(d // heads)
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        parts.append(counter.product(weights, v[:, of_head]))
    attended = counter.operations - projected
    output = counter.product(np.hstack(parts), w_o)
    mixed = counter.operations - attended - projected
    counter.product(counter.product(output, np.ones((d, d_ff))), np.ones((d_ff, d)))

    # It is attention, not any list of products.
    expected = MultiHeadAttention(w_q, w_k, w_v, w_o, heads)(x).output
    np.testing.assert_allclose(output, expected, atol=1e-12)
    cost = ModelSize(n, d, heads, d_ff=d_ff)
    assert cost.query_key_value_flops == projected
    assert cost.quadratic_flops == cost.score_flops + cost.weighted_value_flops == attended
    assert cost.output_flops == mixed
    assert cost.layer_flops == counter.operations


@given(
    n=st.integers(1, 10**6),
    heads=st.integers(1, 64),
    d_k=st.integers(1, 256),
    d_ff=st.integers(1, 10**5),
)
def test_the_closed_forms(n, heads, d_k, d_ff) -> None:
    d = heads * d_k
    cost = ModelSize(n, d, heads, d_ff=d_ff)
    assert cost.quadratic_flops == 4 * n**2 * d
    assert cost.linear_flops == 8 * n * d**2 + 4 * n * d * d_ff
    assert 2.0 <= cost.doubling_ratio <= 4.0
    assert cost.matrix_doubling_ratio == 4.0
    assert (cost.quadratic_flops > cost.linear_flops) == (n > cost.balance_tokens)
    assert cost.parameters == 4 * d * d + 2 * d * d_ff
    # Token by token with a cache: the last one of n tokens sees n keys.
    assert cost.next_token_flops == 8 * d**2 + 4 * d * d_ff + 4 * n * d
    # One product for all heads does the work of one for each.
    assert product_flops(n, d, d) == heads * product_flops(n, d, d_k)


def test_the_n2_part_is_the_larger_only_from_six_d_on() -> None:
    at = ModelSize(4608, 768, 12)
    assert at.quadratic_flops == at.linear_flops
    assert at.at(4609).quadratic_flops > at.at(4609).linear_flops
    assert at.at(4607).quadratic_flops < at.at(4607).linear_flops


@pytest.mark.parametrize(("n", "window"), [(7, 3), (7, 7), (7, 1), (4, 9)])
def test_a_window_is_a_band_of_which_the_first_rows_have_empty_places(n, window) -> None:
    cost = ModelSize(n, 8, 2, window=window)
    w = min(n, window)
    assert cost.keys == w
    assert cost.matrix_elements == n * w
    assert cost.matrix_elements - w * (w - 1) // 2 == window_mask(n, window, causal=True).sum()
    assert cost.quadratic_flops == 4 * n * w * 8
    assert cost.cache_elements == 2 * w * 8
    if window <= n:
        assert cost.doubling_ratio == 2.0 or window > n
        assert cost.matrix_doubling_ratio == 2.0


def test_a_window_as_long_as_the_input_saves_nothing() -> None:
    assert ModelSize(64, 8, 2, window=64).flops == ModelSize(64, 8, 2).flops


@pytest.mark.parametrize("window", [1, 3, 9, 20])
def test_decoding_step_by_step_in_a_window(window: int) -> None:
    size = ModelSize(9, 8, 2, 3, window=window)
    assert size.decoding_flops == sum(3 * size.at(t).next_token_flops for t in range(1, 10))
    assert size.decoding_flops_without_cache == sum(size.at(t).flops for t in range(1, 10))


def test_numpy_integers_do_not_overflow() -> None:
    size = ModelSize(np.int32(100_000), np.int16(768), np.int8(12))  # type: ignore[arg-type]
    assert size.matrix_elements == 10**10
    assert size == ModelSize(100_000, 768, 12)


def test_decoding_step_by_step() -> None:
    size = ModelSize(9, 8, 2, 3)
    again = sum(ModelSize(t, 8, 2, 3).flops for t in range(1, 10))
    cached = sum(3 * (ModelSize(1, 8, 2).linear_flops + 4 * t * 8) for t in range(1, 10))
    assert size.decoding_flops_without_cache == again
    assert size.decoding_flops == cached < again


def test_balance_is_where_both_parts_cost_the_same() -> None:
    for d_model, d_ff in ((8, None), (8, 24), (16, 1)):
        n = ModelSize(1, d_model, 2, d_ff=d_ff).balance_tokens
        size = ModelSize(n, d_model, 2, d_ff=d_ff)
        assert size.quadratic_flops == size.linear_flops


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"tokens": 0}, "tokens must be at least 1, not 0"),
        ({"d_ff": 0}, "d_ff must be at least 1, not 0"),
        ({"layers": 1.5}, "layers must be an integer"),
        ({"window": 0}, "window must be at least 1"),
        ({"heads": 7}, "d_model = 64 cannot be shared equally by 7 heads"),
    ],
)
def test_sizes_that_cannot_be_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        ModelSize(**{"tokens": 4, "d_model": 64, "heads": 8, **arguments})
