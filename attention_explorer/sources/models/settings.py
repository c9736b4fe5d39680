"""What a configuration says of a model: each value of the type it must have, or a sentence that names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from attention_explorer.errors import FileError, did_you_mean, quoted
from attention_explorer.model.arrays import Floats

MOST = 2**31 - 1
"""No size of a model is larger; what would be made of it is checked against the file."""
LEAST_NUMBER, MOST_NUMBER = 1e-30, 1e30
"""No number of a model is closer to 0, unless it is 0, or further from it."""


class Settings:
    """The settings of a model. A value of null counts as none.

    Parameters
    ----------
    where : str
        The file they stand in, for messages.
    values : mapping
        By name.
    prefix : str
        What all names begin with.
    """

    def __init__(self, where: str, values: Mapping[str, object], prefix: str = "") -> None:
        self.where, self._values, self._prefix = where, values, prefix
        self._read = set[str]()

    def has(self, name: str) -> bool:
        """Whether there is a value of a name."""
        return self._values.get(self._prefix + name) is not None

    @property
    def has_parts(self) -> bool:
        """Whether one of the values is a list of settings itself."""
        return any(isinstance(value, Mapping) for value in self._values.values())

    def is_null(self, name: str) -> bool:
        """Whether a name has the value null, by which some say “none”, and not the usual one."""
        return self._prefix + name in self._values and not self.has(name)

    def peek(self, name: str) -> object:
        """Return a value as it stands there; None where there is none."""
        return self._values.get(self._prefix + name)

    def unread(self, name: str) -> object:
        """Return a value that nobody has asked for, as it stands there; None where there is none."""
        return None if name in self._read else self.peek(name)

    def whole(self, name: str, default: int | None = None, *, least: int = 1, most: int = MOST) -> int:
        """Return a whole number; the default where there is none.

        Raises
        ------
        FileError
            If it is none, is out of bounds, or is missing and has no default.
        """
        value = self._value(name, default)
        if type(value) is not int or not least <= value <= most:
            raise self._wrong(name, f"a whole number from {least} to {most}", value)
        return value

    def number(self, name: str, default: float | None = None, *, positive: bool = True) -> float:
        """Return a finite number, above 0 unless it may be anything; as `whole`."""
        value = self._value(name, default)
        if type(value) not in (int, float) or not abs(cast("float", value)) < MOST_NUMBER:
            raise self._wrong(name, "a number", value)
        if positive and not cast("float", value) >= LEAST_NUMBER:
            raise self._wrong(name, "a number above 0", value)
        return float(cast("float", value))

    def flag(self, name: str, default: bool | None = None) -> bool:
        """Return true or false; as `whole`."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text; as `whole`."""
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self._wrong(name, "a text", value)
        return value

    def one_of(self, name: str, known: Mapping[str, Any] | tuple[str, ...], default: str | None = None) -> str:
        """Return a name that this program knows.

        Raises
        ------
        FileError
            If it does not know it; the message says it, and what is known.
        """
        value = self.text(name, default)
        if value not in known:
            others = did_you_mean(value, known, f"It knows {', '.join(known)}.")
            raise FileError(
                f"{self.where} says {quoted(name)}: {quoted(value)}, which this program does not know. {others}"
            )
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; none where there is none."""
        value = self._taken(name)
        if value is None:
            return ()
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise self._wrong(name, "a list of texts", value)
        return tuple(value)

    def numbers(self, name: str, count: int) -> Floats:
        """Return a list of so many finite numbers above 0, (count,), float32.

        Raises
        ------
        FileError
            If it is none, or is missing.
        """
        value = self._taken(name)
        listed = value if isinstance(value, list | tuple) and len(value) == count else (None,)
        if not all(type(each) in (int, float) and LEAST_NUMBER <= each < MOST_NUMBER for each in listed):
            raise self._wrong(name, f"a list of {count} numbers above 0", value)
        return np.array(listed, np.float32)

    def flags(self, name: str) -> tuple[bool, ...]:
        """Return a list of 0 and 1, or of true and false; none where there is none."""
        value = self._taken(name)
        if value is None:
            return ()
        plain = value.tolist() if isinstance(value, np.ndarray) else value
        listed = plain if isinstance(plain, list | tuple) else (None,)
        if not all(type(item) in (int, bool) and item in (0, 1) for item in listed):
            raise self._wrong(name, "a list of 0 and 1", value)
        return tuple(bool(item) for item in listed)

    def says_the_same(self, other: Settings) -> bool:
        """Whether other settings are these."""
        return self._values == other._values

    def part(self, name: str) -> Settings | None:
        """Return settings that stand together under a name; None where there are none."""
        value = self._taken(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self._wrong(name, "a list of settings", value)
        return Settings(f"{quoted(name)} of {self.where}", value)

    def _taken(self, name: str) -> object:
        self._read.add(name)
        return self.peek(name)

    def _value(self, name: str, default: object) -> object:
        value = self._taken(name)
        if value is not None:
            return value
        if default is None:
            raise FileError(f"{self.where} does not say {quoted(name)}, which is needed to run the model.")
        return default

    def _wrong(self, name: str, what: str, value: object) -> FileError:
        return FileError(f"{self.where} says {quoted(name)}: {value!r:.40}, but it must be {what}.")
