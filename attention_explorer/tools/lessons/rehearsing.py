"""A lesson looked over: what its names and answers are, and what is wrong with it; one that was recorded too."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from attention_explorer.core.numerals import counted
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.model.checkpoint import watched
from attention_explorer.tools.lessons.lesson import Lesson, Step
from attention_explorer.tools.lessons.reading import SUFFIX, lesson_from, mark_of, read_lesson
from attention_explorer.tools.lessons.recording import Recording
from attention_explorer.tools.lessons.to_toml import lesson_text
from attention_explorer.tools.lessons.walk import checked, unproved_numbers
from attention_explorer.tools.lessons.words import unknown_terms

PATIENCE = 5.0
"""Seconds of work on a step after which it is said that it goes on, and again each time that they have doubled."""


def looked_over(path: Path, complain: Callable[[str], object]) -> str:
    """Walk the lesson of a file, and return what its names are called and what its answers are, a line for each.

    Parameters
    ----------
    path : Path
        Of the file.
    complain : callable
        Takes a sentence about what is no error, and about what takes long.

    Raises
    ------
    ExplorerError
        It is no lesson, or cannot be played.
    """
    lesson = read_lesson(path)
    lines = [f"{lesson.title}: {counted(len(lesson.steps), 'step')}, {lesson.minutes:g} minutes\n"]
    lines += (f"  line {step.line}: {name} = {what}\n" for step, name, what in walked(lesson, path, complain))
    return "".join(lines)


def walked(lesson: Lesson, path: Path, complain: Callable[[str], object]) -> tuple[tuple[Step, str, str], ...]:
    """Walk a lesson that lies, or is to lie, at a path; return what its names are called and what its answers are.

    Parameters and errors are as in `looked_over`.
    """
    folder, patience = path.absolute().parent, _Patience(complain)
    for step in lesson.steps:
        for name in (*unknown_terms(step), *(unknown_terms(step.again) if step.again is not None else ())):
            complain(f"{quoted(path.name)}, line {step.line}: {quoted(name)} is no term, so nothing is linked there.")
    with watched(patience.pass_by):
        found = tuple(checked(lesson, folder, patience.begin))
    for step, number in unproved_numbers(lesson, folder):
        complain(f"{quoted(path.name)}, line {step.line}: nothing vouches for {number}. Name in “facts” what it is.")
    return found


class _Patience:
    """Says of a step that it takes long to be computed."""

    def __init__(self, complain: Callable[[str], object]) -> None:
        self._complain, self._line = complain, 0
        self._since, self._next = monotonic(), PATIENCE

    def begin(self, step: Step) -> None:
        """Begin with a step."""
        self._line, self._since, self._next = step.line, monotonic(), PATIENCE

    def pass_by(self) -> None:
        """See how long it has taken so far."""
        passed = monotonic() - self._since
        if passed >= self._next:
            self._next = 2 * passed
            self._complain(
                f"line {self._line}: computing what this step asks takes {passed:.0f} s so far. Ctrl+C stops."
            )


_NAME = "recorded"
_PLACE = re.compile(rf"^“{_NAME}(?:{re.escape(SUFFIX)})?”, line (\d+)(?:, step \d+)?: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A lesson that can be played, as it is read from its file, and what is said of it."""

    lesson: Lesson
    said: tuple[str, ...]


def rehearsed(recording: Recording) -> Rehearsed:
    """Return the lesson of a recording after it was walked from its first step to its last.

    Raises
    ------
    ExplorerError
        It cannot be saved or played: the message has a sentence for each thing that is wrong, with its step.
    """
    data = lesson_text(recording.lesson(_NAME)).encode()
    told: list[str] = []
    try:
        lesson = lesson_from(data, f"{_NAME}{SUFFIX}")
        walked(lesson, Path(f"{_NAME}{SUFFIX}"), told.append)
    except ExplorerError as error:
        raise ExplorerError(_by_step(str(error), data)) from None
    count = counted(len(lesson.steps), "step")
    first = f"It can be played: {count}, {counted(recording.questions, 'question')}, {lesson.minutes:g} minutes."
    return Rehearsed(replace(lesson, mark=mark_of(data)), (first, *(_by_step(each, data) for each in told)))


def _by_step(text: str, data: bytes) -> str:
    """Return a text that names steps where it names lines of a file that nobody has seen."""
    lines = data.decode().split("\n")

    def step(found: re.Match[str]) -> str:
        number = sum(line == "[[step]]" for line in lines[: int(found[1])])
        return f"Step {number}: " if number else ""

    return _PLACE.sub(step, text)
