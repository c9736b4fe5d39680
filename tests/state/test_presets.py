"""The ready-made lookups: whole, distinct, and found by name."""

from __future__ import annotations

import math

import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.state.lookup.presets import PRESETS, preset
from attention_explorer.state.lookup.state import MOST_KEYS, LookupState, Overlay
from attention_explorer.state.preset import Preset
from attention_explorer.state.temperature import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE

EACH = pytest.mark.parametrize("ready", PRESETS, ids=lambda ready: ready.id)


def test_names_and_states_are_all_different() -> None:
    assert len({ready.id for ready in PRESETS}) == len(PRESETS) >= 7
    assert len({ready.title for ready in PRESETS}) == len(PRESETS)
    assert len({ready.state for ready in PRESETS}) == len(PRESETS), "hashable, too"


def test_the_first_one_is_what_the_window_opens_with() -> None:
    assert PRESETS[0].state == LookupState()


@EACH
def test_each_is_found_by_its_name_and_knows_it(ready: Preset[LookupState]) -> None:
    assert preset(ready.id) is ready
    assert ready.state.preset == ready.id


@EACH
def test_each_says_what_to_look_for(ready: Preset[LookupState]) -> None:
    assert ready.title
    assert not ready.title.endswith(".")
    assert ready.look_for.endswith(".")


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


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(ExplorerError) as caught:
        preset("nonsense")
    assert "nonsense" in str(caught.value)
    for ready in PRESETS:
        assert ready.id in str(caught.value)
