"""Tables of a lesson file, whose keys are taken one by one, while all that is wrong is gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from attention_explorer.errors import did_you_mean, quoted
from attention_explorer.tools.lessons.places import Way

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
