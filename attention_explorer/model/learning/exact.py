"""Arithmetic that gives the same bits on every processor, so that learning does.

Processors add in different orders, some fuse a multiplication with an addition, and mathematical libraries round exp
and log in their own ways. One step of learning differs by 1e-7, and after some hundred steps the weights differ in the
second digit. Here no result depends on any of that:

- Before a sum of products both factors are rounded to a grid: whole numbers times a power of two, of so few bits that
  every partial sum is a whole number below 2⁵³. A float64 holds it exactly, so the order, the kernel, fused additions
  and the number of threads make no difference. Other sums are rounded to a finer grid in the same way.
- exp and log are made of additions and multiplications of whole arrays, each of which IEEE 754 rounds in one way only,
  as it does division and the square root.

The price is digits: factors keep about as many as a float32 has, counted from the largest of their array.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, all_finite

ARITHMETIC = "exact 1"
"""What files call this arithmetic. Another name belongs to every change of it that changes a bit of what is learned."""

_BITS = 53
"""Bits of a float64's whole numbers."""
_LARGEST, _SMALLEST = 2.0**400, 2.0**-400
"""Between these, products of two numbers stay clear of both ends of the range. What is smaller counts as 0."""
_LOWEST_EXPONENT = -700.0
"""The exponential of less is 0."""
_ROUNDER = 1.5 * 2.0**52
"""Added to a number below 2⁵¹ and taken away again, it leaves the nearest whole number."""
_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
"""ln 2 in two parts; the first has so few bits that whole numbers up to 2¹⁰ times it are exact."""
_OF_EXP = tuple(1.0 / math.factorial(n) for n in range(11, -1, -1))
"""Taylor's coefficients of exp, the last term first: 1e-14 is left out for |x| ≤ ½ ln 2."""
_OF_LOG = tuple(2.0 / n for n in range(19, 0, -2))
"""Those of ln((1 + s)/(1 − s))/s by s²: 1e-16 is left out between √½ and √2."""


class Arithmetic(ABC):
    """How a network sums, and takes exponentials and logarithms."""

    @abstractmethod
    def factor(self, x: Floats, bound: float | None = None) -> Floats:
        """Return an array as a factor of a matrix product with another factor.

        Parameters
        ----------
        x : ndarray, any shape
            float64.
        bound : float, optional
            What no entry exceeds, where that is known.

        Raises
        ------
        ArrayError
            If an entry is not finite, or so large that products of two leave the range.
        """

    @abstractmethod
    def product(self, left: Floats, right: Floats) -> Floats:
        """Return the matrix product of two factors, as ``left @ right`` does."""

    @abstractmethod
    def sum(self, x: Floats, axis: int, bound: float | None = None) -> Floats:
        """Return the sums along the first or the last axis, which is dropped; see `factor`."""

    @abstractmethod
    def exp(self, x: Floats) -> Floats:
        """Return the exponentials of numbers up to 0; of −inf it is 0."""

    @abstractmethod
    def log(self, x: Floats) -> Floats:
        """Return the natural logarithms of numbers above 0."""


class Exact(Arithmetic):
    """The same bits everywhere.

    Parameters
    ----------
    terms : int
        The most products that are summed: the longest inner axis of any matrix product.
    """

    def __init__(self, terms: int) -> None:
        self._terms, self._bits = terms, (_BITS - _doublings(terms)) // 2

    def factor(self, x: Floats, bound: float | None = None) -> Floats:
        """Round to so few bits that sums of products are exact; see `Arithmetic`."""
        return on_grid(x, self._bits, bound)

    def product(self, left: Floats, right: Floats) -> Floats:
        """Multiply; see `Arithmetic`.

        Raises
        ------
        ArrayError
            If more products are summed than the arithmetic was made for.
        """
        if left.shape[-1] > self._terms:
            raise ArrayError(f"{left.shape[-1]} products are summed, but only {self._terms} are sure to be exact")
        return np.asarray(left @ right)

    def sum(self, x: Floats, axis: int, bound: float | None = None) -> Floats:
        """Round to so few bits that the sum is exact; see `exact_sum`."""
        return exact_sum(x, axis, bound)

    def exp(self, x: Floats) -> Floats:
        """Compute 2ᵏ exp(r) with x = k ln 2 + r and |r| ≤ ½ ln 2; see `Arithmetic`."""
        r = np.maximum(x, _LOWEST_EXPONENT)
        shifted = r * _LOG2_E
        shifted += _ROUNDER  # k stands in its last bits
        k = shifted - _ROUNDER
        r -= k * _LN2_HIGH
        k *= _LN2_LOW
        r -= k
        found = _polynomial(_OF_EXP, r)
        power = shifted.view(np.int64)
        power += 1023  # the bits of an exponent count from there
        power <<= 52
        found *= power.view(np.float64)
        found *= x > _LOWEST_EXPONENT
        return found

    def log(self, x: Floats) -> Floats:
        """Compute k ln 2 + ln m with x = m 2ᵏ and √½ ≤ m < √2; see `Arithmetic`."""
        m, k = np.frexp(x)
        is_low = m < math.sqrt(0.5)
        m = np.where(is_low, 2.0 * m, m)
        s = (m - 1.0) / (m + 1.0)
        k = k - is_low.astype(np.float64)
        return np.asarray(k * _LN2_HIGH + (s * _polynomial(_OF_LOG, s * s) + k * _LN2_LOW))


class Plain(Arithmetic):
    """NumPy's own arithmetic, with all digits of a float64."""

    def factor(self, x: Floats, bound: float | None = None) -> Floats:
        """Return the array itself; see `Arithmetic`."""
        if bound is None and not all_finite(x):
            raise _beyond_range()
        return x

    def product(self, left: Floats, right: Floats) -> Floats:
        """Multiply; see `Arithmetic`."""
        return np.asarray(left @ right)

    def sum(self, x: Floats, axis: int, bound: float | None = None) -> Floats:
        """Sum; see `Arithmetic`."""
        return np.asarray(self.factor(x, bound).sum(axis=axis))

    def exp(self, x: Floats) -> Floats:
        """Take exponentials; see `Arithmetic`."""
        with np.errstate(under="ignore"):
            return np.exp(x)

    def log(self, x: Floats) -> Floats:
        """Take logarithms; see `Arithmetic`."""
        return np.log(x)


def on_grid(x: Floats, bits: int, bound: float | None = None) -> Floats:
    """Round to whole multiples of a power of two, the same for all entries.

    Parameters
    ----------
    x : ndarray, any shape
        float64.
    bits : int
        Of the largest multiple.
    bound : float, optional
        What no entry exceeds, where that is known; the largest entry if not.

    Returns
    -------
    ndarray
        A new one. An array whose entries are all below 2⁻⁴⁰⁰ gives zeros.

    Raises
    ------
    ArrayError
        If an entry is not finite, or reaches 2⁴⁰⁰.
    """
    largest = max(float(x.max(initial=0.0)), -float(x.min(initial=0.0))) if bound is None else bound
    if not largest < _LARGEST:  # NaN compares false
        raise _beyond_range()
    if largest < _SMALLEST:
        return np.zeros(x.shape)
    rounder = math.ldexp(_ROUNDER, math.frexp(largest)[1] - bits)
    rounded: Floats = x + rounder
    rounded -= rounder
    return rounded


def exact_sum(x: Floats, axis: int, bound: float | None = None) -> Floats:
    """Sum along an axis, the same on every processor.

    Parameters
    ----------
    x : ndarray, any shape
        float64.
    axis : int
        0 or −1; it is dropped.
    bound : float, optional
        What no entry exceeds, where that is known.

    Returns
    -------
    ndarray
        As near as 53 bits less those of the number of terms allow, counted from the largest entry of the array.

    Raises
    ------
    ArrayError
        As `on_grid`.
    """
    terms = x.shape[axis]
    rounded, ones = on_grid(x, _BITS - _doublings(terms), bound), np.ones(terms)
    if axis == 0:
        total: Floats = (ones @ rounded.reshape(terms, -1)).reshape(x.shape[1:])
    else:
        total = (rounded.reshape(-1, terms) @ ones).reshape(x.shape[:-1])
    return total


def power(base: float, exponent: int) -> float:
    """Return a power as a product from left to right; `pow` rounds it in a way of its own on each system."""
    return math.prod(itertools.repeat(base, exponent))


class NormalDraws:
    """Random numbers of the normal distribution, those of `RandomState.randn` with a logarithm from here.

    Parameters
    ----------
    numbers : RandomState
        Drawn from for nothing else meanwhile: numbers are taken in advance.

    Notes
    -----
    Marsaglia & Bray 1964: a point drawn evenly from the unit disc gives two.
    """

    def __init__(self, numbers: np.random.RandomState) -> None:
        self._numbers = numbers
        self._ahead: Floats = np.empty(0)

    def randn(self, *shape: int) -> Floats:
        """Draw numbers of mean 0 and variance 1, an array of a shape."""
        count = math.prod(shape)
        while len(self._ahead) < count:
            x, y = (2.0 * self._numbers.random_sample((count, 2)) - 1.0).T
            square = x * x + y * y
            inside = (square < 1.0) & (square > 0.0)
            x, y, square = x[inside], y[inside], square[inside]
            factor = np.sqrt(-2.0 * Exact(1).log(square) / square)
            self._ahead = np.concatenate((self._ahead, np.stack((factor * y, factor * x), axis=1).ravel()))
        drawn, self._ahead = self._ahead[:count], self._ahead[count:]
        return drawn.reshape(shape)


def _polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    """Compute a polynomial by Horner's rule; the coefficient of the highest power comes first."""
    first, *others = coefficients
    total = x * first
    for coefficient in others[:-1]:
        total += coefficient
        total *= x
    total += others[-1]
    return total


def _doublings(terms: int) -> int:
    """Return how many times 1 has to be doubled to reach a number of terms."""
    return max(terms - 1, 0).bit_length()


def _beyond_range() -> ArrayError:
    return ArrayError("a number that is learned, or made of those, leaves the range of floats: make them smaller")
