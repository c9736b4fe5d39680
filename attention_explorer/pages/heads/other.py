"""B of a comparison: which setup it is, and with another sentence."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.pages.heads.edited_sentence import place_after_edit
from attention_explorer.pages.heads.presets import other_setup
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.sources.registry import context_tokens_of, tokens_of


def other_shown(heads: HeadsState) -> HeadsSetup:
    """Return B: the setup itself where there is no other."""
    return other_setup(heads) or heads.setup


def is_own_other(heads: HeadsState) -> bool:
    """Whether A and B are the same."""
    return other_shown(heads) == heads.setup


def with_other_recipe(heads: HeadsState, **changes: object) -> HeadsState:
    """Return the state with some fields of B's recipe changed; what is pinned of B alone follows its token.

    Tokens that only B has are counted behind those of A.
    """
    old, own, view = other_shown(heads), heads.setup.recipe, heads.view
    recipe = replace(old.recipe, **changes)
    row, column = (
        place if place is None or place < n_a else n_a + place_after_edit(place - n_a, before, after)
        for place, n_a, before, after in (
            (view.row, len(tokens_of(own)), tokens_of(old.recipe), tokens_of(recipe)),
            (view.column, len(context_tokens_of(own)), context_tokens_of(old.recipe), context_tokens_of(recipe)),
        )
    )
    return replace(heads, other=replace(old, recipe=recipe)).with_view(row=row, column=column)
