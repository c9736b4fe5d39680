"""Gradient and descent: the numbers are the Jacobian's, Step and Play walk downhill, hard mode stands still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyqtgraph
import pytest
from PySide6.QtCore import QPointF, Qt

from attention_explorer.core.role import Role
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY, DescentSpeed, LookupState, Part
from attention_explorer.session.settings import Settings


@pytest.fixture
def window(make_window):
    return make_window(ExplorerState(lookup=preset("descent").state))


def lookup(window) -> LookupState:
    return window.session.state.lookup


def loss(window) -> float:
    return lookup_frame(lookup(window)).loss


def test_the_card_shows_the_norm_of_the_jacobian(make_window):
    card = make_window().page.gradient
    assert "|∂o/∂q| = 0.758" in card.jacobian.text()
    assert "[+0.485 −0.364 ; −0.364 +0.273]" in card.jacobian.text()


def test_step_moves_the_query_down_the_gradient_by_the_rate(window, qtbot):
    before = lookup(window)
    slope = lookup_frame(before).loss_gradient
    qtbot.mouseClick(window.page.gradient.step, Qt.MouseButton.LeftButton)
    assert lookup(window).query == pytest.approx(tuple(np.array(before.query) - before.rate * slope))
    assert window.session.history.undo_text == "Step downhill"
    window.session.undo()
    assert lookup(window) == before


def test_play_reaches_the_target_and_undoes_as_one_step(window, qtbot):
    before = window.session.state
    card = window.page.gradient
    qtbot.mouseClick(card.play, Qt.MouseButton.LeftButton)
    assert card.is_playing
    assert card.play.text() == "Pause"
    qtbot.waitUntil(lambda: not card.is_playing, timeout=30_000)
    assert loss(window) < 1e-10
    assert card.play.text() == "Play"
    assert len(window.session.history) == 1
    window.session.undo()
    assert window.session.state == before


def test_play_can_be_paused(window, qtbot):
    card = window.page.gradient
    first = loss(window)
    qtbot.mouseClick(card.play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: loss(window) < first * 0.9)
    qtbot.mouseClick(card.play, Qt.MouseButton.LeftButton)
    paused = window.session.state
    qtbot.wait(120)
    assert window.session.state == paused
    assert len(window.session.history) == 1


def test_hard_mode_stands_still_and_says_why(window, qtbot):
    window.session.apply(ExplorerState(lookup=lookup(window).moved(QUERY, (0.6, -1.0))), "Away from the tie")
    window.page.controls.set_hard(True)
    card = window.page.gradient
    before = lookup(window)
    assert "exactly 0" in card.jacobian.text()
    assert "|∂o/∂q| = 0.000" in card.jacobian.text()
    with qtbot.waitSignal(window.page.refused) as said:
        qtbot.mouseClick(card.step, Qt.MouseButton.LeftButton)
    assert "gradient is exactly 0" in said.args[0]
    qtbot.mouseClick(card.play, Qt.MouseButton.LeftButton)
    assert not card.is_playing
    assert lookup(window) == before


def test_taking_hold_of_something_pauses_the_walk(window, qtbot, hand):
    card, canvas = window.page.gradient, window.page.canvas
    qtbot.mouseClick(card.play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: lookup(window).query != preset("descent").state.query)
    mouse = hand(canvas)
    mouse.press(canvas.scene().place(Part(Role.KEY, 0)))
    assert not card.is_playing
    walked = window.session.state
    mouse.move(canvas.scene().point((1.0, 1.5)))
    mouse.release()
    assert window.session.history.labels == ["Play downhill", "Move key 1"]
    window.session.undo()
    assert window.session.state == walked


def test_undo_during_the_walk_takes_it_back_and_stops(window, qtbot):
    before = window.session.state
    card = window.page.gradient
    qtbot.mouseClick(card.play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.session.state != before)
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not card.is_playing
    assert window.session.state == before


def test_a_rate_that_throws_the_query_too_far_is_refused_in_words(window, qtbot):
    far = replace(lookup(window), rate=100.0, target=(1e6, 1e6))
    window.session.apply(replace(window.session.state, lookup=far), "Far")
    with qtbot.waitSignal(window.page.refused) as said:
        for _ in range(3):
            qtbot.mouseClick(window.page.gradient.step, Qt.MouseButton.LeftButton)
    assert "rate" in said.args[0]


def test_on_a_hard_tie_there_is_no_gradient_to_show(window, qtbot):
    on_the_tie = replace(lookup(window), hard=True).moved(QUERY, (0.6, -1.2))
    window.session.apply(ExplorerState(lookup=on_the_tie), "On the tie")
    card = window.page.gradient
    assert "∂o/∂q: none" in card.jacobian.text()
    assert "k₁ and k₃ tie: the smallest move of q can make o jump by 3.58." in card.jacobian.text()
    assert "∂L/∂q: none" in card.loss.text()
    assert "exactly 0" not in card.jacobian.text() + card.loss.text()
    with qtbot.waitSignal(window.page.refused) as said:
        qtbot.mouseClick(card.step, Qt.MouseButton.LeftButton)
    assert "on a tie" in said.args[0]


def test_without_a_target_there_is_nothing_to_play(make_window):
    card = make_window().page.gradient
    assert not card.step.isEnabled()
    assert not card.play.isEnabled()
    assert "Switch “Target” on" in card.loss.text()


def test_the_gradient_fades_as_the_softmax_saturates(window, make_window):
    sharp = replace(LookupState(), temperature=0.05)
    card = make_window(ExplorerState(lookup=sharp)).page.gradient
    assert "saturated" in card.jacobian.text()


def test_closing_while_playing_stops(window, qtbot):
    qtbot.mouseClick(window.page.gradient.play, Qt.MouseButton.LeftButton)
    window.close()
    assert not window.page.gradient.is_playing


# ---- The way back ----


@pytest.fixture
def walked(window, qtbot):
    """The card after five steps."""
    for _ in range(5):
        qtbot.mouseClick(window.page.gradient.step, Qt.MouseButton.LeftButton)
    return window.page.gradient


def test_before_the_first_step_there_is_no_curve(window):
    card = window.page.gradient
    assert card._chart is None
    assert not card.speed.isVisible()


def test_the_curve_is_the_loss_of_every_step(window, walked):
    state = lookup(window)
    assert len(state.descent) == 6
    expected = [lookup_frame(replace(state, query=query)).loss for query in state.descent]
    (_, line), *_ = walked.chart._curves
    assert line.getData()[1].tolist() == pytest.approx(expected, rel=1e-12)
    assert walked.place.text() == "step 5 of 5"


def test_keys_go_back_along_the_way_and_a_step_goes_on_from_there(window, walked, qtbot):
    way = lookup(window).descent
    walked.chart.setFocus()
    qtbot.keyClick(walked.chart, Qt.Key.Key_Left)
    qtbot.keyClick(walked.chart, Qt.Key.Key_Left)
    assert lookup(window).query == way[3]
    assert walked.place.text() == "step 3 of 5"
    qtbot.mouseClick(walked.step, Qt.MouseButton.LeftButton)
    assert lookup(window).descent == way[:5], "downhill from there is the same way"
    assert walked.place.text() == "step 4 of 4"


def test_the_line_is_dragged_with_the_mouse_and_undone_as_one_step(window, walked, qtbot, hand, monkeypatch):
    monkeypatch.setitem(pyqtgraph.CONFIG_OPTIONS, "mouseRateLimit", -1)  # every move of the mouse counts
    way, chart = lookup(window).descent, walked.chart
    qtbot.waitUntil(lambda: chart.height() > 60 and chart.line.value() == 5)
    view = chart.plotItem.vb

    def at(step: float) -> QPointF:
        scene = view.mapViewToScene(QPointF(step, 1.0))
        return QPointF(chart.mapFromScene(scene))

    hand(chart.viewport()).drag(at(5), at(1.1))
    assert lookup(window).query == way[1]
    assert lookup(window).descent == way
    window.session.undo()
    assert lookup(window).query == way[5]


def test_speed_is_chosen_while_it_plays(window, qtbot):
    card = window.page.gradient
    qtbot.mouseClick(card.play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(card.speed.isVisible)
    qtbot.mouseClick(card.speed.buttons[DescentSpeed.SLOW], Qt.MouseButton.LeftButton)
    assert lookup(window).speed is DescentSpeed.SLOW
    assert card.is_playing
    assert card._timer.interval() == DescentSpeed.SLOW.milliseconds


def test_pressing_step_brings_the_curve_into_view(window, qtbot):
    window.resize(1024, 768)
    card = window.page.gradient
    qtbot.mouseClick(card.step, Qt.MouseButton.LeftButton)

    def is_whole() -> bool:
        seen = card.chart.viewport()
        return seen.visibleRegion().boundingRect() == seen.rect()

    qtbot.waitUntil(is_whole)


@pytest.mark.parametrize("full", [False, True])
def test_start_leaves_the_matrix_out(make_window, full):
    state = ExplorerState(lookup=preset("descent").state)
    text = make_window(state, Settings(full=full)).page.gradient.jacobian.text()
    assert ("∂o/∂q" in text) == full
    assert "that is how o moves when q moves" in text
