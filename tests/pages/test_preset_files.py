"""The files of ready-made states: what is wrong in one is said, with where it is."""

from __future__ import annotations

import pytest

from attention_explorer.core import files
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.circuits.state import CircuitsState
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.preset_files import presets_in_file
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.sources.learned.box import BOX

WORDS = """
[[preset]]
id = "one"
title = "One"
look_for = "Look."
"""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch):
    """Read a text as if it were the file of the pictures of cost."""

    def read(text: str):
        monkeypatch.setattr(files, "read_text", lambda _name, _package: text)
        return presets_in_file.__wrapped__("cost", CostState)

    return read


def test_what_a_file_does_not_say_is_as_the_page_begins(read) -> None:
    (ready,) = read(f"{WORDS}state = {{ n = 7 }}\ntruths = ['So it is.']")
    assert ready.state == CostState(n=7, preset="one")
    assert (ready.id, ready.title, ready.look_for, ready.truths) == ("one", "One", "Look.", ("So it is.",))
    assert read(WORDS)[0].state == CostState(preset="one")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{WORDS}state = {{ n = 0 }}", r"cost_presets.toml: one.n is 0, but must be from 1 to 16777216"),
        (f"{WORDS}state = {{ scope = 'half' }}", r"one.scope is “half”, but must be “one head”"),
        (f"{WORDS}state = {{ tokens = 3 }}", r"cost_presets.toml: “one.tokens” is not known"),
        (f"{WORDS}looks_for = 'else'", "damaged"),
        (WORDS.replace('title = "One"', ""), "damaged"),
        (WORDS.replace('id = "one"', ""), "damaged"),
        ("[[preset", "damaged"),
        ("", "damaged"),
    ],
)
def test_what_is_wrong_is_said(read, text: str, said: str) -> None:
    with pytest.raises(ExplorerError, match=said):
        read(text)


def test_the_models_of_circuits_are_in_the_box() -> None:
    boxed = {(model.setup, model.step) for model in BOX.values()}
    recipes = [ready.state.recipe for ready in preset_list("circuits")]
    assert {(recipe.setup, recipe.step) for recipe in recipes} <= boxed
    assert preset_list("circuits")[0].state == CircuitsState()
