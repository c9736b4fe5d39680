"""The questions that a recording proposes: each has one answer, which is computed and which nothing on show tells."""

from __future__ import annotations

import math

import pytest

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PARTS, ReadyMade, find_preset, presets_in
from attention_explorer.tools.lessons.answers import judged, truth
from attention_explorer.tools.lessons.expression import Expression
from attention_explorer.tools.lessons.lesson import Kind
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.proposing import proposed, proposed_words, why_none
from attention_explorer.tools.lessons.recording import Moment, Recording
from attention_explorer.tools.lessons.walk import checked, texts_of, unproved_numbers

READY = [ready for part in PARTS for ready in list(presets_in(part))[::2]]
WITHOUT = {
    "lines",
    "norm",
    "linear",
    "cache",
    "decided",
    "words",
    "twins",
    "smallest",
    "future",
    "writes",
    "reads",
    "twins-heads",
}
"""Presets of pictures whose numbers lessons have no names for."""


def plane(**fields: object) -> ExplorerState:
    state = find_preset("two-keys", "lookup").state
    return with_fields(state, {f"lookup.{name}": value for name, value in fields.items()})


def kinds(state: ExplorerState, page: str, *changed: str) -> list[Kind]:
    return [step.answer.kind for step in proposed(state, page, frozenset(changed)) if step.answer is not None]


@pytest.mark.parametrize("ready", READY, ids=lambda ready: f"{ready.part}-{ready.id}")
def test_every_question_has_an_answer_that_is_hidden_and_passes_the_check(ready: ReadyMade) -> None:
    questions = proposed(ready.state, ready.page)
    assert bool(questions) == (ready.id not in WITHOUT), why_none(ready.state, ready.page)
    for question in questions:
        assert question.answer is not None
        assert question.hide
        right = truth(question.answer, ready.state)
        assert judged(question, ready.state, right).is_right
        lesson = Recording((Moment(ready.state, ready.page, words="So.", question=question),), "T").lesson()
        assert "answer" in [name for _, name, _ in checked(lesson)]
        assert not list(unproved_numbers(lesson))
        texts = " ".join(texts_of(question))
        assert not isinstance(right, float) or f"{right:.4g}" not in texts


def test_what_was_changed_is_asked_about_first() -> None:
    assert kinds(plane(), "lookup", "lookup.query")[0] is Kind.ORDER
    assert kinds(plane(), "lookup", "lookup.temperature")[0] is Kind.BARS
    masked = with_fields(find_preset("random-words", "heads").state, {"heads.setup.mask.kind": "causal"})
    assert kinds(masked, "heads", "heads.setup.mask.kind")[0] is Kind.CELLS
    assert kinds(masked, "heads", "heads.view.row")[0] is Kind.TOKEN


def test_near_ties_and_what_is_no_number_are_not_asked_about() -> None:
    assert Kind.ORDER in kinds(plane(), "lookup")
    assert Kind.ORDER not in kinds(plane(query=[0.9, 1.2]), "lookup"), "both score 2.04"
    equal = find_preset("running-mean", "heads").state
    assert Kind.TOKEN not in kinds(equal, "heads")
    overflow = find_preset("overflow", "scaling")
    assert kinds(overflow.state, overflow.page) == [], "its weights are no numbers"


def test_alibi_is_asked_about_alone_where_it_is_on_show() -> None:
    def of(name: str) -> list[str]:
        ready = find_preset(name, "positions")
        answers = [step.answer.of for step in proposed(ready.state, ready.page) if step.answer is not None]
        return [answer.text for answer in answers if isinstance(answer, Expression)]

    assert "positions.penalty" in of("alibi")
    assert "positions.penalty" not in of("sinusoidal")


@pytest.mark.parametrize("name", ["norm", "decided"])
def test_where_nothing_can_be_asked_it_is_said_why(name: str) -> None:
    (ready,) = (ready for part in PARTS for ready in presets_in(part) if ready.id == name)
    assert f"“{name}”" in why_none(ready.state, ready.page)
    overflow = find_preset("overflow", "scaling")
    assert "Nothing can be asked" in why_none(overflow.state, overflow.page)


def test_words_name_the_example_or_what_was_changed() -> None:
    state = plane(temperature=0.5)
    assert proposed_words(state, "lookup", "Show Lookup") == "Two keys, values are the keys."
    said = proposed_words(state, "lookup", "Change the temperature", frozenset({"lookup.temperature"}))
    assert said.startswith("Now: temperature")
    assert "0.5" in said
    assert proposed_words(plane(), "lookup", "Move k₁", frozenset({"lookup.entries[0].key"})) == "Move k₁."
    said = proposed_words(plane(query=[-0.4, 1.6]), "lookup", "Move query", frozenset({"lookup.query"}))
    assert said.replace("\N{NO-BREAK SPACE}", " ") == "Now: q = (−0.4, 1.6)."


@pytest.mark.parametrize("name", ["view.row", "view.marked", "setup.recipe", "other", "setup.mask.hidden"])
def test_what_no_few_words_say_is_told_by_what_was_done(name: str) -> None:
    """Nothing that is pinned, a set, a source, no B, and cells."""
    state = with_fields(find_preset("random-words", "heads").state, {"heads.view.row": "none"})
    assert proposed_words(state, "heads", "Pin a token", frozenset({f"heads.{name}"})) == "Pin a token."


def test_a_spread_is_asked_for_as_exactly_as_it_is_large() -> None:
    for d_k in (4, 256):
        ready = find_preset("variance", "scaling")
        state = with_fields(ready.state, {"scaling.d_k": d_k})
        first = proposed(state, "lab", frozenset({"scaling.d_k"}))[0]
        assert first.answer is not None
        assert first.answer.within == pytest.approx(0.05 * math.sqrt(d_k), abs=0.01)
