"""Tokens found by typing a part of them, and hidden as keys: what is hidden is said, and nothing is renormalised."""

from __future__ import annotations

import numpy as np
import pytest
from heads_driver import ask, numbers_in, sentence
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.core.map_picture import Window
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.kit.theme import LIGHT
from attention_explorer.pages.heads.alt_text import alt_text
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Hidden, Picture
from attention_explorer.pages.heads.ui.figure import HeadsFigure

THE = frozenset({"The", "the"})


@pytest.fixture
def search(driver):
    return driver.page.search


def look_for(driver, search, text: str) -> None:
    driver.key(Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is search.field
    QTest.keyClicks(search.field, text)


def columns_drawn_hidden(driver) -> list[int]:
    return [column for column in range(11) if driver.colour(7, column) == LIGHT.masked]


def test_typing_goes_to_the_first_match_and_enter_to_the_next(driver, search):
    assert not search.isVisible(), "who looks for nothing sees no field"
    driver.canvas.pin(NOWHERE)
    look_for(driver, search, "TH")
    assert driver.pin == (0, None), "“The”, whatever the letters"
    assert search.count.text() == "1 of 2"
    driver.key(Qt.Key.Key_Return, widget=search.field)
    assert driver.pin == (4, None)
    assert search.count.text() == "2 of 2"
    assert search.field.accessibleDescription() == "2 of 2"
    driver.key(Qt.Key.Key_Return, widget=search.field)
    assert driver.pin == (0, None), "after the last comes the first"
    driver.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier, search.field)
    assert driver.pin == (4, None)
    QTest.keyClicks(search.field, "x")
    assert search.count.text() == "no such token"
    assert not search.hide_tokens.isEnabled()
    assert driver.pin == (4, None)
    driver.key(Qt.Key.Key_Escape, widget=search.field)
    assert not search.isVisible()
    assert QApplication.focusWidget() is driver.canvas


def test_hidden_tokens_are_named_and_rows_visibly_sum_to_what_is_left(driver, search):
    look_for(driver, search, "the")
    driver.press(search.hide_tokens)
    assert driver.heads.view.hidden_tokens == THE
    assert driver.back_text == "Hide “The” “the”"
    assert columns_drawn_hidden(driver) == [0, 4]
    assert "“The” “the” hidden: rows sum to what is left" in driver.page.also.text()
    assert "renormalised" not in driver.page.also.text()
    shown = driver.canvas.map_picture.values
    others = [column for column in range(11) if column not in (0, 4)]
    np.testing.assert_array_equal(shown[:, others], driver.weights[:, others])
    sums = driver.weights[:, others].sum(1)
    texts = driver.texts()
    assert "row sum" in texts
    assert {f"{total:.4f}" for total in sums} <= set(texts)
    driver.hover(7, 4)
    assert driver.said.endswith("(hidden in the picture)")
    assert numbers_in(driver.said)[-1] == pytest.approx(driver.weights[7, 4], rel=1e-3)
    assert driver.page.panel.sentence.text().startswith("These are the raw weights.")
    assert "“The” “the” hidden: rows sum to what is left" in alt_text(driver.heads)
    assert search.hide_tokens.text() == "Show"
    driver.back()
    assert columns_drawn_hidden(driver) == []
    assert search.hide_tokens.text() == "Hide"


def test_show_all_and_the_list_of_hidings_bring_keys_back(driver, search):
    bar = driver.controls
    driver.page.open_drawer(True)
    driver.press(driver.page.drawer_parts.find_button)
    assert search.isVisible(), "the list leads to the search"
    assert bar.hidden.currentText() == "nothing", "nothing is hidden yet"
    QTest.keyClicks(search.field, "mat")
    driver.press(search.hide_tokens)
    search.field.selectAll()
    QTest.keyClicks(search.field, "cat")
    driver.press(search.hide_tokens)
    assert driver.heads.view.hidden_tokens == {"mat", "cat"}
    assert columns_drawn_hidden(driver) == [1, 5]
    driver.press(search.hide_tokens)
    assert driver.heads.view.hidden_tokens == {"mat"}, "the same button shows them again"
    driver.press(search.show_all)
    assert driver.heads.view.hidden_tokens == frozenset()
    assert not search.show_all.isVisible()
    driver.undo()
    driver.choose(bar.hidden, Hidden.PUNCTUATION)
    assert driver.heads.view.hidden_tokens == frozenset()
    assert "renormalised" in driver.page.also.text()
    search.field.selectAll()
    QTest.keyClicks(search.field, "it")
    driver.press(search.hide_tokens)
    assert driver.heads.view.hidden is Hidden.NOTHING, "one way of hiding at a time"


@pytest.mark.parametrize("picture", [Picture.STAGES, Picture.COMPARE])
def test_pictures_that_show_every_key_hide_none_and_say_so(driver, search, picture):
    look_for(driver, search, "the")
    driver.press(search.hide_tokens)
    driver.press(driver.controls.pictures.buttons[picture])
    assert not search.hide_tokens.isEnabled()
    assert search.hide_tokens.toolTip() == "Every key is shown here: hide keys in the map or the lines."
    assert "hidden" not in driver.page.also.text()


def test_lines_leave_them_out_too(driver, search):
    look_for(driver, search, "tired")
    driver.press(search.hide_tokens)
    driver.press(driver.controls.pictures.buttons[Picture.LINES])
    links = driver.canvas.numbers.picture.links
    assert 9 not in links.column
    assert links.weight == pytest.approx(driver.weights[links.row, links.column])
    assert "“tired” hidden" in driver.page.also.text()


def test_in_a_second_sentence_keys_are_found_behind_the_queries(open_heads):
    driver = open_heads(HeadsState(view=HeadsView()).with_recipe(sentence="a cat", context="one cat and a catfish"))
    driver.page.settle()
    search = driver.page.search
    look_for(driver, search, "cat")
    pins = [driver.pin]
    for _ in range(3):
        driver.key(Qt.Key.Key_Return, widget=search.field)
        pins.append(driver.pin)
    assert pins == [(1, None), (None, 1), (None, 4), (1, None)]
    driver.press(search.hide_tokens)
    assert driver.heads.view.hidden_tokens == {"cat", "catfish"}


def test_what_is_found_is_brought_into_view(open_heads, wait):
    driver = open_heads(HeadsState().with_recipe(sentence=f"{sentence(300)} needle", heads=1))
    wait(driver)
    ask(driver, driver.heads.with_view(window=Window(0, 40, 0, 40)))
    wait(driver)
    search = driver.page.search
    look_for(driver, search, "needle")
    wait(driver)
    assert driver.pin == (300, None)
    seen = driver.heads.view.window
    assert seen.top <= 300 < seen.bottom
    assert seen.bottom - seen.top == 40


def test_files_say_what_is_hidden_and_hold_the_weights_too():
    heads = HeadsState().with_view(hidden_tokens=THE)
    figure = HeadsFigure(heads)
    assert "“The” “the” hidden: rows sum to what is left" in figure.caption
    numbers = figure.numbers()
    weights = heads_frame(heads.setup).map.weights()
    left = weights.copy()
    left[:, [0, 4]] = 0.0
    np.testing.assert_array_equal(np.asarray(numbers.arrays["weights"]), left)
    np.testing.assert_array_equal(np.asarray(numbers.arrays["raw_weights"]), weights)
    assert numbers.parameters["hidden_tokens"] == ["The", "the"]
    assert numbers.parameters["note"].startswith("not every row")


def test_hidden_tokens_that_are_not_there_change_nothing():
    heads = HeadsState().with_view(hidden_tokens=frozenset({"elsewhere"}))
    assert HeadsFigure(heads).caption == HeadsFigure(HeadsState()).caption
