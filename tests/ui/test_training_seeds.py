"""Other seeds beside the one on show, by mouse and keys on the shown window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from people_driver import catch_up
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from training_driver import TrainingDriver

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.learned.run import Run, run_of

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

STATE = replace(TrainingState(), step=30)
SEEDS = [8, 0, 1, 2, 3, 4]


@pytest.fixture
def ask(training):
    """Open the page, and ask for other seeds."""

    def make(state: TrainingState = STATE) -> TrainingDriver:
        at = training(state)
        at.press(at.page.others.seeds)
        return at

    return make


def learned(at: TrainingDriver, qtbot):
    """Return the dialog with all seeds in it."""
    dialog = at.page.others.dialog
    qtbot.waitUntil(lambda: not dialog.jobs.is_busy(), timeout=60_000)
    return dialog


def test_every_seed_has_its_own_map_and_accuracy(ask, qtbot):
    dialog = learned(ask(), qtbot)
    assert [found.setup.seed for found in dialog.found] == SEEDS
    for item, found in zip(dialog.items, dialog.found, strict=True):
        assert replace(found.setup, seed=8) == STATE.setup
        run = Run(found.setup)
        run.advance(STATE.step)
        layer, head = run.measured().scores[-1].best
        answer = run.at().ask(STATE.sentence_shown)
        assert np.array_equal(item.picture.values, answer.weights[layer][head])
        assert item.title == f"seed {found.setup.seed}, layer {layer + 1}"
        assert item.words.startswith(f"{run.measured().accuracy:.0%}".replace("%", " % right"))
        assert item.framed_row == 7
    heads = [item.box.center() for item in dialog.items]
    assert len({(place.x(), place.y()) for place in heads}) == len(SEEDS)
    assert "of 6 have learned it" in dialog.said.text()


def test_a_click_opens_a_seed_as_one_step_of_undo(ask, qtbot):
    at = ask()
    dialog = learned(at, qtbot)
    at.click(dialog.items[3].box.center(), dialog.canvas.viewport())
    catch_up(at.window)
    state = at.window.session.state.training
    assert (state.setup, state.step, state.head_shown) == (replace(STATE.setup, seed=2), 30, dialog.found[3].head)
    assert np.array_equal(at.page.scene.large.picture.values, dialog.items[3].picture.values)
    assert (at.steps, at.undo_text) == (1, "Open seed 2")
    at.undo()
    assert at.window.session.state.training == STATE


def test_keys_alone_open_a_seed(ask, qtbot):
    at = ask()
    dialog = learned(at, qtbot)
    assert dialog.canvas.hasFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(dialog.canvas, key)
    assert [item.is_chosen for item in dialog.items] == [place == 4 for place in range(6)]
    assert dialog.canvas.spoken().startswith("seed 3, layer ")
    QTest.keyClick(dialog.canvas, Qt.Key.Key_Return)
    assert at.window.session.state.training.setup.seed == 3


def test_escape_stops_what_learns_and_changes_nothing(ask, qtbot):
    state = replace(STATE, setup=replace(STATE.setup, seed=77), step=400)
    at = ask(state)
    dialog, beside = at.page.others.dialog, run_of(replace(state.setup, seed=0))
    qtbot.waitUntil(lambda: beside.step > 0, timeout=60_000)
    QTest.keyClick(dialog.canvas, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    qtbot.wait(200)
    reached = beside.step
    qtbot.wait(200)
    assert beside.step == reached < state.step
    assert (at.window.session.state.training, at.steps) == (state, 0)


def test_a_seed_that_explodes_is_said_and_cannot_be_opened(ask, qtbot):
    state = replace(STATE, setup=replace(STATE.setup, rate=1e9), step=10)
    at = ask(state)
    dialog = learned(at, qtbot)
    assert {item.words for item in dialog.items} == {"it could not learn that far"}
    assert dialog.said.text().startswith("0 of 6 have learned it. Learning has exploded at step 1")
    at.click(dialog.items[3].box.center(), dialog.canvas.viewport())
    assert dialog.isVisible()
    assert at.window.session.state.training == state


def test_before_anything_was_learned_the_button_says_what_to_do(make_window, hand):
    window = make_window(ExplorerState(), Settings(theme=ThemeChoice.LIGHT, page="training"), (1280, 800))
    catch_up(window)
    button = window.page.others.seeds
    assert not button.isEnabled()
    assert "press Play" in button.toolTip()
