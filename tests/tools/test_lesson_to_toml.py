"""A lesson written as a file and read again is the same lesson."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from attention_explorer.core import files
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.expression import Expression, expression
from attention_explorer.tools.lessons.lesson import Answer, Fact, Kind, Lesson, Slip, Step
from attention_explorer.tools.lessons.reading import SUFFIX, lesson_from
from attention_explorer.tools.lessons.to_toml import lesson_text
from attention_explorer.tools.lessons.writing import EXAMPLE

LESSONS = Path(__file__).parents[1] / "data" / "lessons"
FILES = (
    *(Path(files.path(f"{reading.FOLDER}/{name}{SUFFIX}")) for name in reading.NAMES),
    Path(files.path(f"{reading.FOLDER}/{EXAMPLE}")),
    Path(files.path(f"{reading.BANK}/{reading.THIRTY}{SUFFIX}")),
    LESSONS / "kinds.lesson.toml",
    LESSONS / "soft.lesson.toml",
)


def plain(value: Any) -> Any:
    """Return a lesson as lists and texts, without its lines: expressions do not compare by what they say."""
    if isinstance(value, Expression):
        return value.text
    if is_dataclass(value):
        return [(part.name, plain(getattr(value, part.name))) for part in fields(value) if part.name != "line"]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value


def read_again(lesson: Lesson) -> Lesson:
    return lesson_from(lesson_text(lesson).encode(), lesson.name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_lesson_there_is_comes_back_as_it_was(path: Path) -> None:
    lesson = lesson_from(path.read_bytes(), path.name)
    assert plain(read_again(lesson)) == plain(lesson)


@pytest.mark.parametrize(
    "text",
    [
        'He said "q".',
        "back\\slash \\n",
        "two\n\nparagraphs",
        '"""\nthree',
        "tab\tand bell\x07",
        "ends in \\",
        "α₂ − ½ 🙂",
    ],
)
def test_any_text_comes_back_letter_by_letter(text: str) -> None:
    step = Step(0, text, hint=text, set={"lookup.preset": text})
    lesson = Lesson("x", "A title", 5.0, (), text, (step,), about=text)
    assert plain(read_again(lesson)) == plain(lesson)


def test_all_that_an_answer_and_a_fact_may_have_comes_back() -> None:
    bars = Answer(Kind.BARS, expression("lookup.weights"), 0.05, labels=("a", "b"), rows=(), low=-1.0, high=2.5)
    question = Step(
        0,
        "How much?",
        answer=bars,
        hide=(expression("lookup.weights"),),
        slips=(Slip("No.", of=expression("lookup.scores")), Slip("Not so.", {"lookup.hard": True})),
        facts=(Fact("0.5", expression("lookup.weights[0]"), {"lookup.temperature": 1e-5}),),
        where=expression("lookup.scores[0] > 0"),
    )
    asked = replace(question, again=replace(question, text="And now?"))
    lesson = Lesson("x", "A title", 2.5, ("soft",), "", (asked,), edition=3, letters="α!")
    assert plain(read_again(lesson)) == plain(lesson)


def test_what_no_file_can_say_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot hold a NoneType"):
        lesson_text(Lesson("x", "A title", 5.0, (), "", (Step(0, "Look.", set={"lookup.row": None}),)))
