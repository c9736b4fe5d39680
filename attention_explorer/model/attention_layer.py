"""The first half of a layer alone: attention with its residual and norm, and no feed-forward network behind it."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.dropout import Dropout
from attention_explorer.model.encoder_layer import EncoderLayer, EncoderTrace
from attention_explorer.model.feed_forward import FeedForwardTrace
from attention_explorer.model.multi_head import MultiHeadTrace
from attention_explorer.model.norm import Norm
from attention_explorer.model.sublayer import NormPlacement, SublayerTrace, Wiring

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
            w1=np.zeros((width, 0), attention.dtype),
            w2=np.zeros((0, width), attention.dtype),
            heads=attention.heads,
            norm=whole.wiring.placement,
            residual=whole.wiring.residual,
            b_q=attention.b_q,
            b_k=attention.b_k,
            b_v=attention.b_v,
            b_o=attention.b_o,
        )
        object.__setattr__(self, "norms", (first, Norm(first.kind)))

    @property
    def second_wiring(self) -> Wiring:
        """How the second half is wired: it passes on what comes in."""
        return _PASSES_ON

    def _after(self, attended: SublayerTrace[MultiHeadTrace], dropout: Dropout | None = None) -> EncoderTrace:
        """Pass on what attention put out, without computing the zeros that are added to it."""
        x = attended.output
        hidden, added = x[..., :0], np.broadcast_to(np.zeros((), x.dtype), x.shape)
        return EncoderTrace(attended, SublayerTrace(x, x, FeedForwardTrace(x, hidden, None, hidden, added), x, x))
