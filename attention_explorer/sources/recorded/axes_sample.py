"""A sample of the rows of an array, and what they sum to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attention_explorer.model.half import widened
from attention_explorer.sources.recorded.row_weights import is_unfit, row_weights
from attention_explorer.sources.recorded.stored_array import StoredArray
from attention_explorer.sources.recorded_recipe import Rows

LARGEST_ERROR = 0.01
"""How far a sum may be from 1 at all: a model that computes in bfloat16 may have been saved as float32."""
MOST_ROWS = 64
_MOST_ENTRIES = 2**24
"""Of all rows together, unless one has more."""
SCATTERED_ROWS, SCATTERED = 3, 4096
"""So many rows are looked at if they have more keys than that, each far from the next in the file."""
_CHUNK = 2**18
_STEPS = tuple(math.sqrt(prime) % 1.0 for prime in (2, 3, 5, 7))
"""Positions along different axes are spread by steps that have no common measure."""

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowSums:
    """What the rows of a sample sum to."""

    least: float
    most: float
    counted: int
    """Rows that hold a weight; `least` and `most` are 0 if there is none."""
    empty: int
    """Rows of zeros, which have nothing to attend to."""


@dataclass(frozen=True, slots=True)
class SampledRow:
    """What is known of one row."""

    place: int
    """Of its array, if there are several."""
    index: Index
    """Of its first entry."""
    total: float
    wrong: tuple[Index, float] | None
    """The first entry that is no weight, not finite or below 0, or of which none can be made."""
    later: int
    """How many keys come after the query, the last of both aligned."""
    later_weights: int
    """How many of them have a weight that is not 0."""
    hidden: int = 0
    """How many scores are −inf, if softmax is taken of them."""

    @property
    def is_bad(self) -> bool:
        """Whether it cannot be a row of weights. A row of zeros can: it has nothing to attend to."""
        return self.wrong is not None or (self.total != 0.0 and abs(self.total - 1.0) > LARGEST_ERROR)


def add_up(rows: Sequence[SampledRow]) -> RowSums:
    """Return the least and the largest sum of those rows that hold a weight."""
    totals = [row.total for row in rows if row.total != 0.0]
    return RowSums(min(totals, default=0.0), max(totals, default=0.0), len(totals), len(rows) - len(totals))


def sampled(
    arrays: Sequence[StoredArray], key_axis: int, query_axis: int | None = None, rows: Rows = Rows.AS_THEY_ARE
) -> list[SampledRow]:
    """Look at some rows, spread over all arrays and axes.

    Parameters
    ----------
    arrays : sequence of StoredArray
        With as many axes each, none of length 0.
    key_axis : int
        The axis along which rows run.
    query_axis : int, optional
        The axis of the queries, to look for a causal mask.
    rows : Rows
        How the rows become weights before they are added up.

    Returns
    -------
    list of SampledRow
        At most 64; all there are if there are no more.
    """
    spread = _spread(arrays, key_axis)
    return [_looked_at(arrays[place], place, index, key_axis, query_axis, rows) for place, index in spread]


def _spread(arrays: Sequence[StoredArray], key_axis: int) -> Iterator[tuple[int, Index]]:
    """Choose rows: yields which array, and the index of the row's first entry."""
    shapes = [tuple(1 if axis == key_axis else n for axis, n in enumerate(array.shape)) for array in arrays]
    most = _most_rows(arrays[0], key_axis)
    if sum(map(math.prod, shapes)) <= most:
        for place, shape in enumerate(shapes):
            yield from ((place, index) for index in itertools.product(*map(range, shape)))
        return
    for number in range(most):
        place = number * len(arrays) // most
        yield place, tuple(_position(number, most, axis, n) for axis, n in enumerate(shapes[place]))


def is_scattered(array: StoredArray, key_axis: int) -> bool:
    """Tell whether rows along an axis take a read for each of very many keys."""
    return array.shape[key_axis] > SCATTERED and key_axis != array.nearest_axis and not array.whole_at_once


def _most_rows(array: StoredArray, key_axis: int) -> int:
    most = SCATTERED_ROWS if is_scattered(array, key_axis) else MOST_ROWS
    return max(1, min(most, _MOST_ENTRIES // array.shape[key_axis]))


def _position(number: int, most: int, axis: int, length: int) -> int:
    """Place a row along an axis: the first row at the start, the last at the end, the others well spread."""
    if number in (0, most - 1):
        return 0 if number == 0 else length - 1
    return int((number * _STEPS[axis % len(_STEPS)]) % 1.0 * length)


def _looked_at(
    array: StoredArray, place: int, index: Index, key_axis: int, query_axis: int | None, rows: Rows
) -> SampledRow:
    keys = array.shape[key_axis]
    visible = keys
    if query_axis is not None:
        visible = max(0, min(keys, index[query_axis] + 1 + keys - array.shape[query_axis]))
    if rows is not Rows.AS_THEY_ARE:
        return _made(array, place, index, key_axis, visible, rows)
    total, later_weights = 0.0, 0
    for start in range(0, keys, _CHUNK):
        cut = slice(start, min(start + _CHUNK, keys))
        entries = array.part([*index[:key_axis], cut, *index[key_axis + 1 :]])
        if entries.dtype == np.float16:  # with which NumPy is slow
            entries = widened(entries)
        fine = np.isfinite(entries) & (entries >= 0)
        if not fine.all():
            at = int(np.argmin(fine))
            where = (*index[:key_axis], start + at, *index[key_axis + 1 :])
            return SampledRow(place, index, total, (where, float(entries[at])), 0, 0)
        with np.errstate(over="ignore"):  # then they sum to ∞, which is not 1
            total += float(entries.sum(dtype=np.float64))
        later_weights += int(np.count_nonzero(entries[max(0, visible - start) :]))
    return SampledRow(place, index, total, None, keys - visible, later_weights)


def _made(array: StoredArray, place: int, index: Index, key_axis: int, visible: int, rows: Rows) -> SampledRow:
    """Look at a row of which weights are made: it takes the whole of it."""
    keys = array.shape[key_axis]
    entries = array.part([*index[:key_axis], slice(0, keys), *index[key_axis + 1 :]])
    unfit = is_unfit(entries, rows)
    if unfit.any():
        at = int(np.argmax(unfit))
        return SampledRow(
            place, index, 0.0, ((*index[:key_axis], at, *index[key_axis + 1 :]), float(entries[at])), 0, 0
        )
    weights = row_weights(entries[None], rows)[0]
    later, hidden = int(np.count_nonzero(weights[visible:])), int(np.count_nonzero(np.isneginf(entries)))
    return SampledRow(place, index, float(weights.sum(dtype=np.float64)), None, keys - visible, later, hidden)
