"""A file of attention that is open: its layers, as the lookup asks for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model import AttentionMap, QueryKeyMap
from attention_explorer.sources.layer import Floats, Layer, Values
from attention_explorer.sources.recorded import Agreement, Contents, RecordedHead
from attention_explorer.sources.recorded.recorded_scores import RecordedScoresMap
from attention_explorer.sources.source import Lookup


@dataclass(frozen=True, slots=True)
class Recording:
    """A file that is open: what is what in it, and its heads by layer."""

    contents: Contents
    heads: tuple[tuple[RecordedHead, ...], ...]
    is_causal: bool
    """Whether keys after their query are taken to be hidden, because their weights are exactly 0."""
    agreement: Agreement | None = None
    """How far the weights are from what queries and keys give, if there are both."""

    @property
    def shape(self) -> tuple[int, int]:
        """n_q, n_k."""
        return self.heads[0][0].shape

    @property
    def has_scores(self) -> bool:
        """Whether the weights are computed from queries and keys, or are known to come from them."""
        return not self.contents.attention or (self.agreement is not None and self.agreement.holds)

    @property
    def has_mask(self) -> bool:
        """Whether the weights have a mask of their own."""
        return self.heads[0][0].mask is not None

    def layer(self, place: int, lookup: Lookup) -> Layer:
        """Return a layer; without scores, the lookup alters nothing."""
        heads = self.heads[place]
        v = [head.v for head in heads if head.v is not None]
        values = Values(lambda: np.stack([array.read() for array in v])) if v else None
        if not self.has_scores:
            return Layer(tuple(head.map() for head in heads), values=values)
        q, k = (
            np.stack([array.read() for array in arrays if array is not None])
            for arrays in zip(*((head.q, head.k) for head in heads), strict=True)
        )
        maps = tuple(self._map(head, of_q, of_k, lookup) for head, of_q, of_k in zip(heads, q, k, strict=True))
        return Layer(maps, q=q, k=k, values=values)

    def _map(self, head: RecordedHead, q: Floats, k: Floats, lookup: Lookup) -> AttentionMap:
        """Return the map of a head: the recorded weights, as long as the lookup is that which they came of."""
        mask = head.mask if self.has_mask else lookup.mask
        is_own = lookup.is_plain and (self.has_mask or lookup.mask is None)
        try:
            if head.weights is not None and is_own:
                return RecordedScoresMap(head.map(), q, k, head.mask)
            return QueryKeyMap(q, k, **{**lookup.weighing, "mask": mask})
        except ArrayError as error:
            raise ArrayError(f"{head.name}: {error}") from error
