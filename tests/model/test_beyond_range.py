"""Scores beyond the float range, against exact rational arithmetic."""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.model import Attention, lookup, lookup_gradient, scaled_dot_product_attention

BIG = 1.7e308


def exact_weights(
    q: Any, k: Any, scale: Any = 1.0, bias: Any = None, mask: Any = None, temperature: Any = 1.0
) -> np.ndarray:
    """The softmax of exact scores: the products as fractions, the exponentials with 50 digits."""
    rows = []
    for i, query in enumerate(q):
        scores = [sum(Fraction(a) * Fraction(b) for a, b in zip(query, key, strict=True)) for key in k]
        scores = [score * Fraction(scale) for score in scores]
        if bias is not None:
            scores = [score + Fraction(bias[i][j]) for j, score in enumerate(scores)]
        seen = [mask is None or bool(mask[i][j]) for j in range(len(k))]
        top = max((score for score, see in zip(scores, seen, strict=True) if see), default=Fraction(0))
        gaps = [(score - top) / Fraction(temperature) for score in scores]
        with localcontext() as context:
            context.prec = 50
            powers = [
                (Decimal(gap.numerator) / Decimal(gap.denominator)).exp() if see and gap > -2000 else Decimal(0)
                for gap, see in zip(gaps, seen, strict=True)
            ]
            total = sum(powers) or Decimal(1)
            rows.append([float(power / total) for power in powers])
    return np.array(rows)


def check(q: Any, k: Any, **options: Any) -> Attention:
    v = np.arange(2.0 * len(k)).reshape(len(k), 2)
    found = scaled_dot_product_attention(q, k, v, **{"scale": 1.0, **options})
    expected = exact_weights(np.array(q).tolist(), np.array(k).tolist(), **options)
    np.testing.assert_allclose(found.weights, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.output, expected @ v, rtol=1e-9, atol=1e-12)
    return found


def test_the_larger_of_two_overflowing_scores_wins() -> None:
    found = check([[1e200]], [[1e200], [2e200], [-1e200]])
    np.testing.assert_array_equal(found.scores, [[np.inf, np.inf, -np.inf]])
    np.testing.assert_array_equal(found.weights, [[0, 1, 0]])


def test_the_least_of_negative_overflows_wins() -> None:
    check([[-1e200]], [[3e200], [2e200], [1e300]])


def test_equal_overflowing_scores_share() -> None:
    found = check([[1e300, -1e300]], [[1e10, 0.0], [0.0, -1e10], [1.0, 0.0]])
    np.testing.assert_array_equal(found.weights, [[0.5, 0.5, 0.0]])


def test_infinity_minus_infinity_is_what_it_is() -> None:
    found = check([[1e200, 1e200], [1.0, 2.0]], [[1e200, -1e200], [0.0, 0.0]])
    np.testing.assert_array_equal(found.scores, [[0, 0], [-1e200, 0]])
    np.testing.assert_array_equal(found.weights, [[0.5, 0.5], [0, 1]])


def test_a_product_that_overflows_on_the_way_keeps_its_value() -> None:
    found = check([[BIG, BIG, BIG]], [[1.0, 1.0, -1.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(found.scores, [[BIG, 0.0]])


def test_negative_overflow_beside_ordinary_scores() -> None:
    check([[1.0, 1e200]], [[0.3, 0.0], [0.9, 0.0], [0.0, -1e200], [1e-3, 0.0]])
    check([[-1.0, 1e200]], [[0.3, 0.0], [0.9, 0.0], [0.0, -1e200], [1e-3, 0.0]])


def test_scores_in_range_keep_what_moving_their_vectors_would_lose() -> None:
    check([[1e308, 1e-300]], [[-1e308, 0.0], [0.0, 1e300], [0.0, 2e300]])


def test_the_last_digit_of_a_small_entry_counts() -> None:
    last_digit = 2.0**972
    found = check([[2.0**1023, 2.0 + 2.0**-51]], [[0.0, 2.0**1023], [2.0, 0.0]], temperature=last_digit)
    np.testing.assert_allclose(found.weights, [[1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))]])


@pytest.mark.parametrize("scale", [1e-300, -1e-300, 1e-308, 0.0])
def test_a_small_scale_brings_scores_back_into_range(scale: Any) -> None:
    found = check([[1e160, 1e150]], [[1e150, 0.0], [0.9999e150, 1e150], [0.0, 1.0]], scale=scale)
    assert np.isposinf(found.scores[0, :2]).all()
    expected = np.array([[1e155, 0.9999e155 + 1e145, 0.0]]) * (scale * 1e155)
    np.testing.assert_allclose(found.scaled, expected, rtol=1e-9, atol=1e-140)


@pytest.mark.parametrize("scale", [1e300, -1e300])
def test_a_large_scale_takes_scores_out_of_range(scale: Any) -> None:
    check([[1e10], [1e-300]], [[1.0], [2.0], [-1.0]], scale=scale)


def test_bias_beyond_the_range() -> None:
    check([[1e154]], [[1e154], [0.9e154]], bias=[[-1e308, 0.0]])
    check([[1e154]], [[1.1e154], [1.2e154]], bias=[[1.7e308, 1.5e308]])
    check([[1e155]], [[1e155], [1e155]], bias=[[-1.7e308, 1.7e308]], temperature=1e308)
    found = scaled_dot_product_attention([[1e200]], [[1e200], [-1.0]], np.eye(2), bias=[[-np.inf, 0.0]])
    np.testing.assert_array_equal(found.masked, [[-np.inf, -1e200]])
    np.testing.assert_array_equal(found.weights, [[0, 1]])


def test_masks_beyond_the_range() -> None:
    found = check([[1e200], [1.0]], [[1e200], [1e199], [2.0]], mask=[[False, True, True], [False] * 3])
    np.testing.assert_array_equal(found.masked, [[-np.inf, np.inf, 2e200], [-np.inf] * 3])
    np.testing.assert_array_equal(found.output[1], [0, 0])


@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e300, 1.79e308])
def test_temperatures_beyond_the_range(temperature: Any) -> None:
    check([[1e154, 1e100]], [[2e154, 0.0], [1.9e154, 1.0], [-1e154, 3.0]], temperature=temperature)
    check([[1.0, 1e200]], [[1e-5, 0.0], [0.0, 0.0], [0.0, -1e200], [0.0, -1e108]], temperature=temperature)


def test_hard_beyond_the_range_takes_the_first_of_equals() -> None:
    q, k = [[1e200], [-1e200], [0.0]], [[1e200], [3e200], [3e200], [2e200]]
    found = scaled_dot_product_attention(q, k, np.eye(4), hard=True)
    np.testing.assert_array_equal(found.weights.argmax(axis=-1), [1, 0, 0])
    np.testing.assert_array_equal(found.weights.sum(axis=-1), 1)
    masked = scaled_dot_product_attention(q, k, np.eye(4), hard=True, mask=np.zeros((3, 4), bool))
    np.testing.assert_array_equal(masked.weights, np.zeros((3, 4)))


def test_float32_beyond_its_range() -> None:
    q = np.array([[1e30, 1.0]], dtype=np.float32)
    k = np.array([[1e30, 0.0], [1e30, 2e-10], [0.0, 1.0]], dtype=np.float32)
    found = scaled_dot_product_attention(q, k, np.eye(3, dtype=np.float32), scale=1.0)
    assert {stage.dtype for stage in found} == {np.dtype(np.float32)}
    np.testing.assert_array_equal(found.scores, [[np.inf, np.inf, 1.0]])
    np.testing.assert_allclose(found.weights, [[0.5, 0.5, 0.0]])


def test_rows_in_range_do_not_notice_their_neighbours() -> None:
    random = np.random.default_rng(3)
    q, k, v = random.normal(size=(3, 2)), random.normal(size=(4, 2)), random.normal(size=(4, 2))
    alone = lookup(q, k, v, temperature=0.7)
    beside = lookup(np.vstack([q, [[1e308, 1e308]]]), k * 1.0, v, temperature=0.7)
    np.testing.assert_array_equal(beside.weights[:3], alone.weights)


def assert_among(v: Any, output: Any) -> None:
    """Within the values, but for the last digits; by halves, so that the bounds are floats too."""
    slack = 1e-12 * np.abs(v).max() + 1e-320
    assert (output / 2 >= v.min(axis=0) / 2 - slack).all()
    assert (output / 2 <= v.max(axis=0) / 2 + slack).all()


@pytest.mark.parametrize("v", [[[BIG], [BIG], [BIG]], [[np.finfo(float).max]] * 3, [[-BIG], [-BIG], [BIG]]])
def test_means_of_the_largest_values_are_finite(v: Any) -> None:
    random = np.random.default_rng(5)
    v = np.array(v)
    q = random.normal(size=(200, 2))
    for found in (
        scaled_dot_product_attention(q, random.normal(size=(3, 2)), v),
        scaled_dot_product_attention(q[None], random.normal(size=(3, 2)), np.stack([v, v])),
        lookup(q, random.normal(size=(3, 2)), v),
    ):
        assert_among(v, found.output)
    for query in q:
        assert_among(v, lookup(query, random.normal(size=(3, 2)), v).output)


def test_the_guard_for_the_largest_values_leaves_masked_rows_zero() -> None:
    v = np.full((3, 1), np.finfo(float).max)
    q = np.linspace(-1, 1, 50)[:, None]
    mask = np.ones((50, 3), bool)
    mask[7] = False
    found = scaled_dot_product_attention(q, [[0.1], [0.7], [0.4]], v, mask=mask)
    assert found.output[7] == 0
    assert (np.delete(found.output, 7) > 1.79e308).all()


def test_gradients_beyond_the_range_are_infinite_not_nan() -> None:
    found = lookup_gradient([0.0], [[BIG], [-BIG]], [[BIG], [-BIG]])
    np.testing.assert_array_equal(found.output, [[np.inf]])
    np.testing.assert_allclose(found.weights, [[BIG / 2], [-BIG / 2]])
    saturated = lookup_gradient([1.0, 0.0], [[BIG, 1.0], [-BIG, 0.0]], [[BIG], [-BIG]], temperature=1e-300)
    np.testing.assert_array_equal(saturated.output, [[0, 0]])
    warm = lookup_gradient([0.0], [[BIG], [-BIG]], [[1.0], [0.0]], temperature=1e308)
    np.testing.assert_allclose(warm.output, [[0.85]])


any_float = st.floats(allow_nan=False, allow_infinity=False, width=64)
extreme = st.sampled_from([0.0, 1.0, -1.0, 1e154, -1e155, 1e200, 1e308, -1e308, 1.79e308, -1.79e308, 5e-324, 1e-300])
entry = any_float | extreme


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_finite_numbers_give_the_exact_weights(data: st.DataObject) -> None:
    """One feature, as there the rounding of a score cannot exceed its last digit."""
    n_q, n_k = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    q = data.draw(st.lists(extreme, min_size=n_q, max_size=n_q))
    k = data.draw(st.lists(extreme, min_size=n_k, max_size=n_k))
    temperature = data.draw(st.sampled_from([1.0, 5e-324, 1e-300, 1e154, 1e308, 1.79e308]))
    scale = data.draw(st.sampled_from([1.0, 2.0**-700, 2.0**-1000, 2.0**600, -1.0]))
    q, k = [[x] for x in q], [[x] for x in k]
    found = scaled_dot_product_attention(q, k, np.eye(n_k), scale=scale, temperature=temperature).weights
    expected = exact_weights(q, k, scale, temperature=temperature)
    # A score is known to 53 bits: that must be finer than the temperature for the weights to be known.
    largest = max(abs(Fraction(a[0]) * Fraction(b[0]) * Fraction(scale)) for a in q for b in k)
    if largest < Fraction(temperature) * 10**9:
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_finite_numbers_give_nan(data: st.DataObject) -> None:
    n_q, n_k, d, d_v = (data.draw(st.integers(1, 3)) for _ in range(4))

    def matrix(rows: int, columns: int) -> np.ndarray:
        cells = data.draw(st.lists(entry, min_size=rows * columns, max_size=rows * columns))
        return np.array(cells).reshape(rows, columns)

    q, k, v = matrix(n_q, d), matrix(n_k, d), matrix(n_k, d_v)
    options = {
        "temperature": data.draw(st.floats(min_value=5e-324, allow_infinity=False)),
        "hard": data.draw(st.booleans()),
    }
    bias = matrix(n_q, n_k) if data.draw(st.booleans()) else None
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n_q * n_k, max_size=n_q * n_k))).reshape(n_q, n_k)
    found = scaled_dot_product_attention(q, k, v, bias=bias, mask=mask, scale=data.draw(entry), **options)
    assert not any(np.isnan(stage).any() for stage in found)
    assert np.isfinite(found.output).all()
    np.testing.assert_allclose(found.weights.sum(axis=-1), mask.any(axis=-1).astype(float))
    assert (found.weights[~mask] == 0).all()
    assert_among(v, found.output[mask.any(axis=-1)])
    assert (found.output[~mask.any(axis=-1)] == 0).all()
    point = lookup(q[0], k, v, **options)
    assert not any(np.isnan(stage).any() for stage in point)
    gradient = lookup_gradient(q[0], k, v, **options)
    assert not any(np.isnan(part).any() for part in gradient)
