"""A model without some of what its layers learned: the biases of their matrices, or what their norms learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from attention_explorer.model.transformer.attention import Attention
from attention_explorer.model.transformer.layer import Layer
from attention_explorer.model.transformer.parts import FastNorm, Linear, Norms
from attention_explorer.model.transformer.stack import Stack
from attention_explorer.model.transformer.transformer import Transformer


def bare(transformer: Transformer, *, biases: bool, gains: bool) -> Transformer:
    """Return a model that runs without the biases of its layers, or without the gains of their norms.

    Everything else stays: what enters the first layer, a norm behind the last one, what is added to scores by
    distance, and the head.

    Parameters
    ----------
    transformer : Transformer
        The model; nothing of it is copied but the layer that is run.
    biases : bool
        Whether matrices add their biases; without, they add nothing.
    gains : bool
        Whether norms, those of queries and keys too, multiply by their gains and add their biases; without, the
        gains are 1 and the biases 0.

    Returns
    -------
    Transformer
        The model itself if it keeps both.
    """
    if biases and gains:
        return transformer

    def tower(stack: Stack) -> Stack:
        return replace(stack, layers=_Layers(stack.layers, biases, gains))

    encoder = None if transformer.encoder is None else tower(transformer.encoder)
    return replace(transformer, main=tower(transformer.main), encoder=encoder)


@dataclass(frozen=True, slots=True, eq=False)
class _Layers(Sequence[Layer]):
    """The layers of a tower, each made bare when it is asked for."""

    layers: Sequence[Layer]
    biases: bool
    gains: bool

    def __len__(self) -> int:
        return len(self.layers)

    @overload
    def __getitem__(self, place: int) -> Layer: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Layer]: ...

    def __getitem__(self, place: int | slice) -> Layer | Sequence[Layer]:
        if isinstance(place, slice):
            return replace(self, layers=self.layers[place])
        layer = self.layers[place]
        cross = None if layer.cross is None else self._attention(layer.cross)
        network = replace(
            layer.network,
            norms=self._norms(layer.network.norms),
            up=self._linear(layer.network.up),
            down=self._linear(layer.network.down),
        )
        return replace(layer, attention=self._attention(layer.attention), network=network, cross=cross)

    def _attention(self, found: Attention) -> Attention:
        of_queries, of_keys = found.qk_norms or (None, None)
        qk_norms = None if of_queries is None or of_keys is None else (self._norm(of_queries), self._norm(of_keys))
        project, output = self._linear(found.project), self._linear(found.output)
        return replace(found, norms=self._norms(found.norms), project=project, output=output, qk_norms=qk_norms)

    def _norms(self, norms: Norms) -> Norms:
        return Norms(*(None if norm is None else self._norm(norm) for norm in norms))

    def _norm(self, norm: FastNorm) -> FastNorm:
        return norm if self.gains else replace(norm, gain=np.ones_like(norm.gain), bias=None)

    def _linear(self, matrix: Linear) -> Linear:
        return matrix if self.biases else replace(matrix, bias=None)
