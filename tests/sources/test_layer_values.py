"""The values of a layer are made when they are asked for: weights and the wall of heads need none."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import MultiHeadAttention
from attention_explorer.sources.hand_made import hand_made_layers
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.toy import toy_layers


@pytest.fixture
def made(monkeypatch) -> list[tuple[int, ...]]:
    """The shapes of what values were made of."""
    shapes: list[tuple[int, ...]] = []
    make = MultiHeadAttention.project_values

    def counted(self, context):
        shapes.append(np.shape(context))
        return make(self, context)

    monkeypatch.setattr(MultiHeadAttention, "project_values", counted)
    return shapes


def test_maps_need_no_values_and_values_are_made_once(made) -> None:
    (layer,) = toy_layers(ToyRecipe("values made late", d_model=16, heads=4))
    for map_ in layer.maps:
        map_.survey(8, 8)
    assert made == []
    assert layer.v is layer.v
    assert made == [(3, 16)]
    assert not layer.v.flags.writeable


@pytest.mark.parametrize("context", [None, "in another sentence"])
def test_queries_keys_and_values_are_those_made_together(context) -> None:
    (layer,) = toy_layers(ToyRecipe("values made late", context, d_model=16, heads=4))
    q, k, v = layer.attention.project(layer.x, layer.context)
    for found, expected in ((layer.q, q), (layer.k, k), (layer.v, v)):
        np.testing.assert_array_equal(found, expected)
    apart = layer.attention.project_queries_keys(layer.x, None if context is None else layer.context)
    np.testing.assert_array_equal(apart[0], q)
    np.testing.assert_array_equal(apart[1], k)


def test_between_layers_values_are_mixed_all_the_same(made) -> None:
    layers = toy_layers(ToyRecipe("values made late", d_model=16, heads=4, layers=3))[:]
    assert len(made) == 2, "those of the last layer go nowhere"
    mixed = np.concatenate([m.weights() @ v for m, v in zip(layers[0].maps, layers[0].v, strict=True)], axis=1)
    x = layers[0].x + mixed @ layers[0].attention.w_o
    expected = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(layers[1].x, expected, rtol=1e-9, atol=1e-12)


def test_hand_made_heads_have_values_too() -> None:
    (layer,) = hand_made_layers(HandMadeRecipe())
    assert layer.v.shape[:2] == layer.k.shape[:2]


def test_a_context_of_another_width_is_refused_in_words() -> None:
    (layer,) = toy_layers(ToyRecipe("values made late", d_model=16, heads=4))
    with pytest.raises(ArrayError, match="w_v"):
        layer.attention.project_values(np.ones((3, 5)))
