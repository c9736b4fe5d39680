"""A TOML document as tables, whose keys are taken one by one while all that is wrong is gathered, with its lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, TypeAlias, TypeVar, cast

from attention_explorer.errors import did_you_mean, quoted

Way: TypeAlias = tuple[str | int, ...]
"""From the top of the document to a part of it: keys, and places in lists from 0."""

DEEPEST = 16
"""Names with dots between them, or brackets within each other. A lesson needs four; with some thousands `tomllib`
takes minutes."""

_GAP = re.compile(r"[ \t]*+")
_GAPS = re.compile(r"(?:[ \t\n]|#[^\n]*+)*+")
_REST_OF_LINE = re.compile(r"[ \t]*+(?:#[^\n]*+)?+(?:\n|\Z)")
_KEY = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'""")
_SCALAR = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'''
    r"""|'''(?:[^']|'(?!''))*+'{3,5}"""
    r"""|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|[^\s\[\]{},="'#][^\[\]{},="'#\n]*+""",
    re.DOTALL,
)


class TooDeepError(Exception):
    """A document is nested far deeper than a lesson.

    Attributes
    ----------
    line : int
        Where, from 1.
    """

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _EndError(Exception):
    """The document is not in order, so nothing is found from here on."""


def lines_of(text: str) -> dict[Way, int]:
    """Return the line, from 1, on which each part of a document begins, by the way to it.

    Parameters
    ----------
    text : str
        The document, with lines that end in a line feed.

    Raises
    ------
    TooDeepError
        A name has more than `DEEPEST` parts, or more brackets are open.
    """
    reader = _Reader(text)
    with suppress(_EndError):
        reader.read()
    return reader.lines


def line_of(way: Way, lines: dict[Way, int]) -> int:
    """Return the line of a part, or of the nearest part around it that has one; 0 for the document as a whole."""
    while way and way not in lines:
        way = way[:-1]
    return lines.get(way, 0)


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines: dict[Way, int] = {}
        self._text, self._at = text, 0
        self._line, self._counted = 1, 0
        self._counts: dict[Way, int] = {}
        """How many tables each list of tables has so far."""

    def read(self) -> None:
        table: Way = ()
        while True:
            self._take(_GAPS)
            if self._at == len(self._text):
                return
            if self._next("["):
                table = self._header(is_list=self._next("["))
            else:
                self._pair(table, DEEPEST)
            self._take(_REST_OF_LINE)

    def _header(self, *, is_list: bool) -> Way:
        """Read what follows [ or [[, and return the way to the table."""
        *before, last = self._names()
        way: Way = ()
        for name in before:
            way = self._found((*way, name))
            if way in self._counts:  # of a list it is the newest table
                way = (*way, self._counts[way] - 1)
        way = self._found((*way, last))
        self._expect("]")
        if not is_list:
            return way
        self._expect("]")
        self._counts[way] = self._counts.get(way, 0) + 1
        return self._found((*way, self._counts[way] - 1))

    def _pair(self, table: Way, deeper: int) -> None:
        """Read name = value."""
        way = table
        for name in self._names():
            way = self._found((*way, name))
        self._expect("=")
        self._value(way, deeper)

    def _names(self) -> list[str]:
        """Read names with dots between them."""
        names: list[str] = []
        while not names or self._next("."):
            if len(names) == DEEPEST:
                raise TooDeepError(self._line_here())
            self._take(_GAP)
            name = self._take(_KEY)
            names.append(_unquoted(name))
            self._take(_GAP)
        return names

    def _value(self, way: Way, deeper: int) -> None:
        if deeper == 0:
            raise TooDeepError(self._line_here())
        self._take(_GAP)
        if self._next("{"):
            self._items("}", lambda _index: self._pair(way, deeper - 1))
        elif self._next("["):
            self._items("]", lambda index: self._value(self._found((*way, index)), deeper - 1))
        else:
            self._take(_SCALAR)

    def _items(self, end: str, read: Callable[[int], None]) -> None:
        """Read what stands between brackets, with commas between."""
        for index in count():
            self._take(_GAPS)
            if self._next(end):
                return
            read(index)
            self._take(_GAPS)
            if not self._next(","):
                self._expect(end)
                return

    # ---- Letters ----

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise _EndError
        self._at = match.end()
        return match[0]

    def _next(self, letter: str) -> bool:
        """Go past a letter, if it comes next."""
        comes = self._text.startswith(letter, self._at)
        self._at += comes
        return comes

    def _expect(self, letter: str) -> None:
        if not self._next(letter):
            raise _EndError

    def _found(self, way: Way) -> Way:
        self.lines.setdefault(way, self._line_here())
        return way

    def _line_here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line


def _unquoted(name: str) -> str:
    """Return the name that a key spells."""
    if not name.startswith(("'", '"')):
        return name
    try:
        (spelled,) = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        raise _EndError from None
    return spelled


T = TypeVar("T")

Fault: TypeAlias = tuple[Way, str]
"""The way to what is not as it should be, and the end of a sentence about it."""


class WrongError(Exception):
    """Something in the document is not as it should be.

    Attributes
    ----------
    faults : tuple of Fault
        All that is wrong with it; one at least.
    """

    def __init__(self, way: Way, what: str, *more: Fault) -> None:
        super().__init__(what)
        self.faults: tuple[Fault, ...] = ((way, what), *more)


class Table:
    """A table of the document; a WrongError if it is none."""

    def __init__(self, content: object, way: Way) -> None:
        if not isinstance(content, dict):
            raise WrongError(way, f"{name_of(way)} must be a table")
        self.content, self.way, self._known = content, way, set[str]()
        self._faults: list[Fault] = []

    def take(self, key: str, read: Callable[[object, Way], T], default: T | None = None) -> T:
        """Return what a reader makes of a key, or the default; without one the key must be there.

        What is wrong is told by `close`: until then the default, or None, stands in for what could not be read.
        """
        self._known.add(key)
        if key in self.content:
            try:
                return read(self.content[key], (*self.way, key))
            except WrongError as wrong:
                self._faults += wrong.faults
        elif default is None:
            self._faults.append((self.way, f"{quoted(key)} is missing"))
        return cast("T", default)

    def has(self, key: str) -> bool:
        """Whether there is such a key."""
        return key in self.content

    def close(self) -> None:
        """Refuse the table if anything was wrong with it, or if it has keys that nobody asked for."""
        for key in self.content:
            if key not in self._known:
                near = did_you_mean(key, sorted(self._known))
                self._faults.append(((*self.way, key), f"there is nothing called {quoted(key)} here. {near}"))
        self.check()

    def check(self) -> None:
        """Refuse the table if anything was wrong with what has been taken so far."""
        _refuse(self._faults)


def all_of(items: Iterable[Any], way: Way, read: Callable[[Any, Way], T]) -> tuple[T, ...]:
    """Return what a reader makes of each item; a WrongError that has what is wrong with any of them."""
    found: list[T] = []
    faults: list[Fault] = []
    for index, item in enumerate(items):
        try:
            found.append(read(item, (*way, index)))
        except WrongError as wrong:
            faults += wrong.faults
    _refuse(faults)
    return tuple(found)


def _refuse(faults: Sequence[Fault]) -> None:
    if faults:
        (first, *more) = faults
        raise WrongError(*first, *more)


def name_of(way: Way) -> str:
    """Return what a part of the document is called in a sentence."""
    names = [step for step in way if isinstance(step, str)]
    return quoted(names[-1]) if names else "the file"
