"""An attention map over weights that were computed elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, real_array, whole_array
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.map_selection import Selection, positions_of
from attention_explorer.model.row_array import RowArray
from attention_explorer.model.row_mask import RowMask, rows_of_mask, taken_mask

LARGEST_SUM = 1.01
"""Of a row: weights of 8 bits, as bfloat16 has them, may sum to some thousandths more than 1."""


class ArrayMap(AttentionMap):
    """A map over weights computed elsewhere, in memory or in a file.

    A row of zeros is one with nothing to attend to. Without a mask every key counts as visible, also one whose weight
    is 0 because it was hidden: entropies and shares of a causal map are measured over fewer keys if it is given.

    Parameters
    ----------
    weights : ndarray, memmap or RowArray, (n_q, n_k)
        Weights; not read before they are asked for. float16 is computed as float32.
    mask : array_like of bool or RowMask, optional
        True where a query could attend; (n_q, n_k) or with an axis of 1, or a function of (start, stop) that gives
        those rows.

    Raises
    ------
    ArrayError
        If it has not two axes or does not hold numbers, or the mask does not fit; later, if a row asked for holds an
        entry that is not finite, below 0 or hidden by the mask and not 0, or sums to more than 1.
    """

    def __init__(self, weights: npt.NDArray[Any] | RowArray, *, mask: npt.ArrayLike | RowMask | None = None) -> None:
        is_elsewhere = isinstance(weights, RowArray)
        self._weights = weights if is_elsewhere else whole_array("weights", weights, "an array of numbers")
        if len(self._weights.shape) != 2:
            raise ArrayError(f"weights has shape {self._weights.shape}, but must be (n_q, n_k), one map")
        n_q, n_k = self._weights.shape
        super().__init__((n_q, n_k), real_array("weights", np.empty((0, n_k), self._weights.dtype)).dtype)
        self._mask = taken_mask(mask, self._shape)

    def _described(self) -> list[str]:
        return [] if self._mask is None else ["masked"]

    def _allowed_part(self, rows: Selection) -> Bools | None:
        return rows_of_mask(self._mask, rows, self.n_k)

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        stored = self._weights[rows]
        part = real_array("weights", stored)
        if part is stored and not isinstance(self._weights, RowArray):
            part = part.copy()  # of an array that is not the caller's
        allowed = self._allowed_part(rows)
        self._refuse(rows, part, ~(np.isfinite(part) & (part >= 0.0)))
        if allowed is not None:
            self._refuse(rows, part, (part != 0.0) & ~allowed, ", which the mask hides")
        with np.errstate(over="ignore"):
            sums = part.sum(axis=-1)
        if not (sums <= LARGEST_SUM).all():
            row = int(np.argmax(sums > LARGEST_SUM))
            raise ArrayError(
                f"row {positions_of(rows)[row]} of weights of shape {self._shape} sums to {sums[row]:.6g}: a row of "
                "weights sums to 1, or to 0 if there is nothing to attend to; divide each row by its sum"
            )
        return part[:, cols]

    def _refuse(self, rows: Selection, part: Floats, wrong: Bools, why: str = "") -> None:
        if wrong.any():
            row, key = (int(index) for index in np.argwhere(wrong)[0])
            where = int(positions_of(rows)[row]), key
            raise ArrayError(f"weights of shape {self._shape} holds {part[row, key]} at index {where}{why}")
