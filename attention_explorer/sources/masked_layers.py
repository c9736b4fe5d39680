"""The layers of a source with the mask that is chosen for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.mask import MaskChoice, mask_of, mask_words
from attention_explorer.model.arrays import Bools
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.recorded.pieces import SPACE
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, Lookup, Recipe, Source


@kept
def layers_and_mask(
    recipe: Recipe,
    choice: MaskChoice,
    scaled: bool,
    temperature: float,
    hard: bool,
    off: frozenset[tuple[int, int]] = frozenset(),
) -> tuple[Sequence[Layer], Bools | None]:
    """Return the layers, each run when it is looked at, and the mask (n_q, n_k); None where everything is allowed.

    Of a model that can be run without them, the heads that are ``off``, (layer, head), add nothing.

    Raises
    ------
    ExplorerError
        The recipe cannot be carried out; the message says why.
    """
    lookup = lookup_of(recipe, choice, scaled, temperature, hard, off)
    mask = None if lookup.mask is None else np.asarray(lookup.mask)
    return source_of(recipe).layers(lookup), mask


def lookup_of(
    recipe: Recipe,
    choice: MaskChoice,
    scaled: bool,
    temperature: float,
    hard: bool,
    off: frozenset[tuple[int, int]],
) -> Lookup:
    """Return how the scores of a source become weights, which is opened for it.

    Raises
    ------
    ExplorerError
        It cannot be opened.
    """
    source = source_of(recipe)
    source.open()
    # Weights that are not computed anew have the mask that they were made with, if any.
    mask = None
    if not source.traits.reason_against(Ability.MASKS):
        mask = mask_of(choice, len(source.tokens), len(source.context_tokens))
    return Lookup(mask, None if scaled else 1.0, temperature, hard, left_out(recipe, off))


def left_out(recipe: Recipe, off: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Return which heads the layers of a source are computed without: those that are off, where it can do that."""
    source = source_of(recipe)
    heads = source.heads if source.traits.runs_without_heads else ()
    return frozenset(place for place in off if place[0] < len(heads) and place[1] < heads[place[0]])


def words_hidden(source: Source[Any], choice: MaskChoice) -> dict[int, str]:
    """Return the keys that are hidden one by one from every query, as they are written, by their places."""
    places = choice.words_hidden(len(source.tokens), len(source.context_tokens))
    return {place: source.labels[1][place].lstrip(SPACE) for place in places}


def words_of_mask(source: Source[Any], choice: MaskChoice) -> str:
    """Return the mask that is chosen for a source in words; a word that is hidden is named."""
    return mask_words(choice, words_hidden(source, choice))
