"""A recorded lesson looked over before it is tried, saved or printed, as `lesson check` looks over a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from attention_explorer.core.numerals import counted
from attention_explorer.errors import ExplorerError
from attention_explorer.tools.lessons.checking import walked
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.reading import SUFFIX, lesson_from, mark_of
from attention_explorer.tools.lessons.recording import Recording
from attention_explorer.tools.lessons.to_toml import lesson_text

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
