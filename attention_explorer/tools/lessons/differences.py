"""What a step of a lesson names, so that a page shows some state: a preset, and the fields that differ from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, cast

from attention_explorer.core.counting import Count
from attention_explorer.core.declared import Kind, declarations, usual_of
from attention_explorer.core.session_json import Json
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState, PageState
from attention_explorer.pages.file_places import files_of
from attention_explorer.pages.old_names import VIEWS
from attention_explorer.pages.ready_made import find_preset, parts_of, preset_ids
from attention_explorer.pages.session_codec import encoded
from attention_explorer.tools.lessons.lesson import Settings, Step
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.walk import begun

View: TypeAlias = Mapping[str, PageState]
"""What a page shows: parts of the state by their names, the main one first."""


def view_of(state: ExplorerState, page: str) -> View:
    """Return what a page shows of a state, numbered from 1 and without what only past changes have left behind."""
    plain = state.counted(Count.FROM_ONE)
    if page == "lab":
        part = plain.lab.view.part
        main: PageState = replace(getattr(plain, part), picture=plain.lab.view.picture)
        return {part: main, "lab": plain.lab}
    (part,) = parts_of(page)
    shown: Any = getattr(plain, part)
    if part in VIEWS:  # its picture may be one of Lab
        shown = replace(shown, picture=shown.picture_shown)
    if part == "training" and shown.learned <= shown.step:
        shown = replace(shown, learned=0)  # which says no more than the step
    return {part: _without_history(shown)}


def _without_history(part: Any) -> PageState:  # noqa: ANN401 # one of the parts
    kinds = declarations(type(part))
    left = {name: usual_of(type(part), name) for name, said in kinds.items() if said.kind is Kind.HISTORY}
    found: PageState = replace(part, **left)
    return found


def shown_as(view: View, page: str, before: ExplorerState, seen: frozenset[str]) -> Step:
    """Return a step without words that shows a view.

    Parameters
    ----------
    view : View
        What it is to show.
    page : str
        On which page.
    before : ExplorerState
        How the step before it ends.
    seen : frozenset of str
        The parts that earlier steps have shown: another may be anything when the lesson comes to it.

    Raises
    ------
    ExplorerError
        No lesson can show that: the message is the end of a sentence about the step.
    """
    part = next(iter(view))
    ways = [_preset_of(view[part], part)]
    if part in seen:
        ways.insert(0, Step(0, "", page=page))
    steps = [step for way in ways if (step := _completed(way, view, page, before)) is not None]
    if not steps:
        raise ExplorerError(_reason(view))
    return min(steps, key=_length)  # the first of equals


def _preset_of(shown: Any, part: str) -> Step:  # noqa: ANN401 # one of the parts
    """Return the step that shows the preset from which a part was made, or the first of its page."""
    known = preset_ids(part)
    name = shown.preset if shown.preset in known else known[0]
    try:
        find_preset(name)
    except ExplorerError:  # pages share the name
        return Step(0, "", show=name, page=part)
    return Step(0, "", show=name)


def _completed(way: Step, view: View, page: str, before: ExplorerState) -> Step | None:
    """Return a step with the fields that it has to set; None if it would show something else even so."""
    try:
        start = begun(way, before)
        settings = _set_in(start, view)
        step = replace(way, set=settings, page=way.page if way.show or not settings else "")
        made = view_of(begun(step, before), page)
    except ExplorerError:
        return None
    return step if dict(made) == dict(view) else None


def _set_in(state: ExplorerState, view: View) -> Settings:
    """Return what is to be set in a state to have a view; what that brings along by itself is left out."""
    found: dict[str, Any] = {}
    for name, part in view.items():
        old = _without_history(getattr(with_fields(state, found), name))
        found |= differences(encoded(old), encoded(part), name)
    return found


def _length(step: Step) -> int:
    return len(step.set) + bool(step.show)


def _reason(view: View) -> str:
    whole = replace(ExplorerState(), **cast("Any", view))
    if files_of(whole):
        return "shows a file or a model of this computer, which no lesson can bring along"
    return "shows what no lesson file can say"


# ---- Fields ----


def differences(old: Json, new: Json, name: str) -> dict[str, Any]:
    """Return what of a part is to be set, by dotted names, so that the old one becomes the new one."""
    return dict(_differences(old, new, name))


def _differences(old: Json, new: Json, name: str) -> Iterator[tuple[str, Any]]:
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict) and _goes_deeper(old, new):
        for key, value in new.items():
            yield from _differences(old[key], value, f"{name}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and _are_objects(old, new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(one, other, f"{name}[{at}]")
    else:
        yield name, "none" if new is None else _sayable(new)


def _goes_deeper(old: dict[str, Json], new: dict[str, Json]) -> bool:
    """Whether fields can be set one by one: not if others are there, or a text becomes nothing."""
    return old.keys() == new.keys() and not any(isinstance(old[key], str) and new[key] is None for key in new)


def _are_objects(old: list[Json], new: list[Json]) -> bool:
    return len(old) == len(new) and all(isinstance(item, dict) for item in (*old, *new))


def _sayable(value: Json) -> Any:  # noqa: ANN401 # what a file can hold
    """Return a value without what a file has no word for: a field that is left out is empty again."""
    if isinstance(value, dict):
        return {key: _sayable(item) for key, item in value.items() if item is not None}
    return [_sayable(item) for item in value] if isinstance(value, list) else value


def named_fields(old: View, new: View) -> frozenset[str]:
    """Return the dotted names of the fields in which two views of the same parts differ."""
    if old.keys() != new.keys():
        return frozenset()
    return frozenset(name for part in new for name in differences(encoded(old[part]), encoded(new[part]), part))
