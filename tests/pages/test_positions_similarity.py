"""Similarity of positions: the numbers of the tutorials, and what depends on the offset alone."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.model import alibi_bias, learned_encoding, rotary, sinusoidal_encoding
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.similarity import SimilarityPicture, similarity_numbers, similarity_picture
from attention_explorer.pages.positions.state import Likeness, PositionsState, RotaryLayout
from attention_explorer.pages.positions.sums import encoding_products, rates_of, turned_products, wave_sums
from attention_explorer.pages.positions.table import contents, drawn, projections


def of(kind: PositionKind, **changes: object) -> SimilarityPicture:
    return similarity_picture(PositionsState(kind=kind, **changes))


def is_constant_along_diagonals(values: np.ndarray) -> bool:
    size = len(values)
    return all(np.ptp(np.diagonal(values, offset)) < 1e-9 for offset in range(1 - size, size))


# ---- The tutorials ----


def test_the_curve_has_the_numbers_of_the_tutorials() -> None:
    picture = of(PositionKind.SINUSOIDAL, length=1000)
    found = [picture.value_at(offset) for offset in (0, 1, 15, 19, 25)]
    np.testing.assert_allclose(found, [32.0, 30.91683166, 19.47006302, 19.97366077, 20.13468068], atol=5e-9)
    assert picture.rises[:6] == (6, 11, 12, 17, 18, 23)
    assert picture.first_negative == 725
    assert of(PositionKind.SINUSOIDAL, length=725).first_negative is None


def test_the_smallest_distance_is_that_of_neighbours() -> None:
    near = of(PositionKind.SINUSOIDAL, length=2000).nearest
    assert near is not None
    assert (near.first, near.second, near.every) == (0, 1, 1)
    assert round(near.distance, 4) == 1.4718


@pytest.mark.parametrize(("kind", "d_model"), [(PositionKind.LEARNED, 16), (PositionKind.SINUSOIDAL, 7)])
def test_the_smallest_distance_is_found_among_all_pairs(kind: PositionKind, d_model: int) -> None:
    from attention_explorer.model import learned_encoding

    near = of(kind, length=50, d_model=d_model).nearest
    rows = learned_encoding(50, d_model, 42) if kind is PositionKind.LEARNED else sinusoidal_encoding(50, d_model)
    pairs = {(i, j): np.linalg.norm(rows[i] - rows[j]) for i in range(50) for j in range(i + 1, 50)}
    best = min(pairs, key=pairs.__getitem__)
    assert near is not None
    assert (near.first, near.second) == best
    assert near.distance == pytest.approx(pairs[best], rel=1e-12)


# ---- Maps ----


@pytest.mark.parametrize("d_model", [2, 7, 64])
def test_the_maps_are_the_products_of_the_encoding(d_model: int) -> None:
    state = PositionsState(length=30, d_model=d_model, base=500.0)
    rows, (w_q, w_k) = sinusoidal_encoding(30, d_model, 500.0), projections(state)
    left, right = similarity_picture(state).maps
    np.testing.assert_allclose(left.values, rows @ rows.T, atol=1e-12)
    np.testing.assert_allclose(right.values, (rows @ w_q) @ (rows @ w_k).T, atol=1e-12)


def test_products_depend_on_the_offset_until_they_are_projected() -> None:
    picture = of(PositionKind.SINUSOIDAL)
    before, after = picture.spreads
    assert is_constant_along_diagonals(picture.maps[0].values)
    assert before.range < 1e-12
    along = np.diagonal(picture.maps[1].values, -1)  # p = p′ + 1
    assert after.range == pytest.approx(np.ptp(along))
    assert after.std == pytest.approx(along.std())
    assert after.range > 5.0


@pytest.mark.parametrize("layout", RotaryLayout)
@pytest.mark.parametrize("kind", [PositionKind.ROTARY, PositionKind.ALIBI, PositionKind.NONE, PositionKind.PARTIAL])
def test_what_sees_the_offset_alone_has_constant_diagonals_also_after_projections(
    kind: PositionKind, layout: RotaryLayout
) -> None:
    picture = of(kind, layout=layout, head=2)
    for map_, spread in zip(picture.maps, picture.spreads, strict=True):
        assert is_constant_along_diagonals(map_.values)
        assert spread.range < 1e-11


@pytest.mark.parametrize("layout", RotaryLayout)
def test_the_rotary_map_is_that_of_turned_vectors(layout: RotaryLayout) -> None:
    state = PositionsState(kind=PositionKind.ROTARY, length=20, d_model=8, layout=layout)
    query, key = contents(state)
    places = np.arange(20)
    q, k = (rotary(np.tile(x, (20, 1)), places, layout=layout.value) for x in (query, key))
    np.testing.assert_allclose(similarity_picture(state).maps[0].values, q @ k.T, atol=1e-12)
    np.testing.assert_allclose(similarity_picture(state).curve, q @ k[0], atol=1e-12)


def test_the_alibi_map_is_the_bias_of_the_chosen_head() -> None:
    picture = of(PositionKind.ALIBI, length=20, head=3)
    np.testing.assert_array_equal(picture.maps[0].values, alibi_bias(8, 20)[3])


@pytest.mark.parametrize("d_model", [16, 256])
def test_the_bias_of_alibi_is_added_to_a_score_that_is_divided_by_the_root_of_d_k(d_model: int) -> None:
    picture = of(PositionKind.ALIBI, length=20, head=3, d_model=d_model)
    (query, key), (w_q, w_k) = contents(picture.state), projections(picture.state)
    assert w_q.shape == w_k.shape
    score = sum((query @ w_q) * (key @ w_k)) / w_q.shape[1] ** 0.5
    np.testing.assert_allclose(picture.maps[1].values, alibi_bias(8, 20)[3] + score, rtol=0, atol=1e-9)


def test_rotary_of_an_odd_width_says_why_there_is_nothing() -> None:
    picture = of(PositionKind.ROTARY, d_model=7)
    assert "odd" in picture.reason
    assert similarity_numbers(picture) == {}


# ---- Distances ----


@pytest.mark.parametrize(
    ("kind", "d_model"), [(PositionKind.SINUSOIDAL, 64), (PositionKind.SINUSOIDAL, 7), (PositionKind.LEARNED, 16)]
)
def test_distances_are_those_of_the_vectors(kind: PositionKind, d_model: int) -> None:
    state = PositionsState(kind=kind, length=40, d_model=d_model, likeness=Likeness.DISTANCE)
    rows = sinusoidal_encoding(40, d_model) if kind is PositionKind.SINUSOIDAL else learned_encoding(40, d_model, 42)
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)
    picture = similarity_picture(state)
    np.testing.assert_allclose(picture.maps[0].values, apart, atol=1e-6)
    assert (np.diagonal(picture.maps[0].values) == 0).all()
    np.testing.assert_allclose(picture.curve, apart[0], atol=1e-6)
    falls = np.flatnonzero(np.diff(apart[0]) < -1e-8) + 1
    assert picture.rises == tuple(falls.tolist())
    assert picture.spreads[0].range == pytest.approx(np.ptp(np.diagonal(apart, -1)), abs=1e-9)
    assert picture.maps[0].scale.low == 0.0


def test_two_thousand_positions_are_all_distinct() -> None:
    picture = similarity_picture(PositionsState(length=2000, likeness=Likeness.DISTANCE))
    assert picture.curve is not None
    assert picture.curve[1:].min() == pytest.approx(1.4718, abs=5e-5)
    assert picture.nearest is not None
    assert picture.nearest.distance == picture.curve[1]


def test_products_and_distances_agree_on_the_nearest() -> None:
    by_product, by_distance = (similarity_picture(PositionsState(likeness=likeness)).nearest for likeness in Likeness)
    assert by_product == by_distance


@pytest.mark.parametrize("kind", [PositionKind.NONE, PositionKind.ROTARY, PositionKind.ALIBI, PositionKind.PARTIAL])
def test_what_has_no_vectors_has_no_distances(kind: PositionKind) -> None:
    first, second = (of(kind, likeness=likeness) for likeness in Likeness)
    assert not second.is_distance
    np.testing.assert_array_equal(first.maps[0].values, second.maps[0].values)
    assert "distances" not in similarity_numbers(second)


# ---- Sizes ----


@pytest.mark.parametrize("kind", PositionKind)
@pytest.mark.parametrize(("length", "d_model"), [(1, 2), (2, 2), (8192, 1024)])
def test_no_map_is_larger_than_its_pixels(kind: PositionKind, length: int, d_model: int) -> None:
    picture = similarity_picture(PositionsState(kind=kind, length=length, d_model=d_model), (400, 500))
    assert picture.positions is not None
    assert len(picture.positions) <= 250
    assert picture.positions[-1] < length
    assert all(map_.values.shape == (len(picture.positions),) * 2 for map_ in picture.maps)
    assert all(np.isfinite(map_.values).all() for map_ in picture.maps)


def test_sampled_maps_hold_the_numbers_of_their_positions() -> None:
    small = similarity_picture(PositionsState(length=300), (100, 100))
    whole = similarity_picture(PositionsState(length=300), (1024, 1024))
    assert small.step == 6
    for few, every in zip(small.maps, whole.maps, strict=True):
        np.testing.assert_allclose(few.values, every.values[::6, ::6], atol=1e-11)


def test_what_does_not_decide_the_picture_does_not_make_a_new_one() -> None:
    assert similarity_picture(PositionsState(position=3)) is similarity_picture(PositionsState(position=9))
    assert similarity_picture(PositionsState(seed=3)) is not similarity_picture(PositionsState(seed=9))


def test_the_numbers_begin_with_the_first_map() -> None:
    picture = of(PositionKind.SINUSOIDAL)
    arrays = similarity_numbers(picture)
    assert next(iter(arrays)) == "similarity"
    np.testing.assert_array_equal(arrays["similarity"], picture.maps[0].values)
    np.testing.assert_array_equal(arrays["curve"], picture.curve)


# ---- Sums of waves and random numbers ----


@pytest.mark.parametrize("count", [1, 2, 17, 100])
@pytest.mark.parametrize("first", [-40, 0, 3])
def test_wave_sums_are_the_sums(count: int, first: int) -> None:
    stream = np.random.default_rng(1)
    sines, cosines = stream.normal(size=(2, 3, 9))  # three sums at once
    angles = np.arange(first, first + count)[:, None] * rates_of(17, 50.0)
    wanted = np.sin(angles) @ sines.T + np.cos(angles) @ cosines.T
    np.testing.assert_allclose(wave_sums(sines, cosines, 17, 50.0, first, count), wanted.T, atol=1e-12)


@pytest.mark.parametrize("d_model", [1, 5, 64])
def test_encoding_products_are_those_with_the_whole_encoding(d_model: int) -> None:
    vector = np.random.default_rng(2).normal(size=d_model)
    wanted = sinusoidal_encoding(300, d_model, 77.0) @ vector
    np.testing.assert_allclose(encoding_products(vector, 77.0, 300), wanted, atol=1e-11)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_turned_products_are_those_of_rotary(layout: str) -> None:
    query, key = np.random.default_rng(3).normal(size=(2, 10))
    turned = rotary(np.tile(query, (41, 1)), np.arange(-20, 21), 300.0, layout)
    np.testing.assert_allclose(turned_products(query, key, 300.0, layout, -20, 41), turned @ key, atol=1e-12)


def test_random_numbers_have_streams_of_their_own() -> None:
    q, k = (drawn(42, name, 64, 64) for name in ("W_q of content", "W_k of content"))
    assert abs(np.corrcoef(q.ravel(), k.ravel())[0, 1]) < 0.06
    assert abs(np.corrcoef(q.ravel(), np.random.RandomState(42).randn(64, 64).ravel())[0, 1]) < 0.06
    w_q, _ = projections(PositionsState())
    assert w_q.std() == pytest.approx(1 / 8, rel=0.05)
    with pytest.raises(ValueError, match="read-only"):
        q[0, 0] = 1.0


def test_the_numbers_after_the_projections_are_another_map() -> None:
    picture = of(PositionKind.SINUSOIDAL, length=12, d_model=16)
    (w_q, w_k), rows = projections(picture.state), sinusoidal_encoding(12, 16)
    arrays = similarity_numbers(picture)
    np.testing.assert_allclose(arrays["similarity"], rows @ rows.T, atol=1e-12)
    np.testing.assert_allclose(arrays["after_projections"], (rows @ w_q) @ (rows @ w_k).T, atol=1e-12)
