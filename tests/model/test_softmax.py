"""Softmax, its hard limit, ties and entropy."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import entropy, hard_weights, softmax, tied

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-10, "atol": 1e-12}


def numbers(values: Any) -> np.ndarray:
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize("case", REFERENCE["softmax"]["cases"], ids=lambda case: case["name"])
def test_reference_cases(case: dict[str, Any]) -> None:
    expected = case["expected"] or case["safe_zero"]
    np.testing.assert_allclose(softmax(numbers(case["x"])), numbers(expected), **CLOSE)


@pytest.mark.parametrize("case", REFERENCE["temperature"]["cases"], ids=lambda case: f"T={case['T']}")
def test_reference_temperatures(case: dict[str, Any]) -> None:
    weights = softmax(REFERENCE["temperature"]["scores"], temperature=case["T"])
    np.testing.assert_allclose(weights, case["weights"], **CLOSE)
    np.testing.assert_allclose(entropy(weights), case["entropy_nats"], **CLOSE)


@pytest.mark.parametrize("case", REFERENCE["uniform"], ids=lambda case: f"n={case['T']}")
def test_equal_scores_share_equally(case: dict[str, Any]) -> None:
    scores = np.full(case["T"], case["score"])
    np.testing.assert_allclose(softmax(scores), case["weights"], **CLOSE)
    np.testing.assert_allclose(entropy(softmax(scores)), np.log(case["T"]), **CLOSE)


def test_axis_is_the_one_that_sums_to_one() -> None:
    scores = np.array([[1.0, 2.0, 3.0], [1.0, 0.0, 9.0]])
    np.testing.assert_allclose(softmax(scores).sum(axis=1), [1, 1])
    np.testing.assert_allclose(softmax(scores, axis=0).sum(axis=0), [1, 1, 1])
    np.testing.assert_allclose(softmax(scores, axis=0), softmax(scores.T).T)
    np.testing.assert_array_equal(hard_weights(scores, axis=0), [[1, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(tied(scores, axis=0), [[True, True, False], [True, False, True]])


def test_the_scores_given_are_not_changed() -> None:
    scores = np.array([3.0, 1.0, -np.inf])
    for function in (softmax, hard_weights, tied):
        function(scores)
    softmax(scores, temperature=1e300)
    np.testing.assert_array_equal(scores, [3.0, 1.0, -np.inf])


@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e-60, 1.0, 1e300, 1.7e308])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_logits_and_temperatures(dtype: Any, temperature: Any) -> None:
    top = np.finfo(dtype).max
    weights = softmax(np.array([[top, -top, top, -np.inf], [-np.inf] * 4], dtype=dtype), -1, temperature)
    low = np.exp(-2 * (float(top) / temperature)) if temperature > 1e300 else 0.0
    if dtype is np.float32 and temperature > 1e60:
        low = 1.0
    expected = np.array([1, low, 1, 0]) / (2 + low)
    np.testing.assert_allclose(weights, [expected, np.zeros(4)], rtol=1e-6)
    assert weights.dtype == dtype


def test_halving_for_high_temperatures_changes_nothing() -> None:
    for temperature in (2.0**64, 2.0**65):
        scores = np.array([3.0, 0.5, -1.0]) * 2.0**64
        np.testing.assert_allclose(softmax(scores, temperature=temperature), softmax(scores / temperature), rtol=1e-15)


def test_hard_takes_the_lowest_index_of_equals_and_nothing_of_nothing() -> None:
    scores = [[1.0, 5.0, 5.0], [-np.inf, -np.inf, -np.inf], [-np.inf, -2.0, -np.inf]]
    np.testing.assert_array_equal(hard_weights(scores), [[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    expected = [[False, True, True], [False, False, False], [False, True, False]]
    np.testing.assert_array_equal(tied(scores), expected)


def test_tolerance_widens_a_tie() -> None:
    scores = np.array([1.0, 0.9, 0.5, -np.inf])
    np.testing.assert_array_equal(tied(scores), [True, False, False, False])
    np.testing.assert_array_equal(tied(scores, tolerance=0.2), [True, True, False, False])
    np.testing.assert_array_equal(tied([1e308, -1e308], tolerance=1e307), [True, False])


def test_entropy_of_certainty_and_of_nothing_is_a_plain_zero() -> None:
    for weights in ([1.0, 0.0], [0.0, 0.0]):
        found = entropy(weights)
        assert found == 0.0
        assert not np.signbit(found)
    np.testing.assert_allclose(entropy([[0.5, 1.0], [0.5, 0.0]], axis=0), [np.log(2), 0.0])


@pytest.mark.parametrize(
    ("given", "computed"),
    [
        (np.float64, np.float64),
        (np.float32, np.float32),
        (np.float16, np.float32),
        (np.int64, np.float64),
        (np.int8, np.float64),
        (np.uint64, np.float64),
        (np.bool_, np.float64),
        (np.dtype(">f8"), np.float64),
        (np.dtype(">f4"), np.float32),
    ],
)
def test_dtypes(given: Any, computed: Any) -> None:
    scores = np.array([1, 0, 1]).astype(given)
    for function in (softmax, hard_weights, entropy):
        assert function(scores).dtype == computed, function
    assert softmax(scores, temperature=np.float64(0.5)).dtype == computed
    assert softmax(scores, temperature=1e-300).dtype == computed


def test_float16_is_computed_in_float32() -> None:
    scores = np.array([0.1, 60000.0], dtype=np.float16)
    np.testing.assert_array_equal(softmax(scores, temperature=1e5), softmax(scores.astype("f"), temperature=1e5))


def test_no_entries_give_no_weights() -> None:
    for function in (softmax, hard_weights, tied, entropy):
        assert function(np.zeros((3, 0))).shape == ((3,) if function is entropy else (3, 0))
        assert function(np.zeros((0, 3))).shape == ((0,) if function is entropy else (0, 3))


def test_a_strict_caller_sees_no_floating_point_error() -> None:
    with np.errstate(all="raise"):
        softmax([1e308, -1e308, -np.inf], temperature=1e-300)
        softmax([[-np.inf, -np.inf]])
        tied([1e308, -1e308])
        entropy([1e-308, 1.0])


@pytest.mark.parametrize("function", [softmax, hard_weights, tied])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_refused_with_their_place(function: Callable[..., Any], bad: Any) -> None:
    with pytest.raises(ArrayError, match=r"scores of shape \(2, 2\) holds (nan|inf) at index \(1, 0\)"):
        function([[-np.inf, 1.0], [bad, 0.0]])


@pytest.mark.parametrize("temperature", [0, 0.0, -1.0, np.nan, np.inf, "1", True, None, 10**400, 1j, [1.0]])
def test_temperature_must_be_finite_and_above_zero(temperature: Any) -> None:
    with pytest.raises(ArrayError, match="for the limit of temperature 0 use hard=True/hard_weights"):
        softmax([1.0, 2.0], temperature=temperature)


@pytest.mark.parametrize("temperature", [2, np.float32(2), np.int8(2)])
def test_temperature_may_be_any_real_number(temperature: Any) -> None:
    np.testing.assert_array_equal(softmax([2.0, 4.0], temperature=temperature), softmax([1.0, 2.0]))


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([1j, 2], r"scores of shape \(2,\) holds complex numbers"),
        (["a", "b"], r"scores of shape \(2,\) holds text"),
        ([b"a"], r"scores of shape \(1,\) holds bytes"),
        ([None, 1.0], r"scores of shape \(2,\) holds Python objects"),
        (np.zeros(2, "M8[s]"), r"scores of shape \(2,\) holds dates"),
        (np.zeros(2, "m8[s]"), r"scores of shape \(2,\) holds time spans"),
        (np.zeros(2, "i,i"), r"scores of shape \(2,\) holds records"),
        ([[1.0], [1.0, 2.0]], "scores cannot be read as an array of numbers"),
        (1.0, r"scores has shape \(\)"),
    ],
)
def test_what_is_no_array_of_real_numbers_is_refused_in_words(scores: Any, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        softmax(scores)


@pytest.mark.parametrize("axis", [2, -3, 1.0, None])
def test_axis_must_exist(axis: Any) -> None:
    for function in (softmax, hard_weights, tied):
        with pytest.raises(ArrayError, match=r"axis"):
            function(np.zeros((2, 3)), axis=axis)


@pytest.mark.parametrize("weights", [[-0.1, 1.1], [2.0, 0.0], [np.nan, 1.0]])
def test_entropy_wants_weights(weights: Any) -> None:
    with pytest.raises(ArrayError, match=r"weights of shape \(2,\)"):
        entropy(weights)


@pytest.mark.parametrize("tolerance", [-1.0, np.inf, np.nan])
def test_tolerance_must_be_finite_and_not_negative(tolerance: Any) -> None:
    with pytest.raises(ArrayError, match="tolerance"):
        tied([1.0, 2.0], tolerance=tolerance)
