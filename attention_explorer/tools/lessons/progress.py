"""How far somebody has come in the lessons and the thirty questions: kept among the settings, never in a session."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Self

from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons.answers import drawn, offered
from attention_explorer.tools.lessons.lesson import NAMES, Answer, Kind, Lesson
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


THIRTY = "thirty questions"
"""By what the takes are kept beside the lessons, none of which has such a key."""


@dataclass(frozen=True, slots=True)
class Done:
    """What was done of one lesson.

    Attributes
    ----------
    step : int
        Where it goes on, from 0.
    finished : bool
        Whether its end was reached once.
    first_tries : mapping of int to bool
        By step, whether a question was right at the first try.
    tries : mapping of int to int
        By step, how often a question was answered, fresh cases of it included.
    seconds : float
        That the lesson was open.
    finished_on : str
        The day on which its end was reached last, as 2026-11-26; empty if that is not known.
    recalled : int
        How often its questions have come again since; see `recall`.
    edition : int
        The edition of the lesson whose steps these are.
    """

    step: int = 0
    finished: bool = False
    first_tries: Mapping[int, bool] = field(default_factory=dict)
    tries: Mapping[int, int] = field(default_factory=dict)
    seconds: float = 0.0
    finished_on: str = ""
    recalled: int = 0
    edition: int = 1

    @property
    def is_any(self) -> bool:
        """Whether anything was done, and not only looked at."""
        return bool(self.step or self.finished or self.tries)

    def words(self, lesson: Lesson) -> str:
        """Say it: “at step 3 of 6”, “done · 3 of 4 questions right at the first try”; nothing if nothing was done."""
        questions = sum(step.answer is not None for step in lesson.steps)
        right = f" · {sum(self.first_tries.values())} of {questions} questions right at the first try"
        right *= bool(self.first_tries)  # of an earlier edition it is not known any more
        if 0 < self.step < len(lesson.steps):
            return ("done · now at" if self.finished else "at") + f" step {self.step + 1} of {len(lesson.steps)}"
        return f"done{right}" if self.finished else ""


@dataclass(frozen=True, slots=True)
class Progress:
    """What was done.

    Attributes
    ----------
    lessons : mapping of str to Done
        What was done of each lesson, by its key.
    takes : mapping of str to Take
        The thirty questions as they were taken, by when: `BEFORE` or `AFTER`.
    """

    lessons: Mapping[str, Done] = field(default_factory=dict)
    takes: Mapping[str, Take] = field(default_factory=dict)

    @property
    def is_any(self) -> bool:
        """Whether anything was done."""
        return bool(self.takes) or any(done.is_any for done in self.lessons.values())

    def of(self, lesson: Lesson) -> Done:
        """Return what was done of a lesson; its place lies within it, also if the file has become shorter.

        Of an earlier edition, whose steps were others, it stays that it was finished, when, and the time it took.
        """
        done = self.lessons.get(lesson.key, self.lessons.get(_old_key(lesson), Done(edition=lesson.edition)))
        if done.edition != lesson.edition:
            return replace(done, step=0, first_tries={}, tries={}, edition=lesson.edition)
        return replace(done, step=done.step if done.step < len(lesson.steps) else 0)

    def at(self, lesson: Lesson, step: int) -> Self:
        """Return it with another place to go on."""
        return self._with(lesson, replace(self.of(lesson), step=step))

    def answered(self, lesson: Lesson, step: int, *, is_right: bool) -> Self:
        """Return it with an answer; only the first one to a question counts."""
        done = self.of(lesson)
        tries = {**done.tries, step: done.tries.get(step, 0) + 1}
        return self._with(lesson, replace(done, first_tries={step: is_right, **done.first_tries}, tries=tries))

    def spent(self, lesson: Lesson, seconds: float) -> Self:
        """Return it with more time for a lesson."""
        done = self.of(lesson)
        return self._with(lesson, replace(done, seconds=done.seconds + seconds))

    def without(self, lesson: Lesson) -> Self:
        """Return it as if a lesson had never been begun."""
        keys = lesson.key, _old_key(lesson)
        return replace(self, lessons={key: done for key, done in self.lessons.items() if key not in keys})

    def finished(self, lesson: Lesson, today: date) -> Self:
        """Return it with a lesson that has come to its end, and begins anew the next time."""
        done = replace(self.of(lesson), step=0, finished=True, finished_on=today.isoformat(), recalled=0)
        return self._with(lesson, done)

    def recalled(self, lesson: Lesson) -> Self:
        """Return it with a lesson whose questions have come again once more."""
        done = self.of(lesson)
        return self._with(lesson, replace(done, recalled=done.recalled + 1))

    def taken(self, when: str, take: Take | None) -> Self:
        """Return it with the thirty questions as far as they have been taken; None forgets them."""
        takes = {**self.takes, when: take}
        return replace(self, takes={each: kept for each, kept in takes.items() if kept is not None})

    def _with(self, lesson: Lesson, done: Done) -> Self:
        return replace(self, lessons={**self.without(lesson).lessons, lesson.key: done})

    # ---- As a text ----

    def text(self) -> str:
        """Return it as the settings keep it."""
        return json.dumps(
            {
                key: {
                    "step": done.step,
                    "finished": done.finished,
                    "seconds": round(done.seconds, 1),
                    "finished_on": done.finished_on,
                    "recalled": done.recalled,
                    "edition": done.edition,
                    "tries": {str(step): count for step, count in done.tries.items()},
                    "first_tries": {str(step): is_right for step, is_right in done.first_tries.items()},
                }
                for key, done in self.lessons.items()
            }
            | ({THIRTY: {when: as_document(take) for when, take in self.takes.items()}} if self.takes else {})
        )

    @classmethod
    def read(cls, text: str) -> Self:
        """Return what a text of the settings says; what cannot be understood was never done."""
        try:
            document = json_from(text or "{}")
        except JsonTextError:
            return cls()
        items = document if isinstance(document, dict) else {}
        takes = takes_from(items.pop(THIRTY, None))
        return cls({key: _done(item) for key, item in items.items() if isinstance(item, dict)}, takes)


def _old_key(lesson: Lesson) -> str:
    """Return by what earlier versions kept a lesson of a file: its name, if no lesson of the program has that."""
    return lesson.key if lesson.name in NAMES else lesson.name


def _done(item: dict[str, Any]) -> Done:
    step, seconds, recalled = item.get("step"), item.get("seconds"), item.get("recalled")
    edition = item.get("edition")
    return Done(
        step if type(step) is int and step >= 0 else 0,
        item.get("finished") is True,
        {at: is_right for at, is_right in _by_step(item.get("first_tries")) if isinstance(is_right, bool)},
        {at: count for at, count in _by_step(item.get("tries")) if type(count) is int and 0 < count < 10**6},
        seconds if type(seconds) is float and 0 <= seconds < MOST_SECONDS else 0.0,
        _day(item.get("finished_on")),
        recalled if type(recalled) is int and 0 <= recalled < 100 else 0,
        edition if type(edition) is int else 1,
    )


def _day(found: object) -> str:
    try:
        return date.fromisoformat(found).isoformat() if isinstance(found, str) else ""
    except ValueError:
        return ""


def _by_step(found: object) -> Iterator[tuple[int, object]]:
    for at, value in found.items() if isinstance(found, dict) else ():
        if at.isdecimal() and len(at) < 6:
            yield int(at), value
