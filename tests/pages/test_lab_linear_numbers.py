"""Linear in V, not in X: against a loop over heads, for every factor."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from attention_explorer.core.numerals import size_text
from attention_explorer.core.preset import preset_of
from attention_explorer.model import softmax
from attention_explorer.pages.lab.linear import (
    FACTORS,
    NO_PROOF,
    LinearPicture,
    linear_headline,
    linear_numbers,
    linear_panel,
    linear_picture,
    linear_sentences,
    linear_words,
)
from attention_explorer.pages.lab.ui.layers import Linear
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.stack import block_stack, block_trace
from attention_explorer.pages.stack.state import BlockState

block_preset = partial(preset_of, preset_list("block"))

STATE = replace(block_preset("linear").state, factor=3.0)


def by_loop(state: BlockState, x: np.ndarray, times_v: float) -> np.ndarray:
    """Return attention head by head, with the values multiplied."""
    attention = block_stack(state).stack.layers[state.layer_shown].attention
    width = state.d_model // state.heads
    parts = []
    for head in range(state.heads):
        own = slice(head * width, (head + 1) * width)
        q, k, v = (x @ matrix[:, own] for matrix in (attention.w_q, attention.w_k, attention.w_v))
        parts.append(softmax(q @ k.T / np.sqrt(width)) @ (times_v * v))
    return np.asarray(np.concatenate(parts, axis=1) @ attention.w_o)


def readings(picture: LinearPicture) -> list[str]:
    """What the panel shows large: how far off V and X are."""
    (found,) = Linear().panel(picture).items
    return [reading.number for reading in found.readings]


@pytest.mark.parametrize("factor", [factor for factor in FACTORS if factor not in NO_PROOF])
def test_v_follows_and_x_does_not(factor: float) -> None:
    picture = linear_picture(replace(STATE, factor=factor))
    by_v, by_x = picture.by
    size = np.abs(by_v.expected).max()
    assert by_v.error < 1e-14 * size * 10
    assert by_x.error > 0.01 * size
    assert linear_headline(picture) == "Linear in V, not in X."
    assert readings(picture) == [size_text(by_v.error), size_text(by_x.error)]


def test_against_a_loop_over_heads() -> None:
    x = block_stack(STATE).x[0]
    by_v, by_x = linear_picture(STATE).by
    np.testing.assert_allclose(by_v.found, by_loop(STATE, x, 3.0), atol=1e-12)
    np.testing.assert_allclose(by_x.found, by_loop(STATE, 3.0 * x, 1.0), atol=1e-12)
    np.testing.assert_allclose(by_x.expected, 3.0 * by_loop(STATE, x, 1.0), atol=1e-12)


def test_a_power_of_two_is_exact_and_said_to_be() -> None:
    two = linear_picture(replace(STATE, factor=2.0))
    assert two.by[0].error == 0.0
    assert "With V there is not even a rounding difference" in "".join(linear_sentences(two))
    three = linear_picture(STATE)
    assert 0.0 < three.by[0].error < 1e-12
    assert "is rounding" in "".join(linear_sentences(three))


def test_factors_that_tell_nothing_say_so() -> None:
    for factor, text in zip(NO_PROOF, ("−1", "0", "1"), strict=True):
        picture = linear_picture(replace(STATE, factor=factor))
        assert picture.by[1].error == 0.0
        assert linear_headline(picture) == f"Linear in V. Times {text} does not test X."
        assert readings(picture) == ["0", "0"]
        told = f"Times {text} leaves the weights as they are, so it does not tell." in linear_panel(picture)
        assert told == (picture.moved == 0.0) == (factor != 0.0), "times 0 makes all weights the same"


def test_the_layer_that_is_looked_at_is_used_with_what_reaches_it() -> None:
    state = replace(BlockState(), layers=3, layer=2, factor=3.0)
    picture = linear_picture(state)
    x = block_trace(state).layers[2].attention.before[0]
    np.testing.assert_allclose(picture.by[0].found, by_loop(state, x, 3.0), atol=1e-10)
    assert linear_picture(replace(state, layer=9)).by[0].found is picture.by[0].found


def test_maps_share_their_colours_and_words_give_the_numbers() -> None:
    picture = linear_picture(STATE)
    assert len({map_.scale.high for number, map_ in enumerate(picture.maps) if number % 3 < 2}) == 1
    assert picture.maps[2].scale == picture.maps[5].scale
    titles = [map_.title for map_ in Linear().item(picture).items]
    assert titles == [
        "3 × output",
        f"with 3 × V, minus that: ≤ {size_text(picture.by[0].error)}, rounding",
        f"with 3 × X, minus that: ≤ {size_text(picture.by[1].error)}",
    ]
    assert linear_sentences(picture)[0].startswith("A · (3 V) · W_O differs from 3 · (A · V · W_O) by up to ")
    words = linear_words(picture, 1, 5)
    assert words.startswith("“cat” (2), feature 5 · V × 3: ")
    assert linear_words(picture, 1, 64) == ""
    assert linear_numbers(picture)["difference_x"].shape == (6, 64)
