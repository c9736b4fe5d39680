"""From token ids to the vectors that enter the first layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer.parts import FastNorm, Linear

Ids = npt.NDArray[np.integer[Any]]


class Inputs(NamedTuple):
    """What a tower is given: token ids, and for sentence pairs which sentence each belongs to; (n,) both."""

    ids: Ids
    types: Ids | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """The vectors of tokens, with those of their positions.

    Parameters
    ----------
    words : callable
        Returns the vectors of some ids, (n, d), float32.
    vocabulary : int
        How many ids there are.
    scale : float
        What they are multiplied by.
    positions : ndarray, (places, d), optional
        Learned vectors, added.
    offset : int
        The place of the first token in them.
    padding : int, optional
        An id that has no position of its own, but takes place ``offset − 1``: RoBERTa counts so.
    types : ndarray, (kinds, d), optional
        Added by the sentence that a token belongs to.
    norm : FastNorm, optional
        Of their sum.
    widen : Linear, optional
        (d, d_model): ALBERT's vectors are narrower than its layers.
    """

    words: Callable[[Ids], Floats]
    vocabulary: int
    scale: float = 1.0
    positions: Floats | None = None
    offset: int = 0
    padding: int | None = None
    types: Floats | None = None
    norm: FastNorm | None = None
    widen: Linear | None = None

    @property
    def longest(self) -> int | None:
        """How many tokens there can be; None where only memory ends it."""
        return None if self.positions is None else len(self.positions) - self.offset

    def __call__(self, given: Inputs) -> Floats:
        """Return the vectors of n tokens, (n, d_model)."""
        x = self.words(given.ids)
        if self.scale != 1.0:
            x = x * np.float32(self.scale)
        if self.types is not None:
            x = x + (self.types[0] if given.types is None or len(self.types) == 1 else self.types[given.types])
        if self.positions is not None:
            x = x + self.positions[self._places(given.ids)]
        if self.norm is not None:
            x = self.norm(x)
        return x if self.widen is None else self.widen(x)

    def _places(self, ids: Ids) -> Ids:
        if self.padding is None:
            return np.arange(self.offset, self.offset + len(ids))
        counts = ids != self.padding
        return np.where(counts, np.cumsum(counts) + self.offset - 1, self.offset - 1)
