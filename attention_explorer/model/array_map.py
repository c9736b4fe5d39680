"""An attention map over weights that were computed elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, real_array, whole_array
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.half import INFINITE, widened
from attention_explorer.model.map_selection import (
    ALL,
    Choice,
    Selection,
    chosen,
    count,
    positions_of,
    row_blocks,
    rows_of_a_block,
)
from attention_explorer.model.pooling import Pooled, TilePool
from attention_explorer.model.row_array import RowArray
from attention_explorer.model.row_mask import RowMask, rows_of_mask, taken_mask

LARGEST_SUM = 1.01
"""Of a row: weights of 8 bits, as bfloat16 has them, may sum to some thousandths more than 1."""
LONG = 2**24
"""Entries above which a picture of float16 adds up a sample of the rows."""
LONG_BLOCK = 2**22
"""Entries of it that are read together: more than for arithmetic, as they are only compared."""
SAMPLED_ROWS = 256
"""One row is added up in so many."""
_UNKNOWN, _YES = -1, 1


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
    is_guess : bool
        Whether the mask is a guess: in a row of which a hidden key has weight, it does not count.
    name : str
        What the weights are called in messages.

    Raises
    ------
    ArrayError
        If it has not two axes or does not hold numbers, or the mask does not fit; later, if a row asked for holds an
        entry that is not finite, below 0 or hidden by the mask and not 0, or sums to more than 1.
    """

    def __init__(
        self,
        weights: npt.NDArray[Any] | RowArray,
        *,
        mask: npt.ArrayLike | RowMask | None = None,
        is_guess: bool = False,
        name: str = "weights",
    ) -> None:
        is_elsewhere = isinstance(weights, RowArray)
        self._weights = weights if is_elsewhere else whole_array("weights", weights, "an array of numbers")
        if len(self._weights.shape) != 2:
            raise ArrayError(f"weights has shape {self._weights.shape}, but must be (n_q, n_k), one map")
        n_q, n_k = self._weights.shape
        super().__init__((n_q, n_k), real_array("weights", np.empty((0, n_k), self._weights.dtype)).dtype)
        self._mask, self._name = taken_mask(mask, self._shape), name
        # Of a mask that is a guess: by row, whether the weights contradict it; known once they have been read.
        self._contradicted = np.full(n_q, _UNKNOWN, np.int8) if is_guess and mask is not None else None

    def pooled(self, stage: Stage | str, height: int, width: int, rows: Choice = ALL, cols: Choice = ALL) -> Pooled:
        """Reduce the weights to a picture.

        Of a long map in float16, without a mask, all entries in the picture are looked at, but only a sample of the
        rows is added up, which would take longer than all the rest. Whatever asks for a row's weights adds it up.
        """
        is_long = self._weights.dtype == np.float16 and self._mask is None and self.n_q * self.n_k > LONG
        if self._known(stage) is not Stage.WEIGHTS or not is_long:
            return super().pooled(stage, height, width, rows, cols)
        queries, keys = chosen("rows", rows, self.n_q), chosen("cols", cols, self.n_k)
        tiles = TilePool((count(queries), count(keys)), height, width, np.dtype(np.uint16), by_magnitude=False)
        room = np.empty((min(rows_of_a_block(self.n_k, LONG_BLOCK), count(queries)), self.n_k), np.float16)
        for offset, block in row_blocks(queries, self.n_k, LONG_BLOCK):
            stored = self._stored(block, room[: count(block)])
            sample = positions_of(block)[-offset % SAMPLED_ROWS :: SAMPLED_ROWS]
            if len(sample):
                self._stage_part(Stage.WEIGHTS, sample, slice(0, 0))
            tiles.add(offset, stored.view(np.uint16)[:, keys], None)  # bits are in the order of the numbers from 0 on
        largest, masked = tiles.pooled(0.0)
        if largest.max(initial=0) >= INFINITE:  # something is no weight, or −0
            return super().pooled(stage, height, width, rows, cols)
        return Pooled(widened(largest.view(np.float16)), masked)

    def _stored(self, rows: Selection, room: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return rows as they are stored; read, if they have to be, to where there is room."""
        if not isinstance(self._weights, RowArray):
            return self._weights[rows]
        self._weights.read_into(rows, room)
        return room

    def _described(self) -> list[str]:
        return [] if self._mask is None else ["masked"]

    def _allowed_part(self, rows: Selection) -> Bools | None:
        allowed = rows_of_mask(self._mask, rows, self.n_k)
        if allowed is None or self._contradicted is None:
            return allowed
        if (self._contradicted[rows] == _UNKNOWN).any():
            self._stage_part(Stage.WEIGHTS, rows, slice(0, 0))
        contradicted = self._contradicted[rows] == _YES
        return np.asarray(allowed | contradicted[:, None]) if contradicted.any() else allowed

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        stored = self._weights[rows]
        part = real_array("weights", stored)
        if part is stored and not isinstance(self._weights, RowArray):
            part = part.copy()  # of an array that is not the caller's
        allowed = rows_of_mask(self._mask, rows, self.n_k)
        self._refuse(rows, part, ~(np.isfinite(part) & (part >= 0.0)))
        if allowed is not None:
            wrong = (part != 0.0) & ~allowed
            if self._contradicted is None:
                self._refuse(rows, part, wrong, ", which the mask hides")
            else:
                self._contradicted[rows] = wrong.any(axis=1) if wrong.any() else False
        with np.errstate(over="ignore"):
            sums = part.sum(axis=-1)
        if not (sums <= LARGEST_SUM).all():
            row = int(np.argmax(sums > LARGEST_SUM))
            raise ArrayError(
                f"row {positions_of(rows)[row]} of {self._name} of shape {self._shape} sums to {sums[row]:.6g}: a row "
                "of weights sums to 1, or to 0 if there is nothing to attend to; divide each row by its sum"
            )
        return part[:, cols]

    def _refuse(self, rows: Selection, part: Floats, wrong: Bools, why: str = "") -> None:
        if wrong.any():
            row, key = (int(index) for index in np.argwhere(wrong)[0])
            where = int(positions_of(rows)[row]), key
            raise ArrayError(f"{self._name} of shape {self._shape} holds {part[row, key]} at index {where}{why}")
