"""The softmax bench: sound weights, broken ones, and the wrong axis."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_explorer.errors import ExplorerError
from attention_explorer.model.softmax import softmax
from attention_explorer.pages.lab.bench import (
    Fault,
    bench_headline,
    bench_numbers,
    bench_picture,
    parsed_rows,
    rows_text,
)
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.scores_state import LARGEST_SCORE, BenchState

ROWS = ((0.13, -0.13, 0.64, 0.10), (-0.54, 0.36, 1.30, 0.95), (-0.70, -1.27, -0.62, 0.04))
scores = st.lists(st.floats(-30, 30), min_size=1, max_size=8).map(tuple)


@pytest.mark.parametrize(
    ("gap", "slope"), [(0, 0.25), (1, 0.1966), (2, 0.1050), (5, 6.65e-3), (10, 4.54e-5), (20, 2.06e-9)]
)
def test_the_gradient_vanishes_with_the_gap(gap: float, slope: float) -> None:
    picture = bench_picture(BenchState(((float(gap), 0.0),)))
    assert picture.gap == gap
    assert picture.slope == pytest.approx(slope, rel=5e-3)
    assert picture.jacobian[0, 0] == pytest.approx(slope, rel=5e-3)
    assert np.interp(gap, picture.gaps, picture.slopes) == pytest.approx(slope, rel=0.02)


@given(scores)
def test_weights_are_those_of_the_model_and_its_jacobian_that_of_small_steps(row: tuple[float, ...]) -> None:
    picture = bench_picture(BenchState((row,)))
    np.testing.assert_allclose(picture.weights[0], softmax(np.array(row)), rtol=1e-12, atol=0)
    assert picture.row_sums[0] == pytest.approx(1.0)
    steps = 1e-6 * np.eye(len(row))
    slopes = (softmax(np.array(row) + steps) - softmax(np.array(row) - steps)) / 2e-6  # row j: by score j
    np.testing.assert_allclose(picture.jacobian, slopes.T, rtol=0, atol=1e-9)


@given(scores, st.floats(-500, 500))
def test_a_constant_changes_nothing(row: tuple[float, ...], constant: float) -> None:
    moved = bench_picture(BenchState((row,), shift=constant)).weights
    np.testing.assert_allclose(moved, bench_picture(BenchState((row,))).weights, rtol=1e-10, atol=1e-300)


def test_a_constant_on_one_row_of_the_wrong_axis_changes_all() -> None:
    still, moved = (bench_picture(BenchState(ROWS, shift=shift, over_queries=True)).weights for shift in (0.0, 3.0))
    assert np.all(moved[0] > still[0] + 0.1)
    assert np.all(moved[1:] < still[1:])


@pytest.mark.parametrize(
    ("row", "precision", "fault"),
    [
        ((1000.0, 1001.0, 1002.0), Precision.FLOAT64, Fault.NAN),
        ((709.5, 709.4), Precision.FLOAT64, Fault.SILENT),
        ((-800.0, -801.0), Precision.FLOAT64, Fault.NAN),
        ((89.0, 1.0), Precision.FLOAT32, Fault.NAN),
        ((88.7, 88.6), Precision.FLOAT32, Fault.SILENT),
        ((12.0, 9.0, 4.0), Precision.FLOAT16, Fault.NAN),
        ((11.0, 10.9), Precision.FLOAT16, Fault.SILENT),
        ((709.0, 1.0), Precision.FLOAT64, Fault.NONE),
        ((11.0, 1.0), Precision.FLOAT16, Fault.NONE),
    ],
)
def test_what_goes_wrong_without_subtracting_goes_well_with_it(
    row: tuple[float, ...], precision: Precision, fault: Fault
) -> None:
    bad = bench_picture(BenchState((row,), precision=precision, subtract_max=False))
    assert bad.fault is fault
    if fault is Fault.SILENT:
        assert bad.weights.tolist() == [[0.0, 0.0]]
        assert not bad.jacobian.any()
    if fault is Fault.NAN:
        assert np.isnan(bad.weights).any()
        assert bench_headline(bad).endswith(" NaN.")
    good = bench_picture(BenchState((row,), precision=precision))
    assert good.fault is Fault.NONE
    rounding = {Precision.FLOAT16: 2e-2, Precision.FLOAT32: 1e-6, Precision.FLOAT64: 1e-13}[precision]
    np.testing.assert_allclose(good.weights[0], softmax(np.array(row)), rtol=0, atol=rounding)


def test_subtracting_changes_no_weight_of_ordinary_scores() -> None:
    row = (2.0, -1.5, 0.25, 7.0)
    with_, without = (bench_picture(BenchState((row,), subtract_max=on)).weights for on in (True, False))
    np.testing.assert_allclose(with_, without, rtol=0, atol=1.2e-16)


def test_exp_overflows_where_it_is_said_to() -> None:
    for precision, limit in ((Precision.FLOAT16, 11.09), (Precision.FLOAT32, 88.72), (Precision.FLOAT64, 709.78)):
        assert precision.exp_limit == pytest.approx(limit, abs=5e-3)
        kind = np.dtype(precision.value).type
        with np.errstate(over="ignore"):
            assert np.isfinite(np.exp(kind(0.999 * limit)))
            assert np.isinf(np.exp(kind(1.001 * limit)))


@pytest.mark.parametrize(
    ("rows", "row", "settings"),
    [
        (((2.0, 1.0),), 0, {}),
        (((2.0, 2.0),), 0, {"precision": Precision.FLOAT16}),
        (((88.5, 1.0),), 0, {"precision": Precision.FLOAT32}),
        (((709.7, 1.0),), 0, {}),
        (((2.0, -1.0),), 0, {"shift": 600.0, "factor": 3.0}),
        (((2.0, -1.0),), 0, {"shift": -600.0, "precision": Precision.FLOAT32}),
        (((1.0, 2.0), (600.0, 1.0)), 0, {}),
        (((1.0, 2.0), (600.0, 1.0)), 0, {"over_queries": True}),
    ],
)
def test_the_sum_overflows_from_the_factor_that_is_named(
    rows: tuple[tuple[float, ...], ...], row: int, settings: dict[str, object]
) -> None:
    bench = BenchState(rows, row, subtract_max=False, **settings)
    picture = bench_picture(bench)
    named = picture.failing_factor()
    assert np.isfinite(picture.totals[row]).all()
    assert named > bench.factor
    rounding = 4e-3 if bench.precision is Precision.FLOAT16 else 1e-6
    for factor, is_finite in ((named * (1 - rounding), True), (named * (1 + rounding), False)):
        totals = bench_picture(replace(bench, factor=factor)).totals[row]
        assert np.isfinite(totals).all() == is_finite
    assert bench_picture(BenchState(((-2.0, 0.0),))).failing_factor() == math.inf


def test_along_the_wrong_axis_columns_sum_to_1_and_rows_do_not() -> None:
    wrong, right = (bench_picture(BenchState(ROWS, over_queries=on)) for on in (True, False))
    np.testing.assert_allclose(wrong.column_sums, 1.0)
    np.testing.assert_allclose(wrong.row_sums, (1.396, 1.963, 0.640), atol=5e-3)
    np.testing.assert_allclose(right.row_sums, 1.0)
    np.testing.assert_allclose(wrong.weights, softmax(np.array(ROWS), axis=0))
    np.testing.assert_allclose(wrong.totals, wrong.totals[:1].repeat(3, axis=0))


def test_along_the_wrong_axis_keys_do_not_compete() -> None:
    step, table = 1e-6, np.array(ROWS)
    picture = bench_picture(BenchState(ROWS, row=1, over_queries=True))
    for key in range(4):
        up, down = table.copy(), table.copy()
        up[1, key] += step
        down[1, key] -= step
        slopes = (softmax(up, axis=0) - softmax(down, axis=0))[1] / (2 * step)
        np.testing.assert_allclose(picture.jacobian[:, key], slopes, atol=1e-9)


def test_multiplying_comes_before_adding_and_adding_concerns_one_row() -> None:
    bench = BenchState(((1.0, 2.0), (3.0, 4.0)), row=1, factor=10.0, shift=0.5)
    assert bench.scores().tolist() == [[10.0, 20.0], [30.5, 40.5]]


def test_a_dragged_score_ends_where_it_is_dragged() -> None:
    bench = BenchState(((1.0, 2.0), (3.0, 4.0)), row=1, factor=2.0, shift=-5.0).with_score(0, 9.0)
    assert bench.scores()[1, 0] == 9.0
    assert bench.rows == ((1.0, 2.0), (7.0, 4.0))
    assert bench.key == 0
    assert BenchState(((1.0,),)).with_score(0, 1e9).rows == ((LARGEST_SCORE,),)


def test_a_row_or_key_beyond_the_last_is_the_last() -> None:
    bench = BenchState(((1.0, 2.0),), row=3, key=7)
    assert (bench.row_shown, bench.key_shown) == (0, 1)


def test_one_key_has_no_gap() -> None:
    picture = bench_picture(BenchState(((3.0,),)))
    assert math.isnan(picture.gap)
    assert picture.weights.tolist() == [[1.0]]


# ---- Typing ----


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("2, 1, 0", ((2.0, 1.0, 0.0),)),
        ("2 1 −3.5", ((2.0, 1.0, -3.5),)),
        ("1,2;3,4;", ((1.0, 2.0), (3.0, 4.0))),
        ("1e-3", ((0.001,),)),
    ],
)
def test_scores_are_read(text: str, rows: tuple[tuple[float, ...], ...]) -> None:
    assert parsed_rows(text) == rows
    assert parsed_rows(rows_text(rows)) == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one"),
        (" ; ", "at least one"),
        ("1, two", "two"),
        ("1, 2; 3", "2, 1"),
        ("1 2 3 4 5 6 7 8 9", "8 scores"),
        ("1;1;1;1;1;1;1", "6 rows"),
        ("99999", "out of range"),
        ("inf", "finite"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(ExplorerError, match=said):
        parsed_rows(text)


def test_numbers_to_take_away() -> None:
    picture = bench_picture(BenchState(ROWS))
    numbers = bench_numbers(picture)
    assert next(iter(numbers)) == "weights"
    np.testing.assert_allclose(numbers["exponentials"] / numbers["totals"], numbers["weights"])


def test_what_little_gradient_is_left_is_not_rounded_to_0() -> None:
    picture = bench_picture(BenchState(((160.0, 0.0),)))
    assert picture.slope == pytest.approx(math.exp(-160.0), rel=1e-9)
    assert math.isnan(bench_picture(BenchState(((1000.0, 0.0),), subtract_max=False)).slope)
    assert bench_picture(BenchState(((3.0,),))).slope == 0.0
