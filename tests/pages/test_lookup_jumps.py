"""Jumps of a hard lookup: counted where o really jumps, with the length that it really had."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.role import Role
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY, LookupState, Part, ValueKind
from attention_explorer.pages.lookup.trail import counted
from attention_explorer.pages.ui.session import Session

HARD = replace(LookupState(), hard=True)
JUMPED = replace(HARD, jumps=3, last_jump=3.0)
AT_K2 = (-1.0, 1.0)
"""A query for which k₂ takes everything, where k₁ does at the start."""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), max_size=8), st.sampled_from(list(ValueKind)))
def test_they_are_those_of_the_way_that_was_gone(places, kind) -> None:
    """Against a loop in plain Python over the scores and values."""
    state = replace(preset("three-keys").state, hard=True, values=kind)
    jumps, last, row = 0, 0.0, 0
    for x, y in places:
        state = counted(state, state.moved(QUERY, (x, y)))
        scores = [x * a + y * b for a, b in state.keys]
        best = lookup_frame(state).weights.tolist().index(1.0)
        assert scores[best] == pytest.approx(max(scores), abs=1e-12)
        length = math.dist(state.value_rows[row], state.value_rows[best])
        if length:
            jumps, last = jumps + 1, length
        row = best
    assert (state.jumps, state.last_jump) == (jumps, pytest.approx(last))


def test_the_first_preset_jumps_by_three_units() -> None:
    there = counted(HARD, HARD.moved(QUERY, AT_K2))
    assert (there.jumps, round(there.last_jump, 12)) == (1, 3.0)
    back = counted(there, there.moved(QUERY, HARD.query))
    assert (back.jumps, round(back.last_jump, 12)) == (2, 3.0)


def test_a_key_that_is_moved_can_make_it_jump_too() -> None:
    new = counted(HARD, HARD.moved(Part(Role.KEY, 1), (9.0, 9.0)))
    assert (new.jumps, new.last_jump) == (1, math.dist((2.0, 0.2), (9.0, 9.0)))


EQUAL_VALUES = replace(HARD, values=ValueKind.NUMBERS, entries=tuple(replace(e, number=5.0) for e in HARD.entries))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (JUMPED, JUMPED.moved(QUERY, (1.4, 0.5))),
        (JUMPED, JUMPED.moved(Part(Role.KEY, 0), (2.0, 0.3))),
        (JUMPED, JUMPED.with_key_added((9.0, 9.0))),
        (JUMPED, JUMPED.with_key_removed(0)),
        (JUMPED, replace(JUMPED, scaled=True)),
        (EQUAL_VALUES, EQUAL_VALUES.moved(QUERY, AT_K2)),
    ],
    ids=["the same key", "the key itself moves", "a key more", "a key less", "the scale", "equal values"],
)
def test_what_is_no_jump_counts_none(old: LookupState, new: LookupState) -> None:
    assert counted(old, new) is new


@pytest.mark.parametrize(
    "new",
    [replace(JUMPED, hard=False), JUMPED.with_values(ValueKind.NUMBERS), replace(JUMPED, preset="quiz")],
    ids=["soft", "other values", "another preset"],
)
def test_they_begin_anew(new: LookupState) -> None:
    begun = counted(JUMPED, new)
    assert (begun.jumps, begun.last_jump) == (0, 0.0)


def test_undo_esc_and_redo_bring_back_the_count_of_that_time() -> None:
    session = Session(ExplorerState(lookup=HARD))
    before = session.state
    for place in (AT_K2, (1.4, 0.6)):
        moved = session.state.lookup.moved(QUERY, place)
        session.preview(replace(session.state, lookup=moved), "Move query")
    assert session.state.lookup.jumps == 2
    session.revert()
    assert session.state == before
    session.apply(replace(before, lookup=HARD.moved(QUERY, AT_K2)), "Move query")
    after = session.state
    assert after.lookup.jumps == 1
    session.undo()
    assert session.state == before
    session.redo()
    assert session.state == after


def test_no_number_depends_on_them() -> None:
    assert JUMPED.without_view() == JUMPED.without_past() == HARD
    assert hash(JUMPED) == hash(HARD)
    assert lookup_frame(JUMPED).attention is lookup_frame(HARD).attention
