"""The wish of the Lookup page: what can be read from it and every way to edit it."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.plane import LARGEST_COORDINATE, Extent, Vector
from attention_explorer.pages.lookup.state import (
    MOST_KEYS,
    QUERY,
    TARGET,
    Entry,
    LookupState,
    Overlay,
    Part,
    ValueKind,
)

DEFAULT = LookupState()
FREE = LookupState(
    query=(1.0, 2.0),
    entries=(Entry((3.0, 4.0), (5.0, 6.0), 7.0), Entry((8.0, 9.0), (10.0, 11.0), 12.0)),
    target=(13.0, 14.0),
    target_number=15.0,
)
KEY_1, KEY_2 = Part(Role.KEY, 0), Part(Role.KEY, 1)
VALUE_1, VALUE_2 = Part(Role.VALUE, 0), Part(Role.VALUE, 1)
EVERYTHING = (QUERY, KEY_1, KEY_2, VALUE_1, VALUE_2, TARGET)
KINDS = list(ValueKind)


# ---- Reading ----


def test_the_default_is_the_canvas_of_the_tutorial() -> None:
    assert DEFAULT.query == (1.4, 0.6)
    assert DEFAULT.keys == ((2.0, 0.2), (-0.4, 2.0))
    assert DEFAULT.value_rows == DEFAULT.keys
    assert DEFAULT.extent == Extent(-3.0, 3.0, -2.0, 2.0)
    assert (DEFAULT.hard, DEFAULT.scaled, DEFAULT.temperature) == (False, False, 1.0)


def test_rows_of_every_kind_of_value() -> None:
    assert replace(FREE, values=ValueKind.KEYS).value_rows == ((3.0, 4.0), (8.0, 9.0))
    assert replace(FREE, values=ValueKind.VECTORS).value_rows == ((5.0, 6.0), (10.0, 11.0))
    assert replace(FREE, values=ValueKind.NUMBERS).value_rows == ((7.0,), (12.0,))


def test_the_target_lies_in_the_space_of_the_values() -> None:
    assert replace(FREE, values=ValueKind.KEYS).target_row == (13.0, 14.0)
    assert replace(FREE, values=ValueKind.VECTORS).target_row == (13.0, 14.0)
    assert replace(FREE, values=ValueKind.NUMBERS).target_row == (15.0,)


def test_parts_in_the_order_of_the_tab_key() -> None:
    assert DEFAULT.parts() == (QUERY, KEY_1, KEY_2)
    free = replace(FREE, values=ValueKind.VECTORS)
    assert free.parts() == (QUERY, KEY_1, KEY_2, VALUE_1, VALUE_2)
    assert free.with_overlay(Overlay.TARGET, True).parts() == (QUERY, KEY_1, KEY_2, VALUE_1, VALUE_2, TARGET)
    assert DEFAULT.with_overlay(Overlay.TARGET, True).parts() == (QUERY, KEY_1, KEY_2, TARGET)
    assert replace(FREE, values=ValueKind.NUMBERS).parts() == (QUERY, KEY_1, KEY_2, VALUE_1, VALUE_2)


@pytest.mark.parametrize(
    ("kind", "part", "position", "on_number_line"),
    [
        (ValueKind.KEYS, QUERY, (1.0, 2.0), False),
        (ValueKind.NUMBERS, QUERY, (1.0, 2.0), False),
        (ValueKind.KEYS, KEY_2, (8.0, 9.0), False),
        (ValueKind.NUMBERS, KEY_2, (8.0, 9.0), False),
        (ValueKind.VECTORS, VALUE_1, (5.0, 6.0), False),
        (ValueKind.NUMBERS, VALUE_2, (12.0, 0.0), True),
        (ValueKind.VECTORS, TARGET, (13.0, 14.0), False),
        (ValueKind.NUMBERS, TARGET, (15.0, 0.0), True),
    ],
)
def test_positions(kind: ValueKind, part: Part, position: Vector, on_number_line: bool) -> None:
    state = replace(FREE, values=kind)
    assert state.position(part) == position
    assert state.on_number_line(part) is on_number_line


@pytest.mark.parametrize(
    ("part", "symbol", "name"),
    [
        (QUERY, "q", "query"),
        (KEY_1, "k₁", "key 1"),
        (Part(Role.KEY, 11), "k₁₂", "key 12"),
        (VALUE_2, "v₂", "value 2"),
        (TARGET, "t", "target"),
    ],
)
def test_names_of_parts(part: Part, symbol: str, name: str) -> None:
    assert (part.symbol, part.name) == (symbol, name)


# ---- Immutable and hashable ----


@pytest.mark.parametrize("thing", [DEFAULT, FREE, FREE.entries[0], KEY_1, ExplorerState(), DEFAULT.extent])
def test_states_cannot_be_written_to(thing: object) -> None:
    name = fields(thing)[0].name  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError):
        setattr(thing, name, None)
    with pytest.raises((AttributeError, TypeError)):
        thing.something_new = 1  # type: ignore[attr-defined]


def test_equal_states_are_one_key_of_a_dict() -> None:
    again = replace(
        DEFAULT,
        query=(1.4, 0.6),
        entries=tuple(replace(entry) for entry in DEFAULT.entries),
        overlays=frozenset(Overlay),
    )
    assert again != DEFAULT
    assert replace(again, overlays=DEFAULT.overlays) == DEFAULT
    assert hash(replace(again, overlays=DEFAULT.overlays)) == hash(DEFAULT)
    assert len({ExplorerState(), ExplorerState(lookup=LookupState()), ExplorerState(lookup=FREE)}) == 2


def test_two_windows_do_not_share_a_state() -> None:
    assert ExplorerState() == ExplorerState()
    assert ExplorerState(lookup=DEFAULT.moved(QUERY, (0.0, 0.0))) != ExplorerState()


# ---- Moving ----


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", EVERYTHING, ids=lambda part: part.symbol)
def test_moving_one_part_moves_no_other(kind: ValueKind, part: Part) -> None:
    state = replace(FREE, values=kind)
    moved = state.moved(part, (-1.5, 0.25))
    for other in EVERYTHING:
        if other != part:
            assert moved.position(other) == state.position(other)
    expected = (-1.5, 0.0) if state.on_number_line(part) else (-1.5, 0.25)
    assert moved.position(part) == expected
    assert moved.moved(part, state.position(part)) == state, "moving back gives the first state"


def test_moving_a_number_leaves_the_vector_that_waits_behind_it() -> None:
    numbers = replace(FREE, values=ValueKind.NUMBERS).moved(VALUE_1, (70.0, 0.0)).moved(TARGET, (80.0, 0.0))
    assert numbers.entries[0] == Entry((3.0, 4.0), (5.0, 6.0), 70.0)
    assert (numbers.target, numbers.target_number) == ((13.0, 14.0), 80.0)
    vectors = replace(FREE, values=ValueKind.VECTORS).moved(VALUE_1, (70.0, 71.0)).moved(TARGET, (80.0, 81.0))
    assert vectors.entries[0] == Entry((3.0, 4.0), (70.0, 71.0), 7.0)
    assert (vectors.target, vectors.target_number) == ((80.0, 81.0), 15.0)


def test_the_values_follow_the_keys_while_they_are_the_keys() -> None:
    assert DEFAULT.moved(KEY_2, (0.5, 0.5)).value_rows == ((2.0, 0.2), (0.5, 0.5))


def test_minus_zero_becomes_zero() -> None:
    x, y = DEFAULT.moved(QUERY, (-0.0, -0.0)).query
    assert math.copysign(1, x) == math.copysign(1, y) == 1


@pytest.mark.parametrize("part", [QUERY, KEY_2, VALUE_1, TARGET], ids=lambda part: part.symbol)
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e300, -1e7, 1_000_001.0])
@pytest.mark.parametrize("kind", [ValueKind.VECTORS, ValueKind.NUMBERS])
def test_impossible_coordinates_are_refused_in_a_sentence(part: Part, number: float, kind: ValueKind) -> None:
    state = replace(FREE, values=kind)
    for to in ((number, 0.0), (0.0, number)):
        with pytest.raises(ExplorerError) as caught:
            state.moved(part, to)
        sentence = str(caught.value)
        assert sentence.startswith(part.symbol)
        assert sentence.endswith(".")
        assert ("finite" in sentence) is not math.isfinite(number)


def test_the_largest_coordinates_are_still_coordinates() -> None:
    corner = (LARGEST_COORDINATE, -LARGEST_COORDINATE)
    assert DEFAULT.moved(KEY_1, corner).keys[0] == corner


@settings(max_examples=60, deadline=None)
@given(st.tuples(st.floats(), st.floats()))
def test_whatever_is_typed_moves_the_query_there_or_is_refused(to: Vector) -> None:
    possible = all(math.isfinite(number) and abs(number) <= LARGEST_COORDINATE for number in to)
    if possible:
        assert DEFAULT.moved(QUERY, to).query == to
    else:
        with pytest.raises(ExplorerError, match=r"^q "):
            DEFAULT.moved(QUERY, to)


# ---- Keys come and go ----


def test_a_new_key_brings_its_value_along() -> None:
    state = replace(FREE, values=ValueKind.VECTORS).with_key_added((-1.0, -2.0))
    assert state.entries[:2] == FREE.entries
    assert state.keys[2] == state.value_rows[2] == (-1.0, -2.0)
    assert replace(state, values=ValueKind.NUMBERS).value_rows[2] == (30.0,)


def test_keys_are_added_up_to_twelve_and_then_refused_in_words() -> None:
    state = DEFAULT
    for count in range(3, MOST_KEYS + 1):
        state = state.with_key_added((0.1 * count, -1.0))
        assert len(state.entries) == count
    assert MOST_KEYS == 12
    with pytest.raises(ExplorerError, match=r"There are 12 keys already\. Delete one"):
        state.with_key_added((0.0, 0.0))
    assert state.with_key_removed(0).with_key_added((0.0, 0.0)).keys[-1] == (0.0, 0.0)


@pytest.mark.parametrize("number", [math.nan, math.inf, 2e6])
def test_a_new_key_must_be_somewhere(number: float) -> None:
    with pytest.raises(ExplorerError, match=r"the new key .*\.$"):
        DEFAULT.with_key_added((0.0, number))


@pytest.mark.parametrize("index", [0, 1, 2])
def test_removing_a_key_takes_its_value_and_no_other(index: int) -> None:
    state = replace(FREE, values=ValueKind.VECTORS).with_key_added((-1.0, -2.0))
    left = state.with_key_removed(index)
    expected = [entry for i, entry in enumerate(state.entries) if i != index]
    assert list(left.entries) == expected


def test_the_last_key_stays() -> None:
    one = DEFAULT.with_key_removed(1)
    assert one.keys == ((2.0, 0.2),)
    with pytest.raises(ExplorerError, match=r"at least one key"):
        one.with_key_removed(0)


# ---- Values of another kind ----


def test_untied_values_start_on_their_keys_so_that_nothing_jumps() -> None:
    vectors = FREE.with_values(ValueKind.VECTORS)
    assert vectors.value_rows == FREE.value_rows == FREE.keys
    moved = vectors.moved(KEY_1, (0.0, 0.0))
    assert moved.value_rows[0] == (3.0, 4.0), "and from then on they are free"


def test_tied_again_the_values_are_the_keys() -> None:
    state = FREE.with_values(ValueKind.VECTORS).moved(VALUE_1, (9.0, 9.0)).with_values(ValueKind.KEYS)
    assert state.value_rows == state.keys


def test_numbers_and_vectors_wait_for_each_other() -> None:
    vectors = replace(FREE, values=ValueKind.VECTORS)
    there_and_back = vectors.with_values(ValueKind.NUMBERS).with_values(ValueKind.VECTORS)
    assert there_and_back == vectors


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_kind_again_changes_nothing(kind: ValueKind) -> None:
    state = replace(FREE, values=kind)
    assert state.with_values(kind) is state


# ---- Switches and sliders ----


@pytest.mark.parametrize("overlay", list(Overlay))
def test_overlays_switch_one_at_a_time(overlay: Overlay) -> None:
    on, off = DEFAULT.with_overlay(overlay, True), DEFAULT.with_overlay(overlay, False)
    assert on.shows(overlay)
    assert not off.shows(overlay)
    assert on.overlays - {overlay} == off.overlays == DEFAULT.overlays - {overlay}
    assert on.with_overlay(overlay, True) == on
    assert off.with_overlay(overlay, False) == off


@pytest.mark.parametrize(
    ("wanted", "temperature"),
    [(1.0, 1.0), (0.37, 0.37), (0.0, 0.01), (-5.0, 0.01), (1e9, 100.0), (math.inf, 100.0), (-math.inf, 0.01)],
)
def test_temperatures_are_held_within_the_slider(wanted: float, temperature: float) -> None:
    assert DEFAULT.with_temperature(wanted).temperature == temperature


@pytest.mark.parametrize(("wanted", "rate"), [(0.5, 0.5), (0.0, 0.001), (-1.0, 0.001), (1e9, 100.0), (math.inf, 100.0)])
def test_rates_are_held_within_their_range(wanted: float, rate: float) -> None:
    assert DEFAULT.with_rate(wanted).rate == rate


def test_a_temperature_and_a_rate_are_numbers() -> None:
    for edit in (DEFAULT.with_temperature, DEFAULT.with_rate):
        with pytest.raises(ExplorerError, match="needs a number from"):
            edit(math.nan)


def test_no_edit_changes_the_state_it_starts_from() -> None:
    state = replace(FREE, values=ValueKind.VECTORS)
    copy = replace(state)
    state.moved(VALUE_1, (0.0, 0.0))
    state.with_key_added((0.0, 0.0))
    state.with_key_removed(0)
    state.with_values(ValueKind.NUMBERS)
    state.with_overlay(Overlay.TRAIL, True)
    state.with_temperature(3.0)
    state.with_rate(3.0)
    assert state == copy
