"""Layers that were learned on the Training page, on the Layer page: which can be drawn, and with which switches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_explorer.core.preset import Preset
from attention_explorer.errors import ExplorerError
from attention_explorer.model import NormPlacement
from attention_explorer.model.arrays import Floats
from attention_explorer.model.layer_stack import EncoderStack
from attention_explorer.model.learning import SequenceNetwork
from attention_explorer.pages.stack.choices import LearnedStack
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import TASKS, task_of
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.learned_source import float64_network
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Recipe

_OTHER_TASKS = {
    "dictionary": "A dictionary has queries and keys but no layer around them, and Layer draws layers.",
    "translation": "A translation looks at a second sentence, but Layer draws layers that look only at their own.",
}


def reason_against(setup: LearningSetup) -> str:
    """Return why the layers of a network cannot be drawn as a block, and what to do; empty if they can."""
    if setup.task not in TASKS:
        return f"There is no task “{setup.task}” in this version: choose an example."
    if setup.task in _OTHER_TASKS:
        return f"{_OTHER_TASKS[setup.task]} Choose another task."
    if setup.hard:
        return "This network lets the best key take all, but Layer draws a softmax. Learn with a soft lookup."
    if not setup.scaled:
        return "Unlike Layer, this network does not divide its scores by √d_k. Learn with ÷√d_k."
    return ""


def learned_block(setup: LearningSetup, step: int, sentence: str) -> BlockState:
    """Return the state that shows a network after some steps, with its sizes and switches."""
    return replace(BlockState(sentence=sentence, learned=LearnedStack(setup, step)), **_decided(setup))


def _decided(setup: LearningSetup) -> dict[str, Any]:
    """Return the fields of a state that a network decides; of one that Layer can draw."""
    hidden = {"d_ff": setup.d_ff} if setup.d_ff else {}
    sizes = {name: getattr(setup, name) for name in ("d_model", "heads", "layers", "seed", "residual")}
    return {
        **sizes,
        **hidden,
        "batch": 1,
        "norm": NormPlacement.NONE,
        "feed_forward": bool(setup.d_ff),
        "activation": BlockState().activation,
        "causal": task_of(setup.task).causal,
        "encoding": setup.positions,
    }


def reason_against_state(state: BlockState) -> str:
    """Return why a state cannot show the learned layers that it names; empty if it can, or names none."""
    if state.learned is None:
        return ""
    reason = reason_against(state.learned.setup)
    if reason:
        return reason
    for name, own in _decided(state.learned.setup).items():
        given = getattr(state, name)
        if given != own:
            return f"These weights were learned with {name.replace('_', ' ')} {own}: it cannot be {given}."
    return ""


def recipe_of(state: BlockState) -> LearnedRecipe | None:
    """Return what names the learned layers of a state as a source; None if they are drawn."""
    learned = state.learned
    return None if learned is None else LearnedRecipe(learned.setup, learned.step, state.sentence)


def steps_to_learn(state: BlockState) -> int:
    """Count the steps that have to be learned again before anything of a state can be shown."""
    recipe = recipe_of(state) or state.model_shown
    return 0 if recipe is None else source_of(recipe).checkpoints()


def learned_layers(learned: LearnedStack, sentence: str) -> tuple[Floats, Floats, EncoderStack]:
    """Return the layers of a network and what goes into them, learned again where nobody has.

    Parameters
    ----------
    learned : LearnedStack
        Which network.
    sentence : str
        Of the words that it knows.

    Returns
    -------
    embeddings : ndarray, (1, n, d_model)
        The vectors of the words.
    x : ndarray, (1, n, d_model)
        With those of the places, if it has any.
    stack : EncoderStack
        In float64.

    Raises
    ------
    ExplorerError
        If the sentence does not fit the task, or learning left all bounds before that step.
    """
    tokens = task_of(learned.setup.task).typed(sentence, None, learned.setup).tokens
    network = float64_network(learned.setup, learned.step)
    if not isinstance(network, SequenceNetwork):
        raise ExplorerError("This network has no layers that Layer could draw: choose an example.")
    words = np.asarray(network.parameters["w_e"][tokens])
    has_places = "w_p" in network.parameters
    return words, words + network.parameters["w_p"][: tokens.shape[-1]] if has_places else words, network.stack


# ---- What is said of layers in no list of examples ----


def learned_settings(learned: LearnedStack) -> Preset[BlockState]:
    """Return what is said of learned layers, which are in no list."""
    return Preset(
        "learned",
        f"Learned: {task_of(learned.setup.task).title}, step {learned.step}",
        "These numbers were learned on the Training page; none is random. Go from box to box with ← and →, and "
        "from layer to layer below; in the weights each word shows what it looks at. Type other words that it knows.",
        BlockState(),
    )


def model_settings(model: Recipe) -> Preset[BlockState]:
    """Return what is said of the layer of what Heads shows, which is in no list."""
    return Preset(
        "model",
        source_of(model).traits.kind,
        "Every array that the sentence passes through in what Heads shows, with the same weights. Follow a word, go "
        "from head to head, and compare what a head looks at with what arrives.",
        BlockState(),
    )
