"""One subject: what Heads shows, as the layer of the Layer page, and as it goes on from there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from attention_explorer.pages.heads.by_word import by_word
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.registry import recipe_as

if TYPE_CHECKING:
    from attention_explorer.pages.explorer import ExplorerState


def has_subject(state: ExplorerState) -> bool:
    """Whether Heads shows a model: nothing else has whole layers."""
    recipe = state.heads.setup.recipe
    return any(recipe_as(recipe, kind) is not None for kind in (LearnedRecipe, ModelRecipe))


def reason_against_subject(state: ExplorerState) -> str:
    """Return why the Layer page cannot draw the layer of the model that Heads shows; empty if it can."""
    learned = recipe_as(state.heads.setup.recipe, LearnedRecipe)
    if learned is None:
        return ""
    from attention_explorer.pages.stack.learned import reason_against  # all tasks come with it

    return reason_against(learned.setup)


def with_subject(state: ExplorerState) -> ExplorerState:
    """Return the state with the layer of what Heads shows on the Layer page, at the same layer, head and row."""
    heads = by_word(state.heads, whole=False)
    setup, row = heads.setup, heads.view.row
    learned, model = recipe_as(setup.recipe, LearnedRecipe), recipe_as(setup.recipe, ModelRecipe)
    block = replace(state.block, model=model, picture=BlockPicture.LAYER, learned=None)
    if learned is not None:
        from attention_explorer.pages.stack.learned import learned_block  # as above

        block = replace(learned_block(learned.setup, learned.step, learned.sentence), count=block.count)
    shown = replace(block, layer=setup.layer, head=setup.head, box="weights", token=row)
    return replace(state, block=shown)


def with_drawn_layer(state: ExplorerState) -> ExplorerState:
    """Return the state with a layer on the Layer page that is drawn from the seed."""
    return replace(state, block=replace(state.block, model=None))


def followed(old: ExplorerState, new: ExplorerState) -> ExplorerState:
    """Return a state in which Heads and Layer show the same model reading the same, whoever of them was changed."""
    before, now = old.block.model, new.block.model
    if before is None or now is None:
        return new
    recipe = recipe_as(new.heads.setup.recipe, ModelRecipe)
    recipe = None if recipe is None else recipe.by_token
    if new.heads.setup.recipe != old.heads.setup.recipe:
        return new if recipe == now else replace(new, block=replace(new.block, model=recipe))
    if now != before and recipe == before:
        changed = {"sentence": now.sentence, "context": now.context}
        return replace(new, heads=new.heads.with_recipe(**changed))
    return new
