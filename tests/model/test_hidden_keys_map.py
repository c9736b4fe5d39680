"""A map without some keys, and the rest as it was."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import ArrayMap, QueryKeyMap, Stage
from attention_explorer.model.hidden_keys_map import HiddenKeysMap

RNG = np.random.default_rng(3)
Q, K = RNG.normal(size=(5, 4)), RNG.normal(size=(7, 4))
SHOWN = np.array([True, False, True, True, False, True, True])


def test_the_rest_of_each_row_stays_and_rows_sum_to_it() -> None:
    whole = QueryKeyMap(Q, K)
    map_ = HiddenKeysMap(whole, SHOWN)
    expected = np.array([[w if seen else 0.0 for w, seen in zip(row, SHOWN, strict=True)] for row in whole.weights()])
    np.testing.assert_array_equal(map_.weights(), expected)
    np.testing.assert_array_equal(map_.weights([3, 1], slice(1, 4)), expected[[3, 1], 1:4])
    np.testing.assert_allclose(map_.row_summary().total, expected.sum(1), rtol=1e-12)
    np.testing.assert_array_equal(map_.pooled(Stage.WEIGHTS, 9, 9).values, expected)
    assert (map_.row_summary().total < 1.0).all()


def test_masked_cells_stay_masked_and_the_type_stays() -> None:
    causal = np.tril(np.ones((5, 7), np.bool_))
    map_ = HiddenKeysMap(QueryKeyMap(Q.astype(np.float32), K.astype(np.float32), mask=causal), SHOWN)
    np.testing.assert_array_equal(map_.allowed(), causal)
    assert map_.weights().dtype == map_.dtype == np.float32


def test_another_number_of_keys_is_refused() -> None:
    with pytest.raises(ArrayError, match="the map has 2 keys: it must be as long"):
        HiddenKeysMap(ArrayMap(np.eye(2)), SHOWN)
