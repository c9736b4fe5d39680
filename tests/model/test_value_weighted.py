"""Weights times the lengths of values, against sums over single numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    ArrayMap,
    MultiHeadAttention,
    QueryKeyMap,
    Stage,
    causal_mask,
    map_selection,
    strictly_causal_mask,
)
from attention_explorer.model.patterns import Pattern
from attention_explorer.model.value_weighted import ValueWeightedMap, output_rows


def by_loop(weights: np.ndarray, v: np.ndarray, w_o: np.ndarray | None) -> np.ndarray:
    found = np.zeros(weights.shape)
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            part = [float(weight) * float(number) for number in v[j]]
            if w_o is not None:
                columns = range(w_o.shape[1])
                part = [sum(x * float(w_o[at, column]) for at, x in enumerate(part)) for column in columns]
            found[i, j] = math.sqrt(sum(x * x for x in part))
    return found


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_entries_are_lengths_of_weighted_values(data: st.DataObject) -> None:
    n_q, n_k, d_v, d_out = (data.draw(st.integers(1, 6)) for _ in range(4))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    mask = data.draw(st.sampled_from([None, causal_mask(n_q, n_k), strictly_causal_mask(n_q, n_k)]))
    q, k, v, w_o = (rng.normal(size=shape).astype(dtype) for shape in ((n_q, 3), (n_k, 3), (n_k, d_v), (d_v, d_out)))
    matrix = w_o if data.draw(st.booleans()) else None
    weights = QueryKeyMap(q, k, mask=mask)
    with pytest.MonkeyPatch.context() as patch:
        entries = data.draw(st.sampled_from([1, 7, 2**18]))
        patch.setattr(map_selection, "_CACHED", entries)
        patch.setattr(map_selection, "_LARGEST", entries)
        map_ = ValueWeightedMap(weights, v, matrix)
        assert map_.dtype == dtype
        found = map_.weights()
    tolerance = 1e-13 if dtype == np.float64 else 1e-5
    expected = by_loop(weights.weights(), v, matrix)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    assert found.dtype == dtype
    np.testing.assert_array_equal(map_.allowed(), np.ones((n_q, n_k), bool) if mask is None else mask)
    rows, cols = rng.integers(0, n_q, 3), slice(0, n_k // 2)
    np.testing.assert_allclose(map_.weights(rows, cols), expected[rows, cols], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(map_.lengths, by_loop(np.ones((1, n_k)), v, matrix)[0], rtol=tolerance, atol=tolerance)


def example() -> ValueWeightedMap:
    weights = ArrayMap(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [0.1, 0.2, 0.7]]))
    return ValueWeightedMap(weights, [[3.0, 4.0], [0.0, 0.0], [0.0, -1.0]])


def test_rows_do_not_sum_to_1() -> None:
    np.testing.assert_allclose(example().weights(), [[2.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.7]])


def test_pictures_show_the_lengths() -> None:
    pooled = example().survey(3, 3).pooled
    np.testing.assert_allclose(pooled.values, example().weights())
    np.testing.assert_array_equal(pooled.values, example().pooled(Stage.WEIGHTS, 3, 3).values)


def test_summaries_and_patterns_are_of_shares_of_a_row() -> None:
    shares = ArrayMap(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5 / 1.2, 0.0, 0.7 / 1.2]]))
    expected, found = shares.summary(), example().summary()
    assert found == pytest.approx(expected, nan_ok=True)
    assert found.empty_rows == 1
    for own, other in zip(example().row_summary(), shares.row_summary(), strict=True):
        np.testing.assert_allclose(own, other, atol=1e-15)
    tokens = ("a", "b", "a")
    scores = example().patterns(tokens)
    assert scores[Pattern.FIRST].score == pytest.approx(shares.patterns(tokens)[Pattern.FIRST].score)
    found = example().survey(2, 2, tokens)
    assert found.summary == pytest.approx(expected, nan_ok=True)
    assert found.patterns == scores


def test_it_says_what_its_numbers_are() -> None:
    map_ = example()
    assert not map_.is_projected
    assert map_.symbol == "‖α·v‖"
    projected = ValueWeightedMap(ArrayMap(np.eye(2)), np.eye(2), np.eye(2))
    assert projected.is_projected
    assert projected.symbol == "‖α·v·W_O‖"
    assert "‖α·v·W_O‖" in repr(projected)
    assert not map_.has_scores


def test_it_mixes_nothing() -> None:
    with pytest.raises(ArrayError, match="are lengths, not weights"):
        example().output(np.ones((3, 1)))


def test_the_map_it_was_made_of_stays_as_it_is() -> None:
    array = np.array([[0.25, 0.75]])
    ValueWeightedMap(ArrayMap(array), [[2.0], [2.0]]).weights()
    np.testing.assert_array_equal(array, [[0.25, 0.75]])


def test_the_heads_of_a_layer_add_up_to_its_output() -> None:
    rng = np.random.default_rng(0)
    layer = MultiHeadAttention(*(rng.normal(size=shape) for shape in ((6, 6), (6, 6), (6, 4), (4, 5))), heads=2)
    trace = layer(rng.normal(size=(3, 6)))
    rows = [output_rows(layer.w_o, 2, head) for head in (0, 1)]
    np.testing.assert_allclose(sum(trace.head_output[head] @ rows[head] for head in (0, 1)), trace.output)
    map_ = ValueWeightedMap(ArrayMap(trace.weights[1]), trace.v[1], rows[1])
    added = trace.weights[1][:, :, None] * (trace.v[1] @ rows[1])
    np.testing.assert_allclose(map_.weights(), np.linalg.norm(added, axis=2))


def test_lengths_near_the_end_of_the_float_range_are_right() -> None:
    map_ = ValueWeightedMap(ArrayMap(np.eye(3)), [[3e200, 4e200], [3e-200, 4e-200], [0.0, 0.0]])
    np.testing.assert_allclose(map_.lengths, [5e200, 5e-200, 0.0])
    assert map_.summary().max_weight == 1.0


@pytest.mark.parametrize(
    ("v", "w_o", "message"),
    [
        (np.ones((3, 2)), None, r"v has shape \(3, 2\), but the map has 2 keys"),
        (np.ones(2), None, "v has shape"),
        (np.ones((2, 2)), np.ones((3, 2)), "the last axis of v must be as long as w_o has rows"),
        (np.full((2, 2), np.nan), None, "v of shape .* holds nan"),
        (np.full((2, 2), 1.5e308), None, "a row whose length leaves the range of float64"),
        (np.full((2, 2), 1e200), np.full((2, 2), 1e200), "v @ w_o leaves the range"),
    ],
)
def test_what_does_not_fit_is_refused(v: np.ndarray, w_o: np.ndarray | None, message: str) -> None:
    with pytest.raises(ArrayError, match=message):
        ValueWeightedMap(ArrayMap(np.eye(2)), v, w_o)


def test_there_is_such_a_head() -> None:
    with pytest.raises(ArrayError, match="head must be below 2"):
        output_rows(np.ones((4, 2)), 2, 2)
    with pytest.raises(ArrayError, match="cannot be shared equally by 3 heads"):
        output_rows(np.ones((4, 2)), 3, 0)
    with pytest.raises(ArrayError, match="cannot be shared equally by 0 heads"):
        output_rows(np.ones((4, 2)), 0, 0)
