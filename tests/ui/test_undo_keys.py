"""Ctrl+Z and Ctrl+Shift+Z, in fields and on other pages: the history of the window, by real keys."""

from __future__ import annotations

import pytest
from heads_driver import HeadsDriver
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.pages.heads.state import MaskKind, Picture
from attention_explorer.session.settings import Settings, ThemeChoice

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def undo(widget) -> None:
    QTest.keyClick(widget, Qt.Key.Key_Z, CTRL)


def redo(widget) -> None:
    QTest.keyClick(widget, Qt.Key.Key_Z, CTRL | SHIFT)


@pytest.fixture
def setup(driver):
    """The numbers of the random heads, on show."""
    return driver.controls.parts.random.form.controls


def test_a_number_box_of_the_setup_undoes_and_redoes_what_was_typed(driver, setup):
    box = setup["heads"]
    driver.type_into(box, "4")
    driver.time += 5.0
    driver.type_into(box, "2")
    assert driver.frame.heads == 2
    box.setFocus()  # Enter gave the keyboard to the picture
    undo(box)
    assert (driver.frame.heads, box.value(), box.text()) == (4, 4, "4")
    undo(box)
    assert (driver.frame.heads, box.value(), box.text()) == (8, 8, "8")
    redo(box)
    redo(box)
    assert (driver.frame.heads, box.value(), box.text()) == (2, 2, "2")
    assert box.hasFocus()


def test_a_number_box_undoes_what_was_done_elsewhere(driver, setup):
    driver.page.toggle_hard()
    driver.controls.temperature.box.setFocus()
    setup["seed"].setFocus()
    undo(setup["seed"])
    assert not driver.heads.setup.hard
    redo(setup["seed"])
    assert driver.heads.setup.hard


@pytest.mark.parametrize("key", [undo, redo])
def test_a_number_that_is_being_typed_is_given_up_first(driver, setup, key):
    driver.page.toggle_hard()
    box = setup["d_model"]
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "12")
    key(box)
    assert box.text() == "64"
    assert driver.heads.setup.hard, "no step of the history was taken back"
    assert driver.heads.setup.recipe.d_model == 64
    undo(box)
    assert not driver.heads.setup.hard


def test_back_in_a_number_of_the_view_sets_the_view_back(driver):
    driver.show(Picture.LINES)
    mass = driver.controls.mass.box
    driver.type_into(mass, "0.5")
    assert driver.heads.view.mass == 0.5
    mass.setFocus()
    QTest.keyClick(mass, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert driver.heads.view.mass == 0.9
    assert mass.text() == "0.9"


def test_the_sentence_undoes_the_steps_of_the_window_and_not_letters_of_its_own(driver):
    field = driver.controls.sentence
    before = field.text()
    field.setFocus()
    field.end(False)
    QTest.keyClicks(field, " and asleep")
    driver.time += 5.0
    driver.page.toggle_hard()
    field.setFocus()
    undo(field)
    assert not driver.heads.setup.hard, "the last thing that was done is taken back, wherever it was"
    assert field.text() == f"{before} and asleep"
    undo(field)
    assert field.text() == before == driver.heads.setup.recipe.sentence
    assert driver.steps == 2
    undo(field)
    assert field.text() == before, "nothing is left, neither in the window nor in the field"
    redo(field)
    redo(field)
    assert field.text() == f"{before} and asleep"
    assert driver.heads.setup.hard


def test_a_sentence_that_was_emptied_comes_back(driver):
    driver.page.toggle_hard()
    field = driver.controls.sentence
    shown = field.text()
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    assert field.text() == ""
    undo(field)
    assert field.text() == shown
    assert driver.heads.setup.hard


def test_the_number_of_a_mask_undoes(driver):
    driver.choose(driver.controls.masks, MaskKind.WINDOW)
    box, size = driver.controls.mask_size, driver.heads.setup.mask.size
    driver.time += 5.0
    driver.type_into(box, "5")
    undo(box)
    assert driver.heads.setup.mask.size == size
    assert box.text() == f"{size}"
    assert driver.told == ""
    driver.type_into(box, "2.5")
    assert "whole number" in driver.told


# ---- From another page ----


@pytest.fixture
def masked(make_window, hand):
    """The Lookup page, after a mask has been chosen on Heads."""
    driver = HeadsDriver(make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads")), hand)
    driver.choose(driver.controls.masks, "causal")
    driver.keep()
    assert driver.said.startswith("Kept as B")
    driver.press(driver.window.rail.buttons["lookup"])
    assert driver.window.settings.page == "lookup"
    driver.window.activateWindow()
    QApplication.processEvents()
    return driver


def test_what_was_said_of_one_page_is_not_said_on_the_next(masked):
    assert masked.window._readout.shown() == ""


def test_undo_and_redo_go_to_the_page_that_changes_and_say_what_they_did(masked):
    window = masked.window
    for _ in range(2):
        undo(window.page)
    assert window.settings.page == "heads"
    assert window.rail.buttons["heads"].isChecked()
    assert masked.heads.setup.mask.kind is MaskKind.NONE
    masked.press(window.rail.buttons["lookup"])
    redo(window.page)
    assert window.settings.page == "heads"
    assert masked.heads.setup.mask.kind is MaskKind.CAUSAL
    assert masked.told == "Redone: Change the mask."
    undo(window.page)
    assert masked.told == "", "the change is seen on the page"


def test_undo_goes_on_where_it_has_gone(masked):
    """Each step says what it did, on the page where it is seen."""
    window = masked.window
    QTest.keyClick(window.page.canvas, Qt.Key.Key_H)
    assert window.session.state.lookup.hard
    undo(window.page.canvas)
    assert (window.settings.page, masked.told) == ("lookup", "")
    undo(window.page.canvas)
    assert (window.settings.page, masked.told) == ("heads", "Undone: Keep as B.")
    assert QApplication.focusWidget() is masked.canvas
    redo(masked.canvas)
    redo(masked.canvas)
    assert (window.settings.page, masked.told) == ("lookup", "Redone: Hard lookup.")
