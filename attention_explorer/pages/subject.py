"""One subject: what Heads shows, as the layer of the Layer page, and as it goes on from there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from attention_explorer.core.mask import MaskChoice
from attention_explorer.core.weighing import Weighing
from attention_explorer.pages.heads.by_word import by_word
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.registry import recipe_as, source_of, tokens_of
from attention_explorer.sources.source import Ability, Recipe

if TYPE_CHECKING:
    from attention_explorer.pages.explorer import ExplorerState


def reason_against_subject(state: ExplorerState) -> str:
    """Return why the Layer page cannot draw the layer of what Heads shows; empty if it can."""
    return source_of(state.heads.setup.recipe).reason_against_arrays()


def with_subject(state: ExplorerState, box: str = "weights") -> ExplorerState:
    """Return the state with the layer of what Heads shows on the Layer page, at the same layer, head and row."""
    heads = by_word(state.heads, whole=False)
    setup, row = heads.setup, heads.view.row
    block = replace(_of_heads(state.block, setup), picture=BlockPicture.LAYER)
    is_token = row is not None and row < len(tokens_of(setup.recipe))  # B of a comparison may have more
    shown = replace(block, layer=setup.layer, head=setup.head, box=box, token=row if is_token else None)
    return replace(state, block=shown)


def _of_heads(block: BlockState, setup: HeadsSetup) -> BlockState:
    """Return a block of what a setup of Heads names; of a model that was learned here, its whole layers."""
    found, learned = _weighed_as(block, setup), recipe_as(setup.recipe, LearnedRecipe)
    plain = Weighing(switched_off=setup.switched_off)  # no head of it is run without
    if learned is not None and found.weighing == plain:
        from attention_explorer.pages.stack.learned import learned_block, reason_against  # all tasks come with it

        if not reason_against(learned.setup):
            drawn = learned_block(learned.setup, learned.step, learned.sentence)
            own = source_of(learned).traits.reason_against(Ability.MASKS)
            return replace(drawn, count=block.count, mask=MaskChoice() if own else setup.mask)
    return replace(found, learned=None)


def with_drawn_layer(state: ExplorerState) -> ExplorerState:
    """Return the state with a layer on the Layer page that is drawn from the seed."""
    plain = BlockState()
    own = {name: getattr(plain, name) for name in ("model", "mask", "weighing", "cut")}
    return replace(state, block=replace(state.block, **own))


def followed(old: ExplorerState, new: ExplorerState) -> ExplorerState:
    """Return a state in which Heads and Layer show the same model reading the same, whoever of them was changed."""
    before, now = old.block.model, new.block.model
    if before is None or now is None:
        return new
    typed = _typed(before, now)
    if typed is not None and by_word(new.heads, whole=False).setup.recipe == before:
        new = replace(new, heads=new.heads.with_recipe(sentence=typed))
    elif new.block.mask != old.block.mask and new.heads is old.heads and new.heads.setup.recipe == now:
        return replace(new, heads=new.heads.with_setup(mask=new.block.mask))
    setup = by_word(new.heads, whole=False).setup
    is_same = setup == by_word(old.heads, whole=False).setup
    return new if is_same else replace(new, block=_weighed_as(new.block, setup))


def _typed(before: Any, now: Any) -> str | None:  # noqa: ANN401 # recipes, of which not all have a sentence
    """Return the other sentence that a recipe reads now, if nothing else of it has changed; else None."""
    if now == before or type(now) is not type(before) or not hasattr(now, "sentence"):
        return None
    return now.sentence if replace(before, sentence=now.sentence) == now else None


def _weighed_as(block: BlockState, setup: HeadsSetup) -> BlockState:
    """Return a block of what a setup of Heads names, weighed as there."""
    weighing = Weighing(setup.scaled, setup.hard, setup.temperature, setup.switched_off)
    found = replace(block, model=setup.recipe, mask=setup.mask, weighing=weighing)
    return found if _model_of(setup.recipe) == _model_of(block.model) else replace(found, cut=frozenset())


def _model_of(recipe: Recipe | None) -> str:
    """Return where the model of a recipe is; empty if it is none."""
    found = None if recipe is None else recipe_as(recipe, ModelRecipe)
    return "" if found is None else found.path
