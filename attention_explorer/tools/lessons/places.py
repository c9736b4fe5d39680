"""On which line each part of a TOML document begins: found in one pass, for `tomllib` keeps no lines.

What is read is checked by `tomllib` afterwards, so this only has to follow a document that is in order. Where one is
not, it ends, and `tomllib` says what is wrong.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import TypeAlias

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
