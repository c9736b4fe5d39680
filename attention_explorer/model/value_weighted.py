"""Attention weights times how long the values are that they weigh: what each key adds to the output of a query."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, all_finite, finite_array
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.linear import linear, read_only
from attention_explorer.model.map_selection import Selection, row_blocks
from attention_explorer.model.map_summary import RowBlock
from attention_explorer.model.scalars import size


class ValueWeightedMap(AttentionMap):
    """The lengths ‖αᵢⱼ vⱼ W_O‖ of what each key adds to the output of a head, or ‖αᵢⱼ vⱼ‖ where W_O is not known.

    α is one number, so this is αᵢⱼ ‖vⱼ W_O‖: a map with each column multiplied by one length. Its rows are **not** a
    distribution: they sum to anything, in the units of the values. ``weights`` and the pictures give the lengths.
    Row summaries, summary and patterns are of a whole and its parts, so they are taken of each row divided by its sum.

    Parameters
    ----------
    map_ : AttentionMap
        The weights α, (n_q, n_k).
    v : array_like, (n_k, d_v)
        The values of the head, with their bias if there is one.
    w_o : array_like, (d_v, d_out), optional
        The rows of the output matrix that belong to the head, as `output_rows` takes them.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, or a length leaves the float range.

    Notes
    -----
    Kobayashi et al. 2020, "Attention is Not Only a Weight", ‖α f(x)‖ with f(x) = (x W_V + b_V) W_O. The bias of the
    output belongs to no head and no key.
    """

    def __init__(self, map_: AttentionMap, v: npt.ArrayLike, w_o: npt.ArrayLike | None = None) -> None:
        values = finite_array("v", v, "n_k", "d_v")
        if len(values) != map_.n_k:
            raise ArrayError(f"v has shape {values.shape}, but the map has {map_.n_k} keys: it must have as many rows")
        self._lengths = read_only(_lengths(values, None if w_o is None else finite_array("w_o", w_o, "d_v", "d_out")))
        super().__init__(map_.shape, np.result_type(map_.dtype, self._lengths))
        self._map, self._is_projected = map_, w_o is not None

    @property
    def lengths(self) -> Floats:
        """‖vⱼ W_O‖, or ‖vⱼ‖ where W_O is not known, (n_k,); not to be written into."""
        return self._lengths

    @property
    def is_projected(self) -> bool:
        """Whether W_O is known."""
        return self._is_projected

    @property
    def symbol(self) -> str:
        """What an entry is, as a formula."""
        return "‖α·v·W_O‖" if self._is_projected else "‖α·v‖"

    def output(self, v: npt.ArrayLike) -> Floats:
        """Refuse: lengths are no weights to mix values by.

        Raises
        ------
        ArrayError
            Always.
        """
        raise ArrayError(f"{self.symbol} are lengths, not weights: mix values by the map that they were made of")

    def _described(self) -> list[str]:
        return [self.symbol]

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        weights = self._map.weights(rows, cols).astype(self._dtype, copy=False)
        weights *= self._lengths[cols]
        return weights

    def _allowed_part(self, rows: Selection) -> Bools:
        return self._map.allowed(rows)

    def _block(self, rows: Selection) -> RowBlock:
        """Divide rows by their sums."""
        lengths = self._stage_part(Stage.WEIGHTS, rows, slice(0, self.n_k))
        with np.errstate(over="ignore", under="ignore"):
            largest = lengths.max(axis=1, keepdims=True, initial=0.0)  # (b, 1); sums of the largest floats overflow
            shares = lengths / np.where(largest > 0.0, largest, 1.0)
            shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)  # at least 1, but for rows of zeros
        return RowBlock(rows, shares, self._map.allowed(rows), shown=lengths)


def output_rows(w_o: npt.ArrayLike, heads: SupportsIndex, head: SupportsIndex) -> Floats:
    """Take the rows of the output matrix that one head owns.

    Parameters
    ----------
    w_o : array_like, (heads·d_v, d_out)
        Mixes the heads, as in `MultiHeadAttention`.
    heads, head : int
        How many heads there are, and which one, from 0.

    Returns
    -------
    ndarray, (d_v, d_out)

    Raises
    ------
    ArrayError
        If there is no such head, the rows cannot be shared equally by the heads, or an entry is not finite.

    Notes
    -----
    Concat(head₁, …, head_h) W_O is the sum of headₕ times its rows: Vaswani et al. 2017, section 3.2.2.
    """
    matrix = finite_array("w_o", w_o, "heads·d_v", "d_out")
    count, place = size("heads", heads), size("head", head)
    if count == 0 or len(matrix) % count:
        raise ArrayError(f"w_o has shape {matrix.shape}: its rows cannot be shared equally by {count} heads")
    if place >= count:
        raise ArrayError(f"head must be below {count}, the number of heads, not {place}")
    d_v = len(matrix) // count
    return matrix[place * d_v : (place + 1) * d_v]


def _lengths(values: Floats, w_o: Floats | None) -> Floats:
    """Compute ‖vⱼ W_O‖, (n_k,), some keys at a time: with d_out columns each they may be many numbers."""
    width = values.shape[1] if w_o is None else w_o.shape[1]
    dtype = values.dtype if w_o is None else np.result_type(values, w_o)
    lengths = np.zeros(len(values), dtype)
    for offset, block in row_blocks(slice(0, len(values)), width):
        added = values[block] if w_o is None else linear("v", values[block], "w_o", w_o, None)
        largest = np.abs(added).max(
            axis=1, keepdims=True, initial=0.0
        )  # (b, 1); squares leave the range before lengths
        with np.errstate(over="ignore", under="ignore"):
            parts = added / np.where(largest > 0.0, largest, 1.0)
            lengths[offset : offset + len(parts)] = largest[:, 0] * np.sqrt(np.vecdot(parts, parts))
    if not all_finite(lengths):
        raise ArrayError(f"v holds a row whose length leaves the range of {dtype}: make the numbers smaller")
    return lengths
