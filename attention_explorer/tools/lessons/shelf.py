"""The lessons of the program, in the order in which they are meant to be taken, and the thirty questions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from attention_explorer.core import assets
from attention_explorer.tools.lessons.lesson import NAMES as NAMES
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import guessing
from attention_explorer.tools.lessons.reading import SUFFIX, lesson_from, mark_of

FOLDER = "lessons"
BANK, THIRTY = "bank", "thirty"
"""Where the questions lie that no lesson shows, and what they are called in files."""


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return the lessons of the program; an ExplorerError if one of their files is missing or damaged."""
    return tuple(lesson_from(assets.read_bytes(f"{FOLDER}/{name}{SUFFIX}"), f"{name}{SUFFIX}") for name in NAMES)


@cache
def bank() -> Lesson:
    """Return the thirty questions that no lesson shows, with a mark by which others would be known from them.

    Errors as in `lessons`.
    """
    name = f"{THIRTY}{SUFFIX}"
    data = assets.read_bytes(f"{BANK}/{name}")
    return replace(lesson_from(data, name), mark=mark_of(data))


@cache
def by_guessing() -> float:
    """Return how many of the thirty questions somebody gets right on average by guessing."""
    return guessing(bank())


def after(lesson: Lesson) -> Lesson | None:
    """Return the lesson that comes next; None after the last."""
    keys = [each.key for each in lessons()]
    place = keys.index(lesson.key) + 1 if lesson.key in keys else len(keys)
    return lessons()[place] if place < len(keys) else None
