"""What is asked or taken again: three questions of a lesson days later, and lessons after the thirty questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from attention_explorer.core.numerals import counted
from attention_explorer.tools.lessons.lesson import Lesson, Step
from attention_explorer.tools.lessons.progress import Done, Progress, Take
from attention_explorer.tools.lessons.walk import named_page
from attention_explorer.tools.lessons.words import spoken

DAYS = (2, 7)
"""How many days after its end the questions of a lesson come again."""
MOST = 3


@dataclass(frozen=True, slots=True)
class Recall:
    """Some questions of a lesson that come again.

    Attributes
    ----------
    of : Lesson
        The lesson.
    numbers : tuple of int
        Which of its steps they are, in order.
    asked : Lesson
        Those alone, as if they were a lesson.
    """

    of: Lesson
    numbers: tuple[int, ...]
    asked: Lesson


def due(progress: Progress, lessons: Sequence[Lesson], today: date) -> tuple[Lesson, ...]:
    """Return the lessons whose questions come again, that first which was finished first."""
    waiting = [lesson for lesson in lessons if _is_due(progress.of(lesson), today)]
    return tuple(sorted(waiting, key=lambda lesson: progress.of(lesson).finished_on))


def _is_due(done: Done, today: date) -> bool:
    left = days_left(done, today)
    return left is not None and left <= 0


def days_left(done: Done, today: date) -> int | None:
    """Return in how many days the questions of a lesson come again; None if they do not."""
    if not done.finished_on or done.recalled >= len(DAYS):
        return None
    return DAYS[done.recalled] - (today - date.fromisoformat(done.finished_on)).days


def recall_of(lesson: Lesson, done: Done) -> Recall:
    """Return the questions that come again: those that were wrong at first, then those with other numbers each time."""

    def worth(number: int) -> tuple[bool, bool, bool]:
        step = lesson.steps[number].again or lesson.steps[number]
        return done.first_tries.get(number, False), not step.draw, not step.show

    questions = (number for number, step in enumerate(lesson.steps) if step.answer is not None)
    numbers = tuple(sorted(sorted(questions, key=worth)[:MOST]))
    steps = tuple(_alone(lesson, number) for number in numbers)
    title = f"{lesson.title}, again"
    return Recall(lesson, numbers, replace(lesson, name=f"{lesson.name} again", title=title, steps=steps))


def _alone(lesson: Lesson, number: int) -> Step:
    """Return the question that comes in the place of a step, which says by itself on which page it is."""
    step = lesson.steps[number].again or lesson.steps[number]
    page = next((page for before in reversed(lesson.steps[: number + 1]) if (page := named_page(before))), "")
    return step if step.show or step.page else replace(step, page=page)


def row_words(lesson: Lesson, done: Done, today: date) -> tuple[str, str]:
    """Return what the list says of questions that are due: “3 questions from before”, and of which lesson."""
    count = len(recall_of(lesson, done).numbers)
    days = (today - date.fromisoformat(done.finished_on)).days
    return f"{counted(count, 'question')} from before", f"{lesson.title} · finished {counted(days, 'day')} ago"


def end_words(recall: Recall, right: int, done: Done, today: date) -> str:
    """Say how many were right, and when they come again."""
    left = days_left(done, today)
    numbers = ", with other numbers" if all(step.draw for step in recall.asked.steps) else ""
    when = "They do not come again." if left is None else f"They come again {_when(left)}{numbers}."
    return f"**{right} of {len(recall.numbers)} right at the first try.** {when}"


def _when(days: int) -> str:
    return f"in {counted(days, 'day')}" if days > 0 else "as soon as you like"


TAUGHT_IN = (
    *("dictionary", "scaling", "dictionary"),
    *("soft",) * 5,
    *("hard-and-soft",) * 3,
    *("masks", "masks", "several-heads", "masks", "masks"),
    *("scaling", "scaling", "several-heads"),
    *("sentence",) * 7,
    *("several-heads", "several-heads", "why-soft", "why-soft"),
)
"""The lesson that teaches what each question asks, by its key. Here, for a word in their file is a bank of its own."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A question that was not answered right.

    Attributes
    ----------
    number : int
        From 1.
    asked : str
        What was asked, with what was drawn for it.
    said, right : str
        What was answered, and what is right; empty for no answer, and where an older version kept none.
    why : str
        The known mistake that explains the answer; empty if none does.
    """

    number: int
    asked: str
    said: str
    right: str
    why: str


@dataclass(frozen=True, slots=True)
class Again:
    """A lesson with its questions: how many there are, and those that were not answered right."""

    lesson: Lesson
    count: int
    wrong: tuple[Reviewed, ...]

    @property
    def words(self) -> str:
        """Say how many were right."""
        return f"{self.count - len(self.wrong)} of {self.count} right"


def again(bank: Lesson, take: Take, lessons: tuple[Lesson, ...]) -> tuple[Again, ...]:
    """Return the lessons of a take's questions, those with most wrong answers first, else in their order."""
    found = []
    for lesson in lessons:
        places = [place for place, key in enumerate(TAUGHT_IN[: len(take.replies)]) if key == lesson.key]
        wrong = tuple(_reviewed(bank, take, place) for place in places if take.replies[place].is_right is not True)
        if places:
            found.append(Again(lesson, len(places), wrong))
    return tuple(sorted(found, key=lambda each: -len(each.wrong)))


def _reviewed(bank: Lesson, take: Take, place: int) -> Reviewed:
    reply = take.replies[place]
    asked = f"{spoken(bank.steps[place].text)} {reply.case}".strip()
    return Reviewed(place + 1, asked, reply.said, reply.right, reply.why)
