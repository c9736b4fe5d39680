"""Multi-head attention against the reference, and against a loop over heads with column slices."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    MultiHeadAttention,
    causal_mask,
    layer_norm,
    merge_heads,
    padding_mask,
    scaled_dot_product_attention,
    sinusoidal_encoding,
    split_heads,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-9, "atol": 1e-10}
Array = np.ndarray


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def attention(heads: int = 2, d_k: int = 3, d_v: int = 5, d_model: int = 4, d_context: int = 4, d_out: int = 7) -> Any:
    return MultiHeadAttention(
        random(d_model, heads * d_k, seed=1),
        random(d_context, heads * d_k, seed=2),
        random(d_context, heads * d_v, seed=3),
        random(heads * d_v, d_out, seed=4),
        heads,
        b_q=random(heads * d_k, seed=5),
        b_k=random(heads * d_k, seed=6),
        b_v=random(heads * d_v, seed=7),
        b_o=random(d_out, seed=8),
    )


def check_sums(array: Array, sums: dict[str, float]) -> None:
    assert array.size == sums["n"]
    np.testing.assert_allclose(array.sum(), sums["sum"], **CLOSE)
    np.testing.assert_allclose((array**2).sum(), sums["sumsq"], **CLOSE)
    ramp = np.arange(1, array.size + 1) / array.size  # tells a permutation
    np.testing.assert_allclose(array.ravel() @ ramp, sums["ramp"], **CLOSE)


def example() -> tuple[Array, MultiHeadAttention]:
    numbers = np.random.RandomState(42)
    x = numbers.randn(6, 64)
    return x, MultiHeadAttention(*(numbers.randn(64, 64) * 0.3 for _ in range(4)), heads=8)


def test_reference() -> None:
    case = REFERENCE["multi_head"]
    x, heads = example()
    check_sums(x, case["input_checks"]["X"])
    check_sums(heads.w_o, case["input_checks"]["W_o"])
    trace = heads(x)
    np.testing.assert_allclose(trace.weights, case["expected"]["weights"], **CLOSE)
    np.testing.assert_allclose(trace.output, case["expected"]["output"], **CLOSE)
    causal = heads(x, mask=causal_mask(6))
    np.testing.assert_allclose(causal.weights[0], case["expected_causal"]["weights_head0"], **CLOSE)
    np.testing.assert_allclose(causal.output[0], case["expected_causal"]["output_row0"], **CLOSE)
    check_sums(causal.output, case["expected_causal"]["output_check"])


def test_reference_of_printed_examples() -> None:
    for name, rows, width, scale in (
        ("five_tokens", 5, 8, 0.3),
        ("four_tokens", 4, 8, 0.1),
        ("three_tokens", 3, 2, 0.1),
    ):
        case = REFERENCE["printed_examples"][name]
        numbers = np.random.RandomState(42)
        x = np.array(case["X"]) if "X" in case else numbers.randn(rows, 8)
        w_q, w_k, w_v = (numbers.randn(x.shape[1], width) * scale for _ in range(3))
        trace = MultiHeadAttention(w_q, w_k, w_v, np.eye(width), 1)(x)
        np.testing.assert_allclose(trace.weights[0], case["weights"], **CLOSE)
        np.testing.assert_allclose(trace.output, case["output"], **CLOSE)


def test_reference_from_tokens_to_output() -> None:
    case = REFERENCE["printed_examples"]["pipeline"]
    numbers = np.random.RandomState(42)
    x = numbers.randn(6, 64) * 0.5 + sinusoidal_encoding(6, 64)
    trace = MultiHeadAttention(*(numbers.randn(64, 64) * 0.3 for _ in range(4)), heads=8)(x)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), case["norms_before"], **CLOSE)
    np.testing.assert_allclose(np.linalg.norm(trace.output, axis=1), case["norms_after"], **CLOSE)
    check_sums(trace.weights, case["weights_check"])
    check_sums(trace.output, case["output_check"])


def test_reference_of_permuted_tokens() -> None:
    case = REFERENCE["permutation"]
    x, order = np.array(case["X"]), case["perm"]
    heads = MultiHeadAttention(case["W_q"], case["W_k"], case["W_v"], np.eye(4), 1)
    plain, permuted = heads(x), heads(x[order])
    np.testing.assert_allclose(plain.weights[0], case["weights"], **CLOSE)
    np.testing.assert_allclose(plain.output, case["output"], **CLOSE)
    np.testing.assert_allclose(permuted.weights[0], case["weights_of_permuted"], **CLOSE)
    np.testing.assert_allclose(permuted.output, case["output_of_permuted"], **CLOSE)
    mask = causal_mask(4)
    broken = np.abs(heads(x[order], mask=mask).output - heads(x, mask=mask).output[order]).max()
    np.testing.assert_allclose(broken, case["causal_equivariance_error"], **CLOSE)


@pytest.mark.parametrize("norm", ["eps_inside_sqrt", "eps_outside_sqrt"])
@pytest.mark.parametrize("masked", ["no_mask", "causal"])
def test_reference_encoder_layer(norm: str, masked: str) -> None:
    case = REFERENCE["encoder_layer"]
    w = {name: np.array(value) for name, value in case["params"].items()}
    x, expected = np.array(case["X"]), case["expected"][f"{norm}__{masked}"]
    trace = MultiHeadAttention(w["W_q"], w["W_k"], w["W_v"], w["W_o"], case["heads"])(
        x, mask=causal_mask(x.shape[1]) if masked == "causal" else None
    )
    if "attention_weights" in expected:
        np.testing.assert_allclose(trace.weights, expected["attention_weights"], **CLOSE)
    inside = norm == "eps_inside_sqrt"
    between = layer_norm(x + trace.output, eps=case["eps"], eps_inside_sqrt=inside)
    fed = np.maximum(between @ w["W1"] + w["b1"], 0) @ w["W2"] + w["b2"]
    output = layer_norm(between + fed, eps=case["eps"], eps_inside_sqrt=inside)
    np.testing.assert_allclose(output, expected["output"], **CLOSE)


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("hard", [False, True])
def test_each_head_is_attention_with_its_columns(cross: bool, hard: bool) -> None:
    mha = attention(heads=3, d_k=2, d_v=4, d_context=6 if cross else 4)
    x = random(5, 4)
    context = random(3, 6) if cross else x
    n_k = len(context)
    mask, bias = random(3, 5, n_k) > -0.7, random(5, n_k, seed=9)
    trace = mha(x, context if cross else None, mask=mask, bias=bias, scale=0.4, temperature=1.7, hard=hard)
    outputs = []
    for head in range(3):
        keys, values = slice(2 * head, 2 * head + 2), slice(4 * head, 4 * head + 4)
        alone = scaled_dot_product_attention(
            x @ mha.w_q[:, keys] + mha.b_q[keys],
            context @ mha.w_k[:, keys] + mha.b_k[keys],
            context @ mha.w_v[:, values] + mha.b_v[values],
            mask=mask[head],
            bias=bias,
            scale=0.4,
            temperature=1.7,
            hard=hard,
        )
        for name in ("scores", "scaled", "masked", "weights"):
            np.testing.assert_allclose(getattr(trace, name)[head], getattr(alone, name), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(trace.head_output[head], alone.output, rtol=1e-12, atol=1e-13)
        outputs.append(alone.output)
    np.testing.assert_allclose(trace.concat, np.concatenate(outputs, axis=1), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        trace.output, np.concatenate(outputs, axis=1) @ mha.w_o + mha.b_o, rtol=1e-12, atol=1e-12
    )


def test_shapes_and_parts_of_the_trace() -> None:
    mha = attention()
    x, context = random(6, 1, 9, 4), random(3, 8, 4)
    trace = mha(x, context)
    assert trace.x.shape == x.shape
    assert trace.context.shape == context.shape
    assert trace.q.shape == (6, 1, 2, 9, 3)
    assert trace.k.shape == (3, 2, 8, 3)
    assert trace.v.shape == (3, 2, 8, 5)
    assert trace.weights.shape == (6, 3, 2, 9, 8)
    assert trace.head_output.shape == (6, 3, 2, 9, 5)
    assert trace.concat.shape == (6, 3, 9, 10)
    assert trace.output.shape == (6, 3, 9, 7)
    np.testing.assert_array_equal(mha.project_output(trace.head_output), trace.output)
    for found, expected in zip(mha.project(x, context), (trace.q, trace.k, trace.v), strict=True):
        np.testing.assert_array_equal(found, expected)
    one = mha(x[4, 0], context[1])
    np.testing.assert_allclose(one.output, trace.output[4, 1], rtol=1e-12, atol=1e-12)
    self_attention = mha(x)
    assert self_attention.context is self_attention.x


def test_float32_stays_float32() -> None:
    weights = [random(4, 4, seed=seed).astype(np.float32) for seed in range(4)]
    x = random(3, 4).astype(np.float32)
    trace = MultiHeadAttention(*weights, heads=2)(x, mask=causal_mask(3), scale=0.3, temperature=2.0)
    assert {array.dtype for array in trace} == {np.dtype(np.float32)}
    mixed = MultiHeadAttention(*weights, heads=2, b_o=np.zeros(4))(x)
    assert mixed.output.dtype == np.float64


def test_projections_cannot_be_changed() -> None:
    mha = attention()
    for name in ("w_q", "heads", "d_k", "b_o"):
        with pytest.raises(AttributeError):
            setattr(mha, name, 1)
    with pytest.raises(ValueError, match="read-only"):
        mha.w_k[0, 0] = 1.0
    assert (mha.heads, mha.d_k, mha.d_v) == (2, 3, 5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=2), st.integers(1, 4), st.integers(0, 4), st.integers(0, 3))
def test_splitting_and_merging_are_inverse(batch: list[int], heads: int, n: int, d: int) -> None:
    x = random(*batch, n, heads * d)
    apart = split_heads(x, heads)
    assert apart.shape == (*batch, heads, n, d)
    for head in range(heads):
        np.testing.assert_array_equal(apart[..., head, :, :], x[..., head * d : head * d + d])
    np.testing.assert_array_equal(merge_heads(apart), x)


@pytest.mark.parametrize("heads", [2, 3])
@pytest.mark.parametrize("name", ["mask", "bias"])
def test_a_mask_of_the_batch_never_falls_on_the_heads(heads: int, name: str) -> None:
    """With two sequences and two heads NumPy alone would take (batch, n, n) for (heads, n, n), unseen."""
    mha = attention(heads=heads)
    x = random(2, 4, 4)
    each = random(2, 4, 4, seed=3) > 0 if name == "mask" else random(2, 4, 4, seed=3)
    trace = mha(x, **{name: each[:, None] if name == "bias" else each})
    for sequence in range(2):
        alone = mha(x[sequence], **{name: each[sequence]})
        np.testing.assert_allclose(trace.weights[sequence], alone.weights, rtol=1e-12, atol=1e-15)
    assert not np.allclose(trace.weights[0, 0], mha(x[0], **{name: each[1]}).weights[0])


def test_masks_for_all_for_heads_and_for_both() -> None:
    mha = attention(heads=2)
    x = random(2, 4, 4)
    shared, per_head, full = random(4, 4) > 0, random(2, 4, 4, seed=5) > 0, random(2, 2, 4, 4) > 0
    np.testing.assert_array_equal(mha(x, mask=shared).weights == 0, np.broadcast_to(~shared, (2, 2, 4, 4)))
    np.testing.assert_array_equal(mha(x[0], mask=per_head).weights == 0, ~per_head)
    np.testing.assert_array_equal(mha(x, mask=full).weights == 0, ~full)
    padded = mha(x, mask=padding_mask([3, 1], 4)).weights
    np.testing.assert_array_equal((padded == 0)[:, 0, 0], [[0, 0, 0, 1], [0, 1, 1, 1]])
    two_axes = mha(random(3, 2, 4, 4), mask=np.ones((3, 2, 4, 4), dtype=bool))
    assert two_axes.weights.shape == (3, 2, 2, 4, 4)


@pytest.mark.parametrize("shape", [(4,), (3, 4), (3, 4, 4), (2, 5, 4), (2, 2, 2, 4, 4), (4, 1, 1, 1)])
def test_other_masks_are_refused_by_shape(shape: tuple[int, ...]) -> None:
    mha = attention(heads=2)
    for name, given_ in (("mask", np.ones(shape, dtype=bool)), ("bias", np.zeros(shape))):
        with pytest.raises(ArrayError) as refusal:
            mha(random(2, 4, 4), **{name: given_})
        assert f"{name} has shape {shape}" in str(refusal.value)
        assert "(2, 2, 4, 4)" in str(refusal.value)
    with pytest.raises(ArrayError, match="mask of shape"):
        mha(random(2, 4, 4), mask=np.ones((4, 4)))


def test_heads_that_cannot_share_are_refused_in_words() -> None:
    words = (
        "d_model = 64 cannot be shared equally by 7 heads: choose a number of heads that divides 64, "
        "such as 1, 2, 4, 8, 16, 32 or 64"
    )
    with pytest.raises(ArrayError) as refusal:
        split_heads(np.zeros((6, 64)), 7)
    assert str(refusal.value) == words
    with pytest.raises(ArrayError) as refusal:
        MultiHeadAttention(*[np.zeros((64, 64))] * 4, heads=7)
    assert str(refusal.value) == words
    with pytest.raises(ArrayError, match="by 0 heads"):
        split_heads(np.zeros((6, 64)), 0)
    with pytest.raises(ArrayError, match=r"such as 2, 3, 4, 5, 6, 8, 9 or 10$"):
        split_heads(np.zeros((1, 720)), 7)


@pytest.mark.parametrize(
    ("replaced", "words"),
    [
        ({"w_k": np.zeros((4, 5))}, r"w_q has shape \(4, 6\) and w_k \(4, 5\)"),
        ({"w_v": np.zeros((5, 10))}, r"w_k has shape \(4, 6\) and w_v \(5, 10\)"),
        ({"w_v": np.zeros((4, 9))}, "the width of w_v = 9 cannot be shared equally by 2 heads"),
        ({"w_o": np.zeros((9, 7))}, r"w_v has shape \(4, 10\) and w_o \(9, 7\)"),
        ({"w_q": np.zeros(4)}, r"w_q has shape \(4,\), but must be \(d_model, heads·d_k\)"),
        ({"w_q": np.zeros((4, 0)), "w_k": np.zeros((4, 0))}, "at least one feature"),
        ({"w_q": np.full((4, 6), np.nan)}, "w_q of shape"),
        ({"b_q": np.zeros(5)}, r"b_q has shape \(5,\), but w_q has 6 columns"),
        ({"heads": 2.0}, "heads must be an integer"),
    ],
)
def test_projections_that_do_not_fit_are_refused(replaced: dict[str, Any], words: str) -> None:
    fits = {"w_q": np.zeros((4, 6)), "w_k": np.zeros((4, 6)), "w_v": np.zeros((4, 10)), "w_o": np.zeros((10, 7))}
    with pytest.raises(ArrayError, match=words):
        MultiHeadAttention(**{**fits, "heads": 2, **replaced})


def test_sequences_that_do_not_fit_are_refused() -> None:
    mha = attention()
    with pytest.raises(ArrayError, match=r"x has shape \(3, 5\) and w_q \(4, 6\)"):
        mha(np.zeros((3, 5)))
    with pytest.raises(ArrayError, match=r"context has shape \(3, 5\) and w_k \(4, 6\)"):
        mha(np.zeros((3, 4)), np.zeros((3, 5)))
    with pytest.raises(ArrayError, match="the leading axes do not broadcast"):
        mha(np.zeros((2, 3, 4)), np.zeros((3, 3, 4)))
    with pytest.raises(ArrayError, match="x @ w_q leaves the range of float64"):
        mha(np.full((3, 4), 1e308))
    with pytest.raises(ArrayError, match=r"head_output has shape \(3, 9, 5\)"):
        mha.project_output(np.zeros((3, 9, 5)))
