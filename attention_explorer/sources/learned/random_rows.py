"""Tasks whose sentences are random rows of symbols: which of them are held out is told by the row itself."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache

import numpy as np

from attention_explorer.model.arrays import Bools
from attention_explorer.model.learning import Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import HELD_OUT, Task, batch_of

ONE_IN = 7
"""So many rows is one that is never learned from."""

_SEED = 715
"""Of the rows that are measured with."""


class RandomRows(Task):
    """A task over random rows."""

    @abstractmethod
    def rows(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Tokens:
        """Draw rows, (count, n)."""

    def draw(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Batch:
        """Draw rows to learn from; see `Task`."""
        return self._chosen(numbers, count, setup, held_out=False)

    def held_out(self, setup: LearningSetup) -> Batch:
        """Return the rows that are measured with; see `Task`."""
        numbers = np.random.RandomState(np.random.PCG64([_SEED]))
        return self._chosen(numbers, HELD_OUT, setup, held_out=True)

    def _chosen(self, numbers: np.random.RandomState, count: int, setup: LearningSetup, *, held_out: bool) -> Batch:
        found, drawn = list[Tokens](), count * (ONE_IN if held_out else 1) * 5 // 4 + 16
        while sum(map(len, found)) < count:
            rows = self.rows(numbers, drawn, setup)
            found.append(rows[is_held_out(rows) == held_out])
        tokens = np.concatenate(found)[:count]
        return batch_of(tokens, self.right_answers(tokens, setup))


def is_held_out(rows: Tokens) -> Bools:
    """Return which rows are never learned from, (count,): one in seven, by a sum over their tokens that has no sense.

    Notes
    -----
    The sum is taken modulo 2⁶⁴ and its upper half modulo 7, so that no rule that a network could learn tells.
    """
    sums = (rows.astype(np.uint64) + np.uint64(1)) @ _factors(rows.shape[-1])
    chosen: Bools = (sums >> np.uint64(32)) % np.uint64(ONE_IN) == 0
    return chosen


@cache
def _factors(count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    numbers = np.random.RandomState(_SEED)
    return (numbers.randint(0, 2**32, (count, 2), dtype=np.uint64) @ np.array([2**32, 1], np.uint64)) | np.uint64(1)
