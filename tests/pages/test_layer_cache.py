"""The KV cache step by step: the same numbers as all at once, and the work that is saved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model import Activation, ModelSize, NormPlacement, causal_mask
from attention_explorer.pages.layer.cache import (
    cache_numbers,
    cache_picture,
    cache_sentences,
    cache_words,
    decoded_shown,
    equality_text,
    flops_text,
    step_words,
    table_rows,
    with_decoded,
)
from attention_explorer.pages.stack.stack import block_stack
from attention_explorer.pages.stack.state import BlockState

STATE = BlockState(layers=3, decoded=4, layer=1, head=2)


@pytest.mark.parametrize("norm", list(NormPlacement))
@pytest.mark.parametrize("feed_forward", [True, False])
def test_decoding_is_full_causal_attention(norm: NormPlacement, feed_forward: bool) -> None:
    state = replace(STATE, norm=norm, feed_forward=feed_forward)
    picture, whole = cache_picture(state), block_stack(state)
    trace = whole.stack(whole.x[0], mask=causal_mask(6))
    np.testing.assert_allclose(picture.decoding.output, trace.output, rtol=1e-10, atol=1e-11)
    assert 0.0 <= picture.decoding.error(4) <= picture.decoding.error(6) < 1e-10
    inside = trace.layers[1].attention.inside
    np.testing.assert_allclose(picture.maps[0].values[:4], inside.k[2, :4], rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(picture.maps[1].values[:4], inside.v[2, :4], rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(picture.maps[2].values[:4], inside.weights[2, :4], rtol=1e-9, atol=1e-11)


def test_the_cache_grows_by_a_row_and_the_others_stay() -> None:
    pictures = [cache_picture(with_decoded(STATE, count)) for count in range(1, 7)]
    for count, picture in enumerate(pictures, start=1):
        assert [int((~map_.absent[0]).sum()) for map_ in picture.maps] == [count] * 3
        assert picture.numbers_held == 3 * 2 * 64 * count
        np.testing.assert_array_equal(cache_numbers(picture)["k"], pictures[-1].maps[0].values[:count])
        assert picture.maps[0].scale == pictures[-1].maps[0].scale
        assert picture.decoding is pictures[0].decoding  # nothing is decoded anew


def test_the_work_is_that_of_the_cost_formulas() -> None:
    work = cache_picture(STATE).work
    for count in range(1, 7):
        size = ModelSize(tokens=count, d_model=64, heads=8, layers=3, d_ff=256)
        assert work.cached[:count].sum() == size.decoding_flops
        assert work.anew[:count].sum() == size.decoding_flops_without_cache
        assert work.anew[count - 1] == size.flops
    picture = cache_picture(STATE)
    assert picture.saved == pytest.approx(1 - work.cached[:4].sum() / work.anew[:4].sum())
    assert picture.rows_made == (4, 10)


def test_the_feed_forward_network_counts_as_it_is() -> None:
    without, plain, gated = (
        cache_picture(replace(STATE, feed_forward=there, activation=kind)).work.cached[0]
        for there, kind in ((False, Activation.RELU), (True, Activation.RELU), (True, Activation.SILU_GATED))
    )
    matrix = 3 * 2 * 64 * 256
    assert (plain - without, gated - plain) == (2 * matrix, matrix)


def test_wishes_beyond_the_sentence_are_held() -> None:
    assert [decoded_shown(replace(STATE, decoded=wish)) for wish in (0, 1, 6, 99)] == [1, 1, 6, 6]
    assert [with_decoded(STATE, wish).decoded for wish in (-1, 3, 99)] == [1, 3, 6]
    assert cache_picture(replace(STATE, sentence="one", decoded=3)).decoded == 1


def test_sentences_words_and_table() -> None:
    picture = cache_picture(STATE)
    told = cache_sentences(picture)
    assert "“on” (4) came last" in told[1]
    assert "compared with 4 keys" in told[1]
    assert told[-1].startswith("The stack in the other pictures has no mask")
    assert "no mask" not in cache_sentences(cache_picture(replace(STATE, causal=True)))[-1]
    assert "·10⁻¹" in equality_text(picture)
    assert table_rows(picture)[0][1:] == ("3", "12")
    assert table_rows(picture)[1][1:] == ("12", "30")
    assert cache_words(picture, 0, 3, 0).startswith("layer 2, head 3: key of “on” (4), feature 0: ")
    assert "was not there yet" in cache_words(picture, 2, 0, 1)
    assert "with weight 1" in cache_words(picture, 2, 0, 0)
    assert cache_words(picture, 1, 4, 0).startswith("“the” (5) is not decoded yet")
    assert step_words(picture, 5).startswith("token 6, “mat”: ")
    assert step_words(picture, 6) == ""


def test_numbers_to_take_away() -> None:
    arrays = cache_numbers(cache_picture(STATE))
    assert {name: array.shape for name, array in arrays.items()} == {
        "k": (4, 8),
        "v": (4, 8),
        "weights": (4, 6),
        "output_decoded": (4, 64),
        "output_full": (4, 64),
        "flops_with_cache": (6,),
        "flops_without_cache": (6,),
        "tokens": (6,),
    }


@pytest.mark.parametrize(
    ("flops", "text"), [(768, "768"), (98304, "98 304"), (1.2e6, "1.2 million"), (3.4e9, "3.4 billion")]
)
def test_arithmetic_as_it_is_read(flops: float, text: str) -> None:
    assert flops_text(flops) == text


def test_a_weight_is_said_from_its_query_to_its_key() -> None:
    picture = cache_picture(STATE)
    query, key = picture.tokens[3], picture.tokens[1]
    said = cache_words(picture, 2, 3, 1)
    assert said.startswith(f"layer 2, head 3: “{query}” (4) attends to “{key}” (2) with weight ")
    assert float(said.split()[-1]) == pytest.approx(picture.decoding.weights[1][2, 3, 1], rel=1e-3)


def test_a_step_costs_less_with_the_cache_than_without() -> None:
    picture = cache_picture(STATE)
    cached, anew = picture.work.cached[4], picture.work.anew[4]
    assert cached < anew
    assert f": {flops_text(cached)} FLOPs with the cache, {flops_text(anew)} without" in step_words(picture, 4)
