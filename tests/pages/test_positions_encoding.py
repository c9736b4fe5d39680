"""The table of an encoding, its waves and biases: the numbers of the model, wherever they are looked at."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.map_picture import ScaleKind
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.items.numbered_map import round_numbers
from attention_explorer.model.alibi import alibi_bias
from attention_explorer.model.encodings import learned_encoding, sinusoidal_encoding, wavelengths
from attention_explorer.model.rotary import rotary
from attention_explorer.pages.positions.encoding import MOST_TILES, bias_words, cell_words, encoding_picture, wave_label
from attention_explorer.pages.positions.kinds.alibi import slope_words
from attention_explorer.pages.positions.kinds.kind import wavelength_text
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import (
    HIGHEST_BASE,
    LONGEST,
    LOWEST_BASE,
    MOST_WAVES,
    PositionsState,
    RotaryLayout,
)
from attention_explorer.pages.positions.table import (
    dimensions_of_pair,
    encoding_at,
    ordinal,
    pair_count,
    pair_of,
    sampled_dimensions,
    sampled_positions,
    wavelength,
)

LONG = PositionsState(length=8192, d_model=1024)
ROTARY = PositionsState(PositionKind.ROTARY)


def whole(state: PositionsState) -> np.ndarray:
    return encoding_at(state, np.arange(state.length), np.arange(state.d_model))


# ---- The state ----


def test_sizes_base_position_and_shift_are_held_within_their_ranges() -> None:
    state = PositionsState().with_sizes(length=10**6, d_model=0, heads=99)
    assert (state.length, state.d_model, state.heads) == (LONGEST, 1, 64)
    assert PositionsState().with_base(0.5).base == LOWEST_BASE
    assert PositionsState().with_base(1e12).base == HIGHEST_BASE
    with pytest.raises(ExplorerError, match="base"):
        PositionsState().with_base(math.nan)
    assert PositionsState().with_position(-3).position == 0
    assert PositionsState().with_position(64).position == 63
    assert PositionsState().with_shift(100).shift == 63


def test_what_was_wished_for_comes_back_when_there_is_room_again() -> None:
    state = PositionsState(position=50, shift=40, head=7, dimensions=(0, 60))
    small = state.with_sizes(length=10, d_model=16, heads=2)
    assert (small.position_shown, small.shift_shown, small.head_shown) == (9, 9, 1)
    assert small.dimensions_shown == (0,)
    again = small.with_sizes(length=64, d_model=64, heads=8)
    assert again == state
    assert (again.position_shown, again.dimensions_shown) == (50, (0, 60))


def test_a_ninth_wave_takes_the_place_of_the_oldest() -> None:
    state = PositionsState(dimensions=())
    for dimension in range(MOST_WAVES + 1):
        state = state.with_dimension(dimension)
    assert state.dimensions == tuple(range(1, MOST_WAVES + 1))
    assert state.with_dimension(4).dimensions == (1, 2, 3, 5, 6, 7, 8)


# ---- The table ----


@pytest.mark.parametrize(("length", "d_model", "base"), [(20, 64, 1e4), (7, 5, 100.0), (1, 1, 1e4), (300, 2, 1.0)])
def test_the_table_of_the_sinusoid_is_that_of_the_model(length: int, d_model: int, base: float) -> None:
    state = PositionsState(length=length, d_model=d_model, base=base)
    np.testing.assert_allclose(whole(state), sinusoidal_encoding(length, d_model, base), rtol=0, atol=1e-12)


def test_the_printed_numbers_of_the_tutorials() -> None:
    table = whole(PositionsState(length=100))
    assert table.shape == (100, 64)
    np.testing.assert_array_equal(table[0, :8], [0, 1] * 4)
    np.testing.assert_allclose(table[1, :6], [0.841471, 0.540302, 0.681561, 0.731761, 0.533168, 0.846009], atol=5e-7)


def test_the_table_of_the_learned_encoding_is_that_of_the_model() -> None:
    state = PositionsState(PositionKind.LEARNED, length=9, d_model=6, seed=7)
    np.testing.assert_array_equal(whole(state), learned_encoding(9, 6, 7))


@pytest.mark.parametrize("layout", RotaryLayout)
def test_the_table_of_rotary_is_what_turns_a_vector(layout: RotaryLayout) -> None:
    state = PositionsState(PositionKind.ROTARY, length=12, d_model=8, base=50.0, layout=layout)
    table = whole(state)
    for pair in range(pair_count(state)):
        first, second = dimensions_of_pair(state, pair)
        x = np.zeros((12, 8))
        x[:, first] = 1.0
        turned = rotary(x, np.arange(12), 50.0, layout.value)  # (1, 0) becomes (cos, sin)
        np.testing.assert_allclose(table[:, [first, second]], turned[:, [first, second]], atol=1e-12)
        assert {pair_of(state, first), pair_of(state, second)} == {pair}


def test_what_is_sampled_equals_what_is_computed_whole() -> None:
    rows, columns = np.asarray([0, 17, 8191]), np.asarray([0, 1, 510, 1023])
    sampled = encoding_at(LONG, rows, columns)
    np.testing.assert_allclose(sampled, sinusoidal_encoding(8192, 1024)[np.ix_(rows, columns)], rtol=0, atol=1e-11)


def test_wavelengths_are_those_of_the_model() -> None:
    state = PositionsState()
    expected = np.repeat(wavelengths(64), 2)
    assert [wavelength(state, dimension) for dimension in range(64)] == pytest.approx(expected.tolist())
    assert wavelength_text(wavelength(state, 8)) == "19.9"
    assert wavelength_text(wavelength(state, 63)) == "47117"
    assert wavelength_text(6.21e8) == "6.21·10⁸"


# ---- Samples and ticks ----


def test_every_nth_pair_has_sines_and_cosines() -> None:
    columns, step = sampled_dimensions(LONG, 500)
    assert step == 3
    assert len(columns) <= 500
    assert np.count_nonzero(columns % 2 == 0) == np.count_nonzero(columns % 2 == 1)
    rows, step = sampled_positions(8192, 500)
    assert (step, len(rows), rows[1]) == (17, 482, 17)


def test_an_odd_width_keeps_its_lone_sine() -> None:
    columns, _ = sampled_dimensions(PositionsState(d_model=5), 100)
    assert columns.tolist() == [0, 1, 2, 3, 4]
    assert dimensions_of_pair(PositionsState(d_model=5), 2) == (4,)


@pytest.mark.parametrize(
    ("count", "most", "expected"),
    [
        (64, 7, [0, 10, 20, 30, 40, 50, 60]),
        (5, 9, [0, 1, 2, 3, 4]),
        (1, 3, [0]),
        (8192, 5, [0, 2000, 4000, 6000, 8000]),
    ],
)
def test_ticks_are_round_numbers(count: int, most: int, expected: list[int]) -> None:
    assert list(round_numbers(count, most)) == expected


def test_ordinals() -> None:
    assert [ordinal(n) for n in (2, 3, 8, 11, 12, 21, 112)] == ["2nd", "3rd", "8th", "11th", "12th", "21st", "112th"]


# ---- The picture ----


def test_a_small_table_is_shown_whole_and_says_nothing() -> None:
    table = encoding_picture(PositionsState(), (400, 400)).table
    assert table is not None
    assert table.picture.values.shape == (64, 64)
    assert table.badge == ""
    assert table.picture.scale.kind is ScaleKind.DIVERGING
    assert (table.picture.scale.low, table.picture.scale.high) == (-1.0, 1.0)


def test_a_large_table_is_sampled_and_says_so() -> None:
    table = encoding_picture(LONG, (400, 5000)).table
    assert table is not None
    assert table.picture.values.shape == (235, MOST_TILES)  # four waves take four tenths of the 400 rows
    assert table.badge.startswith("every 35th position: waves shorter than 70 look longer than they are")
    assert (table.picture.row_title, table.picture.column_title) == (
        "position (row), from 0",
        "dimension (column), from 0",
    )
    assert "every 2nd pair of dimensions" in table.badge
    expected = encoding_at(LONG, table.rows[[3]], table.columns[[100]])[0, 0]
    assert table.picture.values[3, 100] == expected


def test_without_waves_the_table_has_all_the_rows() -> None:
    table = encoding_picture(replace(LONG, dimensions=()), (400, 5000)).table
    assert table is not None
    assert table.picture.values.shape == (391, MOST_TILES)
    assert table.badge.startswith("every 21st position")


def test_moving_the_position_computes_nothing_anew() -> None:
    first = encoding_picture(PositionsState(position=1), (300, 300))
    second = encoding_picture(PositionsState(position=2, shift=9), (300, 300))
    assert first.table is second.table
    assert first.waves[0] is second.waves[0]
    assert (first.position, second.position) == (1, 2)


def test_waves_pass_through_the_numbers_of_the_table() -> None:
    state = PositionsState(dimensions=(8, 63))
    wave = encoding_picture(state, (300, 300)).waves[0]
    assert wave.label == "dim 8, sin, wavelength 19.9"
    at_whole = np.isin(wave.places, np.arange(64))
    assert np.count_nonzero(at_whole) == 64
    np.testing.assert_allclose(wave.values[at_whole], whole(state)[:, 8], atol=1e-12)


def test_a_long_wave_shows_its_lowest_and_highest_numbers() -> None:
    state = PositionsState(length=8192, d_model=64, dimensions=(0,))
    wave = encoding_picture(state, (300, 300)).waves[0]
    assert wave.highs is not None
    exact = np.sin(np.arange(8192.0))
    step = 8192 // len(wave.values) + 1
    for place, low, high in list(zip(wave.places, wave.values, wave.highs, strict=True))[:-1:37]:
        start = round(place - 0.5 * step)
        seen = exact[start : start + step + 1]
        assert (low, high) == (pytest.approx(seen.min(), abs=1e-12), pytest.approx(seen.max(), abs=1e-12))


def test_no_encoding_and_an_odd_rotary_say_why_there_is_no_picture() -> None:
    nothing = encoding_picture(PositionsState(PositionKind.NONE), (300, 300))
    assert nothing.table is None
    assert "order" in nothing.reason
    odd = encoding_picture(PositionsState(PositionKind.ROTARY, d_model=7), (300, 300))
    assert odd.table is None
    assert "even" in odd.reason


def test_the_map_of_alibi_is_that_of_its_head() -> None:
    picture = encoding_picture(PositionsState(PositionKind.ALIBI, length=30, heads=6, head=4), (300, 300))
    assert picture.bias is not None
    np.testing.assert_array_equal(picture.bias.map.picture.values, alibi_bias(6, 30)[4])
    assert not np.signbit(picture.bias.map.picture.values.diagonal()).any()
    assert picture.bias.map.picture.scale.title == "bias of head 5: −slope · distance", (
        "counted from 1, as in the panel"
    )


# ---- Words ----


def test_the_words_of_a_cell_are_its_arithmetic() -> None:
    said = cell_words(PositionsState(), 5, 8)
    assert said == "PE(5, 8) = sin(5 / 10000^(8/64)) = sin(1.5811) = +0.99995; wavelength 19.9 positions"
    assert "cos(0) = +1.00000" in cell_words(PositionsState(), 0, 63)


@pytest.mark.parametrize("state", [PositionsState(d_model=33, base=77.0), ROTARY], ids=["sinusoidal", "rotary"])
def test_the_words_of_any_cell_end_in_its_number(state: PositionsState) -> None:
    table = whole(state)
    for position, dimension in ((0, 0), (1, 1), (31, 17), (63, 32)):
        said = cell_words(state, position, dimension)
        number = float(re.findall(r"= ([+−]\d\.\d{5})", said)[0].replace("−", "-"))
        assert number == pytest.approx(table[position, dimension], abs=6e-6)


def test_rotary_names_the_two_dimensions_that_turn() -> None:
    assert "turns dimensions 9 and 41 by" in cell_words(ROTARY, 5, 41)


def test_a_learned_cell_says_where_it_comes_from() -> None:
    state = PositionsState(PositionKind.LEARNED, seed=3)
    assert "seed 3" in cell_words(state, 2, 2)
    assert wave_label(state, 4) == "dim 4, learned"


def test_the_words_of_a_bias_are_its_arithmetic() -> None:
    said = bias_words(PositionsState(PositionKind.ALIBI), 2, 40, 30)
    assert "−0.125 · 10 = −1.2500" in said
    assert "0.287" in said  # e^−1.25
    assert slope_words(1 / 256) == "1/256"
    assert slope_words(2**-0.5) == "0.7071"
