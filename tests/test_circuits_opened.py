"""Answers of a model in the window: each opens on the view that asks the same, and other answers say why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_explorer
from attention_explorer import api
from attention_explorer.errors import ArrayError
from attention_explorer.pages.circuits import seen
from attention_explorer.pages.circuits.state import Breaks, CircuitsState, CircuitsView, PutIn
from attention_explorer.pages.session_file import read_session
from attention_explorer.sources.circuits.result import Openable
from attention_explorer.sources.models import Model

MODEL = Path(__file__).parent / "data" / "models" / "llama"
TEXT, TWIN = "the cat sat", "the dog sat"


@pytest.fixture(scope="module")
def model() -> Model:
    return attention_explorer.load_model(MODEL)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[CircuitsState]:
    """Return the states of the Circuits page that windows were opened on."""
    states: list[CircuitsState] = []

    def run(command: list[str], **_options: Any) -> None:
        session = read_session(Path(command[-1]))
        assert session.page == "circuits"
        states.append(session.state.circuits)

    monkeypatch.setattr(api.subprocess, "run", run)
    return states


def pair(model: Model) -> tuple[str, str]:
    """Return two words of one token."""
    words = [word for word in ("a", "b", "c", "d", "e", "t", "s") if len(model(TEXT).pieces(word)) == 1]
    return words[0], words[1]


def test_answers_open_on_the_view_that_asks_the_same(model: Model, opened: list[CircuitsState]) -> None:
    one, other = pair(model)
    trace = model(TEXT)
    answers: dict[CircuitsView, Openable] = {
        CircuitsView.LOOKS: model.detect(seed=3),
        CircuitsView.BREAKS: model.knock_out(TEXT, (one, other)),
        CircuitsView.DECIDED: trace.lens(1),
        CircuitsView.WRITES: trace.contributions(one, other),
        CircuitsView.WORDS: trace.words(one, other),
        CircuitsView.READS: model.composition(),
        CircuitsView.FOUND: model.find_circuit(seed=2),
    }
    for view, answer in answers.items():
        answer.open()
        assert opened[-1].view is view
    assert [state.seed for state in (opened[0], opened[-1])] == [3, 2]
    assert opened[2].position == 1
    for state in opened[1:5]:
        assert state.sentence == TEXT
    knocked = seen.breaks_seen(opened[1], (0, 0))
    assert opened[1].breaks is Breaks.ANSWER
    np.testing.assert_allclose(knocked.effect, np.asarray(answers[CircuitsView.BREAKS]), atol=1e-5)


def test_the_loss_and_a_twin_open_too(model: Model, opened: list[CircuitsState]) -> None:
    model.knock_out(TEXT, "loss").open()
    assert opened[-1].breaks is Breaks.LOSS
    length = len(model.tokenize(TEXT))
    twin = TWIN if len(model.tokenize(TWIN)) == length else "the mat sat"
    if len(model.tokenize(twin)) == length:
        model.patch(TEXT, twin, pair(model), "head").open()
        assert (opened[-1].twin, opened[-1].put_in) == (twin, PutIn.HEAD)


def test_what_the_window_does_not_ask_says_so(model: Model, opened: list[CircuitsState]) -> None:
    one, other = pair(model)
    others = (
        model.knock_out([5, 6, 7], (one, other)),
        model.knock_out(TEXT, one),
        model.knock_out(TEXT, (one, other), by="mean"),
        model.detect([TEXT]),
        model([5, 6, 7]).lens(),
        model(TEXT).contributions(one),
        model.knock_out(TEXT, "loss") * 2.0,
    )
    for answer in others:
        with pytest.raises(ArrayError, match="does not ask"):
            answer.open()
    assert not opened
