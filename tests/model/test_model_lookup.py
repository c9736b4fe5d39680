"""Lookups of single queries, their gradient and their field."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    LookupField,
    LookupGradient,
    lookup,
    lookup_field,
    lookup_gradient,
    scaled_dot_product_attention,
    tied,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-10, "atol": 1e-12}
RANDOM = np.random.default_rng(11)
TWO = REFERENCE["soft_lookup_2key"]
KEYS = np.array([TWO["k1"], TWO["k2"]])


@pytest.mark.parametrize("case", REFERENCE["lookup"]["cases"], ids=lambda case: case["name"])
def test_reference_lookups(case: dict[str, Any]) -> None:
    table = case["q"], case["K"], case["V"]
    for name, options in (("soft_unscaled", {}), ("soft_scaled_sqrt_dk", {"scaled": True})):
        found = lookup(*table, **options)
        np.testing.assert_allclose(found.weights, case[name]["weights"], **CLOSE)
        np.testing.assert_allclose(found.output, case[name]["output"], **CLOSE)
        np.testing.assert_allclose(found.scores, case["scores"], **CLOSE)
    hard = lookup(*table, hard=True)
    assert hard.weights.tolist().index(1.0) == case["hard"]["argmax_first"]
    np.testing.assert_array_equal(hard.output, case["hard"]["output"])
    np.testing.assert_array_equal(np.flatnonzero(tied(hard.scores)), case["hard"]["tied_indices"])
    cold = lookup(*table, temperature=1e-6)
    np.testing.assert_allclose(cold.output, case["hard"]["zero_temperature_limit_output"], **CLOSE)


@pytest.mark.parametrize("case", REFERENCE["three_key"]["cases"], ids=lambda case: str(case["q"]))
def test_reference_three_keys(case: dict[str, Any]) -> None:
    keys, values = REFERENCE["three_key"]["K"], REFERENCE["three_key"]["V"]
    found = lookup(case["q"], keys, values, scaled=True)
    np.testing.assert_allclose(found.weights, case["weights"], **CLOSE)
    np.testing.assert_allclose(found.output, case["output"], **CLOSE)


def test_reference_two_keys() -> None:
    found = lookup(TWO["q"], KEYS, KEYS)
    np.testing.assert_allclose(found.scores, TWO["scores"], **CLOSE)
    np.testing.assert_allclose(found.weights, TWO["alpha"], **CLOSE)
    np.testing.assert_allclose(found.output, TWO["output"], **CLOSE)
    np.testing.assert_allclose(lookup(TWO["q"], KEYS, KEYS, scaled=True).weights, TWO["alpha_if_scaled_sqrt2"])
    np.testing.assert_array_equal(lookup(TWO["q"], KEYS, KEYS, hard=True).output, TWO["hard_output"])


def test_reference_gradient() -> None:
    found = lookup_gradient(TWO["q"], KEYS, KEYS)
    assert isinstance(found, LookupGradient)
    np.testing.assert_allclose(found.output, TWO["d_output_d_q"], **CLOSE)
    np.testing.assert_allclose(found.output, TWO["closed_form_a1a2_dk_dkT"], **CLOSE)
    hard = lookup_gradient(TWO["q"], KEYS, KEYS, hard=True)
    np.testing.assert_array_equal(hard.output, TWO["hard_d_output_d_q"])
    np.testing.assert_array_equal(hard.weights, np.zeros((2, 2)))


def test_reference_softmax_jacobian() -> None:
    """With the identity as keys the scores are the query, and as values the output is the weights."""
    case = REFERENCE["softmax_jacobian"]
    found = lookup_gradient(case["logits"], np.eye(4), np.eye(4))
    np.testing.assert_allclose(lookup(case["logits"], np.eye(4), np.eye(4)).output, case["softmax"], **CLOSE)
    np.testing.assert_allclose(found.weights, case["jacobian"], **CLOSE)
    np.testing.assert_allclose(found.output, case["jacobian"], **CLOSE)
    np.testing.assert_allclose(np.linalg.norm(found.weights), case["frobenius"], **CLOSE)


@pytest.mark.parametrize("case", REFERENCE["softmax_jacobian"]["saturation"], ids=lambda c: f"gap={c['gap']}")
def test_the_gradient_keeps_its_digits_where_the_softmax_saturates(case: dict[str, Any]) -> None:
    found = lookup_gradient([case["gap"]], [[1.0], [0.0]], [[1.0], [0.0]])
    np.testing.assert_allclose(found.weights, [[case["dp_dgap"]], [-case["dp_dgap"]]], rtol=1e-10, atol=0)
    np.testing.assert_allclose(found.output, [[case["dp_dgap"]]], rtol=1e-10, atol=0)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("n", "d", "d_v"), [(1, 2, 2), (2, 2, 2), (5, 3, 4), (7, 2, 1)])
def test_gradient_against_central_differences(n: int, d: int, d_v: int, temperature: Any, scaled: bool) -> None:
    q, keys, values = RANDOM.normal(size=d), RANDOM.normal(size=(n, d)), RANDOM.normal(size=(n, d_v))
    options = {"temperature": temperature, "scaled": scaled}
    gradient = lookup_gradient(q, keys, values, **options)
    assert (gradient.output.shape, gradient.weights.shape) == ((d_v, d), (n, d))
    step = 1e-5
    for i in range(d):
        move = step * np.eye(d)[i]
        ahead, behind = lookup(q + move, keys, values, **options), lookup(q - move, keys, values, **options)
        slope = (ahead.output - behind.output) / (2 * step)
        np.testing.assert_allclose(gradient.output[:, i], slope, rtol=1e-6, atol=1e-8)
        slope = (ahead.weights - behind.weights) / (2 * step)
        np.testing.assert_allclose(gradient.weights[:, i], slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("options", [{}, {"scaled": True}, {"temperature": 0.2}, {"hard": True}])
def test_lookup_is_attention_of_one_query(options: dict[str, Any]) -> None:
    q, keys, values = RANDOM.normal(size=(3, 5, 4)), RANDOM.normal(size=(6, 4)), RANDOM.normal(size=(6, 2))
    found = lookup(q, keys, values, **options)
    scaled = options.get("scaled", False)
    others = {name: option for name, option in options.items() if name != "scaled"}
    expected = scaled_dot_product_attention(q, keys, values, scale=None if scaled else 1.0, **others)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, **CLOSE)


def test_one_query_and_many_agree_to_the_bit() -> None:
    q, keys, values = RANDOM.normal(size=(40, 2)), RANDOM.normal(size=(6, 2)), RANDOM.normal(size=(6, 2))
    many = lookup(q, keys, values).scores
    np.testing.assert_array_equal(many, [lookup(one, keys, values).scores for one in q])


def test_mirrored_keys_tie_exactly() -> None:
    for a, b, c in RANDOM.normal(size=(200, 3)):
        scores = lookup([c, c], [[a, b], [b, a]], np.eye(2)).scores
        assert scores[0] == scores[1]
    np.testing.assert_array_equal(lookup([c, c], [[a, b], [b, a]], np.eye(2), hard=True).weights, [1.0, 0.0])


@pytest.mark.parametrize("n", [1, 2, 12])
@pytest.mark.parametrize(
    "options", [{}, {"scaled": True}, {"temperature": 0.2}, {"hard": True}, {"hard": True, "scaled": True}]
)
def test_field_is_a_lookup_at_each_point(n: int, options: dict[str, Any]) -> None:
    x, y = np.linspace(-3, 2, 7), np.linspace(4, -1, 5)
    keys, values = RANDOM.normal(size=(n, 2)), RANDOM.normal(size=(n, 3))
    field = lookup_field(x, y, keys, values, **options)
    assert isinstance(field, LookupField)
    assert (field.weights.shape, field.output.shape) == ((5, 7, n), (5, 7, 3))
    for i in range(5):
        for j in range(7):
            one = lookup([x[j], y[i]], keys, values, **options)
            np.testing.assert_allclose(field.weights[i, j], one.weights, **CLOSE)
            np.testing.assert_allclose(field.output[i, j], one.output, **CLOSE)


def test_field_beyond_the_float_range() -> None:
    x, y = np.array([1e200, 1.0, 0.0]), np.array([-1e200, 3e200])
    keys, values = np.array([[1e150, 1e150], [2e150, -1e150], [0.0, 1.0]]), np.array([[1.0], [2.0], [3.0]])
    for hard in (False, True):
        field = lookup_field(x, y, keys, values, hard=hard)
        assert (field.weights.shape, field.output.shape) == ((2, 3, 3), (2, 3, 1))
        expected = [[[2.0], [2.0], [2.0]], [[1.0], [1.0], [1.0]]]
        np.testing.assert_array_equal(field.output, expected)


def test_an_empty_grid_has_an_empty_field() -> None:
    field = lookup_field([], [1.0, 2.0], KEYS, KEYS)
    assert (field.weights.shape, field.output.shape) == ((2, 0, 2), (2, 0, 2))


@pytest.mark.parametrize(
    ("query", "keys", "values", "words"),
    [
        (1.0, KEYS, KEYS, r"query has shape \(\), but must be \(\.\.\., d\)"),
        ([1.0, 2.0, 3.0], KEYS, KEYS, r"query has shape \(3,\) and keys \(2, 2\)"),
        ([1.0, 2.0], [1.0, 2.0], KEYS, r"keys has shape \(2,\), but must be \(n, d\)"),
        ([1.0, 2.0], [KEYS], KEYS, r"keys has shape \(1, 2, 2\), but must be \(n, d\)"),
        ([1.0, 2.0], np.ones((0, 2)), np.ones((0, 1)), r"keys has shape \(0, 2\).*at least one key"),
        ([], np.ones((2, 0)), KEYS, r"keys has shape \(2, 0\).*at least one feature"),
        ([1.0, 2.0], KEYS, [10.0, 20.0], r"values has shape \(2,\).*write values\[:, None\]"),
        ([1.0, 2.0], KEYS, [[1.0]] * 3, r"keys has shape \(2, 2\) and values \(3, 1\)"),
        ([np.nan, 0.0], KEYS, KEYS, r"query of shape \(2,\) holds nan at index \(0,\)"),
        ([0.0, 0.0], KEYS * np.inf, KEYS, r"keys of shape \(2, 2\) holds inf at index \(0, 0\)"),
        ([0.0, 0.0], KEYS, [[1.0], [-np.inf]], r"values of shape \(2, 1\) holds -inf at index \(1, 0\)"),
        ([0.0, 0.0], KEYS, [["a"], ["b"]], r"values of shape \(2, 1\) holds text"),
    ],
)
@pytest.mark.parametrize("function", [lookup, lookup_gradient])
def test_arguments_that_do_not_fit(
    function: Callable[..., Any], query: Any, keys: Any, values: Any, words: str
) -> None:
    if function is lookup_gradient:
        words = words.replace(r"\(\.\.\., d\)", r"\(d,\)")
    with pytest.raises(ArrayError, match=words):
        function(query, keys, values)


def test_the_gradient_is_taken_at_one_query() -> None:
    with pytest.raises(ArrayError, match=r"query has shape \(1, 2\), but must be \(d,\); the gradient is taken at one"):
        lookup_gradient([[1.0, 2.0]], KEYS, KEYS)


@pytest.mark.parametrize(
    ("x", "y", "keys", "words"),
    [
        (1.0, [1.0], KEYS, r"x has shape \(\), but must be \(w,\)"),
        ([1.0], [[1.0]], KEYS, r"y has shape \(1, 1\), but must be \(h,\)"),
        ([np.nan], [1.0], KEYS, r"x of shape \(1,\) holds nan"),
        ([1.0], [np.inf], KEYS, r"y of shape \(1,\) holds inf"),
        ([1.0], [1.0], np.ones((2, 3)), r"a point of the grid has shape \(1, 2\) and keys \(2, 3\)"),
    ],
)
def test_grids_that_do_not_fit(x: Any, y: Any, keys: Any, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        lookup_field(x, y, keys, np.ones((2, 1)))


def test_temperature_zero_points_to_the_hard_lookup() -> None:
    for call in (
        lambda **options: lookup([1.0, 2.0], KEYS, KEYS, **options),
        lambda **options: lookup_gradient([1.0, 2.0], KEYS, KEYS, **options),
        lambda **options: lookup_field([1.0], [2.0], KEYS, KEYS, **options),
    ):
        with pytest.raises(ArrayError, match="for the limit of temperature 0 use hard=True/hard_weights"):
            call(temperature=0)
        call(temperature=0, hard=True)


@pytest.mark.parametrize(
    ("given", "computed"),
    [("f8", "f8"), ("f4", "f4"), ("f2", "f4"), ("i4", "f8"), ("?", "f8"), (">f4", "f4")],
)
@pytest.mark.parametrize("options", [{}, {"hard": True}, {"scaled": True, "temperature": 1e-60}])
def test_dtypes(given: Any, computed: Any, options: dict[str, Any]) -> None:
    eye = np.eye(2).astype(given)
    found = [
        *lookup(eye[0], eye, eye, **options),
        *lookup_gradient(eye[0], eye, eye, **options),
        *lookup_field(eye[0], eye[1], eye, eye, **options),
    ]
    assert {array.dtype for array in found} == {np.dtype(computed)}
    assert lookup(eye[0], eye, np.eye(2), **options).output.dtype == np.float64
    assert lookup_field(np.eye(2)[0], eye[0], eye, eye, **options).output.dtype == np.float64
