"""The forward pass of every family gives what PyTorch gives: on small models all parameters of which are random."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from oracles import MODELS, oracle_of

from attention_explorer.sources.models import Model, Tokens, Trace, load_model

CLOSE, CLOSE_T5, CLOSE_NUMBERS = 2e-5, 5e-5, 5e-5
"""Of weights, of T5's, whose scores are not divided, and of hidden states and logits: rounding alone."""


def compared(found: Trace, expected: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield everything that an oracle knows: its name, as it was computed, and as PyTorch computed it."""
    computed = {
        "weights": found.weights,
        "encoder_weights": found.encoder_weights,
        "cross_weights": found.cross_weights,
        "hidden": found.hidden,
        "encoder_hidden": found.encoder_hidden,
        "last_hidden": found.hidden[-1],
        "last_encoder_hidden": found.encoder_hidden and found.encoder_hidden[-1],
        "logits": found.logits,
        "last_logits": None if found.logits is None else found.logits[-1],
    }
    for name, numbers in expected.items():
        got = computed[name]
        assert got is not None, name
        yield name, np.stack(list(got)), numbers


def agree(found: Trace, expected: dict[str, np.ndarray], close: float = CLOSE) -> None:
    """Compare everything that an oracle knows with what was computed."""
    for name, array, numbers in compared(found, expected):
        assert array.dtype == np.float32, f"{name} became {array.dtype}"
        np.testing.assert_allclose(array, numbers, rtol=0, atol=close if "weights" in name else CLOSE_NUMBERS)


@pytest.mark.parametrize(
    "name", ["distilbert", "roberta", "albert", "bert-words", "mistral", "qwen2", "qwen3", "gpt2-scaled", "t5-gated"]
)
def test_all_layers_as_pytorch(name: str) -> None:
    oracle = oracle_of(name)
    ids, target = oracle.pop("ids"), oracle.pop("target", None)
    agree(load_model(MODELS / name)(ids, target), oracle, CLOSE_T5 if "t5" in name else CLOSE)


TIED = {
    "llama-own-head": {"lm_head.weight": "model.embed_tokens.weight"},
    "gpt2-head-only": {},
    "bert-own-head": {
        "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
    "bert-untied": {},
    "distilbert-own-head": {"vocab_projector.weight": "distilbert.embeddings.word_embeddings.weight"},
    "bart-own-encoder": {"model.encoder.embed_tokens.weight": "model.shared.weight"},
    "bart-untied": {},
    "t5-own-tables": dict.fromkeys(
        ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"), "shared.weight"
    ),
    "t5-decoder-only-table": {},
    "gguf-tied": {},
    "gguf-own-output": {},
}
"""Which tensor of each file is not what it should be tied to."""


@pytest.mark.parametrize("name", TIED)
def test_tables_that_are_tied_or_not_as_pytorch(name: str) -> None:
    folder, oracle = MODELS / "tied" / name, oracle_of(f"tied/{name}")
    ids, target = oracle.pop("ids"), oracle.pop("target", None)
    model = load_model(next(folder.glob("*.gguf"), folder))
    agree(model(ids, target), oracle, CLOSE_T5 if "t5" in name else CLOSE)
    assert ("see .notes" in repr(model)) == bool(TIED[name])
    assert len(model.notes) == len(TIED[name])
    for note, (own, other) in zip(model.notes, TIED[name].items(), strict=True):
        assert f"own “{own}” is used: it differs from “{other}”" in note


@pytest.mark.parametrize("rope", ["linear", "dynamic", "yarn", "llama3"])
@pytest.mark.parametrize("old", [False, True], ids=["as version 5 writes it", "as version 4 wrote it"])
def test_every_way_to_stretch_rotary_positions(tmp_path: Path, rope: str, old: bool) -> None:
    config = json.loads((MODELS / "llama-ropes" / f"{rope}.json").read_text())
    if old:
        parameters = config.pop("rope_parameters")
        config |= {"rope_theta": parameters.pop("rope_theta"), "rope_scaling": parameters}
        parameters["type"] = parameters.pop("rope_type")
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "model.safetensors").write_bytes((MODELS / "llama-ropes" / "model.safetensors").read_bytes())
    oracle = oracle_of("llama-ropes")
    mine = {name.removeprefix(f"{rope}_"): oracle[name] for name in oracle if name.startswith(f"{rope}_")}
    agree(load_model(tmp_path)(mine.pop("ids")), mine)


NAMES = {
    "attn": "weights",
    "decoder_attentions": "weights",
    "encoder_attentions": "encoder_weights",
    "cross_attentions": "cross_weights",
    "hidden": "last_hidden",
    "enc_hidden": "last_encoder_hidden",
    "logits_last": "last_logits",
}


def texts_of(name: str) -> Iterator[tuple[Model, str, Tokens, dict[str, np.ndarray]]]:
    """Yield what an oracle with texts knows of each: its tokens, and what comes out."""
    model, oracle = load_model(MODELS / name), oracle_of(name)
    for place in range(int(oracle["n"])):
        of_text = {key: oracle[f"{key}_{place}"] for key in NAMES if f"{key}_{place}" in oracle}
        ids, offsets = oracle[f"ids_{place}"].tolist(), oracle[f"offsets_{place}"].tolist()
        types = oracle[f"type_ids_{place}"].tolist() if f"type_ids_{place}" in oracle else [0] * len(ids)
        pieces = tuple(oracle[f"tokens_{place}"].tolist())
        tokens = Tokens(tuple(ids), pieces, tuple(map(tuple, offsets)), tuple(types))
        if f"decoder_ids_{place}" in oracle:
            of_text["target"] = oracle[f"decoder_ids_{place}"]
        yield model, str(oracle[f"text_{place}"]), tokens, of_text


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "llama-spm", "bart", "t5"])
def test_texts_as_pytorch(name: str) -> None:
    for model, _text, tokens, expected in texts_of(name):
        trace = model(tokens, expected.pop("target", None))
        agree(trace, {NAMES[key]: numbers for key, numbers in expected.items()}, CLOSE_T5 if name == "t5" else CLOSE)


PAIR = ("the keys to the cabinet.", "she gave him the book.")


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "llama-spm", "bart", "t5"])
def test_texts_are_cut_as_the_models_authors_cut_them(name: str) -> None:
    for model, text, expected, _numbers in texts_of(name):
        found = model.tokenize(PAIR if text == "PAIR" else text)
        if name == "t5" and len(expected) == 24:  # the oracle was shortened, which is not done here
            assert found.ids[:23] == expected.ids[:23]
            assert len(found) > 24
        else:
            assert found == expected
