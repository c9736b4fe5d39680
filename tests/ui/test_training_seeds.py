"""Other seeds beside the one on show, by mouse and keys on the shown window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from people_driver import catch_up
from PySide6.QtCore import Qt
from training_driver import TrainingDriver

from attention_explorer.pages.training.state import TrainingState, TrainingView
from attention_explorer.sources.learned.run import Run, run_of

STATE = replace(TrainingState(), step=30)
SEEDS = [8, 0, 1, 2, 3, 4]


@pytest.fixture
def ask(training):
    """Open the page, and ask for other seeds."""

    def make(state: TrainingState = STATE) -> TrainingDriver:
        at = training(state)
        at.show(TrainingView.SEEDS)
        return at

    return make


def learned(at: TrainingDriver) -> list:
    """Return the seeds once all are there."""
    catch_up(at.window)
    return list(at.canvas.picture.found)


def middle(at: TrainingDriver, seed: int):
    return at.placed(f"Seed {seed}").layout.cells.center()


def test_every_seed_has_its_own_map_and_accuracy(ask):
    at = ask()
    found = learned(at)
    assert [each.setup.seed for each in found] == SEEDS
    for each in found:
        item = at.item(f"Seed {each.setup.seed}")
        assert replace(each.setup, seed=8) == STATE.setup
        run = Run(each.setup)
        run.advance(STATE.step)
        layer, head = run.measured().scores[-1].best
        answer = run.at().ask(STATE.sentence_shown)
        assert np.array_equal(item.picture.values, answer.weights[layer][head])
        assert item.title == f"seed {each.setup.seed}, layer {layer + 1}"
        assert item.words.startswith(f"{run.measured().accuracy:.0%}".replace("%", " % right"))
        assert item.framed_row == 7
        assert item.is_chosen == (each.setup.seed == 8)
    assert len({(middle(at, seed).x(), middle(at, seed).y()) for seed in SEEDS}) == len(SEEDS)
    assert at.shown_title().endswith(" of 6 have learned it.")
    assert "Best head’s weight on " in at.notes


def test_a_click_opens_a_seed_as_one_step_of_undo(ask):
    at = ask()
    found = learned(at)[3]
    at.click(middle(at, 2))
    catch_up(at.window)
    state = at.training
    assert (state.setup, state.step, state.head_shown) == (replace(STATE.setup, seed=2), 30, found.head)
    assert state.view is TrainingView.WATCH
    layer, head = found.head
    assert np.array_equal(at.film.weights[-1], found.answer.weights[layer][head][7])
    assert (at.steps, at.undo_text) == (1, "Open seed 2")
    at.undo()
    assert at.training.setup == STATE.setup


def test_keys_alone_open_a_seed(ask):
    at = ask()
    learned(at)
    at.canvas.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        at.key(key)
    assert at.said.startswith("seed 3, layer ")
    at.key(Qt.Key.Key_Return)
    assert at.training.setup.seed == 3


def test_escape_stops_what_learns_and_changes_nothing(ask, qtbot):
    state = replace(STATE, setup=replace(STATE.setup, seed=77), step=400)
    at = ask(state)
    beside = run_of(replace(state.setup, seed=0))
    qtbot.waitUntil(lambda: beside.step > 0, timeout=60_000)
    at.key(Qt.Key.Key_Escape)
    catch_up(at.window)
    reached = beside.step
    qtbot.wait(200)
    assert beside.step == reached < state.step
    assert (replace(at.training, view=state.view), at.steps) == (state, 0)


def test_a_seed_that_explodes_is_said_and_cannot_be_opened(ask):
    state = replace(STATE, setup=replace(STATE.setup, rate=1e9), step=10, view=TrainingView.SEEDS)
    at = ask(state)
    learned(at)
    assert {at.item(f"Seed {seed}").words for seed in SEEDS} == {"it could not learn that far"}
    assert "0 of 6 have learned it." in at.notes
    assert "Learning has exploded at step 1" in at.notes
    at.click(middle(at, 2))
    catch_up(at.window)
    assert at.training == state


def test_before_anything_was_learned_the_picture_says_what_to_do(ask):
    at = ask(TrainingState())
    catch_up(at.window)
    assert "press Play" in at.page.view.picture.reason(at.canvas.picture)


def test_play_goes_on_with_the_seed_on_show(ask, qtbot):
    at = ask()
    learned(at)
    at.key(Qt.Key.Key_Space)
    assert at.training.view is TrainingView.WATCH
    qtbot.waitUntil(lambda: at.training.step > 30, timeout=60_000)
    at.show(TrainingView.SEEDS)
    assert not at.page.player.is_running
    assert at.training.setup == STATE.setup
