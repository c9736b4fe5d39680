"""Masks as they are chosen: a kind with its number, and cells painted over it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attention_explorer.model import (
    block_mask,
    causal_mask,
    padding_mask,
    prefix_mask,
    strictly_causal_mask,
    window_mask,
)
from attention_explorer.state.heads import MaskChoice, MaskKind

BoolArray = np.typing.NDArray[np.bool_]


@lru_cache(maxsize=4)
def mask_of(choice: MaskChoice, n_q: int, n_k: int) -> BoolArray | None:
    """Return the mask (n_q, n_k), True = may attend; None where everything is allowed.

    Masks that are made for one sequence (window, prefix, block) are cut to size for two, aligned at the first token.
    Cells painted beyond the sentence stay remembered and have no effect.
    """
    mask = _preset_mask(choice, n_q, n_k)
    flips = [(row, column) for row, column in choice.flipped if row < n_q and column < n_k]
    if flips:
        mask = np.ones((n_q, n_k), np.bool_) if mask is None else mask.copy()
        rows, columns = np.asarray(flips).T
        mask[rows, columns] ^= True
    if mask is None or mask.all():
        return None
    mask.setflags(write=False)
    return mask


def _preset_mask(choice: MaskChoice, n_q: int, n_k: int) -> BoolArray | None:
    n, size = max(n_q, n_k), choice.size
    kind = choice.kind
    if kind is MaskKind.NONE:
        return None
    if kind is MaskKind.CAUSAL:
        return causal_mask(n_q, n_k)
    if kind is MaskKind.STRICT:
        return strictly_causal_mask(n_q, n_k)
    if kind is MaskKind.PADDING:
        return np.broadcast_to(padding_mask(min(size, n_k), n_k), (n_q, n_k)).copy()
    if kind is MaskKind.PREFIX:
        return prefix_mask(n, min(size, n))[:n_q, :n_k]
    if kind is MaskKind.BLOCK:
        return block_mask(n, size)[:n_q, :n_k]
    return window_mask(n, size, causal=kind is MaskKind.CAUSAL_WINDOW)[:n_q, :n_k]


def default_size(kind: MaskKind, n_k: int) -> int:
    """Return a number that makes the kind visible on a sentence of this length."""
    if kind is MaskKind.PADDING:
        return max(1, n_k - 2)
    return min(3, max(1, n_k - 1))
