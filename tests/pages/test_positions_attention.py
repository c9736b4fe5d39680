"""Scores against the distance, the weights of one query, and the terms of a score."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model import (
    alibi_bias,
    causal_mask,
    learned_encoding,
    rotary,
    scaled_dot_product_attention,
    sinusoidal_encoding,
)
from attention_explorer.pages.positions.attention import (
    PositionAttentionPicture,
    ScoreLine,
    position_attention_numbers,
    position_attention_picture,
    slope_text,
)
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.table import contents, projections

TURNED = (PositionKind.ROTARY, PositionKind.PARTIAL)
ADDED = (PositionKind.SINUSOIDAL, PositionKind.LEARNED)
SMALL = PositionsState(length=24, d_model=16, query_position=15, position=4, head=2, embedding_scale=0.7)


def lines(picture: PositionAttentionPicture, kind: PositionKind) -> tuple[ScoreLine, ...]:
    return next(found.lines for found in picture.kinds if found.kind is kind)


def attention(state: PositionsState) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and weights (length, length) as the model computes them from whole sequences."""
    places = np.arange(state.length)
    (query, key), (w_q, w_k) = contents(state, state.embedding_scale), projections(state)
    x_q, x_k = np.tile(query, (state.length, 1)), np.tile(key, (state.length, 1))
    if state.kind in ADDED:
        encoding = (
            sinusoidal_encoding(state.length, state.d_model, state.base)
            if state.kind is PositionKind.SINUSOIDAL
            else learned_encoding(state.length, state.d_model, state.seed)
        )
        if state.concatenated:
            of_place, for_place = projections(state, "position")
            q, k = np.hstack([x_q @ w_q, encoding @ of_place]), np.hstack([x_k @ w_k, encoding @ for_place])
        else:
            q, k = (x_q + encoding) @ w_q, (x_k + encoding) @ w_k
    else:
        q, k = x_q @ w_q, x_k @ w_k
    if state.kind in TURNED:
        turned = [rotary(part, places, state.base, state.layout.value) for part in (q, k)]
        width = q.shape[-1] // 2
        is_fast = np.arange(2 * width) % width < (width if state.kind is PositionKind.ROTARY else (width + 1) // 2)
        q, k = (np.where(is_fast, after, before) for after, before in zip(turned, (q, k), strict=True))
    bias = alibi_bias(state.heads, state.length)[state.head_shown] if state.kind is PositionKind.ALIBI else None
    mask = causal_mask(state.length) if state.causal else None
    found = scaled_dot_product_attention(q, k, np.eye(state.length), bias=bias, mask=mask)
    return found.scaled if bias is None else found.scaled + bias, found.weights


@pytest.mark.parametrize("kind", PositionKind)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("concatenated", [False, True])
def test_scores_and_weights_are_those_of_whole_attention(kind: PositionKind, causal: bool, concatenated: bool) -> None:
    state = replace(SMALL, kind=kind, causal=causal, concatenated=concatenated)
    scores, weights = attention(state)
    picture = position_attention_picture(state)
    np.testing.assert_allclose(picture.scores, scores[15], atol=1e-12)
    np.testing.assert_allclose(picture.weights, weights[15], atol=1e-12)
    assert picture.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert picture.visible == (16 if causal else 24)
    assert (picture.weights[picture.visible :] == 0.0).all()


@pytest.mark.parametrize("kind", PositionKind)
@pytest.mark.parametrize("causal", [False, True])
def test_the_strong_line_has_the_scores_of_the_query(kind: PositionKind, causal: bool) -> None:
    state = replace(SMALL, kind=kind, causal=causal)
    picture = position_attention_picture(state)
    scores, _ = attention(state)
    (line,) = [line for line in lines(picture, kind) if line.is_main]
    for key in range(16 if causal else 24):
        assert line.at(15 - key) == pytest.approx(scores[15, key], abs=1e-12)
    assert line.at(99) is None
    assert line.at(picture.distances[0] - 1) is None


@pytest.mark.parametrize("kind", PositionKind)
def test_the_keys_that_a_causal_mask_hides_have_scores_too(kind: PositionKind) -> None:
    whole, masked = (position_attention_picture(replace(SMALL, kind=kind, causal=causal)) for causal in (False, True))
    np.testing.assert_array_equal(masked.scores, whole.scores)


@pytest.mark.parametrize("kind", ADDED)
def test_the_faint_lines_are_the_first_and_the_last_query(kind: PositionKind) -> None:
    state = replace(SMALL, kind=kind)
    scores, _ = attention(state)
    faint = [line for line in lines(position_attention_picture(state), kind) if not line.is_main and not line.is_dashed]
    assert [line.label for line in faint] == ["query 0", "query 23"]
    for line, query in zip(faint, (0, 23), strict=True):
        found = [line.at(query - key) for key in range(24)]
        np.testing.assert_allclose(found, scores[query], atol=1e-12)


def test_the_dashed_line_is_not_projected() -> None:
    query, key = contents(SMALL, 0.7)
    encoding = sinusoidal_encoding(24, 16)
    for concatenated in (False, True):
        found = lines(position_attention_picture(replace(SMALL, concatenated=concatenated)), PositionKind.SINUSOIDAL)
        (dashed,) = [line for line in found if line.is_dashed]
        for place in (0, 9, 23):
            if concatenated:
                score = (query @ key + encoding[15] @ encoding[place]) / math.sqrt(32)
            else:
                score = (query + encoding[15]) @ (key + encoding[place]) / 4.0
            assert dashed.at(15 - place) == pytest.approx(score, abs=1e-12)


def test_added_sinusoids_differ_from_query_to_query_and_rotary_does_not() -> None:
    one, other = (position_attention_picture(replace(SMALL, query_position=query)) for query in (10, 15))
    added, turned = (
        [next(line for line in lines(picture, kind) if line.is_main).at(3) for picture in (one, other)]
        for kind in (PositionKind.SINUSOIDAL, PositionKind.ROTARY)
    )
    assert abs(added[0] - added[1]) > 0.01
    assert turned[0] == turned[1]


def test_every_head_of_alibi_has_a_line_up_to_eight() -> None:
    picture = position_attention_picture(replace(SMALL, heads=8))
    assert [line.label for line in lines(picture, PositionKind.ALIBI)] == [f"1/{2**i}" for i in range(1, 9)]
    many = lines(position_attention_picture(replace(SMALL, heads=64, head=37)), PositionKind.ALIBI)
    assert len(many) == 8
    assert sum(line.is_main for line in many) == 1


def test_a_line_of_alibi_falls_by_its_slope() -> None:
    (line,) = [
        line for line in lines(position_attention_picture(replace(SMALL, head=1)), PositionKind.ALIBI) if line.is_main
    ]
    steps = np.diff(line.scores)
    np.testing.assert_allclose(steps[:23], 0.25, atol=1e-12)
    np.testing.assert_allclose(steps[23:], -0.25, atol=1e-12)


def test_slopes_read_as_in_the_paper() -> None:
    assert [slope_text(2.0**-i) for i in (1, 8)] == ["1/2", "1/256"]
    assert slope_text(2**-0.5) == "0.707"


# ---- Terms and lengths ----


@pytest.mark.parametrize("kind", PositionKind)
@pytest.mark.parametrize("concatenated", [False, True])
def test_the_terms_add_up_to_the_score(kind: PositionKind, concatenated: bool) -> None:
    picture = position_attention_picture(replace(SMALL, kind=kind, concatenated=concatenated))
    assert sum(term.number for term in picture.terms) == pytest.approx(picture.scores[4], abs=1e-12)
    if kind in ADDED:
        assert len(picture.terms) == (2 if concatenated else 4)


def test_the_encoding_is_as_long_as_root_half_its_width() -> None:
    norms = position_attention_picture(PositionsState(embedding_scale=0.5)).norms
    assert norms[2].number == pytest.approx(math.sqrt(32), rel=1e-12)
    assert round(norms[2].number, 3) == 5.657
    louder = position_attention_picture(PositionsState(embedding_scale=8.0)).norms
    assert louder[0].number == pytest.approx(16 * norms[0].number)
    assert len(position_attention_picture(PositionsState(kind=PositionKind.ROTARY)).norms) == 2


# ---- Edges ----


def test_no_encoding_gives_every_key_the_same_weight() -> None:
    picture = position_attention_picture(replace(SMALL, kind=PositionKind.NONE, causal=True))
    np.testing.assert_allclose(picture.weights[:16], 1 / 16, atol=1e-15)


@pytest.mark.parametrize("kind", PositionKind)
@pytest.mark.parametrize(("length", "d_model"), [(1, 2), (2, 3), (3, 1)])
def test_the_smallest_sizes_work(kind: PositionKind, length: int, d_model: int) -> None:
    picture = position_attention_picture(PositionsState(kind=kind, length=length, d_model=d_model))
    assert picture.query == length - 1
    if kind in TURNED and d_model % 2:
        assert "odd" in picture.reason
        assert picture.weights.size == 0
    else:
        assert picture.weights.sum() == pytest.approx(1.0)
        assert picture.reason == ""


def test_a_large_learned_encoding_is_not_drawn_beside_another() -> None:
    picture = position_attention_picture(PositionsState(length=8192, d_model=1024))
    (learned,) = [kind for kind in picture.kinds if kind.kind is PositionKind.LEARNED]
    assert learned.lines == ()
    assert "8192 × 1024" in learned.reason


def test_the_numbers_begin_with_the_weights() -> None:
    picture = position_attention_picture(SMALL)
    arrays = position_attention_numbers(picture)
    assert next(iter(arrays)) == "weights"
    np.testing.assert_array_equal(arrays["weights"], picture.weights)
    assert arrays["rotary_0_distances"].shape == arrays["rotary_0_scores"].shape == (47,)
