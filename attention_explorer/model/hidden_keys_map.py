"""A map some of whose keys are not shown, the rest as it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, boolean_array
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.map_selection import Selection


class HiddenKeysMap(AttentionMap):
    """A map whose hidden keys weigh nothing and whose other weights stay: rows sum to what is left of them.

    `RenormalisedMap` divides the rest by its sum instead.

    Parameters
    ----------
    map_ : AttentionMap
        The map, (n_q, n_k).
    shown : ndarray of bool, (n_k,)
        False for the keys to take out.

    Raises
    ------
    ArrayError
        If `shown` has another shape.
    """

    def __init__(self, map_: AttentionMap, shown: npt.ArrayLike) -> None:
        kept = boolean_array("shown", shown)
        if kept.shape != (map_.n_k,):
            raise ArrayError(f"shown has shape {kept.shape}, but the map has {map_.n_k} keys: it must be as long")
        super().__init__(map_.shape, map_.dtype)
        self._map, self._shown = map_, kept

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        # Not a product: what is hidden is 0 whatever it was.
        weights: Floats = np.where(self._shown[cols], self._map.weights(rows, cols), np.zeros((), self._dtype))
        return weights

    def _allowed_part(self, rows: Selection) -> Bools:
        return self._map.allowed(rows)
