"""Recorded attention as a source: what comes out is what was stored, and what cannot be told is said."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attention_explorer.core import files
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Stage, causal_mask, scaled_dot_product_attention
from attention_explorer.pages.heads.export import map_numbers, setup_words
from attention_explorer.pages.heads.frame import frame_to_show, heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.shown_map import map_picture
from attention_explorer.pages.heads.state import HeadsSetup, HeadsView, MaskChoice, MaskKind
from attention_explorer.pages.heads.survey import surveys_of
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.pages.heads.wording import arithmetic, badges, cell_words, source_words
from attention_explorer.sources.recorded_recipe import RECORDINGS, BoxRecipe
from attention_explorer.sources.recorded_source import file_recipe
from attention_explorer.sources.registry import sentence_of, source_of, tokens_of
from attention_explorer.sources.source import Ability, Lookup, Made

RNG = np.random.default_rng(5)


def rows_of_weights(*shape: int, causal: bool = False) -> np.ndarray:
    scores = RNG.standard_normal(shape)
    if causal:
        scores[..., ~causal_mask(*shape[-2:])] = -np.inf
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@pytest.fixture
def saved(tmp_path):
    def save(**arrays):
        path = tmp_path / "attention.npz"
        np.savez(path, **arrays)
        return path

    return save


def stored_in_the_box(name: str) -> dict[str, np.ndarray]:
    with np.load(files.path(f"recordings/{name}.npz")) as arrays:
        return dict(arrays)


# ---- In the box ----


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_in_the_box_is_shown_to_the_last_bit(name):
    stored = stored_in_the_box(name)
    source = source_of(BoxRecipe(name))
    layers = source.layers(Lookup())
    assert source.heads == (stored["attention"].shape[1],) * len(stored["attention"])
    assert source.tokens == source.context_tokens == tuple(stored["tokens"].tolist())
    for layer, weights in zip(layers, stored["attention"], strict=True):
        for map_, head in zip(layer.maps, weights, strict=True):
            np.testing.assert_array_equal(map_.weights(), head.astype(np.float32))
    assert source.traits.made is Made.RECORDED
    assert "Apache-2.0" in " ".join(source.caption())


def test_a_model_that_reads_from_left_to_right_has_its_mask():
    assert heads_frame(HeadsSetup(BoxRecipe("minilm-soft"))).mask is None
    frame = heads_frame(HeadsSetup(BoxRecipe("smollm2-soft"), layer=3))
    np.testing.assert_array_equal(frame.mask, causal_mask(11))
    assert frame.mask_words == "causal"
    assert "hidden by the mask: causal" in cell_words(frame, HeadsView(), 0, 3)


def test_the_hints_of_the_recordings_say_what_is_recorded():
    minilm, smollm2 = heads_preset("minilm"), heads_preset("smollm2")
    for ready, row, numbers in (
        (minilm, 8, {("tired", 2): "0.491", ("soft", 2): "0.149", ("soft", 6): "0.196"}),
        (smollm2, 9, {("tired", 1): "0.741", ("soft", 5): "0.748"}),
    ):
        setup = ready.state.setup
        for (word, key), number in numbers.items():
            weights = stored_in_the_box(f"{ready.id}-{word}")["attention"][setup.layer, setup.head, row]
            assert f"{weights[key]:.3f}" == number
            assert number in ready.look_for
        assert ready.state.view.row == row
    of_it = stored_in_the_box("minilm-tired")["attention"][:, :, 8].argmax(axis=-1)
    assert (int((of_it == 0).sum()), of_it.size) == (48, 72)
    soft, tired = (stored_in_the_box(f"smollm2-{word}")["attention"][:, :, 7] for word in ("soft", "tired"))
    np.testing.assert_array_equal(soft, tired)


# ---- Files ----


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_file_of_weights_keeps_its_numbers_and_its_type(saved, dtype):
    weights = rows_of_weights(2, 3, 6, 6).astype(dtype)
    path = saved(attentions=weights, tokens=np.array(["Ġthe", "Ġcat", "##s", "<0x0A>", "▁sat", "."]))
    frame = frame_to_show(HeadsSetup(file_recipe(path), layer=1, head=2))
    np.testing.assert_array_equal(frame.map.weights(), weights[1, 2])
    assert frame.map.weights().dtype == (np.float32 if dtype is np.float16 else dtype)
    assert frame.queries == ("␣the", "␣cat", "-s", "↵", "␣sat", ".")
    assert frame.exact_tokens[0] == ("Ġthe", "Ġcat", "##s", "<0x0A>", "▁sat", ".")
    document = json.loads(json.dumps(setup_words(frame.setup), default=str))
    assert document["source"] == "recorded in “attention.npz”"
    numbers = map_numbers(frame, HeadsView())
    assert tuple(numbers.arrays["queries"].tolist()) == frame.exact_tokens[0]
    assert source_words(frame) == "recorded in “attention.npz”"
    assert [step.name for step in arithmetic(frame, 0, 1)] == ["recorded weight"]


def test_keys_that_are_never_looked_at_are_taken_to_be_masked_and_that_is_said(saved):
    weights = rows_of_weights(2, 7, 7, causal=True)
    frame = heads_frame(HeadsSetup(file_recipe(saved(attention=weights)), mask=MaskChoice(MaskKind.WINDOW)))
    np.testing.assert_array_equal(frame.map.allowed(), causal_mask(7))
    np.testing.assert_array_equal(frame.mask, causal_mask(7))
    assert "guess" in verdict(frame).text
    assert frame.mask_words == "causal, guessed from weights of 0"


def test_layers_may_differ_in_their_heads(saved):
    layers = {f"attention.{number}": rows_of_weights(heads, 5, 5) for number, heads in enumerate((4, 2, 3))}
    frame = heads_frame(HeadsSetup(file_recipe(saved(**layers)), layer=1, head=3))
    assert frame.source.heads == (4, 2, 3)
    assert (frame.layer, frame.head, frame.heads) == (1, 1, 2)
    assert [survey.place for survey in surveys_of(frame)] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)] + [
        (2, head) for head in range(3)
    ]


def test_cross_attention_has_tokens_of_its_own(saved):
    path = saved(weights=rows_of_weights(2, 3, 5), tokens=np.array(list("abc")), context_tokens=np.array(list("vwxyz")))
    frame = heads_frame(HeadsSetup(file_recipe(path)))
    assert (frame.queries, frame.keys, frame.is_cross) == (tuple("abc"), tuple("vwxyz"), True)


def test_queries_and_keys_bring_the_stages_to_life(saved):
    q, k, v = (RNG.standard_normal((2, 6, 8)) for _ in range(3))
    setup = HeadsSetup(
        file_recipe(saved(q=q, k=k, v=v)), MaskChoice(MaskKind.CAUSAL), scaled=False, temperature=0.5, head=1
    )
    frame = heads_frame(setup)
    wanted = scaled_dot_product_attention(q[1], k[1], v[1], mask=causal_mask(6), scale=1.0, temperature=0.5)
    np.testing.assert_allclose(frame.map.weights(), wanted.weights, rtol=1e-12)
    np.testing.assert_allclose(frame.map.scores(stage=Stage.SCORES), q[1] @ k[1].T, rtol=1e-12)
    np.testing.assert_array_equal(frame.layers[0].v, v)
    reasons = source_of(setup.recipe).traits.lacks
    assert set(reasons) == {Ability.TYPING, Ability.DRAWING, Ability.EMBEDDINGS}


def test_weights_without_scores_are_not_computed_anew(saved):
    recipe = file_recipe(saved(attention=rows_of_weights(1, 1, 6, 6)))
    plain = heads_frame(HeadsSetup(recipe)).map.weights()
    other = heads_frame(HeadsSetup(recipe, MaskChoice(MaskKind.CAUSAL), hard=True, temperature=0.1, scaled=False))
    np.testing.assert_array_equal(other.map.weights(), plain)
    assert source_of(recipe).traits.reason_against(Ability.SCORES)


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"attention": RNG.standard_normal((2, 4, 4))}, "scores, before the softmax"),
        ({"attention": 3 * rows_of_weights(2, 4, 4)}, "sum"),
        ({"attention": rows_of_weights(2, 4, 4), "tokens": np.array(["a"])}, "1 token for 4 queries"),
        ({"attention": np.zeros((2, 0, 0))}, "no entries"),
        ({"attention": np.full((2, 3, 3), np.nan)}, "nan"),
        ({"a": rows_of_weights(2, 4, 4), "b": rows_of_weights(2, 4, 4)}, "several arrays"),
    ],
)
def test_what_cannot_be_weights_is_refused_in_words(saved, arrays, reason):
    with pytest.raises(ExplorerError, match=reason):
        file_recipe(saved(**arrays))


def test_a_file_that_has_changed_or_gone_is_said_when_it_is_shown(saved):
    path = saved(attention=rows_of_weights(1, 4, 4))
    recipe = file_recipe(path)
    saved(attention=rows_of_weights(2, 4, 4))
    setup = HeadsSetup(recipe)
    assert (source_of(recipe).heads, tokens_of(recipe), sentence_of(recipe)) == ((1,), (), "")
    with pytest.raises(ExplorerError, match="was changed"):
        frame_to_show(setup)
    path.unlink()
    with pytest.raises(ExplorerError, match="There is no file"):
        frame_to_show(setup)


def test_rows_that_sum_to_less_than_1_are_said_and_drawn(saved):
    weights = rows_of_weights(8, 5, 5)
    weights[1, 2] *= 0.5
    recipe = file_recipe(saved(attention=weights, tokens=np.array(list("abcde"))))
    frames = [heads_frame(HeadsSetup(recipe, head=head)) for head in (0, 1)]
    whole, short = map(verdict, frames)
    assert "less than 1" not in whole.text
    assert "One row sums to less than 1, that of “c” (3) to 0.5: the weights are drawn as they are." in short.text
    assert "train()" in short.text
    said = [badges(frame, HeadsView(), map_picture(frame, HeadsView())) for frame in frames]
    assert ["1 row sums to less than 1" in each for each in said] == [False, True]
    shown = frames[1].head_map.weights()
    np.testing.assert_allclose(shown[2].sum(), 0.5)


def test_dropout_is_among_the_reasons_why_rows_do_not_sum_to_1(saved):
    kept = np.random.default_rng(3).random((2, 6, 6)) < 0.8
    with pytest.raises(ExplorerError, match=r"rows sum to between .* in train\(\) mode, whose dropout .* eval\(\)"):
        file_recipe(saved(attention=rows_of_weights(2, 6, 6) * kept / 0.8))
