"""Attention maps, block by block, against attention computed as a whole."""

import math
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    ArrayMap,
    AttentionMap,
    CombinedMap,
    QueryKeyMap,
    Stage,
    causal_mask,
    entropy,
    map_selection,
    max_of_heads,
    mean_of_heads,
    padding_mask,
    scaled_dot_product_attention,
    tile_bounds,
    window_mask,
)
from attention_explorer.model.map_survey import surveys
from attention_explorer.model.value_weighted import ValueWeightedMap

Array = np.ndarray
CLOSE = {"rtol": 1e-12, "atol": 1e-13}
ALL = slice(None)
quick = settings(max_examples=40, deadline=None)


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def whole(q: Array, k: Array, **options: Any) -> Any:
    return scaled_dot_product_attention(q, k, np.zeros((len(k), 1)), **options)


def rows_of(mask: Array) -> Callable[[int, int], Array]:
    return lambda start, stop: mask[start:stop]


@pytest.fixture(params=[1, 7, 50, 2**18], ids=lambda entries: f"blocks of {entries}")
def block_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Make blocks so small that a map of ten rows has many."""
    set_block_size(monkeypatch, request.param)
    return int(request.param)


def set_block_size(monkeypatch: pytest.MonkeyPatch, entries: int) -> None:
    monkeypatch.setattr(map_selection, "_CACHED", entries)
    monkeypatch.setattr(map_selection, "_LARGEST", entries)


def variants(n_q: int, n_k: int) -> Iterator[tuple[str, dict[str, Any]]]:
    mask, bias = random(n_q, n_k, seed=1) > -0.4, random(n_q, n_k, seed=2)
    mask[1] = False
    hiding = np.where(random(n_q, n_k, seed=3) > 0.8, -np.inf, bias)
    yield "plain", {}
    yield "mask", {"mask": mask}
    yield "causal", {"mask": causal_mask(n_q, n_k)}
    yield "padding", {"mask": padding_mask(n_k - 2, n_k)}
    yield "bias", {"bias": bias}
    yield "hiding bias", {"bias": hiding}
    yield "row bias", {"bias": bias[:1]}
    yield "unscaled", {"scale": 1.0}
    yield "warm", {"mask": mask, "temperature": 3.0, "scale": -0.7}
    yield "cold", {"temperature": 1e-3, "bias": hiding, "mask": mask}
    yield "hard", {"mask": mask, "hard": True}


def variant_ids() -> list[str]:
    return [name for name, _ in variants(3, 3)]


@pytest.mark.parametrize("name", variant_ids())
@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.usefixtures("block_size")
def test_stages_are_those_of_attention(name: str, by_rows: bool) -> None:
    q, k, v = random(9, 4), random(7, 4), random(7, 3)
    options = dict(variants(9, 7))[name]
    expected = scaled_dot_product_attention(q, k, v, **options)
    if by_rows and "mask" in options:
        options["mask"] = rows_of(np.broadcast_to(options["mask"], (9, 7)))
    view = QueryKeyMap(q, k, **options)
    for stage in Stage:
        np.testing.assert_allclose(view.stage(stage), getattr(expected, stage.value), **CLOSE)
    np.testing.assert_array_equal(view.allowed(), ~np.isneginf(expected.masked))
    assert (view.weights()[~view.allowed()] == 0).all()
    np.testing.assert_allclose(view.output(v), expected.output, **CLOSE)


@pytest.mark.parametrize("name", variant_ids())
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_one_block_is_attention_bit_by_bit(name: str, dtype: Any) -> None:
    q, k = random(40, 16).astype(dtype), random(33, 16).astype(dtype)
    options = dict(variants(40, 33))[name]
    if "bias" in options:
        options["bias"] = options["bias"].astype(dtype)
    expected = scaled_dot_product_attention(q, k, np.zeros((33, 1), dtype), **options)
    view = QueryKeyMap(q, k, **options)
    assert view.dtype == dtype
    for stage in Stage:
        found = view.stage(stage)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, getattr(expected, stage.value))
    np.testing.assert_array_equal(view.pooled(Stage.WEIGHTS, 99, 99).values, expected.weights)
    np.testing.assert_array_equal(view.survey(99, 99)[0].values, expected.weights)


@pytest.mark.parametrize(
    ("rows", "cols"),
    [
        (ALL, ALL),
        (slice(2, 5), slice(-3, None)),
        (np.array([5, 1, 1, 8]), slice(1, 4)),
        (np.array([3]), np.array([6, 0])),
        (slice(4, 2), ALL),
        (slice(0, 100), np.array([], dtype=int)),
        (np.array([], dtype=int), np.array([2])),
    ],
)
@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.usefixtures("block_size")
def test_parts_are_parts_of_the_whole(rows: Any, cols: Any, by_rows: bool) -> None:
    q, k, mask = random(9, 4), random(7, 4), random(9, 7) > -0.4
    expected = whole(q, k, mask=mask)
    view = QueryKeyMap(q, k, mask=rows_of(mask) if by_rows else mask)
    stored = ArrayMap(expected.weights)
    for stage in Stage:
        part = getattr(expected, stage.value)[rows][:, cols]
        np.testing.assert_allclose(view.stage(stage, rows, cols), part, **CLOSE)
        np.testing.assert_allclose(view.scores(rows, cols, stage), part, **CLOSE)
    np.testing.assert_array_equal(view.scores(rows, cols), view.stage(Stage.SCORES, rows, cols))
    np.testing.assert_allclose(view.weights(rows, cols), expected.weights[rows][:, cols], **CLOSE)
    np.testing.assert_array_equal(stored.weights(rows, cols), expected.weights[rows][:, cols])
    np.testing.assert_array_equal(view.allowed(rows, cols), mask[rows][:, cols])


def naive_rows(weights: Array) -> dict[str, list[float]]:
    n_q, n_k = weights.shape
    found: dict[str, list[float]] = {name: [] for name in ("distance", "self_mass", "previous_mass")}
    for i, row in enumerate(weights.tolist()):
        own = i + n_k - n_q
        found["distance"].append(sum(w * abs(own - j) for j, w in enumerate(row)))
        found["self_mass"].append(row[own] if 0 <= own < n_k else 0.0)
        found["previous_mass"].append(row[own - 1] if 0 <= own - 1 < n_k else 0.0)
    return found


@pytest.mark.parametrize("name", variant_ids())
@pytest.mark.parametrize(("n_q", "n_k"), [(9, 9), (9, 6), (5, 9)])
@pytest.mark.usefixtures("block_size")
def test_row_summary(name: str, n_q: int, n_k: int) -> None:
    q, k = random(n_q, 4), random(n_k, 4)
    options = dict(variants(n_q, n_k))[name]
    weights = whole(q, k, **options).weights
    some = np.array([4, 0, 2])
    for view in (QueryKeyMap(q, k, **options), ArrayMap(weights)):
        rows = view.row_summary()
        np.testing.assert_allclose(rows.entropy, entropy(weights), rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(rows.max_weight, weights.max(axis=1), **CLOSE)
        np.testing.assert_array_equal(rows.best, weights.argmax(axis=1))
        np.testing.assert_allclose(rows.first_mass, weights[:, 0], **CLOSE)
        np.testing.assert_allclose(rows.total, weights.sum(axis=1), **CLOSE)
        for field, numbers in naive_rows(weights).items():
            np.testing.assert_allclose(getattr(rows, field), numbers, **CLOSE)
        for field in rows._fields:
            chosen = getattr(view.row_summary(some), field)
            np.testing.assert_allclose(chosen, getattr(rows, field)[some], rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(
                getattr(view.row_summary(slice(1, 4)), field), getattr(rows, field)[1:4], rtol=1e-11, atol=1e-12
            )


@pytest.mark.parametrize("name", variant_ids())
@pytest.mark.parametrize(("n_q", "n_k"), [(9, 9), (9, 6), (5, 9)])
@pytest.mark.usefixtures("block_size")
def test_map_summary(name: str, n_q: int, n_k: int) -> None:
    q, k = random(n_q, 4), random(n_k, 4)
    options = dict(variants(n_q, n_k))[name]
    attention = whole(q, k, **options)
    visible = ~np.isneginf(attention.masked)
    attends, several = visible.any(axis=1), visible.sum(axis=1) > 1
    view = QueryKeyMap(q, k, **options)
    rows, found = view.row_summary(), view.summary()
    for field in ("entropy", "max_weight", "distance", "self_mass", "previous_mass", "first_mass"):
        np.testing.assert_allclose(getattr(found, field), getattr(rows, field)[attends].mean(), **CLOSE)
    np.testing.assert_allclose(found.score_std, attention.scaled[visible].std(), rtol=1e-11)
    assert found.saturated == pytest.approx((attention.weights.max(axis=1) > 0.95)[attends].mean())
    evenness = entropy(attention.weights)[several] / np.log(visible.sum(axis=1)[several])
    np.testing.assert_allclose(found.evenness, evenness.mean(), rtol=1e-11, atol=1e-12)
    assert found.empty_rows == (~attends).sum()
    np.testing.assert_array_equal(view.survey(3, 2)[1], found)
    pooled = view.survey(3, 2)[0]
    np.testing.assert_array_equal(pooled.values, view.pooled(Stage.WEIGHTS, 3, 2).values)
    np.testing.assert_array_equal(pooled.masked, view.pooled(Stage.WEIGHTS, 3, 2).masked)


def test_summary_of_known_maps() -> None:
    uniform = QueryKeyMap(np.zeros((4, 2)), random(4, 2)).summary()
    assert uniform.entropy == pytest.approx(math.log(4))
    assert (uniform.evenness, uniform.score_std) == (pytest.approx(1.0), 0.0)
    assert uniform.distance == pytest.approx(np.abs(np.subtract.outer(range(4), range(4))).mean())
    identity = ArrayMap(np.eye(5)).summary()
    assert identity[:6] == (0.0, 1.0, 0.0, 1.0, 0.0, 0.2)
    assert (identity.saturated, identity.evenness, identity.empty_rows) == (1.0, 0.0, 0)
    assert math.isnan(identity.score_std)
    previous = ArrayMap(np.eye(5, k=-1)).summary()
    assert (previous.previous_mass, previous.self_mass, previous.distance, previous.empty_rows) == (1.0, 0.0, 1.0, 1)
    one_key = QueryKeyMap(random(3, 2), random(1, 2)).summary()
    assert math.isnan(one_key.evenness)
    assert one_key.saturated == 1.0
    nothing = QueryKeyMap(random(3, 2), random(3, 2), mask=np.zeros((3, 3), dtype=bool)).summary()
    assert nothing.empty_rows == 3
    assert all(math.isnan(number) for number in nothing[:-1])


def naive_pooled(values: Array, allowed: Array, height: int, width: int, by_magnitude: bool) -> tuple[Array, Array]:
    h, w = min(height, values.shape[0]), min(width, values.shape[1])
    tops, lefts = ([i * n // t for i in range(t + 1)] for n, t in ((values.shape[0], h), (values.shape[1], w)))
    pooled, masked = np.zeros((h, w)), np.zeros((h, w), dtype=bool)
    for r in range(h):
        for c in range(w):
            tile = np.s_[tops[r] : tops[r + 1], lefts[c] : lefts[c + 1]]
            seen = values[tile][allowed[tile]].tolist()
            masked[r, c] = not seen
            empty = -np.inf if by_magnitude else 0.0
            pooled[r, c] = max(seen, key=(lambda s: (abs(s), s)) if by_magnitude else None) if seen else empty
    return pooled, masked


@quick
@given(
    st.tuples(st.integers(1, 60), st.integers(1, 60)),
    st.tuples(st.integers(1, 70), st.integers(1, 70)),
    st.sampled_from([1, 40, 300, 2**18]),
    st.sampled_from(["plain", "causal", "window"]),
)
def test_pooled_is_the_extreme_of_every_tile(
    shape: tuple[int, int], tiles: tuple[int, int], entries: int, masking: str
) -> None:
    q, k = random(shape[0], 3), random(shape[1], 3)
    mask = {"plain": None, "causal": causal_mask(*shape), "window": window_mask(60, 5)[: shape[0], : shape[1]]}[masking]
    allowed = np.ones(shape, dtype=bool) if mask is None else mask
    with pytest.MonkeyPatch.context() as patch:
        set_block_size(patch, entries)
        view = QueryKeyMap(q, k, mask=mask)
        for stage in Stage:
            hides = stage in (Stage.MASKED, Stage.WEIGHTS)
            values, masked = naive_pooled(
                view.stage(stage), allowed if hides else np.ones(shape, dtype=bool), *tiles, stage is not Stage.WEIGHTS
            )
            found = view.pooled(stage, *tiles)
            assert found.values.shape == (min(tiles[0], shape[0]), min(tiles[1], shape[1]))
            np.testing.assert_array_equal(found.values, values)
            np.testing.assert_array_equal(found.masked, masked)


@quick
@given(st.integers(0, 400), st.integers(1, 400))
def test_tiles_cover_everything_and_differ_by_one_at_most(length: int, tiles: int) -> None:
    bounds = tile_bounds(length, tiles)
    sizes = np.diff(bounds)
    assert (bounds[0], bounds[-1], len(sizes)) == (0, length, min(length, tiles))
    expected = [len(part) for part in np.array_split(np.arange(length), len(sizes))] if length else []
    assert sorted(sizes) == sorted(expected)


@pytest.mark.usefixtures("block_size")
def test_pooled_parts_and_maps_that_fit() -> None:
    mask = causal_mask(9, 7)
    view = QueryKeyMap(random(9, 4), random(7, 4), mask=mask)
    for stage in Stage:
        fits = view.pooled(stage, 9, 7)
        np.testing.assert_array_equal(fits.values, view.stage(stage))
        hidden = ~mask if stage in (Stage.MASKED, Stage.WEIGHTS) else np.zeros_like(mask)
        np.testing.assert_array_equal(fits.masked, hidden)
    rows, cols = slice(2, 8), np.array([6, 0, 3])
    part = view.pooled(Stage.WEIGHTS, 2, 9, rows, cols)
    expected = view.weights(rows, cols)
    np.testing.assert_allclose(part.values, [expected[:3].max(axis=0), expected[3:].max(axis=0)], **CLOSE)
    mirrored = QueryKeyMap([[1.0]], [[-2.0], [2.0], [1.0]], scale=1.0)
    assert mirrored.pooled(Stage.SCORES, 1, 1).values == 2.0  # of a pair the positive one
    assert view.pooled(Stage.MASKED, 3, 3, slice(0, 0)).values.shape == (0, 3)
    assert view.pooled(Stage.SCORES, 3, 3, ALL, slice(0, 0)).masked.shape == (3, 0)


@quick
@given(st.integers(1, 30), st.integers(1, 30), st.sampled_from([1, 17, 64]), st.booleans(), st.integers(0, 2**16))
def test_block_sizes_do_not_matter(n_q: int, n_k: int, entries: int, masked: bool, seed: int) -> None:
    q, k = random(n_q, 5, seed=seed) * 3, random(n_k, 5, seed=seed)
    view = QueryKeyMap(q, k, mask=causal_mask(n_q, n_k) if masked else None)
    whole_rows, whole_map, whole_picture = view.row_summary(), view.summary(), view.pooled(Stage.SCALED, 4, 5)
    np.testing.assert_allclose(view.weights().sum(axis=1), view.allowed().any(axis=1), rtol=1e-12)
    with pytest.MonkeyPatch.context() as patch:
        set_block_size(patch, entries)
        np.testing.assert_allclose(view.pooled(Stage.SCALED, 4, 5).values, whole_picture.values, **CLOSE)
        np.testing.assert_allclose(view.summary(), whole_map, rtol=1e-10, atol=1e-11)
        for field in ("entropy", "max_weight", "distance", "total"):
            np.testing.assert_allclose(getattr(view.row_summary(), field), getattr(whole_rows, field), atol=1e-11)
        assert (view.weights()[~view.allowed()] == 0).all()


@pytest.mark.usefixtures("block_size")
def test_asymmetry() -> None:
    q, k = random(9, 4), random(9, 4, seed=1)
    scaled = whole(q, k).scaled
    assert QueryKeyMap(q, k).asymmetry() == pytest.approx(np.abs(scaled - scaled.T).max(), rel=1e-12)
    assert QueryKeyMap(q, q).asymmetry() <= 1e-15
    assert math.isnan(QueryKeyMap(q, k[:5]).asymmetry())
    assert QueryKeyMap(q, k, scale=0.0).asymmetry() == 0.0


def test_scores_beyond_the_float_range() -> None:
    q = np.array([[1e200, 1.0], [1.0, 2.0], [1e200, -1e200]])
    k = np.array([[1e200, 0.0], [1.0, 1.0], [-1e200, 1e200]])
    for options in ({}, {"mask": causal_mask(3)}, {"bias": random(3, 3)}, {"hard": True}):
        expected = whole(q, k, **options)
        view = QueryKeyMap(q, k, **options)
        for stage in Stage:
            np.testing.assert_array_equal(view.stage(stage), getattr(expected, stage.value))
        np.testing.assert_allclose(view.row_summary().entropy, entropy(expected.weights), **CLOSE)
        assert math.isnan(view.summary().score_std)
    tiny = QueryKeyMap(random(4, 3).astype(np.float32), random(4, 3).astype(np.float32), scale=1e-60)
    np.testing.assert_allclose(tiny.weights(), np.full((4, 4), 0.25), rtol=1e-6)


def test_summary_keeps_its_digits_far_from_zero() -> None:
    q, k = np.ones((6, 1)), 1e6 + random(6, 1)
    view = QueryKeyMap(q, k, scale=1.0)
    expected = whole(q, k, scale=1.0)
    np.testing.assert_allclose(view.row_summary().entropy, entropy(expected.weights), rtol=1e-9)
    np.testing.assert_allclose(view.summary().score_std, k.std(), rtol=1e-9)


@pytest.mark.parametrize(("temperature", "expected"), [(1e-300, 0.0), (1e300, math.log(5))])
def test_entropy_at_extreme_temperatures(temperature: float, expected: float) -> None:
    view = QueryKeyMap(random(4, 3), random(5, 3), temperature=temperature)
    np.testing.assert_allclose(view.row_summary().entropy, np.full(4, expected), rtol=1e-12, atol=1e-12)


def test_properties_of_a_query_key_map() -> None:
    q, k = random(4, 9), random(6, 9)
    view = QueryKeyMap(q, k, temperature=2)
    assert (view.n_q, view.n_k, view.shape, view.scale, view.temperature) == (4, 6, (4, 6), 1 / 3, 2.0)
    assert QueryKeyMap(q, k, scale=2).scale == 2.0
    assert (view.hard, view.has_scores) == (False, True)
    np.testing.assert_array_equal(view.q, q)
    np.testing.assert_array_equal(view.k, k)
    with pytest.raises(ValueError, match="read-only"):
        view.q[0, 0] = 1.0
    q[0, 0] = 5.0  # the caller's array is still the caller's


def test_the_map_computes_afresh_and_leaves_its_arrays_alone() -> None:
    q, k, bias, mask = random(6, 3), random(6, 3), random(6, 6), causal_mask(6)
    copies = [array.copy() for array in (q, k, bias, mask)]
    view = QueryKeyMap(q, k, bias=bias, mask=mask)
    first = view.weights()
    view.survey(2, 2)
    view.scores()[:] = 0.0
    view.stage(Stage.MASKED)[:] = 0.0
    view.output(q)
    np.testing.assert_array_equal(view.weights(), first)
    for array, copy in zip((q, k, bias, mask), copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    stored = np.eye(4)
    ArrayMap(stored).weights()[:] = 0.0
    ArrayMap(stored).survey(2, 2)
    np.testing.assert_array_equal(stored, np.eye(4))


def test_an_array_map_reads_what_is_asked_for(tmp_path: Path) -> None:
    weights = np.abs(random(50, 40)).astype(np.float16)
    weights /= weights.sum(axis=1, keepdims=True)
    np.save(tmp_path / "weights.npy", weights)
    on_disk = np.load(tmp_path / "weights.npy", mmap_mode="r")
    view = ArrayMap(on_disk)
    assert (view.shape, view.dtype, view.has_scores) == ((50, 40), np.float32, False)
    np.testing.assert_array_equal(view.weights(), weights.astype(np.float32))
    np.testing.assert_array_equal(view.weights(slice(3, 5), np.array([7, 1])), weights[3:5][:, [7, 1]])
    assert view.allowed(slice(0, 2)).all()
    np.testing.assert_allclose(view.output(np.eye(40)), weights, rtol=1e-6)
    np.testing.assert_array_equal(view.pooled(Stage.WEIGHTS, 1, 1).values, [[weights.max()]])
    bad = weights.copy()
    bad[30, 7] = np.nan
    spoilt = ArrayMap(bad)  # not read yet
    assert spoilt.weights(slice(0, 30)).shape == (30, 40)
    with pytest.raises(ArrayError, match=r"holds nan at index \(30, 7\)"):
        spoilt.weights(np.array([2, 30]), slice(5, 9))
    with pytest.raises(ArrayError, match=r"holds -1.0 at index \(0, 1\)"):
        ArrayMap(np.array([[0.5, -1.0]])).summary()


@pytest.mark.parametrize("block", [1, 5, 2**18])
@pytest.mark.parametrize("rows", [ALL, slice(3, 9), np.array([2, 6, 3]), 3, 4])
@pytest.mark.parametrize("asks_first", [AttentionMap.allowed, AttentionMap.weights])
def test_a_guessed_mask_counts_only_in_rows_that_agree(
    monkeypatch: pytest.MonkeyPatch, block: int, rows: Any, asks_first: Callable[..., Array]
) -> None:
    set_block_size(monkeypatch, block)
    weights = np.tri(10) / np.arange(1, 11)[:, None]
    weights[3] = 0.1
    expected = np.tri(10, dtype=np.bool_)
    expected[3] = True
    view = ArrayMap(weights, mask=causal_mask(10), is_guess=True)
    asks_first(view, rows)
    np.testing.assert_array_equal(view.allowed(rows), expected[rows])
    np.testing.assert_array_equal(view.weights(rows), weights[rows])
    picture = ArrayMap(weights, mask=causal_mask(10), is_guess=True).pooled(Stage.WEIGHTS, 10, 10)
    np.testing.assert_array_equal(picture.masked, ~expected)
    with pytest.raises(ArrayError, match=r"the rows of A of shape .* which the mask hides"):
        ArrayMap(weights, mask=causal_mask(10), name="the rows of A").weights()


@pytest.mark.parametrize("stage", [Stage.SCORES, Stage.SCALED, Stage.MASKED])
def test_weights_alone_have_no_scores(stage: Stage) -> None:
    for view in (ArrayMap(np.eye(3)), CombinedMap([ArrayMap(np.eye(3))])):
        for ask in (view.stage, lambda stage, view=view: view.pooled(stage, 2, 2)):
            with pytest.raises(ArrayError, match=f"holds weights only.*ask for WEIGHTS, not {stage.name}"):
                ask(stage)
        with pytest.raises(ArrayError, match="holds weights only"):
            view.scores()
        with pytest.raises(ArrayError, match="holds weights only"):
            view.asymmetry()


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.usefixtures("block_size")
def test_combined_heads(largest: bool) -> None:
    q, k = random(3, 9, 4), random(3, 7, 4)
    masks = [causal_mask(9, 7), random(9, 7) > 0, np.zeros((9, 7), dtype=bool)]
    heads = [QueryKeyMap(*head, mask=mask) for *head, mask in zip(q, k, masks, strict=True)]
    weights = np.stack([head.weights() for head in heads])
    expected = max_of_heads(weights) if largest else mean_of_heads(weights)
    view = CombinedMap(heads, largest=largest)
    np.testing.assert_allclose(view.weights(), expected, **CLOSE)
    np.testing.assert_array_equal(view.allowed(), masks[0] | masks[1])
    np.testing.assert_allclose(view.row_summary().total, expected.sum(axis=1), **CLOSE)
    np.testing.assert_array_equal(view.pooled(Stage.WEIGHTS, 9, 7).masked, ~(masks[0] | masks[1]))
    for wrong in ([], [heads[0], ArrayMap(np.eye(3))]):
        with pytest.raises(ArrayError, match="all of one shape"):
            CombinedMap(wrong)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: QueryKeyMap(np.zeros((2, 3)), np.zeros((2, 4))), r"q has shape \(2, 3\) and k \(2, 4\)"),
        (lambda: QueryKeyMap(np.zeros((2, 0)), np.zeros((2, 0))), "at least 1"),
        (lambda: QueryKeyMap(np.zeros(3), np.zeros((2, 3))), r"q has shape \(3,\)"),
        (lambda: QueryKeyMap([[np.nan]], [[1.0]]), "q of shape"),
        (lambda: QueryKeyMap(np.zeros((2, 1)), np.zeros((3, 1)), mask=np.ones((3, 2), bool)), "mask has shape"),
        (lambda: QueryKeyMap(np.zeros((2, 1)), np.zeros((3, 1)), mask=np.ones((2, 3))), "must be boolean"),
        (lambda: QueryKeyMap(np.zeros((2, 1)), np.zeros((3, 1)), bias=np.ones((4, 2, 3))), "bias has shape"),
        (lambda: QueryKeyMap(np.zeros((2, 1)), np.zeros((3, 1)), temperature=0), "temperature must be"),
        (lambda: QueryKeyMap(np.zeros((2, 1)), np.zeros((3, 1)), scale=np.inf), "scale must be"),
        (lambda: QueryKeyMap([[1.0]], [[1.0]], mask=lambda a, b: np.ones((9, 9), bool)).weights(), r"mask\(0, 1\) has"),
        (lambda: QueryKeyMap([[1.0]], [[1.0]]).weights(slice(0, 1, 2)), "rows is a slice of step 2"),
        (
            lambda: QueryKeyMap([[1.0]], [[1.0]]).weights(ALL, np.array([1])),
            "cols must lie between 0 and 0, not 1 to 1",
        ),
        (lambda: QueryKeyMap([[1.0]], [[1.0]]).allowed(np.array([-1])), "rows must lie between 0 and 0"),
        (lambda: QueryKeyMap([[1.0]], [[1.0]]).row_summary(np.array([0.0])), "rows of shape"),
        (lambda: QueryKeyMap([[1.0]], [[1.0]]).output([[1.0], [2.0]]), "v has shape"),
        (lambda: QueryKeyMap([[1.0]], [[1.0]]).survey(0, 3), "tiles must be at least 1"),
        (lambda: ArrayMap(np.zeros((2, 3, 3))), r"weights has shape \(2, 3, 3\), but must be \(n_q, n_k\)"),
        (lambda: ArrayMap(np.zeros((3, 3), complex)), "complex"),
    ],
)
def test_what_cannot_be_is_refused_in_words(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        make()


@pytest.mark.parametrize(("n_q", "n_k"), [(0, 3), (3, 0), (0, 0)])
def test_empty_maps(n_q: int, n_k: int) -> None:
    maps: list[AttentionMap] = [QueryKeyMap(np.zeros((n_q, 2)), np.zeros((n_k, 2))), ArrayMap(np.zeros((n_q, n_k)))]
    for view in maps:
        assert view.weights().shape == (n_q, n_k)
        assert view.survey(4, 4)[0].values.shape == (n_q, n_k)
        assert view.summary().empty_rows == n_q
        assert len(view.row_summary().best) == n_q
        np.testing.assert_array_equal(view.output(np.zeros((n_k, 2))), np.zeros((n_q, 2)))


def test_a_long_map_takes_little_memory() -> None:
    """4096 × 4096 weights alone are 128 MiB."""
    q, k = random(4096, 8), random(4096, 8)
    view = QueryKeyMap(q, k, mask=lambda start, stop: np.tri(stop - start, 4096, start, dtype=np.bool_))
    tracemalloc.start()
    try:
        pooled, summary, _ = view.survey(64, 64)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * 2**20
    np.testing.assert_array_equal(pooled.masked, ~causal_mask(64))
    assert summary.empty_rows == 0
    assert view.weights(slice(4000, 4001))[0].max() <= pooled.values[62].max()


@pytest.mark.parametrize("options", [{}, {"mask": causal_mask(6), "temperature": 0.5}, {"hard": True, "scale": 2.0}])
def test_maps_of_all_heads_of_a_layer_are_those_of_each(options: dict[str, Any]) -> None:
    q, k = random(4, 6, 3, seed=1), random(4, 6, 3, seed=2)
    q[2] *= 1e200  # of one head alone the scores leave the float range
    k[2] *= 1e200
    maps = QueryKeyMap.of_heads(q, k, **options)
    for head, map_ in enumerate(maps):
        own = QueryKeyMap(q[head], k[head], **options)
        assert repr(map_) == repr(own)
        np.testing.assert_array_equal(map_.weights(), own.weights())
        np.testing.assert_array_equal(map_.scores(stage="scaled"), own.scores(stage="scaled"))
        assert not map_.q.flags.writeable
    assert QueryKeyMap.of_heads(q[:0], k[:0], **options) == ()


def test_as_many_heads_of_queries_as_of_keys_are_wanted() -> None:
    with pytest.raises(ArrayError, match=r"q has shape \(3, 6, 2\) and k \(2, 6, 2\)"):
        QueryKeyMap.of_heads(random(3, 6, 2), random(2, 6, 2))


@pytest.mark.parametrize("size", [7, 150, 300], ids=["all", "eleven", "two"])
def test_maps_surveyed_together_are_as_each_alone(size: int) -> None:
    """As many at a time as fit into a block, of several kinds in one list."""
    rng = np.random.default_rng(5)
    causal, bias = causal_mask(size), rng.normal(size=(size, size))
    hidden = causal.copy()
    hidden[2] = False  # a query with nothing to attend to
    q, k = rng.normal(size=(2, 30, size, 3))
    options: list[dict[str, Any]] = [
        {},
        {"mask": causal},
        {"mask": hidden, "temperature": 0.5},
        {"mask": hidden, "bias": bias},
        {"hard": True},
        {"scale": 1e300},
    ]
    maps: list[AttentionMap] = [QueryKeyMap(q[i], k[i], **options[i // 5]) for i in range(30)]
    maps += [ArrayMap(map_.weights(), mask=causal) for map_ in maps[5:10]]
    maps += [ValueWeightedMap(map_, rng.normal(size=(size, 2))) for map_ in maps[3:13]]
    maps += [QueryKeyMap(q[i].astype(np.float32), k[i].astype(np.float32), mask=causal) for i in range(5)]
    tokens = ("the", "cat", ".", "the", *(str(i % 3) for i in range(size)))[:size]
    found = list(surveys(maps, 9, 9, tokens))
    assert len(found) == len(maps)
    for map_, (pooled, summary, patterns) in zip(maps, found, strict=True):
        expected = map_.pooled(Stage.WEIGHTS, 9, 9)
        assert pooled.values.dtype == map_.dtype
        np.testing.assert_array_equal(pooled.values, expected.values)
        np.testing.assert_array_equal(pooled.masked, expected.masked)
        np.testing.assert_allclose(summary, map_.summary(), rtol=1e-12, atol=1e-12)
        for alone, own in zip(map_.patterns(tokens).values(), patterns.values(), strict=True):
            assert (own.queries, own.back) == (alone.queries, alone.back)
            np.testing.assert_allclose((own.score, own.chance), (alone.score, alone.chance), rtol=1e-12)
