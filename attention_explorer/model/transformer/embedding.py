"""From token ids to the vectors that enter the first layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer.parts import FastNorm, Linear, normed
from attention_explorer.model.transformer.spec import Blank, Places, Spec

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
    spec : Spec
        Of the tower: the factor of words, and how positions count.
    words : callable
        Returns the vectors of some ids, (n, d), float32.
    places : ndarray, (places, d), optional
        Learned vectors of positions, added.
    kinds : ndarray, (kinds, d), optional
        Added by the sentence that a token belongs to.
    norm : FastNorm, optional
        Of their sum.
    widen : Linear, optional
        (d, d_model), where word vectors are narrower than layers.
    """

    spec: Spec
    words: Callable[[Ids], Floats]
    places: Floats | None = None
    kinds: Floats | None = None
    norm: FastNorm | None = None
    widen: Linear | None = None

    @property
    def longest(self) -> int | None:
        """How many tokens there can be; None where only memory ends it."""
        return None if self.spec.places is None else self.spec.places.rows - self.spec.places.offset

    def __call__(self, given: Inputs) -> Floats:
        """Return the vectors of n tokens, (n, d_model)."""
        x = self.words(given.ids)
        if self.spec.embedding_scale != 1.0:
            x = x * np.float32(self.spec.embedding_scale)
        if self.spec.blank is not None:
            x = _blanked(self.spec.blank, given.ids, x)
        if self.kinds is not None:
            x = x + (self.kinds[0] if given.types is None or len(self.kinds) == 1 else self.kinds[given.types])
        x = normed(self.norm, self._placed(x, given.ids, wide=False))
        return self._placed(x if self.widen is None else self.widen(x), given.ids, wide=True)

    def _placed(self, x: Floats, ids: Ids, *, wide: bool) -> Floats:
        """Return vectors with those of their positions, if it is the time."""
        places = self.spec.places
        if self.places is None or places is None or places.is_wide != wide:
            return x
        return x + self.places[_rows(places, ids)]


def _rows(places: Places, ids: Ids) -> Ids:
    """Return which row of the positions each token has."""
    if places.padding is None:
        return np.arange(places.offset, places.offset + len(ids))
    counts = ids != places.padding
    return np.where(counts, np.cumsum(counts) + places.offset - 1, places.offset - 1)


def _blanked(blank: Blank, ids: Ids, x: Floats) -> Floats:
    """Return vectors of which those of one id are 0, and the others make up for it."""
    is_blank = ids == blank.id
    if is_blank.all():
        raise ArrayError(f"all tokens have the id {blank.id}, which has no vector in this model: give another too")
    factor = np.float32(1.0 - blank.share) / (np.float32(1.0) - np.float32(is_blank.mean()))
    return np.where(is_blank[:, None], np.float32(0.0), x * factor)
