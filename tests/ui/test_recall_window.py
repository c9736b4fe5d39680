"""Three questions of a lesson that come again on another day, in the window."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from test_lessons import OWN, Learner, named

from attention_explorer.errors import ExplorerError
from attention_explorer.session.settings import SettingsStore
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.answers import drawn, judged, truth
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import Done, Progress
from attention_explorer.tools.lessons.reading import read_lesson
from attention_explorer.tools.lessons.recall import due, recall_of
from attention_explorer.tools.lessons.walk import begun, checked, page_of, reached
from attention_explorer.tools.lessons.words import drawn_words

DAY = date(2026, 11, 26)
ASK = "Ask me: 3 questions from before"


class Clock:
    """Says what day it is."""

    def __init__(self) -> None:
        self.day = DAY

    def __call__(self) -> date:
        return self.day

    def pass_by(self, days: int) -> None:
        self.day += timedelta(days=days)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def learner(make_window, hand, clock) -> Learner:
    return at(Learner(make_window(OWN), hand), clock)


def at(learner: Learner, clock: Clock) -> Learner:
    learner.window.tools.lessons.today = clock
    return learner


def finish(learner: Learner, name: str = "dictionary") -> None:
    learner.start(name)
    while learner.place.now is not None:
        learner.play_step()
    learner.press(learner.card.leave)


def texts(learner: Learner) -> list[str]:
    listed = learner.list()
    found = []
    for card in listed.cards:
        learner.press(card)
        found += [each.text() for each in listed.findChildren(QLabel)]
        found += [each.accessibleName() for each in listed.findChildren(QPushButton)]
    return found


def ask(learner: Learner) -> None:
    learner.press(named(learner.list(), ASK))


def test_questions_come_again_after_two_days_and_after_seven_and_then_no_more(learner, clock):
    finish(learner)
    assert ASK not in texts(learner)
    clock.pass_by(1)
    assert ASK not in texts(learner)
    clock.pass_by(1)
    said = texts(learner)
    assert "3 questions from before" in said
    assert "A dictionary · finished 2 days ago" in said
    ask(learner)
    for number in range(3):
        assert f"Step {number + 1} of 3" in learner.words()
        learner.play_step(right=number != 1)
    assert "2 of 3 right at the first try. They come again in 5 days, with other numbers." in learner.words()
    learner.press(learner.card.leave)
    assert learner.window.session.state == OWN
    assert ASK not in texts(learner)
    clock.pass_by(5)
    ask(learner)
    for _ in range(3):
        learner.play_step()
    assert "3 of 3 right at the first try. They do not come again." in learner.words()
    learner.press(learner.card.leave)
    clock.pass_by(365)
    assert ASK not in texts(learner)


def test_a_day_is_kept_until_the_next_start(learner, clock, make_window, hand, settings_path):
    finish(learner)
    learner.window.close()
    clock.pass_by(3)
    again = at(Learner(make_window(settings=SettingsStore(settings_path).load()), hand), clock)
    assert "A dictionary · finished 3 days ago" in texts(again)


def test_one_lesson_comes_at_a_time_and_the_oldest_first(learner, clock):
    finish(learner, "soft")
    clock.pass_by(1)
    finish(learner)
    clock.pass_by(2)
    said = texts(learner)
    assert said.count("3 questions from before") == 1
    assert "Everybody answers · finished 3 days ago" in said
    ask(learner)
    for _ in range(3):
        learner.play_step()
    learner.press(learner.card.leave)
    assert "A dictionary · finished 2 days ago" in texts(learner)


def test_what_is_answered_again_changes_nothing_of_the_lesson(learner, clock):
    finish(learner)
    before = learner.window.tools.lessons.progress.lessons["dictionary"]
    clock.pass_by(2)
    ask(learner)
    learner.play_step(right=False)
    learner.press(learner.card.leave)
    assert ASK in texts(learner), "they were left, and come again"
    ask(learner)
    learner.press(learner.card.skip)
    for _ in range(2):
        learner.play_step(right=False)
    learner.press(learner.card.leave)
    after = learner.window.tools.lessons.progress.lessons
    assert set(after) == {"dictionary"}
    assert after["dictionary"] == replace(before, recalled=1)


def test_a_lesson_that_is_taken_again_begins_to_count_anew(learner, clock):
    finish(learner)
    clock.pass_by(2)
    ask(learner)
    for _ in range(3):
        learner.play_step()
    learner.press(learner.card.leave)
    finish(learner)
    clock.pass_by(2)
    assert ASK in texts(learner)


# ---- Which questions ----


@pytest.mark.parametrize("lesson", reading.lessons(), ids=lambda lesson: lesson.name)
def test_every_lesson_has_questions_that_come_again_as_they_were(lesson: Lesson) -> None:
    recall = recall_of(lesson, Done())
    assert len(recall.asked.steps) == len(recall.numbers) >= 2
    for place, number in enumerate(recall.numbers):
        before = reached(lesson, number, OWN)
        there, again = lesson.steps[number].again or lesson.steps[number], recall.asked.steps[place]
        state = begun(there, before)
        assert drawn(again, begun(again, before), 5) == drawn(there, state, 5)
        assert page_of(recall.asked, place, state) == page_of(lesson, number, state)


@pytest.mark.parametrize("lesson", reading.lessons(), ids=lambda lesson: lesson.name)
def test_whatever_is_drawn_for_a_question_that_comes_again_has_an_answer_and_is_said(lesson: Lesson) -> None:
    recall = recall_of(lesson, Done())
    for step, number in zip(recall.asked.steps, recall.numbers, strict=True):
        state = begun(step, reached(lesson, number, OWN))
        for seed in range(6) if step.draw else ():
            case = drawn(step, state, seed)
            assert judged(step, case, truth(step.answer, case)).is_right
            assert not re.search(r"= (yes|no|[a-z])|\b(?!d_|W_)\w+_", drawn_words(step, case).replace("d_model = ", ""))


@pytest.mark.parametrize(
    "name", ["dictionary", "soft", "hard-and-soft", "why-soft", "sentence", "masks", "scaling", "several-heads"]
)
def test_the_first_lessons_ask_again_with_other_numbers(name: str) -> None:
    (lesson,) = (each for each in reading.lessons() if each.name == name)
    assert all(step.draw for step in recall_of(lesson, Done()).asked.steps)


def test_a_question_of_a_file_may_have_another_in_its_place(tmp_path):
    file = tmp_path / "mine.lesson.toml"
    text = """format = 1
title = "Mine"
[[step]]
show = "two-keys"
ask = "First?"
answer = { number = "lookup.weights[0]", within = 0.1 }
again = { ask = "Again?", answer = { number = "lookup.NAME", within = 0.1 } }
"""
    file.write_text(text.replace("NAME", "temperature"), encoding="utf-8")
    lesson = read_lesson(file)
    assert recall_of(lesson, Done()).asked.steps[0].text == "Again?"
    assert [what for _, name, what in checked(lesson) if name == "answer"][1] == "1.0"
    file.write_text(text.replace("NAME", "nothing"), encoding="utf-8")
    with pytest.raises(ExplorerError, match="line 3, step 1: there is no “nothing”"):
        list(checked(read_lesson(file)))
    file.write_text(text.replace('Again?"', 'Again?", of = "x"'), encoding="utf-8")
    with pytest.raises(ExplorerError, match="line 7: there is nothing called “of” here"):
        read_lesson(file)


def test_what_was_wrong_comes_first_and_then_what_has_other_numbers():
    lesson = next(each for each in reading.lessons() if each.name == "masks")
    questions = [number for number, step in enumerate(lesson.steps) if step.answer is not None]
    all_right = dict.fromkeys(questions, True)
    drawn_ones = {number for number in questions if lesson.steps[number].draw}
    assert drawn_ones <= set(recall_of(lesson, Done(first_tries=all_right)).numbers)
    missed = dict.fromkeys(questions[-3:], False)
    assert recall_of(lesson, Done(first_tries=all_right | missed)).numbers == tuple(questions[-3:])


@pytest.mark.parametrize("day", ["", "2026-13-01", 7, None, "yesterday"])
def test_a_damaged_day_is_none(day):
    text = json.dumps({"dictionary": {"step": 0, "finished": True, "finished_on": day, "recalled": "x"}})
    kept = Progress.read(text)
    assert kept.lessons["dictionary"] == Done(finished=True)
    assert due(kept, reading.lessons(), DAY) == ()


def test_a_clock_that_was_set_back_is_waited_for():
    kept = Progress({"dictionary": Done(finished=True, finished_on="2026-11-26")})
    assert due(kept, reading.lessons(), date(2020, 1, 1)) == ()
    assert [each.name for each in due(kept, reading.lessons(), date(2026, 11, 28))] == ["dictionary"]
