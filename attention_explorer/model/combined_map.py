"""The maps of several heads seen as one, without computing any of them as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.map_selection import Selection
from attention_explorer.model.scalars import flag


class CombinedMap(AttentionMap):
    """The mean or the maximum over maps of one shape; as `mean_of_heads` and `max_of_heads`, block by block.

    Parameters
    ----------
    maps : sequence of AttentionMap
        At least one, all (n_q, n_k).
    largest : bool
        Whether to take the maximum, whose rows may sum to more than 1, and not the mean.

    Raises
    ------
    ArrayError
        If there is no map, or their shapes differ.
    """

    def __init__(self, maps: Sequence[AttentionMap], *, largest: bool = False) -> None:
        self._maps = tuple(maps)
        if len({map_.shape for map_ in self._maps}) != 1:
            shapes = [map_.shape for map_ in self._maps]
            raise ArrayError(f"maps have the shapes {shapes}: give at least one, and all of one shape")
        super().__init__(self._maps[0].shape, np.result_type(*(map_.dtype for map_ in self._maps)))
        self._largest = flag("largest", largest)

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        combined = np.zeros((), self._dtype)
        for map_ in self._maps:
            weights = map_.stage(stage, rows, cols)
            combined = np.maximum(combined, weights) if self._largest else combined + weights
        return combined if self._largest else combined / len(self._maps)

    def _allowed_part(self, rows: Selection) -> Bools:
        """Tell whom any of the heads may attend to."""
        allowed = self._maps[0].allowed(rows)
        for map_ in self._maps[1:]:
            allowed |= map_.allowed(rows)
        return allowed
