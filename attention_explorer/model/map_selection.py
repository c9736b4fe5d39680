"""Choosing rows and columns of an attention map, and walking over rows in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import whole_array
from attention_explorer.model.checkpoint import checkpoint

Selection: TypeAlias = slice | npt.NDArray[np.integer[Any]]
"""Rows or columns: a slice of step 1, or integers in any order."""

Choice: TypeAlias = slice | npt.ArrayLike
"""What a caller may choose by: one position too, or a boolean for each."""

ALL = slice(None)

# A block this large stays in a processor's cache: the arithmetic is then twice as fast as on a whole long map.
_CACHED = 2**18
# Fewer rows than this make a slow matrix product; they may take a block beyond the cache, up to the limit.
_ROWS = 32
_LARGEST = 2**20


def chosen(name: str, selection: Choice, length: int) -> Selection:
    """Check a choice of rows or columns.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    selection : int, slice or array_like of int or bool
        A slice of step 1, cut to the length as Python does, positions from 0 to length − 1, or a boolean for each.
    length : int
        How many there are.

    Returns
    -------
    slice or ndarray of int, (n,)
        A slice has both ends, with start ≤ stop.

    Raises
    ------
    ArrayError
        If a slice has another step, or a position is no integer or outside the map.
    """
    if isinstance(selection, slice):
        try:
            start, stop, step = selection.indices(length)
        except (TypeError, ValueError):  # ends that are no integers, or a step of 0
            raise ArrayError(f"{name} is {selection}: give a slice of integers and of step 1") from None
        if step != 1:
            raise ArrayError(f"{name} is a slice of step {step}: give a slice of step 1 or the positions themselves")
        return slice(start, max(start, stop))
    positions = np.atleast_1d(whole_array(name, selection, "positions"))
    if positions.dtype == np.bool_ and positions.shape == (length,) and np.ndim(selection):
        return np.flatnonzero(positions)
    if positions.ndim != 1 or (positions.dtype.kind not in "iu" and positions.size):
        raise ArrayError(
            f"{name} of shape {positions.shape} holds {positions.dtype}: give a slice, integers in one "
            f"axis, or {length} booleans"
        )
    positions = positions.astype(np.intp)
    if positions.size and not (positions.min() >= 0 and positions.max() < length):
        raise ArrayError(f"{name} must lie between 0 and {length - 1}, not {positions.min()} to {positions.max()}")
    return positions


def without_single_axes(found: npt.NDArray[Any], rows: Choice, cols: Choice) -> npt.NDArray[Any]:
    """Drop the axis of a row or column that was chosen by its position alone, as NumPy does."""
    return found.squeeze(tuple(axis for axis, choice in enumerate((rows, cols)) if _is_single(choice)))


def _is_single(choice: Choice) -> bool:
    return not isinstance(choice, slice) and np.ndim(choice) == 0


def count(selection: Selection) -> int:
    """Count what a checked selection chooses."""
    return selection.stop - selection.start if isinstance(selection, slice) else len(selection)


def positions_of(selection: Selection) -> npt.NDArray[np.intp]:
    """List what a checked selection chooses, (n,)."""
    if isinstance(selection, slice):
        return np.arange(selection.start, selection.stop)
    return selection.astype(np.intp, copy=False)


def row_blocks(rows: Selection, n_k: int, entries: int | None = None) -> Iterator[tuple[int, Selection]]:
    """Walk over rows, a block at a time.

    Parameters
    ----------
    rows : slice or ndarray of int, (n,)
        A checked selection.
    n_k : int
        Keys of a row.
    entries : int, optional
        The most entries of a block of more than a few rows; as many as stay in a processor's cache if not given.

    Yields
    ------
    offset : int
        How many of the chosen rows came before.
    block : slice or ndarray of int
        The rows of this block: together about `entries`, 2**18 if not given, and no more than that or 2**20 unless
        one row is longer.
    """
    each = rows_of_a_block(n_k, entries)
    for offset in range(0, count(rows), each):
        checkpoint()
        if isinstance(rows, slice):
            start = rows.start + offset
            yield offset, slice(start, min(start + each, rows.stop))
        else:
            yield offset, rows[offset : offset + each]


def rows_of_a_block(n_k: int, entries: int | None = None) -> int:
    """Return how many rows of `n_k` keys are computed together."""
    keys = max(n_k, 1)
    return max((entries or _CACHED) // keys, min(_ROWS, _LARGEST // keys), 1)
