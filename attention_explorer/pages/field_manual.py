"""Every field of the state of a page by its dotted name, with what is said of it where it is declared, as text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import StrEnum
from textwrap import fill
from typing import Any, get_args

from attention_explorer.core.declared import ANY_FINITE, Declaration, Kind, declarations, kind_of
from attention_explorer.fields import types_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import ALL_PARTS, parts_of
from attention_explorer.sources.registry import KINDS
from attention_explorer.sources.source import Recipe

WIDTH = 100
"""Characters of a line."""


def field_manual(page: str = "") -> str:
    """Return an entry for each field of a page, or of all: name, label, kind, what it may be, whether a view, tip."""
    hints = types_of(ExplorerState)
    parts = parts_of(page) if page else ALL_PARTS
    return "\n".join(entry for each in parts for entry in _of_class(hints[each], each, {}))


def _of_class(kind: Any, name: str, told: dict[Any, str], of: str = "") -> Iterator[str]:  # noqa: ANN401 # a dataclass
    """Yield the entries of a class that a name holds; ``told`` has the names of the classes that have theirs."""
    told[kind] = name
    hints = types_of(kind)
    for part, said in declarations(kind).items():
        found, hint = kind_of(kind, part), hints[part]
        item = "[0]" if found is Kind.LIST else ""
        inner = next((leaf for leaf in _leaves(hint) if is_dataclass(leaf)), None)
        also = f"Its fields are those of {told[inner]}." if inner in told else ""
        facts = (said.label, found.value, _may_be(said, hint), "view" if said.is_view else "subject")
        lines = " · ".join(filter(None, facts)), said.tip, also
        yield "\n".join((f"{name}.{part}{of}", *(_indented(line) for line in lines if line), ""))
        if inner is Recipe and not also:
            told[Recipe] = f"{name}.{part}"
            for recipe, called in KINDS.items():
                yield from _of_class(recipe, f"{name}.{part}", told, f" ({called})")
        elif inner is not None and not also:
            yield from _of_class(inner, f"{name}.{part}{item}", told, of)


def _indented(text: str) -> str:
    return fill(" ".join(text.split()), WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def _leaves(hint: object) -> list[Any]:
    """Return the types that a type is made of."""
    inner = get_args(hint)
    return [leaf for each in inner for leaf in _leaves(each)] if inner else [hint]


def _value(value: str, called: str) -> str:
    return (value or "empty") + (f" ({called})" if called != value else "")


def _may_be(said: Declaration, hint: object) -> str:
    """Return the range, the choices or the number of items of a field; empty if nothing is said of them."""
    leaves = _leaves(hint)
    enum = next((leaf for leaf in leaves if isinstance(leaf, type) and issubclass(leaf, StrEnum)), None)
    named = enum or said.choices or (said.known() if said.known else ("off", "on") if bool in leaves else ())
    parts = [" | ".join(_value(str(value), said.called(str(value))) for value in named)]
    if {int, float} & set(leaves) and not named:
        is_open = said.low == -ANY_FINITE and said.high == ANY_FINITE
        parts.append("any number" if is_open else f"{said.low:.10g} to {said.high:.10g}")
    if said.most < sys.maxsize:
        parts.append(f"{said.fewest} to {said.most} items")
    if type(None) in leaves:
        parts.append("or none")
    return ", ".join(filter(None, parts))
