"""Fields as their types say: text becomes the member of an enum, and what does not fit is refused in words."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Set
from dataclasses import fields
from enum import StrEnum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from attention_explorer.errors import ArrayError, ExplorerError

Choice = TypeVar("Choice", bound=StrEnum)


def choice(name: str, value: object, kind: type[Choice], refusal: type[ExplorerError] = ArrayError) -> Choice:
    """Take one of the members of an enumeration.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : str
        A member, or its value.
    kind : type of StrEnum
        The enumeration.
    refusal : type of ExplorerError
        What is raised.

    Returns
    -------
    StrEnum
        The member.

    Raises
    ------
    ExplorerError
        If the value is none of them.
    """
    if isinstance(value, str) and value in list(kind):
        return kind(value)
    raise refusal(f"{name} must be {_names(kind)}, not {value!r}")


class CheckedFields:
    """The base of the frozen dataclasses that states are made of: each field is what its type says, or is refused.

    Text becomes the member of an enum, a list a tuple, and a NumPy number a Python number. `dataclasses.replace` makes
    a new instance, so the same holds there. Ranges are not looked at, nor the items of rows and of painted cells, of
    which there may be 100 000: session files and `attention_explorer.render` check those. States are made at each move
    of the mouse, so all of this takes some µs.

    Raises
    ------
    ExplorerError
        A field holds text that names no member, a number that is not finite, or a value of another type.
    """

    __slots__ = ()
    _refusal = ExplorerError

    def __post_init__(self) -> None:
        for name, settled, take in _checks(type(self)):  # type: ignore[arg-type] # a class has a hash
            value = getattr(self, name)
            kind = type(value)
            if kind in settled and (kind is not float or math.isfinite(value)):
                continue
            try:
                found = take(value)
            except _UnfitError as unfit:
                raise self._refusal(f"{type(self).__name__}: {name} must be {unfit}") from None
            if found is not value:
                object.__setattr__(self, name, found)


Take: TypeAlias = Callable[[Any], object]
"""Returns a value as its field holds it, or raises `_UnfitError`."""


class _UnfitError(Exception):
    """A value is not what its field wants."""

    def __init__(self, wanted: str, value: object) -> None:
        super().__init__(f"{wanted}, not {value!r:.80}")
        self.wanted = wanted


@cache
def types_of(kind: type) -> dict[str, Any]:
    """Return the types of the fields of a class. To read them takes a tenth of a millisecond for each, so only once."""
    return get_type_hints(kind)


@cache
def _checks(cls: type) -> tuple[tuple[str, frozenset[type], Take], ...]:
    """Read the types of a class once: for each field its name, the types that need no look, and what to do else."""
    hints = types_of(cls)
    return tuple((part.name, _settled(hints[part.name]), _taker(hints[part.name])) for part in fields(cls))


def _settled(hint: object) -> frozenset[type]:
    """Return the types of which any value is right, if it is finite."""
    if get_origin(hint) in (Union, UnionType):
        return frozenset().union(*map(_settled, get_args(hint)))
    return frozenset({hint} if isinstance(hint, type) and get_origin(hint) is None else ())


def _taker(hint: object) -> Take:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return partial(_any_of, [_taker(each) for each in inner])
    if origin is frozenset:
        return partial(_set_of, _settled(inner[0]), _taker(inner[0]))
    if origin is tuple and get_origin(inner[0]) is tuple:
        return _rows
    if origin is tuple:
        length = 0 if inner[-1] is Ellipsis else len(inner)
        return partial(_tuple_of, length, _settled(inner[0]), _taker(inner[0]))
    if hint in _SCALARS:
        return _SCALARS[hint]
    kind = cast("type", hint)
    return partial(_member if issubclass(kind, StrEnum) else _instance, kind)


def _any_of(takers: list[Take], value: object) -> object:
    wanted = []
    for take in takers:
        try:
            return take(value)
        except _UnfitError as unfit:
            wanted.append(unfit.wanted)
    raise _UnfitError(" or ".join(wanted), value)


def _set_of(settled: frozenset[type], take: Take, value: object) -> object:
    if not isinstance(value, Set | list | tuple):
        raise _UnfitError("a set", value)
    if not settled or (type(value) is frozenset and settled.issuperset(map(type, value))):
        return frozenset(value)  # the same, if it is one
    return frozenset(map(take, value))


def _rows(value: object) -> object:
    if type(value) is tuple and set(map(type, value)) <= {tuple}:
        return value
    rows = _sequence(value)
    return tuple(tuple(_sequence(row)) for row in rows)


def _tuple_of(length: int, settled: frozenset[type], take: Take, value: object) -> object:
    if type(value) is tuple and len(value) == (length or len(value)):
        kinds = set(map(type, value))
        if kinds <= settled and (float not in kinds or math.isfinite(sum(value))):
            return value
    items = _sequence(value)
    if length and len(items) != length:
        raise _UnfitError(f"{length} numbers", value)
    return tuple(map(take, items))


def _sequence(value: object) -> list[Any] | tuple[Any, ...]:
    listed = value.tolist() if isinstance(value, np.ndarray) and value.ndim else value
    if not isinstance(listed, list | tuple):
        raise _UnfitError("a tuple", value)
    return listed


def _member(kind: type[StrEnum], value: object) -> object:
    try:
        return choice("", value, kind)
    except ArrayError:
        raise _UnfitError(_names(kind), value) from None


def _instance(kind: type, value: object) -> object:
    if isinstance(value, kind):
        return value
    if kind is NoneType:
        raise _UnfitError("None", value)
    raise _UnfitError(f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}", value)


def _switch(value: object) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise _UnfitError("True or False", value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return str(value)
    raise _UnfitError("text", value)


def _whole(value: object) -> int:
    if type(value) is not bool and isinstance(value, numbers.Integral):
        return int(value)
    raise _UnfitError("a whole number", value)


def _finite(value: object) -> float:
    if type(value) is not bool and isinstance(value, numbers.Real):
        try:
            number = float(value)
        except OverflowError:  # an integer beyond the float range
            number = math.inf
        if math.isfinite(number):
            return number
    raise _UnfitError("a finite number", value)


_SCALARS: dict[Any, Take] = {bool: _switch, str: _text, int: _whole, float: _finite}


def _names(kind: type[StrEnum]) -> str:
    *others, last = [repr(member.value) for member in kind]
    return f"{', '.join(others)} or {last}"
