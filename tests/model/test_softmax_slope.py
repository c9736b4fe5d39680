"""The Jacobian of the softmax against the reference, and softmax in three precisions with its failures."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    softmax,
    softmax_gradient_norm,
    softmax_in_precision,
    softmax_jacobian,
    softmax_reverse,
    two_key_slope,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CASE = REFERENCE["softmax_jacobian"]
CLOSE = {"rtol": 1e-10, "atol": 1e-12}


def test_jacobian_reference() -> None:
    np.testing.assert_allclose(softmax_jacobian(CASE["logits"]), CASE["jacobian"], **CLOSE)
    np.testing.assert_allclose(softmax_gradient_norm(CASE["logits"]), CASE["frobenius"], **CLOSE)


def test_slope_of_two_keys_reference() -> None:
    for case in CASE["saturation"]:
        assert two_key_slope(case["gap"]) == pytest.approx(case["dp_dgap"], rel=1e-10)
        assert two_key_slope(-case["gap"]) == two_key_slope(case["gap"])
        assert softmax_jacobian([float(case["gap"]), 0.0])[0, 0] == pytest.approx(case["dp_dgap"], rel=1e-10)
    np.testing.assert_allclose(two_key_slope([[700.0, 0.0]]), [[math.exp(-700), 0.25]], rtol=1e-12)
    assert two_key_slope(1e300) == 0.0


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_jacobian_by_finite_differences(temperature: float) -> None:
    scores = np.random.default_rng(0).normal(size=(3, 5)) * 2
    scores[1, 2] = -np.inf
    jacobian = softmax_jacobian(scores, temperature)
    assert jacobian.shape == (3, 5, 5)
    for column in range(5):
        step = np.zeros(5)
        step[column] = 1e-6
        above, below = softmax(scores + step, temperature=temperature), softmax(scores - step, temperature=temperature)
        np.testing.assert_allclose(jacobian[..., column], (above - below) / 2e-6, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0.0, atol=1e-15)
    assert not jacobian[1, 2].any()
    norms = [math.sqrt(sum(entry**2 for entry in matrix.ravel())) for matrix in jacobian]
    np.testing.assert_allclose(softmax_gradient_norm(scores, temperature), norms, rtol=1e-12)


def test_the_norm_keeps_its_digits_where_one_weight_rounds_to_one() -> None:
    for gap in (5.0, 20.0, 50.0, 300.0):
        # Two keys: four entries ±p(1 − p), so the norm is twice that.
        assert softmax_gradient_norm([gap, 0.0]) == pytest.approx(2 * float(two_key_slope(gap)), rel=1e-12)
    n = 7
    assert softmax_gradient_norm(np.zeros(n)) == pytest.approx(math.sqrt(n - 1) / n)


def test_pulling_back_is_the_product_with_the_jacobian() -> None:
    numbers = np.random.default_rng(1)
    scores, d_weights = numbers.normal(size=(4, 6)), numbers.normal(size=(4, 6))
    expected = np.einsum("rij,ri->rj", softmax_jacobian(scores), d_weights)
    np.testing.assert_allclose(softmax_reverse(softmax(scores), d_weights), expected, rtol=1e-11, atol=1e-14)
    assert not softmax_reverse(np.zeros(3), np.ones(3)).any()
    assert softmax_reverse(np.zeros((2, 0)), np.ones((2, 0))).shape == (2, 0)


# ---- Softmax in a precision ----


@pytest.mark.parametrize(
    ("dtype", "scores"),
    [("float64", [1000.0, 1001.0, 1002.0]), ("float32", [100.0, 101.0, 102.0]), ("float16", [12.0, 13.0, 14.0])],
)
def test_overflow_is_nan_unless_the_largest_is_taken_away(dtype: str, scores: list[float]) -> None:
    failed = softmax_in_precision(scores, dtype, subtract_max=False)
    assert np.isnan(failed.weights).all()
    assert np.isposinf(failed.exponentials).all()
    mended = softmax_in_precision(scores, dtype, subtract_max=True)
    np.testing.assert_allclose(mended.weights, softmax(scores), rtol=2e-3 if dtype == "float16" else 1e-6)
    assert {array.dtype for array in (*failed, *mended)} == {np.dtype(dtype)}
    np.testing.assert_array_equal(mended.shifted, [-2.0, -1.0, 0.0])


@pytest.mark.parametrize(
    ("dtype", "scores"), [("float64", [709.5, 709.4]), ("float32", [88.5, 88.4]), ("float16", [11.0, 10.9])]
)
def test_a_sum_that_overflows_gives_zeros_without_any_nan(dtype: str, scores: list[float]) -> None:
    silent = softmax_in_precision(scores, dtype, subtract_max=False)
    assert np.isfinite(silent.exponentials).all()
    assert np.isposinf(silent.total).all()
    np.testing.assert_array_equal(silent.weights, [0.0, 0.0])
    np.testing.assert_allclose(softmax_in_precision(scores, dtype).weights.sum(), 1.0, rtol=1e-3)


def test_underflow_is_nan_too() -> None:
    assert np.isnan(softmax_in_precision([-800.0, -801.0], subtract_max=False).weights).all()
    np.testing.assert_allclose(softmax_in_precision([-800.0, -801.0]).weights, softmax([1.0, 0.0]), rtol=1e-12)


def test_where_nothing_overflows_the_largest_changes_nothing() -> None:
    scores = np.random.default_rng(2).normal(size=(4, 6)) * 5
    for subtract in (True, False):
        np.testing.assert_allclose(
            softmax_in_precision(scores, subtract_max=subtract).weights, softmax(scores), rtol=1e-13
        )
    np.testing.assert_array_equal(softmax_in_precision(scores, subtract_max=False).shifted, scores)


def test_every_sum_of_float16_rounds() -> None:
    """Adding 1 to 2048 changes nothing in float16, so of 4097 equal scores only 2048 count."""
    found = softmax_in_precision(np.zeros(4097), "float16")
    assert found.total == 2048.0
    np.testing.assert_array_equal(found.weights, np.full(4097, 1 / 2048, np.float16))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1.0], "int32"), "dtype must be float64, float32 or float16, not int32"),
        (([1.0], "half-size"), "dtype must be float64, float32 or float16, not 'half-size'"),
        (([np.inf],), "scores of shape"),
        ((np.zeros((2, 0)),), r"scores has shape \(2, 0\): a softmax needs at least one score"),
    ],
)
def test_softmaxes_that_cannot_be_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        softmax_in_precision(*arguments)


def test_jacobians_that_cannot_be_are_refused() -> None:
    with pytest.raises(ArrayError, match="temperature must be a finite number above 0"):
        softmax_jacobian([1.0], 0.0)
    with pytest.raises(ArrayError, match="scores of shape"):
        softmax_gradient_norm([np.nan])
    with pytest.raises(ArrayError, match="gap of shape"):
        two_key_slope(np.inf)
