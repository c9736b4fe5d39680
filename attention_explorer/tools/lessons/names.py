"""What the dotted names of lessons stand for.

A name is that of a field of the state (`lookup.temperature`), which is found by itself, or of a number that a page
shows (`lookup.weights[1]`): those are in the `shown.py` of each page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from attention_explorer.core.declared import declarations
from attention_explorer.core.json_text import Json, PlaceError, place_text
from attention_explorer.core.named import Group, Member, Members, Shown
from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.fields import types_of
from attention_explorer.pages.explorer import ExplorerState, PageState
from attention_explorer.pages.file_places import files_of
from attention_explorer.pages.lookup.state import LookupView
from attention_explorer.pages.old_names import PAGES
from attention_explorer.pages.registry import ALL_PARTS
from attention_explorer.pages.session_codec import Decoder, encoded
from attention_explorer.pages.training.state import TrainingView

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_SYMBOLS = ("d_k", "d_model", "d_ff")
"""Fields that are called as the formulas have it."""
_STEP = re.compile(r"\.?([a-z_]+)|\[([0-9]{1,6})\]")


def names_in(state: ExplorerState) -> Group:
    """Return all that has a name in a state, page by page; nothing is computed before it is asked for."""
    return Group({page: partial(_page, state, page) for page in ALL_PARTS})


def _page(state: ExplorerState, page: str) -> Group:
    shown: PageState = getattr(state, page)
    return Group({**_fields(shown), **_members(page, shown)})


def _members(part: str, shown: PageState) -> Members:
    """Return what a page shows besides its fields; the module that knows is loaded when a lesson asks."""
    module = import_module(f"attention_explorer.pages.{PAGES.get(part, part)}.shown")
    members: Callable[[Any], Members] | None = getattr(module, f"{part}_members", None)
    return {} if members is None else members(shown)


# ---- Fields ----


def _fields(value: DataclassInstance) -> Members:
    members: Members = {}
    for part in fields(value):
        if _has_a_name(getattr(value, part.name)):
            members[part.name] = partial(_field, value, part.name)
    return members


def _has_a_name(value: object) -> bool:
    """Whether a field is a number, a text, a switch, a row of them, or has fields of its own."""
    if isinstance(value, frozenset):
        return False
    if isinstance(value, tuple):
        return not any(is_dataclass(item) for item in value) and len(set(map(np.shape, value))) <= 1
    return True


def _field(owner: DataclassInstance, name: str) -> Member:
    value = getattr(owner, name)
    if is_dataclass(value) and not isinstance(value, type):
        return Group(_fields(value))
    if value is None or isinstance(value, StrEnum):
        value = "none" if value is None else value.value
    return Shown(value, _field_words(type(owner), name))


def spelled(field: str) -> str:
    """Return what a field is called in a sentence: “head width”, but “d_k”."""
    return field if field in _SYMBOLS else field.replace("_", " ")


def _field_words(kind: type[DataclassInstance], name: str) -> str:
    """Say what a field may be: “temperature, from 0.01 to 100”."""
    words, hint = spelled(name), types_of(kind)[name]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return f"{words}: {' | '.join(hint)}"
    if hint is bool:
        return f"{words}: on or off"
    said = declarations(kind).get(name)
    if said is None or not {hint, *get_args(hint)} & {int, float}:
        return words
    if said.choices:
        return f"{words}: {' | '.join(map(str, said.choices))}"
    return f"{words}, from {said.low:g} to {said.high:g}"


def with_fields(state: ExplorerState, changes: Mapping[str, Any]) -> ExplorerState:
    """Return a state in which some fields are others.

    Parameters
    ----------
    state : ExplorerState
        What they are changed in.
    changes : mapping of str to bool, int, float, str or list
        By their dotted names, as in ``{"lookup.query": [1, 0], "lookup.entries[0].number": 10}``. Where there may be
        nothing, as for a row that is pinned, "none" says so.

    Returns
    -------
    ExplorerState
        As if it had been read from a session file, so types and ranges are those of the window.

    Raises
    ------
    ExplorerError
        There is no such field, which is said of each, a line for one; or it cannot hold that; or it names a file, of
        which lessons read none.
    """
    if not changes:
        return state
    document, faults = encoded(state), []
    for name, value in changes.items():
        try:
            _put(document, name, value, state)
        except ExplorerError as error:
            faults.append(str(error))
    if faults:
        raise ExplorerError("\n".join(faults))
    decoder = Decoder()
    try:
        changed = decoder.decoded(ExplorerState, document, ())
    except PlaceError as error:
        raise ExplorerError(f"{place_text(error.place)} {error.what}.") from None
    if decoder.warnings:
        raise ExplorerError(decoder.warnings[0])
    refuse_files(changed, but=files_of(state))
    return changed


def _put(document: Json, name: str, value: object, state: ExplorerState) -> None:
    steps = _steps(name)
    part: Any = document
    for depth, step in enumerate(steps):
        known = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        if step not in known:
            before = place_text(steps[:depth]) or "the state"
            names = list(known) if isinstance(part, dict) else []
            otherwise = "" if names else f"It has {len(known)} items." if isinstance(part, list) else "It has no parts."
            if depth == 1 and step in _page(state, before).members:
                otherwise = f"It is computed, and cannot be set. Fields are: {', '.join(names)}."
            near = did_you_mean(str(step), names, otherwise) if depth else did_you_mean(str(step), ALL_PARTS)
            raise ExplorerError(f"There is no {quoted(name)}: {before} has no {quoted(str(step))}. {near}")
        if depth < len(steps) - 1:
            part = part[step]
    is_none = value == "none" and not isinstance(part[steps[-1]], str)  # an encoded choice is a text of its own
    part[steps[-1]] = None if is_none else value


def _steps(name: str) -> tuple[str | int, ...]:
    found = list(_STEP.finditer(name))
    if not found or "".join(match[0] for match in found) != name or name.startswith((".", "[")):
        raise ExplorerError(f"{quoted(name)} is no name of a field, such as “lookup.temperature”.")
    return tuple(match[1] or int(match[2]) for match in found)


def refuse_files(state: ExplorerState, but: Collection[str] = ()) -> None:
    """Refuse a state that names a file of attention, but for those that somebody has opened who takes the lesson."""
    if not set(files_of(state)).issubset(but):
        raise ExplorerError("A lesson reads no files of attention: it shows what is in the program.")


# ---- What `light` names ----
# The controls and pictures that a step needs, and what they are called on their pages.


PARTS: Mapping[str, tuple[str, ...]] = {
    "lookup.plane": ("Plane of queries and keys",),
    "lookup.table": ("Numbers of the lookup",),
    "lookup.weights": ("At a glance",),
    "lookup.sum": ("What is computed",),
    "lookup.hard": ("lookup",),
    "lookup.temperature": ("Temperature", "Temperature, exact"),
    "lookup.scaled": ("÷√d_k",),
    "lookup.values": ("values",),
    "lookup.gradient": ("Way downhill", "At a glance"),
    "lookup.words": ("Large picture",),
    "lookup.sentence": ("sentence",),
    "lookup.share": ("Share of o", "Share of o, exact"),
    "lookup.heads": ("Two heads",),
    "heads.sentence": ("Sentence",),
    "heads.guess": ("Guess",),
    "heads.picture": ("View", "Attention map"),
    "heads.map": ("Attention map",),
    "heads.wall": ("All heads",),
    "heads.mask": ("mask", "n of the mask"),
    "heads.stage": ("stage",),
    "heads.reading": ("At a glance",),
    "heads.gain": ("gain",),
    "heads.hidden": ("hidden keys",),
    "positions.picture": ("Large picture",),
    "positions.position": ("Position p", "Position p, exact"),
    "positions.kind": ("encoding",),
    "block.picture": ("Large picture",),
    "block.norm": ("norm",),
    "block.residual": ("residual",),
    "scaling.picture": ("Large picture",),
    "scaling.d_k": ("d_k", "d_k, exact"),
    "scaling.scaled": ("÷ √d_k",),
    "cost.picture": ("Large picture",),
    "training.map": ("What the picture shows", "Large picture"),
    "training.play": ("Play", "Step"),
    "training.curves": ("Loss and right answers",),
    "training.ask": ("sentence",),
    "training.break": ("Large picture",),
    "circuits.picture": ("Large picture",),
    "circuits.find": ("Find the circuit",),
}
"""By dotted name: what a page calls its parts for screen readers, which stays when the page is built anew."""
_OF_A_RUN = TrainingView.WATCH, TrainingView.MAP, TrainingView.BREAK
_VIEWS: Mapping[str, tuple[LookupView, ...] | tuple[TrainingView, ...]] = {
    "lookup.plane": (LookupView.PLANE, LookupView.GRADIENT),
    "lookup.sum": (LookupView.PLANE,),
    "lookup.gradient": (LookupView.GRADIENT,),
    "lookup.words": (LookupView.WORDS,),
    **dict.fromkeys(("lookup.sentence", "lookup.share", "lookup.heads"), (LookupView.WORDS,)),
    **dict.fromkeys(("training.map", "training.play", "training.curves", "training.ask"), _OF_A_RUN),
    "training.break": (TrainingView.BREAK,),
}
"""Of what is not seen in every view: where it is."""


def names_of(light: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a page calls the parts that a step needs.

    Raises
    ------
    ExplorerError
        A name stands for no part.
    """
    for name in light:
        if name not in PARTS:
            raise ExplorerError(
                f"“light” names {quoted(name)}, which is no part of a page. {did_you_mean(name, PARTS)}"
            )
    return tuple(part for name in light for part in PARTS[name])


def in_sight(light: tuple[str, ...], state: ExplorerState) -> ExplorerState:
    """Return the state in a view that has what a step needs."""
    # What is in the fewest views first: the others stand there too.
    for name in sorted(filter(_VIEWS.__contains__, light), key=lambda name: len(_VIEWS[name])):
        page = name.partition(".")[0]
        shown: Any = getattr(state, page)
        if shown.view not in _VIEWS[name]:
            state = replace(state, **{page: replace(shown, view=_VIEWS[name][0])})
    return state


def way_back(light: tuple[str, ...], state: ExplorerState) -> tuple[str, ...]:
    """Return the name of the button that shows the plane as it was, where that is lit and was moved or zoomed."""
    is_away = state.lookup.camera is not None and set(PARTS["lookup.plane"]) <= set(light)
    return ("Home view",) if is_away else ()
