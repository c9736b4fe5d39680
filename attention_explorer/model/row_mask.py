"""The mask of a map: an array, or a function that gives the rows asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Bools, boolean_mask
from attention_explorer.model.map_selection import Selection

RowMask: TypeAlias = Callable[[int, int], Bools]
"""A mask by rows: (start, stop) gives (stop − start, n_k), True where a query may attend."""


def taken_mask(mask: npt.ArrayLike | RowMask | None, shape: tuple[int, int]) -> Bools | RowMask | None:
    """Take the mask of a map.

    Parameters
    ----------
    mask : array_like of bool, (n_q, n_k) or with an axis of 1, or RowMask, or None
        True where a query may attend.
    shape : tuple of int
        n_q, n_k.

    Returns
    -------
    ndarray of bool, (n_q, n_k), or RowMask, or None

    Raises
    ------
    ArrayError
        If an array is not boolean or its shape does not fit; what a function gives is looked at later.
    """
    if mask is None or callable(mask):
        return mask
    return np.broadcast_to(boolean_mask("mask", mask, shape), shape)


def rows_of_mask(mask: Bools | RowMask | None, rows: Selection, n_k: int) -> Bools | None:
    """Return some rows of a mask: a function is asked once for consecutive ones, else for each.

    Parameters
    ----------
    mask : ndarray of bool, (n_q, n_k), or RowMask, or None
        As `taken_mask` returns it.
    rows : slice or ndarray of int
        A checked selection.
    n_k : int
        Number of keys.

    Returns
    -------
    ndarray of bool, (rows, n_k), or None if there is no mask

    Raises
    ------
    ArrayError
        If what a function gives is not boolean or its shape does not fit.
    """
    if mask is None or not callable(mask):
        return None if mask is None else mask[rows]
    if isinstance(rows, slice):
        return _called(mask, rows.start, rows.stop, n_k)
    each = [_called(mask, row, row + 1, n_k) for row in rows.tolist()]
    return np.concatenate(each) if each else np.zeros((0, n_k), np.bool_)


def _called(mask: RowMask, start: int, stop: int, n_k: int) -> Bools:
    shape = (stop - start, n_k)
    return np.broadcast_to(boolean_mask(f"mask({start}, {stop})", mask(start, stop), shape), shape)
