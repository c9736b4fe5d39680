"""Lesson 5 as it is played on words in the plane: a place that is clicked, and what is kept of its first edition."""

from __future__ import annotations

import json
from datetime import date

import pytest
from PySide6.QtTest import QTest
from test_lessons import OWN, Learner

from attention_explorer.pages.lookup.ui.words import PLANE
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.answers import truth
from attention_explorer.tools.lessons.progress import Progress
from attention_explorer.tools.lessons.recall import due, recall_of

LESSON = next(each for each in reading.lessons() if each.name == "sentence")
PREDICTION = next(
    number for number, step in enumerate(LESSON.steps) if step.set.get("lookup.words.sentence") == "bank of the money"
)


@pytest.fixture
def learner(make_window, hand) -> Learner:
    learner = Learner(make_window(OWN), hand)
    player = learner.window.tools.lessons
    player.progress = player.progress.at(LESSON, PREDICTION)
    learner.start("sentence")
    return learner


def pixel(learner: Learner, at: tuple[float, float]):
    laid = learner.canvas.picture_layout
    return next(layout for item, layout in laid.item.leaves(laid.layout) if item.name == PLANE).pixel(at)


def test_where_the_word_goes_is_clicked_on_the_plane_and_judged(learner: Learner) -> None:
    case, right = learner.place.case, truth(learner.place.now.answer, learner.place.case)
    before = learner.canvas.grab().toImage()
    learner.click(pixel(learner, (1.0, 1.0)))
    assert learner.card.asking.field.text() == "1 1"
    assert learner.canvas.grab().toImage() != before, "the guess is marked"
    learner.hand().drag(pixel(learner, (0.8, 0.8)), pixel(learner, right))
    assert learner.window.session.state == case, "nothing is moved by it"
    learner.check()
    assert learner.words().count("Right.") == 1
    marked = learner.canvas.grab().toImage()
    learner.go_on(learner.card.next)
    assert learner.canvas._guess is None
    assert marked != learner.canvas.grab().toImage()


def test_after_the_question_words_are_dragged_again(learner: Learner) -> None:
    learner.press(learner.card.tell)
    QTest.mouseMove(learner.canvas)
    before = learner.window.session.state.lookup.words.known["bank"]
    learner.hand().drag(pixel(learner, (0.8, 0.8)), pixel(learner, (1.2, 1.0)))
    assert learner.window.session.state.lookup.words.known["bank"] != before


def test_to_have_finished_the_first_edition_counts_and_its_answers_do_not() -> None:
    first = {"step": 7, "finished": True, "seconds": 300.0, "finished_on": "2026-11-20", "recalled": 1}
    answers = {"tries": {"0": 1, "1": 2}, "first_tries": {"0": True, "1": False}}
    kept = Progress.read(json.dumps({"sentence": first | answers}))
    done = kept.of(LESSON)
    assert (done.finished, done.finished_on, done.seconds, done.recalled) == (True, "2026-11-20", 300.0, 1)
    assert (done.step, done.first_tries, done.tries) == (0, {}, {})
    assert done.words(LESSON) == "done"
    assert due(kept, reading.lessons(), date(2026, 11, 27)) == (LESSON,)
    assert len(recall_of(LESSON, done).numbers) == 3
    answered = Progress.read(kept.answered(LESSON, 2, is_right=True).text()).of(LESSON)
    assert answered.first_tries == {2: True}
    assert answered.finished
    other = Progress.read(json.dumps({"soft": first | answers})).of(reading.lessons()[reading.NAMES.index("soft")])
    assert other.first_tries == {0: True, 1: False}, "those of others stay"
