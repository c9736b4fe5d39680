"""The thirty questions, taken before and after the lessons: what was answered, and what guessing alone would give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons.answers import drawn
from attention_explorer.tools.lessons.lesson import Answer, Kind, Lesson
from attention_explorer.tools.lessons.offers import offered
from attention_explorer.tools.lessons.walk import begun, reached

BEFORE, AFTER = "before", "after"
TAKES = {BEFORE: "before the lessons", AFTER: "after the lessons"}
"""When the questions can be taken, and what that is called."""
GUESSING = "Guessing alone gives about {}."
LONGEST, MOST_SECONDS = 300, 1e7
"""Characters of what is kept of an answer, and seconds: what says more is damaged."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What somebody answered to a question.

    Attributes
    ----------
    is_right : bool or None
        Whether it is right; None where no answer was given.
    case : str
        What was drawn for the question, in words.
    said : str
        The answer in words.
    why : str
        The known mistake that explains a wrong one; empty if none does.
    right : str
        What is right, in words.
    """

    is_right: bool | None = None
    case: str = ""
    said: str = ""
    why: str = ""
    right: str = ""


@dataclass(frozen=True, slots=True)
class Take:
    """All questions taken once, or the first of them so far.

    Attributes
    ----------
    bank : str
        The mark of the questions; see `Lesson.mark`.
    date : str
        When it was begun, as 2026-11-26.
    lessons : int
        How many lessons had been finished by then.
    replies : tuple of Reply
        One a question, in order.
    seconds : float
        That it took.
    """

    bank: str
    date: str
    lessons: int = 0
    replies: tuple[Reply, ...] = ()
    seconds: float = 0.0

    @property
    def right(self) -> int:
        """How many answers are right."""
        return sum(reply.is_right is True for reply in self.replies)

    def words(self, count: int) -> str:
        """Say how far it has come of so many questions: “8 of 30 right”, “at question 5 of 30”."""
        if len(self.replies) < count:
            return f"at question {len(self.replies) + 1} of {count}"
        return f"{self.right} of {count} right"


# ---- Guessing ----


def guessing(bank: Lesson) -> float:
    """Return how many questions somebody gets right on average who guesses each among what is offered."""
    asked = [(number, step.answer) for number, step in enumerate(bank.steps) if step.answer is not None]
    return sum(_chance(bank, number, answer) for number, answer in asked)


def _chance(bank: Lesson, number: int, answer: Answer) -> float:
    """Return how likely a guess is right: a typed number never, one of n sentences once in n times."""
    if answer.kind is Kind.CHOICE:
        return 1 / len(answer.options)
    if answer.kind in (Kind.NUMBER, Kind.POINT):
        return 0.0
    step = bank.steps[number]
    case = drawn(step, begun(step, reached(bank, number, ExplorerState())), 0)
    among = offered(answer, case)
    count = len(among.labels) * max(len(among.rows), 1)
    match answer.kind:
        case Kind.TOKEN:
            return 1 / count
        case Kind.ORDER:
            return 1 / math.factorial(count)
        case Kind.BARS:
            return min(2 * answer.within / (answer.high - answer.low), 1.0) ** count
    return 0.5**count  # each cell is ticked or not


# ---- As values for JSON ----


def as_document(take: Take) -> dict[str, Any]:
    """Return a take as the settings keep it."""
    return {
        "bank": take.bank,
        "date": take.date,
        "lessons": take.lessons,
        "seconds": round(take.seconds, 1),
        "replies": [[reply.is_right, reply.case, reply.said, reply.why, reply.right] for reply in take.replies],
    }


def takes_from(document: object) -> Mapping[str, Take]:
    """Return the takes of a document of the settings; what cannot be understood was never taken."""
    found = document if isinstance(document, dict) else {}
    takes = {when: _take(found[when]) for when in TAKES if isinstance(found.get(when), dict)}
    return {when: take for when, take in takes.items() if take.bank and take.date}


def _take(item: dict[str, Any]) -> Take:
    seconds, lessons, replies = item.get("seconds"), item.get("lessons"), item.get("replies")
    read = tuple(map(_reply, replies)) if isinstance(replies, list) and len(replies) <= LONGEST else ()
    whole = all(reply is not None for reply in read)
    return Take(
        _text(item.get("bank")),
        _text(item.get("date")),
        lessons if type(lessons) is int and 0 <= lessons < LONGEST else 0,
        tuple(reply for reply in read if reply is not None) if whole else (),
        seconds if type(seconds) is float and 0 <= seconds < MOST_SECONDS else 0.0,
    )


def _reply(item: object) -> Reply | None:
    """Return a reply as it was kept; earlier versions kept four things, and not what is right."""
    if not isinstance(item, list) or len(item) not in (4, 5) or not (item[0] is None or isinstance(item[0], bool)):
        return None
    return Reply(item[0], *map(_text, item[1:]))


def _text(item: object) -> str:
    return item[:LONGEST] if isinstance(item, str) else ""
