"""What stands under the pictures of Lab: every part is true of the state, and all that decides the numbers is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_explorer.core.counting import Count
from attention_explorer.core.declared import Kind, declaration_of, declarations, hint_of, kind_of, value_of, with_value
from attention_explorer.kit.frame.view import View
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.depth import depth_setting
from attention_explorer.pages.lab.scores import scores_picture
from attention_explorer.pages.lab.scores_state import BenchState, GainRule, ScalingState
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lab.ui.views import view_of
from attention_explorer.pages.stack.choices import Initialiser
from attention_explorer.pages.stack.state import BlockState

VIEWS = {name: view_of(name) for name in LabView}
PROJECTED = ScalingState(source=ScoreSource.PROJECTED, d_model=8)
BASES: dict[type, tuple[Any, ...]] = {
    ScalingState: (ScalingState(), PROJECTED, replace(PROJECTED, follows=True, rule=GainRule.HE)),
    CostState: (CostState(), replace(CostState(), windowed=True)),
    BlockState: (BlockState(), BlockState(initialiser=Initialiser.NUMBER, feed_forward=False)),
}
"""States in which between them every control does something."""
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
SPACE = "\N{NO-BREAK SPACE}"


def caption(view: View[Any], state: Any) -> str:
    return view.settings(view.of(state)).replace(SPACE, " ")


def read(number: str) -> float:
    """Return a number as captions write it: 100 000, −0.5, 2·10⁻⁶."""
    factor, _, power = number.replace(" ", "").translate(SUPERSCRIPTS).partition("·10")
    return float(factor) * 10.0 ** int(power or 0)


def other(view: View[Any], state: Any, name: str) -> Any:
    """Return the state with another value in a field."""
    said, kind, old = declaration_of(view.part.kind, name), kind_of(view.part.kind, name), value_of(state, name)
    values: dict[Kind, Any] = {
        Kind.SWITCH: lambda: not old,
        Kind.SENTENCE: lambda: f"{old} again",
        Kind.LIST: lambda: ((3.0, 4.0), (0.0, 1.0)),
        Kind.NUMBER: lambda: 1 if not old else 2 * old if 2 * old <= said.high else type(old)(old / 2),
        Kind.CHOICE: lambda: next(each for each in said.choices or hint_of(view.part.kind, name) if each != old),
    }
    value = values[kind]()
    if isinstance(state, CostState) and name == "d_k" and state.d_model % value:
        value = state.d_k // 2  # the heads share d_model
    return view.part.change(state, name, value)


def names_of(view: View[Any]) -> tuple[str, ...]:
    """Every field that has a control somewhere around the picture."""
    return tuple(dict.fromkeys((*filter(None, (view.main,)), *view.fields, *view.more)))


def view_fields(kind: Any, before: str = "") -> Iterator[str]:
    """Every declared field that is only a way of looking, in parts too."""
    for name, said in declarations(kind).items():
        if said.is_view and kind_of(kind, name) is not Kind.REFERENCE:
            yield before + name
        if kind_of(kind, name) is Kind.PART:
            yield from view_fields(hint_of(kind, name), f"{before}{name}.")


def subjects() -> Iterator[tuple[LabView, Any, str]]:
    """Every view, with every base, and every field that does something there and is no way of looking."""
    for name, view in VIEWS.items():
        for base in map(view.of, BASES[view.part.kind]):
            for field in names_of(view):
                said = declaration_of(view.part.kind, field)
                if not said.is_view and said.is_shown(base):
                    yield name, base, field


SUBJECTS = [pytest.param(*each, id=f"{each[0]}-{number}-{each[2]}") for number, each in enumerate(subjects())]
OF_DEPTH = [each for each in SUBJECTS if each.values[0] is LabView.DEPTH]
OF_OTHERS = [each for each in SUBJECTS if each.values[0] is not LabView.DEPTH]


@pytest.mark.parametrize(("name", "state", "field"), OF_OTHERS)
def test_whatever_is_set_beside_a_picture_is_in_its_caption(name: LabView, state: Any, field: str) -> None:
    assert caption(VIEWS[name], other(VIEWS[name], state, field)) != caption(VIEWS[name], state)


@pytest.mark.parametrize(("name", "state", "field"), OF_DEPTH)
def test_the_caption_of_depth_tells_apart_what_has_other_numbers_and_nothing_else(
    name: LabView, state: BlockState, field: str
) -> None:
    changed = other(VIEWS[name], state, field)
    decisive = [(depth_setting(each), each.causal, each.encoding, each.seed) for each in (state, changed)]
    captions = [caption(VIEWS[name], each) for each in (state, changed)]
    assert (captions[0] == captions[1]) == (decisive[0] == decisive[1])


@pytest.mark.parametrize("name", LabView)
def test_numbers_in_a_caption_are_those_of_the_state(name: LabView) -> None:
    view = VIEWS[name]
    for base in map(view.of, BASES[view.part.kind]):
        told = caption(view, base).split(" · ")
        for field in view.made_with or view.more:
            said = declaration_of(view.part.kind, field)
            if said.is_view or kind_of(view.part.kind, field) is not Kind.NUMBER:
                continue
            found = [part.partition(" = ")[2] for part in told if part.startswith(f"{said.label} = ")]
            assert len(found) == said.is_shown(base), field
            assert [read(number) for number in found] == [value_of(base, field)] * len(found)


@pytest.mark.parametrize("name", LabView)
def test_no_way_of_looking_is_in_a_caption(name: LabView) -> None:
    view = VIEWS[name]
    for base in map(view.of, BASES[view.part.kind]):
        for field in set(view_fields(view.part.kind)) - {"picture"}:
            said, old = declaration_of(view.part.kind, field), value_of(base, field)
            if field == "count":
                changed = replace(base, count=Count.FROM_ZERO)
            elif old is None:
                changed = with_value(base, field, 1)
            elif field == "box":
                changed = replace(base, box="weights")
            else:
                changed = other(view, base, field)
            assert changed != base, field
            assert caption(view, changed) == caption(view, base), (field, said.label)


@pytest.mark.parametrize("name", LabView)
def test_an_example_is_one_until_what_it_is_about_is_changed(name: LabView) -> None:
    view = VIEWS[name]
    for ready in view.presets:
        assert view.example(ready.state) is ready
        for shown in view.part.kind.__dataclass_fields__["picture"].default.__class__:
            assert view.example(replace(ready.state, picture=shown)) is ready
        for field in view_fields(view.part.kind):
            if (
                kind_of(view.part.kind, field) in (Kind.SWITCH, Kind.NUMBER)
                and value_of(ready.state, field) is not None
            ):
                assert view.example(other(view, ready.state, field)) is ready, field
        for field in names_of(view):
            said = declaration_of(view.part.kind, field)
            if not said.is_view and said.is_shown(ready.state) and not said.reason_against(ready.state):
                assert view.example(other(view, ready.state, field)) is None, field
        assert view.example(replace(ready.state, preset="of no list")) is None


# ---- What a caption must not leave open ----


@pytest.mark.parametrize("follows", [False, True])
def test_the_caption_of_projected_scores_says_what_d_model_is(follows: bool) -> None:
    told = caption(VIEWS[LabView.WHY], replace(PROJECTED, follows=follows))
    assert "d_model" in told
    assert "no follows" not in told


def test_the_caption_does_not_claim_draws_that_were_not_made() -> None:
    state = replace(PROJECTED, d_k=512, d_model=512, draws=100_000)
    few = replace(state, draws=4)
    assert scores_picture(few).draws == 4
    assert "draws = 4" in caption(VIEWS[LabView.WHY], few)
    assert "· draws = 100 000 ·" not in caption(VIEWS[LabView.WHY], state), "2²⁷ numbers are enough for 14 563"


def test_the_caption_of_the_bench_says_to_which_row_a_constant_is_added() -> None:
    bench = BenchState(((2.0, 1.0), (0.0, 3.0)), shift=3.0)
    first, second = (ScalingState(bench=replace(bench, row=row)) for row in (0, 1))
    assert not np.array_equal(first.bench.scores(), second.bench.scores())
    assert caption(VIEWS[LabView.SOFTMAX], first) != caption(VIEWS[LabView.SOFTMAX], second)


@pytest.mark.parametrize(
    ("name", "field"), [(LabView.LINEAR, "sentence"), (LabView.LINEAR, "seed"), (LabView.DEPTH, "heads")]
)
def test_the_settings_in_files_tell_apart_what_has_other_numbers(name: LabView, field: str) -> None:
    view = VIEWS[name]
    states = [view.of(BlockState(heads=2)), other(view, view.of(BlockState(heads=2)), field)]
    pictures = [view.picture.compute(state, (0, 0)) for state in states]
    first, second = (
        view.numbers(state, picture, view.picture.numbers(picture)).parameters["settings"]
        for state, picture in zip(states, pictures, strict=True)
    )
    assert first != second
