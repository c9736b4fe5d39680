"""Pictures on their way: from head to head before one's eyes, never at a drag, and not where nothing may move."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QProxyStyle, QStyle, QWidget

from attention_explorer.kit import tween
from attention_explorer.kit.drawing import heatmap
from attention_explorer.kit.tween import Tween
from attention_explorer.pages.heads.state import HeadsState

LONG = 20_000
"""Milliseconds: what takes so long is still on its way when it is looked at."""
HERE, THERE = np.zeros((2, 3)), np.array([[1.0, 2.0, 3.0], [-4.0, 5.0, 0.0]])


@pytest.fixture
def widget(qtbot) -> QWidget:
    shown = QWidget()
    qtbot.addWidget(shown)
    shown.show()
    return shown


@pytest.fixture
def moving(monkeypatch) -> None:
    monkeypatch.setattr(tween, "MILLISECONDS", LONG)


@pytest.fixture
def driver(open_heads):
    driver = open_heads(HeadsState().with_recipe(sentence="the cat sat", heads=4))
    driver.page.settle()
    return driver


def gone(widget: QWidget) -> Tween:
    """Return one that is on its way from `HERE` to `THERE`."""
    made = Tween(widget)
    made.go(HERE, follows=False)
    assert made.now is HERE
    made.go(THERE, follows=True)
    return made


def test_every_number_comes_nearer_until_it_is_there(widget, qtbot, monkeypatch):
    monkeypatch.setattr(tween, "MILLISECONDS", 60)
    made, seen = gone(widget), []
    made.moved.connect(lambda: seen.append(made.now))
    qtbot.waitUntil(lambda: not made.is_under_way)
    far = [float(np.abs(THERE - now).max()) for now in seen]
    assert far == sorted(far, reverse=True)
    assert made.now is seen[-1] is THERE


def test_another_choice_begins_where_the_picture_is(widget, qtbot, moving):
    made = gone(widget)
    qtbot.waitUntil(lambda: made.now[1, 1] > 0.0)
    before = made.now
    made.go(HERE, follows=True)
    assert made.is_under_way
    assert before[1, 1] - 0.2 < made.now[1, 1] <= made._start[1, 1]


@pytest.mark.parametrize("end", [THERE[:1], np.zeros(0), HERE.copy()], ids=["another shape", "nothing", "the same"])
def test_what_cannot_be_gone_to_is_there_at_once(widget, moving, end):
    made = Tween(widget)
    made.go(HERE, follows=False)
    made.go(end, follows=True)
    assert made.now is end


def test_a_number_that_was_none_is_there_at_once(widget, moving):
    made = Tween(widget)
    made.go(np.array([np.nan, 0.0]), follows=False)
    made.go(np.array([3.0, 1.0]), follows=True)
    assert made.is_under_way
    assert made.now[0] == 3.0


def test_nothing_moves_where_the_system_wants_it_so_or_nobody_looks(widget, moving):
    class Still(QProxyStyle):
        def styleHint(self, hint, option=None, widget=None, data=None):  # noqa: N802 - Qt's name
            still = hint is QStyle.StyleHint.SH_Widget_Animation_Duration
            return 0 if still else super().styleHint(hint, option, widget, data)

    still = Still()
    still.setParent(widget)
    widget.setStyle(still)
    assert gone(widget).now is THERE
    widget.setStyle(QApplication.style())
    assert gone(widget).is_under_way
    widget.hide()
    assert gone(widget).now is THERE


# ---- On the Heads page ----


def picture(driver):
    return driver.canvas.grab().toImage()


def test_a_head_becomes_another_one_before_ones_eyes(driver, open_heads, qtbot, moving, monkeypatch):
    numbers, paint_numbers = [], heatmap.paint_numbers
    monkeypatch.setattr(heatmap, "paint_numbers", lambda *given: numbers.append(1) or paint_numbers(*given))
    driver.canvas.forget_pixels()
    old, way = picture(driver), driver.canvas._tween
    assert numbers
    driver.key(Qt.Key.Key_N)
    driver.page.settle()
    assert way.is_under_way
    assert driver.heads.setup.head == 1
    numbers.clear()
    qtbot.waitUntil(lambda: picture(driver) != old)
    assert way.is_under_way
    assert not numbers, "no digits stand in cells whose numbers they are not"
    assert driver.canvas.map_picture.values == pytest.approx(driver.weights), "what is read is where it goes"
    way._clock.setCurrentTime(LONG)
    assert not way.is_under_way
    there = picture(driver)
    assert numbers
    monkeypatch.setattr(tween, "MILLISECONDS", 0)
    assert picture(open_heads(driver.heads)) == there


@pytest.mark.parametrize("way", ["drag", "reduced motion", "words"])
def test_nothing_is_on_its_way_at_a_drag_with_other_words_or_where_nothing_may_move(driver, moving, way):
    before = driver.heads
    if way == "drag":
        QTest.keyClick(driver.controls.temperature.slider, Qt.Key.Key_Up)
    elif way == "words":
        driver.type_into(driver.controls.sentence, "the mat sat on the cat")
    else:
        driver.window.set_reduced_motion(True)
        driver.key(Qt.Key.Key_N)
    driver.page.settle()
    assert driver.heads != before
    assert driver.canvas.map_picture.values == pytest.approx(driver.weights)
    assert not driver.canvas._tween.is_under_way


def test_in_a_window_of_another_size_the_head_is_there_at_once(driver, moving):
    driver.key(Qt.Key.Key_N)
    driver.page.settle()
    assert driver.canvas._tween.is_under_way
    driver.window.resize(1100, 700)
    driver.page.settle()
    assert not driver.canvas._tween.is_under_way
