"""Undo goes through what the subject was, Back through how it was looked at, and neither disturbs the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from session_states import states

from attention_explorer.core.declared import is_same_subject, with_subject_of, with_view_of
from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup, Picture
from attention_explorer.pages.session_file import session_bytes, session_from
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe


@pytest.fixture
def session() -> Session:
    session = Session(clock=lambda: 0.0)
    session.turn_to("heads", "Heads")
    return session


def setup(session: Session, **changes: Any) -> None:
    heads = session.state.heads.with_setup(**changes)
    session.apply(replace(session.state, heads=heads), "Change")


def view(session: Session, label: str = "Look", **changes: Any) -> None:
    heads = session.state.heads.with_view(**changes)
    session.apply(replace(session.state, heads=heads), label)


def seen(session: Session) -> tuple[Any, ...]:
    heads = session.state.heads
    return heads.setup.temperature, heads.view.picture, heads.view.row


# ---- Undo ----


def test_undo_keeps_what_was_pinned_since(session: Session) -> None:
    setup(session, temperature=2.0)
    view(session, row=3)
    assert (len(session.history), len(session.views)) == (1, 1)
    session.undo()
    assert seen(session) == (1.0, Picture.HEATMAP, 3)
    session.redo()
    assert seen(session) == (2.0, Picture.HEATMAP, 3)


def test_looking_around_leaves_what_can_be_done_again(session: Session) -> None:
    setup(session, temperature=2.0)
    session.undo()
    view(session, row=3)
    assert session.history.redo_text == "Change"
    session.redo()
    assert seen(session) == (2.0, Picture.HEATMAP, 3)


def test_what_was_changed_in_another_picture_is_undone_there(session: Session) -> None:
    view(session, picture=Picture.STAGES)
    setup(session, temperature=2.0)
    view(session, picture=Picture.LINES, row=2)
    session.undo()
    assert seen(session) == (1.0, Picture.STAGES, 7)
    view(session, picture=Picture.LINES, row=2)
    session.redo()
    assert seen(session) == (2.0, Picture.STAGES, 7)


def test_a_step_that_changed_the_view_too_takes_that_back_unless_it_was_changed_since(session: Session) -> None:
    both = session.state.heads.with_setup(temperature=2.0).with_view(picture=Picture.STAGES, row=1)
    for row in (1, 4):
        session.apply(replace(session.state, heads=both), "Load")
        view(session, row=row)
        session.undo()
        assert seen(session) == (1.0, Picture.HEATMAP, 7 if row == 1 else 4)
        view(session, row=7)


def test_a_part_that_is_gone_goes_with_its_picture(session: Session) -> None:
    heads = replace(session.state.heads, other=HeadsSetup())
    session.apply(replace(session.state, heads=heads), "Keep as B")
    view(session, picture=Picture.COMPARE)
    session.undo()
    assert session.state.heads.other is None
    assert seen(session) == (1.0, Picture.HEATMAP, 7)


def test_another_recipe_comes_back_whole(session: Session) -> None:
    old = session.state.heads.setup.recipe
    setup(session, recipe=HandMadeRecipe())
    view(session, row=3)
    session.undo()
    assert session.state.heads.setup.recipe == old
    session.redo()
    assert session.state.heads.setup.recipe == HandMadeRecipe()
    assert session.state.heads.view.row == 3


def test_what_does_not_go_together_gives_way_to_the_step_as_it_was(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attention_explorer.pages.steps.reason_against", _against_row_3_at_1)
    setup(session, temperature=2.0)
    view(session, row=3)
    session.undo()
    assert seen(session) == (1.0, Picture.HEATMAP, 7)


def _against_row_3_at_1(part: Any) -> str:
    setup, row = getattr(part, "setup", None), getattr(getattr(part, "view", None), "row", None)
    return "No." if row == 3 and isinstance(setup, HeadsSetup) and setup.temperature == 1.0 else ""


def test_a_preview_of_the_view_is_kept_by_undo_and_left_by_back(session: Session) -> None:
    setup(session, temperature=2.0)
    heads = session.state.heads.with_view(row=3)
    session.preview(replace(session.state, heads=heads), "Point")
    assert (session.undo_text, session.back_text, session.can_go_back) == ("Change", "Point", True)
    session.undo()
    assert seen(session) == (1.0, Picture.HEATMAP, 3)
    session.go_back()
    assert seen(session) == (1.0, Picture.HEATMAP, 7)


def test_a_step_of_the_other_kind_ends_a_run(session: Session) -> None:
    def step(temperature: float) -> None:
        heads = session.state.heads.with_setup(temperature=temperature)
        session.apply(replace(session.state, heads=heads), "Change", merge="temperature")

    step(2.0)
    step(3.0)
    view(session, row=1)
    step(4.0)
    assert len(session.history) == 2
    session.undo()
    assert seen(session) == (3.0, Picture.HEATMAP, 1)


# ---- Back ----


def test_back_and_forward_go_through_views_and_keep_the_subject(session: Session) -> None:
    view(session, "Stages", picture=Picture.STAGES)
    setup(session, temperature=2.0)
    view(session, "Pin", row=3)
    assert session.back_text == "Pin"
    session.go_back()
    assert seen(session) == (2.0, Picture.STAGES, 7)
    session.go_back()
    assert seen(session) == (2.0, Picture.HEATMAP, 7)
    assert not session.can_go_back
    assert session.views.redo_text == "Stages"
    session.go_forward()
    session.go_forward()
    session.go_forward()
    assert seen(session) == (2.0, Picture.STAGES, 3)
    assert session.history.undo_text == "Change"


def test_a_page_is_something_to_go_back_to(session: Session) -> None:
    turned: list[str] = []
    session.turned_back.connect(turned.append)
    session.turn_to("block", "Block")
    block = replace(session.state.block, picture=BlockPicture.DEPTH)
    session.apply(replace(session.state, block=block), "Show the depth")
    session.go_back()
    assert (session.page, turned) == ("block", [])
    session.go_back()
    assert (session.page, turned) == ("heads", ["heads"])
    session.turn_to("heads", "Heads")
    assert session.views.can_redo, "the window shows what it is told to, which is no step"
    session.go_forward()
    session.go_forward()
    assert (session.page, session.state.block.picture) == ("block", BlockPicture.DEPTH)


def test_back_goes_past_what_looks_as_it_does_already(session: Session) -> None:
    view(session, picture=Picture.STAGES)
    setup(session, temperature=2.0)
    view(session, picture=Picture.LINES)
    session.undo()
    assert seen(session) == (1.0, Picture.STAGES, 7)
    session.go_back()
    assert seen(session) == (1.0, Picture.HEATMAP, 7)


def test_back_leaves_the_view_of_other_pages_alone(session: Session) -> None:
    view(session, row=3)
    session.turn_to("training", "Training")
    loaded = replace(session.state.heads.with_setup(temperature=2.0), view=replace(session.state.heads.view, row=1))
    session.apply(replace(session.state, heads=loaded), "Load")
    session.go_back()
    assert session.page == "heads"
    assert seen(session) == (2.0, Picture.HEATMAP, 1)


def test_a_place_is_returned_to_with_both_histories(session: Session) -> None:
    setup(session, temperature=2.0)
    view(session, row=3)
    place = session.place
    for number in range(3):
        session.apply(ExplorerState(training=TrainingState(row=number, step=number)), "Scene")
        session.turn_to("training", "Training")
    session.return_to(place, "Leave")
    assert session.place == place
    assert session.undo_text == "Change"


def test_a_place_whose_history_is_gone_is_returned_to_by_a_step(session: Session) -> None:
    setup(session, temperature=2.0)
    place = session.place
    session.undo()
    setup(session, mask=MaskChoice(MaskKind.CAUSAL))
    session.return_to(place, "Leave")
    assert session.state == place.state
    session.undo()
    assert session.state.heads.setup.mask == MaskChoice(MaskKind.CAUSAL)


# ---- Anything ----


@given(st.lists(st.tuples(states(), st.sampled_from(["both", "subject", "view", "undo", "redo", "back"])), max_size=6))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_all_undone_is_the_subject_of_the_beginning_and_all_redone_that_of_the_end(
    walk: list[tuple[ExplorerState, str]],
) -> None:
    session = Session()
    for new, way in walk:
        # A way that leads to another lookup would be forgotten with the next change, whatever that is.
        lookup = replace(new.lookup, trail=(), descent=(), jumps=0, last_jump=0.0)
        _go(session, session.counted(replace(new, lookup=lookup)), way)
    steps = len(session.history)
    for _ in range(steps):
        session.redo()
    end = session.state
    for _ in range(steps):
        session.undo()
        assert session_from(session_bytes(session.state), "walk").state == session.state
    assert is_same_subject(session.state, ExplorerState())
    for _ in range(steps):
        session.redo()
    assert is_same_subject(session.state, end)


def _go(session: Session, new: ExplorerState, way: str) -> None:
    before = session.state
    try:
        new = with_subject_of(before, new) if way == "subject" else with_view_of(before, new) if way == "view" else new
    except ExplorerError:
        return
    ways = {"undo": session.undo, "redo": session.redo, "back": session.go_back}
    ways.get(way, lambda: session.apply(new, way))()
    if way in ("view", "back"):
        assert is_same_subject(session.state, before)
