"""Maps made of maps: some keys taken out, and several heads in one, compared with plain loops over whole matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    ArrayMap,
    CombinedMap,
    QueryKeyMap,
    RenormalisedMap,
    Stage,
    causal_mask,
    max_of_heads,
    mean_of_heads,
    strictly_causal_mask,
)


def random_map(seed: int, n_q: int, n_k: int, **settings: object) -> QueryKeyMap:
    draw = np.random.default_rng(seed)
    return QueryKeyMap(draw.normal(size=(n_q, 3)), draw.normal(size=(n_k, 3)), **settings)  # type: ignore[arg-type]


def by_loop(weights: np.ndarray, shown: np.ndarray) -> np.ndarray:
    found = np.zeros_like(weights)
    for i, row in enumerate(weights):
        left = sum(float(weight) for weight, kept in zip(row, shown, strict=True) if kept)
        for j, weight in enumerate(row):
            if shown[j] and left > 0:
                found[i, j] = weight / left
    return found


# ---- Keys taken out ----


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_rest_of_each_row_is_divided_by_what_is_left(data: st.DataObject) -> None:
    n_q, n_k = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 7))
    shown = np.array(data.draw(st.lists(st.booleans(), min_size=n_k, max_size=n_k)))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n_q * n_k, max_size=n_q * n_k))).reshape(n_q, n_k)
    map_ = random_map(data.draw(st.integers(0, 99)), n_q, n_k, mask=mask)
    found = RenormalisedMap(map_, shown).weights()
    np.testing.assert_allclose(found, by_loop(map_.weights(), shown), atol=1e-14)
    assert (found[:, ~shown] == 0.0).all()
    has_rest = (mask & shown).any(axis=1)
    np.testing.assert_allclose(found.sum(axis=1), has_rest.astype(float), atol=1e-12)


def test_any_part_of_it_is_that_part_of_the_whole() -> None:
    shown = np.array([False, True, True, False, True, True])
    map_ = RenormalisedMap(random_map(1, 5, 6, mask=causal_mask(5, 6)), shown)
    whole = map_.weights()
    assert whole.shape == map_.shape == (5, 6)
    np.testing.assert_allclose(map_.weights(slice(1, 4), slice(2, 6)), whole[1:4, 2:6], atol=1e-15)
    np.testing.assert_allclose(map_.weights(np.array([4, 0]), np.array([5, 5, 1])), whole[[4, 0]][:, [5, 5, 1]])
    np.testing.assert_allclose(map_.row_summary().total, whole.sum(axis=1))
    np.testing.assert_allclose(map_.output(np.eye(6)), whole, atol=1e-15)


def test_a_row_that_loses_all_its_keys_is_zero_and_never_nan() -> None:
    map_ = RenormalisedMap(random_map(2, 3, 3, mask=causal_mask(3)), np.array([False, True, True]))
    np.testing.assert_array_equal(map_.weights()[0], [0.0, 0.0, 0.0])
    np.testing.assert_allclose(map_.weights()[1], [0.0, 1.0, 0.0])
    assert map_.summary().empty_rows == 1


def test_what_a_mask_hides_is_still_told_from_what_is_taken_out() -> None:
    mask = causal_mask(4)
    map_ = RenormalisedMap(random_map(3, 4, 4, mask=mask), np.array([False, True, True, True]))
    np.testing.assert_array_equal(map_.allowed(), mask)


def test_the_map_behind_it_stays_as_it_was() -> None:
    behind = ArrayMap(np.array([[0.25, 0.75], [0.5, 0.5]]))
    RenormalisedMap(behind, np.array([True, False])).weights()[:] = 7.0
    np.testing.assert_array_equal(behind.weights(), [[0.25, 0.75], [0.5, 0.5]])


def test_the_smallest_weights_share_a_row_as_well() -> None:
    map_ = RenormalisedMap(ArrayMap(np.array([[1.0, 5e-324, 5e-324]])), np.array([False, True, True]))
    np.testing.assert_array_equal(map_.weights(), [[0.0, 0.5, 0.5]])


def test_float32_stays_float32() -> None:
    map_ = RenormalisedMap(ArrayMap(np.full((2, 4), 0.25, np.float32)), np.array([True, True, True, False]))
    assert map_.dtype == map_.weights().dtype == np.float32
    np.testing.assert_allclose(map_.weights()[:, :3], 1 / 3, rtol=1e-6)


@pytest.mark.parametrize("stage", [Stage.SCORES, Stage.SCALED, Stage.MASKED])
def test_it_has_weights_only(stage: Stage) -> None:
    map_ = RenormalisedMap(random_map(4, 2, 2), np.array([True, True]))
    assert not map_.has_scores
    with pytest.raises(ArrayError, match="weights only"):
        map_.scores(stage=stage)
    with pytest.raises(ArrayError, match="weights only"):
        map_.pooled(stage, 2, 2)


@pytest.mark.parametrize("shown", [np.ones(2, bool), np.ones(4, bool), np.ones((1, 3), bool), np.array(True)])
def test_there_is_one_entry_a_key(shown: np.ndarray) -> None:
    with pytest.raises(ArrayError, match=r"shown has shape .* but the map has 3 keys"):
        RenormalisedMap(random_map(5, 2, 3), shown)


# ---- Several heads in one ----


def heads(count: int, mask: np.ndarray | None = None) -> list[QueryKeyMap]:
    return [random_map(seed, 4, 6, mask=mask) for seed in range(count)]


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("mask", [None, causal_mask(4, 6), strictly_causal_mask(4, 6)], ids=["all", "causal", "strict"])
def test_mean_and_maximum_are_those_of_the_whole_matrices(count: int, mask: np.ndarray | None) -> None:
    maps = heads(count, mask)
    stacked = np.stack([map_.weights() for map_ in maps])
    mean, largest = CombinedMap(maps), CombinedMap(maps, largest=True)
    np.testing.assert_allclose(mean.weights(), mean_of_heads(stacked), atol=1e-15)
    np.testing.assert_array_equal(largest.weights(), max_of_heads(stacked))
    for i in range(4):
        for j in range(6):
            assert mean.weights()[i, j] == pytest.approx(sum(float(head[i, j]) for head in stacked) / count)
            assert largest.weights()[i, j] == max(float(head[i, j]) for head in stacked)
    expected = np.ones((4, 6), bool) if mask is None else mask
    np.testing.assert_array_equal(mean.allowed(), expected)
    np.testing.assert_allclose(mean.weights().sum(axis=1), expected.any(axis=1).astype(float), atol=1e-12)


def test_a_part_of_a_combined_map_is_that_part_of_the_whole() -> None:
    map_ = CombinedMap(heads(3), largest=True)
    rows, columns = np.array([3, 0]), slice(1, 4)
    np.testing.assert_allclose(map_.weights(rows, columns), map_.weights()[rows, columns], atol=1e-15)


def test_a_key_is_allowed_if_any_head_allows_it() -> None:
    first, second = causal_mask(3), ~causal_mask(3)
    second[0, 1] = False
    both = [random_map(seed, 3, 3, mask=mask) for seed, mask in enumerate((first, second))]
    np.testing.assert_array_equal(CombinedMap(both).allowed(), first | second)
    np.testing.assert_array_equal(both[0].allowed(), first, "the heads keep their own masks")


def test_the_heads_are_of_one_shape_and_at_least_one() -> None:
    with pytest.raises(ArrayError, match=r"the shapes \[\]: give at least one"):
        CombinedMap([])
    with pytest.raises(ArrayError, match=r"\[\(2, 3\), \(3, 2\)\].* all of one shape"):
        CombinedMap([random_map(0, 2, 3), random_map(1, 3, 2)])


def test_a_combined_map_has_weights_only() -> None:
    map_ = CombinedMap(heads(2))
    assert not map_.has_scores
    with pytest.raises(ArrayError, match="weights only"):
        map_.scores()


def test_float32_and_float64_heads_make_float64() -> None:
    narrow, wide = ArrayMap(np.full((1, 2), 0.5, np.float32)), ArrayMap(np.array([[0.25, 0.75]]))
    assert CombinedMap([narrow, wide]).weights().dtype == np.float64
    assert CombinedMap([narrow, narrow]).weights().dtype == np.float32
    np.testing.assert_array_equal(CombinedMap([narrow, wide]).weights(), [[0.375, 0.625]])
