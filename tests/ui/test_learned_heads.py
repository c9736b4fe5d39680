"""Learned models on the Heads page: words are typed, unknown ones refused, and others are learned on the worker."""

from __future__ import annotations

from dataclasses import replace

import pytest
from heads_driver import ask
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, Picture
from attention_explorer.session import memory
from attention_explorer.sources import learned_source
from attention_explorer.sources.learned.tasks import TASKS
from attention_explorer.sources.learned_recipe import LearnedRecipe


def learned(step: int, **sizes: int) -> HeadsState:
    """A model that is not in the box."""
    setup = replace(TASKS["reverse"].setup, length=4, d_model=8, batch=8, **sizes)
    return HeadsState(HeadsSetup(LearnedRecipe(setup, step, "a b c d")), preset="")


@pytest.fixture
def driver(open_heads):
    driver = open_heads(heads_preset("learned-it").state)
    driver.page.settle()
    return driver


def test_another_adjective_moves_the_weight(driver):
    row = driver.weights[7]
    assert (driver.frame.queries[7], driver.frame.keys[row.argmax()]) == ("it", "cat")
    driver.type_into(driver.controls.sentence, "The cat sat on the mat because it was soft.")
    driver.page.settle()
    row = driver.weights[7]
    assert driver.frame.keys[row.argmax()] == "mat"
    assert row.max() > 0.99


def test_an_unknown_word_is_refused_with_what_is_known_and_the_picture_stays(driver):
    driver.type_into(driver.controls.sentence, "The cat sat on the mat because it was tyred.")
    driver.page.settle()
    assert "The model has not learned “tyred”. Did you mean “tired”?" in driver.page.requests.reason
    assert driver.page.requests.misleads
    assert driver.canvas.frame.queries[-1] == "was", "the last that could be computed while it was typed"
    assert driver.controls.sentence.text().endswith("tyred.")
    driver.type_into(driver.controls.sentence, "The cat sat on the mat because it was tired.")
    driver.page.settle()
    assert not driver.page.requests.reason


def test_it_is_compared_with_its_twin_at_a_press(driver):
    QTest.mouseClick(driver.controls.pictures.buttons[Picture.COMPARE], Qt.MouseButton.LeftButton)
    driver.page.settle()
    difference = driver.canvas.numbers.picture.difference.values
    assert difference[7, 1] > 0.9
    assert difference[7, 5] < -0.9


def test_a_model_that_is_not_in_the_box_is_learned_when_it_is_looked_at(driver):
    ask(driver, learned(60, seed=5))
    driver.page.settle()
    assert driver.frame.queries == ("a", "b", "c", "d")
    assert driver.weights.sum(axis=1) == pytest.approx(1.0)
    assert "step 60, seed 5" in driver.page.canvas.frame.source.traits.origin


def test_a_new_session_does_not_learn_again_what_was_on_show(driver, monkeypatch):
    ask(driver, learned(60, seed=5))
    driver.page.settle()
    driver.page.open_drawer(True)  # what belongs to random models comes into view with the new session
    runs, run_of = [], learned_source.run_of
    monkeypatch.setattr(learned_source, "run_of", lambda setup: runs.append(setup) or run_of(setup))
    memory.empty()
    driver.window.files.opened.begin()
    assert not runs
    driver.page.settle()
    assert "predicted" in driver.page.drawer_parts.random.readout.text()
    assert not runs


def test_escape_stops_learning_and_what_was_shown_stays(driver, qtbot):
    before = driver.canvas.frame
    ask(driver, learned(100_000, seed=6))
    qtbot.waitUntil(lambda: driver.page.note.isVisible(), timeout=20_000)
    driver.key(Qt.Key.Key_Escape)
    assert not driver.page.requests.is_pending
    assert driver.said.startswith("Stopped.")
    assert driver.page.requests.jobs.wait(20)
    assert driver.canvas.frame is before


def test_what_a_picture_offers_gives_way_to_the_ways_on_from_an_unknown_word(open_heads) -> None:
    driver = open_heads(replace(heads_preset("learned-it").state.with_view(picture=Picture.COMPARE), other=None))
    driver.page.settle()
    offers = driver.page.offers
    assert offers.isVisible()
    driver.type_into(driver.controls.sentence, "The cat sat on the mat because it was tyred")
    assert driver.page.subject._ways_row.isVisible()
    assert not offers.isVisible()
    driver.press(next(button for button in driver.page.subject._buttons if button.isVisible()))
    driver.page.settle()
    assert offers.isVisible()


def test_an_unknown_word_has_ways_on_and_the_map_before_it_stays_bright(driver) -> None:
    driver.type_into(driver.controls.sentence, "The cat sat on the mat because it was tyred.")
    subject, page = driver.page.subject, driver.page
    ways = [button for button in subject._buttons if button.isVisible()]
    assert [way.text() for way in ways] == ["use “tired” instead of “tyred”", "random heads take any sentence"]
    said = "“tyred” was not learned. Still on show: “The cat sat on the mat …”."
    assert subject.unknown_words.text() == said
    assert (page.note.isVisible(), [cover for cover in page.note.covers if cover.isVisible()]) == (False, [])
    assert driver.canvas.frame.queries[-1] == "was"
    driver.type_into(driver.controls.sentence, "The dodo sat on the roof.")  # letter by letter: “The” is known
    assert driver.canvas.frame.queries == ("The",)
    assert subject.unknown_words.text() == "“dodo” was not learned. Still on show: “The”."
    driver.type_into(driver.controls.sentence, "The cet sat on the mot because it was soft")
    assert [way.text() for way in subject._buttons if way.isVisible()] == [
        "use “cat” and “mat” instead",
        "random heads take any sentence",
    ]
    driver.press(ways[0])
    assert driver.heads.setup.recipe.sentence == "The cat sat on the mat because it was soft"
    assert driver.undo_text == "Use “cat” and “mat”"
    driver.type_into(driver.controls.sentence, "A dodo sat on the roof beside Otto and Emma.")
    assert subject.unknown_words.text().startswith("“A”, “dodo” and 3 more were not learned.")
    driver.type_into(driver.controls.sentence, "The cat sat on the mat because it was tyred .")
    driver.press(ways[0])
    assert driver.heads.setup.recipe.sentence == "The cat sat on the mat because it was tired ."
    assert not subject.unknown_words.isVisible()
