"""The KV cache of a real model: a slice of its own run, decoded token by token, or a sentence why there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.layer.cache import cache_numbers, cache_picture, cache_sentences, table_rows
from attention_explorer.pages.layer.ui.views import view_of
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models.loading import load_model

MODELS = Path(__file__).parents[1] / "data" / "models"
SENTENCE = "the cat sat on the mat"


def state_of(name: str, sentence: str = SENTENCE, **changes) -> BlockState:
    found = BlockState(model=model_recipe(MODELS / name, sentence), picture=BlockPicture.CACHE, layer=1, head=1)
    return replace(found, **changes)


@pytest.mark.parametrize("name", ["gpt2", "llama", "gemma2", "gpt-neox", "opt", "phi3"])
def test_the_cache_is_a_slice_of_the_models_own_run(name: str) -> None:
    state = state_of(name, decoded=3)
    picture, run = cache_picture(state), load_model(MODELS / name)(SENTENCE).run
    found = run.main.layer(1).attention
    shared = len(found.q) // len(found.k)
    n = len(picture.tokens)
    k_map, v_map, weights = picture.maps
    np.testing.assert_allclose(k_map.values, found.k[1 // shared], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(v_map.values, found.v[1 // shared], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(weights.values, found.weights[1], rtol=1e-4, atol=1e-5)
    assert [int((~map_.absent[0]).sum()) for map_ in picture.maps] == [3] * 3
    np.testing.assert_allclose(picture.decoding.output, run.main.hidden[-1], rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(picture.decoding.full, run.main.hidden[-1])
    assert 0.0 <= picture.decoding.error(n) < 1e-3
    assert picture.numbers_held == 3 * len(run.main.stack.layers) * 2 * found.k.shape[0] * found.k.shape[2]
    assert cache_numbers(picture)["k"].shape == (3, found.k.shape[2])


def test_the_work_is_counted_matrix_by_matrix() -> None:
    picture = cache_picture(state_of("llama", decoded=4))
    stack = load_model(MODELS / "llama").transformer.main
    of_token = sum(
        2 * matrix.weight.size
        for layer in stack.layers
        for matrix in (layer.attention.project, layer.attention.output, layer.network.up, layer.network.down)
    )
    spec = stack.spec
    of_pair = len(stack.layers) * 2 * 2 * spec.heads * spec.head_width
    for step in range(4):
        assert picture.work.cached[step] == of_token + of_pair * (step + 1)
        assert picture.work.anew[step] == (of_token + of_pair * (step + 1)) * (step + 1)
    assert table_rows(picture)[0][0] == f"rows of K and V in this step, {len(stack.layers)} layers"


def test_what_heads_share_is_kept_once_and_said() -> None:
    picture = cache_picture(state_of("llama"))
    assert picture.decoding.shared(1) == 2
    other = cache_picture(state_of("llama", head=0))
    np.testing.assert_array_equal(picture.maps[0].values, other.maps[0].values)
    assert any("Every 2 heads share a key and a value" in said for said in cache_sentences(picture))
    assert not any("heads share" in said for said in cache_sentences(cache_picture(state_of("gpt2"))))


@pytest.mark.parametrize("name", ["bert", "bart"])
def test_a_model_that_keeps_none_says_why(name: str) -> None:
    with pytest.raises(ExplorerError, match="A cache is kept by models that see no later words"):
        cache_picture(state_of(name))


def test_what_is_no_model_says_why() -> None:
    recipe = heads_preset("random-words").state.setup.recipe
    with pytest.raises(ExplorerError, match="open one in Heads, or choose a drawn layer"):
        cache_picture(BlockState(model=recipe, picture=BlockPicture.CACHE))


def test_a_long_text_is_refused() -> None:
    with pytest.raises(ExplorerError, match="shown for up to 128 tokens, and there are"):
        cache_picture(state_of("llama", "the cat " * 70))


def test_what_is_masked_or_cut_in_the_diagram_is_not_here_and_not_said() -> None:
    plain, masked = state_of("gpt2"), state_of("gpt2", mask=MaskChoice(MaskKind.WINDOW, 2))
    assert cache_picture(masked).decoding is cache_picture(plain).decoding
    said = view_of(BlockPicture.CACHE).settings(masked)
    assert "mask: " not in said
    assert "decoded causally" in said
