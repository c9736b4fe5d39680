"""Layers of trained models, array by array, of every family that opens: what leaves each is what the model computed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.model_source import ModelSource, model_recipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.registry import source_of

MODELS = Path(__file__).parents[2] / "data" / "models"
FOLDERS = sorted(path.name for path in MODELS.iterdir() if (path / "config.json").is_file())
SENTENCE = "the cat sat"


def source(name: str) -> ModelSource:
    try:
        return ModelSource(model_recipe(MODELS / name, SENTENCE))
    except ExplorerError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", FOLDERS)
def test_what_leaves_a_layer_is_what_enters_the_next(name: str) -> None:
    opened = source(name)
    layers = [opened.whole_layer(place) for place in range(len(opened.heads))]
    assert len(layers) > 1
    for before, after in pairwise(layers):
        leaving = list(before.arrays.values())[-1]
        np.testing.assert_allclose(after.arrays["x"], leaving, rtol=1e-4, atol=1e-5 * np.abs(leaving).max())


@pytest.mark.parametrize("name", FOLDERS)
def test_weights_are_the_softmax_of_what_comes_before_them(name: str) -> None:
    whole = source(name).whole_layer(0)
    scores = whole.arrays["scaled" if whole.mask is None else "masked"].astype(np.float64)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = shares / shares.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(whole.arrays["weights"], weights, atol=1e-4)
    mixed = weights @ np.repeat(whole.arrays["v"], whole.shared, axis=0)
    np.testing.assert_allclose(whole.arrays["head_output"], mixed, atol=1e-3 * np.abs(mixed).max())


def test_keys_that_heads_share_are_there_once() -> None:
    whole = source("llama").whole_layer(0)
    assert whole.shared == 2
    assert len(whole.arrays["k"]) * 2 == len(whole.arrays["q"])
    assert whole.is_gated
    assert "linear_part" in whole.arrays


def test_what_has_only_weights_says_so() -> None:
    with pytest.raises(ExplorerError, match="Only the weights were recorded"):
        source_of(BoxRecipe("smollm2-soft")).whole_layer(0)
