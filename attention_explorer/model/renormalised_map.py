"""A map with some keys taken out of the picture."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.aggregates import renormalised
from attention_explorer.model.arrays import Floats
from attention_explorer.model.attention_map import Stage
from attention_explorer.model.hidden_keys_map import HiddenKeysMap
from attention_explorer.model.map_selection import Selection


class RenormalisedMap(HiddenKeysMap):
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

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        weights = renormalised(self._map.weights(rows), self._shown)
        return np.array(weights[:, cols])
