"""Drawing a map larger than its picture: every tile shows the member that matters most."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.scalars import size

# Runs of fewer rows or columns on average count as short.
_SHORT = 12


class Pooled(NamedTuple):
    """A map reduced to tiles, or several; a map that fits has tiles of one entry.

    Attributes
    ----------
    values : ndarray, (..., h, w)
        Of each tile the largest weight, or the score of the largest absolute value (the positive one of a
        pair), among those not masked. Where all are masked 0 for weights, −inf for masked scores.
    masked : ndarray of bool, (..., h, w)
        Whether every member of the tile is masked.
    """

    values: Floats
    masked: Bools


def tile_bounds(length: int, tiles: int) -> npt.NDArray[np.intp]:
    """Cut a length into tiles that differ by one at most.

    Parameters
    ----------
    length : int
        Number of rows or columns.
    tiles : int
        How many tiles there may be, at least 1.

    Returns
    -------
    ndarray of int, (min(tiles, length) + 1,)
        Tile t holds the positions from entry t up to but without entry t + 1.

    Raises
    ------
    ArrayError
        If there is to be no tile, or the length is no integer or below 0.
    """
    most = size("tiles", tiles)
    if most == 0:
        raise ArrayError("tiles must be at least 1, not 0: a picture needs a pixel")
    places = size("length", length)
    n = min(most, places)
    if places > np.iinfo(np.intp).max // (n + 1):
        raise ArrayError(f"length must be far below {places}: no array is that long")
    return np.arange(n + 1) * places // max(n, 1)


@lru_cache(maxsize=8)  # the heads of a wall ask for the same ones
def _known_bounds(length: int, tiles: int) -> npt.NDArray[np.intp]:
    bounds = tile_bounds(length, tiles)
    bounds.flags.writeable = False
    return bounds


class TilePool:
    """Collects a map block by block and keeps the extremes of every tile.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns that will come; in front of them how many maps come together, if several do.
    height, width : int
        How many tiles there may be each way, at least 1.
    dtype : dtype
        Of the map; unsigned integers for what is stored in an order of its own.
    by_magnitude : bool
        Whether the largest absolute value wins, as for scores, and not the largest value.
    """

    def __init__(
        self, shape: tuple[int, ...], height: int, width: int, dtype: np.dtype[Any], by_magnitude: bool
    ) -> None:
        self._row_bounds = _known_bounds(shape[-2], height)
        self._col_bounds = _known_bounds(shape[-1], width)
        tiles = (*shape[:-2], len(self._row_bounds) - 1, len(self._col_bounds) - 1)
        self._largest = np.full(tiles, 0 if dtype.kind == "u" else -np.inf, dtype)
        self._smallest = np.full(tiles, np.inf, dtype) if by_magnitude else None
        self._seen = np.zeros(tiles, np.bool_)

    def add(self, offset: int, values: npt.NDArray[Any], allowed: Bools | None) -> None:
        """Take the next rows.

        Parameters
        ----------
        offset : int
            How many rows came before.
        values : ndarray, (..., b, n)
            Weights, or scores with −inf where masked.
        allowed : ndarray of bool, (..., b, n), optional
            False where masked.
        """
        if values.size == 0:
            return
        self._pool(np.maximum, self._largest, offset, values)
        if self._smallest is not None:
            visible = values if allowed is None else np.where(allowed, values, np.inf)
            self._pool(np.minimum, self._smallest, offset, visible)
        if allowed is None:
            self._seen[..., self._tiles(offset, values.shape[-2]), :] = True
        else:
            self._pool(np.maximum, self._seen.view(np.uint8), offset, allowed.view(np.uint8))

    def pooled(self, where_masked: float) -> Pooled:
        """Return the picture.

        Parameters
        ----------
        where_masked : float
            The value of tiles with nothing to see.

        Returns
        -------
        Pooled
        """
        values = self._largest
        if self._smallest is not None:
            values = np.where(-self._smallest > values, self._smallest, values)
        values[~self._seen] = where_masked
        return Pooled(values, ~self._seen)

    def _tiles(self, offset: int, rows: int) -> slice:
        """Return the tile rows that a block touches."""
        first = np.searchsorted(self._row_bounds, offset, side="right") - 1
        return slice(int(first), int(np.searchsorted(self._row_bounds, offset + rows)))

    def _pool(self, extreme: np.ufunc, kept: npt.NDArray[Any], offset: int, values: npt.NDArray[Any]) -> None:
        """Reduce a block, rows first, and keep what goes beyond the blocks before."""
        rows = values.shape[-2]
        tiles = self._tiles(offset, rows)
        bounds = np.minimum(np.maximum(self._row_bounds[tiles.start : tiles.stop + 1] - offset, 0), rows)
        values = _reduced(extreme, _reduced(extreme, values, bounds, -2), self._col_bounds, -1)
        extreme(kept[..., tiles, :], values, out=kept[..., tiles, :])


def _reduced(extreme: np.ufunc, values: npt.NDArray[Any], bounds: npt.NDArray[np.intp], axis: int) -> npt.NDArray[Any]:
    """Reduce each run of rows or columns to its extreme.

    Many short runs are fastest member by member, all runs at once; few long ones run by run. An ufunc's
    reduceat is neither for rows, and for columns only if they are long.
    """
    runs, length = len(bounds) - 1, values.shape[axis]
    if runs == length:
        return values
    if length < _SHORT * runs:
        last = bounds[1:] - 1
        reduced = values.take(last, axis=axis)
        for member in range(int(np.diff(bounds).max()) - 1):
            extreme(reduced, values.take(np.minimum(bounds[:-1] + member, last), axis=axis), out=reduced)
        return reduced
    if axis == -1:
        return np.asarray(extreme.reduceat(values, bounds[:-1], axis=-1))
    runs_of_rows = (values[..., start:stop, :] for start, stop in pairwise(bounds.tolist()))
    return np.stack([extreme.reduce(run, axis=-2) for run in runs_of_rows], axis=-2)
