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
from attention_explorer.state.heads.state import Cell, MaskChoice, MaskKind

BoolArray = np.typing.NDArray[np.bool_]


@lru_cache(maxsize=4)
def mask_of(choice: MaskChoice, n_q: int, n_k: int) -> BoolArray | None:
    """Return the mask (n_q, n_k), True = may attend; None where everything is allowed.

    Masks that are made for one sequence (window, prefix, block) are cut to size for two, aligned at the first token.
    Cells painted by hand are hidden or shown whatever the kind says. Those beyond the sentence stay remembered and have
    no effect.
    """
    mask = _preset_mask(choice, n_q, n_k)
    for painted, visible in ((choice.hidden, False), (choice.shown, True)):
        cells = [(row, column) for row, column in painted if row < n_q and column < n_k]
        if cells:
            mask = np.ones((n_q, n_k), np.bool_) if mask is None else mask.copy()
            rows, columns = np.asarray(cells).T
            mask[rows, columns] = visible
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


def mask_words(choice: MaskChoice) -> str:
    """Return a mask in words: causal, window 4, block 2, 3 cells hidden by hand; empty if there is none."""
    parts = [] if choice.kind is MaskKind.NONE else [choice.kind.value + f" {choice.size}" * choice.kind.has_size]
    for cells, what in ((choice.hidden, "hidden"), (choice.shown, "shown")):
        if cells:
            parts.append(f"{len(cells)} cell{'s' * (len(cells) != 1)} {what} by hand")
    return ", ".join(parts)


def what_hides(choice: MaskChoice, cell: Cell) -> str:
    """Return by what a hidden cell is hidden: by hand, by the causal mask, by the window mask of 4."""
    if cell in choice.hidden:
        return "by hand"
    number = f" of {choice.size}" if choice.kind.has_size else ""
    return f"by the {choice.kind.value} mask{number}"
