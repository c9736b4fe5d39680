"""The ready-made lookups: whole, distinct, and found by name."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from attention_explorer.core.preset import Preset
from attention_explorer.core.weighing import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.plane import Vector
from attention_explorer.pages.lookup.presets import PRESETS, WORDS_PRESETS, preset
from attention_explorer.pages.lookup.state import MOST_KEYS, QUERY, LookupState, LookupView, Overlay
from attention_explorer.pages.lookup.ui.views import views

EACH = pytest.mark.parametrize("ready", PRESETS, ids=lambda ready: ready.id)


@EACH
def test_each_is_a_lookup_that_can_be_taken_hold_of(ready: Preset[LookupState]) -> None:
    state = ready.state
    everything = state.with_overlay(Overlay.TARGET, True)
    for part in everything.parts():
        assert all(math.isfinite(number) for number in everything.position(part)), part.symbol
        assert everything.moved(part, everything.position(part)) == everything
    for entry in state.entries:
        assert all(math.isfinite(number) for number in (*entry.key, *entry.value, entry.number))
    assert 1 <= len(state.entries) <= MOST_KEYS
    assert LOWEST_TEMPERATURE <= state.temperature <= HIGHEST_TEMPERATURE
    assert state.with_rate(state.rate) == state


@EACH
def test_everything_a_preset_starts_with_is_in_its_picture(ready: Preset[LookupState]) -> None:
    state = ready.state
    points = [state.query, *state.keys, *(row for row in state.value_rows if len(row) == 2)]
    if state.shows(Overlay.TARGET):
        points.append(state.target)
    for x, y in points:
        assert state.extent.left <= x <= state.extent.right
        assert state.extent.bottom <= y <= state.extent.top


def test_the_numbers_in_the_hints_are_those_computed() -> None:
    keys = {ready.id: ready for ready in PRESETS}
    three, said = keys["three-keys"].state, keys["three-keys"].look_for
    assert "{}, {} and {}".format(*(f"{w:.3f}"[1:] for w in lookup_frame(three).weights)) in said
    assert lookup_frame(three).limit.tolist() == [7.5, 2.5]
    assert "(7.5, 2.5)" in said
    assert lookup_frame(three.moved(QUERY, (10.0, -10.0))).weights[0] > 0.999, "nearly all the weight"
    quiz, said = lookup_frame(keys["quiz"].state), keys["quiz"].look_for
    for number in (quiz.weights[0], quiz.output[0], quiz.rescaled.output[0]):
        assert f"{number:.3f}" in said
    equal = keys["equal-scores"].state
    assert lookup_frame(equal).attention.scores.tolist() == [1.2] * 3
    assert lookup_frame(equal.moved(QUERY, (0.0, 0.0))).attention.scores.tolist() == [0.0] * 3
    long = lookup_frame(keys["long-key"].state)
    assert long.cosines.tolist() == pytest.approx([1.0, 0.8])
    assert long.attention.scores.tolist() == [1.0, 2.0]
    assert long.key_lengths.tolist() == [1.0, 2.5]
    warm, said = keys["temperatures"].state, keys["temperatures"].look_for
    assert lookup_frame(warm).attention.scores.tolist() == [3.0, 2.0, 1.0]
    assert "{}, {} and {}".format(*(f"{w:.0%}".replace("%", " %") for w in lookup_frame(warm).weights)) in said
    assert lookup_frame(warm.with_temperature(LOWEST_TEMPERATURE)).weights.tolist() == pytest.approx([1, 0, 0])
    thirds = lookup_frame(warm.with_temperature(HIGHEST_TEMPERATURE)).weights.tolist()
    assert thirds == pytest.approx([1 / 3] * 3, abs=0.005)


def test_each_opens_in_the_view_that_it_is_about() -> None:
    elsewhere = {"descent": LookupView.GRADIENT, "temperatures": LookupView.TEMPERATURE}
    elsewhere |= dict.fromkeys((ready.id for ready in WORDS_PRESETS), LookupView.WORDS)
    assert {ready.id: ready.state.view for ready in PRESETS} == {
        ready.id: elsewhere.get(ready.id, LookupView.PLANE) for ready in PRESETS
    }
    for view in views():
        assert view.presets, "every view has something to begin with"
        assert [ready.state.view for ready in view.presets] == [view.id] * len(view.presets)


def test_nothing_that_there_is_to_try_is_done_in_an_example_that_was_just_chosen() -> None:
    done = {
        (ready.id, each.words)
        for view in views()
        for ready in view.presets
        for each in view.tries
        if each.is_done(ready.state)
    }
    assert not done, "also where k₂ weighs most before q is dragged"


@EACH
def test_a_hint_that_asks_for_hard_starts_beside_the_ties(ready: Preset[LookupState]) -> None:
    """On an exact tie the last digit decides which key is taken, and hard has no gradient to speak of."""
    if "press H" in ready.look_for.replace("Press", "press"):
        assert len(lookup_frame(replace(ready.state, hard=True)).winners) == 1


@pytest.mark.parametrize("temperature", [LOWEST_TEMPERATURE, 0.3, 1.0, 3.0, HIGHEST_TEMPERATURE])
@pytest.mark.parametrize(("hard", "scaled"), [(False, False), (False, True), (True, False)])
def test_the_hints_hold_whatever_the_lookup_is_set_to(temperature: float, hard: bool, scaled: bool) -> None:
    def frame_of(identifier: str, query: Vector | None = None) -> LookupFrame:
        state = replace(preset(identifier).state, temperature=temperature, hard=hard, scaled=scaled)
        return lookup_frame(state if query is None else state.moved(QUERY, query))

    moved = frame_of("exact-miss").output - frame_of("exact-miss", (1.0, 0.0)).output
    assert math.hypot(*moved) < 1e-7, "o moves by less than 10⁻⁷"
    assert frame_of("exact-miss", (1.0, 0.0)).exact_match == 0
    if not hard:
        assert frame_of("equal-scores").weights.tolist() == [1 / 3] * 3
        for length in (1.0, 10.0, 1e3, 1e6):
            x, y = frame_of("three-keys", (length, 0.0)).output
            assert (x, y) == pytest.approx((10 - y, y), abs=1e-9), "on the edge from v₁ to v₂"
            assert x <= 7.5 + 1e-9, "never beyond (7.5, 2.5)"
