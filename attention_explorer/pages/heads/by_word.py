"""Tokens or whole words: what is pinned and hidden stays what it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from attention_explorer.core.mask import Cell
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.sources.registry import source_of

Places = Callable[[int], list[int]]


def by_word(heads: HeadsState, *, whole: bool) -> HeadsState:
    """Return the state with the tokens of a word shown as one, or each for itself.

    A pinned token becomes its word, and a pinned word its first token. Cells that were painted are those of the words
    of their tokens, or of all tokens of their words.

    Raises
    ------
    ExplorerError
        If the model cannot be opened.
    """
    if heads.whole_words is whole:
        return heads
    words = source_of(heads.setup.recipe).words
    rows, columns = (_places(each, whole=whole) for each in words)
    mask, view = heads.setup.mask, heads.view
    hidden, shown = (_moved(cells, rows, columns) for cells in (mask.hidden, mask.shown))
    recipe = replace(heads.setup.recipe, whole_words=whole)  # type: ignore[call-arg] # only a model has words
    found = heads.with_setup(recipe=recipe, mask=replace(mask, hidden=hidden, shown=shown - hidden))
    return found.with_view(row=_first(rows, view.row), column=_first(columns, view.column), window=None)


def _places(words: tuple[int, ...], *, whole: bool) -> Places:
    """Return what finds the places that belong to a place: a word's tokens, or a token's word."""
    if whole:
        return lambda place: [words[place]] if place < len(words) else []
    return lambda place: [token for token, word in enumerate(words) if word == place]


def _moved(cells: frozenset[Cell], rows: Places, columns: Places) -> frozenset[Cell]:
    return frozenset(cell for row, column in cells for cell in product(rows(row), columns(column)))


def _first(places: Places, place: int | None) -> int | None:
    return None if place is None else next(iter(places(place)), None)
