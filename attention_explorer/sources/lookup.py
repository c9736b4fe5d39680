"""How scores become weights, as sources take it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

if TYPE_CHECKING:
    from attention_explorer.model import Dropout, RowMask


class LayerPart(StrEnum):
    """What can be cut out of a layer of a model while it runs."""

    RESIDUAL = "residual"
    """The ways around attention and network: what enters is no longer added to what they write."""
    NETWORK = "feed_forward"
    """What the network writes."""


class Lookup(NamedTuple):
    """How scores become weights, as `QueryKeyMap` takes it; and what is left out, where a source can do that."""

    mask: npt.ArrayLike | RowMask | None = None
    scale: float | None = None
    temperature: float = 1.0
    hard: bool = False
    off: frozenset[tuple[int, int]] = frozenset()
    """(layer, head) of heads that add nothing."""
    cut: frozenset[tuple[int, LayerPart]] = frozenset()
    """(layer, what of it is cut)."""
    dropout: Dropout | None = None
    """What is left out of all layers, as in a step of training."""
    biases: bool = True
    """Whether the matrices of all layers add the biases that they learned."""
    gains: bool = True
    """Whether the norms of all layers multiply by the gains that they learned, and add their biases."""

    @property
    def is_plain(self) -> bool:
        """Whether scores become weights as usual, whatever the mask: softmax(q·kᵀ ÷ √d_k)."""
        return (self.scale, self.temperature, self.hard) == (None, 1.0, False)

    @property
    def weighing(self) -> dict[str, Any]:
        """How scores become weights, by name."""
        return {"mask": self.mask, "scale": self.scale, "temperature": self.temperature, "hard": self.hard}


PLAIN = Lookup()
"""How scores become weights as usual."""
