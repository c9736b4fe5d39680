"""What masks are filled with, in every precision, against the reference and NumPy arithmetic step by step."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import MaskFill, filled_weights, scaled_dot_product_attention, softmax

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-10, "atol": 1e-12}
REPLACING = (MaskFill.MINUS_INFINITY, MaskFill.LARGE_NEGATIVE, MaskFill.ADDED)
ONE_HIDDEN = np.array([[True, True, False]])
NONE_VISIBLE = np.zeros((1, 3), dtype=bool)
SCORES = np.array([[1.0, 0.25, 2.0]])


@pytest.mark.parametrize("fill", REPLACING)
def test_reference_of_ordinary_scores(fill: MaskFill) -> None:
    case = REFERENCE["mask_fill"]
    visible = np.array([case["mask_1_visible"]]) == 1
    found = filled_weights([case["scores"]], visible, fill)
    np.testing.assert_allclose(found, [case["weights"]], **CLOSE)


def test_reference_of_scores_below_the_fill() -> None:
    case = REFERENCE["mask_fill"]["leak_demo"]
    visible = np.array([case["mask_1_visible"]]) == 1
    found = filled_weights([case["scores"]], visible, MaskFill.MINUS_INFINITY)
    np.testing.assert_array_equal(found, [case["minus_inf_fill"]])
    leaked = filled_weights([case["scores"]], visible, MaskFill.LARGE_NEGATIVE)
    np.testing.assert_array_equal(leaked, [case["minus_1e9_fill_where"]])


def test_reference_of_a_row_with_nothing_visible() -> None:
    case = REFERENCE["sdpa_fully_masked_row"]
    visible = np.array(case["mask_1_visible"]) == 1
    scaled = scaled_dot_product_attention(case["Q"], case["K"], case["V"]).scaled
    conventions = case["row1_by_convention"]
    for fill, name in ((MaskFill.MINUS_INFINITY, "safe_zero_as_torch_sdpa"), (MaskFill.LARGE_NEGATIVE, "minus_1e9")):
        found = filled_weights(scaled, visible, fill)
        np.testing.assert_allclose(found[0], case["row0"]["weights"], **CLOSE)
        np.testing.assert_allclose(found[1], conventions[name]["weights"], **CLOSE)
    added = filled_weights(scaled, visible, MaskFill.ADDED)
    np.testing.assert_allclose(added[1], softmax(scaled[1]), rtol=1e-6)


def test_zero_afterwards_does_not_sum_to_one() -> None:
    found = filled_weights(SCORES, ONE_HIDDEN, MaskFill.AFTER_SOFTMAX)
    np.testing.assert_allclose(found, softmax(SCORES) * ONE_HIDDEN, **CLOSE)
    assert found.sum() < 0.5
    assert not filled_weights(SCORES, NONE_VISIBLE, MaskFill.AFTER_SOFTMAX).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("fill", MaskFill)
def test_every_precision_is_what_it_says(fill: MaskFill, dtype: Any) -> None:
    found = filled_weights(SCORES, ONE_HIDDEN, fill, dtype=dtype)
    assert found.dtype == dtype
    assert found[0, 2] == 0
    exact = softmax(np.where(ONE_HIDDEN, SCORES, -np.inf if fill in REPLACING else SCORES)) * ONE_HIDDEN
    np.testing.assert_allclose(found, exact, rtol=4 * np.finfo(dtype).eps)
    if dtype is np.float16:
        assert not np.allclose(found, exact, rtol=1e-6, atol=0)


def test_half_precision_is_half_precision_at_every_step() -> None:
    scores = np.array([[0.1, 1.3, 2.7, -3.3]], np.float16)
    exponentials = np.exp(scores - scores.max())
    total = np.float16(0)
    for entry in exponentials[0]:
        total = np.float16(total + entry)
    found = filled_weights(scores, np.ones((1, 4), bool), MaskFill.MINUS_INFINITY, dtype=np.float16)
    np.testing.assert_array_equal(found, exponentials / total)


@pytest.mark.parametrize(
    ("fill", "dtype", "expected"),
    [
        (MaskFill.MINUS_INFINITY, np.float16, 0.0),
        (MaskFill.MINUS_INFINITY, np.float64, 0.0),
        (MaskFill.LARGE_NEGATIVE, np.float16, np.nan),  # -1e9 is -inf there, and inf - inf is NaN
        (MaskFill.LARGE_NEGATIVE, np.float32, 1 / 3),
        (MaskFill.ADDED, np.float16, np.nan),
        (MaskFill.ADDED, np.float32, 1 / 3),  # the spacing of floats at 1e9 is 64: the scores are rounded away
        (MaskFill.AFTER_SOFTMAX, np.float16, 0.0),
    ],
)
def test_nothing_visible(fill: MaskFill, dtype: Any, expected: float) -> None:
    found = filled_weights(SCORES, NONE_VISIBLE, fill, dtype=dtype)
    np.testing.assert_allclose(found, np.full((1, 3), expected), rtol=1e-6)


def test_temperature_divides_what_was_filled() -> None:
    exact = scaled_dot_product_attention(
        SCORES.T, [[1.0]] * 3, [[1.0]] * 3, mask=ONE_HIDDEN, scale=1.0, temperature=2.0
    )
    found = filled_weights(exact.scaled, ONE_HIDDEN, MaskFill.MINUS_INFINITY, temperature=2.0)
    np.testing.assert_allclose(found, exact.weights, **CLOSE)
    hot = filled_weights(SCORES, ONE_HIDDEN, MaskFill.LARGE_NEGATIVE, temperature=1e9)
    np.testing.assert_allclose(hot, softmax([[0.0, 0.0, -1.0]]), rtol=1e-6)  # so hot that the mask leaks


def test_batches_and_broadcast_masks() -> None:
    scores = np.random.default_rng(5).normal(size=(2, 3, 4, 4))
    mask = np.tri(4, dtype=bool)
    expected = softmax(np.where(mask, scores, -np.inf))
    for fill in REPLACING:
        np.testing.assert_allclose(filled_weights(scores, mask, fill), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mask": np.ones((1, 3))}, "mask of shape .* must be boolean"),
        ({"mask": np.ones((2, 3), bool)}, "mask has shape"),
        ({"scaled": [[np.nan, 1.0, 2.0]]}, "scaled of shape"),
        ({"dtype": np.int32}, "dtype must be float64, float32 or float16, not int32"),
        ({"dtype": "half a number"}, "dtype must be"),
        ({"temperature": 0.0}, "temperature must be"),
    ],
)
def test_what_cannot_be_is_refused_in_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        filled_weights(**{"scaled": SCORES, "mask": ONE_HIDDEN, "fill": MaskFill.ADDED, **options})
