"""The trail: it follows the output while it is shown, is never too long, and knows where to begin anew."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.plane import Extent
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import LONGEST_TRAIL, QUERY, LookupState, Overlay, ValueKind
from attention_explorer.pages.lookup.trail import followed
from attention_explorer.pages.ui.session import Session

SHOWN = LookupState().with_overlay(Overlay.TRAIL, True)
WALKED = replace(SHOWN, trail=((1.0, 2.0), (3.0, 4.0)))


def output(state: LookupState) -> tuple[float, ...]:
    return tuple(lookup_frame(state).output.tolist())


def moved(state: LookupState, x: float, y: float = 0.5) -> LookupState:
    """Return what a drag makes of a state."""
    return followed(state, state.moved(QUERY, (x, y)))


# ---- What it gathers ----


def test_it_begins_where_the_output_was_and_gathers_where_it_goes() -> None:
    first = moved(SHOWN, 1.0)
    second = moved(first, 0.5)
    assert second.trail == (output(SHOWN), output(first), output(second))


def test_numbers_leave_rows_of_one_number() -> None:
    state = moved(preset("quiz").state.with_overlay(Overlay.TRAIL, True), 0.25)
    assert [len(row) for row in state.trail] == [1, 1]


@pytest.mark.parametrize(
    "change",
    [
        lambda state: replace(state, target=(9.0, 9.0)),
        lambda state: state.with_overlay(Overlay.HULL, False),
        lambda state: state.with_camera(Extent(0.0, 1.0, 0.0, 1.0)),
        lambda state: replace(state),
    ],
)
def test_what_does_not_move_the_output_leaves_nothing(change) -> None:
    new = change(WALKED)
    assert followed(WALKED, new) is new


def test_while_it_is_hidden_it_rests_and_then_goes_on_from_where_the_output_is() -> None:
    first = moved(SHOWN, 1.0)
    hidden = followed(first, first.with_overlay(Overlay.TRAIL, False))
    elsewhere = moved(hidden, -1.0)
    assert elsewhere.trail == first.trail
    shown = followed(elsewhere, elsewhere.with_overlay(Overlay.TRAIL, True))
    assert shown.trail == first.trail
    last = moved(shown, -0.5)
    assert last.trail == (*first.trail, output(elsewhere), output(last))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, LONGEST_TRAIL).map(lambda length: tuple((float(i), 0.0) for i in range(length))),
    st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), max_size=12),
)
def test_it_keeps_the_newest_and_no_more_than_the_longest(trail, places) -> None:
    state, passed = replace(SHOWN, trail=trail), list(trail)
    for place in places:
        before, state = output(state), followed(state, state.moved(QUERY, place))
        if output(state) != before:
            passed += [output(state)] if passed[-1:] == [before] else [before, output(state)]
        assert state.trail == tuple(passed[-LONGEST_TRAIL:])
        assert len(state.trail) <= 240


# ---- Where it begins anew ----


@pytest.mark.parametrize("kind", [ValueKind.VECTORS, ValueKind.NUMBERS])
def test_values_of_another_kind_begin_without(kind: ValueKind) -> None:
    assert followed(WALKED, WALKED.with_values(kind)).trail == ()


def test_another_preset_begins_without() -> None:
    assert followed(WALKED, replace(WALKED, preset="descent")).trail == ()


@pytest.mark.parametrize("trail", [(), ((1.0, 2.0), (3.0, 4.0))])
def test_choosing_the_same_preset_again_begins_without(trail) -> None:
    ready = preset("descent").state
    changed = replace(ready.moved(QUERY, (2.0, 2.0)), trail=trail)
    assert followed(changed, ready) is ready


def test_a_trail_that_is_set_stays_as_it_is_set() -> None:
    cleared = replace(WALKED.moved(QUERY, (0.0, 1.0)), trail=())
    assert followed(WALKED, cleared) is cleared


# ---- Over time ----


@pytest.fixture
def session() -> Session:
    return Session(ExplorerState(lookup=SHOWN))


def drag(session: Session, *places: float) -> None:
    for x in places:
        lookup = session.state.lookup.moved(QUERY, (x, 0.5))
        session.preview(replace(session.state, lookup=lookup), "Move query")


def test_a_preview_extends_it_and_a_revert_takes_that_back(session: Session) -> None:
    before = session.state
    drag(session, 1.0, 0.5, 0.0)
    assert len(session.state.lookup.trail) == 4
    session.revert()
    assert session.state == before


def test_undo_and_redo_bring_back_the_trail_of_that_time(session: Session) -> None:
    before = session.state
    drag(session, 1.0, 0.5)
    session.commit()
    after = session.state
    session.undo()
    assert session.state == before
    session.redo()
    assert session.state == after
    assert len(after.lookup.trail) == 3


def test_another_session_comes_with_the_trail_that_it_has(session: Session) -> None:
    other = ExplorerState(lookup=moved(WALKED, -2.0))
    session.restart(other)
    assert session.state is other


def test_other_pages_leave_it_alone(session: Session) -> None:
    drag(session, 1.0)
    changed = replace(session.state, heads=HeadsState().with_recipe(sentence="a b"))
    session.apply(changed, "Type")
    assert session.state is changed


# ---- As a part of the state ----


def test_states_that_differ_in_their_view_only_are_different_and_share_their_numbers() -> None:
    seen = WALKED.with_camera(Extent(0.0, 1.0, 0.0, 1.0))
    assert len({SHOWN, WALKED, seen}) == 3
    assert seen.without_view() == WALKED.without_view() == SHOWN
    assert lookup_frame(seen).state is seen
    assert lookup_frame(seen).attention is lookup_frame(SHOWN).attention
