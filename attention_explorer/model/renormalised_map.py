"""A map with some keys taken out of the picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.aggregates import renormalised
from attention_explorer.model.arrays import Bools, Floats, boolean_array
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.map_selection import Selection


class RenormalisedMap(AttentionMap):
    """A map whose hidden keys weigh nothing, the rest of each row divided by what is left of it.

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
        weights = renormalised(self._map.weights(rows), self._shown)
        return np.array(weights[:, cols])

    def _allowed_part(self, rows: Selection) -> Bools:
        return self._map.allowed(rows)
