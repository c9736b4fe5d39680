"""States that are made by hand: text becomes the member of an enum, and what does not fit is refused in words."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import attention_explorer
from attention_explorer import (
    BlockState,
    CostState,
    ExplorerError,
    ExplorerState,
    HeadsState,
    LookupState,
    PositionsState,
    ScalingState,
)
from attention_explorer.core.map_picture import Window
from attention_explorer.fields import CheckedFields
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, MaskChoice, MaskKind
from attention_explorer.pages.lab.scores_state import BenchState
from attention_explorer.pages.lookup.plane import Extent
from attention_explorer.pages.lookup.state import Entry, Overlay, ValueKind
from attention_explorer.sources.recipe import TokenVectors, ToyRecipe

CLASSES = (
    *(BlockState, CostState, ExplorerState, HeadsState, LookupState, PositionsState, ScalingState),
    *(ToyRecipe, HeadsSetup, HeadsView, MaskChoice, BenchState),
)
ENUMS = [
    (cls, name, hint)
    for cls in CLASSES
    for name, hint in get_type_hints(cls).items()
    if isinstance(hint, type) and issubclass(hint, StrEnum)
]
NAN = math.nan


@pytest.mark.parametrize(("cls", "name", "kind"), ENUMS, ids=lambda part: getattr(part, "__name__", part))
def test_text_becomes_the_member_of_every_enum(cls: type[Any], name: str, kind: type[StrEnum]) -> None:
    for member in kind:
        for made in (cls(**{name: member.value}), replace(cls(), **{name: member.value})):
            assert getattr(made, name) is member
            assert made == cls(**{name: member})
    last = re.escape(list(kind)[-1].value)
    with pytest.raises(ExplorerError, match=f"^{cls.__name__}: {name} must be '.*' or '{last}', not 'nonsense'$"):
        cls(**{name: "nonsense"})


def test_every_part_of_the_state_is_checked() -> None:
    hints = {hint for cls in CLASSES for hint in get_type_hints(cls).values()}
    for part in {*CLASSES, Entry, Extent, Window, *filter(is_dataclass, hints)}:
        assert issubclass(part, CheckedFields), part
        assert not hasattr(part.__new__(part), "__dict__"), "as small as before"


def test_text_draws_what_the_member_draws() -> None:
    state = HeadsState()
    setup = {"recipe": replace(state.setup.recipe, layers=4)}
    as_text = attention_explorer.render(state.with_setup(**setup, aggregate="rollout"), format="svg")
    assert b"rollout" in as_text.lower()
    assert as_text == attention_explorer.render(state.with_setup(**setup, aggregate=Aggregate.ROLLOUT), format="svg")
    weights = json.loads(attention_explorer.render(state.with_view(stage="weights"), format="json"))
    assert weights == json.loads(attention_explorer.render(state, format="json"))
    given = state.with_recipe(vectors="given").setup.recipe
    assert isinstance(given, ToyRecipe)
    assert given.vectors is TokenVectors.GIVEN


def test_edits_take_text_too() -> None:
    state = LookupState()
    assert state.with_values("vectors") == state.with_values(ValueKind.VECTORS)  # type: ignore[arg-type]
    assert state.with_overlay("chain", True).overlays == state.overlays | {Overlay.CHAIN}  # type: ignore[arg-type]
    assert all(type(each) is Overlay for each in LookupState(overlays={"chain"}).overlays)  # type: ignore[arg-type]
    for edit in (lambda: state.with_values("m"), lambda: state.with_overlay("s", False)):  # type: ignore[arg-type]
        with pytest.raises(ExplorerError, match=r"must be .*, not '[ms]'"):
            edit()


def test_numbers_of_numpy_and_lists_become_those_of_python() -> None:
    state = LookupState(query=np.array([1, 2]), temperature=np.float32(0.5), hard=np.bool_(True))  # type: ignore[arg-type]
    assert (state.query, state.temperature, state.hard) == ((1.0, 2.0), 0.5, True)
    assert {type(state.temperature), *map(type, state.query)} == {float}
    assert type(state.hard) is bool
    recipe = ToyRecipe(seed=np.int64(3), given=np.eye(2))  # type: ignore[arg-type]
    assert (recipe.seed, type(recipe.seed), recipe.given) == (3, int, ((1.0, 0.0), (0.0, 1.0)))
    assert hash(LookupState(entries=[Entry([0, 1], (0, 1), 2)]))  # type: ignore[list-item, arg-type]


def test_what_is_right_is_left_as_it_is() -> None:
    trail = tuple((float(step), 0.5) for step in range(240))
    state = LookupState(trail=trail)
    moved = replace(state, query=(0.0, 1.0))
    assert moved.trail is trail
    assert all(getattr(moved, part.name) is getattr(state, part.name) for part in fields(state) if part.name != "query")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: PositionsState(kind="alibi"),
            "PositionsState: kind must be 'none', .* rotary', not 'alibi'",
        ),
        (lambda: ToyRecipe(d_model=8.0), "ToyRecipe: d_model must be a whole number, not 8.0"),
        (lambda: ToyRecipe(heads=True), "ToyRecipe: heads must be a whole number, not True"),
        (lambda: ToyRecipe(d_v=2.5), "ToyRecipe: d_v must be a whole number or None, not 2.5"),
        (lambda: ToyRecipe(gain="1"), "ToyRecipe: gain must be a finite number, not '1'"),
        (lambda: ToyRecipe(gain=NAN), "ToyRecipe: gain must be a finite number, not nan"),
        (lambda: ToyRecipe(sentence=3), "ToyRecipe: sentence must be text, not 3"),
        (lambda: LookupState(rate=math.inf), "LookupState: rate must be a finite number, not inf"),
        (lambda: LookupState(temperature=10**400), "LookupState: temperature must be a finite number, not 1000"),
        (lambda: LookupState(temperature=True), "LookupState: temperature must be a finite number, not True"),
        (lambda: LookupState(query=(NAN, 0.0)), "LookupState: query must be a finite number, not nan"),
        (lambda: LookupState(query=(1.0, 2.0, 3.0)), r"LookupState: query must be 2 numbers, not \(1.0, 2.0, 3.0\)"),
        (lambda: LookupState(query=3.0), "LookupState: query must be a tuple, not 3.0"),
        (lambda: LookupState(hard="no"), "LookupState: hard must be True or False, not 'no'"),
        (lambda: LookupState(entries=(1,)), "LookupState: entries must be an Entry, not 1"),
        (lambda: LookupState(overlays="tie"), "LookupState: overlays must be a set, not 'tie'"),
        (lambda: LookupState(trail=(3.0,)), "LookupState: trail must be a tuple, not 3.0"),
        (lambda: Entry(("1", 2.0), (0.0, 0.0), 1.0), "Entry: key must be a finite number, not '1'"),
        (lambda: HeadsState().with_view(row="3"), "HeadsView: row must be a whole number or None, not '3'"),
        (lambda: HeadsState().with_setup(mask="causal"), "HeadsSetup: mask must be a MaskChoice, not 'causal'"),
        (lambda: HeadsState().with_setup(recipe="a"), "HeadsSetup: recipe must be a Recipe, not 'a'"),
        (lambda: ExplorerState(heads=LookupState()), "ExplorerState: heads must be a HeadsState, not LookupState"),
    ],
)
def test_what_does_not_fit_is_refused(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ExplorerError, match=f"^{sentence}"):
        make()


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (HeadsState().with_setup(head=-1), "HeadsState: setup.head is -1, but must be from 0 to 1023"),
        (HeadsState().with_view(row=-1), "HeadsState: view.row is -1, but must be from 0 to"),
        (HeadsState().with_view(colour_map="jet"), "HeadsState: view.colour_map is “jet”, but must be “viridis”,"),
        (
            HeadsState().with_setup(mask=MaskChoice(MaskKind.WINDOW, -1)),
            "HeadsState: setup.mask.size is -1, but must be from 1",
        ),
        (PositionsState(length=0), "PositionsState: length is 0, but must be from 1 to 8192"),
        (BlockState(heads=0), "BlockState: heads is 0, but must be from 1 to 64"),
        (BlockState(token=-1), "BlockState: token is -1, but must be from 0"),
        (ScalingState(draws=-1), "ScalingState: draws is -1, but must be from 1"),
        (ScalingState(bench=BenchState(rows=((NAN,),))), r"ScalingState: bench.rows\[0\]\[0\] is nan, which a file"),
        (ScalingState(bench=BenchState(rows=((1.0,), (1.0, 2.0)))), "ScalingState: bench must have rows of one length"),
        (CostState(n=-1), "CostState: n is -1, but must be from 1"),
        (LookupState(entries=()), "LookupState: entries has 0 items, but must have from 1 to 12"),
        (ExplorerState(cost=CostState(n=-1)), "CostState: n is -1, but must be from 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_session_may_say_is_not_drawn(state: Any, sentence: str) -> None:
    page = "cost" if isinstance(state, ExplorerState) else ""
    with pytest.raises(ExplorerError, match=f"^{sentence}"):
        attention_explorer.render(state, format="svg", page=page)


def test_an_unknown_box_has_a_warning() -> None:
    with pytest.warns(UserWarning, match="box names “nonsense”, which this version does not have: “x” stands in"):
        drawn = attention_explorer.render(BlockState(box="nonsense"), format="json")
    assert drawn == attention_explorer.render(BlockState(), format="json")


def test_what_fields_hold_is_offered_beside_the_states() -> None:
    """Nobody has to know in which module an enum is, or to fall back on text."""
    for cls in CLASSES:
        for hint in get_type_hints(cls).values():
            for each in (hint, *get_args(hint)):
                if cls in (HeadsState, HeadsSetup, HeadsView, MaskChoice, LookupState) and hasattr(each, "__mro__"):
                    is_ours = each.__module__.startswith("attention_explorer") and each not in (Window, Extent)
                    assert not is_ours or getattr(attention_explorer, each.__name__) is each
    assert attention_explorer.Stage.WEIGHTS == "weights"
    assert {"Picture", "HandMadeRecipe", "Encoding", "PositionKind"} <= set(attention_explorer.__all__)
