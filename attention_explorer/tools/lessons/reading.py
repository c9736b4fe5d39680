"""Lesson files: TOML that is read strictly, with the line of whatever is wrong. Nothing in a file is run."""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attention_explorer.core import files
from attention_explorer.core.json_text import LARGEST_INTEGER
from attention_explorer.core.named import ExpressionError
from attention_explorer.errors import ExplorerError, FileAccessError, full_stop, quoted
from attention_explorer.tools.lessons.expression import Expression, expression
from attention_explorer.tools.lessons.lesson import NAMES as NAMES
from attention_explorer.tools.lessons.lesson import (
    Answer,
    Draw,
    Fact,
    Kind,
    Labels,
    Lesson,
    Option,
    Settings,
    Slip,
    Step,
)
from attention_explorer.tools.lessons.progress import guessing
from attention_explorer.tools.lessons.tables import (
    DEEPEST,
    Table,
    TooDeepError,
    Way,
    WrongError,
    all_of,
    line_of,
    lines_of,
    name_of,
)

SUFFIX = ".lesson.toml"
FORMAT = 1
MOST_BYTES = 64 * 1024
MOST_STEPS, MOST_OPTIONS, LONGEST_TEXT, MOST_DRAWN = 100, 12, 2000, 4096
MOST_LARGE = 12
"""Letters that may stand in place of the picture of a lesson."""
MOST_TOLD = 12
"""Of the things that are wrong with a file."""

GRID = "grid"
"""What a field of two coordinates is drawn from: the multiples of ½ from −2 to 2."""
GRID_VALUES = tuple([x / 2, y / 2] for x in range(-4, 5) for y in range(-4, 5))

_LARGEST = 1e12

_LABELLED = (Kind.BARS, Kind.ORDER, Kind.TOKEN, Kind.CELLS)

_NO_FACTS: tuple[Fact, ...] = ()
_NO_TEXTS: tuple[str, ...] = ()
_UNCHANGED: Settings = MappingProxyType({})


MARK = 16
"""Digits of the checksum that tells a lesson from others of its name."""


def read_lesson(path: Path) -> Lesson:
    """Read a lesson file.

    Raises
    ------
    ExplorerError
        It cannot be read, or something in it is not as it should be; the message names the file and the line.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FileAccessError(f"{quoted(path.name)} cannot be read: {error.strerror or error}.") from error
    # By its contents: answers are kept by the numbers of steps, and mean nothing for others.
    return replace(lesson_from(data, path.name), mark=mark_of(data))


def mark_of(data: bytes) -> str:
    """Return what tells the contents of a lesson file from others."""
    return hashlib.sha256(data).hexdigest()[:MARK]


def lesson_from(data: bytes, name: str) -> Lesson:
    """Read a lesson from the bytes of its file, whose name is for messages; errors as in `read_lesson`."""
    if len(data) > MOST_BYTES:
        raise ExplorerError(f"{quoted(name)} is no lesson: it has more than {MOST_BYTES // 1024} KiB.")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ExplorerError(f"{quoted(name)}, line {line}: this is no text in UTF-8.") from None
    try:
        lines = lines_of(text)
        document = tomllib.loads(text)
    except (TooDeepError, ValueError) as error:
        raise ExplorerError(f"{quoted(name)} cannot be read as TOML: {_toml_words(error)}.") from None
    try:
        return _lesson(document, name.removesuffix(SUFFIX), lines)
    except WrongError as wrong:
        raise ExplorerError(_told(wrong, name, lines)) from None


def _told(wrong: WrongError, name: str, lines: dict[Way, int]) -> str:
    """Return a line of text for each thing that is wrong, in the order in which they stand in the file."""
    found = sorted({(line_of(way, lines), full_stop(what)) for way, what in wrong.faults})
    told = [f"{quoted(name)}{f', line {line}' if line else ''}: {what}" for line, what in found[:MOST_TOLD]]
    more = [f"And {len(found) - MOST_TOLD} more."] if len(found) > MOST_TOLD else []
    return "\n".join(told + more)


def _toml_words(error: Exception) -> str:
    if isinstance(error, TooDeepError):
        return f"in line {error.line} more than {DEEPEST} names or brackets stand within each other"
    if not isinstance(error, tomllib.TOMLDecodeError):
        return "it holds a number with thousands of digits"
    return re.sub(r"\(at line (\d+), column (\d+)\)", r"in line \1, column \2", str(error)).replace(
        " (at end of document)", ", at its end"
    )


# ---- The document ----


def _lesson(document: dict[str, Any], name: str, lines: dict[Way, int]) -> Lesson:
    table = Table(document, ())
    table.take("format", _format)
    table.check()  # in another format all else may be right
    title, minutes = table.take("title", _text), table.take("minutes", _positive, 5.0)
    after, learned = table.take("after", _texts, _NO_TEXTS), table.take("learned", _text, "")
    about = table.take("about", _text, "")
    edition = table.take("edition", _whole, 1)
    steps = table.take("step", lambda content, way: _steps(content, way, lines))
    usual, usual_letters = usual_picture(steps or ())
    letters = table.take("letters", _letters, usual_letters)
    picture = table.take("picture", lambda content, way: _picture(content, way, steps or ()), usual)
    table.close()
    return Lesson(name, title, minutes, after, learned, steps, "", edition, about, picture, letters)


def usual_picture(steps: Sequence[Step]) -> tuple[int, str]:
    """Return the step, from 0, whose picture stands for a lesson that says none, and the letters in its place if any.

    It is the first step that hides nothing.
    """
    shown = next((at for at, step in enumerate(steps) if not step.hide), None)
    return (0, "?") if shown is None else (shown, "")


def _letters(content: object, way: Way) -> str:
    text = _text(content, way)
    if len(text) > MOST_LARGE:
        raise WrongError(way, f"there are {len(text)} letters, but at most {MOST_LARGE} can be shown large")
    return text


def _picture(content: object, way: Way, steps: tuple[Step, ...]) -> int:
    """Return which step, from 0: a file counts from 1."""
    at = _whole(content, way)
    if steps and not 1 <= at <= len(steps):
        raise WrongError(way, f"there is no step {at}: there are {len(steps)}")
    if steps and steps[at - 1].hide:
        raise WrongError(way, f"the picture of step {at} would tell what its question hides: choose another step")
    return at - 1


def _format(content: object, way: Way) -> int:
    version = _whole(content, way)
    if version != FORMAT:
        newer = "This version of the program does not know it" if version > FORMAT else "There is none"
        raise WrongError(way, f"the format is {version}, but must be {FORMAT}. {newer}")
    return version


def _steps(content: object, way: Way, lines: dict[Way, int]) -> tuple[Step, ...]:
    steps = _list(content, way)
    if not 1 <= len(steps) <= MOST_STEPS:
        raise WrongError(way, f"there are {len(steps)} steps, but there must be from 1 to {MOST_STEPS}")
    return all_of(steps, way, lambda step, way: _step(Table(step, way), line_of(way, lines)))


def _step(table: Table, line: int) -> Step:
    if table.has("say") == table.has("ask"):
        raise WrongError(table.way, "a step has either “say”, what to do, or “ask”, a question")
    step = _asked(table, line) if table.has("ask") else _task(table, line)
    table.close()
    return step


def _asked(table: Table, line: int) -> Step:
    """Read a question, and the one that comes in its place on another day."""
    question = _question(table, line)
    again = table.take("again", _again, question)
    return question if again is question else replace(question, again=replace(again, line=line))


def _again(content: object, way: Way) -> Step:
    table = Table(content, way)
    step = _question(table, 0)
    table.close()
    return step


def _common(table: Table) -> dict[str, Any]:
    """Read what all steps may have."""
    return {
        "show": table.take("show", _text, ""),
        "page": table.take("page", _text, ""),
        "set": table.take("set", _settings, _UNCHANGED),
        "light": table.take("light", _texts, _NO_TEXTS),
        "hint": table.take("hint", _text, ""),
        "facts": table.take("facts", _facts, _NO_FACTS),
    }


def _task(table: Table, line: int) -> Step:
    until = table.take("until", _expression) if table.has("until") else None
    done: Settings = table.take("done", _settings) if table.has("until") else {}
    return Step(line, table.take("say", _text), **_common(table), until=until, done=done)


def _question(table: Table, line: int) -> Step:
    return Step(
        line,
        table.take("ask", _text),
        **_common(table),
        answer=table.take("answer", _answer),
        hide=table.take("hide", _expressions, ()),
        slips=table.take("slips", _slips, ()),
        right=table.take("right", _text, ""),
        wrong=table.take("wrong", _text, ""),
        draw=table.take("draw", _draws, ()),
        where=table.take("where", _expression) if table.has("where") else None,
    )


def _answer(content: object, way: Way) -> Answer:
    table = Table(content, way)
    kinds = [kind for kind in Kind if table.has(kind)]
    if len(kinds) != 1:
        raise WrongError(way, f"an answer has one of {', '.join(Kind)}")
    (kind,) = kinds
    if kind is Kind.CHOICE:
        answer = Answer(kind, options=table.take(kind, _options))
    else:
        measured = kind in (Kind.NUMBER, Kind.POINT, Kind.BARS)
        answer = Answer(
            kind,
            table.take(kind, _expression),
            table.take("within", _positive) if measured else 0.0,
            labels=_names(table, "labels", kind in _LABELLED),
            rows=_names(table, "rows", kind is Kind.CELLS),
            low=table.take("from", _number, 0.0) if kind is Kind.BARS else 0.0,
            high=table.take("to", _number, 1.0) if kind is Kind.BARS else 1.0,
        )
    table.close()
    if answer.low >= answer.high:
        raise WrongError(way, f"a bar cannot go from {answer.low:g} to {answer.high:g}")
    return answer


def _names(table: Table, key: str, may_be: bool) -> Labels:
    if may_be and table.has(key):
        return table.take(key, _labels)
    return ()


def _labels(content: object, way: Way) -> Labels:
    """Read names, or the expression that gives them."""
    return _expression(content, way) if isinstance(content, str) else _texts(content, way)


def _options(content: object, way: Way) -> tuple[Option, ...]:
    items = _list(content, way)
    if not 2 <= len(items) <= MOST_OPTIONS:
        raise WrongError(way, f"a choice has from 2 to {MOST_OPTIONS} sentences, not {len(items)}")
    return all_of(items, way, lambda item, way: _option(Table(item, way)))


def _option(table: Table) -> Option:
    option = Option(table.take("say", _text), table.take("if", _expression), table.take("reply", _text, ""))
    table.close()
    return option


def _slips(content: object, way: Way) -> tuple[Slip, ...]:
    return all_of(_list(content, way), way, lambda item, way: _slip(Table(item, way)))


def _slip(table: Table) -> Slip:
    of = table.take("of", _expression) if table.has("of") else None
    slip = Slip(table.take("say", _text), table.take("set", _settings, _UNCHANGED), of)
    table.close()
    if not slip.set and of is None:
        raise WrongError(table.way, "a slip needs “set”, in which state its answer is right, or “of”, what it is")
    return slip


def _facts(content: object, way: Way) -> tuple[Fact, ...]:
    if not isinstance(content, dict):
        raise WrongError(way, "must be a table of numbers as the text says them, and what each is")
    return tuple(_fact(said, of, (*way, said)) for said, of in content.items())


def _fact(said: str, content: object, way: Way) -> Fact:
    if isinstance(content, str):
        return Fact(said, _expression(content, way))
    table = Table(content, way)
    fact = Fact(said, table.take("of", _expression), table.take("set", _settings, _UNCHANGED))
    table.close()
    return fact


def _draws(content: object, way: Way) -> tuple[Draw, ...]:
    if not isinstance(content, dict):
        raise WrongError(way, "“draw” must be a table of fields and what they are drawn from")
    return tuple(Draw(name, _drawn_from(values, (*way, name))) for name, values in content.items())


def _drawn_from(content: object, way: Way) -> tuple[Any, ...]:
    if content == GRID:
        return GRID_VALUES
    if isinstance(content, dict):
        return _range(Table(content, way))
    if isinstance(content, list) and 2 <= len(content) <= MOST_DRAWN:
        _refuse_dates(content, way)
        return tuple(content)
    raise WrongError(way, f"it is drawn from “{GRID}”, from a list, or from {{ from = 1, to = 9, step = 2 }}")


def _range(table: Table) -> tuple[float, ...]:
    low, high, step = table.take("from", _number), table.take("to", _number), table.take("step", _positive)
    table.close()
    count = (high - low) / step + 1 + 1e-9
    if not 2 <= count < MOST_DRAWN + 1:
        raise WrongError(
            table.way, f"from {low:g} to {high:g} there are {count:.6g} steps of {step:g}: draw from 2 to {MOST_DRAWN}"
        )
    return tuple(round(low + index * step, 12) for index in range(math.floor(count)))


# ---- Single values ----


def _text(content: object, way: Way) -> str:
    if not isinstance(content, str) or not content.strip():
        raise WrongError(way, f"{name_of(way)} must be a text in quotes")
    if len(content) > LONGEST_TEXT:
        raise WrongError(way, f"{name_of(way)} has {len(content)} characters, but may have {LONGEST_TEXT} at most")
    return content.strip()


def _texts(content: object, way: Way) -> tuple[str, ...]:
    return all_of(_list(content, way), way, _text)


def _list(content: object, way: Way) -> list[Any]:
    if isinstance(content, list):
        return content
    raise WrongError(way, f"{name_of(way)} must be a list")


def _whole(content: object, way: Way) -> int:
    if isinstance(content, int) and not isinstance(content, bool) and abs(content) <= _LARGEST:
        return content
    raise WrongError(way, f"{name_of(way)} must be a whole number")


def _number(content: object, way: Way) -> float:
    if isinstance(content, int | float) and not isinstance(content, bool) and abs(content) <= _LARGEST:
        return float(content)
    raise WrongError(way, f"{name_of(way)} must be a number, up to {_LARGEST:g}")


def _positive(content: object, way: Way) -> float:
    number = _number(content, way)
    if number > 0:
        return number
    raise WrongError(way, f"{name_of(way)} must be more than 0")


def _settings(content: object, way: Way) -> Settings:
    if not isinstance(content, dict) or not content:
        raise WrongError(way, f'{name_of(way)} must name fields, as {{ "lookup.hard" = true }}')
    for name, value in content.items():
        _refuse_dates(value, (*way, name))
    return content


def _refuse_dates(content: object, way: Way) -> None:
    """Refuse what TOML can say and a state cannot."""
    if isinstance(content, int) and abs(content) > LARGEST_INTEGER:
        raise WrongError(way, f"{name_of(way)} holds a whole number beyond all ranges")
    if isinstance(content, dict | list):
        for item in content.values() if isinstance(content, dict) else content:
            _refuse_dates(item, way)
    elif not isinstance(content, bool | int | float | str):
        raise WrongError(way, f"{name_of(way)} cannot be a date or a time")


def _expression(content: object, way: Way) -> Expression:
    try:
        return expression(_text(content, way))
    except ExpressionError as error:
        raise WrongError(way, f"in {quoted(str(content))}, {error}") from None


def _expressions(content: object, way: Way) -> tuple[Expression, ...]:
    return all_of(_list(content, way), way, _expression)


# ---- The lessons of the program ----


FOLDER = "lessons"
BANK, THIRTY = "bank", "thirty"
"""Where the questions lie that no lesson shows, and what they are called in files."""


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return the lessons of the program; an ExplorerError if one of their files is missing or damaged."""
    return tuple(lesson_from(files.read_bytes(f"{FOLDER}/{name}{SUFFIX}"), f"{name}{SUFFIX}") for name in NAMES)


@cache
def bank() -> Lesson:
    """Return the thirty questions that no lesson shows, with a mark by which others would be known from them.

    Errors as in `lessons`.
    """
    name = f"{THIRTY}{SUFFIX}"
    data = files.read_bytes(f"{BANK}/{name}")
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
