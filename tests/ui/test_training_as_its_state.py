"""The Training page is a function of its state: a new window shows the same, however far a run has gone meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest
from heads_driver import Gate
from people_driver import catch_up
from PySide6.QtCore import Qt
from training_driver import TrainingDriver

from attention_explorer.kit.items.plot_marks import Curve, Handle
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.session_file import read_session, session_bytes, session_from, write_session
from attention_explorer.pages.training import seen as numbers
from attention_explorer.pages.training.state import Speed, TrainingState, TrainingView
from attention_explorer.sources.learned.learned_model import Trial
from attention_explorer.sources.learned.model_file import write_model
from attention_explorer.sources.learned.run import Run, run_of

FIRST = TrainingState()
B = replace(FIRST.setup, seed=3)
FAR = 60


def seen(at: TrainingDriver) -> dict[str, object]:
    """Return what is to be read and heard of the curves and of the step on show."""
    page, curves = at.page, at.curves
    return {
        "title": at.shown_title(),
        "panel": (at.panel_words(), at.progress, at.answers, page.panel.items.spoken()),
        "notes": at.notes,
        "curves": [(curve.ink, curve.x.tolist(), repr(curve.y.tolist())) for curve in curves.of(Curve)],
        "spoken": (page.main.canvas.spoken(), page.canvas.spoken()),
        "across": (curves.across.low, curves.across.high),
        "line": curves.of(Handle),
        "film": (at.film.steps, at.film.now, at.film.weights.tolist()),
    }


def seen_anew(training: Callable[[TrainingState], TrainingDriver], state: TrainingState) -> dict[str, object]:
    """Return the same of a window that has come out of a session, where nobody has learned anything."""
    run_of.cache_clear()
    return seen(training(session_from(session_bytes(ExplorerState(training=state)), "a").state.training))


def go_on(*setups) -> None:
    """Have runs go on that others share."""
    for setup in setups:
        run_of(setup).advance(FAR)


@pytest.mark.parametrize("other", [None, B], ids=["alone", "with B"])
@pytest.mark.parametrize(("step", "learned"), [(0, 0), (7, 0), (30, 0), (7, 44), (440, 0)])
def test_what_is_shown_ends_with_what_the_state_has_learned(training, step, learned, other):
    state = replace(FIRST, step=step, learned=learned, other=other)
    go_on(FIRST.setup, *([other] if other else []))
    assert seen(training(state)) == seen_anew(training, state)


def test_one_goes_back_and_forth_as_far_as_it_has_learned(training):
    go_on(FIRST.setup)
    at = training(replace(FIRST, step=30))
    at.key(Qt.Key.Key_Home)
    catch_up(at.window)
    assert (at.training.step, at.training.learned) == (0, 30)
    assert at.progress.startswith("step 0 of 30 · ")
    before = seen(at)
    assert seen_anew(training, at.training) == before
    at.key(Qt.Key.Key_End)
    catch_up(at.window)
    assert at.training.step == 30
    at.type_into(at.field("setup.seed"), "5")
    catch_up(at.window)
    assert (at.training.step, at.training.learned) == (0, 0)


def test_undo_shows_what_came_while_something_else_was_to_learn(training, qtbot, monkeypatch):
    gates, compute = {91: Gate(), 92: Gate()}, numbers.moment_at

    def waiting(request):
        gates[request.setup.seed].wait()
        return compute(request)

    at = training(FIRST)
    monkeypatch.setattr(numbers, "moment_at", waiting)
    for seed in gates:
        at.type_into(at.field("setup.seed"), str(seed))
        at.time += 5.0  # a step each
    gates[91].open()
    qtbot.waitUntil(lambda: at.page.requests.shown.state.setup.seed == 91, timeout=20_000)
    at.undo()
    gates[92].open()
    catch_up(at.window)
    assert at.training.setup.seed == 91
    assert seen(at) == seen_anew(training, at.training)


def test_undoing_what_was_learned_takes_its_curves_away(training, qtbot):
    run_of.cache_clear()
    at = training(replace(FIRST, step=383, speed=Speed.FULL))
    at.key(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not at.page.player.is_running, timeout=60_000)
    catch_up(at.window)
    assert at.progress == "400 steps · 100 % right (held-out) · learned"
    at.undo()
    catch_up(at.window)
    assert "383 steps · 100 % right at step 380 (held-out)" in at.progress
    assert seen(at) == seen_anew(training, at.training)


@pytest.mark.parametrize("learned", [0, 25])
def test_weights_from_a_file_are_shown_alike_however_far_others_have_learned(training, tmp_path, learned):
    state = replace(FIRST, setup=replace(FIRST.setup, seed=4712), step=12, learned=learned)
    run = Run(state.setup)
    run.advance(12)
    write_model(tmp_path / "a.npz", run.at())
    write_session(tmp_path / "a.attn.json", ExplorerState(training=state))
    state = read_session(tmp_path / "a.attn.json").state.training
    go_on(state.setup)
    at = training(state)
    assert ("weights from a file" in at.progress) == (not learned)
    assert seen(at) == seen_anew(training, state)


def test_the_accuracy_of_an_earlier_step_is_said_to_be_one(training):
    run = Run(FIRST.setup)
    run.advance(27)
    right = round(100 * run.measured(25).accuracy)
    assert right != round(100 * run.measured(27).accuracy)
    assert training(replace(FIRST, step=27)).progress == f"27 steps · {right} % right at step 25 (held-out)"


def test_the_title_speaks_of_the_step_on_show_and_not_of_the_last_one(training):
    run = Run(FIRST.setup)
    run.advance(20)
    right = round(100 * run.measured(20).accuracy)
    assert (
        training(replace(FIRST, step=23, learned=400)).progress
        == f"step 23 of 400 · {right} % right at step 20 (held-out)"
    )
    assert right < 90, "so it has not learned it there"


@pytest.mark.parametrize("is_compared", [False, True])
def test_nothing_is_said_to_be_held_out_of_a_dictionary(training, is_compared):
    state = TrainingState().with_task("dictionary")
    other = replace(state.setup, seed=1) if is_compared else None
    at = training(replace(state, other=other, step=20))
    said = [at.progress, at.notes, at.page.main.canvas.spoken()]
    at.show(TrainingView.BREAK)
    catch_up(at.window)
    said.append(at.panel_words()[1])
    assert all(said)
    assert "held" not in " ".join(said)


@pytest.fixture
def gate(monkeypatch):
    """Have each measurement of what has learned wait at a gate; yield (somebody waits there, open it)."""
    waits, is_open, measure = Event(), Event(), Trial.measure
    run_of.cache_clear()

    def gated(self, *given):
        waits.set()
        assert is_open.wait(60)
        return measure(self, *given)

    def close() -> tuple[Event, Event]:
        monkeypatch.setattr(Trial, "measure", gated)
        return waits, is_open

    yield close
    is_open.set()


def test_stopping_between_a_step_and_its_measurement_shows_a_whole_step(training, gate, qtbot):
    at = training()
    waits, is_open = gate()
    at.key(Qt.Key.Key_Space)
    qtbot.waitUntil(waits.is_set, timeout=60_000)
    at.key(Qt.Key.Key_Escape)
    step = at.training.step
    assert step < FIRST.task.every
    is_open.set()
    catch_up(at.window)
    qtbot.waitUntil(lambda: not at.page.player.jobs.is_busy(), timeout=60_000)
    assert at.training.step == step
    assert seen(at) == seen_anew(training, at.training)
