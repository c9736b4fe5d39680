"""Relative positions as T5 has them: a learned number for each head and each class of distances."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class RelativePositions:
    """What is added to the scores, by how far the key is from the query.

    Parameters
    ----------
    table : ndarray, (buckets, heads)
        A number for each class of distances.
    farthest : int
        From here on all distances are one class.
    both_ways : bool
        Whether keys behind the query have classes of their own; a decoder does not see them.

    Notes
    -----
    Raffel et al. 2020, section 2.1: the nearer half of the classes holds one distance each, the others grow as powers.
    """

    table: Floats
    farthest: int
    both_ways: bool

    def bias(self, n: int, start: int = 0) -> Floats:
        """Return the numbers for the scores of the tokens from ``start`` to n − 1, (heads, n − start, n)."""
        offsets = np.arange(n)[None, :] - np.arange(start, n)[:, None]
        return np.ascontiguousarray(self.table[self.classes(offsets)].transpose(2, 0, 1))

    def classes(self, offsets: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> np.ndarray:
        """Return the class of each offset (key minus query)."""
        count, behind = len(self.table), np.zeros_like(offsets)
        if self.both_ways:
            count //= 2
            behind = np.where(offsets > 0, count, 0)
            distance = np.abs(offsets)
        else:
            distance = np.maximum(-offsets, 0)
        exact = count // 2
        with np.errstate(divide="ignore"):  # the logarithm of 0 is not chosen below
            powers = np.log(distance.astype(np.float32) / np.float32(exact)) / np.float32(
                math.log(self.farthest / exact)
            )
            far = exact + np.where(distance < exact, 0, powers * (count - exact)).astype(np.int64)
        return np.asarray(behind + np.where(distance < exact, distance, np.minimum(far, count - 1)))
