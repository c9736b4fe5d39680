"""Random states for the tests of session files, made from the types of the fields and the limits they have."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from attention_explorer.core.declared import Declaration, declarations
from attention_explorer.core.map_picture import Window
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import MaskChoice
from attention_explorer.pages.lab.scores_state import BenchState
from attention_explorer.pages.lookup.plane import Extent
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import LookupState, ValueKind
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.training.presets import TRAINING_PRESETS
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.registry import KINDS
from attention_explorer.sources.source import Recipe
from attention_explorer.sources.tokens import tokens_in

BLOCK_PRESETS = preset_list("block")

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def states() -> st.SearchStrategy[ExplorerState]:
    return of_class(ExplorerState)


def of_class(kind: type) -> st.SearchStrategy[Any]:
    hints, limits = get_type_hints(kind), declarations(kind)
    parts = {part.name: of_hint(hints[part.name], limits[part.name]) for part in fields(kind)}
    if kind is BlockState:  # its sizes have to go together
        return st.sampled_from([ready.state for ready in BLOCK_PRESETS])
    if kind is LearningSetup:  # and to the task
        return st.sampled_from([ready.state.setup for ready in TRAINING_PRESETS])
    if kind is BenchState:
        parts["rows"] = st.integers(1, 8).flatmap(
            lambda keys: st.lists(st.tuples(*[numbers(limits["rows"])] * keys), min_size=1, max_size=6).map(tuple)
        )
    if kind is Extent:
        return st.tuples(*[st.floats(-1e3, 1e3)] * 2, *[st.floats(1e-3, 1e3)] * 2).map(
            lambda edges: Extent(edges[0], edges[0] + edges[2], edges[1], edges[1] + edges[3])
        )
    if kind is Window:
        pairs = [st.lists(parts[edge], min_size=2, max_size=2, unique=True).map(sorted) for edge in ("top", "left")]
        return st.tuples(*pairs).map(lambda edges: Window(*edges[0], *edges[1]))
    made = st.builds(kind, **parts)
    if kind is LookupState:  # a point of the trail is as wide as the values
        made = made.map(of_a_row_or_a_preset)
        return made.map(lambda state: replace(state, trail=as_wide_as(state.value_rows[0], state.trail)))
    if kind is TrainingState:  # two runs that are compared learn the same task
        return made.map(lambda state: replace(state, other=state.other and replace(state.setup, seed=state.other.seed)))
    if kind is MaskChoice:
        return made.map(lambda mask: mask.with_painted(mask.hidden, hide=True))
    return made


def of_a_row_or_a_preset(state: LookupState) -> LookupState:
    if state.row is None:
        return replace(state, preset=state.preset or PRESETS[0].id)
    return replace(state, preset="", values=ValueKind.VECTORS, scaled=False)


def as_wide_as(row: tuple[float, ...], trail: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    return tuple((*point, *row)[: len(row)] for point in trail)


def of_hint(hint: Any, limit: Declaration) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of([st.none() if one is NoneType else of_hint(one, limit) for one in arguments])
    if origin is frozenset:
        return st.frozensets(of_hint(arguments[0], limit), max_size=4)
    if origin is tuple and arguments[-1] is Ellipsis:
        most = min(limit.most, 4)
        return st.lists(of_hint(arguments[0], limit), min_size=limit.fewest, max_size=most).map(tuple)
    if origin is tuple:
        return st.tuples(*[of_hint(argument, limit) for argument in arguments])
    if hint is Recipe:
        return st.one_of([of_class(kind) for kind in KINDS])
    if is_dataclass(hint):
        return of_class(hint)
    if issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    if limit.choices or limit.known:
        return st.sampled_from(limit.choices or limit.known())
    if hint is str:
        return TEXTS.filter(tokens_in) if limit.has_words else TEXTS
    return (
        st.booleans()
        if hint is bool
        else st.integers(int(limit.low), int(limit.high))
        if hint is int
        else numbers(limit)
    )


def numbers(limit: Declaration) -> st.SearchStrategy[float]:
    return st.floats(limit.low, limit.high, allow_nan=False, allow_infinity=False)
