"""A head of Circuits on the Heads page, and the model of Heads, and a head of it, in Circuits."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.circuits.state import Breaks, CircuitsView
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.by_word import by_word
from attention_explorer.pages.heads.head_difference import question_of
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView, Picture
from attention_explorer.sources.registry import source_of

NO_MODEL = "What is open in Heads cannot be run again: open a model there, or a learned one."
SAME = "The model of Heads is asked already, with its sentence."
OF_HEADS = (CircuitsView.LOOKS, CircuitsView.BREAKS, CircuitsView.READS)
"""The views in which a head is chosen, whatever the model reads."""


def in_heads(state: ExplorerState, head: tuple[int, int]) -> ExplorerState:
    """Return the state with a head of the model of Circuits large on the Heads page, on the same text."""
    circuits = state.circuits
    setup = HeadsSetup(circuits.recipe, layer=head[0], head=head[1], count=circuits.count)
    view = HeadsView(answer=circuits.answer, row=None if circuits.position < 0 else circuits.position)
    return replace(state, heads=HeadsState(setup, view, preset=""))


def reason_against(state: ExplorerState) -> str:
    """Return why Circuits cannot ask the model of Heads; empty if it can."""
    recipe = by_word(state.heads, whole=False).setup.recipe
    if not source_of(recipe).can_be_asked:
        return NO_MODEL
    return SAME if recipe == state.circuits.recipe else ""


def from_heads(state: ExplorerState) -> ExplorerState:
    """Return the state with the model that is open in Heads asked in Circuits, with its head on show.

    Raises
    ------
    ExplorerError
        If it is none of which circuits can be asked, or is asked already.
    """
    reason = reason_against(state)
    if reason:
        raise ExplorerError(reason)
    setup = by_word(state.heads, whole=False).setup
    return replace(state, circuits=replace(state.circuits.with_model(setup.recipe), layer=setup.layer, head=setup.head))


def head_in_circuits(state: ExplorerState) -> ExplorerState:
    """Return the state with the head that is large in Heads on show in Circuits; its effect, if Heads shows that.

    Raises
    ------
    ExplorerError
        If the model is none of which circuits can be asked.
    """
    circuits = state.circuits if reason_against(state) == SAME else from_heads(state).circuits
    heads = state.heads
    circuits = replace(circuits, layer=heads.setup.layer, head=heads.setup.head)
    question = question_of(heads.with_view(picture=Picture.ALL))
    if question is not None:
        circuits = replace(circuits, answer=question.answer, against="", position=question.position)
        circuits = replace(circuits, view=CircuitsView.BREAKS, breaks=Breaks.ANSWER)
    elif circuits.view not in OF_HEADS:
        circuits = replace(circuits, view=CircuitsView.LOOKS)
    return replace(state, circuits=circuits)
