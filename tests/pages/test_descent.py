"""The descent: what is left behind of steps downhill, and what ends it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_explorer.core.role import Role
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import LONGEST_DESCENT, QUERY, DescentSpeed, LookupState, Overlay, Part
from attention_explorer.pages.lookup.trail import gone_to, losses, place_in, stepped


def walked(steps: int) -> LookupState:
    state = preset("descent").state
    for _ in range(steps):
        state = stepped(state)
    return state


def after(state: LookupState, new: LookupState) -> LookupState:
    """Return what a change in the window makes of a state."""
    return ExplorerState(lookup=new).followed(ExplorerState(lookup=state)).lookup


def test_a_descent_is_the_queries_of_its_steps():
    state = walked(7)
    assert [place_in(gone_to(state, place)) for place in range(8)] == list(range(8))
    assert state.descent[0] == preset("descent").state.query
    assert losses(state).tolist() == [lookup_frame(replace(state, query=query)).loss for query in state.descent]


def test_a_long_descent_forgets_its_beginning():
    state = walked(LONGEST_DESCENT + 5)
    assert len(state.descent) == LONGEST_DESCENT
    assert place_in(state) == LONGEST_DESCENT - 1


@pytest.mark.parametrize(
    "change",
    [
        lambda state: gone_to(state, 2),
        lambda state: state.with_rate(0.7),
        lambda state: state.with_overlay(Overlay.HULL, False),
        lambda state: replace(state, speed=DescentSpeed.SLOW),
        lambda state: state.with_camera(state.extent),
    ],
    ids=["to a step", "rate", "overlay", "speed", "view"],
)
def test_the_descent_stays(change):
    state = walked(5)
    assert after(state, change(state)).descent == state.descent


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.moved(QUERY, (0.0, 1.0)),
        lambda state: state.moved(Part(Role.KEY, 1), (0.0, 1.0)),
        lambda state: state.moved(Part(Role.TARGET), (0.0, 1.0)),
        lambda state: state.with_temperature(2.0),
        lambda state: replace(state, hard=True),
        lambda state: replace(state, scaled=True),
    ],
    ids=["query", "key", "target", "temperature", "hard", "scaled"],
)
def test_the_descent_ends_with_what_its_losses_depend_on(change):
    state = walked(5)
    assert after(state, change(state)).descent == ()
