"""What a model writes next, and what it makes of a whole sentence."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from oracles import MODELS
from scripted_model import logits_for
from sentence_models import sentence_model

from attention_explorer.errors import ExplorerError, FileError
from attention_explorer.model.softmax import softmax
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models import load_model
from attention_explorer.sources.models.sampling import drawn_tokens, whole_text
from attention_explorer.sources.models.tokeniser import Tokeniser
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
    written = [model.text_after(ids[:place], ids[place : place + 1]) for place in range(len(ids))]
    assert "".join(written) == text


def tokeniser_of_bytes(name: str) -> Tokeniser:
    """Return the tokeniser of a fixture; what stands for a byte is no special token in it, as in those of Llama."""
    described = json.loads((MODELS / name / "tokenizer.json").read_text())
    described["added_tokens"] = [each for each in described["added_tokens"] if "0x" not in each["content"]]
    return Tokeniser(name, lambda: tokenizers.Tokenizer.from_str(json.dumps(described)), end=2)


@pytest.mark.parametrize("name", ["gpt2", "llama-spm"])
@pytest.mark.parametrize("character", ["🙂", "Ω", "字", "a"])
def test_a_character_of_several_tokens_is_written_when_it_is_whole(name: str, character: str) -> None:
    cuts = tokeniser_of_bytes(name)
    before = cuts("the ", 1000).ids
    pieces = cuts(f"the {character}", 1000).ids[len(before) :]
    assert (len(pieces) > 1) == (character != "a")
    wrong = [2, *cuts("the", 1000).ids[-1:]]  # which ends the text, and which cannot go on with a character

    def drawn(more: tuple[int, ...]) -> list[int]:
        assert more == pieces[: len(more)]
        return [*wrong, pieces[len(more)]]

    assert whole_text(partial(cuts.text_after, before), drawn, pieces[0]) == character
    assert whole_text(partial(cuts.text_after, before), lambda _more: wrong, pieces[0]) == (
        character if character == "a" else None
    )


def test_first_bytes_that_never_become_a_character_are_given_up() -> None:
    cuts = tokeniser_of_bytes("gpt2")
    first, asked = cuts("🙂", 1000).ids[0], list[tuple[int, ...]]()
    assert whole_text(partial(cuts.text_after, ()), lambda more: asked.append(more) or [first], first) is None
    assert len(asked) <= 4


@pytest.mark.parametrize(
    ("name", "labels"), [("gpt2", ["0xF0", "0x9F", "0x99", "0x82"]), ("llama-gguf/model-f16.gguf", ["0xF0", "0x9F"])]
)
def test_the_bytes_of_a_character_stand_at_the_map(name: str, labels: list[str]) -> None:
    source = source_of(model_recipe(MODELS / name, "it 🙂"))
    source.open()
    shown = source.labels[0]
    place = shown.index("0xF0")
    assert list(shown[place : place + len(labels)]) == labels
    assert all(len(label) < 5 for label in shown)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("masked", [False, True])
def test_a_model_writes_an_emoji(monkeypatch: pytest.MonkeyPatch, temperature: float, *, masked: bool) -> None:
    source = source_of(model_recipe(MODELS / "gpt2", "a b"))
    wanted = source.model.tokenize("a b🙂").ids
    mask = np.tri(len(source.tokens), dtype=bool) if masked else None
    seen = logits_for(monkeypatch, wanted)
    assert source.next_text(source.layers(Lookup(mask)), temperature, 40, 0) == "🙂"
    assert seen == list(range(len(source.tokens), len(wanted))), "each byte was drawn after those before it"


def test_the_bytes_so_far_are_read_with_the_heads_and_the_mask_of_the_state() -> None:
    source = source_of(model_recipe(MODELS / "gpt2", "the cat"))
    n, more = len(source.tokens), source.model.tokenize("🙂").ids[:2]
    mask = np.tri(n, dtype=bool)
    mask[:, 0] = [True] + [False] * (n - 1)
    off = frozenset({(0, 1)})
    ids = (*source.model.tokenize("the cat").ids, *more)
    longer = np.tri(len(ids), dtype=bool)
    longer[1:, 0] = False
    expected = source.model(ids, off=off, masks=longer).hidden[-1]
    layers = source.layers(Lookup(mask, off=off))
    np.testing.assert_allclose(layers.with_more(more).main.hidden[-1], expected, atol=1e-5)


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
