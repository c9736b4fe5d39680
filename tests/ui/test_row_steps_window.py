"""The window in which a row is computed step by step, through real clicks and keys."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.pages.heads.row_steps import row_steps
from attention_explorer.pages.heads.ui.row_steps_window import SPEEDS, RowStepsWindow

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def opened(driver):
    """Open the window by its button."""

    def open_it() -> RowStepsWindow:
        driver.press(driver.page.reading.steps_button)
        window = QApplication.activeModalWidget()
        assert isinstance(window, RowStepsWindow)
        return window

    return open_it


def test_it_shows_the_row_of_the_cell_that_was_clicked(driver, opened):
    driver.click_cell(3, 1)
    assert opened().row is row_steps(driver.frame, 3)


def test_steps_go_on_and_back(opened):
    window = opened()
    last = len(window.row.moments) - 1
    seen = []
    for button in (window.step_button, window.step_button, window.back_button):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        seen.append(window.moment)
    window.picture.setFocus()
    for key in (Qt.Key.Key_End, Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_Right):
        QTest.keyClick(window, key)
        seen.append(window.moment)
    assert seen == [1, 2, 1, last, last - 1, 0, 1]
    assert window.row.caption(1) in window.caption.text()
    assert window.row.caption(1) in window.picture.spoken()


def test_the_picture_changes_with_every_step(opened):
    window = opened()
    pictures = []
    for moment in range(len(window.row.moments)):
        window.slider.setValue(moment)
        pictures.append(window.picture.grab().toImage())
    assert all(now != before for before, now in itertools.pairwise(pictures))


def test_play_goes_to_the_end_and_stops(opened, qtbot):
    window = opened()
    QTest.mouseClick(window.speed.buttons[SPEEDS[-1][1]], Qt.MouseButton.LeftButton)
    window._timer.setInterval(1)
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert window.play_button.text() == "Pause"
    qtbot.waitUntil(lambda: not window.is_playing)
    assert window.moment == len(window.row.moments) - 1
    assert window.play_button.text() == "Play"
    QTest.mouseClick(window.play_button, Qt.MouseButton.LeftButton)  # once more, from the beginning
    assert window.moment < len(window.row.moments) - 1


def test_a_step_by_hand_stops_the_playing(opened):
    window = opened()
    QTest.keyClick(window, Qt.Key.Key_Space)
    QTest.keyClick(window, Qt.Key.Key_Right)
    assert (window.is_playing, window.moment) == (False, 1)


def test_with_reduced_motion_play_takes_one_step(driver, opened):
    driver.window.set_reduced_motion(True)
    window = opened()
    QTest.mouseClick(window.play_button, Qt.MouseButton.LeftButton)
    driver.window.set_reduced_motion(False)
    assert (window.is_playing, window.moment, window.play_button.isChecked()) == (False, 1, False)
