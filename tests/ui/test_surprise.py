"""How little a model expected each token, as a bar below it on Heads."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from heads_driver import pixels

from attention_explorer.kit.frame.token_line import BAR
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models import load_model

MODELS = Path(__file__).parents[1] / "data" / "models"
TEXT = "The cat sat on the mat"


def opened(open_heads, name: str):
    driver = open_heads(HeadsState().with_setup(recipe=model_recipe(MODELS / name, TEXT)))
    driver.page.settle()
    return driver


@pytest.fixture
def driver(open_heads):
    return opened(open_heads, "gpt2")


def settle(driver) -> None:
    driver.page.settle()
    assert driver.page.subject.surprise.working.jobs.wait(60)


def switch(driver) -> None:
    driver.press(driver.controls.surprise)
    settle(driver)


def line_of(driver):
    return driver.page.subject.sentence.line


def bar_of(driver, token: int):
    """Return the pixels amid the lower edge of a token."""
    line = line_of(driver)
    box = line.box_of(token)
    x, y = round(box.center().x()), round(box.bottom() - BAR / 2)
    return pixels(line.grab().toImage())[y, x]


def test_a_switch_in_the_drawer_puts_a_bar_below_each_token_but_the_first(driver):
    bare = [bar_of(driver, token) for token in range(4)]
    assert not driver.page.subject.surprise_words.isVisible()
    switch(driver)
    line, bits = line_of(driver), load_model(MODELS / "gpt2")(TEXT).surprise
    assert line.tokens.surprise[1:] == pytest.approx(bits[1:].tolist(), abs=1e-3)
    assert math.isnan(line.tokens.surprise[0])
    now = [bar_of(driver, token) for token in range(4)]
    assert (now[0] == bare[0]).all()
    assert all((new != old).any() for new, old in zip(now[1:], bare[1:], strict=True))
    assert f"{bits[1:].mean():.1f} bits a token" in driver.page.subject.surprise_words.text()
    assert f"Surprise {bits[2]:.1f} bits" in line.tip_at(line.box_of(2).center())
    assert "Surprise" not in line.tip_at(line.box_of(0).center())
    assert "Most surprising" in line.spoken()
    switch(driver)
    assert [bar_of(driver, token).tolist() for token in range(4)] == [each.tolist() for each in bare]


def test_it_follows_what_is_typed_and_what_is_hidden_from_the_model(driver):
    switch(driver)
    before = line_of(driver).tokens.surprise
    driver.click(line_of(driver).eye_of(1).center(), line_of(driver))
    settle(driver)
    hidden = line_of(driver).tokens.surprise
    assert hidden[1] == pytest.approx(before[1], abs=1e-6), "it could not look at itself when it was foretold"
    assert hidden[3:] != pytest.approx(before[3:], abs=1e-6)
    driver.paste_into(driver.controls.sentence, "The mat")
    settle(driver)
    assert len(line_of(driver).tokens.surprise) == len(line_of(driver).tokens.texts)


def test_who_sees_what_it_would_foretell_is_not_asked(open_heads):
    driver = opened(open_heads, "bert")
    assert not driver.controls.surprise.isVisible()
