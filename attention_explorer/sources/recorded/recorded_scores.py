"""Recorded weights with the queries and keys that they came from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.model import AttentionMap, QueryKeyMap, RowMask
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.map_selection import Selection
from attention_explorer.model.map_summary import RowBlock


class RecordedScoresMap(QueryKeyMap):
    """A map of which weights are as they were recorded, and scores are computed from queries and keys.

    Parameters
    ----------
    recorded : AttentionMap
        The weights, which those of queries and keys are but for rounding.
    q, k : array_like, (n_q, d_k) and (n_k, d_k)
        Queries and keys.
    mask : RowMask, optional
        True where a query may attend: that of the weights.
    """

    def __init__(self, recorded: AttentionMap, q: npt.ArrayLike, k: npt.ArrayLike, mask: RowMask | None = None) -> None:
        super().__init__(q, k, mask=mask)
        self._recorded = recorded
        self._dtype = np.result_type(self._dtype, recorded.dtype)

    def _allowed_part(self, rows: Selection) -> Bools | None:
        return None if self._mask is None else self._recorded.allowed(rows)

    def _weights_part(self, rows: Selection) -> Floats:
        return self._recorded.weights(rows)

    def _block(self, rows: Selection) -> RowBlock:
        return super()._block(rows)._replace(weights=self._recorded.weights(rows), logits=None)
