"""Vectors in another order: whether a function of them gives the same rows in that order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.errors import ExplorerError

ROUNDING = 1e-9
"""Differences below this share of the largest output are rounding: they come from sums in another order."""


def rounding_of(numbers: np.typing.NDArray[np.floating[Any]], least: float) -> float:
    """Return up to which share differences are rounding: so much at least, and more of numbers with fewer bits."""
    return max(least, 64.0 * float(np.finfo(numbers.dtype).eps))


@dataclass(frozen=True, slots=True, eq=False)
class ShuffleComparison:
    """f(PX) beside P f(X), where P puts token ``order[i]`` in place i."""

    of_shuffled: FloatArray  # f(PX), (n_q, d_out)
    shuffled: FloatArray  # P f(X)
    error: float  # max |f(PX) − P f(X)|
    moved: float  # max |f(PX) − f(X)|
    pooled: float  # the same of the means over all rows

    @property
    def is_equivariant(self) -> bool:
        """Whether the rows are the same in another order, but for rounding."""
        return self.error <= self._rounding

    @property
    def is_still(self) -> bool:
        """Whether nothing changes at all, but for rounding."""
        return self.moved <= self._rounding

    @property
    def _rounding(self) -> float:
        return rounding_of(self.shuffled, ROUNDING) * max(1.0, float(np.abs(self.shuffled).max(initial=0.0)))


def shuffled_order(count: int, seed: int) -> tuple[int, ...]:
    """Return a random order of so many tokens, never the one there is.

    Raises
    ------
    ExplorerError
        There are fewer than two.
    """
    if count < 2:
        raise ExplorerError("Shuffling needs at least two tokens: type a longer sentence.")
    stream = np.random.default_rng(seed)
    order = stream.permutation(count)
    while (order == np.arange(count)).all():
        order = stream.permutation(count)
    return tuple(order.tolist())


def compared(function: Callable[[FloatArray], FloatArray], x: FloatArray, order: tuple[int, ...]) -> ShuffleComparison:
    """Compare f(PX) with P f(X) for vectors x (n, d)."""
    before = function(x)
    after, reordered = function(x[list(order)]), before[list(order)]
    return ShuffleComparison(
        after,
        reordered,
        error=float(np.abs(after - reordered).max()),
        moved=float(np.abs(after - before).max()),
        pooled=float(np.abs(after.mean(axis=0) - before.mean(axis=0)).max()),
    )
