"""`load_model`, and what a model takes and gives."""

from __future__ import annotations

import gc
import json
import shutil
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from oracles import MODELS

import attention_explorer
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.sources.models import load_model

TEXT = "The cat sat on the mat because it was soft."


def test_a_text_becomes_tokens_and_the_tokens_attention() -> None:
    model = attention_explorer.load_model(MODELS / "llama")
    tokens, trace = model.tokenize(TEXT), model(TEXT)
    assert trace.tokens == tokens.tokens
    n = len(tokens.ids)
    assert len(trace.weights) == 3
    assert trace.weights[0].shape == (4, n, n)
    assert [each.shape for each in trace.hidden] == [(n, 32)] * 4
    assert trace.logits is not None
    assert trace.logits.shape == (n, 340)
    for layer in trace.weights:
        np.testing.assert_allclose(layer.sum(axis=-1), 1.0, atol=1e-6)
    assert (trace.encoder_weights, trace.cross_weights) == (None, None)


def test_ids_are_taken_as_they_are() -> None:
    model = load_model(MODELS / "llama")
    ids = model.tokenize(TEXT).ids
    for given in (ids, list(ids), np.array(ids, np.int32)):
        np.testing.assert_array_equal(model(given).hidden[-1], model(TEXT).hidden[-1])
    assert model(ids[1:3]).tokens == model.tokenize(TEXT).tokens[1:3], "nothing is added"


def test_a_pair_is_told_apart() -> None:
    model = load_model(MODELS / "bert")
    pair = model.tokenize(("She sat.", "It was soft."))
    assert pair.type_ids == tuple(int(place > pair.tokens.index("[SEP]")) for place in range(len(pair)))
    one = model(pair.ids)  # the same ids, of one text
    assert np.abs(model(("She sat.", "It was soft.")).hidden[-1] - one.hidden[-1]).max() > 1e-3


def test_a_decoder_starts_with_its_own_token() -> None:
    model = load_model(MODELS / "t5")
    target = model.tokenize("the cat").ids
    trace = model(TEXT, "the cat")
    np.testing.assert_array_equal(trace.hidden[-1], model(TEXT, (0, *target[:-1])).hidden[-1])
    assert trace.tokens[0] == "<pad>"
    assert trace.cross_weights is not None
    assert trace.cross_weights[1].shape == (4, len(target), len(trace.context_tokens))
    assert len(model(TEXT).tokens) == 1


def test_the_most_probable_tokens_are_those_of_the_largest_logits() -> None:
    trace = load_model(MODELS / "gpt2")(TEXT)
    assert trace.logits is not None
    logits = trace.logits.astype(float)
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    top = trace.top(3)
    np.testing.assert_array_equal(top.ids, np.argsort(-logits, axis=1)[:, :3])
    np.testing.assert_allclose(top.probabilities, -np.sort(-probabilities, axis=1)[:, :3], rtol=1e-4)
    assert top.tokens[0][0] == load_model(MODELS / "gpt2")([int(top.ids[0, 0])]).tokens[0]


def test_without_a_head_there_are_no_logits_and_that_is_said() -> None:
    trace = load_model(MODELS / "bert")(TEXT)
    assert trace.logits is None
    with pytest.raises(ExplorerError, match="no head"):
        trace.top()


def test_what_there_is_no_room_for_is_computed_again() -> None:
    ids = np.arange(40)
    whole = load_model(MODELS / "llama")(ids)
    one_layer = 4 * 4 * 40 * 40
    tight = load_model(MODELS / "llama", attention_bytes=one_layer, weight_bytes=0)(ids)
    assert list(tight.weights.kept) == [0]
    assert list(whole.weights.kept) == [0, 1, 2]
    for layer in range(3):
        np.testing.assert_array_equal(tight.weights[layer], whole.weights[layer])
    assert [each.shape for each in tight.weights[1:]] == [(4, 40, 40)] * 2


def test_everything_of_a_layer_is_there_when_it_is_asked_for() -> None:
    run = load_model(MODELS / "llama")(TEXT)
    found = run.layer(1)
    attention = found.attention
    groups = np.repeat(attention.k, 2, axis=0)
    scores = attention.q @ groups.swapaxes(1, 2) / np.sqrt(8)
    scores[:, ~np.tri(scores.shape[1], dtype=np.bool_)] = -np.inf
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(attention.weights, exponentials / exponentials.sum(-1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(attention.mixed, attention.weights @ np.repeat(attention.v, 2, axis=0), atol=1e-5)
    np.testing.assert_array_equal(found.output, run.hidden[2])


@pytest.mark.parametrize(
    ("text", "target", "reason"),
    [
        ([], None, "no tokens"),
        ([340], None, "id 340"),
        ([-1], None, "id -1"),
        ([1.5], None, "ids"),
        (np.array([[1, 2]]), None, "ids"),
        (None, None, "ids"),
        (("a", "b", "c"), None, "pair"),
        (("a", 1), None, "pair"),
        ("x" * 10**6, None, "1000000 characters"),
        ([1], [2], "single tower"),
        (list(range(65)), None, "at most 64"),
    ],
)
def test_what_cannot_be_run_is_refused_in_words(text: object, target: object, reason: str) -> None:
    with pytest.raises(ArrayError, match=reason):
        load_model(MODELS / "gpt2")(text, target)


def test_more_tokens_than_memory_has_room_for_are_refused() -> None:
    with pytest.raises(ArrayError, match="at most 25"):
        load_model(MODELS / "llama", attention_bytes=4 * 4 * 25 * 25)([1] * 26)


def copied(tmp_path: Path, name: str) -> Path:
    return Path(shutil.copytree(MODELS / name, tmp_path / name))


def test_padding_and_shortening_of_a_tokeniser_file_are_not_done(tmp_path: Path) -> None:
    folder = copied(tmp_path, "bert")
    settings = json.loads((folder / "tokenizer.json").read_text())
    settings["padding"] = {
        "strategy": {"Fixed": 64},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    settings["truncation"] = {"max_length": 5, "stride": 0, "strategy": "LongestFirst", "direction": "Right"}
    (folder / "tokenizer.json").write_text(json.dumps(settings))
    assert load_model(folder).tokenize(TEXT) == load_model(MODELS / "bert").tokenize(TEXT)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.unlink(), r"has no tokenizer\.json, so this model takes ids, but no text\. .*Auto"),
        (lambda path: path.write_text("{"), "JSON"),
        (lambda path: path.write_text('{"version": "1.0"}'), "no tokeniser"),
        (lambda path: path.write_bytes((MODELS / "llama-spm" / "tokenizer.json").read_bytes()), "another model"),
    ],
)
def test_a_tokeniser_that_does_not_do_leaves_ids(tmp_path: Path, damage, reason: str) -> None:
    folder = copied(tmp_path, "gpt2")
    damage(folder / "tokenizer.json")
    model = load_model(folder)
    with pytest.raises(ExplorerError, match=reason):
        model.tokenize("Naïve café: 2024 keys, don't they? Because it was too tired to cross the street, soft.")
    assert len(model([1, 2]).tokens) == 2


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    model = load_model(MODELS / "gpt2")
    with pytest.raises(ExplorerError, match="pip install tokenizers"):
        model(TEXT)
    assert model([1, 2]).tokens == ("<1>", "<2>")


@pytest.mark.parametrize("name", ["llama", "bart"])
def test_a_run_gives_its_memory_back_at_once(name: str) -> None:
    """Without waiting for Python to look for circles: of a long text each run holds hundreds of megabytes."""
    model = load_model(MODELS / name)
    gc.disable()
    try:
        trace = model([1, 2, 3])
        runs = [weakref.ref(run) for run in (trace.run.main, trace.run.encoder) if run is not None]
        assert all(weights.shape for weights in trace.weights)
        del trace
        assert [run() for run in runs] == [None] * len(runs)
    finally:
        gc.enable()
