"""A page as a Python script: short, of public names, and drawing the very same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kept import sessions, stem

from attention_explorer import (
    Experiment,
    ExplorerState,
    HeadsSetup,
    HeadsState,
    HeadsView,
    LookupState,
    ModelRecipe,
    Picture,
    render,
)
from attention_explorer.pages.as_python import WIDTH, python_of
from attention_explorer.pages.heads.parts import Check
from attention_explorer.pages.registry import parts_of
from attention_explorer.rendering import shown_by

MOST_LINES = 40


def run(script: str) -> dict[str, Any]:
    """Run a script, and return what its names stand for."""
    names: dict[str, Any] = {}
    exec(script, names)  # noqa: S102 - of our own making
    return names


def state_of(script: str) -> Any:
    """Return the state that a script makes, without drawing it."""
    return run(script[: script.index("ae.render")])["state"]


@pytest.mark.parametrize("path", sessions(), ids=stem)
def test_a_script_says_what_the_page_shows(path: Path) -> None:
    saved = shown_by(path)
    script = python_of(saved.state, saved.page)
    assert len(script.splitlines()) <= MOST_LINES
    assert max(map(len, script.splitlines())) <= WIDTH
    made = state_of(script)
    again = shown_by(made, saved.page if isinstance(made, ExplorerState) else "")
    assert again.page == saved.page
    assert again.state.lab.view is saved.state.lab.view or saved.page != "lab"
    part = saved.state.lab.view.part if saved.page == "lab" else parts_of(saved.page)[0]
    assert getattr(again.state, part) == getattr(saved.state, part)


@pytest.mark.usefixtures("qapp")
def test_another_number_in_it_is_another_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    state = LookupState(query=(1.25, 0.5))
    script = python_of(ExplorerState(lookup=state), "lookup")
    run(script)
    assert Path("lookup.svg").read_bytes() == render(state, format="svg")
    run(script.replace("1.25", "-1.25"))
    assert Path("lookup.svg").read_bytes() == render(LookupState(query=(-1.25, 0.5)), format="svg")


def test_what_stands_in_quotes_is_what_was_typed() -> None:
    recipe = ModelRecipe("C:\\models\\“mine”", sentence='it\'s "so"\tsaid ☃')
    state = ExplorerState(heads=HeadsState(HeadsSetup(recipe=recipe)))
    assert state_of(python_of(state, "heads")).setup.recipe == recipe


def test_the_experiment_of_heads_is_said_too() -> None:
    heads = HeadsState(view=HeadsView(picture=Picture.CHECK), experiment=Experiment(Check.CHANGE, token=2, amount=0.5))
    assert state_of(python_of(ExplorerState(heads=heads), "heads")) == heads
