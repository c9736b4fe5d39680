"""The Training page: Play, scrub, ask and break, by mouse and keys on the shown window."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pyqtgraph
import pytest
from people_driver import catch_up, in_window
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox
from training_driver import TrainingDriver

from attention_explorer.core.numerals import percent
from attention_explorer.kit.drawing.heatmap_layout import bar_in, small_width
from attention_explorer.kit.export.figure import encoded
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.session_file import read_session, session_bytes, session_from, write_session
from attention_explorer.pages.training import words
from attention_explorer.pages.training.moment import worth_at
from attention_explorer.pages.training.state import MOST_STEPS, Speed, TrainingState
from attention_explorer.pages.training.ui.figure import training_figure
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.learned.model_file import write_model
from attention_explorer.sources.learned.run import Run, run_of

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

FIRST = TrainingState()
SENTENCE = "the cat sat on the mat because it was"


def learned(at: TrainingDriver, qtbot) -> None:
    """Wait until Play has come to its end."""
    qtbot.waitUntil(lambda: not at.page.player.is_running, timeout=180_000)
    catch_up(at.window)


def middle(item) -> QPointF:
    return item.box.center()


def cell(at: TrainingDriver, row: int, column: int) -> QPointF:
    return at.page.scene.large.layout.rectangle(row, column).center()


# ---- Room ----


@pytest.mark.parametrize(("size", "share"), [((1024, 768), 0.75), ((1280, 800), 0.75), ((2560, 1440), 0.8)])
def test_the_large_map_has_the_room_and_nothing_is_cut(make_window, size, share):
    state = FIRST.with_task("brackets")
    window = make_window(ExplorerState(training=state), Settings(theme=ThemeChoice.LIGHT, page="training"), size)
    catch_up(window)
    page, look = window.page, window.page.look
    canvas = page.canvas.viewport().rect().toRectF()
    assert page.scene.large.layout.cells.height() >= share * canvas.height()
    assert max(item.box.width() for item in page.scene.small.values()) < page.scene.large.box.width() / 2
    bar = page.scene.bar
    sample = bar_in(bar.picture, look, bar.box).right() + look.px(40)  # where the word begins that stands beside it
    assert sample + small_width(look, "masked") <= bar.box.right() + 1 < canvas.right() - 4
    for item in (page.scene.large, bar, page.scene.strips):
        assert canvas.contains(item.box)
    assert page.legend.height() < 1.5 * page.play.height()  # two lines at most


# ---- Learning ----


def test_play_finds_the_cat_and_is_one_step_of_undo(training, qtbot):
    at = training()
    assert "random numbers" in at.page.origin.text()
    at.key(Qt.Key.Key_Space)
    assert at.page.play.text() == "Pause"
    learned(at, qtbot)
    assert at.training.step == FIRST.task.steps
    assert at.page.heading.text().startswith("Layer 2: “it” looks at “cat”")
    assert "100 % right" in at.page.progress.text()
    assert (at.steps, at.undo_text, at.page.play.text()) == (1, "Train", "Play")
    at.undo()
    catch_up(at.window)
    assert at.training == FIRST
    assert "random numbers" in at.page.origin.text()


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
    at.press(at.page.play)
    qtbot.waitUntil(lambda: at.training.step >= 3, timeout=60_000)
    at.key(Qt.Key.Key_Escape)
    assert not at.page.player.is_running
    step = at.training.step
    assert (at.steps, at.undo_text) == (1, "Train")
    catch_up(at.window)
    QTest.qWait(100)
    assert at.training.step == step < FIRST.task.steps


def test_what_is_drawn_is_what_the_network_of_that_step_computes(training):
    at = training(replace(FIRST, step=30))
    run = Run(FIRST.setup)
    run.advance(30)
    answer = run.at(30).ask(FIRST.sentence_shown)
    for layer in (0, 1):
        at.click(middle(at.page.scene.small[layer, 0]), at.canvas.viewport())
        catch_up(at.window)
        assert at.training.head_shown == (layer, 0)
        assert np.array_equal(at.page.scene.large.picture.values, answer.weights[layer][0])
    told = at.page.panel.ask.bars.told
    assert told[0][:2] == (answer.answers[0], float(answer.probabilities[0].max()))


def test_a_step_at_a_time(training):
    at = training()
    at.press(at.page.step_button)
    at.press(at.page.step_button)
    catch_up(at.window)
    assert at.training.step == 2
    assert at.page.requests.shown.step == 2


def test_a_learning_rate_that_explodes_is_stopped_and_said(training, qtbot):
    at = training(replace(FIRST, setup=replace(FIRST.setup, rate=1e9)))
    at.key(Qt.Key.Key_Space)
    learned(at, qtbot)
    assert "smaller learning rate" in at.told
    assert at.page.requests.shown.step == at.training.step


def test_a_person_takes_over_while_it_learns(training, qtbot):
    at = training(replace(FIRST, speed=Speed.STEADY))
    at.key(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: at.training.step >= 2, timeout=60_000)
    at.type_into(at.page.form.controls["seed"], "5")
    qtbot.waitUntil(lambda: not at.page.player.is_running, timeout=60_000)
    catch_up(at.window)
    assert (at.training.setup.seed, at.training.step) == (5, 0)
    assert "seed 5" in at.page.origin.text()


# ---- Going back in time ----


def test_the_line_is_dragged_back_in_time(training, monkeypatch):
    run_of.cache_clear()  # what another test has made it learn
    monkeypatch.setitem(pyqtgraph.CONFIG_OPTIONS, "mouseRateLimit", -1)  # every move of the mouse counts
    at = training(replace(FIRST, step=40))
    chart = at.page.chart
    box = chart.plotItem.vb

    def place(step: float) -> QPointF:
        return QPointF(chart.mapFromScene(box.mapViewToScene(QPointF(step, 50.0))))

    at.hand(chart.viewport()).drag(place(40), place(10))
    catch_up(at.window)
    assert abs(at.training.step - 10) <= 1
    assert (at.steps, at.undo_text) == (1, "Go to a step")
    assert f"step {at.training.step}" in at.page.origin.text()
    at.hand(chart.viewport()).drag(place(at.training.step), place(300))
    catch_up(at.window)
    assert at.training.step == 40, "as far as it has learned"


def test_arrow_keys_walk_along_the_curves(training):
    at = training(replace(FIRST, step=20))
    at.key(Qt.Key.Key_Home)
    catch_up(at.window)
    assert at.training.step == 0
    at.key(Qt.Key.Key_Right)
    at.key(Qt.Key.Key_Right)
    catch_up(at.window)
    assert at.training.step == 2


@pytest.mark.parametrize("other", [None, replace(FIRST.setup, hard=True)])
def test_keys_reach_the_last_step_that_was_learned(training, other):
    at = training(replace(FIRST, step=13, other=other))  # between two measurements
    chart = at.page.chart
    chart.setFocus()
    for key, step in (
        ("Home", 0),
        ("End", 13),
        ("Left", 12),
        ("Left", 11),
        ("Right", 12),
        ("Right", 13),
        ("Right", 13),
    ):
        at.key(getattr(Qt.Key, f"Key_{key}"), widget=chart)
        catch_up(at.window)
        assert (at.training.step, chart.line.value()) == (step, step)


# ---- Asking and breaking ----


def test_a_key_is_handled_once(training, monkeypatch):
    at, calls = training(), []
    monkeypatch.setattr(at.page, "cancel", lambda: bool(calls.append("cancel")) or True)
    at.key(Qt.Key.Key_Escape)
    assert calls == ["cancel"]


def test_an_older_picture_is_said_to_be_of_its_own_step(training):
    at = training(replace(FIRST, step=10))
    said = words.cell(at.page.scene.moment, replace(FIRST, step=99), (1, 0), 7, 1)
    assert "at step 10;" in said


def test_the_adjective_moves_the_answer(training):
    at = training(replace(FIRST, step=FIRST.task.steps))
    assert at.page.panel.ask.bars.told[0][0] == "cat"
    at.type_into(at.page.panel.ask.line, f"{SENTENCE} soft .")
    catch_up(at.window)
    assert at.page.panel.ask.bars.told[0][0] == "mat"
    assert "which is right" in at.page.panel.ask.said.text()


def test_a_word_that_it_does_not_know_is_refused_and_the_picture_says_so(training):
    at = training(replace(FIRST, step=5))
    at.type_into(at.page.panel.ask.line, f"{SENTENCE} purple .")
    catch_up(at.window)
    assert "has not learned “purple”" in at.page.requests.reason
    assert at.page.reason_against_taking
    assert at.page.note.isVisible()
    dimmed = [cover.over for cover in at.page.note.covers if cover.isVisible() and cover.window() is at.window]
    assert dimmed == [at.page.canvas, at.page.heading]


def test_words_are_offered_for_the_last_one_only(training):
    at = training()
    completer = at.page.panel.ask.completer
    at.page.panel.ask.line.setText("the ca")
    completer.setCompletionPrefix("ca")
    assert [completer.pathFromIndex(completer.completionModel().index(0, 0))] == ["the cat"]


def test_what_heads_are_worth_is_right_where_undo_goes_back_to_what_was_measured_too_late(training):
    at = training(replace(FIRST, step=1))
    catch_up(at.window)
    session, page = at.window.session, at.page
    for layers in (3, 1):
        setup = replace(page.state.setup, layers=layers)
        session.apply(replace(session.state, training=replace(page.state, setup=setup)), f"{layers} layers")

    def undo_when_late(request):
        if request[0].layers == 3 and page.state.setup.layers == 1:
            session.undo()

    page.worths.jobs.finished.connect(undo_when_late)
    catch_up(at.window)
    assert page.state.setup.layers == 3
    known = worth_at(page.state.setup, 1, frozenset(), frozenset(), frozenset())
    for head, box in page.panel.break_it.boxes.items():
        assert box.text().endswith(f"{percent(known.whole)} → {percent(known.alone[head])}")


def test_a_head_is_broken_and_what_it_was_worth_is_measured(training):
    at = training(replace(FIRST, step=80))
    model = Run(FIRST.setup)
    model.advance(80)
    box = at.page.panel.break_it.boxes[1, 0]
    at.press(box)
    catch_up(at.window)
    assert at.training.off == {(1, 0)}
    assert at.page.worth.alone[1, 0] == model.at(80).without([(1, 0)]).measured().accuracy
    assert at.page.worth.together == at.page.worth.alone[1, 0]
    assert at.page.worth.whole == model.at(80).measured().accuracy
    assert "off" in at.page.heading.text()
    at.undo()
    assert not at.training.off


def test_no_button_moves_when_learning_ends_and_what_heads_are_worth_is_known(training, qtbot):
    at = training()
    panel = at.page.panel
    at.press(at.page.play)
    qtbot.waitUntil(lambda: at.training.step > 20)
    learning = in_window(panel.take.block_button)
    learned(at, qtbot)
    assert all("→" in box.text() for box in panel.break_it.boxes.values())
    assert in_window(panel.take.block_button) == learning


def test_a_head_is_put_back_to_what_it_was_drawn_as(training):
    at = training(replace(FIRST, step=80))
    model = Run(FIRST.setup)
    model.advance(80)
    box = at.page.panel.break_it.boxes[1, 0]
    at.press(box)
    at.press(box)
    catch_up(at.window)
    assert (at.training.off, at.training.drawn, at.undo_text) == (set(), {(1, 0)}, "Put layer 2 back as drawn")
    drawn = model.at(80).forgotten([(1, 0)])
    assert np.array_equal(at.page.scene.large.picture.values, drawn.ask(FIRST.sentence_shown).weights[1][0])
    assert at.page.worth.together == at.page.worth.alone[1, 0] == drawn.measured().accuracy
    assert "as drawn" in box.text()
    at.press(box)
    catch_up(at.window)
    assert at.training == replace(FIRST, step=80)


@pytest.mark.parametrize("by", ["shift", "button"])
def test_a_cell_is_hidden_from_attention(training, by):
    at = training(replace(FIRST, step=80))
    if by == "button":
        at.press(at.page.panel.break_it.hide_cells)
    before = at.page.scene.large.picture.values
    assert before[7].argmax() == 1
    shift = Qt.KeyboardModifier.ShiftModifier if by == "shift" else Qt.KeyboardModifier.NoModifier
    at.click(cell(at, 7, 1), at.canvas.viewport(), shift)
    catch_up(at.window)
    assert (at.training.hidden, at.training.row, at.undo_text) == ({(7, 1)}, -1, "Hide a cell")
    picture = at.page.scene.large.picture
    assert picture.masked[7, 1]
    assert picture.values[7, 1] == 0.0
    assert picture.values[7].sum() == pytest.approx(1.0, abs=1e-6)
    assert at.page.scene.strips.masked.tolist() == [key == 1 for key in range(11)]
    assert at.page.worth.together < at.page.worth.whole
    assert "1 cell hidden" in at.page.panel.break_it.said.text()
    at.click(cell(at, 7, 1), at.canvas.viewport(), shift)
    catch_up(at.window)
    assert np.array_equal(at.page.scene.large.picture.values, before)


@pytest.mark.parametrize("key", [Qt.Key.Key_H, Qt.Key.Key_Delete])
def test_a_cell_is_chosen_and_hidden_by_keys_alone(training, key):
    at = training(replace(FIRST, step=80))
    at.page.canvas.setFocus()
    for pressed in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Down):
        at.key(pressed)
    assert at.page.scene.large.chosen == (7, 1)  # from the largest weight of the framed row, up and down again
    assert at.page.canvas.spoken().startswith("layer 2: “it” attends to “cat” with 0.9")
    at.key(Qt.Key.Key_Left)
    at.key(Qt.Key.Key_Left)
    assert "“it” attends to “the”" in at.said
    at.key(Qt.Key.Key_Right)
    at.key(key)
    catch_up(at.window)
    assert (at.training.hidden, at.training.step, at.undo_text) == ({(7, 1)}, 80, "Hide a cell")
    assert at.page.canvas.spoken().startswith("“it” may not look at “cat”: it is hidden. H shows it again")
    at.key(key)
    catch_up(at.window)
    assert (at.training.hidden, at.undo_text) == (frozenset(), "Show a cell")
    at.key(Qt.Key.Key_Up)
    at.key(Qt.Key.Key_Return)
    assert at.training.row == 6
    at.key(Qt.Key.Key_Escape)
    assert at.page.scene.large.chosen is None
    assert "Its largest weights" in at.page.canvas.spoken()
    at.key(Qt.Key.Key_Left)
    assert at.training.step < 80  # along the curves again


def test_escape_stops_learning_first_and_then_lets_go_of_the_cell(training, qtbot):
    at = training(replace(FIRST, speed=Speed.SLOW))
    at.page.canvas.setFocus()
    at.key(Qt.Key.Key_Down)
    at.key(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: at.training.step >= 1, timeout=60_000)
    chosen = at.page.scene.large.chosen
    at.key(Qt.Key.Key_Escape)
    assert not at.page.player.is_running
    assert at.page.scene.large.chosen == chosen is not None
    catch_up(at.window)
    at.key(Qt.Key.Key_Escape)
    assert at.page.scene.large.chosen is None


def test_the_last_key_of_a_query_cannot_be_hidden(training):
    hidden = frozenset((7, key) for key in range(11) if key != 1)
    at = training(replace(FIRST, step=8, hidden=hidden))
    at.click(cell(at, 7, 1), at.canvas.viewport(), Qt.KeyboardModifier.ShiftModifier)
    assert "must have a key left" in at.told
    assert at.training.hidden == hidden


def test_the_heads_that_it_needs_are_said(training, qtbot):
    at = training(replace(FIRST, step=80))
    at.press(at.page.panel.break_it.needed_button)
    qtbot.waitUntil(lambda: "fewest heads" in at.told or "No head is needed" in at.told, timeout=60_000)


def test_a_cell_pointed_at_is_forgotten_with_its_map(training):
    at = training()
    at.choose(at.page.presets, "brackets")
    catch_up(at.window)
    rows, columns = at.page.scene.large.picture.cells
    at.hand(at.canvas.viewport()).move(cell(at, rows - 1, columns - 1))
    at.undo()  # by its key: the pointer stays
    catch_up(at.window)
    assert at.page.scene.large.picture.cells < (rows, columns)
    at.canvas.grab()  # an error in painting fails the test
    assert at.page.scene.large.lit is None


def test_wider_letters_leave_the_cells_less_room_at_once(training):
    at = training()
    widths = []
    for task in ("reverse", "die", "reverse"):  # as many letters, but only one of them has an m
        at.choose(at.page.presets, task)
        catch_up(at.window)
        widths.append(at.page.scene.large.layout.cells.width())
    assert widths[1] < widths[0] == widths[2]


def test_pointing_at_the_picture_of_what_learned_before_says_nothing_of_it(training):
    at = training()
    at.page.requests.jobs.cancel()
    at.window.session.preview(
        ExplorerState(training=replace(FIRST, setup=replace(FIRST.setup, layers=4), layer=3)), "Change the layers"
    )
    at.hand(at.canvas.viewport()).move(cell(at, 2, 5))
    assert "attends to" not in at.said or "layer 4" in at.said
    at.window.session.revert()


def test_a_picture_of_fewer_layers_can_be_withheld_and_shown_while_more_are_to_learn(training):
    at = training()
    at.page.requests.jobs.cancel()
    more = replace(FIRST, setup=replace(FIRST.setup, layers=4, seed=78), layer=3)  # which no other test has computed
    at.window.session.preview(ExplorerState(training=more), "Change the layers")
    for said in ("A question is open.", ""):  # as a lesson does that is left
        assert at.page.withhold(said)
        assert at.page.canvas.spoken() == ""
    at.window.session.revert()


def test_a_row_is_followed_when_it_is_clicked(training):
    at = training(replace(FIRST, step=10))
    at.hand(at.canvas.viewport()).move(cell(at, 2, 5))
    assert "attends to" in at.said
    at.click(cell(at, 2, 5), at.canvas.viewport())
    assert at.training.row == 2
    assert "“sat”" in at.page.heading.text()


# ---- Two runs ----


def test_a_run_is_kept_as_b_and_a_hard_one_compared_with_it(training):
    at = training(replace(FIRST, step=40))
    assert not at.page.scene.other.isVisible()
    at.press(at.page.others.keep)
    catch_up(at.window)
    assert (at.training.other, at.undo_text) == (FIRST.setup, "Compare two runs")
    assert not at.page.others.swap.isEnabled()
    assert "same so far" in at.page.others.swap.toolTip()
    at.press(at.page.form.controls["hard"].buttons[True])
    at.press(at.page.step_button)
    catch_up(at.window)
    soft, hard = Run(FIRST.setup), Run(replace(FIRST.setup, hard=True))
    for run, item in ((hard, at.page.scene.large), (soft, at.page.scene.other)):
        run.advance(1)
        assert np.array_equal(item.picture.values, run.at(1).ask(FIRST.sentence_shown).weights[1][0])
    said = [item.caption for item in at.page.scene.captions]
    assert [title for title, _ in said] == ["A: hard", "B: soft"]
    assert soft.at(1).ask(FIRST.sentence_shown).answers[0] in said[1][1]
    assert not at.page.scene.strips.isVisible()


def test_both_learn_while_play_runs_and_both_have_their_curves(training, qtbot):
    run_of.cache_clear()
    other = replace(FIRST.setup, scaled=False)
    at = training(replace(FIRST, other=other))
    at.key(Qt.Key.Key_Space)
    learned(at, qtbot)
    assert run_of(other).step == run_of(FIRST.setup).step == FIRST.task.steps
    drawn = {curve.name: curve for curve, _ in at.page.chart._curves}
    assert np.array_equal(drawn["right answers of B"].y, 100 * run_of(other).curve().accuracy)
    assert np.array_equal(drawn["right answers"].y, 100 * run_of(FIRST.setup).curve().accuracy)
    at.key(Qt.Key.Key_Home)
    catch_up(at.window)
    assert at.page.scene.moment.other.answer.weights[0].shape == (1, 11, 11)
    assert (at.training.step, at.page.requests.shown.of_other.step) == (0, 0)


def test_a_and_b_change_places_and_b_is_dropped(training):
    at = training(replace(FIRST, step=2, other=replace(FIRST.setup, seed=3)))
    place = at.page.scene.other.layout.rectangle(2, 5).center()
    at.hand(at.canvas.viewport()).move(place)
    assert at.said.startswith("B, layer 2: “sat” attends to “mat”")
    at.press(at.page.others.swap)
    catch_up(at.window)
    assert (at.training.setup.seed, at.training.other, at.training.step) == (3, FIRST.setup, 2)
    at.press(at.page.others.drop)
    catch_up(at.window)
    assert (at.training.other, at.undo_text) == (None, "Drop B")
    assert at.page.scene.strips.isVisible()
    at.undo()
    assert at.training.other == FIRST.setup


def test_b_that_explodes_is_said_and_a_goes_on(training):
    at = training(replace(FIRST, step=5, other=replace(FIRST.setup, rate=1e9)))
    assert "smaller learning rate" in at.page.scene.other.reason
    assert at.page.requests.shown.step == 5


def test_two_maps_are_equally_large_and_share_one_colour_bar(training):
    at = training(replace(FIRST, step=8, other=replace(FIRST.setup, hard=True)), (1024, 768))
    scene = at.page.scene
    first, second = scene.large.layout, scene.other.layout
    assert (first.cells.size(), first.cells.top()) == (second.cells.size(), second.cells.top())
    assert first.row_labels.step == 1, "each word is there"
    assert first.cells.width() > 0.23 * at.page.canvas.width()
    assert scene.bar.isVisible()
    assert scene.bar.box.top() > first.cells.bottom()
    assert not first.bar.height()


def test_another_task_lets_go_of_b(training):
    at = training(replace(FIRST, other=replace(FIRST.setup, seed=3)))
    at.choose(at.page.presets, "it-hard")
    assert at.training.other == replace(FIRST.setup, seed=3)
    at.choose(at.page.presets, "die")
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
    at.type_into(at.page.form.controls["heads"], "5")
    assert "cannot be shared equally by 5 heads" in at.told
    assert at.training == FIRST
    assert at.page.form.controls["heads"].text() == "1"


@pytest.mark.parametrize("name", ["scaled", "positions", "residual"])
def test_a_switch_changes_what_learns(training, name):
    at = training()
    if name == "residual":
        at.press(at.page.more_button)
    at.press({**at.page.form.controls, **at.page.more.controls}[name])
    assert getattr(at.training.setup, name) is False
    assert at.undo_text.startswith("Switch the")
    at.press(at.page.form.controls["hard"].buttons[True])
    assert at.training.setup.hard


def test_what_the_task_decides_is_greyed_and_says_why(training):
    at = training()
    at.press(at.page.more_button)
    length = at.page.more.controls["length"]
    assert length.isVisible()
    assert not length.isEnabled()
    assert "decides this" in length.toolTip()


def test_another_task_is_chosen_and_every_head_has_a_map(training):
    at = training()
    at.choose(at.page.presets, "brackets")
    catch_up(at.window)
    assert at.training.setup.task == "brackets"
    assert sorted(at.page.scene.small) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert sorted(at.page.panel.break_it.boxes) == sorted(at.page.scene.small)
    assert at.page.scene.large.picture.masked[0, 1], "causal"


def test_heads_that_go_before_they_are_seen_are_no_windows(training):
    at = training()
    panel, state = at.page.panel.break_it, at.training
    for heads in (3, 1):  # in one event: a layout shows what it was given only after it
        panel.show_state(replace(state, setup=replace(state.setup, heads=heads)))
    QApplication.sendPostedEvents(None, QEvent.Type.MetaCall)
    assert not [each for each in QApplication.topLevelWidgets() if isinstance(each, QCheckBox) and each.isVisible()]


def test_the_plane_shows_where_the_points_stand(training):
    at = training()
    at.choose(at.page.presets, "dictionary")
    catch_up(at.window)
    queries, keys = at.page.scene.plane.points
    parameters = run_of(at.training.setup).at(0).network.parameters
    assert np.array_equal(queries, parameters["q"])
    assert np.array_equal(keys, parameters["k"])


# ---- Coming back, and taking away ----


def test_a_state_is_learned_again_when_it_comes_back(training):
    step, at = 24, training()
    run_of.cache_clear()
    at.window.session._restore(ExplorerState(training=replace(FIRST, step=step)))
    catch_up(at.window)
    assert at.page.requests.shown.step == step
    assert f"step {step}" in at.page.origin.text()


def test_numbers_and_pictures_are_taken_away():
    figure = training_figure(replace(FIRST, step=12))
    rows = list(csv.reader(io.StringIO(encoded(figure, ".csv").decode())))
    assert rows[0] == ["layer", "head", "query", "key", "weight"]
    first = [float(row[4]) for row in rows[1:12]]
    assert sum(first) == pytest.approx(1.0, abs=1e-6)
    assert first == figure.moment.answer.weights[0][0, 0].tolist()
    drawing = encoded(figure, ".svg").decode()
    assert "learned here" in drawing.casefold()
    assert "step 12" in drawing


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
    assert np.array_equal(at.page.scene.large.picture.values, run.at().ask(state.sentence_shown).weights[1][0])
    assert run_of(state.setup).step == 0
    assert at.page.origin.text().endswith("weights from “a.npz”")
    assert "12 steps · weights from a file" in at.page.progress.text()
    at.press(at.page.step_button)
    catch_up(at.window)
    assert (at.training.step, run_of(state.setup).step) == (13, 13)
    assert at.page.progress.text().startswith("13 steps · ")
    assert at.page.origin.text().startswith("learned here")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"setup": {"task": "sudoku"}}, "training.setup.task is “sudoku”, but must be “it”"),
        ({"speed": "warp"}, "training.speed is “warp”, but must be “slow”"),
        ({"optimiser": "lion"}, "“state.training.optimiser” is not known to this version"),
        ({"setup": {"optimiser": "lion"}}, "“state.training.setup.optimiser” is not known to this version"),
    ],
)
def test_what_another_version_wrote_is_said_and_written_back(changes, said):
    document = json.loads(session_bytes(ExplorerState(training=replace(FIRST, step=7))))
    written = document["state"]["training"]
    written["setup"] |= changes.pop("setup", {})
    written |= changes
    opened = session_from(json.dumps(document).encode(), "a.attn.json")
    assert said in opened.warnings[0]
    assert json.loads(session_bytes(opened.state, opened.extra))["state"]["training"] == written


def test_a_preset_of_another_version_is_replaced_and_the_rest_stays(training):
    state = replace(
        FIRST.with_task("brackets"),
        step=7,
        learned=9,
        off=frozenset({(1, 0)}),
        row=2,
        speed=Speed.SLOW,
        preset="brackets",
    )
    document = json.loads(session_bytes(ExplorerState(training=state)))
    document["state"]["training"]["preset"] = "of-tomorrow"
    opened = session_from(json.dumps(document).encode(), "a.attn.json")
    said = "state.training.preset names “of-tomorrow”, which this version does not have: “it” stands in for it."
    assert opened.warnings == (said,)
    assert opened.state == ExplorerState(training=replace(state, preset="it"))
    at = training(opened.state.training)
    assert at.page.requests.shown.step == 7
    assert at.page.progress.text().startswith("step 7 of 9 · ")
    written = json.loads(session_bytes(at.window.session.state, opened.extra))["state"]["training"]
    assert written == document["state"]["training"] | {"preset": "it"}


def test_a_sentence_of_another_version_stays_and_the_picture_says_what_is_unknown(training):
    state = replace(FIRST, step=3, sentence="the zebra sat on the mat because it was tired .")
    document = session_bytes(ExplorerState(training=state))
    at = training(session_from(document, "a.attn.json").state.training)
    assert "zebra" in at.page.requests.reason
    assert at.page.panel.ask.line.text() == state.sentence
    assert session_bytes(at.window.session.state) == document
