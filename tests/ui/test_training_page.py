"""The Training page: Play, scrub, ask and break, by mouse and keys on the shown window."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from people_driver import catch_up
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from training_driver import TrainingDriver

from attention_explorer.core.numerals import percent
from attention_explorer.kit.drawing.heatmap_layout import small_width
from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.kit.export.figure import encoded
from attention_explorer.kit.items.plot_marks import Curve, Handle, Points
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.session_file import read_session, session_bytes, session_from, write_session
from attention_explorer.pages.training import words
from attention_explorer.pages.training.moment import worth_at
from attention_explorer.pages.training.state import MOST_STEPS, WHOLE, Speed, TrainingState, TrainingView
from attention_explorer.pages.training.ui.pictures import FILM, FILM_OF_B, HEAD, MAP, MAP_OF_B, PLANE
from attention_explorer.pages.training.ui.views import training_figure
from attention_explorer.sources.learned.model_file import write_model
from attention_explorer.sources.learned.run import Run, run_of

FIRST = TrainingState()
FULL = replace(FIRST, speed=Speed.FULL)
MAPS, BREAK = (replace(FIRST, view=view) for view in (TrainingView.MAP, TrainingView.BREAK))
SENTENCE = "the cat sat on the mat because it was"


@pytest.fixture
def training(training):
    """Open a window whose hand waits for the picture after whatever it does."""

    def make(*shown) -> TrainingDriver:
        at = training(*shown)
        at.is_patient = True
        return at

    return make


def learned(at: TrainingDriver, qtbot) -> None:
    """Wait until Play has come to its end."""
    qtbot.waitUntil(lambda: not at.page.player.is_running, timeout=180_000)
    catch_up(at.window)


@pytest.mark.parametrize(("size", "share"), [((1024, 768), 0.3), ((1280, 800), 0.3), ((2560, 1440), 0.4)])
@pytest.mark.parametrize("view", [TrainingView.MAP, TrainingView.BREAK])
def test_the_large_map_has_the_room_and_nothing_is_cut(training, size, share, view):
    at = training(replace(FIRST.with_task("brackets"), view=view), size)
    canvas, large = at.canvas.rect().toRectF(), at.placed(MAP).layout
    assert large.cells.height() >= share * canvas.height()
    assert all(
        at.placed(f"{HEAD}{layer + 1}.{head + 1}").layout.cells.width() < large.cells.width()
        for layer, head in at.heads
    )
    look = at.canvas.picture_layout.look
    assert large.bar.right() + look.px(28) + small_width(look, "masked") <= canvas.right()
    for name in (MAP, *(name for name in at.names() if name.startswith(HEAD))):
        assert canvas.contains(at.placed(name).layout.cells)


@pytest.mark.parametrize("size", [(1024, 768), (1280, 800), (2560, 1440)])
@pytest.mark.parametrize("task", ["it", "repeat", "translation"])
def test_the_film_has_the_room_and_its_tokens_do_not_touch(training, size, task):
    at = training(replace(FIRST.with_task(task), step=8), size)
    canvas, (film, layout) = at.canvas.rect().toRectF(), (at.film, at.placed(FILM).layout)
    assert canvas.contains(layout.cells)
    assert layout.cells.width() * layout.cells.height() > 0.6 * canvas.width() * canvas.height()
    font = at.canvas.picture_layout.look.font(layout.letters)
    for column, token in enumerate(film.tokens):
        assert text_size(font, token)[0] <= layout.cell(0, column).width()


def test_a_narrow_window_that_was_lower_before_is_laid_out_as_one_that_was_not(training):
    at, high = training(FIRST, (800, 640)), training(FIRST, (800, 800))
    at.window.resize(800, 800)
    catch_up(at.window)
    assert at.canvas.height() == high.canvas.height()
    assert at.page.panel.visibleRegion().boundingRect() == high.page.panel.visibleRegion().boundingRect()


# ---- Learning ----


def test_play_finds_the_cat_and_is_one_step_of_undo(training, qtbot):
    at = training()
    assert at.shown_title().startswith("Nothing learned: “it” looks most at ")
    at.key(Qt.Key.Key_Space)
    assert at.page.main.play.text() == "Pause"
    learned(at, qtbot)
    assert at.training.step == FIRST.task.steps
    assert at.shown_title().startswith("Step 400: “it” looks at cat (")
    assert at.shown_title().endswith("Right.")
    assert "100 % right" in at.progress
    assert (at.steps, at.undo_text, at.page.main.play.text()) == (1, "Train", "Play")
    at.undo()
    assert at.training == FIRST
    assert "random numbers of seed 8" in at.notes


def test_the_title_says_no_more_than_what_was_seen(training):
    at = training(replace(FIRST, step=23))
    run = Run(FIRST.setup)
    run.advance(23)
    weights = run.at(23).ask(FIRST.sentence_shown).weights[1][0, 7]
    share = percent(float(weights[5]))
    assert at.shown_title() == f"Step 23: “it” looks at mat ({share}). Wrong: it should be cat."
    at.type_into(at.few("sentence_shown"), f"{SENTENCE} soft .")
    assert at.shown_title().endswith("Right.")
    at.show(TrainingView.MAP)
    at.click(at.small(0, 0))
    assert at.shown_title().startswith("Step 23, layer 1: “it” looks most at ")
    assert "Right" not in at.shown_title()


@pytest.mark.parametrize(
    ("speed", "seconds", "step"),
    [
        (Speed.SLOW, 3.0, 30),
        (Speed.STEADY, 2.0, 120),
        (Speed.FULL, 0.0, 400),
        (Speed.SIX_SECONDS, 0.0, 1),
        (Speed.SIX_SECONDS, 3.0, 20),
        (Speed.SIX_SECONDS, 6.0, 400),
        (Speed.SIX_SECONDS, 9.0, 400),
    ],
)
def test_play_goes_as_fast_as_it_says(speed, seconds, step):
    assert speed.step_after(seconds, 0, 400) == step


def test_six_seconds_learn_the_same_numbers_as_full_speed(training, qtbot):
    run_of.cache_clear()
    at = training()
    at.press(at.page.main.play)
    qtbot.waitUntil(lambda: at.training.step >= 24, timeout=60_000)
    at.press(at.page.main.play)
    run = Run(FIRST.setup)
    run.advance(at.training.step)
    assert np.array_equal(
        run_of(FIRST.setup).at(run.step).network.parameters.vector, run.at().network.parameters.vector
    )
    film = at.canvas.picture.moment.film
    assert (film[0][0], film[-1][0]) == (0, run.step)
    for step, answer in film:
        assert np.array_equal(answer.weights[1][0], run.at(step).ask(FIRST.sentence_shown).weights[1][0])


def test_the_film_fills_downwards(training):
    at = training(replace(FIRST, step=23))
    film, seen = at.film, len(at.film.weights)
    assert (film.steps[film.now], film.now) == ("23", seen - 1)
    assert seen < len(film.steps)
    at.hand().move(at.frame(seen, 3))
    assert at.said.startswith("Not learned yet")
    at.hand().move(at.frame(seen - 1, 5))
    assert at.said.startswith("step 23: “it” gives mat 0.")
    at.click(at.frame(0, 3))
    assert (at.training.step, at.training.learned, at.undo_text) == (0, 23, "Go to a step")
    assert (at.film.now, len(at.film.weights)) == (0, 1)


def test_the_hint_of_the_first_preset_is_true():
    run = Run(FIRST.setup)
    run.advance(FIRST.task.steps)
    seen = [run.at(step).ask(FIRST.sentence_shown) for step in range(0, FIRST.task.steps + 1, 10)]
    found = [answer.context_tokens[answer.weights[1][0][answer.places[0]].argmax()] for answer in seen]
    assert "mat" in found[: found.index("cat")]
    assert found[-1] == "cat"
    soft = run.at().ask(f"{SENTENCE} soft .")
    assert (soft.answers, soft.right) == (("mat",), ("mat",))


def test_escape_stops_and_what_was_learned_stays(training, qtbot):
    at = training(replace(FIRST, speed=Speed.STEADY))
    at.press(at.page.main.play)
    qtbot.waitUntil(lambda: at.training.step >= 3, timeout=60_000)
    at.key(Qt.Key.Key_Escape)
    assert not at.page.player.is_running
    step = at.training.step
    assert (at.steps, at.undo_text, at.said) == (1, "Train", "Space learns, Esc stops")
    catch_up(at.window)
    QTest.qWait(100)
    assert at.training.step == step < FIRST.task.steps


def test_what_is_drawn_is_what_the_network_of_that_step_computes(training):
    at = training(replace(MAPS, step=30))
    run = Run(FIRST.setup)
    run.advance(30)
    answer = run.at(30).ask(FIRST.sentence_shown)
    for layer in (0, 1):
        at.click(at.small(layer, 0))
        assert at.training.head_shown == (layer, 0)
        assert np.array_equal(at.map.values, answer.weights[layer][0])
    assert at.answers[0] == (answer.answers[0], float(answer.probabilities[0].max()))
    at.show(TrainingView.WATCH)
    assert np.array_equal(at.film.weights[-1], answer.weights[1][0][7])


def test_a_step_at_a_time(training):
    at = training()
    at.press(at.page.main.step_button)
    at.press(at.page.main.step_button)
    assert at.training.step == 2
    assert at.page.requests.shown.state.step == 2


def test_a_learning_rate_that_explodes_is_stopped_and_said(training, qtbot):
    at = training(replace(FULL, setup=replace(FIRST.setup, rate=1e9)))
    at.key(Qt.Key.Key_Space)
    learned(at, qtbot)
    assert "smaller learning rate" in at.told
    assert at.page.requests.shown.state.step == at.training.step


def test_a_person_takes_over_while_it_learns(training, qtbot):
    at = training(replace(FIRST, speed=Speed.STEADY))
    at.key(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: at.training.step >= 2, timeout=60_000)
    at.type_into(at.field("setup.seed"), "5")
    qtbot.waitUntil(lambda: not at.page.player.is_running, timeout=60_000)
    catch_up(at.window)
    assert (at.training.setup.seed, at.training.step) == (5, 0)
    assert "seed 5" in at.notes


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("seed", [2, 8])
def test_curves_of_few_points_are_drawn(training, step, seed):
    at = training(replace(FIRST, setup=replace(FIRST.setup, seed=seed), step=step))
    at.page.main.canvas.grab()  # an error in painting fails the test
    lengths = {len(curve.x) for curve in at.curves.of(Curve)}
    assert lengths == ({2} if step == 2 else set())


# ---- Going back in time ----


def test_the_line_is_dragged_back_in_time(training):
    run_of.cache_clear()  # what another test has made it learn
    at = training(replace(FIRST, step=40))
    curves = at.page.main.canvas
    at.hand(curves).drag(at.on_curves(40), at.on_curves(10))
    catch_up(at.window)
    assert abs(at.training.step - 10) <= 1
    assert (at.steps, at.undo_text) == (1, "Go to a step")
    assert f"step {at.training.step}" in at.notes
    at.hand(curves).drag(at.on_curves(at.training.step), at.on_curves(300))
    catch_up(at.window)
    assert at.training.step == 40, "as far as it has learned"
    at.hand(curves).drag(at.on_curves(40), at.on_curves(0) - QPointF(20, 0))
    catch_up(at.window)
    assert at.training.step == 0


def test_the_line_comes_to_where_the_curves_are_pressed_and_follows_from_there(training):
    at = training(replace(FIRST, step=40))
    mouse = at.hand(at.page.main.canvas)
    mouse.press(at.on_curves(10))
    assert at.training.step == 10
    mouse.move(at.on_curves(5))
    mouse.release()
    assert (at.training.step, at.steps, at.undo_text) == (5, 1, "Go to a step")


def test_a_drag_of_the_line_is_taken_back_by_escape(training):
    at = training(replace(FIRST, step=40))
    curves = at.page.main.canvas
    mouse = at.hand(curves)
    mouse.press(at.on_curves(40))
    mouse.move(at.on_curves(12))
    catch_up(at.window)
    assert abs(at.training.step - 12) <= 1
    at.key(Qt.Key.Key_Escape, widget=curves)
    mouse.release()
    assert (at.training.step, at.steps) == (40, 0)


def test_arrow_keys_walk_along_the_curves(training):
    at = training(replace(FIRST, step=20))
    at.key(Qt.Key.Key_Home)
    assert at.training.step == 0
    at.key(Qt.Key.Key_Right)
    at.key(Qt.Key.Key_Right)
    assert at.training.step == 2
    at.key(Qt.Key.Key_Plus)
    assert at.training.step == 3


@pytest.mark.parametrize("other", [None, replace(FIRST.setup, hard=True)])
def test_keys_reach_the_last_step_that_was_learned(training, other):
    at = training(replace(FIRST, step=13, other=other))  # between two measurements
    curves = at.page.main.canvas
    curves.setFocus()
    for key, step in (
        ("Home", 0),
        ("End", 13),
        ("Left", 12),
        ("Left", 11),
        ("Right", 12),
        ("Right", 13),
        ("Right", 13),
    ):
        at.key(getattr(Qt.Key, f"Key_{key}"), widget=curves)
        assert at.training.step == step
        assert [mark.x for mark in at.curves.of(Handle)] == [step or at.curves.across.low]


# ---- Asking and breaking ----


def test_a_key_is_handled_once(training, monkeypatch):
    at, calls = training(), []
    monkeypatch.setattr(at.page, "cancel", lambda: bool(calls.append("cancel")) or True)
    at.key(Qt.Key.Key_Escape)
    assert calls == ["cancel"]


def test_an_older_picture_is_said_to_be_of_its_own_step(training):
    at = training(replace(FIRST, step=10))
    said = words.cell(at.canvas.picture.moment, replace(FIRST, step=99), (1, 0), 7, 1)
    assert "at step 10;" in said


def test_the_adjective_moves_the_answer(training):
    at = training(replace(FIRST, step=FIRST.task.steps))
    assert at.answers[0][0] == "cat ✓"
    at.type_into(at.few("sentence_shown"), f"{SENTENCE} soft .")
    assert at.answers[0][0] == "mat ✓"
    title, sentence = at.panel_words()
    assert title == "At “it” it answers “mat”."
    assert sentence.startswith("That is right.")


def test_a_word_that_it_does_not_know_is_refused_and_the_picture_says_so(training):
    at = training(replace(FIRST, step=5))
    at.type_into(at.few("sentence_shown"), f"{SENTENCE} purple .")
    assert "has not learned “purple”" in at.page.requests.reason
    assert at.page.reason_against_taking
    assert at.page.note.isVisible()
    dimmed = [cover.over for cover in at.page.note.covers if cover.isVisible() and cover.window() is at.window]
    assert set(dimmed) == {at.page.canvas, at.page.title, at.page.panel.card}


def test_words_are_offered_for_the_last_one_only(training):
    at = training()
    completer = at.page.completers[TrainingView.WATCH]
    at.few("sentence_shown").setText("the ca")
    completer.setCompletionPrefix("ca")
    assert [completer.pathFromIndex(completer.completionModel().index(0, 0))] == ["the cat"]


def worth(at: TrainingDriver) -> dict[tuple[int, int], str]:
    """What stands below each small map."""
    return {head: at.item(f"{HEAD}{head[0] + 1}.{head[1] + 1}").words for head in at.heads}


def test_what_heads_are_worth_is_right_where_undo_goes_back_to_what_was_measured_too_late(training):
    at = training(replace(BREAK, step=1))
    catch_up(at.window)
    session, page = at.window.session, at.page
    for layers in (3, 1):
        setup = replace(page.state.setup, layers=layers)
        session.apply(replace(session.state, training=replace(page.state, setup=setup)), f"{layers} layers")

    def undo_when_late(request):
        if request.state.setup.layers == 3 and page.state.setup.layers == 1:
            session.undo()

    page.requests.jobs.finished.connect(undo_when_late)
    catch_up(at.window)
    session.undo()
    catch_up(at.window)
    known = worth_at(page.state.setup, 1, WHOLE)
    assert sorted(at.heads) == sorted(known.alone)
    for head, said in worth(at).items():
        assert said.endswith(f"{percent(known.whole)} → {percent(known.alone[head])}")


def test_a_head_is_broken_and_what_it_was_worth_is_measured(training):
    at = training(replace(BREAK, step=80))
    model = Run(FIRST.setup)
    model.advance(80)
    at.click(at.small(1, 0))
    assert (at.training.off, at.undo_text) == ({(1, 0)}, "Switch layer 2 off")
    found = at.canvas.picture.worth
    assert found.alone[1, 0] == model.at(80).without([(1, 0)]).measured().accuracy
    assert found.together == found.alone[1, 0]
    assert found.whole == model.at(80).measured().accuracy
    assert worth(at)[1, 0] == f"off: {percent(found.whole)} → {percent(found.alone[1, 0])}"
    assert f"With 1 head off: {percent(found.together)} right" in at.panel_words()[1]
    assert "switched off" in at.shown_title()
    said = at.page.panel.items.spoken()
    assert f"right, as it is {percent(found.together)}; right, if whole {percent(found.whole)}" in said
    at.undo()
    assert not at.training.off


def test_a_head_is_put_back_to_what_it_was_drawn_as(training):
    at = training(replace(BREAK, step=80))
    model = Run(FIRST.setup)
    model.advance(80)
    for _ in range(2):
        at.click(at.small(1, 0))
    assert (at.training.off, at.training.drawn, at.undo_text) == (set(), {(1, 0)}, "Put layer 2 back as drawn")
    drawn = model.at(80).forgotten([(1, 0)])
    assert np.array_equal(at.map.values, drawn.ask(FIRST.sentence_shown).weights[1][0])
    found = at.canvas.picture.worth
    assert found.together == found.alone[1, 0] == drawn.measured().accuracy
    assert "as drawn" in worth(at)[1, 0]
    at.click(at.small(1, 0))
    assert (at.training, at.undo_text) == (replace(BREAK, step=80), "Switch layer 2 on")


def test_a_head_is_switched_by_keys_alone(training):
    at = training(replace(BREAK.with_task("brackets"), step=2))
    at.canvas.setFocus()
    at.key(Qt.Key.Key_Down)
    column = at.chosen[1]
    for _ in range(column + 1):  # beyond the first column of the large map there are the small ones
        at.key(Qt.Key.Key_Left)
    assert at.said.startswith("layer 2, head 2: ") or at.said.startswith("layer 1, head 1: ")
    at.key(Qt.Key.Key_Return)
    assert len(at.training.off) == 1


def test_a_cell_is_hidden_from_attention(training):
    at = training(replace(BREAK, step=80))
    before = at.map.values
    assert before[7].argmax() == 1
    at.click(at.cell(7, 1))
    assert (at.training.hidden, at.training.row, at.undo_text) == ({(7, 1)}, -1, "Hide a cell")
    assert at.map.masked[7, 1]
    assert at.map.values[7, 1] == 0.0
    assert at.map.values[7].sum() == pytest.approx(1.0, abs=1e-6)
    found = at.canvas.picture.worth
    assert found.together < found.whole
    assert "1 cell hidden" in at.panel_words()[1]
    at.show(TrainingView.WATCH)
    assert at.film.masked.tolist() == [key == 1 for key in range(11)]
    at.show(TrainingView.BREAK)
    at.click(at.cell(7, 1))
    assert np.array_equal(at.map.values, before)


@pytest.mark.parametrize("key", [Qt.Key.Key_H, Qt.Key.Key_Delete])
def test_a_cell_is_chosen_and_hidden_by_keys_alone(training, key):
    at = training(replace(MAPS, step=80))
    at.page.canvas.setFocus()
    for pressed in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Down):
        at.key(pressed)
    assert at.chosen == (7, 1)  # from the largest weight of the framed row, up and down again
    assert "layer 2: “it” attends to “cat” with 0.9" in at.page.canvas.spoken()
    at.key(Qt.Key.Key_Left)
    assert "“it” attends to “the”" in at.said
    at.key(Qt.Key.Key_Right)
    at.key(key)
    assert (at.training.hidden, at.training.step, at.undo_text) == ({(7, 1)}, 80, "Hide a cell")
    assert "“it” may not look at “cat”: it is hidden. H shows it again" in at.page.canvas.spoken()
    at.key(key)
    assert (at.training.hidden, at.undo_text) == (frozenset(), "Show a cell")
    at.key(Qt.Key.Key_Up)
    at.key(Qt.Key.Key_Return)
    assert at.training.row == 6
    catch_up(at.window)
    at.key(Qt.Key.Key_Escape)
    assert at.chosen is None
    assert "Its largest weights" in at.page.canvas.spoken()
    at.key(Qt.Key.Key_Left)
    assert at.training.step < 80  # along the curves again


def test_escape_stops_learning_first_and_then_lets_go_of_the_cell(training, qtbot):
    at = training(replace(MAPS, speed=Speed.SLOW))
    at.page.canvas.setFocus()
    at.key(Qt.Key.Key_Down)
    at.key(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: at.training.step >= 1, timeout=60_000)
    chosen = at.chosen
    at.key(Qt.Key.Key_Escape)
    assert not at.page.player.is_running
    assert at.chosen == chosen is not None
    catch_up(at.window)
    at.key(Qt.Key.Key_Escape)
    assert at.chosen is None


def test_the_last_key_of_a_query_cannot_be_hidden(training):
    hidden = frozenset((7, key) for key in range(11) if key != 1)
    at = training(replace(BREAK, step=8, hidden=hidden))
    at.canvas.setFocus()
    at.click(at.cell(7, 1))
    assert "must have a key left" in at.told
    assert at.training.hidden == hidden


def test_the_heads_that_it_needs_are_said(training, qtbot):
    at = training(replace(BREAK, step=80))
    at.press(at.page.needed_button)
    qtbot.waitUntil(lambda: "fewest heads" in at.told or "No head is needed" in at.told, timeout=60_000)


def test_a_cell_pointed_at_is_forgotten_with_its_map(training):
    at = training(MAPS)
    at.load("brackets")
    rows, columns = at.map.cells
    at.hand().move(at.cell(rows - 1, columns - 1))
    at.undo()  # by its key: the pointer stays
    catch_up(at.window)
    assert at.map.cells < (rows, columns)
    at.canvas.grab()  # an error in painting fails the test
    part = at.chosen
    assert part is None or (part[0] < at.map.cells[0] and part[1] < at.map.cells[1])


def test_wider_letters_leave_the_cells_less_room_at_once(training):
    at = training(MAPS)
    widths = []
    for task in ("reverse", "die", "reverse"):  # as many letters, but only one of them has an m
        at.load(task)
        widths.append(at.placed(MAP).layout.cells.width())
    assert widths[0] == widths[2]


def test_pointing_at_the_picture_of_what_learned_before_says_of_which_step_it_is(training):
    at = training(replace(MAPS, step=3))
    at.page.requests.jobs.cancel()
    at.window.session.preview(
        ExplorerState(training=replace(MAPS, setup=replace(FIRST.setup, layers=4), layer=3)), "Change the layers"
    )
    at.hand().move(at.cell(2, 5))
    assert "layer 2: “sat” attends to “mat”" in at.said
    assert "at step 3;" in at.said
    at.window.session.revert()


def test_a_picture_of_fewer_layers_can_be_withheld_and_shown_while_more_are_to_learn(training):
    at = training(MAPS)
    at.page.requests.jobs.cancel()
    more = replace(MAPS, setup=replace(FIRST.setup, layers=4, seed=78), layer=3)  # which no other test has computed
    at.window.session.preview(ExplorerState(training=more), "Change the layers")
    assert at.page.withhold("A question is open.")  # as a lesson does that is left
    assert not re.search(r"\d\.\d\d", at.page.canvas.spoken())
    assert not at.page.main.isVisible()
    assert at.page.withhold("")
    assert at.page.main.isVisible()
    at.window.session.revert()


def test_a_row_is_followed_when_it_is_clicked(training):
    at = training(replace(MAPS, step=10))
    at.hand().move(at.cell(2, 5))
    assert "attends to" in at.said
    at.click(at.cell(2, 5))
    assert at.training.row == 2
    assert "“sat”" in at.shown_title()
    at.show(TrainingView.WATCH)
    assert at.film.asking == 2


# ---- Two runs ----


def test_a_run_is_kept_as_b_and_a_hard_one_compared_with_it(training):
    at = training(replace(MAPS, step=40))
    assert MAP_OF_B not in at.names()
    at.press(at.field("is_compared"))
    assert (at.training.other, at.undo_text) == (FIRST.setup, "Compare two runs")
    swap = next(each for each in at.page.swaps if each.isVisible())
    assert not swap.isEnabled()
    assert "same so far" in swap.toolTip()
    at.choose(at.field("setup.hard"), True)
    at.press(at.page.main.step_button)
    soft, hard = Run(FIRST.setup), Run(replace(FIRST.setup, hard=True))
    for run, name, view in ((hard, MAP, FILM), (soft, MAP_OF_B, FILM_OF_B)):
        run.advance(1)
        at.show(TrainingView.MAP)
        wanted = run.at(1).ask(FIRST.sentence_shown).weights[1][0]
        assert np.array_equal(at.item(name).picture.values, wanted)
        at.show(TrainingView.WATCH)
        assert np.array_equal(at.item(view).weights[-1], wanted[7])
    said = {name: at.item(name).text for name in at.names() if name.startswith("Attention")}
    assert (said["Attention, which run"], said["Attention of B, which run"]) == ("A: hard", "B: soft")
    assert soft.at(1).ask(FIRST.sentence_shown).answers[0] in said["Attention of B, its answer"]


def test_both_learn_while_play_runs_and_both_have_their_curves(training, qtbot):
    run_of.cache_clear()
    other = replace(FIRST.setup, scaled=False)
    at = training(replace(FULL, other=other))
    at.key(Qt.Key.Key_Space)
    learned(at, qtbot)
    assert run_of(other).step == run_of(FIRST.setup).step == FIRST.task.steps
    drawn = [curve.y for curve in at.curves.of(Curve) if curve.ink == "value"]
    assert np.array_equal(drawn[0], 100 * run_of(other).curve().accuracy)
    assert np.array_equal(drawn[1], 100 * run_of(FIRST.setup).curve().accuracy)
    at.key(Qt.Key.Key_Home)
    assert at.canvas.picture.moment.other.answer.weights[0].shape == (1, 11, 11)
    assert at.training.step == at.page.requests.shown.state.step == 0


def test_a_and_b_change_places_and_b_is_dropped(training):
    at = training(replace(MAPS, step=2, other=replace(FIRST.setup, seed=3)))
    at.hand().move(at.cell(2, 5, MAP_OF_B))
    assert at.said.startswith("B, layer 2: “sat” attends to “mat”")
    at.press(next(each for each in at.page.swaps if each.isVisible()))
    assert (at.training.setup.seed, at.training.other, at.training.step) == (3, FIRST.setup, 2)
    at.press(at.field("is_compared"))
    assert (at.training.other, at.undo_text) == (None, "Drop B")
    assert MAP_OF_B not in at.names()
    at.undo()
    assert at.training.other == FIRST.setup


@pytest.mark.parametrize(("view", "name"), [(TrainingView.WATCH, FILM_OF_B), (TrainingView.MAP, MAP_OF_B)])
def test_b_that_explodes_is_said_and_a_goes_on(training, view, name):
    at = training(replace(FIRST, step=5, other=replace(FIRST.setup, rate=1e9), view=view))
    assert "smaller learning rate" in at.item(name).text
    assert at.page.requests.shown.state.step == 5


def test_two_maps_are_equally_large(training):
    at = training(replace(MAPS, step=8, other=replace(FIRST.setup, hard=True)), (1024, 768))
    first, second = at.placed(MAP).layout, at.placed(MAP_OF_B).layout
    assert (first.cells.size(), first.cells.top()) == (second.cells.size(), second.cells.top())
    assert first.row_labels.step == 1, "each word is there"
    assert first.cells.width() > 0.2 * at.page.canvas.width()


def test_another_task_lets_go_of_b(training):
    at = training(replace(FIRST, other=replace(FIRST.setup, seed=3)))
    at.load("it-hard")
    assert at.training.other == replace(FIRST.setup, seed=3)
    at.load("die")
    assert at.training.other is None


def test_b_is_taken_away_too():
    state = replace(FIRST, step=4, other=replace(FIRST.setup, seed=3))
    run = Run(state.other)
    run.advance(4)
    arrays = training_figure(state).numbers().arrays
    assert np.array_equal(arrays["b_weights_layer_2"], run.at(4).ask(FIRST.sentence_shown).weights[1])
    assert "B: seed 3" in encoded(training_figure(state), ".svg").decode()


# ---- Sizes ----


def test_sizes_that_do_not_go_together_are_refused_and_the_field_is_put_back(training):
    at = training()
    at.type_into(at.field("setup.heads"), "5")
    assert "cannot be shared equally by 5 heads" in at.told
    assert at.training == FIRST
    assert at.field("setup.heads").text() == "1"


@pytest.mark.parametrize("name", ["scaled", "positions", "residual"])
def test_a_switch_changes_what_learns(training, name):
    at = training()
    at.press(at.field(f"setup.{name}"))
    assert getattr(at.training.setup, name) is False
    assert at.undo_text.startswith("Switch the")
    at.choose(at.field("setup.hard"), True)
    assert at.training.setup.hard


def test_what_the_task_decides_is_greyed_and_says_why(training):
    at = training()
    length = at.field("setup.length")
    assert length.isVisible()
    assert not length.isEnabled()
    assert "decides this" in length.toolTip()
    at.load("reverse")
    assert at.field("setup.length").isEnabled()


def test_another_task_is_chosen_and_every_head_has_a_map(training):
    at = training(BREAK)
    at.load("brackets")
    assert at.training.setup.task == "brackets"
    assert (at.training.view, at.training.speed) == (TrainingView.BREAK, FIRST.speed)
    assert sorted(at.heads) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert at.map.masked[0, 1], "causal"


def test_the_plane_shows_where_the_points_stand(training):
    at = training()
    at.load("dictionary")
    plane = at.placed(PLANE)
    parameters = run_of(at.training.setup).at(0).network.parameters
    for points, name in zip(plane.item.of(Points), ("q", "k"), strict=True):
        assert np.array_equal(np.column_stack([points.x, points.y]), parameters[name])
    assert plane.layout.plot.width() == plane.layout.plot.height()
    at.hand().move(plane.layout.place(*parameters["k"][2]))
    assert at.said.startswith("key 3 at (")


# ---- Coming back, and taking away ----


def test_a_state_is_learned_again_when_it_comes_back(training):
    step, at = 24, training()
    run_of.cache_clear()
    at.window.session._restore(ExplorerState(training=replace(FIRST, step=step)))
    catch_up(at.window)
    assert at.page.requests.shown.state.step == step
    assert f"step {step}, seed 8" in at.notes


def test_numbers_and_pictures_are_taken_away():
    figure = training_figure(replace(FIRST, step=12))
    rows = list(csv.reader(io.StringIO(encoded(figure, ".csv").decode())))
    assert rows[0] == ["layer", "head", "query", "key", "weight"]
    first = [float(row[4]) for row in rows[1:12]]
    assert sum(first) == pytest.approx(1.0, abs=1e-6)
    assert first == figure.picture.moment.answer.weights[0][0, 0].tolist()
    assert figure.file_stem == "training-it-step-12"
    drawing = encoded(figure, ".svg").decode()
    assert "learned here" in drawing.casefold()
    assert "step 12" in drawing
    assert "loss, nats" in drawing, "the curves are in the figure"


def test_play_goes_no_further_than_the_last_step(training):
    at = training(replace(FIRST, step=3))
    at.window.session._restore(ExplorerState(training=replace(FIRST, step=MOST_STEPS)))
    at.page.cancel()
    at.page.player.start()
    assert not at.page.player.is_running


# ---- Sessions ----


def test_weights_beside_a_session_are_shown_until_play_learns_them_again(training, tmp_path):
    state = replace(FIRST, setup=replace(FIRST.setup, seed=4711), step=12)
    run = Run(state.setup)
    run.advance(12)
    write_model(tmp_path / "a.npz", run.at())
    write_session(tmp_path / "a.attn.json", ExplorerState(training=state))
    at = training(read_session(tmp_path / "a.attn.json").state.training)
    assert np.array_equal(at.film.weights[-1], run.at().ask(state.sentence_shown).weights[1][0][7])
    assert at.film.steps == ("0", "12")
    assert run_of(state.setup).step == 0
    assert "weights from “a.npz”" in at.notes
    assert "12 steps · weights from a file" in at.progress
    at.press(at.page.main.step_button)
    assert (at.training.step, run_of(state.setup).step) == (13, 13)
    assert at.progress.startswith("13 steps · ")
    assert "Learned here" in at.notes


def test_a_sentence_of_another_version_stays_and_the_picture_says_what_is_unknown(training):
    state = replace(FIRST, step=3, sentence="the zebra sat on the mat because it was tired .")
    document = session_bytes(ExplorerState(training=state))
    at = training(session_from(document, "a.attn.json").state.training)
    assert "zebra" in at.page.requests.reason
    assert at.few("sentence_shown").text() == state.sentence
    assert session_bytes(at.window.session.state) == document
