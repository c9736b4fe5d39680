"""How far somebody has come in the lessons: kept among the settings, as a text, and never in a session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from attention_explorer.pages.lessons.lesson import Lesson


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
    """

    step: int = 0
    finished: bool = False
    first_tries: Mapping[int, bool] = field(default_factory=dict)

    def words(self, lesson: Lesson) -> str:
        """Say it: “step 3 of 6”, “done · 3 of 4 questions right at the first try”."""
        questions = sum(step.answer is not None for step in lesson.steps)
        right = f" · {sum(self.first_tries.values())} of {questions} questions right at the first try"
        if 0 < self.step < len(lesson.steps):
            return ("done · now at" if self.finished else "at") + f" step {self.step + 1} of {len(lesson.steps)}"
        return "done" + right * bool(questions) if self.finished else "not begun"


@dataclass(frozen=True, slots=True)
class Progress:
    """What was done of each lesson, by its name."""

    lessons: Mapping[str, Done] = field(default_factory=dict)

    def of(self, lesson: Lesson) -> Done:
        """Return what was done of a lesson; its place lies within it, also if the file has become shorter."""
        done = self.lessons.get(lesson.name, Done())
        return replace(done, step=done.step if done.step < len(lesson.steps) else 0)

    def at(self, lesson: Lesson, step: int) -> Self:
        """Return it with another place to go on."""
        return self._with(lesson, replace(self.of(lesson), step=step))

    def answered(self, lesson: Lesson, step: int, *, is_right: bool) -> Self:
        """Return it with an answer; only the first one to a question counts."""
        done = self.of(lesson)
        return self._with(lesson, replace(done, first_tries={step: is_right, **done.first_tries}))

    def finished(self, lesson: Lesson) -> Self:
        """Return it with a lesson that has come to its end, and begins anew the next time."""
        return self._with(lesson, replace(self.of(lesson), step=0, finished=True))

    def _with(self, lesson: Lesson, done: Done) -> Self:
        return replace(self, lessons={**self.lessons, lesson.name: done})

    # ---- As a text ----

    def text(self) -> str:
        """Return it as the settings keep it."""
        return json.dumps(
            {
                name: {
                    "step": done.step,
                    "finished": done.finished,
                    "first_tries": {str(step): is_right for step, is_right in done.first_tries.items()},
                }
                for name, done in self.lessons.items()
            }
        )

    @classmethod
    def read(cls, text: str) -> Self:
        """Return what a text of the settings says; what cannot be understood was never done."""
        try:
            document = json.loads(text or "{}")
        except (ValueError, RecursionError):
            return cls()
        items = document.items() if isinstance(document, dict) else ()
        return cls({name: _done(item) for name, item in items if isinstance(item, dict)})


def _done(item: dict[str, Any]) -> Done:
    step, tries = item.get("step"), item.get("first_tries")
    known = tries.items() if isinstance(tries, dict) else ()
    return Done(
        step if type(step) is int and step >= 0 else 0,
        item.get("finished") is True,
        {int(at): is_right for at, is_right in known if at.isdecimal() and isinstance(is_right, bool)},
    )
