"""Rows of numbers in a file that are made into weights when they are read: by a softmax, or by their sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model import RowArray, RowMask
from attention_explorer.model.arrays import Bools, Floats, real_array
from attention_explorer.model.map_selection import Selection, positions_of
from attention_explorer.model.row_mask import rows_of_mask
from attention_explorer.model.softmax import exponential_weights
from attention_explorer.sources.recorded_recipe import Rows

UNFIT = {
    Rows.SOFTMAX: "no softmax can be taken of that",
    Rows.NORMALISE: "rows can be divided by their sum only where they hold finite numbers, none below 0",
}
"""What is said of an entry of which no weight can be made."""


def is_unfit(entries: npt.NDArray[Any], rows: Rows) -> Bools:
    """Tell of which entries no weight can be made: NaN or +inf, or for a sum also −inf and what is below 0."""
    if rows is Rows.SOFTMAX:
        return np.asarray(np.isnan(entries) | np.isposinf(entries))
    return np.asarray(~(np.isfinite(entries) & (entries >= 0)))


def row_weights(table: npt.NDArray[Any], rows: Rows) -> Floats:
    """Make weights of rows.

    Parameters
    ----------
    table : ndarray, (n_q, n_k)
        As it is in the file, without what `is_unfit`.
    rows : Rows
        How.

    Returns
    -------
    ndarray, (n_q, n_k)
        float32 for float16 and float32, else float64. A row of −inf, or of zeros, has nothing to attend to: zeros.
    """
    numbers = real_array("rows", table)
    if rows is Rows.SOFTMAX:
        return exponential_weights(numbers, 1, 1.0)
    largest = numbers.max(axis=-1, keepdims=True, initial=0.0)
    shares = numbers / np.where(largest > 0, largest, 1)  # so that no sum is too large for a float
    total = shares.sum(axis=-1, keepdims=True)
    return np.asarray(shares / np.where(total > 0, total, 1), numbers.dtype)


def keys_in_sight(table: RowArray) -> RowMask:
    """Return the mask that scores have in them, by rows: all but −inf may be attended to."""
    return lambda start, stop: np.asarray(~np.isneginf(table[slice(start, stop)]))


class RowWeights(RowArray):
    """The weights of a head of which the file has other numbers.

    Parameters
    ----------
    stored : RowArray
        Its rows as the file has them.
    rows : Rows
        How they become weights.
    mask : RowMask or None
        What is hidden before that; it gets no weight.
    name : str
        What the head is called in messages.
    """

    def __init__(self, stored: RowArray, rows: Rows, mask: RowMask | None, name: str) -> None:
        self._stored, self._rows, self._mask, self._name = stored, rows, mask, name

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, columns."""
        return self._stored.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, in which weights are computed."""
        return real_array("rows", np.empty(0, self._stored.dtype)).dtype

    def __getitem__(self, rows: Selection) -> npt.NDArray[Any]:
        """Read rows and make weights of them, (rows, columns).

        Raises
        ------
        ArrayError
            If a row holds something of which no weight can be made.
        """
        if isinstance(rows, slice):
            rows = slice(*rows.indices(self.shape[0])[:2])
        stored = self._stored[rows]
        unfit = is_unfit(stored, self._rows)
        allowed = rows_of_mask(self._mask, rows, self.shape[1])
        if allowed is not None:
            unfit &= allowed
            stored = np.where(allowed, stored, -np.inf if self._rows is Rows.SOFTMAX else 0).astype(self.dtype)
        if unfit.any():
            row, key = (int(place) for place in np.argwhere(unfit)[0])
            where = int(positions_of(rows)[row]), key
            raise ArrayError(
                f"{self._name} of shape {self.shape} holds {stored[row, key]} at index {where}: {UNFIT[self._rows]}"
            )
        return row_weights(stored, self._rows)
