"""Layers are run when they are looked at, each once, and none above."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest

from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.toy import toy_layers

RECIPE = ToyRecipe("layers are run one by one", d_model=16, heads=4, layers=4)


def test_a_layer_is_run_when_it_is_looked_at_and_those_above_are_not() -> None:
    layers = toy_layers(RECIPE)
    assert (len(layers), layers.run) == (4, 1)
    second = layers[1]
    assert (layers.run, layers[1] is second) == (2, True)
    assert layers[:2] == (layers[0], second)
    assert layers.run == 2
    assert layers[-1] is layers[3]
    assert layers.run == 4


@pytest.mark.parametrize("place", [4, -5])
def test_there_are_no_others(place: int) -> None:
    with pytest.raises(IndexError):
        toy_layers(RECIPE)[place]


def test_the_order_of_looking_alters_nothing() -> None:
    up, down = toy_layers(RECIPE), toy_layers(RECIPE)
    assert down[3] is not None
    for one, other in zip(up, down, strict=True):
        np.testing.assert_array_equal(one.q, other.q)


def test_several_threads_are_given_the_same_layers() -> None:
    layers = toy_layers(RECIPE)
    found: list[object] = []
    threads = [Thread(target=lambda: found.append(layers[3])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(layer) for layer in found}) == 1
