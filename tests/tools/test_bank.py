"""The thirty questions that no lesson shows: what they are made of, and that nobody has met them before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_explorer import cli
from attention_explorer.core import files
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupView
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.answers import drawn, judged, truth
from attention_explorer.tools.lessons.lesson import Kind, Lesson, Step
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.reading import SUFFIX
from attention_explorer.tools.lessons.walk import begun, ended
from attention_explorer.tools.lessons.words import spoken

STEPS = reading.bank().steps
NUMBERS = (Kind.NUMBER, Kind.POINT, Kind.BARS)
CHOICES = tuple(step for step in STEPS if step.answer.kind is Kind.CHOICE)
SEEDS = range(12)


def cases(lesson: Lesson) -> list[tuple[Step, ExplorerState]]:
    """Return each step with all states that a learner sees in it."""
    found, state = [], ExplorerState()
    for step in lesson.steps:
        before, state = state, begun(step, state)
        if step.again is not None:
            found += [(step.again, drawn(step.again, begun(step.again, before), seed)) for seed in SEEDS]
        seen = [drawn(step, state, seed) for seed in SEEDS] if step.draw else [state]
        state = ended(step, state)
        found += [(step, each) for each in (*seen, state)]
    return found


def given(part: str, state: ExplorerState) -> object:
    """Return what is computed from in a part of the state, without how it is shown."""
    if part == "lookup":
        lookup = state.lookup
        if lookup.view is LookupView.WORDS:
            return lookup.words
        return lookup.query, lookup.keys, lookup.value_rows, lookup.temperature, lookup.hard, lookup.scaled
    return state.heads.setup if part == "heads" else replace(state.scaling, preset="")


def test_the_bank_passes_the_check_of_lessons(capsys):
    assert cli.main(["lesson", "check", files.path(f"{reading.BANK}/{reading.THIRTY}{SUFFIX}")]) == 0
    said = capsys.readouterr()
    assert said.out.count("answer = ") == 30
    assert not said.err, "nothing is said that nothing vouches for"


def test_there_are_thirty_questions_and_twenty_of_them_are_answered_by_a_number():
    assert len(STEPS) == 30
    assert all(step.answer is not None for step in STEPS)
    assert sum(step.answer.kind in NUMBERS for step in STEPS) >= 20
    assert sum(bool(step.draw) for step in STEPS) >= 18, "drawn afresh where that can be"


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"line {step.line}")
def test_no_question_is_answered_by_what_stands_on_the_screen(step):
    assert step.hide
    assert not step.hint


@pytest.mark.parametrize("step", CHOICES, ids=lambda step: f"line {step.line}")
def test_a_choice_has_four_answers_and_says_why_each_wrong_one_is_wrong(step):
    options = step.answer.options
    assert len(options) == len({option.say for option in options}) == 4
    wrong = {place for place, option in enumerate(options) if option.reply}
    state = begun(step, ExplorerState())
    assert wrong == {0, 1, 2, 3} - {truth(step.answer, state)}
    assert len({option.reply for option in options}) == 4


def test_the_right_answer_stands_in_every_place():
    assert {truth(step.answer, begun(step, ExplorerState())) for step in CHOICES} == {0, 1, 2, 3}


def test_no_question_is_one_of_a_lesson():
    met = [each for lesson in reading.lessons() for each in cases(lesson)]
    texts = {spoken(step.text) for step, _ in met}
    known = {part: {given(part, state) for _, state in met} for part in ("lookup", "heads", "scaling")}
    for step, state in cases(reading.bank()):
        part = step.hide[0].text.partition(".")[0]
        assert spoken(step.text) not in texts
        assert given(part, state) not in known[part], f"line {step.line}"


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"line {step.line}")
def test_a_known_mistake_is_told_from_the_right_answer_and_from_the_others(step):
    state = begun(step, ExplorerState())
    for slip in step.slips:
        wrong = truth(step.answer, with_fields(state, slip.set), slip.of)
        verdict = judged(step, state, wrong)
        assert not verdict.is_right, slip.say
        assert verdict.slip == slip, slip.say
