"""The first half of a layer alone: attention with its residual and norm, and no feed-forward network behind it."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.encoder_layer import EncoderLayer, EncoderTrace
from attention_explorer.model.kv_cache import KVCache
from attention_explorer.model.norm import Norm
from attention_explorer.model.sublayer import NormPlacement, Wiring

_PASSES_ON = Wiring(NormPlacement.NONE, residual=True)
"""x + 0: what a half without anything inside does."""


class AttentionLayer(EncoderLayer):
    """An `EncoderLayer` without its second half: what leaves attention's residual and norm leaves the layer.

    Parameters
    ----------
    whole : EncoderLayer
        Its attention, first norm and wiring are taken.

    Notes
    -----
    The feed-forward network has no hidden units, so that it adds exactly 0 and the trace keeps its form.
    """

    def __init__(self, whole: EncoderLayer) -> None:
        attention, first = whole.attention, whole.norms[0]
        width = whole.d_model
        super().__init__(
            *(attention.w_q, attention.w_k, attention.w_v, attention.w_o),
            *(np.zeros((width, 0)), None, np.zeros((0, width)), None),
            attention.heads,
            norm=whole.wiring.placement,
            residual=whole.wiring.residual,
            b_q=attention.b_q,
            b_k=attention.b_k,
            b_v=attention.b_v,
            b_o=attention.b_o,
        )
        object.__setattr__(self, "norms", (first, Norm(first.kind)))

    def __call__(
        self, x: npt.ArrayLike, mask: npt.ArrayLike | None = None, *, bias: npt.ArrayLike | None = None
    ) -> EncoderTrace:
        """Send sequences through attention; see `EncoderLayer`."""
        rows = finite_array("x", x, "...", "n", "d_model")
        attended = self.wiring.run(rows, self.norms[0], lambda before: self.attention(before, mask=mask, bias=bias))
        return EncoderTrace(attended, _PASSES_ON.run(attended.output, self.norms[1], self.feed_forward))

    def decode(self, x: npt.ArrayLike, cache: KVCache | None = None) -> tuple[EncoderTrace, KVCache]:
        """Send the newest tokens through attention, with the past from a cache; see `EncoderLayer.decode`."""
        trace, grown = super().decode(x, cache)
        attended = trace.attention
        return EncoderTrace(attended, _PASSES_ON.run(attended.output, self.norms[1], self.feed_forward)), grown

    def reverse(self, trace: EncoderTrace, d_output: npt.ArrayLike) -> Floats:
        """Pull a derivative by the output back to one by the input; see `EncoderLayer.reverse`."""
        by_output = finite_array("d_output", d_output, "...", "n", "d_model")
        if by_output.shape != trace.output.shape:
            raise ArrayError(
                f"d_output has shape {by_output.shape}, but must be that of the output, {trace.output.shape}"
            )
        inside = partial(self._through_heads, trace.attention.inside)
        return self.wiring.reverse(trace.attention, self.norms[0], by_output, inside)
