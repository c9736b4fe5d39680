"""Layers as Vaswani et al. 2017 have them, each norm after the addition: BERT, its relatives, and BART."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attention_explorer.model.transformer import Attention, Layer
from attention_explorer.sources.models.building import Sizes, attention_of, network_of
from attention_explorer.sources.models.tensors import Tensors


@dataclass(frozen=True, slots=True)
class AttentionNames:
    """What a file calls the parts of an attention."""

    q: str
    k: str
    v: str
    output: str
    norm: str


@dataclass(frozen=True, slots=True)
class LayerNames:
    """What a file calls the parts of a layer."""

    attention: AttentionNames
    up: str
    down: str
    norm: str
    cross: AttentionNames | None = None


@dataclass(frozen=True, slots=True)
class PostNormLayers:
    """What the layers of a tower have in common."""

    tensors: Tensors
    names: LayerNames
    sizes: Sizes
    activation: str
    eps: float

    def fetcher(self, at: str) -> Callable[[], Layer]:
        """Return what reads the layer whose names begin with ``at``; its tensors are checked now."""
        d, inner, names = self.sizes.width, self.sizes.inner, self.names
        attention = self._attention(at, names.attention)
        cross = None if names.cross is None else self._attention(at, names.cross)
        up, down = self.tensors.linear(at + names.up, d, inner), self.tensors.linear(at + names.down, inner, d)
        norm = self.tensors.norm(at + names.norm, d, self.eps)
        network = network_of(self.tensors, norm, (up,), down, self.activation)
        return lambda: Layer(attention(), network(), None if cross is None else cross(), pre_norm=False)

    def _attention(self, at: str, names: AttentionNames) -> Callable[[], Attention]:
        d = self.sizes.width
        q, k, v, output = (self.tensors.linear(at + name, d, d) for name in (names.q, names.k, names.v, names.output))
        return attention_of(
            self.tensors, self.sizes, self.tensors.norm(at + names.norm, d, self.eps), (q, k, v), output
        )
