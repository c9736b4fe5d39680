"""Tokens of a word shown as one on Heads: the same pins, the same hidden words, and no scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.subject import with_subject
from attention_explorer.sources.model_source import model_recipe

MODEL = Path(__file__).parents[1] / "data" / "models" / "gpt2"


@pytest.fixture
def driver(open_heads):
    driver = open_heads(HeadsState().with_setup(recipe=model_recipe(MODEL, "The cat, well-known, sat")))
    driver.page.settle()
    return driver


def switch(driver) -> None:
    driver.press(driver.controls.whole_words)
    driver.page.settle()


def tokens(driver) -> tuple[str, ...]:
    return driver.page.subject.sentence.line.tokens.texts


def test_a_switch_shows_words_in_place_of_their_tokens(driver):
    many = tokens(driver)
    switch(driver)
    assert [word.strip("␣") for word in tokens(driver)] == ["The", "cat", ",", "well-known", ",", "sat"]
    assert driver.weights.shape == (6, 6)
    np.testing.assert_allclose(driver.weights.sum(axis=1), 1.0, atol=1e-5)
    assert not driver.page.bar.view_row.buttons[Picture.STAGES].isEnabled()
    assert "whole words" in driver.page.also.text()
    driver.press(driver.controls.surprise)
    assert driver.page.subject.surprise.working.jobs.wait(60)
    assert "bits a word" in driver.page.subject.surprise_words.text()
    switch(driver)
    assert tokens(driver) == many
    driver.undo()
    driver.page.settle()
    assert driver.heads.whole_words


def test_what_is_pinned_and_hidden_stays_that_word(driver):
    line = driver.page.subject.sentence.line
    last = len(tokens(driver)) - 1
    driver.click(line.box_of(last).center(), line)
    driver.click(line.eye_of(0).center(), line)
    driver.page.settle()
    switch(driver)
    assert driver.heads.view.row == 5
    assert driver.heads.words_hidden == (0,)
    assert not driver.weights[:, 0].any()
    switch(driver)
    word = source_words(driver)
    assert word[driver.heads.view.row] == 5
    assert {word[place] for place in driver.heads.words_hidden} == {0}


def source_words(driver) -> tuple[int, ...]:
    return driver.frame.source.words[0]


def test_the_layer_page_has_the_tokens(driver):
    switch(driver)
    layer = with_subject(driver.window.session.state)
    assert layer.block.model is not None
    assert not layer.block.model.whole_words
