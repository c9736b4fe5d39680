"""The state as JSON and back, by the types of its fields: a new field is in the file without a line of code here."""

from __future__ import annotations

import json
import math
import numbers
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from itertools import chain
from types import NoneType, UnionType
from typing import Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from attention_explorer.core import map_picture
from attention_explorer.core.declared import ANY_FINITE, Declaration, declarations
from attention_explorer.core.json_text import Json, Place, PlaceError, place_text, well_formed
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.fields import types_of
from attention_explorer.pages.heads import state as heads
from attention_explorer.pages.lab import scores_state as scaling
from attention_explorer.pages.lookup import plane
from attention_explorer.pages.lookup import state as lookup
from attention_explorer.pages.stack import state as block
from attention_explorer.pages.stack.learned import reason_against_state
from attention_explorer.pages.stack.typed import TYPED, reason_against_rows
from attention_explorer.pages.training.state import TrainingState, are_asked_the_same
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import task_of
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.registry import KINDS
from attention_explorer.sources.source import Recipe
from attention_explorer.sources.tokens import tokens_in

# ---- Rules ----
# What fields of a part of the state must have in common; what each of them may be is said where it is declared.


def reason_against(value: object) -> str:
    """Return why the fields of a part of the state do not go together; empty if they do."""
    rule = _RULES.get(type(value))
    return "" if rule is None else rule(value)


def _against_extent(extent: plane.Extent) -> str:
    if extent.left < extent.right and extent.bottom < extent.top:
        span = extent.span
        if plane.SMALLEST_SPAN / 2 <= span <= plane.LARGEST_SPAN * 2:
            return ""
        return f"is {span!r} units across, but must be between {plane.SMALLEST_SPAN:g} and {plane.LARGEST_SPAN:g}"
    return "must have its left below its right and its bottom below its top"


def _against_lookup(state: lookup.LookupState) -> str:
    camera, width = state.camera, len(state.value_rows[0])
    if camera is not None and max(map(abs, camera.centre)) > plane.LARGEST_COORDINATE * (1 + 1e-9):
        return f"has a camera whose middle lies farther out than {plane.LARGEST_COORDINATE:.0f}"
    if camera is not None and camera.span < camera.smallest_span / 2:
        return f"has a camera {camera.span!r} units across; so far out it must be {camera.smallest_span:.2g} at least"
    if (state.row is None) is not bool(state.preset):
        return "must name a preset, or a row of a head instead"
    if state.row is not None and (state.values is not lookup.ValueKind.VECTORS or state.scaled):
        return "has a row of a head: its values must be “vectors”, and scaled must be false"
    if any(len(output) != width for output in state.trail):
        return f"has a trail whose points must have {width} {'number' if width == 1 else 'numbers'} each, as the values"
    return ""


def _against_window(window: map_picture.Window) -> str:
    if window.top < window.bottom and window.left < window.right:
        return ""
    return "must have its top above its bottom and its left before its right"


def _against_mask(mask: heads.MaskChoice) -> str:
    both = mask.hidden & mask.shown
    return f"has the cell {list(min(both))} both hidden and shown: it must be in one of the two lists" if both else ""


def _against_setup(setup: LearningSetup) -> str:
    try:
        task_of(setup.task).check(setup)
    except ExplorerError as error:
        return f"cannot learn: {error}".removesuffix(".")
    return ""


def _against_block(state: block.BlockState) -> str:
    for name in TYPED:
        if odd := reason_against_rows(getattr(state, name)):
            return f"has {name}, which {odd}"
    reason = reason_against_state(state)
    return f"cannot be shown: {reason}".removesuffix(".") if reason else ""


def _against_training(state: TrainingState) -> str:
    if state.other is None or are_asked_the_same(state.setup, state.other):
        return ""
    return "has another run of another task, length or lines: the two must have the same"


def _against_bench(bench: scaling.BenchState) -> str:
    lengths = {len(row) for row in bench.rows}
    if len(lengths) == 1 and 1 <= max(lengths) <= scaling.MOST_BENCH_KEYS:
        return ""
    return f"must have rows of one length, from 1 to {scaling.MOST_BENCH_KEYS} scores each"


_RULES: dict[type, Callable[[Any], str]] = {
    plane.Extent: _against_extent,
    lookup.LookupState: _against_lookup,
    map_picture.Window: _against_window,
    heads.MaskChoice: _against_mask,
    scaling.BenchState: _against_bench,
    LearningSetup: _against_setup,
    block.BlockState: _against_block,
    TrainingState: _against_training,
}


T = TypeVar("T")

KIND = "kind"
OLD_KINDS: dict[Place, str] = {("block", "model"): KINDS[ModelRecipe]}
"""What a recipe is that names no kind, by the end of its place: there all were of one when older files were written."""
"""The key that tells which class an object is, where it could be one of several."""

Extra: TypeAlias = dict[tuple[str, ...], Json]
"""What a file holds and this version does not know, by its place."""

MOST_CHARACTERS = 32_767
"""Of a text: as many as a field of the window takes."""

_NOTHING_SAID = Declaration("", "", "", low=-ANY_FINITE)


# ---- The state as JSON ----


def encoded(value: object) -> Json:
    """Return a part of the state as JSON: all fields of a class, enums by value, sets in order.

    Raises
    ------
    PlaceError
        A number is infinite or not a number, which JSON cannot say.
    """
    if value is None or isinstance(value, bool | int | float):
        return _finite(value)
    if isinstance(value, str):
        return value.value if isinstance(value, StrEnum) else well_formed(value)
    if isinstance(value, tuple):
        return [_part(item, index) for index, item in enumerate(value)]
    if isinstance(value, frozenset):
        cells = _cells(value)
        if cells:
            return cells
        items: list[Any] = [encoded(item) for item in value]
        return sorted(items)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {part.name: _part(getattr(value, part.name), part.name) for part in fields(value)}
        kind = KINDS[type(value)] if isinstance(value, Recipe) else None
        return parts if kind is None else {KIND: kind, **parts}
    if isinstance(value, numbers.Integral):  # NumPy's, should one have got into the state
        return int(value)
    raise TypeError(f"A {type(value).__name__} has no place in the state.")


def _cells(items: frozenset[object]) -> list[Json]:
    """Return tuples of whole numbers in order, all at once, for there may be 100 000; none if they are not that."""
    if set(map(type, items)) != {tuple}:
        return []
    tuples = cast("frozenset[tuple[Any, ...]]", items)
    if len(set(map(len, tuples))) != 1 or set(map(type, chain.from_iterable(tuples))) != {int}:
        return []
    # NumPy sorts without holding up the window, and in a tenth of the time.
    rows = np.fromiter(chain.from_iterable(tuples), np.int64).reshape(len(tuples), -1)
    return cast("list[Json]", rows[np.lexsort(rows.T[::-1])].tolist())


def _part(value: object, step: str | int) -> Json:
    try:
        return encoded(value)
    except PlaceError as error:
        raise PlaceError((step, *error.place), error.what) from None


def _finite(value: float | None) -> Json:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise PlaceError((), f"is {value}, which a file cannot hold")
        return float(value)
    return value


# ---- And back ----


@dataclass(slots=True)
class Decoder:
    """Makes a state from JSON and gathers what it comes across and does not know."""

    extra: Extra = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def decoded(self, kind: type[T], value: Json, place: Place) -> T:
        """Return an instance of a dataclass; keys that are missing have their default.

        Raises
        ------
        PlaceError
            A key without a default is missing, or a value has the wrong type or is out of range.
        """
        if not isinstance(value, dict):
            raise _wrong_type(place, value, f"an object in braces{_with_keys(kind)}")
        missing = [name for name in _required(kind) if name not in value]
        if missing:
            raise PlaceError((*place, missing[0]), f"is missing: there must be an object{_with_keys(kind)}")
        hints, said = types_of(cast("Any", kind)), declarations(cast("Any", kind))
        given: dict[str, object] = {}
        for part in fields(cast("Any", kind)):
            inner = (*place, part.name)
            if part.name in value:
                limit = said.get(part.name, _NOTHING_SAID)
                found = self._value(hints[part.name], value[part.name], inner, limit)
                given[part.name] = self._known_or_default(part, found, inner, limit)
        self._keep_unknown(value, {*hints, KIND} if kind in KINDS else set(hints), place)
        made = kind(**given)
        reason = reason_against(made)
        if reason:
            raise PlaceError(place, reason)
        return made

    def _keep_unknown(self, value: dict[str, Json], known: set[str], place: Place) -> None:
        for key in value:
            if key not in known:
                self.keep((*place, key), value[key])

    def keep(self, place: Place, value: Json) -> None:
        """Remember something that this version does not know, and say so."""
        steps = tuple(step for step in place if isinstance(step, str))
        if len(steps) == len(place):
            self.extra[steps] = value
            fate = "it is left alone and written back when you save"
        else:
            fate = "it is lost when you save"
        self.warnings.append(f"{quoted(place_text(place))} is not known to this version of the program: {fate}.")

    def _known_or_default(self, part: Field[Any], found: object, place: Place, limit: Declaration) -> object:
        """Return a name that this version knows; an unknown one is no reason to refuse a session."""
        if limit.known is None or found == part.default or found in limit.known():
            return found
        self.warnings.append(
            f"{place_text(place)} names {quoted(str(found))}, which this version does not have: "
            f"“{part.default}” stands in for it."
        )
        return part.default

    def _value(self, hint: object, value: Json, place: Place, limit: Declaration) -> object:
        origin = get_origin(hint)
        if origin in (Union, UnionType):
            return self._one_of(get_args(hint), value, place, limit)
        if origin is tuple:
            return self._tuple(get_args(hint), value, place, limit)
        if origin is frozenset:
            items = self._items((get_args(hint)[0],), value, place, limit)
            found = frozenset(items)
            if len(found) < len(items):
                raise PlaceError(place, "holds an item twice")
            return found
        if hint is Recipe:
            return self._recipe(value, place)
        if is_dataclass(hint):
            return self.decoded(cast("type[object]", hint), value, place)
        return _scalar(hint, value, place, limit)

    def _one_of(self, hints: tuple[Any, ...], value: Json, place: Place, limit: Declaration) -> object:
        if NoneType in hints and value is None:
            return None
        (hint,) = (hint for hint in hints if hint is not NoneType)
        return self._value(hint, value, place, limit)

    def _recipe(self, value: Json, place: Place) -> Recipe:
        """Return the recipe of the type that the file names."""
        if not isinstance(value, dict):
            raise _wrong_type(place, value, "an object in braces")
        types = {kind: recipe for recipe, kind in KINDS.items()}
        name = value.get(KIND, OLD_KINDS.get(place[-2:]))
        if name is None:
            raise PlaceError((*place, KIND), "is missing")
        if not isinstance(name, str) or name not in types:
            raise PlaceError((*place, KIND), f"is {_shown(name)}, but must be {_listed(tuple(types))}")
        return self.decoded(types[name], value, place)

    def _tuple(self, hints: tuple[Any, ...], value: Json, place: Place, limit: Declaration) -> tuple[object, ...]:
        if len(hints) == 2 and hints[1] is Ellipsis:
            return tuple(self._items(hints[:1], value, place, limit))
        if not isinstance(value, list):
            raise _wrong_type(place, value, f"a list of {len(hints)}")
        if len(value) != len(hints):
            raise PlaceError(place, f"has {len(value)} items, but must have {len(hints)}")
        return tuple(
            self._value(hint, item, (*place, index), limit)
            for index, (hint, item) in enumerate(zip(hints, value, strict=True))
        )

    def _items(self, hints: tuple[Any, ...], value: Json, place: Place, limit: Declaration) -> list[object]:
        if not isinstance(value, list):
            raise _wrong_type(place, value, "a list")
        if not limit.fewest <= len(value) <= limit.most:
            raise PlaceError(place, f"has {len(value)} items, but must have from {limit.fewest} to {limit.most}")
        is_counted = limit.fewest > 0 or limit.most < sys.maxsize  # what is said of a list is not said of its items
        inner = replace(limit, fewest=0, most=sys.maxsize) if is_counted else limit
        at_once = _numbers_at_once(hints[0], value, inner)
        if at_once is not None:
            return at_once
        return [self._value(hints[0], item, (*place, index), inner) for index, item in enumerate(value)]


def _numbers_at_once(hint: object, items: list[Json], limit: Declaration) -> list[object] | None:
    """Read a list of numbers, or of tuples of whole numbers, all at once, for there may be 100 000 of them.

    None if it is anything else, or if anything is wrong with it: one by one it can be said what, and where.
    """
    if not items or limit.choices:
        return None
    if hint in (int, float):
        return _within(hint, items, limit)
    hints = get_args(hint)
    if get_origin(hint) is not tuple or set(hints) != {int} or set(map(type, items)) != {list}:
        return None
    lists = cast("list[list[Json]]", items)
    if set(map(len, lists)) != {len(hints)} or _within(int, list(chain.from_iterable(lists)), limit) is None:
        return None
    return list(map(tuple, lists))


def _within(kind: object, items: list[Json], limit: Declaration) -> list[object] | None:
    """Return numbers as they are to be; None if one is of the wrong type or out of range."""
    kinds = set(map(type, items))
    if not kinds <= ({int} if kind is int else {int, float}):
        return None
    numbers = cast("list[float]", items)
    if not limit.low <= min(numbers) <= max(numbers) <= limit.high:
        return None
    return list(numbers) if kind is int else list(map(float, numbers))


def _required(kind: type) -> list[str]:
    """Return the fields that must be given."""
    return [part.name for part in fields(kind) if part.default is MISSING and part.default_factory is MISSING]


def _with_keys(kind: type) -> str:
    """Name all that must be given at once: nobody is to find out one by one."""
    *others, last = _required(kind) or [""]
    return f" with {', '.join(others)} and {last}" if others else f" with {last}" if last else ""


# ---- Single values ----


def _scalar(hint: object, value: Json, place: Place, limit: Declaration) -> object:
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _enum(hint, value, place)
    read = _READERS[hint]
    found = read(value, place, limit)
    if limit.choices and found not in limit.choices:
        raise PlaceError(place, f"is {_shown(value)}, but must be {_listed(limit.choices)}")
    return found


def _enum(kind: type[StrEnum], value: Json, place: Place) -> StrEnum:
    names = tuple(member.value for member in kind)
    if not isinstance(value, str):
        raise _wrong_type(place, value, "a text in quotes")
    if value not in names:
        raise PlaceError(place, f"is {_shown(value)}, but must be {_listed(names)}")
    return kind(value)


def _switch(value: Json, place: Place, _limit: Declaration) -> bool:
    if isinstance(value, bool):
        return value
    raise _wrong_type(place, value, "true or false")


def _text(value: Json, place: Place, limit: Declaration) -> str:
    if not isinstance(value, str):
        raise _wrong_type(place, value, "a text in quotes")
    if len(value) > MOST_CHARACTERS:
        raise PlaceError(place, f"has {len(value)} characters, but may have {MOST_CHARACTERS} at most")
    if limit.has_words and not tokens_in(value):
        raise PlaceError(place, "has no words, but must have one at least")
    return well_formed(value)


def _whole(value: Json, place: Place, limit: Declaration) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong_type(place, value, "a whole number")
    _check_range(value, place, limit)
    return value


def _number(value: Json, place: Place, limit: Declaration) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong_type(place, value, "a number")
    _check_range(value, place, limit)
    return float(value)


_READERS: dict[Any, Callable[[Json, Place, Declaration], object]] = {
    bool: _switch,
    str: _text,
    int: _whole,
    float: _number,
}


def _check_range(number: float, place: Place, limit: Declaration) -> None:
    if not limit.low <= number <= limit.high:
        raise PlaceError(place, f"is {_shown(number)}, but must be from {limit.low:.15g} to {limit.high:.15g}")


# ---- Words ----


def _wrong_type(place: Place, value: Json, wanted: str) -> PlaceError:
    return PlaceError(place, f"is {_shown(value)}, but must be {wanted}")


def _shown(value: Json) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return json.dumps(value)


def _listed(names: tuple[object, ...]) -> str:
    words = [f"“{name}”" if isinstance(name, str) else str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
