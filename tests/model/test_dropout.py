"""Dropout in a layer: which numbers are left out, what that does to all that follows, and what it refuses."""

import math

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    Dropout,
    DropoutPlace,
    EncoderStack,
    NormPlacement,
    StackSetting,
    causal_mask,
    random_layer,
    random_stack,
)
from attention_explorer.model.attention_layer import AttentionLayer

SETTING = StackSetting(8, 2, 12, 1, initialiser=0.5)
LAYER = random_layer(SETTING, np.random.RandomState(0))
X = np.random.default_rng(1).normal(size=(3, 8))
SHAPES = {
    DropoutPlace.WEIGHTS: (2, 3, 3),
    DropoutPlace.ATTENTION: (3, 8),
    DropoutPlace.HIDDEN: (3, 12),
    DropoutPlace.NETWORK: (3, 8),
}


def test_what_stays_is_divided_by_what_is_left_of_one_and_the_rest_is_zero() -> None:
    dropout, x = Dropout(hidden=0.25, seed=3), np.arange(1.0, 13.0).reshape(3, 4)
    kept, found = dropout.kept(DropoutPlace.HIDDEN, x.shape), dropout(DropoutPlace.HIDDEN, x)
    assert {True, False} == set(kept.ravel().tolist())
    for row in range(3):
        for column in range(4):
            wanted = x[row, column] / 0.75 if kept[row, column] else 0.0
            assert math.isclose(found[row, column], wanted, rel_tol=1e-15)
    assert dropout(DropoutPlace.WEIGHTS, x) is x  # no rate, nothing to do


def test_the_mean_over_many_draws_is_what_there_was() -> None:
    x = np.array([-2.0, 0.5, 3.0])
    draws = np.stack([Dropout(weights=0.4, seed=seed)(DropoutPlace.WEIGHTS, x) for seed in range(4000)])
    # The standard error of a mean of 4000 draws is |x| √(p ÷ (1 − p) ÷ 4000) = 0.013 |x|.
    np.testing.assert_allclose(draws.mean(axis=0), x, rtol=0.06)
    assert abs(np.mean(draws == 0.0) - 0.4) < 0.02


@pytest.mark.parametrize("place", DropoutPlace)
def test_a_layer_in_loops(place: DropoutPlace) -> None:
    """Each place by itself: all before it is as without dropout, all after it follows from what is left."""
    dropout = Dropout(**{place: 0.5}, seed=4)
    plain, found = LAYER(X).stages(), LAYER(X, dropout=dropout).stages()
    names = list(plain)
    for name in names[: names.index(place)]:
        untouched = name not in ("head_output", "concat") or place != DropoutPlace.WEIGHTS
        if untouched:
            np.testing.assert_array_equal(found[name], plain[name])
    kept = dropout.kept(place, SHAPES[place])
    np.testing.assert_allclose(found[place], np.where(kept, plain[place] * 2.0, 0.0))
    heads = [sum(found["weights"][h, :, j, None] * found["v"][h, j] for j in range(3)) for h in range(2)]
    np.testing.assert_allclose(found["concat"], np.concatenate(heads, axis=1), atol=1e-14)
    if place != DropoutPlace.ATTENTION:
        np.testing.assert_allclose(found["attention_output"], found["concat"] @ LAYER.attention.w_o, atol=1e-14)
    np.testing.assert_allclose(found["attention_sum"], X + found["attention_output"])
    if place != DropoutPlace.NETWORK:
        network = LAYER.feed_forward
        np.testing.assert_allclose(found["feed_forward_output"], found["hidden"] @ network.w2, atol=1e-13)
    np.testing.assert_allclose(found["feed_forward_sum"], found["middle"] + found["feed_forward_output"])
    assert not np.array_equal(found["output"], plain["output"])


def test_rows_of_weights_no_longer_sum_to_one_and_hidden_keys_stay_hidden() -> None:
    trace = LAYER(X, mask=causal_mask(3), dropout=Dropout.everywhere(0.5, seed=1))
    assert np.abs(trace.weights.sum(axis=-1) - 1.0).max() > 0.2
    assert not trace.weights[..., ~causal_mask(3)].any()


def test_each_layer_and_seed_draws_anew_and_the_same_again() -> None:
    stack = random_stack(StackSetting(8, 2, 12, 2, initialiser=0.5), np.random.RandomState(0))
    same = EncoderStack([stack.layers[0]] * 2)
    dropout = Dropout.everywhere(0.5, seed=7)
    first, second = (trace.weights == 0.0 for trace in same(X, dropout=dropout).layers)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(stack(X, dropout=dropout).output, stack(X, dropout=dropout).output)
    assert not np.array_equal(
        stack(X, dropout=dropout).output, stack(X, dropout=Dropout.everywhere(0.5, seed=8)).output
    )
    np.testing.assert_array_equal(stack(X, dropout=Dropout()).output, stack(X).output)
    below = stack(X, dropout=dropout).layers[0].output
    upper = stack.layers[1](below, dropout=dropout.of_layer(1))
    np.testing.assert_array_equal(stack(X, dropout=dropout).output, upper.output)


def test_a_rate_at_one_place_moves_no_draw_at_another() -> None:
    alone, all_ = Dropout(hidden=0.3, seed=5), Dropout.everywhere(0.3, seed=5)
    np.testing.assert_array_equal(alone.kept(DropoutPlace.HIDDEN, (4, 9)), all_.kept(DropoutPlace.HIDDEN, (4, 9)))
    assert alone.places == (DropoutPlace.HIDDEN,)
    assert all_.places == tuple(DropoutPlace)


def test_attention_alone_has_no_network_to_leave_anything_out_of() -> None:
    found = AttentionLayer(LAYER)(X, dropout=Dropout.everywhere(0.5))
    np.testing.assert_array_equal(found.output, found.attention.output)
    assert not np.array_equal(found.output, AttentionLayer(LAYER)(X).output)


def test_float32_stays_float32() -> None:
    found = Dropout(hidden=0.3)(DropoutPlace.HIDDEN, X.astype(np.float32))
    assert found.dtype == np.float32


@pytest.mark.parametrize("placement", NormPlacement)
def test_a_derivative_is_refused(placement: NormPlacement) -> None:
    layer = random_layer(StackSetting(8, 2, 12, 1, initialiser=0.5, norm=placement), np.random.RandomState(0))
    trace = layer(X, dropout=Dropout(hidden=0.5))
    with pytest.raises(ArrayError, match="made with dropout: call the layer without it"):
        layer.reverse(trace, np.ones_like(X))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"weights": 1.0}, "weights must be a rate from 0 to below 1, not 1.0"),
        ({"hidden": -0.1}, "hidden must be a rate from 0 to below 1"),
        ({"attention_output": math.nan}, "attention_output must be a finite number"),
        ({"feed_forward_output": "0.1"}, "feed_forward_output must be a finite number"),
        ({"seed": -1}, "seed must be from 0"),
        ({"layer": 2**32}, "layer must be from 0"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        Dropout(**given)  # type: ignore[arg-type]


def test_numbers_that_leave_the_range_are_refused() -> None:
    with pytest.raises(ArrayError, match="dropout at hidden leaves the range of float32"):
        Dropout(hidden=0.9)(DropoutPlace.HIDDEN, np.full((8, 8), 3e38, np.float32))
