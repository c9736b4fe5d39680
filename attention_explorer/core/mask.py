"""Masks as they are chosen: a kind with its number, and cells painted over it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Self, TypeAlias

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.counting import MOST_TOKENS
from attention_explorer.core.declared import F, declared, derived
from attention_explorer.core.numerals import counted, listed
from attention_explorer.errors import quoted
from attention_explorer.fields import CheckedFields
from attention_explorer.model import (
    block_mask,
    causal_mask,
    padding_mask,
    prefix_mask,
    strictly_causal_mask,
    window_mask,
)

BoolArray = np.typing.NDArray[np.bool_]

Cell: TypeAlias = tuple[int, int]
"""Row (query) and column (key), counted from 0."""

LARGEST_MASK_SIZE = 4096
MOST_NAMED = 3
"""Hidden words that are named."""
SIZE_TIP = "How many keys are real, how wide the window, how long the prefix or the block is"


class MaskKind(StrEnum):
    """Which keys a query may attend to, before anything is painted by hand."""

    NONE = "none"
    CAUSAL = "causal"
    STRICT = "strictly causal"
    PADDING = "padding"
    WINDOW = "window"
    CAUSAL_WINDOW = "causal window"
    PREFIX = "prefix"
    BLOCK = "block"

    @property
    def has_size(self) -> bool:
        """Whether the kind needs a number: real keys, width, length or block."""
        return self not in (MaskKind.NONE, MaskKind.CAUSAL, MaskKind.STRICT)


def mask_size_derived(**said: Any) -> Callable[[F], F]:  # noqa: ANN401 # as for `derived`
    """Say of a property what there is to say of the number of a mask."""
    return derived("n of the mask", SIZE_TIP, "Change the mask", low=1, high=LARGEST_MASK_SIZE, **said)


@dataclass(frozen=True, slots=True)
class MaskChoice(CheckedFields):
    """A kind of mask with its number, and the cells that were painted over it.

    What the hand said of a cell holds under every kind; no cell is in both sets.
    """

    kind: MaskKind = declared(MaskKind.NONE, "mask", "Which keys a query may attend to", "Change the mask")
    size: int = declared(
        3,
        "n",
        SIZE_TIP,
        "Change the mask",
        low=1,
        high=LARGEST_MASK_SIZE,
    )
    hidden: frozenset[Cell] = declared(
        frozenset(), "cells hidden", "Cells that were hidden by hand", "Hide cells", high=MOST_TOKENS - 1
    )
    shown: frozenset[Cell] = declared(
        frozenset(), "cells shown", "Cells that were shown by hand", "Show cells", high=MOST_TOKENS - 1
    )

    @property
    def is_painted(self) -> bool:
        """Whether anything was hidden or shown by hand."""
        return bool(self.hidden or self.shown)

    def with_painted(self, cells: frozenset[Cell], *, hide: bool) -> Self:
        """Return the mask with cells hidden or shown by hand; the last stroke over a cell counts."""
        if hide:
            return replace(self, hidden=self.hidden | cells, shown=self.shown - cells)
        return replace(self, hidden=self.hidden - cells, shown=self.shown | cells)

    def words_hidden(self, n_q: int, n_k: int) -> tuple[int, ...]:
        """Return the keys that were hidden by hand from every query, in order."""
        return _whole_columns(self.hidden, n_q, n_k)

    def with_word(self, column: int, n_q: int, *, hide: bool) -> Self:
        """Return the mask with a key hidden by hand from every query, or as the kind has it."""
        cells = frozenset((row, column) for row in range(n_q))
        return self.with_painted(cells, hide=True) if hide else replace(self, hidden=self.hidden - cells)

    def without_paint(self) -> Self:
        """Return the kind alone."""
        return replace(self, hidden=frozenset(), shown=frozenset())


def _cut(make: Callable[[int, int], BoolArray]) -> Callable[[int, int, int], BoolArray]:
    """Return how a mask that is made for one sequence (n, size) is made for two (n_q, n_k, size)."""
    return lambda n_q, n_k, size: make(max(n_q, n_k), size)[:n_q, :n_k]


_MASKS: dict[MaskKind, Callable[[int, int, int], BoolArray | None]] = {
    MaskKind.NONE: lambda _n_q, _n_k, _size: None,
    MaskKind.CAUSAL: lambda n_q, n_k, _size: causal_mask(n_q, n_k),
    MaskKind.STRICT: lambda n_q, n_k, _size: strictly_causal_mask(n_q, n_k),
    MaskKind.PADDING: lambda n_q, n_k, size: np.tile(padding_mask(min(size, n_k), n_k), (n_q, 1)),
    MaskKind.WINDOW: _cut(window_mask),
    MaskKind.CAUSAL_WINDOW: _cut(partial(window_mask, causal=True)),
    MaskKind.PREFIX: _cut(lambda n, size: prefix_mask(n, min(size, n))),
    MaskKind.BLOCK: _cut(block_mask),
}
"""By kind, how the mask (n_q, n_k) of a number is made; None where everything is allowed."""


@lru_cache(maxsize=8)  # asked at every move of the mouse
def _whole_columns(cells: frozenset[Cell], n_q: int, n_k: int) -> tuple[int, ...]:
    """Return the columns all of whose rows are among the cells."""
    of_columns = Counter(column for row, column in cells if row < n_q and column < n_k)
    return tuple(sorted(column for column, count in of_columns.items() if count == n_q))


@kept
def mask_of(choice: MaskChoice, n_q: int, n_k: int) -> BoolArray | None:
    """Return the mask (n_q, n_k), True = may attend; None where everything is allowed.

    Masks that are made for one sequence (window, prefix, block) are cut to size for two, aligned at the first token.
    Cells painted by hand are hidden or shown whatever the kind says. Those beyond the sentence stay remembered and have
    no effect.
    """
    mask = _MASKS[choice.kind](n_q, n_k, choice.size)
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


def default_size(kind: MaskKind, n_k: int) -> int:
    """Return a number that makes the kind visible on a sentence of this length."""
    if kind is MaskKind.PADDING:
        return max(1, n_k - 2)
    return min(3, max(1, n_k - 1))


def mask_words(choice: MaskChoice, words: Mapping[int, str] = MappingProxyType({})) -> str:
    """Return a mask in words: causal, window 4, “soft” hidden, 3 cells hidden by hand; empty if there is none.

    Parameters
    ----------
    choice : MaskChoice
        The mask.
    words : mapping of int to str
        The keys that it hides from every query, by their places.
    """
    parts = [] if choice.kind is MaskKind.NONE else [choice.kind.value + f" {choice.size}" * choice.kind.has_size]
    if words:
        parts.append(f"{listed(map(quoted, words.values()), MOST_NAMED)} hidden")
    rest = [cell for cell in choice.hidden if cell[1] not in words]
    for cells, what in ((rest, "hidden"), (choice.shown, "shown")):
        if cells:
            parts.append(f"{counted(len(cells), 'cell')} {what} by hand")
    return ", ".join(parts)


def what_hides(choice: MaskChoice, cell: Cell) -> str:
    """Return by what a hidden cell is hidden: by hand, by the causal mask, by the window mask of 4."""
    if cell in choice.hidden:
        return "by hand"
    number = f" of {choice.size}" if choice.kind.has_size else ""
    return f"by the {choice.kind.value} mask{number}"
