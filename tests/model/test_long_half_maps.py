"""Pictures of long maps in float16, which are made of the numbers as they are stored, against those of float32."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import ArrayMap, RowArray, Stage, array_map
from attention_explorer.model.map_selection import ALL, Choice, Selection

N_Q, N_K = 300, 41


class Elsewhere(RowArray):
    """A table of which rows are handed out."""

    def __init__(self, table: np.ndarray) -> None:
        self._table = table

    @property
    def shape(self) -> tuple[int, int]:
        return self._table.shape[0], self._table.shape[1]

    @property
    def dtype(self) -> np.dtype:
        return self._table.dtype

    def __getitem__(self, rows: Selection) -> np.ndarray:
        return self._table[rows].copy()


@pytest.fixture(autouse=True)
def _a_few_rows_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_map, "LONG", 0)
    monkeypatch.setattr(array_map, "LONG_BLOCK", 32 * N_K)


@pytest.fixture
def weights() -> np.ndarray:
    drawn = np.random.default_rng(3).random((N_Q, N_K)) ** 8
    drawn /= drawn.sum(axis=1, keepdims=True)
    drawn[7] = 0.0
    drawn[drawn < 1e-4] = -0.0
    return drawn.astype(np.float16)


@pytest.mark.parametrize("kind", [np.asfortranarray, np.ascontiguousarray, Elsewhere])
@pytest.mark.parametrize("tiles", [(1, 1), (7, 5), (N_Q, N_K), (299, 999)])
@pytest.mark.parametrize(
    ("rows", "cols"), [(ALL, ALL), (slice(30, 101), slice(3, 40)), (np.array([200, 3, 7]), np.array([4, 1])), (7, ALL)]
)
def test_the_picture_is_that_of_the_same_numbers_in_float32(
    weights: np.ndarray, kind: type, tiles: tuple[int, int], rows: Choice, cols: Choice
) -> None:
    for stored in (weights, np.abs(weights)):
        found = ArrayMap(kind(stored)).pooled(Stage.WEIGHTS, *tiles, rows, cols)
        wanted = ArrayMap(stored.astype(np.float32)).pooled(Stage.WEIGHTS, *tiles, rows, cols)
        assert found.values.dtype == np.float32
        np.testing.assert_array_equal(found.values, wanted.values)
        np.testing.assert_array_equal(found.masked, wanted.masked)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, -6e-8])
def test_what_is_no_weight_is_found_wherever_it_is(weights: np.ndarray, wrong: float) -> None:
    weights[161, 17] = wrong
    with pytest.raises(ArrayError, match=r"holds .* at index \(161, 17\)"):
        ArrayMap(Elsewhere(weights)).pooled(Stage.WEIGHTS, 5, 5)


def test_rows_are_added_up_in_a_sample_and_when_they_are_asked_for(weights: np.ndarray) -> None:
    weights[[150, 256]] *= 3.0
    map_ = ArrayMap(Elsewhere(np.abs(weights)))
    with pytest.raises(ArrayError, match=r"row 256 .* sums to"):
        map_.pooled(Stage.WEIGHTS, 5, 5)
    assert map_.pooled(Stage.WEIGHTS, 5, 5, slice(140, 160)).values.max() == weights[140:160].max()
    with pytest.raises(ArrayError, match=r"row 150 .* sums to"):
        map_.weights(150)


def test_of_no_rows_there_is_an_empty_picture(weights: np.ndarray) -> None:
    found = ArrayMap(Elsewhere(weights)).pooled(Stage.WEIGHTS, 5, 5, slice(0, 0))
    assert (found.values.shape, found.values.dtype) == ((0, 5), np.float32)
