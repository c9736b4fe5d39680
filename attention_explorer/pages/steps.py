"""What a step makes of the state on show: Undo and Redo go through changes of the subject, Back through the views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

from attention_explorer.core.declared import with_step, with_view_of
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.old_names import VIEWS, page_of
from attention_explorer.pages.registry import parts_changed
from attention_explorer.pages.session_codec import reason_against

Part = Any
"""What one page shows."""


def changed_again(state: ExplorerState, old: ExplorerState, new: ExplorerState) -> ExplorerState:
    """Return a state with what a step from ``old`` to ``new`` changes, looked at as before where that shows it.

    A page that shows another picture by now is looked at as it was in that step: the change would be out of sight.
    """

    def taken(mine: Part, before: Part, after: Part) -> Part:
        is_in_sight = _picture(mine) in (_picture(before), _picture(after))
        return with_step(mine, before, after) if is_in_sight else after

    found = _with_parts(state, old, new, taken)
    in_lab = any(part in VIEWS and page_of(part, new) == "lab" for part in parts_changed(old, new))
    return replace(found, lab=new.lab) if in_lab and state.lab not in (old.lab, new.lab) else found


def looked_at_again(state: ExplorerState, old: ExplorerState, new: ExplorerState) -> ExplorerState:
    """Return a state with the pages on which ``new`` is looked at otherwise than ``old`` looked at as in ``new``."""
    return _with_parts(state, old, new, lambda mine, _before, after: with_view_of(mine, after))


def _with_parts(
    state: ExplorerState, old: ExplorerState, new: ExplorerState, taken: Callable[[Part, Part, Part], Part]
) -> ExplorerState:
    """Take over the parts that a step changes; whole, where what is taken does not go together."""
    found = {}
    for name in parts_changed(old, new):
        mine, before, after = (getattr(each, name) for each in (state, old, new))
        try:
            part = taken(mine, before, after)
        except ExplorerError:
            part = after
        found[name] = part if goes_together(part) else after
    return replace(state, **found)


def goes_together(value: object) -> bool:
    """Return whether nothing in a part of the state speaks against the rest of it."""
    if not is_dataclass(value):
        return True
    return not reason_against(value) and all(goes_together(getattr(value, part.name)) for part in fields(value))


def _picture(part: Part) -> object:
    """Return which of its pictures a page shows; None if it has but one."""
    view = getattr(part, "view", part)
    return view if isinstance(view, StrEnum) else getattr(view, "picture", None)
