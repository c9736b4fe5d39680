"""What the dotted names of lessons stand for: the one place where lessons meet the states and numbers of the pages.

A name is that of a field of the state (`lookup.temperature`), or of a number that a page shows (`lookup.weights[1]`).
Fields are found by themselves; what else a page offers stands in a table of this file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

import numpy as np

from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.model.arrays import Bools
from attention_explorer.numerals import subscript
from attention_explorer.pages.lessons.expression import Chooser, ExpressionError, Group, Member, Shown
from attention_explorer.state.explorer import ExplorerState, PageState
from attention_explorer.state.file_places import files_of
from attention_explorer.state.heads.frame import HeadsFrame, frame_to_show
from attention_explorer.state.heads.state import HeadsState
from attention_explorer.state.lookup.frame import LookupFrame, lookup_frame
from attention_explorer.state.lookup.state import LookupState
from attention_explorer.state.ready_made import PAGE_IDS
from attention_explorer.state.session_codec import Decoder, encoded
from attention_explorer.state.session_json import Json, PlaceError, place_text
from attention_explorer.state.session_limits import LIMITS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")

_STEP = re.compile(r"\.?([a-z_]+)|\[([0-9]{1,6})\]")


def names_in(state: ExplorerState) -> Group:
    """Return all that has a name in a state, page by page; nothing is computed before it is asked for."""
    return Group({page: partial(_page, state, page) for page in PAGE_IDS})


def _page(state: ExplorerState, page: str) -> Group:
    shown: PageState = getattr(state, page)
    return Group({**_fields(shown), **_SHOWN.get(page, _nothing)(shown)})


def _nothing(_state: object) -> dict[str, Callable[[], Member]]:
    return {}


# ---- Fields ----


def _fields(value: DataclassInstance) -> dict[str, Callable[[], Member]]:
    members: dict[str, Callable[[], Member]] = {}
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
    return Shown(value, lambda *indices: " ".join((_field_words(type(owner), name), *map(str, indices))))


def _field_words(kind: type, name: str) -> str:
    """Say what a field may be: “temperature, from 0.01 to 100”."""
    words, hint = name.replace("_", " "), get_type_hints(kind)[name]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return f"{words}: {' | '.join(hint)}"
    if hint is bool:
        return f"{words}: on or off"
    limit = LIMITS.get(kind, {}).get(name)
    if limit is None or not {hint, *get_args(hint)} & {int, float}:
        return words
    return f"{words}, from {limit.low:g} to {limit.high:g}"


def with_fields(state: ExplorerState, changes: Mapping[str, Any]) -> ExplorerState:
    """Return a state in which some fields are others.

    Parameters
    ----------
    state : ExplorerState
        What they are changed in.
    changes : mapping of str to bool, int, float, str or list
        By their dotted names, as in ``{"lookup.query": [1, 0], "lookup.entries[0].number": 10}``.

    Returns
    -------
    ExplorerState
        As if it had been read from a session file, so types and ranges are those of the window.

    Raises
    ------
    ExplorerError
        There is no such field, or it cannot hold that; or it names a file, of which lessons read none.
    """
    if not changes:
        return state
    document = encoded(state)
    for name, value in changes.items():
        _put(document, name, value)
    decoder = Decoder()
    try:
        changed = decoder.decoded(ExplorerState, document, ())
    except PlaceError as error:
        raise ExplorerError(f"{place_text(error.place)} {error.what}.") from None
    if decoder.warnings:
        raise ExplorerError(decoder.warnings[0])
    refuse_files(changed)
    return changed


def _put(document: Json, name: str, value: object) -> None:
    steps = _steps(name)
    part: Any = document
    for depth, step in enumerate(steps):
        known = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        if step not in known:
            before = place_text(steps[:depth]) or "the state"
            names = list(known) if isinstance(part, dict) else []
            otherwise = "" if names else f"It has {len(known)} items." if isinstance(part, list) else "It has no parts."
            near = did_you_mean(str(step), names, otherwise) if depth else did_you_mean(str(step), PAGE_IDS)
            raise ExplorerError(f"There is no {quoted(name)}: {before} has no {quoted(str(step))}. {near}")
        if depth < len(steps) - 1:
            part = part[step]
    part[steps[-1]] = value


def _steps(name: str) -> tuple[str | int, ...]:
    found = list(_STEP.finditer(name))
    if not found or "".join(match[0] for match in found) != name or name.startswith((".", "[")):
        raise ExplorerError(f"{quoted(name)} is no name of a field, such as “lookup.temperature”.")
    return tuple(match[1] or int(match[2]) for match in found)


def refuse_files(state: ExplorerState) -> None:
    """Refuse a state that names a file of attention."""
    if files_of(state):
        raise ExplorerError("A lesson reads no files of attention: it shows what is in the program.")


# ---- What pages show ----


def _lookup(state: LookupState) -> dict[str, Callable[[], Member]]:
    frame = lookup_frame(state)
    width = frame.values.shape[1]

    def number(read: Callable[[LookupFrame], Any], name: Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(read(frame), name)

    return {
        "query": number(lambda f: np.asarray(f.state.query), _coordinate("q")),
        "keys": number(lambda f: f.keys, _coordinate("k", is_row=True)),
        "value_rows": number(lambda f: f.values, _coordinate("v", width, is_row=True)),
        "scores": number(lambda f: f.attention.scores, lambda *i: f"q·k{_digit(i)}"),
        "scaled_scores": number(lambda f: f.attention.scaled, lambda *i: f"q·k{_digit(i)} as softmax takes it"),
        "weights": number(lambda f: f.weights, lambda *i: f"α{_digit(i)}"),
        "output": number(lambda f: f.output, _coordinate("o", width)),
        "contributions": number(lambda f: f.contributions, _coordinate("αv", width, is_row=True)),
        "cosines": number(lambda f: f.cosines, lambda *i: f"cos(q, k{_digit(i)})"),
        "query_length": number(lambda f: f.query_length, lambda: "|q|"),
        "key_lengths": number(lambda f: f.key_lengths, lambda *i: f"|k{_digit(i)}|"),
        "winner": number(lambda f: f.winners[0], lambda: "the key with the highest score, from 0"),
        "tied": number(lambda f: len(f.winners) > 1, lambda: "whether the highest scores are equal"),
        "found": number(lambda f: f.exact_match is not None, lambda: "whether a key equals q"),
        "entropy": number(lambda f: f.entropy, lambda: "entropy of the weights, in nats"),
        "target": number(lambda f: np.asarray(f.state.target_row), _coordinate("t", width)),
        "loss": number(lambda f: f.loss, lambda: "½|o − t|²"),
        "loss_gradient": number(lambda f: f.loss_gradient, _coordinate("∂L/∂q")),
        "jump": number(lambda f: f.jump, lambda: "how far o can jump"),
    }


def _digit(indices: tuple[int, ...]) -> str:
    return subscript(indices[0] + 1) if indices else ""


def _coordinate(symbol: str, width: int = 2, *, is_row: bool = False) -> Callable[..., str]:
    """Return what names number j of a vector, or (i, j) of rows of them: “x of k₁”; a plain number has no x."""

    def name(*indices: int) -> str:
        which = symbol + (_digit(indices[:1]) if is_row else "")
        axis = indices[1:] if is_row else indices
        return f"{'xy'[axis[0]]} of {which}" if axis and width == 2 else which

    return name


def _heads(state: HeadsState) -> dict[str, Callable[[], Member]]:
    def shown(read: Callable[[HeadsFrame], Any], name: Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(_of_heads(state, read), name)

    def pair(what: str) -> Callable[..., str]:
        return lambda *at: f"{what} of query {at[0]} on key {at[1]}" if len(at) == 2 else what

    return {
        "tokens": shown(lambda f: f.queries, lambda *i: " ".join(("token", *map(str, i)))),
        "keys": shown(lambda f: f.keys, lambda *i: " ".join(("key", *map(str, i)))),
        "layer": shown(lambda f: f.layer, lambda: "the layer on show, from 0"),
        "head": shown(lambda f: f.head, lambda: "the head on show, from 0"),
        "weights": shown(lambda f: f.map.weights(), pair("the weight")),
        "scores": shown(lambda f: f.query_key_map.scores(), pair("the score")),
        "masked": shown(_masked, pair("whether the mask hides the key")),
        "row": lambda: Chooser(partial(_row, state)),
    }


def _of_heads(state: HeadsState, read: Callable[[HeadsFrame], T]) -> T:
    try:
        return read(frame_to_show(state.setup))
    except ExpressionError:
        raise
    except ExplorerError as error:
        raise ExpressionError(f"the page Heads refuses its settings: {error}") from error


def _masked(frame: HeadsFrame) -> Bools:
    return np.zeros(frame.shape, bool) if frame.mask is None else ~frame.mask


def _row(state: HeadsState, which: str | int) -> Group:
    """Return the row of a query, which is named by its token, the first of them, or by its number from 0."""
    frame = _of_heads(state, lambda found: found)
    if isinstance(which, str) and which not in frame.queries:
        raise ExpressionError(f"there is no token {quoted(which)}. {did_you_mean(which, frame.queries)}")
    row = frame.queries.index(which) if isinstance(which, str) else which
    if not 0 <= row < len(frame.queries):
        raise ExpressionError(f"there is no row {which}: there are {len(frame.queries)}, from 0")
    weights = frame.map.weights(slice(row, row + 1))[0]
    token = quoted(frame.queries[row])
    best = int(weights.argmax())
    return Group(
        {
            "weights": lambda: Shown(
                weights,
                lambda *i: f"the weight of {token} on {quoted(frame.keys[i[0]])}" if i else f"the row of {token}",
            ),
            "top": lambda: Shown(frame.keys[best], lambda: f"the key to which {token} gives most"),
            "top_index": lambda: Shown(best, lambda: f"the key to which {token} gives most, from 0"),
            "most": lambda: Shown(weights[best], lambda: f"the largest weight of {token}"),
            "masked": lambda: Shown(
                _masked(frame)[row],
                lambda *i: (
                    f"whether the mask hides {quoted(frame.keys[i[0]])} from {token}"
                    if i
                    else f"what the mask hides from {token}"
                ),
            ),
        }
    )


_SHOWN: Mapping[str, Callable[[Any], dict[str, Callable[[], Member]]]] = {"lookup": _lookup, "heads": _heads}
"""By page: what it shows besides its fields. Another page gets a function here when a lesson asks for its numbers."""
