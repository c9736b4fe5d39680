"""Ties, regions, hulls and fields, each against the slow way of finding it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.plane import (
    Extent,
    TieRay,
    Vector,
    convex_hull,
    equal_angle_rays,
    regions,
    tie_rays,
    weight_field,
)
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY, Entry, LookupState

quick = settings(max_examples=50, deadline=None)
DEFAULT = LookupState().keys
TURN = 2 * math.pi

# A coarse grid makes duplicates, zero keys, and keys in one line with each other likely.
COARSE = st.integers(-3, 3).map(float)
FINE = st.integers(-4000, 4000).map(lambda i: i / 1000)
KEYS = st.one_of(
    st.lists(st.tuples(COARSE, COARSE), min_size=1, max_size=12),
    st.lists(st.tuples(FINE, FINE), min_size=1, max_size=12),
).map(tuple)
ANGLES = st.floats(-math.pi, math.pi)

AWKWARD = [
    ((2.0, 0.2),),
    ((0.0, 0.0),),
    ((0.0, 0.0), (0.0, 0.0)),
    ((0.0, 0.0), (1.0, 1.0)),
    ((1.0, 1.0), (1.0, 1.0), (2.0, -1.0)),
    ((1.0, 0.0), (2.0, 0.0), (3.0, 0.0)),
    ((0.0, 1.0), (0.0, 2.0), (0.0, -1.0)),
    ((-1.0, -1.0), (0.0, 0.0), (1.0, 1.0), (2.0, 2.0)),
    ((1.0, -1.4), (1.0, 0.2), (1.0, 1.5)),
    ((-1.0, 3.0), (-1.0, 1.0), (-1.0, 2.0), (0.0, 0.0)),
    ((1e6, 1e6), (-1e6, 1e6), (0.0, -1e6)),
    ((1e-6, 0.0), (0.0, 1e-6), (-1e-6, -1e-6)),
]


def scores_at(keys: tuple[Vector, ...], angle: float) -> list[float]:
    return [x * math.cos(angle) + y * math.sin(angle) for x, y in keys]


def degrees(rays: tuple[TieRay, ...]) -> list[float]:
    return [math.degrees(ray.angle) for ray in rays]


def assert_regions_agree_with_arg_max(keys: tuple[Vector, ...], angle: float) -> None:
    size = max(max(abs(x), abs(y)) for x, y in keys)
    scores = scores_at(keys, angle)
    for region in regions(keys):
        inside = (angle - region.start) % TURN
        width = region.end - region.start
        # Within a hair of its edge the region is as good as its neighbour.
        if 1e-6 < inside < width - 1e-6:
            assert scores[region.winner] >= max(scores) - 1e-9 * size
            return


# ---- Ties ----


def test_the_tie_of_the_default() -> None:
    assert degrees(tie_rays(DEFAULT)) == pytest.approx([53.13010235415598 - 180, 53.13010235415598], abs=1e-10)
    for ray in tie_rays(DEFAULT):
        x, y = ray.direction
        assert ray.pair == (0, 1)
        assert 2.4 * x - 1.8 * y == pytest.approx(0, abs=1e-12)
        assert math.hypot(x, y) == pytest.approx(1)


def test_equal_angles_are_not_equal_scores() -> None:
    assert degrees(equal_angle_rays(DEFAULT)) == pytest.approx([53.5103 - 180, 53.5103], abs=1e-4)
    angles = [math.degrees(math.atan2(y, x)) for x, y in DEFAULT]
    assert degrees(equal_angle_rays(DEFAULT))[1] == pytest.approx(sum(angles) / 2), "the bisector"
    same_length = ((2.0, 0.0), (0.0, 2.0))
    assert degrees(equal_angle_rays(same_length)) == pytest.approx(degrees(tie_rays(same_length)))


def test_a_zero_key_has_no_equal_angles() -> None:
    assert equal_angle_rays((*DEFAULT, (0.0, 0.0))) == ()


def test_parallel_keys_have_equal_angles_everywhere() -> None:
    assert equal_angle_rays(((1.0, 1.0), (3.0, 3.0))) == ()
    assert len(tie_rays(((1.0, 1.0), (3.0, 3.0)))) == 2, "but their scores tie on a line"


@pytest.mark.parametrize("keys", [((2.0, 0.2),), ((0.0, 0.0),), ((1.0, 2.0),) * 3])
def test_where_nothing_competes_nothing_ties(keys: tuple[Vector, ...]) -> None:
    assert tie_rays(keys) == ()
    (region,) = regions(keys)
    assert region.winner == 0
    assert region.end - region.start == pytest.approx(TURN)


def test_only_the_winning_halves_of_tie_lines_are_drawn() -> None:
    # Three keys on a triangle around the origin: three boundaries, not three whole lines.
    keys = ((2.0, 0.0), (-1.0, 1.7), (-1.0, -1.7))
    rays = tie_rays(keys)
    assert len(rays) == 3
    assert {ray.pair for ray in rays} == {(0, 1), (0, 2), (1, 2)}
    inner = (*keys, (0.1, 0.1))
    assert tie_rays(inner) == rays, "a key that never wins changes nothing"


def assert_ties_hold(keys: tuple[Vector, ...]) -> None:
    size = max(max(abs(x), abs(y)) for x, y in keys)
    rays = tie_rays(keys)
    for ray in rays:
        scores = scores_at(keys, ray.angle)
        i, j = ray.pair
        assert scores[i] == pytest.approx(scores[j], abs=1e-9 * size)
        assert scores[i] == pytest.approx(max(scores), abs=1e-9 * size), "nobody beats the pair"
        assert math.dist(keys[i], keys[j]) > 0, "two equal keys are no boundary"
    assert list(rays) == sorted(rays, key=lambda ray: ray.angle)


@quick
@given(KEYS)
def test_on_a_tie_the_pair_is_level_and_unbeaten(keys: tuple[Vector, ...]) -> None:
    assert_ties_hold(keys)


@quick
@given(KEYS)
def test_there_are_as_many_boundaries_as_sides_of_the_hull(keys: tuple[Vector, ...]) -> None:
    # q·k is largest at a corner of the hull, and the winner changes where q stands square on a side.
    corners = convex_hull(keys)
    sides = 0 if len(corners) == 1 else len(corners)
    distinct = {round(ray.angle % TURN, 6) % round(TURN, 6) for ray in tie_rays(keys)}
    assert len(distinct) == sides


@pytest.mark.parametrize(
    ("keys", "count"),
    [(((1.0, 0.0), (1.0, 1.0), (1.0, -1.0)), 2), (((0.0, -1.0), (0.0, 1.0)), 2)],
    ids=["ray twice", "outside (−π, π]"],
)
def test_every_angle_is_above_minus_pi_and_found_once(keys: tuple[Vector, ...], count: int) -> None:
    rays = tie_rays(keys)
    assert all(-math.pi < ray.angle <= math.pi for ray in rays)
    assert len(rays) == count
    assert all(region.end - region.start > 1e-9 for region in regions(keys)), "no empty region"


# ---- Regions ----


def assert_regions_fill_the_circle(keys: tuple[Vector, ...]) -> None:
    found = regions(keys)
    assert math.fsum(region.end - region.start for region in found) == pytest.approx(TURN, abs=1e-9)
    for one, following in pairwise((*found, replace(found[0], start=found[0].start + TURN))):
        assert one.end == pytest.approx(following.start, abs=1e-9)
        assert one.end >= one.start
    assert all(0 <= region.winner < len(keys) for region in found)


@quick
@given(KEYS)
def test_regions_fill_the_circle_once(keys: tuple[Vector, ...]) -> None:
    assert_regions_fill_the_circle(keys)


@quick
@given(KEYS, st.lists(ANGLES, min_size=8, max_size=8))
def test_the_winner_of_a_region_is_the_arg_max_there(keys: tuple[Vector, ...], angles: list[float]) -> None:
    for angle in angles:
        assert_regions_agree_with_arg_max(keys, angle)


@pytest.mark.parametrize("keys", AWKWARD, ids=str)
def test_awkward_keys(keys: tuple[Vector, ...]) -> None:
    assert_ties_hold(keys)
    assert_regions_fill_the_circle(keys)
    for step in range(360):
        assert_regions_agree_with_arg_max(keys, math.radians(step + 0.123) - math.pi)


def test_the_winner_among_equal_keys_is_the_first() -> None:
    keys = ((1.0, 0.0), (-1.0, 0.0), (1.0, 0.0), (-1.0, 0.0))
    assert {region.winner for region in regions(keys)} == {0, 1}


def test_regions_are_what_hard_lookup_picks() -> None:
    state = replace(preset("descent").state, hard=True)
    for region in regions(state.keys):
        middle = (region.start + region.end) / 2
        frame = lookup_frame(state.moved(QUERY, (1.7 * math.cos(middle), 1.7 * math.sin(middle))))
        assert frame.weights[region.winner] == 1


# ---- The hull ----


def cross(a: Vector, b: Vector, p: Vector) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def corners_the_slow_way(points: tuple[Vector, ...]) -> set[Vector]:
    """Return the points that some triangle or segment of the others does not hold (whole numbers: exact)."""
    unique = sorted(set(points))
    if len(unique) <= 2:
        return set(unique)
    corners = set()
    for p in unique:
        others = [q for q in unique if q != p]
        # p is a corner if all others lie within less than half a turn, seen from p.
        angles = sorted(math.atan2(y - p[1], x - p[0]) for x, y in others)
        gaps = [b - a for a, b in pairwise([*angles, angles[0] + TURN])]
        if max(gaps) > math.pi + 1e-9:
            corners.add(p)
    return corners


@quick
@given(KEYS)
def test_hulls_the_slow_way(points: tuple[Vector, ...]) -> None:
    hull = convex_hull(points)
    assert set(hull) == corners_the_slow_way(points)
    assert len(set(hull)) == len(hull)


@quick
@given(KEYS)
def test_hulls_turn_left_and_hold_every_point(points: tuple[Vector, ...]) -> None:
    hull = convex_hull(points)
    assert set(hull) <= set(points), "every corner is one of the points"
    if len(hull) < 3:
        assert all(cross(hull[0], hull[-1], p) == pytest.approx(0, abs=1e-9) for p in points)
        return
    for i in range(len(hull)):
        a, b, c = hull[i], hull[(i + 1) % len(hull)], hull[(i + 2) % len(hull)]
        assert cross(a, b, c) > 0
        assert all(cross(a, b, p) >= -1e-9 for p in points)


def test_known_hulls() -> None:
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    assert convex_hull((*square, (0.5, 0.5), (0.5, 0.0), (1.0, 1.0))) == square
    assert convex_hull(((1.0, 2.0),) * 3) == ((1.0, 2.0),)
    assert set(convex_hull(((0.0, 0.0), (2.0, 2.0), (1.0, 1.0)))) == {(0.0, 0.0), (2.0, 2.0)}
    three = preset("three-keys").state.value_rows
    assert set(convex_hull(three)) == {(10.0, 0.0), (0.0, 10.0)}, "(5, 5) lies between the other two"  # type: ignore[arg-type]


# ---- The field ----


@pytest.mark.parametrize("temperature", [0.25, 1.0])
@pytest.mark.parametrize("scaled", [False, True])
def test_every_cell_of_the_field_is_a_lookup_at_its_centre(temperature: float, scaled: bool) -> None:
    keys = preset("descent").state.keys
    visible, columns, rows = Extent(-3.0, 5.0, -1.0, 2.0), 8, 6
    field = weight_field(keys, temperature, scaled, visible, columns, rows)
    assert field.shape == (rows, columns, len(keys))
    state = LookupState(entries=tuple(Entry(key, key, 0.0) for key in keys), temperature=temperature, scaled=scaled)
    for row in range(rows):
        for column in range(columns):
            centre = (-3.0 + column + 0.5, 2.0 - 0.5 * row - 0.25)
            there = lookup_frame(state.moved(QUERY, centre)).weights
            np.testing.assert_allclose(field[row, column], there, rtol=1e-12, atol=1e-15)


def test_the_field_is_level_on_the_tie() -> None:
    (_, ray) = tie_rays(DEFAULT)
    x, y = ray.direction
    spot = Extent(x - 1e-9, x + 1e-9, y - 1e-9, y + 1e-9)
    assert weight_field(DEFAULT, 1.0, False, spot, 1, 1)[0, 0].tolist() == pytest.approx([0.5, 0.5], abs=1e-8)
