"""What a model writes next, and what it makes of a whole sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from oracles import MODELS
from sentence_models import sentence_model

from attention_explorer.errors import ExplorerError, FileError
from attention_explorer.model.softmax import softmax
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models import load_model
from attention_explorer.sources.models.sampling import drawn_tokens
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Lookup

LOGITS = np.array([0.3, 2.0, -1.0, 1.2, 2.0, 0.9], np.float32)


def test_at_temperature_0_the_most_probable_token_is_written_the_first_of_equal_ones() -> None:
    assert drawn_tokens(LOGITS, 0.0, 4, np.random.default_rng(0)).tolist() == [1, 4, 3, 5]


@pytest.mark.parametrize(("temperature", "top_k"), [(1.0, 6), (0.5, 6), (3.0, 4)])
def test_tokens_are_drawn_as_often_as_they_are_probable(temperature: float, top_k: int) -> None:
    draw, draws = np.random.default_rng(1), 20_000
    order = np.array([drawn_tokens(LOGITS, temperature, top_k, draw) for _ in range(draws)])
    assert all(len(set(row)) == top_k for row in order[:100].tolist())
    best = np.argsort(-LOGITS, kind="stable")[:top_k]
    expected = np.zeros(len(LOGITS))
    expected[best] = softmax(LOGITS[best].astype(float) / temperature)
    found = np.bincount(order[:, 0], minlength=len(LOGITS)) / draws
    np.testing.assert_allclose(found, expected, atol=4 * 0.5 / draws**0.5)
    assert found[expected == 0].sum() == 0


def test_the_same_seed_writes_the_same_and_another_does_not() -> None:
    source = source_of(model_recipe(MODELS / "gpt2", "the cat"))
    layers = source.layers(Lookup())
    written = [source.next_text(layers, 5.0, 30, seed) for seed in (*range(20), *range(20))]
    assert written[:20] == written[20:]
    assert len(set(written)) > 3


@pytest.mark.parametrize("name", ["gpt2", "llama", "llama-spm", "llama-gguf/model-q8_0.gguf", "t5"])
def test_what_tokens_write_one_after_the_other_is_the_text(name: str) -> None:
    model, text = load_model(MODELS / name), "the cat sat on the mat, because it was tired."
    ids = model.tokenize(text).ids
    written = [model.text_after(ids[:place], ids[place]) for place in range(len(ids))]
    assert "".join(piece or "" for piece in written) == text


def test_a_model_without_a_head_or_that_fills_in_words_writes_nothing() -> None:
    for name in ("bert", "bert-words"):
        if (MODELS / name / "tokenizer.json").exists():
            assert not source_of(model_recipe(MODELS / name, "the cat")).writes


@pytest.mark.parametrize(("mode", "flag"), [("mean", True), ("cls", True), ("max", True), ("mean", False)])
def test_a_sentence_becomes_one_vector_as_its_files_say(tmp_path: Path, mode: str, *, flag: bool) -> None:
    model = load_model(sentence_model(tmp_path, mode, as_flag=flag))
    hidden = model("the cat").hidden[-1]
    expected = {"mean": hidden.mean(axis=0), "cls": hidden[0], "max": hidden.max(axis=0)}[mode]
    np.testing.assert_allclose(model.embed("the cat"), expected / np.linalg.norm(expected), atol=1e-6)


def test_what_is_no_sentence_model_or_of_an_unknown_kind_says_so(tmp_path: Path) -> None:
    with pytest.raises(ExplorerError, match=r"no sentence model.*modules\.json"):
        load_model(MODELS / "bert").embed("the cat")
    folder = sentence_model(tmp_path / "a", "lasttoken")
    with pytest.raises(FileError, match="lasttoken"):
        load_model(folder).embed("the cat")
    folder = sentence_model(tmp_path / "b")
    (folder / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Dense", "path": "x"}]))
    with pytest.raises(FileError, match="Dense"):
        load_model(folder).embed("the cat")
    (folder / "modules.json").write_text(json.dumps([{"type": "a.Pooling", "path": "../../secret"}]))
    with pytest.raises(FileError, match="secret"):
        load_model(folder).embed("the cat")
    (folder / "modules.json").write_text("{}")
    assert source_of(model_recipe(folder)).is_sentence_model is False
    with pytest.raises(FileError, match="no list"):
        load_model(folder).embed("the cat")
