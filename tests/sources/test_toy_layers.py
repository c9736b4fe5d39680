"""The toy model: what equal words share, where the random numbers come from, and what several layers do."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from attention_explorer.core.byte_cache import arrays_in
from attention_explorer.errors import ExplorerError
from attention_explorer.model import causal_mask, sinusoidal_encoding
from attention_explorer.sources.recipe import Encoding, Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.toy import Layer, token_embeddings, toy_layers

SMALL = ToyRecipe(sentence="The cat sat on the mat", d_model=8, heads=2)


def weights_by_hand(layer: Layer, mask: np.ndarray | None = None) -> np.ndarray:
    scores = np.einsum("hid,hjd->hij", layer.q, layer.k) / np.sqrt(layer.q.shape[-1])
    exponentials = np.exp(scores) if mask is None else np.exp(scores) * mask
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def weights(layer: Layer) -> np.ndarray:
    return np.array([head.weights() for head in layer.maps])


# ---- Embeddings ----


def test_equal_words_share_a_vector_and_capitals_count_if_wanted() -> None:
    sensitive, _ = token_embeddings(replace(SMALL, sentence="The cat the cat"))
    np.testing.assert_array_equal(sensitive[1], sensitive[3])
    assert not np.isclose(sensitive[0], sensitive[2]).any()
    folded, _ = token_embeddings(replace(SMALL, sentence="The cat the cat", case_sensitive=False))
    np.testing.assert_array_equal(folded[0], folded[2])
    np.testing.assert_array_equal(folded[1:], sensitive[[1, 2, 3]])


def test_shuffling_words_shuffles_their_vectors_and_weights() -> None:
    shuffled = replace(SMALL, sentence="mat the on sat cat The")
    x, _ = token_embeddings(SMALL)
    y, _ = token_embeddings(shuffled)
    np.testing.assert_array_equal(y, x[::-1])
    np.testing.assert_allclose(weights(toy_layers(shuffled)[0]), weights(toy_layers(SMALL)[0])[:, ::-1, ::-1])


def test_a_word_has_its_vector_in_any_company() -> None:
    x, _ = token_embeddings(replace(SMALL, sentence="cat"))
    y, _ = token_embeddings(SMALL)
    np.testing.assert_array_equal(x[0], y[1])
    z, _ = token_embeddings(replace(SMALL, sentence="cat", seed=43))
    assert not np.isclose(x, z).any()


def test_vectors_of_words_are_the_same_for_ever() -> None:
    x, _ = token_embeddings(replace(SMALL, sentence="cat", d_model=2, heads=1))
    np.testing.assert_allclose(x, [[0.16178988494549812, -0.2026841850796388]], rtol=1e-12)


def test_the_scale_and_the_encoding() -> None:
    x, _ = token_embeddings(SMALL)
    twice, _ = token_embeddings(replace(SMALL, embedding_scale=2.0))
    np.testing.assert_array_equal(twice, 2.0 * x)
    encoded, context = token_embeddings(replace(SMALL, encoding=Encoding.SINUSOIDAL, context="The mat"))
    np.testing.assert_array_equal(encoded, x + sinusoidal_encoding(6, 8))
    np.testing.assert_array_equal(context, x[[0, 5]] + sinusoidal_encoding(2, 8))


def test_given_rows_are_used_as_they_are_and_missing_ones_drawn() -> None:
    rows = tuple(tuple(float(8 * i + j) for j in range(8)) for i in range(7))
    recipe = replace(SMALL, vectors=TokenVectors.GIVEN, given=rows, embedding_scale=0.5)
    x, context = token_embeddings(recipe)
    assert context is x
    np.testing.assert_array_equal(x, rows[:6])
    x, context = token_embeddings(replace(recipe, context="a b c"))
    np.testing.assert_array_equal(x, rows[:6])
    np.testing.assert_array_equal(context[0], rows[6])
    assert len({*context[1], *context[2]}) == 16
    fewer, _ = token_embeddings(replace(recipe, given=rows[:2]))
    np.testing.assert_array_equal(fewer[:2], rows[:2])
    again, _ = token_embeddings(replace(recipe, given=rows[:4], sentence="x x x x x"))
    np.testing.assert_array_equal(again[4], fewer[4])


def test_rows_by_position_then_the_context_then_the_projections() -> None:
    recipe = replace(SMALL, vectors=TokenVectors.BY_POSITION, context="le tapis .", seed=7, layers=2, d_k=3)
    layers = toy_layers(recipe)
    stream = np.random.RandomState(7)
    np.testing.assert_array_equal(layers[0].x, stream.randn(6, 8))
    np.testing.assert_array_equal(layers[0].context, stream.randn(3, 8))
    for layer in layers:
        assert layer.attention is not None
        w_q, w_k, w_v = (stream.randn(8, 6) / np.sqrt(8) for _ in range(3))
        w_o = stream.randn(6, 8) / np.sqrt(8)
        for own, expected in zip((layer.q, layer.k, layer.v), (w_q, w_k, w_v), strict=True):
            rows = layer.x if own is layer.q else layer.context
            np.testing.assert_allclose(np.hstack(list(own)), rows @ expected, atol=1e-12)
        heads = np.arange(36.0).reshape(2, 6, 3)
        np.testing.assert_allclose(layer.attention.project_output(heads), np.hstack(list(heads)) @ w_o, atol=1e-12)


@pytest.mark.parametrize("vectors", [TokenVectors.BY_WORD, TokenVectors.GIVEN])
def test_other_vectors_leave_the_stream_to_the_projections(vectors: TokenVectors) -> None:
    layer = toy_layers(replace(SMALL, vectors=vectors, seed=7))[0]
    w_q = np.random.RandomState(7).randn(8, 8) / np.sqrt(8)
    np.testing.assert_allclose(np.hstack(list(layer.q)), layer.x @ w_q, atol=1e-12)


# ---- Projections ----


def test_tied_projections_make_scores_symmetric_and_leave_the_values() -> None:
    free = toy_layers(SMALL)[0]
    tied = toy_layers(replace(SMALL, projections=Projections.TIED))[0]
    np.testing.assert_array_equal(tied.q, tied.k)
    np.testing.assert_array_equal(tied.q, free.q)
    np.testing.assert_array_equal(tied.v, free.v)
    assert not np.allclose(weights(tied), weights(tied).swapaxes(1, 2))


def test_without_projections_the_heads_share_the_features() -> None:
    layer = toy_layers(replace(SMALL, projections=Projections.IDENTITY))[0]
    for part in (layer.q, layer.k, layer.v):
        np.testing.assert_array_equal(np.hstack(list(part)), layer.x)


# ---- Attention ----


def test_weights_of_every_head() -> None:
    layer = toy_layers(SMALL)[0]
    assert len(layer.maps) == 2
    np.testing.assert_allclose(weights(layer), weights_by_hand(layer), rtol=1e-12)


def test_mask_scale_temperature_and_hard_reach_every_head_of_every_layer() -> None:
    recipe, mask = replace(SMALL, layers=2), causal_mask(6)
    for layer in toy_layers(recipe, mask=mask):
        np.testing.assert_allclose(weights(layer), weights_by_hand(layer, mask), rtol=1e-12)
    for layer in toy_layers(recipe, mask=lambda start, stop: mask[start:stop]):
        np.testing.assert_allclose(weights(layer), weights_by_hand(layer, mask), rtol=1e-12)
    for layer in toy_layers(recipe, scale=0.25, temperature=0.5):  # together as 1/√4
        np.testing.assert_allclose(weights(layer), weights_by_hand(layer), rtol=1e-12)
    for layer in toy_layers(recipe, hard=True):
        np.testing.assert_array_equal(weights(layer).argmax(-1), weights_by_hand(layer).argmax(-1))
        np.testing.assert_array_equal(np.sort(weights(layer))[..., -1], np.ones((2, 6)))


@pytest.mark.parametrize("context", [None, "Le chat"])
def test_layers_are_joined_by_a_residual_connection_and_a_norm(context: str | None) -> None:
    layers = toy_layers(replace(SMALL, layers=3, context=context))
    assert len(layers) == 3
    for before, after in pairwise(layers):
        assert before.attention is not None
        found = np.einsum("hij,hjd->hid", weights_by_hand(before), before.v)
        y = before.x + before.attention.project_output(found)
        y -= y.mean(axis=1, keepdims=True)
        np.testing.assert_allclose(after.x, y / np.sqrt((y**2).mean(axis=1, keepdims=True)), rtol=1e-4)
        expected = after.x if context is None else layers[0].context
        np.testing.assert_array_equal(after.context, expected)
    fewer = toy_layers(replace(SMALL, layers=1, context=context))
    np.testing.assert_array_equal(fewer[0].q, layers[0].q)


def test_cross_attention_is_as_wide_as_its_context() -> None:
    layer = toy_layers(replace(SMALL, context="Le chat"))[0]
    assert weights(layer).shape == (2, 6, 2)
    mask = np.ones((6, 2), dtype=bool)
    mask[:, 0] = False
    np.testing.assert_array_equal(weights(toy_layers(replace(SMALL, context="Le chat"), mask=mask)[0])[..., 1], 1.0)
    with pytest.raises(ExplorerError, match="mask has shape"):
        toy_layers(replace(SMALL, context="Le chat"), mask=causal_mask(6))


@pytest.mark.parametrize("vectors", TokenVectors)
@pytest.mark.parametrize(("sentence", "context"), [("", None), ("a b", ""), ("", "a b"), ("", "")])
def test_sentences_without_tokens(sentence: str, context: str | None, vectors: TokenVectors) -> None:
    recipe = replace(SMALL, sentence=sentence, context=context, vectors=vectors, layers=2, encoding=Encoding.SINUSOIDAL)
    shape = (2, len(recipe.tokens), len(recipe.context_tokens))
    for layer in toy_layers(recipe):
        np.testing.assert_array_equal(weights(layer), np.zeros(shape))


def test_one_token_attends_to_itself() -> None:
    assert weights(toy_layers(replace(SMALL, sentence="cat"))[0]).tolist() == [[[1.0]], [[1.0]]]


# ---- What is shared ----


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"context": "Le chat"},
        {"vectors": TokenVectors.BY_POSITION, "encoding": Encoding.SINUSOIDAL},
        {"vectors": TokenVectors.GIVEN, "projections": Projections.IDENTITY},
        {"layers": 2, "sentence": "cat"},
    ],
)
def test_nothing_shared_can_be_written_to(changes: dict[str, Any]) -> None:
    recipe = replace(SMALL, **changes)
    shared: list[np.ndarray] = [*token_embeddings(recipe)]
    for layer in toy_layers(recipe):
        shared += [layer.x, layer.context, layer.q, layer.k, layer.v]
        shared += [array for array in vars(layer.attention).values() if isinstance(array, np.ndarray)]
    assert len(shared) > 6
    for array in shared:
        assert not array.flags.writeable


def test_a_mask_changes_no_projection() -> None:
    assert toy_layers(SMALL, mask=causal_mask(6))[0].q is toy_layers(SMALL, temperature=2.0)[0].q


def test_what_was_computed_before_does_not_matter() -> None:
    fresh = weights(toy_layers(SMALL)[0])
    for changes in ({"seed": 1}, {"d_model": 16}, {"vectors": TokenVectors.BY_POSITION}, {"case_sensitive": False}):
        assert not np.allclose(weights(toy_layers(replace(SMALL, **changes))[0]), fresh)  # type: ignore[arg-type]
    np.testing.assert_array_equal(weights(toy_layers(SMALL)[0]), fresh)


def test_the_cache_counts_the_projections_that_layers_keep_alive() -> None:
    recipe = replace(SMALL, d_model=96, heads=4, layers=3)
    counted = sum(array.nbytes for array in arrays_in(toy_layers(recipe)))
    assert counted >= 3 * 4 * 96 * 96 * 8
