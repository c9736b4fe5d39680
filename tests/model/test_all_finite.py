"""Looking for NaN and inf in an array, also where its sum leaves the range."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from attention_explorer.model.arrays import all_finite

LARGE = 2**20
"""Entries from which a sum is looked at first."""


@pytest.mark.parametrize("size", [1, 7, LARGE, LARGE + 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_finite_numbers_are_finite(size: int, dtype: npt.DTypeLike) -> None:
    assert all_finite(np.random.default_rng(0).standard_normal(size).astype(dtype))


@pytest.mark.parametrize("size", [3, LARGE])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_bad_entry_is_found(size: int, bad: float) -> None:
    array = np.zeros(size, np.float32)
    array[size // 2] = bad
    assert not all_finite(array)


@pytest.mark.parametrize("size", [3, LARGE])
def test_infinities_that_cancel_are_found(size: int) -> None:
    array = np.zeros(size)
    array[0], array[-1] = np.inf, -np.inf
    assert not all_finite(array)


@pytest.mark.parametrize("size", [3, LARGE])
def test_largest_numbers_are_finite_though_their_sum_is_not(size: int) -> None:
    assert all_finite(np.full(size, np.finfo(np.float32).max, np.float32))
    assert all_finite(np.full(size, np.finfo(np.float64).max))


def test_empty_and_scalar() -> None:
    assert all_finite(np.zeros((0, 3)))
    assert not all_finite(np.asarray(np.nan))
