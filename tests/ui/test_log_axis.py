"""Logarithmic axes of charts, and charts that stand above one another."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF

from attention_explorer.kit.drawing.curve_chart import Axis, aligned, chart_layout
from attention_explorer.kit.drawing.log_axis import log_bounds, log_text, log_ticks
from attention_explorer.kit.theme import Look


def test_equal_factors_are_equal_distances(qapp) -> None:
    chart = chart_layout(
        Look(), QRectF(0, 0, 500, 300), Axis(1.0, 512.0, "d_k", log_base=2), Axis(1e-3, 1.0, log_base=10)
    )
    steps = [chart.x(2.0 * d_k) - chart.x(d_k) for d_k in (1.0, 8.0, 256.0)]
    assert steps == pytest.approx([steps[0]] * 3)
    assert chart.x(1.0) == pytest.approx(chart.plot.left())
    assert chart.x(512.0) == pytest.approx(chart.plot.right())
    assert chart.y(0.01) - chart.y(0.1) == pytest.approx(chart.plot.height() / 3)
    assert chart.number_at(chart.x(37.0)) == pytest.approx(37.0)
    assert chart.y(0.0) > chart.plot.bottom()


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


def test_charts_above_one_another_begin_at_the_same_place(qapp) -> None:
    look = Look()
    charts = [
        chart_layout(look, QRectF(0, top, 400, 100), Axis(0.0, 1.0), Axis(0.0, high))
        for top, high in ((0, 1.0), (100, 123456.0))
    ]
    assert charts[0].plot.left() != charts[1].plot.left()
    one, other = aligned(charts)
    assert one.plot.left() == other.plot.left() == max(chart.plot.left() for chart in charts)
    assert one.plot.right() == other.plot.right()
