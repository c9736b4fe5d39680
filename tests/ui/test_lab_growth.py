"""The curves of the price: n dragged along them, what every place and point says, and what was measured here."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of
from PySide6.QtCore import QPointF, QRectF, Qt

from attention_explorer.kit.items.plot_marks import Points
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lab.cost_growth import growth_picture
from attention_explorer.pages.lab.cost_state import CostState, Quantity, Scope
from attention_explorer.pages.lab.measure import MeasuredPoint, Measurement
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.ui.growth import CURVES, CostGrowth

POINTS = Measurement(
    64, Precision.FLOAT32, tuple(MeasuredPoint(n, (n * 1e-5, n * 2e-5)) for n in (256, 512, 1024, 2048))
)
PLAIN, MEASURED = CostGrowth(), CostGrowth(lambda: POINTS)
EVERY = [
    CostState(quantity=quantity, scope=scope, windowed=windowed, n=n)
    for quantity, scope, windowed, n in itertools.product(Quantity, Scope, (False, True), (1, 1024, 2**24))
]


@pytest.fixture
def shown(qtbot, hand) -> Callable[..., PictureOnCanvas]:
    return lambda picture=PLAIN, state=None: PictureOnCanvas(qtbot, hand, picture, state or CostState())


def test_a_place_says_the_curves_and_a_click_moves_n_there(shown) -> None:
    at = shown()
    layout = at.laid.layout
    place = QPointF(layout.place(4096, layout.up.low).x() + 2, layout.plot.center().y())
    assert at.point_at(place).startswith("n = 4096: 4·n²·d = 51.5 GFLOP, 8·n·d² + 4·n·d·d_ff = 58 GFLOP")
    at.click(place)
    assert at.state.n == 4096
    assert at.labels == ["Change n to 4096"]


def test_the_line_at_n_is_dragged_and_stays_under_the_pointer(shown) -> None:
    at = shown(state=CostState(n=2**17))
    layout = at.laid.layout
    foot = layout.plot.bottom() - 40
    at.mouse.press(QPointF(layout.place(2**17, layout.up.low).x(), foot))
    there = QPointF(layout.place(2**19, layout.up.low).x(), foot)
    at.mouse.move(there)
    assert at.state.n == 2**19
    assert at.laid.layout.across == layout.across
    at.mouse.release()
    assert at.laid.layout.across.high > layout.across.high
    at.mouse.press(QPointF(at.laid.layout.place(2**19, 1).x(), foot))
    at.mouse.move(QPointF(200, foot))
    at.key(Qt.Key.Key_Escape)
    assert at.state.n == 2**19


def test_a_press_beside_the_line_brings_it_there_and_it_follows(shown) -> None:
    at = shown()
    layout = at.laid.layout
    middle = layout.plot.center().y()
    at.mouse.press(QPointF(layout.place(4096, layout.up.low).x() + 2, middle))
    assert at.state.n == 4096
    at.mouse.move(QPointF(layout.place(2**14, layout.up.low).x() + 2, middle))
    assert at.state.n == 2**14
    at.mouse.release()
    at.mouse.move(QPointF(layout.place(256, layout.up.low).x(), middle))
    assert at.state.n == 2**14
    at.mouse.press(QPointF(layout.place(256, layout.up.low).x(), middle))
    at.key(Qt.Key.Key_Escape)
    assert at.state.n == 2**14


@pytest.mark.parametrize(("n", "is_said"), [(1024, True), (2048, False), (4608, False), (8192, True)])
def test_where_both_are_equal_is_written_where_the_step_leaves_room(shown, n, is_said) -> None:
    at = shown(state=CostState(n=n))
    assert ("equal at n = 4608" in [text.replace("\N{NO-BREAK SPACE}", " ") for text in at.texts()]) is is_said


def test_keys_double_and_halve_n(shown) -> None:
    at = shown(state=CostState(n=1))
    at.key(Qt.Key.Key_Left)
    assert at.state.n == 1
    at.key(Qt.Key.Key_Right)
    at.key(Qt.Key.Key_Right)
    assert at.state.n == 4


def test_places_near_a_power_of_two_are_that_and_others_have_two_digits(shown) -> None:
    at = shown()
    snap, layout = at.laid.item.snap, at.laid.layout
    assert [snap(n) for n in (1000, 1050, 3333.3, 1.2)] == [1024, 1024, 3300, 1.2]
    plot = at.laid.item
    for n in (64, 100, 1024, 3000, 100_000):
        assert layout.numbers(layout.place(n, layout.up.low))[0] == pytest.approx(n)
    square, flat = (numbers for numbers in plot.marks[:2])
    rises = [layout.place(1, curve.y[8]).y() - layout.place(1, curve.y[-8]).y() for curve in (square, flat)]
    assert rises[0] / rises[1] == pytest.approx(2.0)  # n² is twice as steep as n


def test_measured_points_stand_at_their_seconds_and_say_them(shown) -> None:
    at = shown(MEASURED)
    layout, numbers = at.laid.layout, at.canvas.picture
    place = layout.place(512, 512e-5 * numbers.per_second)
    assert at.point_at(place).startswith("Measured: n = 512, 5.12 ms, the fastest of 2 runs (the slowest 10.2 ms)")
    at.click(place)
    assert at.state.n == 1024  # a point is pinned, not gone to
    assert "measured here: one head, d_k = 64, float32" in at.texts()
    assert at.laid.item.right.low * numbers.per_second == pytest.approx(at.laid.item.up.low)
    assert "256→512 × 2.0, 512→1024 × 2.0" in " ".join(MEASURED.says(numbers)).replace("\N{NO-BREAK SPACE}", " ")
    marks = [mark for mark in at.laid.item.of(Points) if mark.name]
    assert [mark.is_filled for mark in marks] == [True]
    other = MEASURED.item(growth_picture(CostState(precision=Precision.FLOAT64), POINTS))
    assert [mark.is_filled for mark in other.of(Points) if mark.name] == [False]


@pytest.mark.parametrize("state", EVERY)
def test_everything_drawn_lies_in_the_plot(qapp, state) -> None:
    numbers = growth_picture(state, POINTS)
    layout = MEASURED.item(numbers).layout(Look(), QRectF(0, 0, 800, 540))
    inside = layout.plot.adjusted(-1, -1, 1, 1)
    for curve in numbers.curves:
        assert all(inside.contains(layout.place(*each)) for each in zip(numbers.lengths, curve.values, strict=True))
    for point in POINTS.points:
        assert all(inside.contains(layout.place(point.n, each * numbers.per_second)) for each in point.seconds)
    assert len(MEASURED.headline(numbers).split()) <= 10
    panel = MEASURED.panel(numbers)
    assert len(f"{MEASURED.headline(numbers)} {panel.title} {panel.sentence}".split()) <= 50


@pytest.mark.parametrize("state", [CostState(), CostState(windowed=True, window=4096, n=100_000), CostState(n=1)])
@pytest.mark.parametrize("size", [(800, 540), (640, 500), (360, 420)])
def test_words_have_room(qapp, state, size) -> None:
    assert faults_of(drawing_of(MEASURED, MEASURED.compute(state, (0, 0)), size), size) == []


def test_nothing_tells_the_answer_while_it_is_asked_for(shown) -> None:
    at = shown(MEASURED)
    at.canvas.withhold(True)
    assert at.texts() == [CURVES, "?"]
