"""Who wants no motion has none: what would play goes step by step."""

from __future__ import annotations

from dataclasses import replace

import pytest
from people_driver import first_state, show_state
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.pages.positions.state import PositionsPicture
from attention_explorer.pages.registry import find_preset
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice


@pytest.fixture
def clocks(page_window):
    window = page_window("positions")
    state = first_state("positions")
    show_state(window, replace(state, positions=replace(state.positions, picture=PositionsPicture.CLOCKS)))
    yield window
    window.page.player.stop()


@pytest.fixture
def descent(page_window):
    window = page_window("lookup")
    show_state(window, find_preset("descent", "lookup").state)
    yield window
    window.page.descent.stop()


def running_timers(window) -> list[QTimer]:
    """What would move something without anybody's doing."""
    return [timer for timer in window.findChildren(QTimer) if timer.isActive() and not timer.isSingleShot()]


def test_the_hands_of_the_clocks_go_one_step_at_each_press(clocks):
    clocks.set_reduced_motion(True)
    page, button = clocks.page, clocks.page.play
    assert (button.text(), button.accessibleName()) == ("Step", "Step: the next position")
    start = page.state.position
    for press in (1, 2):
        button.click()
        assert page.state.position == start + press
        assert not page.player.is_running
    assert not running_timers(clocks)
    QTest.qWait(100)
    assert page.state.position == start + 2
    clocks.session.go_back()
    assert page.state.position == start


def test_what_plays_stops_when_motion_is_reduced(clocks):
    clocks.page.play.click()
    assert clocks.page.player.is_running
    clocks.set_reduced_motion(True)
    assert not clocks.page.player.is_running
    assert clocks.page.play.text() == "Step"
    clocks.set_reduced_motion(False)
    assert clocks.page.play.text() == "Play"
    clocks.page.play.click()
    assert clocks.page.player.is_running


def test_the_last_position_is_followed_by_the_first(clocks):
    clocks.set_reduced_motion(True)
    state = clocks.session.state
    last = state.positions.length - 1
    show_state(clocks, replace(state, positions=state.positions.with_position(last)))
    clocks.page.play.click()
    assert clocks.page.state.position == 0


def test_the_descent_goes_one_step_at_each_press(descent):
    descent.set_reduced_motion(True)
    bar = descent.page.descent
    assert (bar.play.isVisible(), bar.play.text()) == (True, "Play")
    seen = [descent.session.state.lookup.query]
    for _ in range(3):
        bar.play.click()
        seen.append(descent.session.state.lookup.query)
        assert not bar.is_playing
        assert not bar.play.isChecked()
    assert len(set(seen)) == 4
    assert len(descent.session.history) == 3
    assert not running_timers(descent)


def test_a_descent_that_plays_stops(descent):
    bar = descent.page.descent
    bar.play.click()
    assert bar.is_playing
    descent.set_reduced_motion(True)
    assert not bar.is_playing
    descent.set_reduced_motion(False)
    bar.play.click()
    assert bar.is_playing


def test_the_switch_is_in_the_menu_and_remembered(make_window, settings_path):
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="positions"))
    entry = next(
        action
        for menu in window.menuBar().actions()
        for action in menu.menu().actions()
        if action.text().replace("&", "") == "Reduce motion"
    )
    assert not entry.isChecked()
    entry.trigger()
    assert entry.isChecked()
    assert not window.page.moves
    window.show_page("lookup")
    assert not window.page.moves  # a page that was made later knows it too
    window.close()
    assert SettingsStore(settings_path).load().reduced_motion
    again = make_window(settings=SettingsStore(settings_path).load())
    assert not again.page.moves
    QApplication.processEvents()
