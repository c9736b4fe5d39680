"""What a state is about, and how it is looked at: the two sorts of fields, told apart by `Declaration.is_view`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, cast

from attention_explorer.core.declared import declarations

T = TypeVar("T")


def is_same_subject(a: object, b: object) -> bool:
    """Return whether two states are about the same."""
    if a is b:
        return True
    if type(a) is not type(b) or not is_dataclass(a):
        return a == b
    views = _views(type(a))  # type: ignore[arg-type] # a class has a hash
    names = (part.name for part in fields(a) if part.name not in views)
    return all(is_same_subject(getattr(a, name), getattr(b, name)) for name in names)


def with_subject_of(state: T, other: T) -> T:
    """Return ``state`` with all that ``other`` is about, looked at as before.

    Where the two hold parts of different classes that of ``other`` is taken whole: a view of one is none of the other.

    Raises
    ------
    ExplorerError
        The two do not go together.
    """
    return with_step(state, other, other)


def with_view_of(state: T, other: T) -> T:
    """Return ``state`` looked at as ``other`` is; the counterpart of `with_subject_of`."""
    return with_subject_of(other, state)


def with_step(state: T, old: T, new: T) -> T:
    """Return ``state``, which is about the same as ``old``, with what a step from that to ``new`` changes.

    Of the view that is only what nobody has changed since; of the subject all of it. The rest is as `with_subject_of`.
    """
    if state is new:
        return state
    if not is_dataclass(state) or not type(state) is type(old) is type(new):
        return new
    views = _views(type(state))  # type: ignore[arg-type]
    changes = {}
    for name in (part.name for part in fields(state)):
        mine, before, after = (getattr(each, name) for each in (state, old, new))
        if name not in views:
            changes[name] = with_step(mine, before, after)
        elif mine == before:
            changes[name] = after
    changes = {name: value for name, value in changes.items() if value is not getattr(state, name)}
    return cast("T", replace(cast("Any", state), **changes)) if changes else state


@cache
def _views(kind: type) -> frozenset[str]:
    """Return the names of the fields of a class that are only a view."""
    return frozenset(name for name, said in declarations(cast("Any", kind)).items() if said.is_view)
