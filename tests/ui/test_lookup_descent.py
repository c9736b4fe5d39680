"""Gradient and descent: the numbers are the Jacobian's, Step and Play walk downhill, hard mode stands still."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from frame_driver import CTRL
from lookup_driver import K1, LookupDriver
from PySide6.QtCore import QPointF, Qt

from attention_explorer.kit.items.plot_marks import Curve, Line
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY, TARGET, DescentSpeed, LookupState, LookupView

DESCENT = preset("descent").state
GRADIENT, MATRIX, LOSSES = "Loss and gradient", "Jacobian", "Loss of every step"
DOWNHILL = "Gradient of the loss"


@pytest.fixture
def at(opens) -> LookupDriver:
    return opens(DESCENT)


def readings(at: LookupDriver) -> list[str]:
    """Return the loss and the norm of the Jacobian as the panel shows them."""
    return [reading.number for reading in at.items[GRADIENT].readings]


def until(at: LookupDriver, qtbot, is_so: Callable[[], bool]) -> None:
    qtbot.waitUntil(is_so, timeout=30_000)
    at.settle()


# ---- The gradient ----


def test_the_panel_shows_the_jacobian_and_its_norm(opens):
    at = opens(replace(LookupState(), view=LookupView.GRADIENT))
    assert at.items[MATRIX].text == "∂o/∂q = [+0.485 −0.364 ; −0.364 +0.273]"
    assert readings(at) == ["1.482", "0.758"]
    assert at.items[DOWNHILL].text == "∂L/∂q = (+1.043, −0.783)"
    assert at.panel_words()[0] == "The arrow at q goes downhill"
    assert "that is how o moves when q moves" in at.sentence
    assert "q − rate · ∂L/∂q" in at.sentence
    assert [bar.share for bar in at.bars.bars] == at.frame.weights.tolist(), "before there is a way"
    assert at.sum == ""


def test_the_numbers_follow_a_drag_of_the_target(at):
    mouse = at.hand()
    mouse.press(at.place(TARGET))
    for place in ((1.0, 0.5), (-1.0, 0.5)):
        mouse.move(at.at(*place))
        assert at.lookup.target == pytest.approx(place, abs=0.02)
        assert float(readings(at)[0]) == pytest.approx(at.frame.loss, rel=0.01)
    mouse.release()
    assert (at.steps, at.undo_text) == (1, "Move target")


def test_step_moves_the_query_down_the_gradient_by_the_rate(at):
    before = at.lookup
    slope = lookup_frame(before).loss_gradient
    at.press(at.page.descent.step)
    assert at.lookup.query == pytest.approx(tuple(np.array(before.query) - before.rate * slope))
    assert at.undo_text == "Step downhill"
    at.undo()
    assert at.lookup == before


def test_play_reaches_the_target_and_undoes_as_one_step(at, qtbot):
    before, bar = at.session.state, at.page.descent
    at.press(bar.play)
    assert bar.is_playing
    assert bar.play.text() == "Pause"
    until(at, qtbot, lambda: not bar.is_playing)
    assert at.frame.loss < 1e-10
    assert bar.play.text() == "Play"
    assert at.steps == 1
    assert at.panel_words()[0] == "o is on the target"
    assert at.tries["Let q walk until o is on t"].isChecked()
    at.undo()
    assert at.session.state == before


def test_play_can_be_paused(at, qtbot):
    first, bar = at.frame.loss, at.page.descent
    at.press(bar.play)
    until(at, qtbot, lambda: at.frame.loss < first * 0.9)
    at.press(bar.play)
    paused = at.session.state
    qtbot.wait(120)
    assert at.session.state == paused
    assert at.steps == 1


def test_hard_mode_stands_still_and_says_why(at, qtbot):
    at.apply(at.lookup.moved(QUERY, (0.6, -1.0)), "Away from the tie")
    at.press_hard()
    before, bar = at.lookup, at.page.descent
    assert at.panel_words()[0] == "Hard: the gradient is exactly 0"
    assert "exactly 0" in at.sentence
    assert readings(at)[1] == "0.000"
    with qtbot.waitSignal(at.page.refused) as said:
        at.press(bar.step)
    assert "gradient is exactly 0" in said.args[0]
    at.press(bar.play)
    assert not bar.is_playing
    assert at.lookup == before


def test_taking_hold_of_something_pauses_the_walk(at, qtbot):
    bar = at.page.descent
    at.press(bar.play)
    until(at, qtbot, lambda: at.lookup.query != DESCENT.query)
    mouse = at.hand()
    mouse.press(at.place(K1))
    assert not bar.is_playing
    walked = at.session.state
    mouse.move(at.at(1.0, 1.5))
    mouse.release()
    assert at.session.history.labels == ["Play downhill", "Move key 1"]
    at.undo()
    assert at.session.state == walked


def test_undo_during_the_walk_takes_it_back_and_stops(at, qtbot):
    before, bar = at.session.state, at.page.descent
    at.press(bar.play)
    until(at, qtbot, lambda: at.session.state != before)
    at.key(Qt.Key.Key_Z, CTRL)
    assert not bar.is_playing
    assert at.session.state == before


def test_a_rate_that_throws_the_query_too_far_is_refused_in_words(at, qtbot):
    at.apply(replace(at.lookup, rate=100.0, target=(1e6, 1e6)))
    with qtbot.waitSignal(at.page.refused) as said:
        for _ in range(3):
            at.press(at.page.descent.step)
    assert "rate" in said.args[0]


def test_on_a_hard_tie_there_is_no_gradient_to_show(at, qtbot):
    at.apply(replace(at.lookup, hard=True).moved(QUERY, (0.6, -1.2)), "On the tie")
    assert at.items[MATRIX].text == "∂o/∂q: none, as o jumps here"
    assert at.items[DOWNHILL].text == "∂L/∂q: none"
    assert readings(at)[1] == "none"
    assert at.panel_words()[0] == "o jumps here: there is no gradient"
    assert "k₁ and k₃ tie: the smallest move of q can make o jump by 3.58." in at.sentence
    assert "exactly 0" not in f"{at.sentence} {at.notes}"
    with qtbot.waitSignal(at.page.refused) as said:
        at.press(at.page.descent.step)
    assert "on a tie" in said.args[0]


@pytest.mark.parametrize("key", [Qt.Key.Key_S, Qt.Key.Key_P])
def test_keys_go_downhill_only_where_the_way_is_shown(opens, key):
    at = opens()
    at.key(key)
    assert at.lookup == LookupState()
    assert at.said == "The way downhill is in the view Gradient (Ctrl+2)."
    assert not at.page.descent.is_playing
    at.show(LookupView.GRADIENT)
    at.key(key)
    assert at.lookup.query != LookupState().query
    at.page.descent.stop()


@pytest.mark.parametrize("view", [LookupView.PLANE, LookupView.TEMPERATURE])
def test_the_walk_ends_where_it_is_out_of_sight(at, qtbot, view):
    at.press(at.page.descent.play)
    until(at, qtbot, lambda: at.lookup.query != DESCENT.query)
    at.show(view)
    assert not at.page.descent.is_playing
    there = at.session.state
    qtbot.wait(120)
    assert at.session.state == there
    assert at.labels == ["Play downhill", f"Show {at.view.title}"]
    at.undo()
    assert at.lookup.query == DESCENT.query


def test_another_view_ends_no_step_but_hides_the_way(at):
    at.press(at.page.descent.step)
    at.show(LookupView.PLANE)
    assert not at.page.descent.isVisible()
    assert LOSSES not in at.items
    assert len(at.lookup.descent) == 2, "it waits"
    at.back()
    assert at.page.descent.isVisible()
    assert LOSSES in at.items


def test_the_gradient_fades_as_the_softmax_saturates(opens):
    at = opens(replace(LookupState(), temperature=0.05, view=LookupView.GRADIENT))
    assert "saturated" in at.sentence
    assert at.panel_words()[0] == "The gradient has vanished"


def test_closing_while_playing_stops(at):
    at.press(at.page.descent.play)
    at.window.close()
    assert not at.page.descent.is_playing


# ---- The way back ----


@pytest.fixture
def walked(at) -> LookupDriver:
    """The window after five steps."""
    for _ in range(5):
        at.press(at.page.descent.step)
    return at


def test_before_the_first_step_there_is_no_way(at):
    assert LOSSES not in at.items
    assert not at.page.descent.way.isVisible()
    assert not at.page.descent.place.isVisible()


def test_the_curve_is_the_loss_of_every_step(walked):
    state = walked.lookup
    assert len(state.descent) == 6
    expected = [lookup_frame(replace(state, query=query)).loss for query in state.descent]
    plot = walked.plot(LOSSES)
    (curve,), (here,) = plot.of(Curve), plot.of(Line)
    assert curve.x.tolist() == [0, 1, 2, 3, 4, 5]
    assert curve.y.tolist() == pytest.approx(expected, rel=1e-12)
    assert here.at == 5.0
    assert walked.page.descent.place.text() == "step 5 of 5"
    assert walked.page.descent.way.isVisible()


def test_keys_go_back_along_the_way_and_a_step_goes_on_from_there(walked):
    way, bar = walked.lookup.descent, walked.page.descent
    bar.way.setFocus()
    walked.key(Qt.Key.Key_Left, widget=bar.way)
    walked.key(Qt.Key.Key_Left, widget=bar.way)
    assert walked.lookup.query == way[3]
    assert walked.undo_text == "Go to a step"
    assert walked.plot(LOSSES).of(Line)[0].at == 3.0
    assert bar.place.text() == "step 3 of 5"
    walked.press(bar.step)
    assert walked.lookup.descent == way[:5], "downhill from there is the same way"
    assert bar.place.text() == "step 4 of 4"


def test_the_way_is_dragged_with_the_mouse_and_undone_as_one_step(walked):
    way, slider, steps = walked.lookup.descent, walked.page.descent.way, walked.steps
    start = walked.handle_of(slider)
    mouse = walked.hand(slider)
    mouse.press(start)
    mouse.move(start - QPointF(0.4 * slider.width(), 0.0))
    middle = walked.lookup.query
    assert middle in way[1:5]
    mouse.move(start - QPointF(slider.width(), 0.0))
    assert walked.lookup.query == way[0]
    assert walked.lookup.descent == way
    mouse.release()
    assert (walked.steps, walked.undo_text) == (steps + 1, "Go to a step")
    walked.undo()
    assert walked.lookup.query == way[5]


def test_esc_puts_a_drag_along_the_way_back(walked):
    before, slider = walked.session.state, walked.page.descent.way
    start = walked.handle_of(slider)
    mouse = walked.hand(slider)
    mouse.press(start)
    mouse.move(start - QPointF(slider.width(), 0.0))
    assert walked.session.state != before
    walked.key(Qt.Key.Key_Escape, widget=slider)
    mouse.release()
    assert walked.session.state == before
    assert slider.value() == 5


def test_moving_the_query_ends_the_way(walked):
    walked.drag(QUERY, -1.0, 0.5)
    assert walked.lookup.descent == ()
    assert not walked.page.descent.way.isVisible()
    assert LOSSES not in walked.items
    assert "Weights" in walked.items
    walked.undo()
    assert walked.page.descent.place.text() == "step 5 of 5"


def test_speed_is_chosen_while_it_plays(at, qtbot):
    bar = at.page.descent
    at.page.open_drawer(True)
    at.press(bar.play)
    until(at, qtbot, lambda: at.lookup.query != DESCENT.query)
    at.choose(at.field("speed"), DescentSpeed.SLOW)
    assert at.lookup.speed is DescentSpeed.SLOW
    assert bar.is_playing
    assert bar._timer.interval() == DescentSpeed.SLOW.milliseconds
    bar.stop()


def test_the_curve_is_seen_where_the_window_is_small(opens):
    at = opens(DESCENT, size=(1024, 768))
    at.press(at.page.descent.step)
    seen = at.page.panel.items
    assert seen.visibleRegion().boundingRect() == seen.rect()
