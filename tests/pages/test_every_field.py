"""Every field that the state of the window reaches is declared once: what it is, what it is called, and its ends."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from typing import Any, get_args, get_type_hints

import pytest

from attention_explorer.core.declared import ANY_FINITE, Kind, declarations, kind_of
from attention_explorer.core.map_picture import Window
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsView, Threshold
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.registry import KINDS
from attention_explorer.sources.source import Recipe

WITHOUT_ENDS = {(ToyRecipe, "given")}
"""Any finite number may stand in an embedding."""


def reached(hint: Any, found: list[type]) -> list[type]:
    """Return the dataclasses that a type reaches, each once."""
    for inner in KINDS if hint is Recipe else get_args(hint):
        reached(inner, found)
    if is_dataclass(hint) and hint is not Recipe and hint not in found:
        found.append(hint)  # type: ignore[arg-type] # a class, as a hint is
        for part in get_type_hints(hint).values():
            reached(part, found)
    return found


def leaves(hint: Any) -> set[Any]:
    """Return the types that a type is made of."""
    inner = get_args(hint)
    return set().union(*map(leaves, inner)) if inner else {hint}


REACHED: list[Any] = reached(ExplorerState, [])
EVERY = [(kind, part.name) for kind in REACHED for part in fields(kind)]


@pytest.mark.parametrize("kind", REACHED)
def test_every_field_is_declared(kind: Any) -> None:
    assert set(declarations(kind)) == {part.name for part in fields(kind)}


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_every_field_says_what_it_is(kind: Any, name: str) -> None:
    said = declarations(kind)[name]
    assert said.label
    assert said.tip
    assert said.undo[0].isupper()
    assert kind_of(kind, name) in Kind


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_every_number_has_two_ends_and_begins_between_them(kind: Any, name: str) -> None:
    """Without them a file could ask for 10¹⁸ layers."""
    said, hint = declarations(kind)[name], get_type_hints(kind)[name]
    if not {int, float} & leaves(hint) or said.choices or (kind, name) in WITHOUT_ENDS:
        return
    assert said.low < said.high < ANY_FINITE
    assert all(said.low <= stop <= said.high for stop in said.stops)
    default = next(part.default for part in fields(kind) if part.name == name)
    if default is not MISSING and default is not None and kind_of(kind, name) is Kind.NUMBER:
        assert said.low <= default <= said.high


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_every_default_is_something_that_there_is(kind: Any, name: str) -> None:
    said, default = declarations(kind)[name], next(part.default for part in fields(kind) if part.name == name)
    offered = said.choices or (said.known() if said.known else ())
    assert not offered or default in offered


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_every_field_is_of_a_type_that_files_can_hold(kind: Any, name: str) -> None:
    for leaf in leaves(get_type_hints(kind)[name]):
        known = leaf in (int, float, str, bool, type(None), Ellipsis) or is_dataclass(leaf)
        assert known or issubclass(leaf, StrEnum)


@pytest.mark.parametrize("kind", [HeadsView, Threshold, Window])
def test_what_is_only_a_view_holds_nothing_else(kind: Any) -> None:
    assert all(said.is_view for said in declarations(kind).values())
