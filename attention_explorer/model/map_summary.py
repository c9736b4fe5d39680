"""What an attention map does, in a few numbers: a row at a time and over all rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.map_selection import Selection, positions_of
from attention_explorer.model.softmax import entropy_of

SATURATED = 0.95
"""A row is saturated if one key has more than this weight."""


class RowSummary(NamedTuple):
    """What each of n rows does; all arrays (..., n), float64 unless said otherwise.

    Position i of a query is counted among the keys with the last query at the last key, as in `causal_mask`.

    Attributes
    ----------
    entropy : ndarray
        −Σ w ln w in nats: 0 for one certain choice.
    max_weight : ndarray
        The largest weight.
    best : ndarray of int
        Its key, the first among equals; 0 for a row of zeros.
    distance : ndarray
        Σ w·|i − j|, in positions.
    self_mass, previous_mass, first_mass : ndarray
        The weight of the query's own position, of the one before it, and of the first key; 0 if there is none.
    total : ndarray
        The sum of the row: 1, or 0 with nothing to attend to.
    """

    entropy: Floats
    max_weight: Floats
    best: npt.NDArray[np.intp]
    distance: Floats
    self_mass: Floats
    previous_mass: Floats
    first_mass: Floats
    total: Floats


class MapSummary(NamedTuple):
    """What a whole map does. Means are over the rows that attend to something, NaN if none does.

    Attributes
    ----------
    entropy, max_weight, distance, self_mass, previous_mass, first_mass : float
        Means of the fields of `RowSummary`.
    score_std : float
        Standard deviation (population) of the visible scaled scores; NaN without scores, or if one is beyond
        the float range.
    saturated : float
        Share of the rows with a weight above `SATURATED`.
    evenness : float
        Mean of entropy / ln(visible keys): 1 is uniform, 0 is certain. Rows with one visible key do not count.
    empty_rows : int
        Rows with nothing to attend to.
    """

    entropy: float
    max_weight: float
    distance: float
    self_mass: float
    previous_mass: float
    first_mass: float
    score_std: float
    saturated: float
    evenness: float
    empty_rows: int


class RowBlock(NamedTuple):
    """Some rows of a map, or the same rows of several, on their way into a summary.

    Attributes
    ----------
    rows : slice or ndarray of int
        Which rows, b of them.
    weights : ndarray, (..., b, n_k)
        Their weights.
    allowed : ndarray of bool, (..., b, n_k), or None
        False where masked.
    logits : ndarray, (..., b, n_k), or None
        What the softmax saw, finite also where masked; None if there is no such thing. Will be overwritten.
    scaled : ndarray, (..., b, n_k), or None
        The scaled scores; `logits` itself without a bias. Will be overwritten.
    temperature : float
        Of the softmax.
    shown : ndarray, (..., b, n_k), or None
        What a picture shows, if not the weights.
    """

    rows: Selection
    weights: Floats
    allowed: Bools | None = None
    logits: Floats | None = None
    scaled: Floats | None = None
    temperature: float = 1.0
    shown: Floats | None = None

    @property
    def kind(self) -> tuple[object, ...]:
        """What blocks of several maps must have in common to be one."""
        has = tuple(part is None for part in (self.allowed, self.logits, self.scaled, self.shown))
        return self.weights.dtype, *has, self.scaled is self.logits, self.temperature

    @classmethod
    def stacked(cls, blocks: Sequence[RowBlock]) -> RowBlock:
        """Return the same rows of several maps of one kind as one block, (maps, b, n_k)."""
        first = blocks[0]
        arrays = {
            name: np.stack([getattr(block, name) for block in blocks])
            for name in ("weights", "allowed", "logits", "scaled", "shown")
            if getattr(first, name) is not None
        }
        if first.logits is not None and first.scaled is first.logits:
            arrays["scaled"] = arrays["logits"]
        return cls(first.rows, temperature=first.temperature, **arrays)


class SummaryPass:
    """Collects blocks of rows, each once, and keeps what the summaries need.

    Parameters
    ----------
    shape : tuple of int
        n_q and n_k of the map; in front of them how many maps come together, if several do.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._maps, (self._n_q, self._n_k) = shape[:-2], shape[-2:]
        self._parts: list[RowSummary] = []
        self._visible: list[Floats] = []
        self._moments = _Moments(self._maps)

    def add(self, block: RowBlock) -> None:
        """Take the next rows."""
        shape = block.weights.shape
        if 0 in shape:
            self._parts.append(_zero_rows(shape[:-1]))
            self._visible.append(np.zeros(shape[:-1]))
            return
        with np.errstate(all="ignore"):  # scores may be beyond the float range
            self._take(block)

    def row_summary(self) -> RowSummary:
        """Return the summary of all rows taken, in their order."""
        if not self._parts:
            return _zero_rows((*self._maps, 0))
        return RowSummary(*(np.concatenate(column, axis=-1) for column in zip(*self._parts, strict=True)))

    def summary(self) -> MapSummary:
        """Return the summary of the one map over all rows taken."""
        return self.summaries()[0]

    def summaries(self) -> list[MapSummary]:
        """Return the summary of each map over all rows taken."""
        rows = self.row_summary()
        visible = np.concatenate(self._visible, axis=-1) if self._visible else np.zeros((*self._maps, 0))
        attends = rows.max_weight > 0.0
        several = attends & (visible > 1.0)
        figures = (
            rows.entropy,
            rows.max_weight,
            rows.distance,
            rows.self_mass,
            rows.previous_mass,
            rows.first_mass,
            rows.max_weight > SATURATED,
        )
        *means, saturated = _means(np.stack(figures), attends)
        evenness = _means(rows.entropy / np.log(np.where(several, visible, math.e)), several)
        empty = np.count_nonzero(~attends, axis=-1)
        columns = (*means, self._moments.std(), saturated, evenness, empty)
        return [MapSummary(*each) for each in zip(*(np.ravel(column).tolist() for column in columns), strict=True)]

    def _take(self, block: RowBlock) -> None:
        weights = block.weights
        ones = np.ones(self._n_k, weights.dtype)  # a product with it sums rows faster than sum
        own = positions_of(block.rows) + (self._n_k - self._n_q)  # (b,), the key at the query's position
        best = weights.argmax(axis=-1, keepdims=True)  # (..., b, 1)
        top = np.take_along_axis(weights, best, axis=-1)[..., 0].astype(np.float64)
        peak = None if block.logits is None else _move(block.logits, best)
        figures = (
            np.vecdot(weights, _distances(block.rows, own, weights)),
            _mass(weights, own),
            _mass(weights, own - 1),
            weights[..., 0].copy(),  # a view would keep the whole block
            weights @ ones,
        )
        doubles = (figure.astype(np.float64, copy=False) for figure in figures)
        self._parts.append(RowSummary(_entropy(block, top), top, best[..., 0], *doubles))
        seen = None if block.allowed is None else block.allowed.astype(weights.dtype)  # 1 and 0
        visible = np.full(top.shape, float(self._n_k)) if seen is None else (seen @ ones).astype(np.float64)
        self._visible.append(visible)
        if block.scaled is not None:
            shift = peak if peak is not None and block.scaled is block.logits else _move(block.scaled, best)
            if seen is not None:
                block.scaled[...] *= seen
            self._moments.add(block.scaled, shift, visible)


class _Moments:
    """Mean and spread of the scores of maps, which come in rows (Chan, Golub & LeVeque 1979, section 2)."""

    def __init__(self, maps: tuple[int, ...]) -> None:
        self._count, self._mean, self._squares = (np.zeros(maps) for _ in range(3))

    def add(self, moved: Floats, shift: Floats, visible: Floats) -> None:
        """Take scores less a shift of each row, (..., b, n_k), 0 where they do not count."""
        some = visible > 0.0
        counts = np.where(some, visible, 1.0)
        sums = (moved @ np.ones(moved.shape[-1], moved.dtype)).astype(np.float64)
        squares = np.vecdot(moved, moved).astype(np.float64) - sums**2 / counts
        self._merge(visible, np.where(some, shift + sums / counts, 0.0), np.where(some, np.maximum(squares, 0.0), 0.0))

    def _merge(self, counts: Floats, means: Floats, squares: Floats) -> None:
        """Merge groups with what was there: squares about one mean, for groups with means of their own."""
        counts, means = (
            np.concatenate((new, known[..., None]), axis=-1)
            for new, known in ((counts, self._count), (means, self._mean))
        )
        self._count = counts.sum(axis=-1)
        self._mean = np.vecdot(counts, means) / np.maximum(self._count, 1.0)
        self._squares = self._squares + squares.sum(axis=-1) + np.vecdot(counts, (means - self._mean[..., None]) ** 2)

    def std(self) -> Floats:
        """Return the standard deviation of the population of each map, NaN where there is none that is a number."""
        with np.errstate(all="ignore"):
            variance = self._squares / self._count
            return np.sqrt(np.where(np.isfinite(variance), variance, math.nan))


def _means(figures: Floats, counts: Bools) -> Floats:
    """Return the mean over those of the last axis that count, NaN where none does."""
    with np.errstate(invalid="ignore"):
        return np.asarray(figures.sum(axis=-1, where=counts) / np.count_nonzero(counts, axis=-1))


def _entropy(block: RowBlock, top: Floats) -> Floats:
    """Compute −Σ w ln w of every row; `top` is the largest weight.

    The softmax has ln w = gap / T + ln top, where the gap of a logit is to that of the largest weight: n
    logarithms in place of n².
    """
    if block.logits is None:
        return entropy_of(block.weights, block.weights.ndim - 1).astype(np.float64)
    gaps = np.vecdot(block.weights, block.logits).astype(np.float64) / block.temperature
    return np.asarray(np.maximum(-np.log(np.where(top > 0.0, top, 1.0)) - gaps, 0.0))


def _move(scores: Floats, best: npt.NDArray[np.intp]) -> Floats:
    """Take one score of every row, best (..., b, 1), from its row, in place; return what was taken, (..., b)."""
    taken: Floats = np.take_along_axis(scores, best, axis=-1)
    scores -= taken
    return taken[..., 0].astype(np.float64, copy=False)


def _distances(rows: Selection, own: npt.NDArray[np.intp], weights: Floats) -> Floats:
    """Return |i − j|, (b, n_k)."""
    n_k = weights.shape[-1]
    if isinstance(rows, slice):
        return _consecutive_distances(int(own[0]), int(own[-1]), n_k, weights.dtype)
    apart: Floats = np.abs(own[:, None] - np.arange(n_k)).astype(weights.dtype)
    return apart


@lru_cache(maxsize=4)  # the heads of a layer ask for the same ones
def _consecutive_distances(first: int, last: int, n_k: int, dtype: np.dtype[np.floating[Any]]) -> Floats:
    """Return |i − j| for consecutive queries: a view of one line of numbers, (n_k + b − 1,)."""
    line: Floats = np.abs(np.arange(-last, n_k - first)).astype(dtype)
    return sliding_window_view(line, n_k)[::-1]


def _mass(weights: Floats, keys: npt.NDArray[np.intp]) -> Floats:
    """Return the weight of one key a row, (..., b), keys (b,); 0 where there is no such key."""
    n, n_k = weights.shape[-2:]
    mass: Floats = weights[..., np.arange(n), np.minimum(np.maximum(keys, 0), n_k - 1)]
    mass[..., (keys < 0) | (keys >= n_k)] = 0.0
    return mass


def _zero_rows(shape: tuple[int, ...]) -> RowSummary:
    """Return the summary of rows without keys, (..., n)."""
    zeros = np.zeros(shape)
    return RowSummary(zeros, zeros, np.zeros(shape, np.intp), zeros, zeros, zeros, zeros, zeros)
