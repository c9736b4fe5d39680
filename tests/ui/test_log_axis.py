"""Logarithmic axes of plots, round numbers on even ones, and the room around what is flat."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF

from attention_explorer.kit.drawing.log_axis import log_bounds, log_text, log_ticks
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import Axis, round_ticks, widened
from attention_explorer.kit.theme import Look


def test_equal_factors_are_equal_distances(qapp) -> None:
    plot = Plot("Plot", Axis(1.0, 512.0, "d_k", log=2), Axis(1e-3, 1.0, log=10), ())
    chart = plot.layout(Look(), QRectF(0, 0, 500, 300))

    def x(number: float) -> float:
        return chart.place(number, 1.0).x()

    def y(number: float) -> float:
        return chart.place(1.0, number).y()

    steps = [x(2.0 * d_k) - x(d_k) for d_k in (1.0, 8.0, 256.0)]
    assert steps == pytest.approx([steps[0]] * 3)
    assert x(1.0) == pytest.approx(chart.plot.left())
    assert x(512.0) == pytest.approx(chart.plot.right())
    assert y(0.01) - y(0.1) == pytest.approx(chart.plot.height() / 3)
    assert chart.numbers(chart.place(37.0, 0.1))[0] == pytest.approx(37.0)
    assert y(0.0) > chart.plot.bottom()


def test_ticks_are_powers() -> None:
    assert log_ticks(1.0, 512.0, 10, 2) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert log_ticks(0.9, 600.0, 5, 2) == [1, 4, 16, 64, 256]
    assert log_ticks(1e-6, 1.0, 4) == pytest.approx([1e-6, 1e-4, 1e-2, 1.0])
    assert log_ticks(0.8, 30.0, 5) == [1, 2, 5, 10, 20]
    assert log_ticks(3.1, 4.0, 5) == [3.1]


def test_ticks_are_written_short() -> None:
    assert [log_text(tick) for tick in (0.01, 50.0, 1e-8, 1e6, 1.0)] == ["0.01", "50", "10⁻⁸", "10⁶", "1"]


def test_bounds_leave_out_what_has_no_place() -> None:
    low, high = log_bounds([0.0, 1.0, 10.0, float("nan")], 1e-9)
    assert low < 1.0 < 10.0 < high
    assert low > 0.5
    assert log_bounds([], 1e-3)[0] > 0
    low, high = log_bounds([5.0, 5.0], 1e-3)
    assert high > 3 * low


def test_plots_above_one_another_begin_at_the_same_place(qapp) -> None:
    layouts = [
        Plot("Plot", Axis(0.0, 1.0), Axis(0.0, high), (), margin=90.0).layout(Look(), QRectF(0, 0, 400, 100))
        for high in (1.0, 123456.0)
    ]
    assert layouts[0].plot.left() == layouts[1].plot.left()


# ---- Even axes ----


def test_ticks_are_round() -> None:
    assert round_ticks(0.0, 1.0, 4) == [0.0, 0.5, 1.0]
    assert round_ticks(0.0, 0.3, 3) == [0.0, 0.1, 0.2, 0.3]
    assert round_ticks(-63.0, 63.0, 3) == [-50.0, 0.0, 50.0]
    assert round_ticks(2.0, 2.0, 3) == [2.0]


def test_what_is_flat_but_for_rounding_is_drawn_flat() -> None:
    low, high = widened(1.0, 1.0 + 1e-14)
    assert high - low > 0.5
    assert low < 1.0 < high
    assert widened(0.0, 1.0) == pytest.approx((-0.07, 1.07))


def test_all_ticks_are_written_where_that_is_asked_for() -> None:
    ticks = tuple((float(number), str(number)) for number in range(8))
    assert len(Axis(0.0, 7.0, ticks=ticks).written(4)) == 4
    assert Axis(0.0, 7.0, ticks=ticks, has_all=True).written(4) == list(ticks)
