"""A word is hidden from the model on Heads by the eye below it; the guess stands beside the sentence."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from heads_driver import pixels
from people_driver import catch_up
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from test_lesson_secrets import window_texts
from test_lessons import OWN, Learner

from attention_explorer.app import first_state
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import HIDING, heads_preset
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.heads.ui import guess as guess_module
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.recipe import ToyRecipe

EXAMPLE = heads_preset(HIDING).state
SOFT, BED, IT = 9, 5, 7


@pytest.fixture
def driver(open_heads):
    return settled(open_heads(EXAMPLE))


def settled(driver):
    driver.page.settle()
    assert driver.page.subject.guess.asked.working.jobs.wait(60)
    return driver


def line_of(driver):
    return driver.page.subject.sentence.line


def click_eye(driver, token: int) -> None:
    driver.click(line_of(driver).eye_of(token).center(), line_of(driver))
    settled(driver)


def guess(driver) -> tuple[str, str]:
    """Return the guess before and now, as they are shown; nothing before where no word is hidden."""
    beside = driver.page.subject.guess
    assert beside.isVisible()
    found = beside.found
    return "" if found.before is None else found.before.word, found.now.word


def test_a_click_on_an_eye_hides_a_word_and_another_has_it_seen_again(driver):
    assert guess(driver) == ("", "bed")
    click_eye(driver, SOFT)
    assert guess(driver) == ("bed", "cat")
    assert driver.weights[:, SOFT] == pytest.approx(0.0, abs=0.0)
    assert line_of(driver).tokens.hidden == (SOFT,)
    assert line_of(driver).tokens.texts[SOFT] == "soft", "the sentence stays"
    assert "without “soft”" in driver.page.subject.guess.spoken()
    click_eye(driver, SOFT)
    assert guess(driver) == ("", "bed")
    assert driver.heads == EXAMPLE


def test_a_word_that_is_not_needed_changes_nothing_and_two_can_be_hidden(driver):
    click_eye(driver, 2)
    assert guess(driver) == ("bed", "bed")
    assert "with every word to be seen: the same" in driver.page.subject.guess.spoken().casefold()
    click_eye(driver, BED)
    assert guess(driver)[1] not in ("bed", "cat")
    assert line_of(driver).tokens.hidden == (2, BED)


def test_delete_hides_the_word_that_asks(driver):
    line = line_of(driver)
    line.setFocus()
    for _ in range(SOFT - IT):
        QTest.keyClick(line, Qt.Key.Key_Right)
    assert driver.heads.view.row == SOFT
    QTest.keyClick(line, Qt.Key.Key_Delete)
    settled(driver)
    assert guess(driver) == ("bed", "cat"), "it is asked at “it”, whichever word is looked at"
    QTest.keyClick(line, Qt.Key.Key_Delete)
    assert driver.heads.words_hidden == ()


def test_delete_has_a_word_seen_again_where_there_are_no_eyes_too(open_heads):
    driver = settled(open_heads(HeadsState().with_word(1, hide=True)))
    line = line_of(driver)
    assert not line.tokens.has_eyes
    driver.click(line.box_of(1).center(), line)
    QTest.keyClick(line, Qt.Key.Key_Delete)
    assert driver.heads.words_hidden == ()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    assert driver.heads.words_hidden == (), "hiding is for who guesses"


def test_a_guess_is_told_once_however_the_pointer_moves(open_heads, monkeypatch):
    told: list[str] = []
    monkeypatch.setattr(guess_module, "tell_changed", lambda beside: told.append(beside.spoken()))
    driver = settled(open_heads(EXAMPLE))
    line = line_of(driver)
    for token in range(10):
        QTest.mouseMove(line, line.box_of(token).center().toPoint())
        catch_up(driver.window)
    assert told == ["The model’s guess: “it” means “bed”, >99 %"]


def test_two_quick_clicks_are_two_and_type_nothing(driver):
    line = line_of(driver)
    place = line.mapTo(driver.window, line.eye_of(SOFT).center().toPoint())
    QTest.mouseDClick(driver.window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    settled(driver)
    assert not driver.page.subject.sentence.is_typed
    assert driver.heads.words_hidden == ()
    assert driver.heads.view.row == IT, "no word was pinned"


def test_hiding_is_one_step_of_undo(driver):
    click_eye(driver, SOFT)
    driver.undo()
    settled(driver)
    assert driver.heads == EXAMPLE
    assert guess(driver) == ("", "bed")


def test_an_eye_is_told_from_its_word_and_says_what_it_does(driver):
    line = line_of(driver)
    for token in range(10):
        assert not line.box_of(token).intersects(line.eye_of(token))
        assert line.rect().contains(line.eye_of(token).toAlignedRect())
    eye = line.eye_of(SOFT).center()
    assert line.tip_at(eye).startswith("Hide “soft” from the model")
    before = pixels(line.grab().toImage())
    click_eye(driver, SOFT)
    assert line.tip_at(eye) == "Let the model look at “soft” again"
    assert "Hidden: soft" in line.spoken()
    assert (pixels(line.grab().toImage()) != before).any()


def test_the_guess_stands_beside_the_words_however_wide_the_window_is(driver):
    for width, high in ((2560, 1440), (1280, 800), (1024, 768)):
        driver.window.resize(width, high)
        catch_up(driver.window)
        line, beside = line_of(driver), driver.page.subject.guess
        end = line.mapTo(driver.page, line.box_of(9).topRight().toPoint()).x()
        left = beside.mapTo(driver.page, QPoint(0, 0)).x()
        assert end <= left <= end + 300
        assert beside.mapTo(driver.page, beside.rect().topRight()).x() < driver.page.width(), "also after it was wider"


def test_another_sentence_is_guessed_anew_and_an_unknown_word_ends_guessing(driver):
    driver.type_into(driver.controls.sentence, "The fox slept on the rug because it was soft")
    settled(driver)
    assert guess(driver) == ("", "rug")
    click_eye(driver, SOFT)
    assert guess(driver) == ("rug", "fox")
    driver.type_into(driver.controls.sentence, "The unicorn slept on the rug because it was soft")
    settled(driver)
    assert not driver.page.subject.guess.isVisible()
    assert not line_of(driver).tokens.has_eyes


@pytest.mark.parametrize("preset", ["random-words", "smollm2", "learned-repeat", "learned-translation"])
def test_where_nobody_guesses_there_are_no_eyes(open_heads, preset):
    driver = settled(open_heads(heads_preset(preset).state))
    assert not driver.page.subject.guess.isVisible()
    assert not line_of(driver).tokens.has_eyes
    assert line_of(driver).eye_of(0).isEmpty()


def test_words_hidden_from_random_heads_are_drawn_as_hidden_too(open_heads):
    driver = settled(open_heads(HeadsState().with_word(1, hide=True)))
    assert line_of(driver).tokens.hidden == (1,)


def test_a_second_sentence_has_its_hidden_words(open_heads):
    heads = replace(HeadsState(), setup=replace(HeadsState().setup, recipe=ToyRecipe("a b c", context="d e")))
    driver = settled(open_heads(heads.with_word(1, hide=True)))
    assert driver.page.subject.context.line.tokens.hidden == (1,)
    assert line_of(driver).tokens.hidden == ()


# ---- The first thing on the page ----


def test_the_first_thing_to_try_opens_the_example(open_heads):
    driver = settled(open_heads())
    first = driver.page.panel.tries.boxes[0]
    assert first.text() == "Hide a word from a model"
    driver.press(first)
    settled(driver)
    assert driver.heads.preset == HIDING
    assert driver.heads.view.picture is Picture.HEATMAP, "in the view that is open"
    assert first.text() == "Click the eye below a word"
    assert not first.isChecked()
    click_eye(driver, SOFT)
    assert first.isChecked()


# ---- In the lesson ----


@pytest.fixture
def learner(make_window, hand) -> Learner:
    return Learner(make_window(OWN, Settings(theme=ThemeChoice.LIGHT)), hand)


def test_the_guess_is_kept_to_itself_until_the_question_is_answered(learner):
    learner.start("first-minute")
    grabs = []
    for _ in range(4):
        settled(learner)
        if learner.place.now.answer is not None:
            beside = learner.page.subject.guess
            assert beside.isVisible()
            assert beside.spoken() == beside.toolTip() == "The model’s guess: hidden until you answer"
            grabs.append(pixels(beside.grab().toImage()))
            if learner.place.step == 3:
                assert not re.search(r"\btable\b", window_texts(learner).partition("Table")[0])
                click_eye(learner, BED)
                assert beside.spoken() == "The model’s guess: hidden until you answer", "nor by the eyes"
                click_eye(learner, BED)
        learner.play_step()
    assert len(grabs) == 2
    assert (grabs[0] == grabs[1]).all(), "“bed” and “table” are both “?”"


def test_the_model_says_it_when_the_learner_has_answered(learner):
    learner.start("first-minute")
    learner.answer()
    settled(learner)
    assert guess(learner) == ("", "bed")
    learner.go_on(learner.card.next)
    assert not learner.place.is_done
    click_eye(learner, SOFT)
    assert learner.place.is_done
    assert guess(learner) == ("bed", "cat")
    learner.go_on(learner.card.next)
    click_eye(learner, SOFT)
    assert learner.place.is_done
    assert guess(learner) == ("", "bed")
    learner.press(learner.card.leave)
    assert learner.window.session.state == OWN


def test_the_default_state_is_as_it_was():
    assert ExplorerState().heads.preset == "random-words"
    assert ExplorerState().heads.words_hidden == ()


def test_the_first_start_shows_the_guess_and_the_eyes_and_compares_with_a_hidden_word(open_heads):
    driver = settled(open_heads(first_state().heads))
    assert guess(driver) == ("", "bed")
    assert line_of(driver).tokens.has_eyes
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    settled(driver)
    assert driver.canvas.numbers.picture.difference.values[IT, BED] > 0.9
