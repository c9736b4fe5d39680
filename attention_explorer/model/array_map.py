"""An attention map over weights that were computed elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, real_array
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.map_selection import Selection


class ArrayMap(AttentionMap):
    """A map over weights computed elsewhere, in memory or in a file.

    Nothing is known of masks: every key counts as visible, and a row of zeros as one with nothing to attend to.

    Parameters
    ----------
    weights : ndarray or memmap, (n_q, n_k)
        Weights; not read before they are asked for. float16 is computed as float32.

    Raises
    ------
    ArrayError
        If it has not two axes or does not hold numbers; later, if a row asked for holds an entry that is not
        finite or below 0.
    """

    def __init__(self, weights: npt.NDArray[Any]) -> None:
        self._weights = np.asarray(weights)
        if self._weights.ndim != 2:
            raise ArrayError(f"weights has shape {self._weights.shape}, but must be (n_q, n_k), one map")
        n_q, n_k = self._weights.shape
        super().__init__((n_q, n_k), real_array("weights", self._weights[:0]).dtype)

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        read = self._weights[rows][:, cols]
        part = real_array("weights", np.array(read))
        fine = np.isfinite(part) & (part >= 0.0)
        if not fine.all():
            row, col = (int(index) for index in np.argwhere(~fine)[0])
            query = rows.start + row if isinstance(rows, slice) else int(rows[row])
            key = cols.start + col if isinstance(cols, slice) else int(cols[col])
            raise ArrayError(f"weights of shape {self._shape} holds {part[row, col]} at index {(query, key)}")
        return part
