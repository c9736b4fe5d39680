"""Arithmetic that is the same everywhere: sums in any order, functions near those of the mathematical library."""

import math

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model.learning import Exact, NormalDraws
from attention_explorer.model.learning.exact import exact_sum, on_grid, power

DRAWN = np.random.default_rng(5)


def wide(*shape: int) -> np.ndarray:
    """Numbers of very different sizes, whose sums differ in every order."""
    return DRAWN.normal(size=shape) * 10.0 ** DRAWN.integers(-8, 3, shape)


@pytest.mark.parametrize("terms", [1, 3, 32, 1056, 65_536])
def test_a_product_of_factors_is_the_same_in_any_order(terms: int) -> None:
    arithmetic, order = Exact(terms), DRAWN.permutation(terms)
    left, right = arithmetic.factor(wide(7, terms)), arithmetic.factor(wide(terms, 5))
    product = arithmetic.product(left, right)
    np.testing.assert_array_equal(arithmetic.product(left[:, order], right[order]), product)
    every = [[math.fsum(a * b for a, b in zip(row, column, strict=True)) for column in right.T] for row in left]
    np.testing.assert_array_equal(product, every)


def test_a_factor_keeps_as_many_bits_as_are_sure_to_be_exact() -> None:
    for terms, bits in ((1, 26), (32, 24), (1024, 21), (1025, 21), (65_536, 18)):
        x = wide(1000)
        largest = np.abs(x).max()
        found = Exact(terms).factor(x)
        assert np.abs(found - x).max() <= largest * 2.0**-bits
        unit = 2.0 ** (math.frexp(largest)[1] - bits)
        np.testing.assert_array_equal(found / unit, np.rint(found / unit))


def test_more_terms_than_are_sure_to_be_exact_are_refused() -> None:
    with pytest.raises(ArrayError, match="33 products are summed, but only 32"):
        Exact(32).product(np.ones((2, 33)), np.ones((33, 2)))


@pytest.mark.parametrize("axis", [0, -1])
def test_a_sum_is_the_same_in_any_order_and_near(axis: int) -> None:
    x = wide(200, 3, 50)
    total = exact_sum(x, axis)
    np.testing.assert_array_equal(exact_sum(np.take(x, DRAWN.permutation(x.shape[axis]), axis), axis), total)
    np.testing.assert_allclose(total, x.sum(axis=axis), atol=1e-11 * np.abs(x).max())


def test_exponentials_and_logarithms_are_near_those_of_the_library() -> None:
    x = -np.concatenate([[0.0, 1e-300, 1e-9, 0.34, 0.35], DRAWN.random(5000) * 690.0])
    exponentials = Exact(1).exp(x)
    np.testing.assert_allclose(exponentials, [math.exp(each) for each in x], rtol=2e-14)
    assert exponentials[0] == 1.0
    assert not Exact(1).exp(np.array([-np.inf, -1e300, -701.0])).any()
    y = np.concatenate([[1.0, 1.0 + 1e-9, 0.7071, 0.7072, 1e-300], np.exp(DRAWN.normal(size=5000) * 20.0)])
    logarithms = Exact(1).log(y)
    np.testing.assert_allclose(logarithms, [math.log(each) for each in y], rtol=2e-15, atol=3e-16)
    assert logarithms[0] == 0.0


def test_powers() -> None:
    assert power(0.99, 0) == 1.0
    assert power(0.99, 600) == pytest.approx(0.99**600, rel=1e-13)


def test_normal_draws_are_those_of_numpy() -> None:
    ours, theirs = NormalDraws(np.random.RandomState(3)), np.random.RandomState(3)
    for shape in ((3, 5), (7,), (0, 4), (40, 40)):  # odd numbers of them too: a point of the disc gives two
        np.testing.assert_allclose(ours.randn(*shape), theirs.randn(*shape), rtol=1e-14)


@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf, 1e200])
def test_what_leaves_the_range_is_refused(entry: float) -> None:
    with pytest.raises(ArrayError, match="leaves the range"):
        on_grid(np.array([1.0, entry]), 20)


def test_numbers_near_nothing_count_as_nothing() -> None:
    """Their products would be rounded in other ways, at the lower end of the range."""
    assert not on_grid(np.array([1e-200, -1e-150]), 20).any()
