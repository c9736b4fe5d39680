"""The plane: extents, the way from units to pixels and back, ticks, and what a constrained drag does."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attention_explorer.pages.lookup.plane import (
    LARGEST_COORDINATE,
    LARGEST_SPAN,
    SMALLEST_SPAN,
    Extent,
    PlaneTransform,
    Vector,
    along,
    around,
    snapped,
    tick_step,
    ticks,
)

quick = settings(max_examples=50, deadline=None)

HOME = Extent(-3.0, 3.0, -2.0, 2.0)

COORDINATES = st.floats(-1e3, 1e3)
VECTORS = st.tuples(COORDINATES, COORDINATES)
SPANS = st.floats(1e-3, 1e4)
PIXELS = st.floats(50, 4000)


@st.composite
def extents(draw: st.DrawFn) -> Extent:
    left, bottom = draw(VECTORS)
    return Extent(left, left + draw(SPANS), bottom, bottom + draw(SPANS))


# ---- Extents ----


def test_extent_measures_itself() -> None:
    extent = Extent(-1.0, 5.0, 2.0, 4.0)
    assert (extent.width, extent.height, extent.centre) == (6.0, 2.0, (2.0, 3.0))


def test_shifting_moves_every_side() -> None:
    assert HOME.shifted(1.0, -0.5) == Extent(-2.0, 4.0, -2.5, 1.5)


@quick
@given(extents(), VECTORS, st.floats(0.1, 10))
def test_zoom_keeps_the_point_where_it_is(extent: Extent, about: Vector, factor: float) -> None:
    zoomed = extent.zoomed(factor, about)
    assert zoomed.width == pytest.approx(extent.width / factor, abs=1e-9)
    assert zoomed.height == pytest.approx(extent.height / factor, abs=1e-9)
    # The share of the picture to the left of and below the point is what "still" means on the screen.
    for low, size, old_low, old_size, point in (
        (zoomed.left, zoomed.width, extent.left, extent.width, about[0]),
        (zoomed.bottom, zoomed.height, extent.bottom, extent.height, about[1]),
    ):
        share, old_share = (point - low) / size, (point - old_low) / old_size
        assert share == pytest.approx(old_share, rel=1e-6, abs=1e-6)


@quick
@given(extents(), VECTORS, st.floats(0.2, 5))
def test_zooming_out_again_comes_back(extent: Extent, about: Vector, factor: float) -> None:
    back = extent.zoomed(factor, about).zoomed(1 / factor, about)
    assert (back.left, back.top) == pytest.approx((extent.left, extent.top), abs=1e-8)


@quick
@given(st.tuples(*[st.floats(-1e12, 1e12)] * 2), st.floats(1e-6, 1e12), st.floats(0.1, 10))
def test_a_view_is_held_where_it_can_be_drawn(at: Vector, width: float, shape: float) -> None:
    wish = Extent(at[0], at[0] + width, at[1], at[1] + width * shape)
    assume(wish.width > 0 and wish.height > 0)
    held = wish.held()
    assert max(map(abs, held.centre)) <= LARGEST_COORDINATE * (1 + 1e-9)
    assert held.span <= LARGEST_SPAN * (1 + 1e-9)
    assert held.span >= 0.9 * held.smallest_span
    possible = max(map(abs, wish.centre)) <= LARGEST_COORDINATE and wish.smallest_span <= wish.span <= LARGEST_SPAN
    assert (held == wish) is possible


@pytest.mark.parametrize(("at", "factor"), [((0.25, -0.5), 1.5), ((9e5, -9e5), 1.5), ((0.25, -0.5), 1 / 1.5)])
def test_pixels_of_the_narrowest_and_the_widest_view_are_different_places(at: Vector, factor: float) -> None:
    extent = HOME.shifted(*at)
    for _ in range(200):
        extent = extent.zoomed(factor, extent.centre)
    view = PlaneTransform.fitting(extent, 3840, 2160)
    across = [view.to_plane(x, 0)[0] for x in range(3841)]
    assert len(set(across)) == len(across)


def test_a_view_wider_than_its_limit_can_be_narrowed() -> None:
    """It is when the window becomes wider after the plane was seen from as far away as it goes."""
    wide = Extent(-LARGEST_SPAN, LARGEST_SPAN, -1.0, 1.0)
    assert wide.zoomed(1.2, (0.0, 0.0)).span < wide.span
    assert wide.zoomed(1 / 1.2, (0.0, 0.0)) is wide


@pytest.mark.parametrize("factor", [2.0, 0.5])
def test_zoom_stops_at_its_limits(factor: float) -> None:
    extent = HOME
    for _ in range(200):
        before, extent = extent, extent.zoomed(factor, (0.25, -0.5))
        assert SMALLEST_SPAN <= max(extent.width, extent.height) <= LARGEST_SPAN
    assert extent is before, "at the limit the extent stays as it is"
    assert extent.zoomed(1 / factor, (0.25, -0.5)) != extent, "the way back is open"


# ---- Units and pixels ----


def test_pixels_start_at_the_top_left_and_grow_downwards() -> None:
    view = PlaneTransform.fitting(HOME, 600, 400)
    assert view.pixels_per_unit == 100
    assert view.to_pixels(-3, 2) == (0, 0)
    assert view.to_pixels(3, -2) == (600, 400)
    assert view.to_pixels(0, 0) == (300, 200)
    assert view.to_pixels(1.4, 0.6) == pytest.approx((440, 140))


@quick
@given(extents(), PIXELS, PIXELS, st.floats(0, 1), st.floats(0, 1))
def test_pixels_and_units_are_inverse(extent: Extent, width: float, height: float, across: float, down: float) -> None:
    view = PlaneTransform.fitting(extent, width, height)
    pixel = across * width, down * height
    assert view.to_pixels(*view.to_plane(*pixel)) == pytest.approx(pixel, abs=1e-3)
    point = extent.left + across * extent.width, extent.bottom + down * extent.height
    assert view.to_plane(*view.to_pixels(*point)) == pytest.approx(point, rel=1e-9, abs=1e-9)


@quick
@given(extents(), PIXELS, PIXELS, st.floats(0, 20))
def test_fitting_shows_the_extent_inside_the_margin_and_no_smaller_than_it_must(
    extent: Extent, width: float, height: float, margin: float
) -> None:
    view = PlaneTransform.fitting(extent, width, height, margin)
    left, top = view.to_pixels(extent.left, extent.top)
    right, bottom = view.to_pixels(extent.right, extent.bottom)
    gaps = left, top, width - right, height - bottom
    assert min(gaps) == pytest.approx(margin, abs=1e-3), "the tighter side has exactly the margin"
    assert (left, top) == pytest.approx((width - right, height - bottom), abs=1e-3), "the extent is in the middle"
    one, other = view.to_pixels(0, 0), view.to_pixels(1, 1)
    assert other[0] - one[0] == pytest.approx(one[1] - other[1]), "a unit is as long on both axes"


@quick
@given(extents(), PIXELS, PIXELS, st.floats(0, 20))
def test_what_is_visible_contains_what_was_fitted(extent: Extent, width: float, height: float, margin: float) -> None:
    visible = PlaneTransform.fitting(extent, width, height, margin).visible
    slack = 1e-9 * max(1.0, visible.width, visible.height, abs(extent.left), abs(extent.bottom))
    assert visible.left <= extent.left + slack
    assert visible.right >= extent.right - slack
    assert visible.bottom <= extent.bottom + slack
    assert visible.top >= extent.top - slack
    assert visible.width / visible.height == pytest.approx(width / height, rel=1e-6)


def test_a_window_smaller_than_its_margins_still_has_a_scale() -> None:
    assert PlaneTransform.fitting(HOME, 10, 10, margin=40).pixels_per_unit > 0


# ---- Ticks ----


@pytest.mark.parametrize(
    ("pixels_per_unit", "at_least", "step"),
    [
        (100, 50, 0.5),
        (100, 100, 1),
        (100, 101, 2),
        (100, 200, 2),
        (100, 201, 5),
        (100, 500, 5),
        (100, 501, 10),
        (1000, 100, 0.1),
        (40, 60, 2),
        (1e-3, 50, 5e4),
        (1e6, 50, 5e-5),
    ],
)
def test_tick_steps(pixels_per_unit: float, at_least: float, step: float) -> None:
    assert tick_step(pixels_per_unit, at_least) == pytest.approx(step, rel=1e-12)


@quick
@given(st.floats(1e-4, 1e8), st.floats(20, 200))
def test_tick_step_is_the_smallest_of_1_2_5_that_is_wide_enough(pixels_per_unit: float, at_least: float) -> None:
    step = tick_step(pixels_per_unit, at_least)
    mantissa = float(f"{step:e}".split("e")[0])
    assert mantissa in (1, 2, 5)
    assert step * pixels_per_unit >= at_least * (1 - 1e-9)
    next_smaller = step / 2.5 if mantissa == 5 else step / 2
    assert next_smaller * pixels_per_unit < at_least * (1 + 1e-9)


@pytest.mark.parametrize(
    ("low", "high", "step", "expected"),
    [
        (-3.0, 3.0, 1.0, [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]),
        (-0.25, 0.35, 0.1, [-0.2, -0.1, 0.0, 0.1, 0.2, 0.3]),
        (0.91, 1.16, 0.05, [0.95, 1.0, 1.05, 1.1, 1.15]),
        (-7.0, 11.0, 5.0, [-5.0, 0.0, 5.0, 10.0]),
        (120.0, 420.0, 100.0, [200.0, 300.0, 400.0]),
        (1.1, 1.9, 1.0, []),
        (-1e-6, 1e-6, 1e-6, [-1e-6, 0.0, 1e-6]),
    ],
)
def test_ticks(low: float, high: float, step: float, expected: list[float]) -> None:
    assert ticks(low, high, step) == expected


def test_no_tick_is_minus_zero() -> None:
    (zero,) = [x for x in ticks(-0.5, 0.5, 0.1) if x == 0]
    assert math.copysign(1, zero) == 1


def test_a_tick_on_the_edge_of_the_picture_is_kept() -> None:
    assert ticks(-0.3, 0.3, 0.1) == [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]


@quick
@given(st.integers(-500, 500), st.integers(1, 60), st.sampled_from([1, 2, 5]), st.integers(-4, 3))
def test_ticks_are_the_floats_nearest_to_their_decimals(first: int, count: int, mantissa: int, power: int) -> None:
    step = Fraction(mantissa) * Fraction(10) ** power
    low, high = (first - Fraction(1, 3)) * step, (first + count - Fraction(2, 3)) * step
    found = ticks(float(low), float(high), mantissa * 10.0**power)
    assert found == [float((first + i) * step) for i in range(count)]


# ---- Constrained drags ----


@pytest.mark.parametrize(
    ("position", "grid", "expected"),
    [
        ((1.37, -0.52), 0.1, (1.4, -0.5)),
        ((0.299999, 0.700001), 0.1, (0.3, 0.7)),
        ((1.373, -0.526), 0.01, (1.37, -0.53)),
        ((1.6, -2.4), 1.0, (2.0, -2.0)),
        ((0.0, 0.0), 0.1, (0.0, 0.0)),
        ((1e6, -1e6), 0.1, (1e6, -1e6)),
    ],
)
def test_snapping(position: Vector, grid: float, expected: Vector) -> None:
    assert snapped(position, grid) == expected


@quick
@given(VECTORS)
def test_snapped_numbers_are_what_a_person_would_type(position: Vector) -> None:
    for number, snap in zip(position, snapped(position), strict=True):
        assert abs(snap - number) <= 0.05 + 1e-9
        assert float(f"{snap:.1f}") == snap
        assert snap != 0 or math.copysign(1, snap) == 1
    assert snapped(snapped(position)) == snapped(position)


@quick
@given(VECTORS, VECTORS.filter(lambda v: math.hypot(*v) > 1e-3))
def test_along_keeps_the_direction_and_comes_nearest(position: Vector, direction: Vector) -> None:
    x, y = along(position, direction)
    length = math.hypot(*direction)
    assert (x * direction[1] - y * direction[0]) / length == pytest.approx(0, abs=1e-9), "on the line"
    assert x * direction[0] + y * direction[1] >= 0, "on the ray, not behind it"
    reached = math.dist(position, (x, y))
    for other in (0.0, 0.5, 0.99, 1.01, 2.0):
        assert reached <= math.dist(position, (other * x, other * y)) + 1e-9


def test_along_stops_at_the_origin() -> None:
    assert along((-3.0, 0.5), (2.0, 0.0)) == (0.0, 0.0)
    assert along((3.0, 4.0), (10.0, 0.0)) == (3.0, 0.0)


def test_along_nothing_leaves_the_position_free() -> None:
    assert along((1.5, -2.0), (0.0, 0.0)) == (1.5, -2.0)


@quick
@given(VECTORS.filter(lambda v: math.hypot(*v) > 1e-3), st.floats(0, 1e3))
def test_around_keeps_the_length_and_takes_the_angle(position: Vector, length: float) -> None:
    x, y = around(position, length)
    assert math.hypot(x, y) == pytest.approx(length, rel=1e-12, abs=1e-12)
    if length > 1e-3:
        assert math.atan2(y, x) == pytest.approx(math.atan2(position[1], position[0]), abs=1e-9)


def test_around_the_origin_points_right() -> None:
    assert around((0.0, 0.0), 2.5) == (2.5, 0.0)
    assert around((3.0, 4.0), 0.0) == (0.0, 0.0)


@quick
@given(VECTORS)
def test_a_drag_that_moves_nothing_moves_nothing(position: Vector) -> None:
    length = math.hypot(*position)
    assert along(position, position) == pytest.approx(position, rel=1e-9, abs=1e-12)
    if length > 1e-3:
        assert around(position, length) == pytest.approx(position, rel=1e-12)
