"""A head of Circuits on the Heads page, and the model of Heads in Circuits."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.by_word import by_word
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView
from attention_explorer.sources.registry import source_of

NO_MODEL = "What is open in Heads cannot be run again: open a model there, or a learned one."
SAME = "The model of Heads is asked already, with its sentence."


def in_heads(state: ExplorerState, head: tuple[int, int]) -> ExplorerState:
    """Return the state with a head of the model of Circuits large on the Heads page, on the same text."""
    circuits = state.circuits
    setup = HeadsSetup(circuits.recipe, layer=head[0], head=head[1], count=circuits.count)
    return replace(state, heads=HeadsState(setup, HeadsView(), preset=""))


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
