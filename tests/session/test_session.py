"""The current state, how it changes, and its history."""

from __future__ import annotations

import gc
import math
import weakref
from dataclasses import replace

import pytest

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.session import MERGE_WITHIN_SECONDS

Change = tuple[ExplorerState, ExplorerState]


class Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Listener:
    """Remembers every change that a session announced, and what the session held at that moment."""

    def __init__(self, session: Session) -> None:
        self.changes: list[Change] = []
        self._session = session
        session.changed.connect(self._on_changed)

    def _on_changed(self, old: ExplorerState, new: ExplorerState) -> None:
        assert self._session.state is new, "the session holds the new state before it says so"
        self.changes.append((old, new))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def session(clock: Clock) -> Session:
    return Session(clock=clock)


@pytest.fixture
def heard(session: Session) -> list[Change]:
    listener = Listener(session)
    session.setProperty("listener", listener)  # keeps it alive as long as the session
    return listener.changes


FIRST = ExplorerState()


def at(x: float, y: float = 0.0) -> ExplorerState:
    return replace(FIRST, lookup=FIRST.lookup.moved(QUERY, (x, y)))


def labels(session: Session) -> list[str]:
    return session.history.labels


# ---- Start ----


def test_a_new_session_has_no_history(session: Session) -> None:
    assert session.state == FIRST
    assert not session.is_previewing
    assert not session.history.can_undo
    assert not session.history.can_redo


def test_a_session_can_start_anywhere() -> None:
    state = ExplorerState(lookup=preset("quiz").state)
    assert Session(state).state is state


# ---- Preview, commit, revert ----


def test_a_gesture_is_many_signals_and_one_undo_step(session: Session, heard: list[Change]) -> None:
    path = [at(0.1 * i) for i in range(1, 6)]
    for state in path:
        session.preview(state, "Move query")
        assert session.is_previewing
        assert session.state == state
        assert len(session.history) == 0
    session.commit()
    assert not session.is_previewing
    assert labels(session) == ["Move query"]
    assert heard == list(zip([FIRST, *path], path, strict=False)), "each change once, and none for the commit"
    session.undo()
    assert session.state == FIRST
    assert heard[-1] == (path[-1], FIRST)
    session.redo()
    assert session.state == path[-1]
    assert heard[-1] == (FIRST, path[-1])
    assert len(heard) == len(path) + 2


def test_a_preview_can_be_put_back(session: Session, heard: list[Change]) -> None:
    session.apply(at(1.0), "Move query")
    session.preview(at(2.0), "Move query")
    session.preview(at(3.0), "Move query")
    session.revert()
    assert session.state == at(1.0)
    assert not session.is_previewing
    assert heard[-1] == (at(3.0), at(1.0))
    assert labels(session) == ["Move query"]
    session.commit()
    assert len(session.history) == 1, "there is nothing left to commit"


def test_equal_states_are_no_change(session: Session, heard: list[Change]) -> None:
    again = ExplorerState(lookup=replace(FIRST.lookup))
    assert again is not FIRST
    session.preview(again, "Nothing")
    session.commit()
    session.apply(again, "Nothing")
    session.revert()
    assert heard == []
    assert len(session.history) == 0


def test_a_gesture_that_comes_back_is_no_step(session: Session, heard: list[Change]) -> None:
    session.preview(at(1.0), "Move query")
    session.preview(FIRST, "Move query")
    session.commit()
    assert len(heard) == 2
    assert len(session.history) == 0


def test_undoing_nothing_and_reverting_nothing_is_quiet(session: Session, heard: list[Change]) -> None:
    session.undo()
    session.redo()
    session.revert()
    session.commit()
    assert heard == []
    assert session.state == FIRST


def test_the_last_label_of_a_gesture_names_it(session: Session) -> None:
    session.preview(at(1.0), "Move query")
    session.preview(at(2.0), "Turn query")
    session.commit()
    assert session.history.undo_text == "Turn query"


def test_applying_is_one_signal_and_one_step(session: Session, heard: list[Change]) -> None:
    session.apply(at(1.0), "Type q")
    assert heard == [(FIRST, at(1.0))]
    assert labels(session) == ["Type q"]


def test_applying_during_a_preview_first_commits_it_under_its_own_name(session: Session, heard: list[Change]) -> None:
    session.preview(at(1.0), "Move query")
    session.apply(at(2.0), "Scale on")
    assert labels(session) == ["Move query", "Scale on"]
    assert heard == [(FIRST, at(1.0)), (at(1.0), at(2.0))]
    session.undo()
    assert session.state == at(1.0)
    session.undo()
    assert session.state == FIRST


# ---- Undo and redo ----


def test_the_way_back_to_the_start_and_forth_again(session: Session, heard: list[Change]) -> None:
    path = [at(1.0), at(2.0), at(2.0, 5.0), at(-1.0)]
    for i, state in enumerate(path):
        session.apply(state, f"Step {i}")
    for expected in [*path[-2::-1], FIRST]:
        session.undo()
        assert session.state == expected
    assert not session.history.can_undo
    for expected in path:
        session.redo()
        assert session.state == expected
    assert not session.history.can_redo
    assert len(heard) == 3 * len(path)
    assert labels(session) == ["Step 0", "Step 1", "Step 2", "Step 3"]


def test_undo_and_redo_name_what_they_do(session: Session) -> None:
    session.apply(at(1.0), "Move query")
    session.apply(at(2.0), "Add a key")
    session.undo()
    assert (session.history.undo_text, session.history.redo_text) == ("Move query", "Add a key")


def test_undo_names_the_preview_as_long_as_there_is_one(session: Session) -> None:
    session.apply(at(1.0), "Move query")
    session.preview(at(2.0), "Move key 1")
    assert session.undo_text == "Move key 1"
    session.revert()
    assert session.undo_text == "Move query"


def test_undo_during_a_preview_takes_back_the_preview_only(session: Session) -> None:
    session.apply(at(1.0), "Move query")
    session.preview(at(2.0), "Move key 1")
    session.undo()
    assert session.state == at(1.0)
    assert not session.is_previewing
    assert session.history.redo_text == "Move key 1"
    session.redo()
    assert session.state == at(2.0)


def test_redo_during_a_preview_keeps_the_preview(session: Session) -> None:
    session.apply(at(1.0), "Move query")
    session.undo()
    session.preview(at(2.0), "Move key 1")
    session.redo()
    assert session.state == at(2.0)
    assert labels(session) == ["Move key 1"]


def test_a_preview_after_undo_starts_from_what_is_shown(session: Session) -> None:
    session.apply(at(1.0), "One")
    session.apply(at(2.0), "Two")
    session.undo()
    session.preview(at(3.0), "Three")
    session.revert()
    assert session.state == at(1.0)
    assert session.history.redo_text == "Two", "a reverted preview leaves the history alone"
    session.apply(at(3.0), "Three")
    assert labels(session) == ["One", "Three"]
    session.undo()
    assert session.state == at(1.0)


# ---- Merging ----


def test_steps_of_one_word_within_a_second_are_one(session: Session, clock: Clock, heard: list[Change]) -> None:
    for i in range(1, 9):
        session.apply(at(i), f"Nudge {i}", merge="nudge q")
        clock.now += 0.9 * MERGE_WITHIN_SECONDS
    assert labels(session) == ["Nudge 8"]
    assert len(heard) == 8, "merged steps are announced like any other"
    session.undo()
    assert session.state == FIRST, "one undo takes all of them back"
    session.redo()
    assert session.state == at(8)


def test_a_pause_begins_a_new_step(session: Session, clock: Clock) -> None:
    session.apply(at(1), "Nudge", merge="nudge q")
    clock.now += MERGE_WITHIN_SECONDS
    session.apply(at(2), "Nudge", merge="nudge q")
    assert len(session.history) == 1, "a second exactly is still within a second"
    clock.now += MERGE_WITHIN_SECONDS * 1.01
    session.apply(at(3), "Nudge", merge="nudge q")
    assert len(session.history) == 2
    session.undo()
    assert session.state == at(2)


def test_a_run_of_one_word_can_be_one_step_however_long_it_takes(session: Session, clock: Clock) -> None:
    for x in (1, 2, 3):
        session.apply(at(x), "Select", merge="select", within=math.inf)
        clock.now += 1000.0
    assert labels(session) == ["Select"]
    session.apply(at(4), "Move")
    session.apply(at(5), "Select", merge="select", within=math.inf)
    assert labels(session) == ["Select", "Move", "Select"], "a change in between ends the run"
    session.undo()
    assert session.state == at(4)


def test_a_session_is_free_with_its_history_as_soon_as_nobody_needs_it() -> None:
    session = Session(FIRST)
    for i in range(1, 4):
        session.apply(at(i), "Nudge", merge="nudge q" if i > 1 else "")
    left = weakref.ref(session)
    gc.disable()  # a circle would wait for it, and Qt's objects are not always freed in the right order then
    try:
        del session
        assert left() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(("first", "second"), [("nudge q", "nudge k1"), ("nudge q", ""), ("", "nudge q"), ("", "")])
def test_other_words_do_not_merge(session: Session, first: str, second: str) -> None:
    session.apply(at(1), "One", merge=first)
    session.apply(at(2), "Two", merge=second)
    assert labels(session) == ["One", "Two"]
    session.undo()
    assert session.state == at(1)


def test_a_gesture_in_between_ends_the_merging(session: Session) -> None:
    session.apply(at(1), "Nudge", merge="nudge q")
    session.preview(at(2), "Move query")
    session.apply(at(3), "Nudge", merge="nudge q")
    assert labels(session) == ["Nudge", "Move query", "Nudge"]


def test_a_merged_step_is_called_what_was_done_last(session: Session) -> None:
    session.apply(at(1), "Look at Norm", merge="look")
    session.apply(at(2), "Look at FFN", merge="look")
    assert session.undo_text == "Look at FFN"
    session.undo()
    assert session.state == FIRST


def test_a_merge_that_comes_back_to_its_start_vanishes(session: Session, heard: list[Change]) -> None:
    session.apply(at(5), "Before")
    session.apply(at(1), "Nudge", merge="nudge q")
    session.apply(at(5), "Nudge", merge="nudge q")
    assert session.state == at(5)
    assert labels(session) == ["Before"]
    assert len(heard) == 3
    session.undo()
    assert session.state == FIRST
    session.redo()
    assert session.state == at(5)
    assert not session.history.can_redo


def test_after_a_vanished_merge_the_next_step_stands_alone(session: Session) -> None:
    session.apply(at(1), "Nudge", merge="nudge q")
    session.apply(FIRST, "Nudge", merge="nudge q")
    assert not session.history.can_undo
    session.apply(at(2), "Nudge", merge="nudge q")
    assert labels(session) == ["Nudge"]
    session.undo()
    assert session.state == FIRST


def test_a_preview_can_merge_too(session: Session) -> None:
    for x in (1, 2):
        session.preview(at(x), "Temperature")
        session.commit(merge="temperature")
    assert labels(session) == ["Temperature"]
    session.undo()
    assert session.state == FIRST


def test_nothing_merges_into_a_step_that_was_taken_back(session: Session) -> None:
    session.apply(at(1), "Nudge", merge="nudge q")
    session.undo()
    session.apply(at(2), "Nudge", merge="nudge q")
    session.undo()
    assert session.state == FIRST
    session.redo()
    assert session.state == at(2)


def test_the_real_clock_runs() -> None:
    session = Session()
    for i in range(1, 4):
        session.apply(at(i), "Nudge", merge="nudge q")
    assert len(session.history) == 1
