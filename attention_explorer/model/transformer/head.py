"""From the last hidden states to the numbers of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer.activations import activate_rows
from attention_explorer.model.transformer.parts import FastNorm, Linear, normed


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """What gives every token of the vocabulary a logit.

    Parameters
    ----------
    decode : Linear
        (d, vocabulary), often the table of the embeddings itself.
    scale : float
        What the hidden states are multiplied by before it.
    cap : float, optional
        Logits become c · tanh(logits / c).
    transform : Linear, optional
        (d_model, d), before it, as models that fill in masked words have it.
    activation : str
        After that; empty for none.
    norm : FastNorm, optional
        After that.
    """

    decode: Linear
    scale: float = 1.0
    cap: float | None = None
    transform: Linear | None = None
    activation: str = ""
    norm: FastNorm | None = None

    @np.errstate(all="ignore")
    def __call__(self, hidden: Floats) -> Floats:
        """Return logits, (n, vocabulary), of hidden states, (n, d_model)."""
        x = hidden if self.scale == 1.0 else hidden * np.float32(self.scale)
        if self.transform is not None:
            x = self.transform(x)
            if self.activation:
                activate_rows(self.activation, x)
        logits = self.decode(normed(self.norm, x))
        return logits if self.cap is None else np.tanh(logits / np.float32(self.cap)) * np.float32(self.cap)
