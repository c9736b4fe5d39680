"""The lessons that come with the program, in the order in which they are meant to be taken."""

from __future__ import annotations

from functools import cache

from attention_explorer.core import assets
from attention_explorer.tools.lessons.lesson import NAMES as NAMES
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.reading import SUFFIX, lesson_from

FOLDER = "lessons"


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return the lessons of the program; an ExplorerError if one of their files is missing or damaged."""
    return tuple(lesson_from(assets.read_bytes(f"{FOLDER}/{name}{SUFFIX}"), f"{name}{SUFFIX}") for name in NAMES)


def after(lesson: Lesson) -> Lesson | None:
    """Return the lesson that comes next; None after the last."""
    keys = [each.key for each in lessons()]
    place = keys.index(lesson.key) + 1 if lesson.key in keys else len(keys)
    return lessons()[place] if place < len(keys) else None
