"""Choosing the token that is written next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Floats


def drawn_tokens(logits: Floats, temperature: float, top_k: int, draw: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return ids in the order in which they are drawn, none twice; the first is the one to be written.

    Parameters
    ----------
    logits : ndarray, (vocabulary,)
        Of one position.
    temperature : float
        What they are divided by; at 0 the order is that of their size, and of equal ones the lower id is first.
    top_k : int
        From how many of the largest is drawn.
    draw : Generator
        Of random numbers.

    Notes
    -----
    The first is distributed as softmax(logits ÷ temperature) of those top_k, each next one as that of what is left:
    the Gumbel-top-k trick (Kool et al. 2019, section 2.3).
    """
    best = np.argsort(-logits, kind="stable")[:top_k]
    if temperature == 0.0:
        return best
    noise = draw.gumbel(size=len(best))
    return best[np.argsort(-(logits[best].astype(np.float64) / temperature + noise), kind="stable")]
