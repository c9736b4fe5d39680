"""Lesson files: TOML that is read strictly, with the line of whatever is wrong. Nothing in a file is run."""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from attention_explorer.errors import ExplorerError, FileAccessError, did_you_mean, full_stop, quoted
from attention_explorer.pages.lessons.expression import Expression, ExpressionError, expression
from attention_explorer.pages.lessons.lesson import (
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

SUFFIX = ".lesson.toml"
FORMAT = 1
MOST_BYTES = 64 * 1024
MOST_STEPS, MOST_OPTIONS, LONGEST_TEXT, MOST_DRAWN = 100, 12, 2000, 4096
MOST_LINES = 200
"""Of one statement, for its place to be told."""

GRID = "grid"
"""What a field of two coordinates is drawn from: the multiples of ½ from −2 to 2."""

_LARGEST = 1e12

T = TypeVar("T")
Way: TypeAlias = tuple[str | int, ...]
"""From the top of the document to a part of it: keys, and places in lists from 0."""

_LABELLED = (Kind.BARS, Kind.ORDER, Kind.TOKEN, Kind.CELLS)

_NO_FACTS: tuple[Fact, ...] = ()
_NO_TEXTS: tuple[str, ...] = ()
_UNCHANGED: Settings = MappingProxyType({})


class _WrongError(Exception):
    """Something in the document is not as it should be: the way to it, and the end of a sentence about it."""

    def __init__(self, way: Way, what: str) -> None:
        super().__init__(what)
        self.way, self.what = way, what


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
    return replace(lesson_from(data, path.name), mark=hashlib.sha256(data).hexdigest()[:MARK])


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
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ExplorerError(f"{quoted(name)} cannot be read as TOML: {_toml_words(error)}.") from None
    try:
        return _lesson(document, name.removesuffix(SUFFIX), lambda way: _line_of(text, way))
    except _WrongError as wrong:
        where = f", line {_line_of(text, wrong.way)}" if wrong.way else ""
        raise ExplorerError(f"{quoted(name)}{where}: {full_stop(wrong.what)}") from None


def _toml_words(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "its brackets are nested too deeply"
    return re.sub(r"\(at line (\d+), column (\d+)\)", r"in line \1, column \2", str(error)).replace(
        " (at end of document)", ", at its end"
    )


# ---- Lines ----


def _line_of(text: str, way: Way) -> int:
    """Return the line on which a part of the document begins, from 1.

    The parser keeps no lines. But a document can be cut wherever a statement ends, and the part begins after the
    longest beginning that does not hold it yet.
    """
    lines = text.split("\n")
    return bisect_left(range(len(lines)), True, key=lambda count: _holds(_beginning(lines, count), way))


def _beginning(lines: list[str], count: int) -> dict[str, Any]:
    """Parse so many lines, and more where they end within a statement."""
    for end in range(count, min(count + MOST_LINES, len(lines))):
        try:
            return tomllib.loads("\n".join(lines[:end]))
        except (tomllib.TOMLDecodeError, RecursionError, ValueError):
            continue
    return tomllib.loads("\n".join(lines))


def _holds(document: object, way: Way) -> bool:
    part: Any = document
    for step in way:
        there = step in part if isinstance(part, dict) else isinstance(step, int) and step < len(part)
        if not there:
            return False
        part = part[step]
    return True


# ---- The document ----


class _Table:
    """A table of the document, whose keys are taken one by one; what is left over is refused."""

    def __init__(self, content: object, way: Way) -> None:
        if not isinstance(content, dict):
            raise _WrongError(way, f"{_name_of(way)} must be a table")
        self.content, self.way, self._known = content, way, set[str]()

    def take(self, key: str, read: Callable[[object, Way], T], default: T | None = None) -> T:
        """Return what a reader makes of a key, or the default; without one the key must be there."""
        self._known.add(key)
        if key in self.content:
            return read(self.content[key], (*self.way, key))
        if default is None:
            raise _WrongError(self.way, f"{quoted(key)} is missing")
        return default

    def has(self, key: str) -> bool:
        """Whether there is such a key."""
        return key in self.content

    def close(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self.content:
            if key not in self._known:
                raise _WrongError(
                    (*self.way, key), f"there is nothing called {quoted(key)} here. {_near(key, self._known)}"
                )


def _lesson(document: dict[str, Any], name: str, line_of: Callable[[Way], int]) -> Lesson:
    table = _Table(document, ())
    version = table.take("format", _whole)
    if version != FORMAT:
        newer = "This version of the program does not know it" if version > FORMAT else "There is none"
        raise _WrongError(("format",), f"the format is {version}, but must be {FORMAT}. {newer}")
    title, minutes = table.take("title", _text), table.take("minutes", _positive, 5.0)
    after, learned = table.take("after", _texts, _NO_TEXTS), table.take("learned", _text, "")
    steps = table.take("step", _list)
    table.close()
    if not 1 <= len(steps) <= MOST_STEPS:
        raise _WrongError(("step",), f"there are {len(steps)} steps, but there must be from 1 to {MOST_STEPS}")
    read = (_step(_Table(step, ("step", index)), line_of(("step", index))) for index, step in enumerate(steps))
    return Lesson(name, title, minutes, after, learned, tuple(read))


def _step(table: _Table, line: int) -> Step:
    if table.has("say") == table.has("ask"):
        raise _WrongError(table.way, "a step has either “say”, what to do, or “ask”, a question")
    step = (_question if table.has("ask") else _task)(table, line)
    table.close()
    return step


def _common(table: _Table) -> dict[str, Any]:
    """Read what all steps may have."""
    return {
        "show": table.take("show", _text, ""),
        "page": table.take("page", _text, ""),
        "set": table.take("set", _settings, _UNCHANGED),
        "light": table.take("light", _texts, _NO_TEXTS),
        "hint": table.take("hint", _text, ""),
        "facts": table.take("facts", _facts, _NO_FACTS),
    }


def _task(table: _Table, line: int) -> Step:
    until = table.take("until", _expression) if table.has("until") else None
    done: Settings = table.take("done", _settings) if until else {}
    return Step(line, table.take("say", _text), **_common(table), until=until, done=done)


def _question(table: _Table, line: int) -> Step:
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
    table = _Table(content, way)
    kinds = [kind for kind in Kind if table.has(kind)]
    if len(kinds) != 1:
        raise _WrongError(way, f"an answer has one of {', '.join(Kind)}")
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
    if answer.low >= answer.high:
        raise _WrongError(way, f"a bar cannot go from {answer.low:g} to {answer.high:g}")
    table.close()
    return answer


def _names(table: _Table, key: str, may_be: bool) -> Labels:
    if may_be and table.has(key):
        return table.take(key, _labels)
    return ()


def _labels(content: object, way: Way) -> Labels:
    """Read names, or the expression that gives them."""
    return _expression(content, way) if isinstance(content, str) else _texts(content, way)


def _options(content: object, way: Way) -> tuple[Option, ...]:
    items = _list(content, way)
    if not 2 <= len(items) <= MOST_OPTIONS:
        raise _WrongError(way, f"a choice has from 2 to {MOST_OPTIONS} sentences, not {len(items)}")
    return tuple(_option(_Table(item, (*way, index))) for index, item in enumerate(items))


def _option(table: _Table) -> Option:
    option = Option(table.take("say", _text), table.take("if", _expression), table.take("reply", _text, ""))
    table.close()
    return option


def _slips(content: object, way: Way) -> tuple[Slip, ...]:
    return tuple(_slip(_Table(item, (*way, index))) for index, item in enumerate(_list(content, way)))


def _slip(table: _Table) -> Slip:
    of = table.take("of", _expression) if table.has("of") else None
    slip = Slip(table.take("say", _text), table.take("set", _settings, _UNCHANGED), of)
    if not slip.set and of is None:
        raise _WrongError(table.way, "a slip needs “set”, in which state its answer is right, or “of”, what it is")
    table.close()
    return slip


def _facts(content: object, way: Way) -> tuple[Fact, ...]:
    if not isinstance(content, dict):
        raise _WrongError(way, "must be a table of numbers as the text says them, and what each is")
    return tuple(_fact(said, of, (*way, said)) for said, of in content.items())


def _fact(said: str, content: object, way: Way) -> Fact:
    if isinstance(content, str):
        return Fact(said, _expression(content, way))
    table = _Table(content, way)
    fact = Fact(said, table.take("of", _expression), table.take("set", _settings, _UNCHANGED))
    table.close()
    return fact


def _draws(content: object, way: Way) -> tuple[Draw, ...]:
    if not isinstance(content, dict):
        raise _WrongError(way, "“draw” must be a table of fields and what they are drawn from")
    return tuple(Draw(name, _drawn_from(values, (*way, name))) for name, values in content.items())


def _drawn_from(content: object, way: Way) -> tuple[Any, ...]:
    if content == GRID:
        return tuple([x / 2, y / 2] for x in range(-4, 5) for y in range(-4, 5))
    if isinstance(content, dict):
        return _range(_Table(content, way))
    if isinstance(content, list) and 2 <= len(content) <= MOST_DRAWN:
        _refuse_dates(content, way)
        return tuple(content)
    raise _WrongError(way, f"it is drawn from “{GRID}”, from a list, or from {{ from = 1, to = 9, step = 2 }}")


def _range(table: _Table) -> tuple[float, ...]:
    low, high, step = table.take("from", _number), table.take("to", _number), table.take("step", _positive)
    table.close()
    count = math.floor((high - low) / step + 1e-9) + 1
    if not 2 <= count <= MOST_DRAWN:
        raise _WrongError(
            table.way, f"from {low:g} to {high:g} there are {count} steps of {step:g}: draw from 2 to {MOST_DRAWN}"
        )
    return tuple(round(low + index * step, 12) for index in range(count))


# ---- Single values ----


def _text(content: object, way: Way) -> str:
    if not isinstance(content, str) or not content.strip():
        raise _WrongError(way, f"{_name_of(way)} must be a text in quotes")
    if len(content) > LONGEST_TEXT:
        raise _WrongError(way, f"{_name_of(way)} has {len(content)} characters, but may have {LONGEST_TEXT} at most")
    return content.strip()


def _texts(content: object, way: Way) -> tuple[str, ...]:
    return tuple(_text(item, (*way, index)) for index, item in enumerate(_list(content, way)))


def _list(content: object, way: Way) -> list[Any]:
    if isinstance(content, list):
        return content
    raise _WrongError(way, f"{_name_of(way)} must be a list")


def _whole(content: object, way: Way) -> int:
    if isinstance(content, int) and not isinstance(content, bool):
        return content
    raise _WrongError(way, f"{_name_of(way)} must be a whole number")


def _number(content: object, way: Way) -> float:
    if isinstance(content, int | float) and not isinstance(content, bool) and abs(content) <= _LARGEST:
        return float(content)
    raise _WrongError(way, f"{_name_of(way)} must be a number, up to {_LARGEST:g}")


def _positive(content: object, way: Way) -> float:
    number = _number(content, way)
    if number > 0:
        return number
    raise _WrongError(way, f"{_name_of(way)} must be more than 0")


def _settings(content: object, way: Way) -> Settings:
    if not isinstance(content, dict) or not content:
        raise _WrongError(way, f'{_name_of(way)} must name fields, as {{ "lookup.hard" = true }}')
    for name, value in content.items():
        _refuse_dates(value, (*way, name))
    return content


def _refuse_dates(content: object, way: Way) -> None:
    """Refuse what TOML can say and a state cannot."""
    if isinstance(content, dict | list):
        for item in content.values() if isinstance(content, dict) else content:
            _refuse_dates(item, way)
    elif not isinstance(content, bool | int | float | str):
        raise _WrongError(way, f"{_name_of(way)} cannot be a date or a time")


def _expression(content: object, way: Way) -> Expression:
    try:
        return expression(_text(content, way))
    except ExpressionError as error:
        raise _WrongError(way, f"in {quoted(str(content))}, {error}") from None


def _expressions(content: object, way: Way) -> tuple[Expression, ...]:
    return tuple(_expression(item, (*way, index)) for index, item in enumerate(_list(content, way)))


def _name_of(way: Way) -> str:
    names = [step for step in way if isinstance(step, str)]
    return quoted(names[-1]) if names else "the file"


def _near(key: str, known: set[str]) -> str:
    return did_you_mean(key, sorted(known))
