"""A value may be longer or shorter than a query: d_v beside d_k."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.recipe import Projections, ToyRecipe, checked
from attention_explorer.sources.toy import toy_layers

SMALL = ToyRecipe(sentence="the cat sat", d_model=8, heads=2, layers=2)


def test_without_a_choice_a_value_is_as_long_as_a_query():
    assert SMALL.value_width == 4
    assert replace(SMALL, d_k=3).value_width == 3
    assert replace(SMALL, d_k=3, d_v=5).value_width == 5


def test_values_and_the_output_projection_have_the_width_and_queries_stay():
    plain, wide = toy_layers(SMALL)[0], toy_layers(replace(SMALL, d_v=7))[0]
    assert wide.v.shape == (2, 3, 7)
    assert wide.attention.w_v.shape == (8, 14)
    assert wide.attention.w_o.shape == (14, 8)
    assert np.array_equal(wide.q, plain.q)  # drawn before W_v
    assert np.array_equal(wide.k, plain.k)
    same = toy_layers(replace(SMALL, d_v=4))
    for ours, theirs in zip(same, toy_layers(SMALL), strict=True):
        assert np.array_equal(ours.v, theirs.v)  # the width it has anyhow: not one number differs


def test_the_draws_are_those_of_the_stream_in_order():
    stream = np.random.RandomState(42)
    widths = ((8, 8), (8, 8), (8, 6), (6, 8))
    expected = [stream.randn(*shape) * SMALL.gain_number for shape in widths]
    attention = toy_layers(replace(SMALL, d_v=3, layers=1))[0].attention
    for drawn, by_hand in zip((attention.w_q, attention.w_k, attention.w_v, attention.w_o), expected, strict=True):
        assert np.array_equal(drawn, by_hand)


def test_the_layer_computes_with_it():
    recipe = replace(SMALL, d_v=5, context="le chat")
    layer = toy_layers(recipe)[0]
    trace = layer.attention(layer.x, layer.context)
    for head in range(2):
        np.testing.assert_allclose(layer.maps[head].output(layer.v[head]), trace.head_output[head], atol=1e-14)
    assert trace.output.shape == (3, 8)
    assert np.isfinite(toy_layers(recipe)[1].x).all()


@pytest.mark.parametrize("wrong", [0, 513])
def test_a_width_out_of_range_is_refused(wrong):
    with pytest.raises(ExplorerError, match="d_v must be a whole number from 1 to 512"):
        checked(replace(SMALL, d_v=wrong))


def test_without_projections_the_width_is_that_of_the_tokens():
    plain = replace(SMALL, projections=Projections.IDENTITY)
    assert checked(replace(plain, d_v=4)).d_v == 4
    with pytest.raises(ExplorerError, match="leave d_v open"):
        checked(replace(plain, d_v=3))


def test_a_model_that_is_too_large_is_refused():
    large = ToyRecipe(d_model=1024, heads=64, d_k=1)
    assert checked(large) is large
    with pytest.raises(ExplorerError, match="million numbers"):
        checked(replace(large, d_v=512, layers=2))
