"""The thirty questions in the window: taken before the lessons and after them, with the mouse and the keys."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton
from test_lesson_secrets import leaks, window_texts
from test_lessons import OWN, Learner, assert_whole, named

from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.progress import AFTER, BEFORE, Reply, Take
from attention_explorer.tools.lessons.ui.review import Review

BANK = reading.bank()
TODAY = date(2026, 11, 26)


@pytest.fixture
def learner(make_window, hand) -> Learner:
    taken = Learner(make_window(OWN), hand)
    taken.window.tools.lessons.today = lambda: TODAY
    return taken


def take(learner: Learner, words: str = "Before the lessons") -> None:
    learner.press(named(learner.list(), f"{words}: Thirty questions"))


def takes(learner: Learner) -> dict[str, Take]:
    return learner.window.tools.lessons.progress.takes


def reply(learner: Learner, *, right: bool) -> None:
    """Answer a question by the card, and come to the next one at once."""
    before = learner.place.step
    learner.check = lambda: learner.press(button(learner, "Answer"))
    learner.answer(right=right)
    assert learner.place.step == before + 1


def button(learner: Learner, words: str) -> QPushButton:
    return next(each for each in learner.card.findChildren(QPushButton) if each.text() == words and each.isVisible())


def buttons(learner: Learner) -> set[str]:
    return {each.text() for each in learner.card.findChildren(QPushButton) if each.isVisible()}


def already(learner: Learner, when: str, count: int) -> None:
    """Have so many questions answered, the first of three right."""
    player = learner.window.tools.lessons
    replies = tuple(Reply(place % 3 == 0) for place in range(count))
    player.keep(player.progress.taken(when, Take(BANK.mark, "2026-11-20", 0, replies)))


def row(learner: Learner) -> str:
    """Return what the page of lessons says of the thirty questions."""
    listed = learner.list()
    learner.press(listed.cards[-1])
    assert listed.title.text() == "Thirty questions"
    return listed.said.text()


def test_nothing_is_told_while_they_are_taken_and_all_answers_are_kept(learner):
    take(learner)
    assert learner.card.spoken().startswith("Thirty questions, before the lessons. Question 1 of 30.")
    assert "Question 1 of 30" in learner.words()
    for number in range(30):
        assert not buttons(learner) & {"Check", "Show me", "Hint", "Another one", "Back", "Next", "Skip"}
        assert learner.place.is_covered, "what is on the page does not answer it"
        if number % 5 == 4:
            learner.press(learner.card.skip)
        else:
            reply(learner, right=number % 2 == 0)
        words = learner.words()
        assert "Right" not in words
        assert "Not this time" not in words
    before = takes(learner)[BEFORE]
    assert [each.is_right for each in before.replies] == [
        None if number % 5 == 4 else number % 2 == 0 for number in range(30)
    ]
    assert all(each.said for each in before.replies if each.is_right is not None)
    assert all(each.right for each in before.replies)
    assert before.date == "2026-11-26"
    assert before.seconds > 0
    said = learner.words()
    assert f"{before.right} of 30 right, before the lessons. 6 without an answer." in said
    assert "Guessing alone gives about 2." in said
    assert learner.window.session.state == OWN, "what was asked last is not there any more, with its answer"
    assert buttons(learner) == {"Leave"}
    learner.press(learner.card.leave)
    assert learner.window.session.state == OWN
    assert row(learner) == f"before: {before.right} of 30 right"
    assert not takes(learner).get(AFTER)


def test_what_is_forgotten_while_it_is_taken_is_left(learner):
    take(learner)
    reply(learner, right=True)
    learner.press(named(learner.list(), "Reset all"))
    assert not takes(learner)
    assert not learner.window.tools.lessons.is_playing
    assert learner.window.session.state == OWN
    assert row(learner), "the page of the lessons is still on show"


@pytest.mark.parametrize("number", [0, 4, 6, 11, 15, 20, 23, 25, 29])
def test_no_word_in_the_window_answers_a_question(learner, number):
    already(learner, BEFORE, number)
    take(learner, "Continue before the lessons")
    assert learner.place.step == number
    QTest.qWait(50)
    drawn = learner.place.case
    answer = learner.place.now.answer
    text = window_texts(learner)
    assert answer.options or not leaks(learner, text), drawn


def test_a_take_goes_on_where_it_was_left_also_after_another_start(make_window, hand, settings_path, learner):
    take(learner)
    reply(learner, right=True)
    reply(learner, right=False)
    learner.press(learner.card.leave)
    assert row(learner) == "before: at question 3 of 30"
    learner.window.close()
    again = Learner(make_window(settings=SettingsStore(settings_path).load()), hand)
    assert row(again) == "before: at question 3 of 30"
    take(again, "Continue before the lessons")
    assert "Question 3 of 30" in again.words()
    assert [each.is_right for each in takes(again)[BEFORE].replies] == [True, False]


def test_after_the_lessons_both_scores_are_told(learner):
    already(learner, BEFORE, 30)
    already(learner, AFTER, 29)
    listed = learner.list()
    with pytest.raises(StopIteration):
        named(listed, "Before the lessons: Thirty questions")
    take(learner, "Continue after the lessons")
    reply(learner, right=True)
    assert "11 of 30 right, after the lessons" in learner.words()
    assert "Before the lessons it was 10, on 2026-11-20." in learner.words()
    learner.press(learner.card.leave)
    assert row(learner) == "before: 10 of 30 right · after: 11 of 30 right"
    take(learner, "After the lessons")
    assert "Question 1 of 30" in learner.words(), "they can be taken again"


def test_at_the_end_it_is_listed_what_was_right_by_the_lesson_to_take_again(learner):
    already(learner, AFTER, 28)
    take(learner, "Continue after the lessons")
    reply(learner, right=True)
    learner.press(learner.card.skip)
    last = takes(learner)[AFTER].replies[-1]
    assert last.is_right is None
    assert last.right
    learner.press(button(learner, "What was right…"))
    (review,) = learner.window.findChildren(Review)
    assert review.isVisible()
    assert learner.window.session.state == OWN
    said = [label.text() for label in review.findChildren(QLabel)]
    assert said[0] == "<b>11 of 30 right, after the lessons, on 2026-11-20</b>"
    assert said[1] == "<b>Queries, keys, values</b>: 2 of 7 right"
    (skipped,) = (text for text in said if text.startswith("30. "))
    assert f"You gave no answer · Right: {last.right}" in skipped
    assert not [text for text in said if text.startswith("29. ")], "it was right"
    learner.press(next(each for each in review.buttons if "Why it must be soft" in each.accessibleName()))
    assert learner.place.lesson.title == "Why it must be soft"
    learner.press(learner.card.leave)
    learner.press(named(learner.list(), "What was right…: Thirty questions"))
    assert any(each.isVisible() for each in learner.window.findChildren(Review))


def test_after_a_lesson_they_are_offered_after_it_and_ticked_once_they_are_taken(learner):
    player = learner.window.tools.lessons
    player.keep(player.progress.finished(reading.lessons()[0], TODAY))
    listed = learner.list()
    listed.cards[-1].click()
    shown = [way.text() for way in listed.ways if way.isVisible()]
    assert shown[:2] == ["After the lessons", "Before the lessons"]
    already(learner, AFTER, 30)
    card = learner.list().cards[-1]
    assert card.is_done
    assert card.words == "10 of 30 right"


def test_what_was_taken_can_be_forgotten(learner):
    already(learner, BEFORE, 30)
    learner.press(named(learner.list(), "Reset: Thirty questions"))
    assert takes(learner) == {}
    assert row(learner).startswith("25 min")


def test_takes_of_other_questions_are_not_gone_on_with(learner):
    player = learner.window.tools.lessons
    player.keep(player.progress.taken(BEFORE, Take("others", "2026-11-20", 0, (Reply(True),))))
    assert row(learner).startswith("25 min")
    take(learner)
    assert "Question 1 of 30" in learner.words()
    assert takes(learner)[BEFORE] == Take(BANK.mark, "2026-11-26", 0, (), takes(learner)[BEFORE].seconds)


def test_a_typed_answer_that_is_none_is_told_and_counts_for_nothing(learner):
    take(learner)
    learner.press(button(learner, "Answer"))
    assert "Type an answer first." in learner.words()
    assert takes(learner)[BEFORE].replies == ()
    learner.type_into(learner.card.asking.field, "1000")
    assert [each.is_right for each in takes(learner)[BEFORE].replies] == [False]


def test_a_known_mistake_is_kept_for_the_teacher(learner):
    take(learner)
    x, y = learner.query
    learner.type_into(learner.card.asking.field, str(1.5 * x + 2 * y))
    (kept,) = takes(learner)[BEFORE].replies
    assert kept.why == "The sign was lost: the second number of k₁ is −2."
    assert kept.case.startswith("This time: q = ")


def test_a_sum_that_is_typed_is_worked_out(learner):
    take(learner)
    x, y = learner.query
    learner.type_into(learner.card.asking.field, f"1.5·{x} - 2*({y}) + e^0 - 1")
    assert [each.is_right for each in takes(learner)[BEFORE].replies] == [True]


@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_a_result_has_the_thirty_questions(learner, tmp_path: Path, monkeypatch, ending):
    path = tmp_path / f"mine{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: (str(path), ""))
    already(learner, BEFORE, 30)
    learner.press(named(learner.list(), "Result…"))
    text = path.read_text(encoding="utf-8")
    if ending == ".json":
        (taken,) = json.loads(text)["thirty"]
        assert (taken["when"], taken["right"], taken["of"]) == (BEFORE, 10, 30)
    else:
        lines = [line for line in csv.DictReader(io.StringIO(text)) if line["lesson"].startswith("Thirty questions")]
        assert len(lines) == 30
        assert [line["right_at_first_try"] for line in lines[:3]] == ["yes", "no", "no"]
        assert lines[0]["lesson"].endswith(", before, 2026-11-20")


@pytest.mark.parametrize(("size", "zoom"), [((1024, 768), 1.0), ((1280, 800), 1.0), ((1024, 768), 1.75)])
def test_no_word_of_a_question_is_cut_off(make_window, hand, size, zoom):
    learner = Learner(make_window(settings=Settings(theme=ThemeChoice.LIGHT, zoom=zoom), size=size), hand)
    take(learner)
    while learner.place.now is not None:
        assert_whole(learner.card)
        assert learner.window.width() == size[0]
        learner.press(learner.card.skip)
    assert_whole(learner.card)
