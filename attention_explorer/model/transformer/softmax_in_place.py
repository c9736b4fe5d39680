"""The softmax of whole maps, in the array that holds the scores."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.arrays import Bools, Floats

BLOCK = 2**18
"""Scores worked on at a time: what stays in the processor's cache while it is passed over some times."""
SAFE = 60.0
"""Up to this size exponentials neither overflow nor vanish in float32, so the largest score need not be taken off."""


def softmax_in_place(scores: Floats, visible: Bools | None, largest: float) -> None:
    """Turn scores into weights, where they are.

    Parameters
    ----------
    scores : ndarray, (heads, n_q, n_k)
        float32; becomes the weights. A row that sees nothing becomes zeros.
    visible : ndarray of bool, (n_q, n_k) or (heads, n_q, n_k), optional
        True where a query may attend; weights elsewhere are exactly 0.
    largest : float
        No score is further from 0 than this.

    Notes
    -----
    Vaswani et al. 2017, eq. 1.
    """
    step = max(1, BLOCK // max(1, scores[0].size))
    kept = None if visible is None or largest > SAFE else visible.astype(np.float32)
    for start in range(0, len(scores), step):
        cut = slice(start, start + step)
        part = scores[cut]
        if largest > SAFE:
            _shift(part, visible if visible is None or visible.ndim == 2 else visible[cut])
        with np.errstate(under="ignore"):
            np.exp(part, out=part)
            if kept is not None:
                part *= kept if kept.ndim == 2 else kept[cut]
            sums = part @ np.ones(part.shape[-1], np.float32)
            part *= np.reciprocal(np.where(sums > 0.0, sums, np.float32(1.0)))[..., None]


def _shift(scores: Floats, visible: Bools | None) -> None:
    """Take the largest visible score of each row off, and make what is hidden −∞."""
    if visible is not None:
        np.copyto(scores, np.float32(-np.inf), where=~visible)
    scores -= scores.max(axis=-1, keepdims=True, initial=np.finfo(np.float32).min)


def hard_in_place(scores: Floats, visible: Bools | None) -> None:
    """Turn scores into weights of a hard lookup, where they are: all on the best visible key, the first of several."""
    if visible is not None:
        np.copyto(scores, np.float32(-np.inf), where=~visible)
    best = scores.argmax(axis=-1, keepdims=True)
    sees = np.take_along_axis(scores, best, axis=-1) > -np.inf
    scores[:] = 0.0
    np.put_along_axis(scores, best, sees.astype(np.float32), axis=-1)
