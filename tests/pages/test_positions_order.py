"""The order experiment: without position and mask attention is blind to order, with either it is not."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.order import KINDS, heads_used, order_numbers, order_picture, shuffled_again
from attention_explorer.pages.positions.state import PositionsState, RotaryLayout

STATE = PositionsState()


def test_without_position_and_mask_the_rows_are_reordered() -> None:
    for seed in range(5):
        picture = order_picture(replace(STATE, seed=seed))
        blind = picture.outcomes[0]
        assert (blind.kind, blind.causal) == (PositionKind.NONE, False)
        assert blind.found is not None
        assert blind.found.error < 1e-12
        assert blind.found.moved > 0.1
        assert blind.found.pooled < 1e-12
        assert blind.verdict.startswith("same rows, reordered (error ")


@pytest.mark.parametrize("layout", RotaryLayout)
def test_every_encoding_and_the_causal_mask_make_order_matter(layout: RotaryLayout) -> None:
    picture = order_picture(replace(STATE, layout=layout))
    assert [(outcome.kind, outcome.causal) for outcome in picture.outcomes] == [
        (kind, causal) for kind in KINDS for causal in (False, True)
    ]
    for outcome in picture.outcomes[1:]:
        assert not outcome.is_equivariant
        assert outcome.found is not None
        assert outcome.found.error > 1e-3
        assert outcome.verdict.startswith("order matters (error ")


def test_the_shuffle_moves_the_words() -> None:
    picture = order_picture(STATE)
    assert sorted(picture.order) == list(range(5))
    assert picture.order != tuple(range(5))
    assert picture.shuffled == tuple(picture.words[word] for word in picture.order)


def test_weights_without_position_are_reordered_with_the_words() -> None:
    picture = order_picture(replace(STATE, kind=PositionKind.NONE, head=3))
    before, after = (map_.values for map_ in picture.maps)
    places = list(picture.order)
    np.testing.assert_allclose(after, before[np.ix_(places, places)], atol=1e-15)
    np.testing.assert_allclose(before.sum(axis=1), 1.0)
    assert picture.head == 3
    encoded = order_picture(replace(STATE, kind=PositionKind.ROTARY))
    before, after = (map_.values for map_ in encoded.maps)
    assert np.abs(after - before[np.ix_(places, places)]).max() > 0.01


def test_masked_weights_are_zero_and_marked() -> None:
    picture = order_picture(replace(STATE, causal=True))
    assert picture.shown == 3
    for map_ in picture.maps:
        np.testing.assert_array_equal(map_.masked, ~np.tri(5, dtype=bool))
        assert (map_.values[map_.masked] == 0.0).all()


def test_words_are_shuffled_again_into_another_order() -> None:
    state = PositionsState()
    orders = []
    for _ in range(6):
        orders.append(order_picture(state).order)
        state = shuffled_again(state)
    assert all(first != second for first, second in itertools.pairwise(orders))
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)


def test_two_words_have_no_third_order_and_one_none_at_all() -> None:
    for sentence in ("dog bites", "dog"):
        state = PositionsState(sentence=sentence)
        assert shuffled_again(state) == state


def test_the_last_seed_can_be_shuffled_again() -> None:
    state = PositionsState(seed=LARGEST_SEED)
    assert order_picture(shuffled_again(state)).order != order_picture(state).order


def test_one_word_cannot_be_shuffled() -> None:
    picture = order_picture(replace(STATE, sentence="alone"))
    assert "at least two" in picture.reason
    assert order_numbers(picture) == {}


def test_many_words_and_wide_models_are_cut_down() -> None:
    words = " ".join(f"word{chr(97 + i)}" for i in range(26)) + " and more"
    picture = order_picture(replace(STATE, sentence=words, d_model=1024, heads=64))
    assert (len(picture.words), picture.left_out) == (24, 4)
    assert (picture.d_model, picture.heads) == (64, 8)


def test_rotary_of_an_odd_width_is_left_out() -> None:
    picture = order_picture(replace(STATE, d_model=7, kind=PositionKind.ROTARY))
    assert [outcome.reason != "" for outcome in picture.outcomes] == [
        kind in (PositionKind.ROTARY, PositionKind.PARTIAL) for kind in KINDS for _ in "ab"
    ]
    assert picture.maps == ()
    errors = order_numbers(picture)["errors"]
    assert np.isnan(errors[[3, 5]]).all()
    assert np.isfinite(np.delete(errors, [3, 5], axis=0)).all()


@pytest.mark.parametrize(
    ("d_model", "heads", "used"), [(64, 8, 8), (64, 5, 4), (7, 8, 7), (1, 8, 1), (6, 8, 3), (2, 2, 1), (63, 64, 7)]
)
def test_heads_share_the_width_equally(d_model: int, heads: int, used: int) -> None:
    assert heads_used(d_model, heads) == used


def test_the_numbers_begin_with_the_errors() -> None:
    picture = order_picture(STATE)
    arrays = order_numbers(picture)
    assert next(iter(arrays)) == "errors"
    found = [outcome.found.error for outcome in picture.outcomes if outcome.found is not None]
    np.testing.assert_array_equal(arrays["errors"].ravel(), found)
    assert np.abs(arrays["output_of_shuffled"] - arrays["shuffled_output"]).max() == arrays["errors"][1, 0]
