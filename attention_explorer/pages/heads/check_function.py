"""The layer as a function of its token vectors, so that the vectors can be shuffled or changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.colour_scale import BoolArray, FloatArray
from attention_explorer.errors import ExplorerError
from attention_explorer.model import QueryKeyMap, layer_norm, sinusoidal_encoding
from attention_explorer.pages.heads.check_report import require_size
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.sources.layer import Layer

MOST_CELLS = 2**22
"""Cells of all maps that one evaluation may compute: some tenths of a second."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenFunction:
    """Token vectors in, outputs out: all layers up to the shown one, or a hand-made head.

    The vectors of a toy model are its embeddings before any encoding. A hand-made head has no projections: the vector
    of its token is query, key and value side by side.
    """

    frame: HeadsFrame
    x: FloatArray  # (n_q, d)
    context: FloatArray | None  # (n_k, d) of the second sentence; None in self-attention

    @property
    def can_encode(self) -> bool:
        """Whether there is an encoding to add."""
        return self.frame.has_projections

    @property
    def is_encoded(self) -> bool:
        """Whether the setup adds it."""
        return self.frame.source.is_encoded

    def __call__(
        self, x: FloatArray, context: FloatArray | None, mask: BoolArray | None, *, encoded: bool
    ) -> FloatArray:
        """Compute the outputs (n_q, d_out) of these vectors; mask and encoding stay where they are."""
        if not self.can_encode:
            return self._hand_made(x, context, mask)
        if encoded:
            x = x + sinusoidal_encoding(*x.shape)
            context = None if context is None else context + sinusoidal_encoding(*context.shape)
        layers = self.frame.layers[: self.frame.layer + 1]
        for layer in layers[:-1]:
            x = layer_norm(x + self._projected(layer, x, context, mask))
        return self._projected(layers[-1], x, context, mask)

    def at_present(self, x: FloatArray, context: FloatArray | None) -> FloatArray:
        """Compute the outputs with the encoding and the mask of the setup."""
        return self(x, context, self.frame.mask, encoded=self.is_encoded)

    def _projected(self, layer: Layer, x: FloatArray, context: FloatArray | None, mask: BoolArray | None) -> FloatArray:
        if layer.attention is None:
            raise ExplorerError("A layer of this model has no projections: choose the toy model.")
        q, k, v = layer.attention.project(x, context)
        found = [self._map(q[head], k[head], mask).output(v[head]) for head in range(len(q))]
        return layer.attention.project_output(np.stack(found))

    def _hand_made(self, x: FloatArray, context: FloatArray | None, mask: BoolArray | None) -> FloatArray:
        width = self.frame.head_width
        q, rest = x[:, :width], (x[:, width:] if context is None else context)
        return self._map(q, rest[:, :width], mask).output(rest[:, width:])

    def _map(self, q: FloatArray, k: FloatArray, mask: BoolArray | None) -> QueryKeyMap:
        setup = self.frame.setup
        scale = None if setup.scaled else 1.0
        return QueryKeyMap(q, k, mask=mask, scale=scale, temperature=setup.temperature, hard=setup.hard)


def cells_of(frame: HeadsFrame) -> int:
    """Return how many weights one evaluation computes."""
    return frame.shape[0] * frame.shape[1] * (frame.heads * (frame.layer + 1) if frame.has_projections else 1)


def token_function(frame: HeadsFrame) -> TokenFunction:
    """Return the shown layer as a function of its token vectors.

    Raises
    ------
    ExplorerError
        There are too many tokens or heads to compute it several times over.
    """
    require_size(frame)
    embedded = frame.source.embeddings()
    if embedded is None:
        layer, head = frame.layers[frame.layer], frame.head
        queries, keys = layer.queries_and_keys
        q, rest = queries[head], np.hstack([keys[head], layer.v[head]])
        return TokenFunction(frame, q, rest) if frame.is_cross else TokenFunction(frame, np.hstack([q, rest]), None)
    cells = cells_of(frame)
    if cells > MOST_CELLS:
        raise ExplorerError(
            f"The {frame.heads * (frame.layer + 1)} heads up to here hold {cells / 1e6:.0f} million weights, and "
            f"this experiment takes up to {MOST_CELLS / 1e6:.0f} million: shorten the sentence or choose an earlier "
            "layer."
        )
    x, context = embedded
    return TokenFunction(frame, x, context if frame.is_cross else None)
