"""Places on a colour bar: monotone, at the right spots, and never outside of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attention_explorer.core.map_picture import (
    LOWEST_LOG,
    ColourScale,
    Contrast,
    ScaleKind,
    score_scale,
    short_number,
    weight_scale,
)

weights = arrays.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(0, 1))
scores = arrays.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(width=64))


def nothing(shape: tuple[int, ...]) -> np.ndarray:
    return np.zeros(shape, bool)


def scale_of(contrast: Contrast, values: np.ndarray) -> ColourScale:
    return weight_scale(contrast, values, nothing(values.shape))


@given(weights, st.sampled_from(list(Contrast)))
@settings(max_examples=150, deadline=None)
def test_larger_weights_stand_higher_and_all_on_the_bar(values: np.ndarray, contrast: Contrast) -> None:
    positions = scale_of(contrast, values).positions(values)
    assert positions.shape == values.shape
    assert (positions >= 0).all()
    assert (positions <= 1).all()
    rows = zip(values, positions, strict=True) if contrast is Contrast.ROW else [(values.ravel(), positions.ravel())]
    for numbers, places in rows:
        order = np.argsort(numbers)
        assert (np.diff(places[order]) >= 0).all()


@given(scores)
@settings(max_examples=150, deadline=None)
def test_scores_of_any_size_stand_on_the_bar_in_order(values: np.ndarray) -> None:
    scale = score_scale(values, "score")
    positions = scale.positions(values)
    assert ((positions >= 0) & (positions <= 1)).all()
    known = values[~np.isnan(values)]
    order = np.argsort(known)
    assert (np.diff(scale.positions(known)[order]) >= 0).all()
    np.testing.assert_array_equal(positions[values == 0], 0.5)


# ---- Linear ----


def test_from_0_to_1_a_weight_is_its_own_place() -> None:
    values = np.array([[0.0, 0.1, 0.25], [0.5, 0.9, 1.0]])
    scale = scale_of(Contrast.UNIT, values)
    np.testing.assert_array_equal(scale.positions(values), values)
    assert scale.badge == ""
    assert scale.ticks() == ((0.0, "0"), (1.0, "1"))
    assert scale.title == "weight"


def test_up_to_the_largest_weight() -> None:
    values = np.array([[0.0, 0.1], [0.2, 0.4]])
    scale = scale_of(Contrast.MAX, values)
    np.testing.assert_allclose(scale.positions(values), [[0.0, 0.25], [0.5, 1.0]])
    assert scale.ticks() == ((0.0, "0"), (1.0, "0.4"))
    assert scale.badge == "colours end at 0.4, the largest weight"


def test_what_is_masked_does_not_count() -> None:
    values, masked = np.array([[0.9, 0.3], [0.2, 0.1]]), np.array([[True, False], [False, False]])
    assert weight_scale(Contrast.MAX, values, masked).high == 0.3
    assert weight_scale(Contrast.MAX, values, np.ones((2, 2), bool)).high == 1.0


@pytest.mark.parametrize("contrast", Contrast)
@pytest.mark.parametrize("values", [np.zeros((3, 4)), np.zeros((0, 0)), np.zeros((2, 0))], ids=["0", "none", "no keys"])
def test_a_map_of_zeros_stands_at_the_low_end(contrast: Contrast, values: np.ndarray) -> None:
    scale = scale_of(contrast, values)
    np.testing.assert_array_equal(scale.positions(values), np.zeros(values.shape))
    assert scale.low < scale.high == 1.0


@pytest.mark.parametrize("contrast", [Contrast.MAX, Contrast.PERCENTILE])
def test_where_the_largest_weight_is_1_nothing_needs_to_be_said(contrast: Contrast) -> None:
    assert scale_of(contrast, np.ones((2, 2))).badge == ""


def test_the_percentile_leaves_the_top_out() -> None:
    values = np.append(np.linspace(0.0, 0.098, 99), 0.9)[None, :]
    scale = scale_of(Contrast.PERCENTILE, values)
    ordered = np.sort(values.ravel())
    place = 0.98 * 99  # between two of the hundred numbers
    lower = math.floor(place)
    expected = ordered[lower] + (place - lower) * (ordered[lower + 1] - ordered[lower])
    assert scale.high == pytest.approx(expected)
    assert scale.positions(values)[0, -1] == 1.0, "what lies beyond stands at the end"
    assert scale.badge == f"colours end at {short_number(scale.high)}, the 98th percentile"


# ---- Per row, log ----


def test_per_row_each_largest_is_at_the_end() -> None:
    values = np.array([[0.2, 0.4, 0.0], [0.0, 0.0, 0.0], [1.0, 0.5, 0.25]])
    scale = scale_of(Contrast.ROW, values)
    np.testing.assert_allclose(scale.positions(values), [[0.5, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.5, 0.25]])
    assert "each row is divided by its largest" in scale.badge
    assert scale.ticks() == ((0.0, "0"), (1.0, "row’s largest"))


def test_the_log_scale_goes_from_a_ten_thousandth_to_1() -> None:
    values = np.array([[0.0, 1e-9, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]])
    scale = scale_of(Contrast.LOG, values)
    np.testing.assert_allclose(scale.positions(values), [[0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0]], atol=1e-15)
    assert scale.low == LOWEST_LOG
    assert scale.ticks() == ((0.0, "0.0001"), (0.25, "0.001"), (0.5, "0.01"), (0.75, "0.1"), (1.0, "1"))
    assert "powers of ten from 0.0001 to 1" in scale.badge


# ---- Scores ----


def test_the_scale_of_scores_ends_at_the_one_furthest_from_0() -> None:
    scale = score_scale(np.array([[-5.0, 2.0], [np.inf, -np.inf]]), "score")
    assert (scale.low, scale.high) == (-5.0, 5.0)


def test_scores_have_0_in_the_middle() -> None:
    values = np.array([[-2.0, 0.0, 4.0, -np.inf, -4.0]])
    scale = score_scale(values, "scaled score")
    assert scale.is_diverging
    assert (scale.low, scale.high, scale.title) == (-4.0, 4.0, "scaled score")
    np.testing.assert_allclose(scale.positions(values), [[0.25, 0.5, 1.0, 0.0, 0.0]])
    assert scale.ticks() == ((0.0, "−4"), (0.5, "0"), (1.0, "+4"))


@pytest.mark.parametrize(
    "values", [np.zeros((2, 2)), np.full((2, 2), -np.inf), np.zeros((0, 3)), np.full((1, 1), np.nan)]
)
def test_scores_without_a_size_have_a_scale_all_the_same(values: np.ndarray) -> None:
    scale = score_scale(values, "score")
    assert (scale.low, scale.high) == (-1.0, 1.0)
    expected = np.where(np.isneginf(values), 0.0, 0.5)
    np.testing.assert_array_equal(scale.positions(values), expected)


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1.0, 1e300, 1.7e308])
def test_scores_of_every_size_find_their_places(size: float) -> None:
    values = np.array([[-size, 0.0, size, np.inf, -np.inf, np.nan]])
    np.testing.assert_array_equal(score_scale(values, "score").positions(values), [[0.0, 0.5, 1.0, 1.0, 0.0, 0.5]])


# ---- Words ----


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (-3.0, "−3"),
        (0.35, "0.35"),
        (12.44, "12.4"),
        (-0.12345, "−0.123"),
        (999_999.0, "999999"),
        (4080.4, "4080"),
        (-1234.56, "−1235"),
        (12_345_678.0, "1.2·10⁷"),
        (-12_345_678.5, "−1.2·10⁷"),
        (2e-9, "2.00·10⁻⁹"),
        (-4.5e-5, "−4.50·10⁻⁵"),
    ],
)
def test_short_numbers(number: float, text: str) -> None:
    assert short_number(number) == text


def test_a_bar_that_ends_just_below_one_does_not_end_at_one() -> None:
    scale = scale_of(Contrast.MAX, np.array([[0.9998, 0.0002]]))
    assert scale.badge == "colours end at 1.00, the largest weight"
    assert scale.ticks()[1] == (1.0, "1.00")
    assert scale_of(Contrast.MAX, np.array([[1.0, 0.0]])).ticks()[1] == (1.0, "1")


def test_a_bar_that_ends_below_a_ten_thousandth_does_not_end_at_nothing() -> None:
    scale = scale_of(Contrast.PERCENTILE, np.array([[2e-5, 2e-5, 2e-5]]))
    assert scale.ticks()[-1] == (1.0, "2.00·10⁻⁵")
    assert scale.badge == "colours end at 2.00·10⁻⁵, the 98th percentile"


def test_the_end_can_have_a_name() -> None:
    scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "weight", end="each map’s largest")
    assert scale.ticks() == ((0.0, "0"), (1.0, "each map’s largest"))


def test_a_bar_whose_ends_are_the_same_has_places_all_the_same() -> None:
    flat = ColourScale(ScaleKind.LINEAR, 1.0, 1.0, "weight")
    np.testing.assert_array_equal(flat.positions(np.array([[0.0, 1.0, 2.0]])), [[0.0, 0.5, 1.0]])
