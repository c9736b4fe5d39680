"""Positional encodings against the reference, against plain Python, and by what must hold for all of them."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    alibi_bias,
    alibi_slopes,
    causal_mask,
    learned_encoding,
    rotary,
    shift_matrix,
    sinusoidal_encoding,
    sinusoidal_rows,
    wavelengths,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference_positions.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-10, "atol": 1e-12}
Array = np.ndarray
quick = settings(max_examples=100, deadline=None)

# At 300 an angle is known to 6e-14, so what follows from it is compared to 1e-11.
places = st.floats(-300.0, 300.0)
bases = st.floats(1.0, 1e8)
even_widths = st.integers(0, 12).map(lambda half: 2 * half)
layouts = st.sampled_from(["half", "interleaved"])


def queries_and_keys(width: int) -> st.SearchStrategy[Array]:
    return hnp.arrays(np.float64, (2, width), elements=st.floats(-3.0, 3.0))


# ---- Sinusoidal ----


def test_sinusoidal_reference() -> None:
    case = REFERENCE["positional_encoding"]
    encoding = sinusoidal_encoding(*case["shape"])
    for row, expected in case["rows"].items():
        np.testing.assert_allclose(encoding[int(row)], expected, **CLOSE)
    for product in case["dot_PE0_PEk"]:
        np.testing.assert_allclose(encoding[0] @ encoding[product["k"]], product["value"], **CLOSE)
    odd = case["odd_d_model"]
    for row, expected in odd["rows"].items():
        np.testing.assert_allclose(sinusoidal_rows([int(row)], odd["d"])[0], expected, **CLOSE)


def test_the_numbers_of_the_tutorials() -> None:
    similarity = sinusoidal_encoding(1000, 64) @ sinusoidal_encoding(1, 64)[0]
    numbers = {1: 30.917, 19: 19.974, 25: 20.135, 15: 19.470}
    assert {k: round(float(similarity[k]), 3) for k in numbers} == numbers
    assert np.argmax(similarity < 0.0) == 725
    rises = np.flatnonzero(np.diff(similarity[:24]) > 0.0) + 1
    assert rises.tolist() == [6, 11, 12, 17, 18, 23]
    waves = wavelengths(64)
    assert (waves.shape, round(waves[0], 3), round(waves[-1])) == ((32,), 6.283, 47117)


@pytest.mark.parametrize("d_model", [0, 1, 2, 7, 64])
@pytest.mark.parametrize("base", [0.5, 1.0, 10000.0])
def test_a_clock_comes_round_after_its_wavelength(d_model: int, base: float) -> None:
    waves = wavelengths(d_model, base)
    assert waves.shape == ((d_model + 1) // 2,)
    for clock, wave in enumerate(waves):
        assert wave == pytest.approx(2.0 * math.pi * base ** (2 * clock / d_model), rel=1e-13)
        hand = slice(2 * clock, 2 * clock + 2)
        here, round_once, half_way = sinusoidal_rows([3.0, 3.0 + wave, 3.0 + wave / 2.0], d_model, base)[:, hand]
        np.testing.assert_allclose(round_once, here, atol=1e-11)
        np.testing.assert_allclose(half_way, -here, atol=1e-11)


def test_rows_are_those_of_the_whole_in_any_order_and_of_any_type() -> None:
    whole = sinusoidal_encoding(5000, 6)
    np.testing.assert_array_equal(sinusoidal_rows([4097, 0, 7], 6), whole[[4097, 0, 7]])
    np.testing.assert_array_equal(sinusoidal_rows(np.array([4097.0, 7.0], np.float32), 6), whole[[4097, 7]])
    assert sinusoidal_rows([], 6).shape == (0, 6)
    assert sinusoidal_rows([-1.5], 2)[0].tolist() == pytest.approx([math.sin(-1.5), math.cos(1.5)])


@quick
@given(places, places, places, even_widths, bases)
def test_products_depend_on_the_offset_alone(p: float, q: float, k: float, d_model: int, base: float) -> None:
    at = sinusoidal_rows([p, p + k, q, q + k], d_model, base)
    np.testing.assert_allclose(at[0] @ at[1], at[2] @ at[3], atol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(at, axis=1), math.sqrt(d_model / 2), rtol=1e-13)


# ---- Shift ----


def test_shift_reference() -> None:
    case = REFERENCE["pe_shift"]
    rotation = shift_matrix(case["k"], case["d"])
    np.testing.assert_allclose(rotation, case["R_k"], **CLOSE)
    for check in case["checks"]:
        np.testing.assert_allclose(rotation @ check["PE_pos"], check["PE_pos_plus_k"], **CLOSE)


@quick
@given(places, places, even_widths, bases)
def test_a_shift_moves_every_position(p: float, k: float, d_model: int, base: float) -> None:
    here, there = sinusoidal_rows([p, p + k], d_model, base)
    np.testing.assert_allclose(shift_matrix(k, d_model, base) @ here, there, atol=1e-11)


@quick
@given(places, places, even_widths, bases)
def test_shifts_are_rotations_that_add_up(a: float, b: float, d_model: int, base: float) -> None:
    by_a, by_b = shift_matrix(a, d_model, base), shift_matrix(b, d_model, base)
    np.testing.assert_allclose(by_a @ by_a.T, np.eye(d_model), atol=1e-13)
    assert np.linalg.det(by_a) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(by_a @ by_b, shift_matrix(a + b, d_model, base), atol=1e-11)
    np.testing.assert_allclose(shift_matrix(-a, d_model, base), by_a.T, atol=1e-13)


def test_no_shift_is_the_identity() -> None:
    np.testing.assert_array_equal(shift_matrix(0, 6), np.eye(6))


# ---- Learned ----


def test_learned_encoding_is_the_first_numbers_of_its_seed() -> None:
    encoding = learned_encoding(3, 2, seed=42)
    first = [0.4967141530112327, -0.13826430117118466, 0.6476885381006925, 1.5230298564080254]  # RandomState(42)
    np.testing.assert_allclose(encoding.ravel()[:4], [0.02 * number for number in first], rtol=1e-13)
    np.testing.assert_allclose(learned_encoding(3, 2, 42, std=1.5), encoding * 75.0, rtol=1e-13)
    np.testing.assert_array_equal(learned_encoding(9, 2, 42)[:3], encoding)
    assert (learned_encoding(3, 2, 43) != encoding).all()
    assert not learned_encoding(3, 2, 42, std=0.0).any()


# ---- Rotary ----


def test_rotary_reference() -> None:
    case = REFERENCE["rope"]
    half = rotary(case["X"], case["positions"], case["base"])
    interleaved = rotary(case["X"], case["positions"], case["base"], layout="interleaved")
    np.testing.assert_allclose(half, case["rotate_half_gpt_neox"], **CLOSE)
    np.testing.assert_allclose(interleaved, case["interleaved_gpt_j"], **CLOSE)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_rotary_scores_of_the_reference(layout: str) -> None:
    case = REFERENCE["rope"]["relative_property"]
    for score in case["scores"]:
        query = rotary([case["q"]], [score["m"]], layout=layout)[0]
        key = rotary([case["k"]], [score["n"]], layout=layout)[0]
        np.testing.assert_allclose(query @ key, score[layout], **CLOSE)


def test_rotary_turns_pairs_as_complex_numbers() -> None:
    x = np.random.default_rng(5).normal(size=(2, 3, 4, 10))
    positions = np.array([0.0, -2.5, 31.0, 7.0])
    turns = np.exp(1j * positions[:, None] * 500.0 ** (-np.arange(0, 10, 2) / 10))
    interleaved = rotary(x, positions, 500.0, "interleaved")
    np.testing.assert_allclose(
        interleaved[..., 0::2] + 1j * interleaved[..., 1::2], (x[..., 0::2] + 1j * x[..., 1::2]) * turns, **CLOSE
    )
    half = rotary(x, positions, 500.0)
    np.testing.assert_allclose(half[..., :5] + 1j * half[..., 5:], (x[..., :5] + 1j * x[..., 5:]) * turns, **CLOSE)


@quick
@given(st.data(), places, places, st.floats(-100.0, 100.0), bases, layouts)
def test_rotary_scores_depend_on_the_offset_alone(
    data: st.DataObject, m: float, n: float, moved: float, base: float, layout: str
) -> None:
    rows = data.draw(even_widths.flatmap(queries_and_keys))
    query, key = rotary(rows, [m, n], base, layout)
    later_query, later_key = rotary(rows, [m + moved, n + moved], base, layout)
    np.testing.assert_allclose(later_query @ later_key, query @ key, atol=1e-10)
    lengths = np.linalg.norm(rows, axis=1)
    np.testing.assert_allclose(np.linalg.norm([query, key], axis=1), lengths, rtol=1e-12, atol=1e-150)
    np.testing.assert_allclose(rotary([query, key], [-m, -n], base, layout), rows, atol=1e-11)


@quick
@given(even_widths.flatmap(queries_and_keys), places, bases)
def test_the_layouts_are_one_rotation_in_another_order(rows: Array, m: float, base: float) -> None:
    width = rows.shape[1]
    order = np.arange(width).reshape(2, width // 2).T.ravel()  # 0, d/2, 1, d/2 + 1, …
    positions = [m, 1.0]
    interleaved = rotary(rows[:, order], positions, base, "interleaved")
    np.testing.assert_array_equal(interleaved, rotary(rows, positions, base, "half")[:, order])


def test_a_shift_turns_the_other_way_round_than_rotary() -> None:
    """The encoding keeps (sine, cosine), so that advancing it is a clockwise turn of the pair."""
    encoding = sinusoidal_encoding(5, 8)
    np.testing.assert_allclose(rotary(encoding, [-3.0] * 5, layout="interleaved"), encoding @ shift_matrix(3, 8).T)


def test_rotary_keeps_single_precision_and_its_argument() -> None:
    x = np.ones((2, 4), np.float32)
    turned = rotary(x, np.array([5000, 5001]))
    assert turned.dtype == np.float32
    np.testing.assert_array_equal(turned, rotary(np.ones((2, 4)), [5000, 5001]).astype(np.float32))
    np.testing.assert_array_equal(x, 1.0)
    assert rotary(np.zeros((0, 4)), []).shape == (0, 4)


# ---- ALiBi ----


def test_slopes_reference() -> None:
    for heads, expected in REFERENCE["alibi"]["slopes"].items():
        np.testing.assert_allclose(alibi_slopes(int(heads)), expected, **CLOSE)


def paper_slopes(heads: int) -> list[float]:
    """The recipe as its authors wrote it, by recursion."""
    if heads & (heads - 1) == 0:
        start = 2.0 ** (-(2.0 ** -(math.log2(heads) - 3)))
        return [start * start**i for i in range(heads)]
    closest = 2 ** math.floor(math.log2(heads))
    return paper_slopes(closest) + paper_slopes(2 * closest)[0::2][: heads - closest]


@pytest.mark.parametrize("heads", range(1, 66))
def test_slopes_are_those_of_the_paper(heads: int) -> None:
    np.testing.assert_allclose(alibi_slopes(heads), paper_slopes(heads), **CLOSE)


def test_slopes_by_hand() -> None:
    assert alibi_slopes(0).shape == (0,)
    assert alibi_slopes(1).tolist() == [2.0**-8]
    assert alibi_slopes(6).tolist() == [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8, 2.0**-1, 2.0**-3]
    assert alibi_slopes(16)[[0, 1, 15]].tolist() == [math.sqrt(0.5), 0.5, 2.0**-8]


def test_bias_reference() -> None:
    case = REFERENCE["alibi"]["bias_head0_n4"]
    bias = alibi_bias(case["heads"], 4)[0]
    np.testing.assert_allclose(np.where(causal_mask(4), bias, -np.inf), np.array(case["bias"], float), **CLOSE)


@pytest.mark.parametrize(("heads", "n_q", "n_k"), [(8, 4, 4), (12, 1, 6), (3, 5, 2), (2, 0, 3), (0, 2, 2)])
def test_bias_pair_by_pair(heads: int, n_q: int, n_k: int) -> None:
    bias, slopes = alibi_bias(heads, n_q, n_k), alibi_slopes(heads)
    assert bias.shape == (heads, n_q, n_k)
    for head, i, j in np.ndindex(bias.shape):
        assert bias[head, i, j] == -slopes[head] * abs(i + n_k - n_q - j)


def test_a_key_at_the_place_of_its_query_is_not_lowered() -> None:
    diagonal = np.diagonal(alibi_bias(6, 5), axis1=1, axis2=2)
    assert not diagonal.any()
    assert not np.signbit(diagonal).any()
    np.testing.assert_array_equal(alibi_bias(6, 2, 5), alibi_bias(6, 5)[:, -2:])


# ---- What cannot be ----

ONE = np.ones((1, 2))


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (sinusoidal_encoding, (3, 1024, 5e-324), "base 5e-324 takes the angles beyond the range of float64"),
        (sinusoidal_rows, ([0, math.nan], 4), r"positions of shape \(2,\) holds nan"),
        (sinusoidal_rows, (3.0, 4), r"positions has shape \(\), but must be \(n,\)"),
        (wavelengths, (-2,), "d_model must be an integer"),
        (wavelengths, (4, -1.0), "base must be above 0, not -1.0"),
        (wavelengths, (10**5, 1.79e308), "wavelengths beyond the range"),
        (shift_matrix, (3, 7), "d_model must be even for a shift matrix, not 7: .*; choose 6 or 8"),
        (shift_matrix, (math.inf, 4), "offset must be one finite number, not inf"),
        (shift_matrix, (1, 4, 0), "base must be above 0, not 0"),
        (learned_encoding, (3, 4, -1), "seed must be an integer of at least 0, not -1"),
        (learned_encoding, (3, 4, 2**32), "seed must be at most 4294967295, not 4294967296"),
        (learned_encoding, (3, 4.0, 1), "d_model must be an integer"),
        (learned_encoding, (3, 4, 1, -0.1), "std must be at least 0, not -0.1"),
        (learned_encoding, (9, 9, 1, 1.7e308), "std 1.7e.308 takes the encoding beyond the range"),
        (rotary, (np.ones((2, 3)), [0, 1]), "the number of features d must be even, not 3"),
        (rotary, (np.ones((5, 2, 4)), [0, 1, 2]), r"positions has shape \(3,\), but x .*: it must be \(2,\)"),
        (rotary, (ONE, [0], 1e4, "neox"), """layout must be "half" or "interleaved", not 'neox'"""),
        (rotary, (ONE, [0], math.nan), "base must be one finite number"),
        (rotary, ([1.0, 2.0], [0]), r"x has shape \(2,\), but must be \(\.\.\., n, d\)"),
        (rotary, (np.full((1, 2), 3e38, np.float32), [1.0]), "beyond the range of float32: scale it down"),
        (rotary, (ONE * 1.7e308, [1.0]), r"x of shape \(1, 2\) turns beyond the range of float64"),
        (alibi_slopes, (2.5,), "heads must be an integer"),
        (alibi_bias, (2, 3, -1), "n_k must be an integer of at least 0"),
    ],
)
def test_what_cannot_be_is_refused_in_words(function: Any, arguments: Any, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        function(*arguments)
