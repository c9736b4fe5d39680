"""Checking an option that is one of a few words."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from attention_explorer.errors import ArrayError

Choice = TypeVar("Choice", bound=StrEnum)


def choice(name: str, value: str, kind: type[Choice]) -> Choice:
    """Take one of the members of an enumeration.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : str
        A member, or its value.
    kind : type of StrEnum
        The enumeration.

    Returns
    -------
    StrEnum
        The member.

    Raises
    ------
    ArrayError
        If the value is none of them.
    """
    try:
        return kind(value)
    except ValueError:
        *others, last = [repr(member.value) for member in kind]
        raise ArrayError(f"{name} must be {', '.join(others)} or {last}, not {value!r}") from None
