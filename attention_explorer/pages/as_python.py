"""What a page shows as a Python script of public names, which draws the same picture and can be changed by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from typing import Any

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.old_names import VIEWS
from attention_explorer.pages.registry import parts_of

WIDTH = 100
"""Characters of a line."""
_INDENT = "    "
_NAME = 16
"""Characters of a line that the name of a field takes, or less."""


def python_of(state: ExplorerState, page: str) -> str:
    """Return a script that draws what a page shows of a state.

    It names what differs from the start alone. Texts stand for members of enums, as everywhere in Python.
    """
    start = ExplorerState()
    changed = [part for part in parts_of(page) if getattr(state, part) != getattr(start, part)]
    if page == "lab":
        changed = _behind(state) or changed
    if len(changed) > 1:
        shown, named = _written(state, "", changed), f', page="{page}"'
    else:
        shown, named = _written(getattr(state, (changed or parts_of(page))[0]), ""), ""
    return f'import attention_explorer as ae\n\nstate = {shown}\nae.render(state, "{page}.svg"{named})\n'


def _behind(state: ExplorerState) -> list[str]:
    """Return the part whose picture Lab shows, if naming that says enough: then no view has to be named."""
    view = state.lab.view
    part = view.part
    return [part] if VIEWS[part].get(getattr(state, part).picture) is view else []


def _written(value: Any, indent: str, only: Sequence[str] = ()) -> str:  # noqa: ANN401 # a part of the state
    """Return a value as it is typed; its lines after the first are indented by ``indent`` or more."""
    inner = indent + _INDENT
    if isinstance(value, StrEnum):
        return _text(value.value)
    if is_dataclass(value):
        told = [part for part in fields(value) if part.name in only or (not only and _tells(value, part))]
        items = [f"{part.name}={_written(getattr(value, part.name), inner)}" for part in told]
        return _between(f"ae.{type(value).__name__}(", items, ")", indent, is_filled=False)
    if isinstance(value, frozenset):
        return _between("{", [_written(item, inner) for item in sorted(value)], "}", indent) if value else "frozenset()"
    if isinstance(value, tuple):
        return _between("(", [_written(item, inner) for item in value], ",)" if len(value) == 1 else ")", indent)
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)  # which Python reads as the same, in the quotes that it is written in


def _tells(value: Any, part: Field[Any]) -> bool:  # noqa: ANN401 # a part of the state
    """Whether a field is not as it would be without a word."""
    usual = part.default if part.default_factory is MISSING else part.default_factory()
    return usual is MISSING or getattr(value, part.name) != usual


def _between(before: str, items: Sequence[str], after: str, indent: str, *, is_filled: bool = True) -> str:
    """Return items between brackets: in one line where they fit, else one in each, or as many as each takes."""
    line = f"{before}{', '.join(items)}{after}"
    if len(indent) + len(line) <= WIDTH - _NAME and "\n" not in line:
        return line
    lines = _filled(items, WIDTH - len(indent) - len(_INDENT)) if is_filled else [f"{item}," for item in items]
    return "\n".join((before, *(f"{indent}{_INDENT}{each}" for each in lines), f"{indent}{after.lstrip(',')}"))


def _filled(items: Iterable[str], width: int) -> list[str]:
    """Return lines of as many items as each takes."""
    lines = [""]
    for item in items:
        longer = f"{lines[-1]} {item},".lstrip()
        if lines[-1] and (len(longer) > width or "\n" in longer):
            lines.append(f"{item},")
        else:
            lines[-1] = longer
    return lines
