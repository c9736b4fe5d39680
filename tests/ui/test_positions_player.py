"""Play: the position moves by itself, and whoever takes over has it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import PositionsPicture
from attention_explorer.pages.positions.ui.clocks import tip_of


@pytest.fixture
def clocks(positions):
    positions.open(picture=PositionsPicture.CLOCKS)
    yield positions
    positions.page.player.stop()


def runs_on(clocks) -> bool:
    """Whether the position moves while nobody does anything."""
    before = clocks.state.position
    QTest.qWait(300)
    return clocks.state.position != before


def test_the_hands_turn_until_the_button_is_pressed_again(clocks, qtbot):
    clocks.press(clocks.page.play)
    assert clocks.page.play.text() == "Pause"
    qtbot.waitUntil(lambda: clocks.state.position >= 8, timeout=5000)
    rates = 10000.0 ** (-2 * np.arange(32) / 64)
    np.testing.assert_allclose(clocks.picture.angles, clocks.state.position * rates, atol=1e-12)
    clocks.press(clocks.page.play)
    assert clocks.page.play.text() == "Play"
    assert not runs_on(clocks)


def test_all_of_it_is_one_step(clocks, qtbot):
    clocks.press(clocks.page.play)
    qtbot.waitUntil(lambda: clocks.state.position >= 8, timeout=5000)
    clocks.press(clocks.page.play)
    assert (clocks.looks, clocks.back_text) == (1, "Play")
    clocks.back()
    assert clocks.state.position == 5


def test_space_plays_and_pauses(clocks, qtbot):
    clocks.canvas.setFocus()
    clocks.key(Qt.Key.Key_Space)
    assert clocks.page.player.is_running
    qtbot.waitUntil(lambda: clocks.state.position > 5, timeout=5000)
    clocks.key(Qt.Key.Key_Space)
    assert not clocks.page.player.is_running


def test_it_begins_anew_after_the_last_position(clocks, qtbot):
    clocks.open(picture=PositionsPicture.CLOCKS, length=6, position=4)
    clocks.press(clocks.page.play)
    qtbot.waitUntil(lambda: clocks.state.position < 4, timeout=5000)


def test_who_sets_another_field_has_it(clocks, qtbot):
    clocks.press(clocks.page.play)
    qtbot.waitUntil(lambda: clocks.state.position > 5, timeout=5000)
    clocks.type_into(clocks.few("shift"), "12")
    assert clocks.state.shift == 12
    assert not runs_on(clocks)
    assert not clocks.page.player.is_running
    assert clocks.page.play.text() == "Play"


def test_a_drag_of_the_position_while_it_plays_stays_where_it_is_let_go(clocks, qtbot):
    clocks.press(clocks.page.play)
    qtbot.waitUntil(lambda: clocks.state.position > 5, timeout=5000)
    slider = clocks.main.slider
    mouse, start = clocks.hand(slider), clocks.handle_of(slider)
    mouse.press(start)
    mouse.move(start + QPointF(70, 0))
    QTest.qWait(200)
    mouse.release()
    let_go = clocks.state.position
    assert slider.value() == let_go
    assert not runs_on(clocks)


def test_who_takes_a_hand_has_it(clocks, qtbot):
    clocks.press(clocks.page.play)
    qtbot.waitUntil(lambda: clocks.state.position > 5, timeout=5000)
    dial, box = clocks.dial(2)
    mouse = clocks.hand()
    mouse.press(tip_of(box, dial.angle))
    mouse.move(tip_of(box, 1.0))
    mouse.move(tip_of(box, 2.0))
    QTest.qWait(200)
    mouse.release()
    assert clocks.state.position == round(2.0 / 10000.0 ** (-4 / 64))
    assert not runs_on(clocks)


def test_another_picture_stops_it(clocks):
    clocks.press(clocks.page.play)
    clocks.show(PositionsPicture.ENCODING)
    assert not clocks.page.player.is_running
    assert not runs_on(clocks)


def test_another_page_stops_it(clocks):
    clocks.press(clocks.page.play)
    page = clocks.page
    clocks.window.show_page("lookup")
    assert not page.player.is_running
    clocks.window.show_page("positions")
    assert not runs_on(clocks)


def test_space_shows_the_clocks_first(positions, qtbot):
    positions.key(Qt.Key.Key_Space)
    assert positions.state.picture is PositionsPicture.CLOCKS
    assert positions.page.player.is_running
    positions.page.player.stop()


@pytest.mark.parametrize("kind", [PositionKind.NONE, PositionKind.LEARNED, PositionKind.ALIBI])
def test_what_has_no_hands_cannot_be_played(positions, kind):
    positions.open(kind=kind)
    positions.key(Qt.Key.Key_Space)
    assert "Only a sinusoidal or a rotary encoding has hands that turn" in positions.told
    assert not positions.page.player.is_running
    assert positions.state.picture is PositionsPicture.ENCODING
