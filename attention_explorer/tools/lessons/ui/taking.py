"""The thirty questions in the card: how a take goes on with each answer, and what is said at its end."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from attention_explorer.tools.lessons import shelf
from attention_explorer.tools.lessons.answers import Given, Right, Verdict
from attention_explorer.tools.lessons.lesson import Lesson, Step
from attention_explorer.tools.lessons.progress import Progress
from attention_explorer.tools.lessons.taking import AFTER, BEFORE, GUESSING, TAKES, Reply, Take
from attention_explorer.tools.lessons.ui.panel import CardView
from attention_explorer.tools.lessons.ui.place import Place
from attention_explorer.tools.lessons.words import drawn_words, mistake_words, said_words, truth_words

WHAT_WAS_RIGHT = "What was right…"
ANSWER, NO_ANSWER = "Answer", "I do not know"
"""What the buttons of a question say of which nothing is told: how to give the answer, and how to give none."""
KEPT = "What you answered is kept on this machine, and **Result…** on the lessons page writes it to a file."
LISTED = "**What was right…** lists those that were not, with your answer, by the lesson to take again."
NEXT = "Which of them were right is not told, for they come again after the lessons, with other numbers."


def begun_take(progress: Progress, bank: Lesson, when: str, today: date) -> Progress:
    """Return the progress with a take that is under way: the one that was left, or a new one."""
    take = progress.takes.get(when)
    if take is not None and take.bank == bank.mark and len(take.replies) < len(bank.steps):
        return progress
    finished = sum(progress.of(lesson).finished for lesson in shelf.lessons())
    return progress.taken(when, Take(bank.mark, today.isoformat(), finished))


def with_reply(progress: Progress, when: str, reply: Reply) -> Progress:
    """Return the progress with the answer to one more question."""
    take = progress.takes[when]
    return progress.taken(when, replace(take, replies=(*take.replies, reply)))


def reply_to(place: Place, step: Step, given: Given, verdict: Verdict) -> Reply:
    """Return what is kept of an answer."""
    said = "" if step.answer is None else said_words(step.answer, given, place.offer)
    why, right = mistake_words(step, given, verdict), _right_words(place, step, verdict.truth)
    return Reply(verdict.is_right, drawn_words(step, place.case), said, why, right)


def no_reply(place: Place, step: Step, right: Right | None) -> Reply:
    """Return what is kept of a question without an answer."""
    return Reply(case=drawn_words(step, place.case), right=_right_words(place, step, right))


def _right_words(place: Place, step: Step, right: Right | None) -> str:
    return "" if step.answer is None or right is None else truth_words(step.answer, right, place.offer)


def view_of_take(place: Place, progress: Progress) -> CardView:
    """Return what the card shows: a question, and nothing of what the answers before it are worth; or the score."""
    lesson, step = place.lesson, place.now
    if step is None:
        return CardView(
            lesson.title,
            place.step,
            len(lesson.steps),
            _score(lesson, place.take, progress),
            next_text=WHAT_WAS_RIGHT if place.take == AFTER else "",
        )
    asked = place.asked
    return CardView(
        f"{lesson.title}, {TAKES[place.take]}",
        place.step,
        len(lesson.steps),
        f"{step.text} {drawn_words(step, place.case)}".strip(),
        question=None if asked is None else replace(asked, check=ANSWER),
        verdict=place.verdict,
        has_skip=True,
        skip_text=NO_ANSWER,
        is_told=False,
    )


def _score(bank: Lesson, when: str, progress: Progress) -> str:
    take, other = progress.takes[when], progress.takes.get(BEFORE if when == AFTER else AFTER)
    count = len(bank.steps)
    none = sum(reply.is_right is None for reply in take.replies)
    said = f"**{take.right} of {count} right**, {TAKES[when]}."
    said += f" {none} without an answer." if none else ""
    said += f" {GUESSING.format(round(shelf.by_guessing()))}"
    if other is not None and len(other.replies) == count and other.bank == bank.mark:
        which = BEFORE if when == AFTER else AFTER
        said += f" {TAKES[which].capitalize()} it was {other.right}, on {other.date}."
    return f"{said}\n\n{NEXT if when == BEFORE else LISTED} {KEPT}"
