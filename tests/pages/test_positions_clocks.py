"""Hands that turn: their angles, the shift, its matrix and the residual."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model.encodings import shift_matrix, sinusoidal_encoding
from attention_explorer.model.rotary import rotary
from attention_explorer.pages.positions.clocks import (
    MATRIX_SIDE,
    clock_words,
    clocks_picture,
    has_clocks,
    matrix_words,
    turn_text,
)
from attention_explorer.pages.positions.encoding import cell_words
from attention_explorer.pages.positions.kinds.registry import PositionKind, kind_of
from attention_explorer.pages.positions.said import row_of, row_sentence
from attention_explorer.pages.positions.state import PositionsState, RotaryLayout
from attention_explorer.pages.positions.table import dimensions_of_pair, encoding_at, reason_without_table

TILES = (400, 400)


def test_the_tip_of_every_hand_is_at_sine_and_cosine() -> None:
    picture = clocks_picture(PositionsState(length=100, position=37), TILES)
    row = sinusoidal_encoding(100, 64)[37]
    np.testing.assert_allclose(np.sin(picture.angles), row[0::2], atol=1e-12)
    np.testing.assert_allclose(np.cos(picture.angles), row[1::2], atol=1e-12)


def test_every_hand_advances_by_its_own_angle_whatever_the_position() -> None:
    pictures = [clocks_picture(PositionsState(length=200, position=p, shift=7), TILES) for p in (0, 5, 192)]
    for picture in pictures:
        np.testing.assert_array_equal(picture.advances, pictures[0].advances)
        np.testing.assert_allclose(picture.advances, 7 * picture.rates)
    assert pictures[0].advances[0] == 7.0


@pytest.mark.parametrize("position", [0, 10, 92])
def test_the_residual_is_rounding_alone(position: int) -> None:
    picture = clocks_picture(PositionsState(length=100, position=position, shift=7), TILES)
    assert picture.residual is not None
    assert picture.residual < 1e-13
    pe = sinusoidal_encoding(200, 64)
    expected = np.linalg.norm(pe[position + 7] - shift_matrix(7, 64) @ pe[position])
    assert picture.residual == pytest.approx(expected, abs=1e-15)


def test_the_matrix_is_that_of_the_shift_or_its_corner() -> None:
    small = clocks_picture(PositionsState(d_model=8, shift=3), TILES)
    assert small.matrix is not None
    np.testing.assert_array_equal(small.matrix.values, shift_matrix(3, 8))
    large = clocks_picture(PositionsState(d_model=256, shift=3), TILES)
    assert large.matrix is not None
    np.testing.assert_array_equal(large.matrix.values, shift_matrix(3, 256)[:MATRIX_SIDE, :MATRIX_SIDE])


@pytest.mark.parametrize("layout", RotaryLayout)
def test_the_matrix_of_rotary_turns_as_rotary_does(layout: RotaryLayout) -> None:
    state = PositionsState(PositionKind.ROTARY, d_model=8, shift=3, layout=layout, position=11)
    picture = clocks_picture(state, TILES)
    assert picture.matrix is not None
    x = np.random.RandomState(1).randn(8)
    turned = rotary(x[None], [3], layout=layout.value)[0]
    np.testing.assert_allclose(picture.matrix.values @ x, turned, atol=1e-12)
    assert picture.residual is not None
    assert 0 <= picture.residual < 1e-13


def test_an_odd_width_has_hands_and_no_matrix() -> None:
    picture = clocks_picture(PositionsState(d_model=7), TILES)
    assert picture.pairs == 4
    assert picture.matrix is None
    assert picture.residual is None
    assert "odd" in picture.residual_name


@pytest.mark.parametrize("kind", [PositionKind.NONE, PositionKind.LEARNED, PositionKind.ALIBI])
def test_other_kinds_say_why_they_have_no_clocks(kind: PositionKind) -> None:
    picture = clocks_picture(PositionsState(kind), TILES)
    assert picture.pairs == 0
    assert "clock" in picture.reason
    assert not has_clocks(PositionsState(kind))


def test_a_position_beyond_the_length_is_the_last() -> None:
    picture = clocks_picture(PositionsState(length=4, position=50, shift=50), TILES)
    assert (picture.position, picture.shift) == (3, 3)


# ---- Words ----


def test_the_words_of_a_hand() -> None:
    said = clock_words(clocks_picture(PositionsState(position=5, shift=3), TILES), 4)
    assert "dimensions 8 and 9" in said
    assert "1.581 rad (90.6°)" in said
    assert "advances it by 0.949 rad (54.4°), whatever the position" in said
    assert turn_text(2 * math.pi + 0.5) == "6.783 rad (1 turn + 28.6°)"


def test_the_words_of_the_matrix() -> None:
    picture = clocks_picture(PositionsState(shift=1, d_model=4), TILES)
    assert matrix_words(picture, 0, 0).endswith("+0.54030: cos(k·θ) of pair 0, k·θ = 1.0000")
    assert ": sin(k·θ)" in matrix_words(picture, 0, 1)
    assert ": −sin(k·θ)" in matrix_words(picture, 1, 0)
    assert "are not a pair" in matrix_words(picture, 0, 3)


# ---- The row and the verdict ----


def test_the_row_has_the_numbers_of_the_model_and_its_norm() -> None:
    state = PositionsState(position=1)
    assert row_of(state)[:6] == pytest.approx([0.841471, 0.540302, 0.681561, 0.731761, 0.533168, 0.846009], abs=5e-7)
    assert "5.6569 = √(64/2)" in row_sentence(state)
    for position in (0, 17, 63):
        row = sinusoidal_encoding(64, 64)[position]
        assert np.linalg.norm(row) == pytest.approx(math.sqrt(32), abs=1e-12)
        assert "5.6569" in row_sentence(PositionsState(position=position))


def test_every_kind_has_a_row_and_a_verdict() -> None:
    for kind in PositionKind:
        for d_model in (63, 64):
            state = PositionsState(kind, d_model=d_model)
            if kind is PositionKind.ALIBI or not reason_without_table(state):
                assert row_sentence(state).endswith(".")
            assert kind_of(state).verdict(state).text.endswith(".")
    of_alibi = PositionsState(PositionKind.ALIBI)
    assert "0.00674" in kind_of(of_alibi).verdict(of_alibi).text  # e^−5
    assert "0.962" in kind_of(of_alibi).verdict(of_alibi).text  # e^(−10/256)
    assert "47117" in kind_of(PositionsState()).verdict(PositionsState()).text


# ---- Partial rotary ----


@pytest.mark.parametrize("layout", RotaryLayout)
def test_the_slower_half_of_a_partial_rotary_stands_still(layout: RotaryLayout) -> None:
    state = PositionsState(PositionKind.PARTIAL, d_model=16, layout=layout, position=7, shift=3)
    whole = clocks_picture(replace(state, kind=PositionKind.ROTARY), (0, 0))
    found = clocks_picture(state, (0, 0))
    np.testing.assert_array_equal(found.angles, [*whole.angles[:4], 0, 0, 0, 0])
    np.testing.assert_array_equal(found.advances, [*whole.advances[:4], 0, 0, 0, 0])
    assert np.isinf(found.lengths[4:]).all()
    np.testing.assert_array_equal(found.lengths[:4], whole.lengths[:4])
    assert found.matrix is not None
    assert whole.matrix is not None
    still = [dimension for pair in range(4, 8) for dimension in dimensions_of_pair(state, pair)]
    turns = [dimension for pair in range(4) for dimension in dimensions_of_pair(state, pair)]
    np.testing.assert_array_equal(found.matrix.values[np.ix_(still, still)], np.eye(8))
    np.testing.assert_allclose(found.matrix.values[np.ix_(turns, turns)], whole.matrix.values[np.ix_(turns, turns)])
    rows = encoding_at(state, np.arange(20), np.asarray(sorted(still)))
    assert set(np.unique(rows).tolist()) == {0.0, 1.0}


def test_a_partial_rotary_sees_the_offset_alone_and_keeps_lengths() -> None:
    state = PositionsState(PositionKind.PARTIAL, d_model=16)
    kind, (q, k) = kind_of(state), np.random.RandomState(3).randn(2, 16)
    products = kind.products(state, q, k, -30, 61)
    for here, there in ((3, 1), (0, 29), (40, 12)):
        a, b = (kind.turned(state, row[None], np.asarray([float(at)]))[0] for row, at in ((q, here), (k, there)))
        assert float(a @ b) == pytest.approx(products[here - there + 30], abs=1e-12)
        assert np.linalg.norm(a) == pytest.approx(np.linalg.norm(q), abs=1e-12)
    still = replace(state, d_model=4, base=1e8)
    assert "not turned" in cell_words(still, 9, 1)
    assert "∞" in cell_words(still, 9, 3)
