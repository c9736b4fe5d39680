"""Scaled dot-product attention against the reference, and against a triple loop in plain Python."""

import json
import math
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    Attention,
    causal_mask,
    hard_weights,
    map_selection,
    padding_mask,
    scaled_dot_product_attention,
    softmax,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-10, "atol": 1e-12}
RANDOM = np.random.default_rng(7)


def visible(mask: Any) -> np.ndarray:
    return np.array(mask) == 1


def loop_attention(
    q: Any, k: Any, v: Any, mask: Any = None, bias: Any = None, scale: Any = None, temperature: Any = 1.0
) -> tuple[list[Any], list[Any]]:
    """Attention for lists, as one would write it on paper."""
    scale = 1 / math.sqrt(len(q[0])) if scale is None else scale
    weights, output = [], []
    for i, query in enumerate(q):
        row = []
        for j, key in enumerate(k):
            score = scale * sum(a * b for a, b in zip(query, key, strict=True))
            score += bias[i][j] if bias is not None else 0.0
            row.append(math.exp(score / temperature) if mask is None or mask[i][j] else 0.0)
        total = sum(row) or 1.0
        weights.append([entry / total for entry in row])
        output.append([sum(w * value[c] for w, value in zip(weights[-1], v, strict=True)) for c in range(len(v[0]))])
    return weights, output


@pytest.mark.parametrize("name", ["plain", "causal"])
def test_reference_2d(name: str) -> None:
    case = REFERENCE["sdpa_2d"][name]
    mask = visible(case["mask_1_visible"]) if name == "causal" else None
    found = scaled_dot_product_attention(case["Q"], case["K"], case["V"], mask=mask)
    np.testing.assert_allclose(found.scaled, case["expected"]["scores_scaled_premask"], **CLOSE)
    np.testing.assert_allclose(found.scores, np.array(case["Q"]) @ np.array(case["K"]).T, **CLOSE)
    np.testing.assert_allclose(found.weights, case["expected"]["weights"], **CLOSE)
    np.testing.assert_allclose(found.output, case["expected"]["output"], **CLOSE)


@pytest.mark.parametrize("name", ["no_mask", "causal"])
def test_reference_batched(name: str) -> None:
    case = REFERENCE["sdpa_batched"]
    mask = causal_mask(3) if name == "causal" else None
    found = scaled_dot_product_attention(case["Q"], case["K"], case["V"], mask=mask)
    np.testing.assert_allclose(found.weights, case["expected"][name]["weights"], **CLOSE)
    np.testing.assert_allclose(found.output, case["expected"][name]["output"], **CLOSE)


def test_reference_cross_attention() -> None:
    case = REFERENCE["cross_attention"]
    found = scaled_dot_product_attention(case["Q"], case["K"], case["V"])
    np.testing.assert_allclose(found.scaled, case["expected"]["scores_scaled_premask"], **CLOSE)
    np.testing.assert_allclose(found.weights, case["expected"]["weights"], **CLOSE)
    np.testing.assert_allclose(found.output, case["expected"]["output"], **CLOSE)


def test_reference_fully_masked_row_is_zero() -> None:
    case = REFERENCE["sdpa_fully_masked_row"]
    found = scaled_dot_product_attention(case["Q"], case["K"], case["V"], mask=visible(case["mask_1_visible"]))
    zero = case["row1_by_convention"]["safe_zero_as_torch_sdpa"]
    np.testing.assert_allclose(found.weights[0], case["row0"]["weights"], **CLOSE)
    np.testing.assert_allclose(found.output[0], case["row0"]["output"], **CLOSE)
    np.testing.assert_array_equal(found.weights[1], zero["weights"])
    np.testing.assert_array_equal(found.output[1], zero["output"])
    assert np.isneginf(found.masked[1]).all()


def test_reference_mask_fill() -> None:
    case = REFERENCE["mask_fill"]
    masked = np.where(visible(case["mask_1_visible"]), case["scores"], -np.inf)
    np.testing.assert_allclose(softmax(masked), case["weights"], **CLOSE)
    for demo, weights in ((case, case["weights"]), (case["leak_demo"], case["leak_demo"]["minus_inf_fill"])):
        scores, mask = np.array([demo["scores"]]), visible([demo["mask_1_visible"]])
        found = scaled_dot_product_attention([[1.0]], scores.T, np.eye(scores.size), mask=mask)
        np.testing.assert_allclose(found.weights, [weights], **CLOSE)
        np.testing.assert_allclose(found.output, [weights], **CLOSE)


def test_reference_running_mean() -> None:
    case = REFERENCE["running_mean"]
    x = np.array(case["X"])
    found = scaled_dot_product_attention(np.zeros_like(x), x, x, mask=causal_mask(len(x)))
    np.testing.assert_allclose(found.output, case["expected"], **CLOSE)


@pytest.mark.parametrize(("n_q", "n_k", "d_k", "d_v"), [(1, 1, 1, 1), (3, 5, 4, 2), (5, 2, 7, 3), (4, 4, 2, 1)])
@pytest.mark.parametrize("variant", ["plain", "mask", "bias", "scale", "temperature", "all"])
def test_triple_loop(n_q: int, n_k: int, d_k: int, d_v: int, variant: str) -> None:
    q, k, v = RANDOM.normal(size=(n_q, d_k)), RANDOM.normal(size=(n_k, d_k)), RANDOM.normal(size=(n_k, d_v))
    options = {
        "mask": RANDOM.random((n_q, n_k)) < 0.6,
        "bias": RANDOM.normal(size=(n_q, n_k)),
        "scale": -0.7,
        "temperature": 2.5,
    }
    chosen = options if variant == "all" else {name: options[name] for name in options if name == variant}
    found = scaled_dot_product_attention(q, k, v, **chosen)
    weights, output = loop_attention(q.tolist(), k.tolist(), v.tolist(), **chosen)
    np.testing.assert_allclose(found.weights, weights, **CLOSE)
    np.testing.assert_allclose(found.output, output, **CLOSE)


def test_every_stage_is_what_its_name_says() -> None:
    q, k, v = RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(4, 2))
    mask, bias = RANDOM.random((2, 4)) < 0.5, RANDOM.normal(size=(2, 4))
    mask[:, 0] = True
    found = scaled_dot_product_attention(q, k, v, mask=mask, bias=bias, temperature=0.5)
    np.testing.assert_allclose(found.scores, q @ k.T)
    np.testing.assert_allclose(found.scaled, q @ k.T / np.sqrt(3))
    np.testing.assert_allclose(found.masked, np.where(mask, found.scaled + bias, -np.inf))
    np.testing.assert_allclose(found.weights, softmax(found.masked, temperature=0.5))
    np.testing.assert_allclose(found.output, found.weights @ v)
    hard = scaled_dot_product_attention(q, k, v, mask=mask, bias=bias, hard=True)
    np.testing.assert_array_equal(hard.weights, hard_weights(found.masked))
    np.testing.assert_array_equal(hard.output, v[found.masked.argmax(axis=-1)])


def test_hard_ignores_the_temperature() -> None:
    q = np.eye(2)
    found = scaled_dot_product_attention(q, q, q, hard=True, temperature=0.0)
    np.testing.assert_array_equal(found.output, q)


def test_leading_axes_broadcast() -> None:
    q, k, v = RANDOM.normal(size=(2, 1, 3, 4)), RANDOM.normal(size=(5, 6, 4)), RANDOM.normal(size=(6, 2))
    found = scaled_dot_product_attention(q, k, v)
    assert found.weights.shape == (2, 5, 3, 6)
    assert found.output.shape == (2, 5, 3, 2)
    for i in range(2):
        for j in range(5):
            one = scaled_dot_product_attention(q[i, 0], k[j], v)
            np.testing.assert_allclose(found.output[i, j], one.output, **CLOSE)
    assert scaled_dot_product_attention(q[0, 0], k[0], np.stack([v] * 3)).output.shape == (3, 3, 2)


def test_minus_infinity_in_the_bias_hides_like_the_mask() -> None:
    q, k, v = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(3, 2))
    mask = np.array([[True, False, True], [False] * 3, [True] * 3])
    by_mask = scaled_dot_product_attention(q, k, v, mask=mask)
    by_bias = scaled_dot_product_attention(q, k, v, bias=np.where(mask, 0.0, -np.inf))
    for one, other in zip(by_mask[2:], by_bias[2:], strict=True):
        np.testing.assert_array_equal(one, other)


def test_padding_mask_is_shared_between_heads_on_request() -> None:
    x = RANDOM.normal(size=(2, 2, 3, 4))  # as many sequences as heads: the case that would pass unseen
    mask = padding_mask([3, 1], 3)
    with pytest.raises(ArrayError, match=r"mask has shape \(2, 1, 3\).*write mask\[:, None\]"):
        scaled_dot_product_attention(x, x, x, mask=mask)
    weights = scaled_dot_product_attention(x, x, x, mask=mask[:, None]).weights
    assert (weights[0] > 0).all()
    np.testing.assert_array_equal(weights[1], np.broadcast_to([1.0, 0.0, 0.0], (2, 3, 3)))
    one_row = scaled_dot_product_attention(x, x, x, mask=padding_mask(1, 3)).weights
    np.testing.assert_array_equal(one_row, np.broadcast_to([1.0, 0.0, 0.0], (*x.shape[:2], 3, 3)))


@pytest.mark.parametrize("shape", [(2, 2), (3,), (1, 1, 3, 3), (3, 3, 3), (1, 3, 4)])
@pytest.mark.parametrize("name", ["mask", "bias"])
def test_masks_and_biases_that_do_not_fit(shape: tuple[int, ...], name: str) -> None:
    x = np.ones((2, 3, 4))
    full = np.ones(shape, dtype=bool if name == "mask" else float)
    with pytest.raises(ArrayError) as error:
        scaled_dot_product_attention(x, x, x, **{name: full})
    assert str(error.value).startswith(f"{name} has shape {shape}, but the scores have shape (2, 3, 3)")


@pytest.mark.parametrize("mask", [np.ones((2, 2), int), np.ones((2, 2)), [[1, 0], [1, 1]], [["a", "b"]]])
def test_a_mask_of_numbers_is_refused(mask: Any) -> None:
    x = np.eye(2)
    with pytest.raises(ArrayError, match=r"mask of shape \(\d, 2\) holds .*boolean.*convert it, as in mask != 0"):
        scaled_dot_product_attention(x, x, x, mask=mask)


def test_a_ragged_mask_is_refused() -> None:
    with pytest.raises(ArrayError, match="mask cannot be read"):
        scaled_dot_product_attention(np.eye(2), np.eye(2), np.eye(2), mask=[[True], [True, False]])


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (((3,), (2, 3), (2, 3)), r"q has shape \(3,\), but must be \(\.\.\., n_q, d_k\)"),
        (((2, 3), (3,), (2, 3)), r"k has shape \(3,\), but must be \(\.\.\., n_k, d_k\)"),
        (((2, 3), (2, 3), (2,)), r"v has shape \(2,\), but must be \(\.\.\., n_k, d_v\)"),
        (((2, 3), (2, 4), (2, 3)), r"q has shape \(2, 3\) and k \(2, 4\)"),
        (((2, 0), (2, 0), (2, 3)), r"q has shape \(2, 0\) and k \(2, 0\).*at least 1"),
        (((2, 3), (2, 3), (4, 3)), r"k has shape \(2, 3\) and v \(4, 3\)"),
        (((2, 2, 3), (3, 2, 3), (2, 3)), r"q has shape \(2, 2, 3\), k \(3, 2, 3\) and v \(2, 3\)"),
    ],
)
def test_shapes_that_do_not_fit(shapes: Any, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        scaled_dot_product_attention(*(np.ones(shape) for shape in shapes))


@pytest.mark.parametrize("name", ["q", "k", "v", "bias"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_entries_must_be_finite(name: str, bad: Any) -> None:
    arguments = {"q": np.eye(2), "k": np.eye(2), "v": np.eye(2), "bias": np.zeros((2, 2))}
    arguments[name][0, 1] = bad
    if name == "bias" and bad == -np.inf:
        assert scaled_dot_product_attention(**arguments).weights[0, 1] == 0.0
        return
    with pytest.raises(ArrayError, match=rf"{name} of shape \(2, 2\) holds -?(nan|inf) at index \(0, 1\)"):
        scaled_dot_product_attention(**arguments)


@pytest.mark.parametrize("name", ["q", "k", "v", "bias"])
@pytest.mark.parametrize(
    ("bad", "held"),
    [(1j, "complex numbers"), ("text", "text"), (None, "Python objects"), (10**30, "Python obj")],
)
def test_entries_must_be_real(name: str, bad: Any, held: Any) -> None:
    arguments = {
        "q": np.eye(2),
        "k": np.eye(2),
        "v": np.eye(2),
        "bias": np.zeros((2, 2)),
        name: [[bad, bad]] * 2,
    }
    with pytest.raises(ArrayError, match=rf"{name} of shape \(2, 2\) holds {held}"):
        scaled_dot_product_attention(**arguments)


@pytest.mark.parametrize("scale", [np.nan, np.inf, "1", True, [1.0]])
def test_scale_must_be_one_finite_number(scale: Any) -> None:
    with pytest.raises(ArrayError, match="scale must be one finite number"):
        scaled_dot_product_attention(np.eye(2), np.eye(2), np.eye(2), scale=scale)


def test_temperature_must_be_above_zero() -> None:
    with pytest.raises(ArrayError, match="for the limit of temperature 0 use hard=True/hard_weights"):
        scaled_dot_product_attention(np.eye(2), np.eye(2), np.eye(2), temperature=0)


@pytest.mark.parametrize(
    ("q", "k", "v", "bias", "computed"),
    [
        ("f4", "f4", "f4", None, "f4"),
        ("f2", "f2", "f2", None, "f4"),
        ("f2", "f4", "f2", "f2", "f4"),
        ("f8", "f4", "f4", None, "f8"),
        ("f4", "f4", "f8", None, "f8"),
        ("f4", "f4", "f4", "f8", "f8"),
        ("i4", "f4", "f4", None, "f8"),
        ("i4", "i1", "?", None, "f8"),
        (">f4", "f4", "f4", ">f4", "f4"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"hard": True}, {"temperature": 0.5, "scale": 1e-3}, {"scale": 1e-60}])
def test_dtypes(q: Any, k: Any, v: Any, bias: Any, computed: Any, options: dict[str, Any]) -> None:
    arrays = [np.eye(3).astype(dtype) for dtype in (q, k, v)]
    bias = None if bias is None else np.zeros((3, 3), dtype=bias)
    found = scaled_dot_product_attention(*arrays, bias=bias, mask=causal_mask(3), **options)
    assert isinstance(found, Attention)
    assert {stage.dtype for stage in found} == {np.dtype(computed)}


def test_float32_is_close_to_float64() -> None:
    q, k, v = (RANDOM.normal(size=(2, 9, 8)) for _ in range(3))
    single = scaled_dot_product_attention(*(x.astype(np.float32) for x in (q, k, v)), mask=causal_mask(9))
    double = scaled_dot_product_attention(q, k, v, mask=causal_mask(9))
    np.testing.assert_allclose(single.output, double.output, rtol=1e-4, atol=1e-5)


def test_empty_sequences() -> None:
    found = scaled_dot_product_attention(np.ones((0, 3)), np.ones((4, 3)), np.ones((4, 2)))
    assert (found.weights.shape, found.output.shape) == ((0, 4), (0, 2))
    for hard in (False, True):
        nothing = scaled_dot_product_attention(np.ones((3, 2)), np.ones((0, 2)), np.ones((0, 2)), hard=hard)
        np.testing.assert_array_equal(nothing.output, np.zeros((3, 2)))


def test_arguments_are_not_changed() -> None:
    q, k, v, bias = np.ones((2, 3)), np.ones((4, 3)), np.ones((4, 2)), np.full((2, 4), 0.5)
    scaled_dot_product_attention(q, k, v, bias=bias, mask=np.zeros((2, 4), bool), scale=1.0, temperature=0.1)
    for array, entry in ((q, 1.0), (k, 1.0), (v, 1.0), (bias, 0.5)):
        np.testing.assert_array_equal(array, entry)


@pytest.mark.parametrize("keep", [("output",), ("weights", "output"), "masked", ["scores", "scaled"], ()], ids=str)
@pytest.mark.parametrize("leading", [((), ()), ((2, 3), (3,)), ((), (2,))], ids=str)
def test_only_the_stages_to_keep_are_held(
    keep: Any, leading: tuple[tuple[int, ...], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_selection, "rows_of_a_block", lambda n_k, entries: 3)
    shapes = (*leading[0], 7, 4), (5, 4), (*leading[1], 5, 2)
    q, k, v = (np.random.default_rng(0).normal(size=shape).astype(np.float32) for shape in shapes)
    options: dict[str, Any] = {"mask": np.tri(7, 5, dtype=bool), "bias": np.ones((7, 5), np.float32), "scale": 2.0}
    kept = scaled_dot_product_attention(q, k, v, **options, keep=keep)
    for name, expected in scaled_dot_product_attention(q, k, v, **options)._asdict().items():
        found = getattr(kept, name)
        if name not in ([keep] if isinstance(keep, str) else keep):
            assert found is None, name
            continue
        assert (found.dtype, found.shape) == (np.float32, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_what_is_not_kept_is_not_held() -> None:
    q = np.random.default_rng(0).normal(size=(4096, 8)).astype(np.float32)
    tracemalloc.start()
    scaled_dot_product_attention(q, q, q, keep=("output",))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4096 * 4096 * 4 / 2, "less than half of one matrix of scores"


def test_a_stage_that_is_unknown_cannot_be_kept() -> None:
    with pytest.raises(ArrayError, match="keep names 'context', 'out', but the stages are scores, scaled, masked"):
        scaled_dot_product_attention([[1.0]], [[1.0]], [[1.0]], keep=("weights", "out", "context"))
