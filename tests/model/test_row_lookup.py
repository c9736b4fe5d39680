"""A row of a head as a lookup: the plane gives the head's own numbers back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ArrayError
from attention_explorer.model import QueryKeyMap, Stage, causal_mask, rotary
from attention_explorer.model.principal import principal_plane
from attention_explorer.model.row_lookup import row_lookup, row_query


def softmax_by_loop(scores: list[float], temperature: float) -> list[float]:
    largest = max(scores)
    if largest == -math.inf:
        return [0.0] * len(scores)
    parts = [math.exp((score - largest) / temperature) for score in scores]
    return [part / sum(parts) for part in parts]


def random_head(seed: int, n_q: int, n_k: int, d: int, dtype: type = np.float64, **options: object) -> QueryKeyMap:
    rng = np.random.default_rng(seed)
    q, k = (rng.normal(size=(n, d)).astype(dtype) for n in (n_q, n_k))
    return QueryKeyMap(q, k, **options)  # type: ignore[arg-type]


@st.composite
def heads(draw: st.DrawFn) -> tuple[QueryKeyMap, int, np.ndarray]:
    n_q, n_k, d = draw(st.integers(1, 5)), draw(st.integers(1, 20)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    bias = rng.normal(size=(n_q, n_k))
    bias[rng.random((n_q, n_k)) < 0.1] = -np.inf
    options = {
        "mask": draw(st.sampled_from([None, causal_mask(n_q, n_k), rng.random((n_q, n_k)) < 0.3])),
        "bias": draw(st.sampled_from([None, bias])),
        "scale": draw(st.sampled_from([None, 1.0, -0.5, 0.0])),
        "temperature": draw(st.sampled_from([1.0, 0.3])),
    }
    if draw(st.booleans()):
        options = {name: value for name, value in options.items() if name == "mask"}
    q, k = rng.normal(size=(n_q, d)), rng.normal(size=(n_k, d))
    q[rng.random(n_q) < 0.1] = 0.0
    return QueryKeyMap(q, k, **options), draw(st.integers(0, n_q - 1)), rng.normal(size=(n_k, 4))  # type: ignore[arg-type]


@given(heads())
@settings(max_examples=200, deadline=None)
def test_scores_and_weights_of_the_plane_are_the_heads_own(drawn: tuple[QueryKeyMap, int, np.ndarray]) -> None:
    map_, row, v = drawn
    found = row_lookup(map_, row, v)
    scaled, masked, weights = map_.scores(row, stage="scaled"), map_.scores(row, stage="masked"), map_.weights(row)
    assert found.query[1] == 0.0
    assert found.query[0] == pytest.approx(np.linalg.norm(map_.q[row]) * map_.scale, rel=1e-14)
    products = [float(key[0] * found.query[0] + key[1] * found.query[1]) for key in found.keys]
    np.testing.assert_allclose(products, scaled, rtol=1e-12, atol=0.0)
    scores = [
        p + float(b) if seen else -math.inf for p, b, seen in zip(products, found.bias, found.allowed, strict=True)
    ]
    np.testing.assert_allclose(scores, masked, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(softmax_by_loop(scores, map_.temperature), weights, rtol=1e-12, atol=1e-300)
    np.testing.assert_array_equal(found.allowed, map_.allowed(row))
    np.testing.assert_array_equal(found.weights, weights)
    np.testing.assert_array_equal(found.scores_at(found.query), masked)


@given(heads(), st.tuples(*[st.floats(-5, 5)] * 2))
@settings(max_examples=100, deadline=None)
def test_a_dragged_query_is_a_query_of_the_head(
    drawn: tuple[QueryKeyMap, int, np.ndarray], point: tuple[float, float]
) -> None:
    map_, row, v = drawn
    if map_.scale == 0.0:
        return
    found = row_lookup(map_, row, v, named=3)
    moved = np.array(point) @ found.key_directions / map_.scale
    q = np.repeat(moved[None], map_.n_q, axis=0)
    hidden = np.where(found.allowed, found.bias, -np.inf)
    same = QueryKeyMap(q, map_.k, bias=hidden[None], scale=map_.scale, temperature=map_.temperature)
    np.testing.assert_allclose(found.scores_at(point), same.scores(row, stage="masked"), rtol=1e-9, atol=1e-11)
    at = found.weights_at(point)
    weights = same.weights(row)
    np.testing.assert_allclose(at.heaviest, weights[found.heaviest], atol=1e-10)
    assert at.rest == pytest.approx(sum(float(weights[j]) for j in found.rest), abs=1e-10)
    assert at.output is not None
    assert found.value_directions is not None
    np.testing.assert_allclose(at.output, found.value_directions @ same.output(v)[row], atol=1e-9)
    if len(found.rest) and at.rest > 1e-6:
        mean = sum(weights[j] * found.keys[j] for j in found.rest) / at.rest
        np.testing.assert_allclose(at.rest_key, mean, atol=1e-8)


def test_twelve_keys_are_named_and_the_rest_is_counted() -> None:
    map_ = random_head(0, 1, 40, 8, mask=np.arange(40)[None] != 7)
    found = row_lookup(map_, 0, np.eye(40))
    weights = map_.weights(0)
    expected = sorted((j for j in range(40) if j != 7), key=lambda j: (-weights[j], j))
    assert found.heaviest.tolist() == expected[:12]
    assert found.rest.tolist() == sorted(expected[12:])
    at = found.weights_at(found.query)
    np.testing.assert_array_equal(at.heaviest, weights[expected[:12]])
    assert at.rest == pytest.approx(1.0 - sum(weights[expected[:12]]))
    np.testing.assert_allclose(at.output, found.value_directions @ map_.output(np.eye(40))[0], atol=1e-15)


def test_all_keys_go_on_counting_when_the_query_is_turned_round() -> None:
    found = row_lookup(random_head(1, 1, 30, 4), 0)
    at = found.weights_at(-10.0 * found.query)
    assert at.rest > 0.99
    assert at.rest + at.heaviest.sum() == pytest.approx(1.0)
    assert at.rest_value is None
    assert at.output is None


def test_the_rest_stands_somewhere_when_it_weighs_nothing() -> None:
    map_ = QueryKeyMap([[1.0]], [[5000.0], [0.0], [1.0]], scale=1.0)
    found = row_lookup(map_, 0, np.eye(3), named=1)
    at = found.weights_at(found.query)
    assert at.rest == 0.0
    assert at.rest_key == pytest.approx([1.0 / (1.0 + math.exp(-1.0)), 0.0])


def test_few_keys_leave_no_rest() -> None:
    found = row_lookup(random_head(2, 3, 5, 4), 1, np.ones((5, 2)))
    assert len(found.heaviest) == 5
    at = found.weights_at((1.0, 1.0))
    assert at.rest == 0.0
    assert at.rest_key is None
    assert at.rest_value is None


def test_a_row_that_sees_nothing_weighs_nothing() -> None:
    found = row_lookup(random_head(0, 2, 3, 2, mask=np.array([[True] * 3, [False] * 3])), 1, np.eye(3))
    assert len(found.heaviest) == len(found.rest) == 0
    at = found.weights_at((1.0, 2.0))
    assert at.heaviest.shape == (0,)
    assert at.rest == 0.0
    np.testing.assert_array_equal(at.output, [0.0, 0.0])


def test_y_keeps_what_differs_most_besides_x() -> None:
    rng = np.random.default_rng(0)
    keys = rng.normal(size=(200, 3)) * (5.0, 0.1, 1.0)
    found = row_lookup(QueryKeyMap([[2.0, 0.0, 0.0]], keys), 0)
    np.testing.assert_allclose(found.key_directions[0], [1.0, 0.0, 0.0])
    assert abs(found.key_directions[1][2]) > 0.99
    assert 0.98 < found.key_share < 1.0
    np.testing.assert_allclose(found.keys[:, 0], keys[:, 0], rtol=1e-12)
    assert found.query[0] == pytest.approx(2.0 / math.sqrt(3.0))


def test_directions_have_a_sign_of_their_own() -> None:
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(1, 4)), rng.normal(size=(9, 4)), rng.normal(size=(9, 3))
    found = row_lookup(QueryKeyMap(q, k), 0, v)
    farthest = np.abs(found.keys[:, 1]).argmax()
    assert found.keys[farthest, 1] > 0.0
    assert found.values is not None
    for axis in (0, 1):
        assert found.values[np.abs(found.values[:, axis]).argmax(), axis] > 0.0
    again = row_lookup(QueryKeyMap(q, k), 0, v)
    np.testing.assert_array_equal(found.keys, again.keys)
    np.testing.assert_array_equal(found.values, again.values)


def test_values_in_a_plane_keep_their_distances() -> None:
    rng = np.random.default_rng(4)
    flat = rng.normal(size=(8, 2)) @ np.linalg.qr(rng.normal(size=(5, 5)))[0][:2]
    found = row_lookup(random_head(0, 1, 8, 3), 0, flat)
    assert found.value_share == pytest.approx(1.0)
    assert found.values is not None
    for i in range(8):
        for j in range(8):
            assert math.dist(found.values[i], found.values[j]) == pytest.approx(math.dist(flat[i], flat[j]))


def test_the_share_of_variance_is_that_of_single_numbers() -> None:
    v = np.random.default_rng(5).normal(size=(30, 6)) + 3.0
    found = row_lookup(random_head(0, 1, 30, 3), 0, v)
    assert found.values is not None
    kept, whole = (
        sum((float(x) - sum(map(float, column)) / 30) ** 2 for column in points.T for x in column)
        for points in (found.values, v)
    )
    assert found.value_share == pytest.approx(kept / whole)


def test_keys_are_those_after_rotary_and_float32_is_kept_to_its_digits() -> None:
    rng = np.random.default_rng(6)
    q, k = (rotary(rng.normal(size=(7, 8)).astype(np.float32), np.arange(7)) for _ in "qk")
    map_ = QueryKeyMap(q, k, mask=causal_mask(7))
    found = row_lookup(map_, 6)
    assert found.keys.dtype == np.float64
    np.testing.assert_allclose(found.keys @ found.query, map_.scores(6, stage=Stage.SCALED), rtol=1e-12)
    np.testing.assert_array_equal(found.weights_at(found.query).heaviest, map_.weights(6)[found.heaviest])
    np.testing.assert_allclose(found.keys, k.astype(float) @ found.key_directions.T, atol=1e-5)


def test_keys_that_tie_in_a_hard_head_tie_in_the_plane() -> None:
    map_ = QueryKeyMap([[0.1, 0.3]], [[0.3, 0.1], [0.3, 0.1], [0.1, 0.1]], hard=True)
    found = row_lookup(map_, 0)
    assert found.hard
    np.testing.assert_array_equal(found.weights_at(found.query).heaviest, [1.0, 0.0, 0.0])
    assert found.heaviest.tolist() == [0, 1, 2]


def test_a_query_of_zeros_stands_at_the_origin() -> None:
    found = row_lookup(QueryKeyMap([[0.0, 0.0]], [[1.0, 0.0], [-1.0, 0.5]]), 0)
    np.testing.assert_array_equal(found.query, [0.0, 0.0])
    assert np.ptp(found.keys[:, 0]) == pytest.approx(math.hypot(2.0, 0.5)), "x is where the keys lie apart"


@pytest.mark.parametrize("size", [1e-200, 1e-3, 1e150])
def test_the_size_of_the_numbers_does_not_matter(size: float) -> None:
    rng = np.random.default_rng(7)
    q, k = rng.normal(size=(1, 3)) / size, rng.normal(size=(6, 3)) * size
    map_ = QueryKeyMap(q, k)
    found = row_lookup(map_, 0)
    np.testing.assert_allclose(found.keys @ found.query, map_.scores(0, stage="scaled"), rtol=1e-12)
    assert np.abs(found.keys[:, 1]).max() > 0.0


def test_what_cannot_be_laid_out_is_refused() -> None:
    map_ = random_head(0, 2, 3, 2)
    for row in (2, -1, True, 0.5):
        with pytest.raises(ArrayError, match="row must"):
            row_lookup(map_, row)  # type: ignore[arg-type]
    with pytest.raises(ArrayError, match="the map has 3 keys"):
        row_lookup(map_, 0, np.ones((2, 2)))
    with pytest.raises(ArrayError, match="too large for a plane"):
        row_lookup(QueryKeyMap(np.full((1, 2), 1e200), np.full((1, 2), 1e200)), 0)
    with pytest.raises(ArrayError, match=r"v of shape \(3, 2\) is too large"):
        row_lookup(map_, 0, np.full((3, 2), 1.7e308))
    found = row_lookup(map_, 0)
    for point in ((1.0,), (1.0, 2.0, 3.0), (math.nan, 0.0), ((1.0, 2.0),)):
        with pytest.raises(ArrayError, match="query"):
            found.weights_at(point)
    with pytest.raises(ArrayError, match="leave the float range"):
        found.scores_at((1.7e308, 1.7e308))


def test_the_bias_of_a_map_can_be_had() -> None:
    bias = np.array([[1.0, -np.inf, 3.0]])
    map_ = random_head(0, 2, 3, 2, bias=bias)
    np.testing.assert_array_equal(map_.bias(), [[1.0, 0.0, 3.0]] * 2)
    np.testing.assert_array_equal(map_.bias(1), [1.0, 0.0, 3.0])
    np.testing.assert_array_equal(map_.bias(slice(0, 1), 2), [3.0])
    np.testing.assert_array_equal(random_head(0, 2, 3, 2).bias(), np.zeros((2, 3)))
    with pytest.raises(ArrayError, match="rows must lie between"):
        map_.bias(2)


# ---- Principal directions ----


def test_points_that_do_not_differ_lie_along_their_mean() -> None:
    plane = principal_plane(np.array([[3.0, 4.0], [3.0, 4.0]]), 2)
    np.testing.assert_allclose(plane.directions, [[0.6, 0.8], [0.0, 0.0]])
    assert plane.share == 1.0


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.zeros((2, 3)), np.zeros((2, 0))])
def test_no_points_have_no_direction(points: np.ndarray) -> None:
    plane = principal_plane(points, 2)
    np.testing.assert_array_equal(plane.directions, np.zeros((2, points.shape[1])))
    assert plane.share == 1.0


@given(st.integers(0, 999), st.integers(1, 8), st.integers(1, 5), st.sampled_from([1e-200, 1.0, 1e200]))
@settings(max_examples=60, deadline=None)
def test_directions_are_those_of_the_singular_values(seed: int, n: int, d: int, size: float) -> None:
    points = np.random.default_rng(seed).normal(size=(n, d)) * size
    plane = principal_plane(points, 2)
    lengths = np.linalg.norm(plane.directions, axis=1)
    assert ((np.abs(lengths - 1.0) < 1e-12) | (lengths == 0.0)).all()
    assert plane.directions[0] @ plane.directions[1] == pytest.approx(0.0, abs=1e-9)
    if n > 1:
        apart = (points - points.mean(axis=0)) / size
        _, singular, vectors = np.linalg.svd(apart)
        assert abs(plane.directions[0] @ vectors[0]) == pytest.approx(1.0, abs=1e-4)
        assert plane.share == pytest.approx((singular[:2] ** 2).sum() / (singular**2).sum())


# ---- Another softmax, many queries, gradients ----


def test_another_softmax_weighs_the_same_scores() -> None:
    map_ = random_head(8, 1, 20, 5, temperature=0.5)
    found = row_lookup(map_, 0, np.eye(20), named=4)
    scores = map_.scores(0, stage="masked").tolist()
    for temperature in (0.1, 0.5, 3.0):
        at = found.weights_at(found.query, temperature=temperature)
        np.testing.assert_allclose(at.weights, softmax_by_loop(scores, temperature), rtol=1e-12)
        rest = sum(math.exp(scores[j] / temperature) for j in found.rest)
        assert at.rest_score == pytest.approx(temperature * math.log(rest))
    hard = found.weights_at(found.query, hard=True)
    assert hard.weights.tolist() == [float(j == int(np.argmax(scores))) for j in range(20)]
    assert hard.rest_score == max(scores[j] for j in found.rest)
    with pytest.raises(ArrayError, match="temperature"):
        found.weights_at(found.query, temperature=0.0)


def test_of_equal_weights_the_higher_scores_are_named() -> None:
    hard = row_lookup(QueryKeyMap([[1.0]], [[3.0], [9.0], [4.0], [8.0], [8.0]], scale=1.0, hard=True), 0, named=4)
    assert hard.heaviest.tolist() == [1, 3, 4, 2]
    assert hard.rest.tolist() == [0]


def test_many_queries_at_once_weigh_as_each_alone() -> None:
    mask = np.array([[True] * 6 + [False] * 3 + [True] * 8])
    bias = np.random.default_rng(2).normal(size=(1, 17))
    found = row_lookup(random_head(9, 1, 17, 4, mask=mask, bias=bias), 0, named=5)
    queries, temperatures = np.random.default_rng(1).normal(size=(2, 3, 2)), np.array([0.4, 1.0, 2.0])
    shares = found.shares(queries, np.broadcast_to(temperatures, (2, 3)))
    assert shares.shape == (2, 3, 6)
    for place in np.ndindex(2, 3):
        at = found.weights_at(queries[place], temperature=float(temperatures[place[1]]))
        np.testing.assert_allclose(shares[place], [*at.heaviest, at.rest], rtol=1e-12)
    few = row_lookup(random_head(9, 1, 3, 4), 0)
    assert few.shares(queries, np.ones((2, 3))).shape == (2, 3, 3)


def test_the_gradient_of_hidden_keys_is_zero() -> None:
    found = row_lookup(random_head(9, 1, 4, 4, mask=[[True, False, True, True]]), 0, np.eye(4))
    point, step = np.array([0.3, -0.2]), 1e-6
    gradient = found.gradient_at(point, found.weights_at(point).weights, 1.0)
    for axis in (0, 1):
        ends = [found.weights_at(point + sign * step * np.eye(2)[axis]) for sign in (1, -1)]
        np.testing.assert_allclose(
            gradient.weights[:, axis], (ends[0].weights - ends[1].weights) / (2 * step), atol=1e-8
        )
        assert ends[0].output is not None
        assert ends[1].output is not None
        np.testing.assert_allclose(gradient.output[:, axis], (ends[0].output - ends[1].output) / (2 * step), atol=1e-8)
    assert gradient.weights[1].tolist() == [0.0, 0.0]
    without = row_lookup(random_head(9, 1, 4, 4), 0)
    with pytest.raises(ArrayError, match="no values"):
        without.gradient_at(point, without.weights, 1.0)


def test_the_query_is_found_without_the_keys_and_known_again() -> None:
    map_ = random_head(5, 4, 6, 3)
    for row in range(4):
        found = row_lookup(map_, row)
        np.testing.assert_array_equal(row_query(map_, row), found.query)
        assert found.is_own(found.query * (1 + 1e-15)), "rounded otherwise on another machine"
        assert not found.is_own(found.query * 1.0001)
        np.testing.assert_array_equal(found.scaled_at(found.query), map_.scores(row, stage="scaled"))
    with pytest.raises(ArrayError):
        row_query(map_, 4)
    with pytest.raises(ArrayError, match="query"):
        found.is_own((math.nan, 0.0))


def test_lengths_of_keys_are_those_in_the_head_however_large() -> None:
    keys = [[3.0, 4.0, 12.0], [0.0, 0.0, 0.0], [1e200, 1e200, 0.0]]
    found = row_lookup(QueryKeyMap([[1e-300, 0.0, 0.0]], keys), 0)
    np.testing.assert_allclose(found.key_lengths, [13.0, 0.0, math.sqrt(2) * 1e200], rtol=1e-12)
