"""Replace a token: what stays the same to the last bit under a causal mask, through every layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.model import NormPlacement, causal_mask
from attention_explorer.pages.layer.future import (
    NOISE,
    changed_shown,
    future_numbers,
    future_picture,
    future_sentences,
    future_words,
)
from attention_explorer.pages.stack.choices import Initialiser
from attention_explorer.pages.stack.stack import block_stack
from attention_explorer.pages.stack.state import BlockState

STATE = BlockState(layers=4, changed_token=3)


@pytest.mark.parametrize("token", range(6))
@pytest.mark.parametrize("norm", list(NormPlacement))
@pytest.mark.parametrize("initialiser", [Initialiser.HE, Initialiser.XAVIER])
def test_no_bit_of_an_earlier_row_moves(token: int, norm: NormPlacement, initialiser: Initialiser) -> None:
    picture = future_picture(replace(STATE, changed_token=token, norm=norm, initialiser=initialiser))
    causal, free = picture.moved[True], picture.moved[False]
    assert not causal.numbers[:, :token].any()
    assert not causal.change[:, :token].any()
    assert (causal.numbers[1:, token:] > 0).all()  # it, and all after it, have heard of it
    assert (free.numbers[1:] > 0).all()
    for moved in (causal, free):  # of what goes in only the token itself is another
        np.testing.assert_array_equal(np.flatnonzero(moved.numbers[0]), [token])


def test_the_largest_changes_are_those_of_two_runs() -> None:
    picture, whole = future_picture(STATE), block_stack(STATE)
    after = whole.x[0].copy()
    after[3] = np.random.RandomState([STATE.seed, 3]).randn(64) * NOISE
    mask = causal_mask(6)
    one, other = whole.stack(whole.x[0], mask=mask).output, whole.stack(after, mask=mask).output
    np.testing.assert_array_equal(picture.moved[True].change[-1], np.abs(one - other).max(axis=1))
    np.testing.assert_array_equal(picture.moved[True].numbers[-1], (one != other).sum(axis=1))
    assert future_numbers(picture)["change_causal"].shape == (5, 6)


def test_a_token_that_is_not_there_is_the_last() -> None:
    assert changed_shown(replace(STATE, changed_token=40)) == 5
    assert changed_shown(replace(STATE, sentence="one", changed_token=40)) == 0
    assert future_picture(replace(STATE, changed_token=40)).token == 5


def test_words_give_the_numbers() -> None:
    picture = future_picture(STATE)
    assert "all 64 numbers are the same bit for bit" in future_words(picture, True, 0)
    assert "64 of 64 numbers differ" in future_words(picture, False, 0, 2)
    assert "after layer 2" in future_words(picture, False, 0, 2)
    assert "input X" in future_words(picture, False, 3, 0)
    assert future_words(picture, False, 6) == ""
    assert future_words(picture, False, 0, 9) == ""


def test_numbers_beyond_the_range_are_a_reason() -> None:
    state = replace(STATE, layers=24, norm=NormPlacement.NONE, initialiser=Initialiser.NUMBER, gain=1e12)
    picture = future_picture(state)
    assert "nothing to compare" in picture.reason
    assert future_sentences(picture)[0] == "Numbers too large or too small"
    assert future_numbers(picture) == {}


def test_impossible_sizes_are_refused_in_words() -> None:
    with pytest.raises(ExplorerError, match="7 heads cannot share 64 features"):
        future_picture(replace(STATE, heads=7))
