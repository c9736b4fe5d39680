"""The thirty questions once they were taken after the lessons: what was answered, what is right, what to take again."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import Take
from attention_explorer.tools.lessons.words import spoken

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
