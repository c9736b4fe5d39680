"""GGUF files: as PyTorch ran them, and as the library that defines the format reads and writes them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import tokenizers
from gguf import GGMLQuantizationType as Kind
from oracles import MODELS, oracle_of

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.models import Model, load_model
from attention_explorer.sources.models.gguf_file import read_gguf
from attention_explorer.sources.models.gguf_tokeniser import gguf_tokeniser
from attention_explorer.sources.models.quantised_array import BLOCKS, TYPE_NAMES, QuantisedArray
from attention_explorer.sources.models.tokeniser import Tokeniser
from attention_explorer.sources.recorded.file_bytes import FileBytes

FILES = ("f16", "q8_0", "q4_1")


def path_of(name: str) -> Path:
    return MODELS / "llama-gguf" / f"model-{name}.gguf"


@pytest.mark.parametrize("name", FILES)
def test_quantised_models_as_pytorch(name: str) -> None:
    model, oracle = load_model(path_of(name)), oracle_of("llama-gguf")
    for place in range(int(oracle["n"])):
        tokens = model.tokenize(str(oracle[f"text_{place}"]))
        assert tokens.ids == tuple(oracle[f"ids_{place}"].tolist())
        assert tokens.tokens == tuple(oracle[f"tokens_{place}"].tolist())
        trace, start = model(tokens), f"{name.upper()}_"
        np.testing.assert_allclose(np.stack(list(trace.weights)), oracle[f"{start}attn_{place}"], rtol=0, atol=2e-5)
        np.testing.assert_allclose(trace.hidden[-1], oracle[f"{start}hidden_{place}"], rtol=0, atol=5e-5)
        assert trace.logits is not None
        np.testing.assert_allclose(trace.logits[-1], oracle[f"{start}logits_last_{place}"], rtol=0, atol=5e-5)


@pytest.mark.parametrize("name", FILES)
def test_headers_as_the_library_reads_them(name: str) -> None:
    theirs, ours = gguf.GGUFReader(path_of(name)), read_gguf(FileBytes(path_of(name)))
    expected = {key: each.contents() for key, each in theirs.fields.items() if not key.startswith("GGUF.")}
    assert expected.keys() == ours.values.keys()
    for key, value in expected.items():
        found = ours.values[key]
        assert (list(found) if isinstance(value, list) else found) == value, key  # type: ignore[call-overload]
    assert {tensor.name for tensor in theirs.tensors} == ours.arrays.keys()
    for tensor in theirs.tensors:
        np.testing.assert_array_equal(
            ours.arrays[tensor.name].read(), gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        )


@pytest.mark.parametrize("kind", BLOCKS, ids=TYPE_NAMES.get)
def test_parts_of_quantised_tensors_are_those_of_the_whole(tmp_path: Path, kind: int) -> None:
    numbers, size = BLOCKS[kind]
    assert gguf.GGML_QUANT_SIZES[Kind(kind)] == (numbers, size)
    packed = np.random.default_rng(kind).integers(0, 100, (2 * 5, 3 * size), dtype=np.uint8)  # scales stay finite
    (tmp_path / "a").write_bytes(b"before" + packed.tobytes())
    array = QuantisedArray("a", (2, 5, 3 * numbers), kind, FileBytes(tmp_path / "a"), 6)
    whole = gguf.quants.dequantize(packed, Kind(kind)).reshape(array.shape)
    assert np.isfinite(whole).all()
    np.testing.assert_array_equal(array.read(), whole)
    np.testing.assert_array_equal(array[1], whole[1])
    np.testing.assert_array_equal(array[np.array([1, 0, 1])], whole[[1, 0, 1]])
    np.testing.assert_array_equal(array.part((0, slice(1, 4), slice(7, numbers + 5))), whole[0, 1:4, 7 : numbers + 5])


def test_the_names_of_types_are_those_of_the_library() -> None:
    assert {kind: Kind(kind).name for kind in TYPE_NAMES} == TYPE_NAMES


# ---- Vocabularies ----

TEXTS = (
    "The cat sat on the mat because it was soft.",
    "  two spaces,\n\na line — and 2024 keys!  ",
    "Naïve café 日本語 \N{GRINNING FACE} <s>x</s>",
    "",
)


def stored(name: str) -> dict[str, Any]:
    """Return the model of a tokenizer.json."""
    found: dict[str, Any] = json.loads((MODELS / name / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    return found


def of_byte_pairs(pre: str, vocabulary: Sequence[str], merges: Sequence[str], **others: object) -> Tokeniser:
    """Return a tokeniser as a file with byte-level merges has it."""
    values = {"model": "gpt2", "pre": pre, "tokens": tuple(vocabulary), "merges": tuple(merges), **others}
    return gguf_tokeniser("“a.gguf”", {f"tokenizer.ggml.{name}": value for name, value in values.items()})


def written(cuts: Tokeniser | Model, text: str, vocabulary: int) -> list[str | None]:
    """Return what each token of a text writes after those before it."""
    ids = (cuts(text, vocabulary) if isinstance(cuts, Tokeniser) else cuts.tokenize(text)).ids
    return [cuts.text_after(ids[:place], ids[place : place + 1]) for place in range(len(ids))]


@pytest.mark.parametrize(("pre", "name"), [("gpt-2", "gpt2"), ("smollm", "llama")])
def test_merges_cut_text_as_a_tokenizer_json_with_the_same_merges(pre: str, name: str) -> None:
    model = stored(name)
    vocabulary = sorted(model["vocab"], key=model["vocab"].get)
    kinds = np.array([3] + [1] * (len(vocabulary) - 1))
    ours = of_byte_pairs(pre, vocabulary, [" ".join(pair) for pair in model["merges"]], token_type=kinds)
    reference = load_model(MODELS / name)
    for text in TEXTS:
        assert ours(text, 340) == reference.tokenize(text)
        assert written(ours, text, 340) == written(reference, text, 340)
    assert ours("the<|endoftext|>cat", 340).ids.count(0) == 1, "a special token stands for itself"


def test_scores_cut_text_as_a_tokenizer_json_with_the_merges_that_they_stand_for() -> None:
    model = stored("llama-spm")
    vocabulary = sorted(model["vocab"], key=model["vocab"].get)
    rank = {"".join(pair): -float(place) for place, pair in enumerate(model["merges"], 1)}
    values = {
        "model": "llama",
        "tokens": tuple(vocabulary),
        "scores": np.array([rank.get(piece, -1e9) for piece in vocabulary]),
        "token_type": np.array([2, 3, 3] + [6] * 256 + [1] * (len(vocabulary) - 259)),
        "bos_token_id": 1,
        "unknown_token_id": 0,
    }
    ours = gguf_tokeniser("“a.gguf”", {f"tokenizer.ggml.{name}": value for name, value in values.items()})
    reference = load_model(MODELS / "llama-spm")
    for text in TEXTS:
        assert ours(text, 420) == reference.tokenize(text)
        if "<0x" not in "".join(reference.tokenize(text).tokens):  # which the fixture takes for special ones
            assert written(ours, text, 420) == written(reference, text, 420)


@pytest.mark.parametrize(
    ("pre", "pieces"),
    [
        ("gpt-2", ["a", "Ġ2024", "Ċ", "Ċ", "a"]),
        ("smollm", ["a", "Ġ", "2", "0", "2", "4", "Ċ", "Ċ", "a"]),
        ("llama-bpe", ["a", "Ġ", "202", "4", "ĊĊ", "a"]),
    ],
)
def test_how_text_is_cut_before_merging_is_what_the_file_names(pre: str, pieces: list[str]) -> None:
    merges = ["2 0", "20 2", "202 4", "Ġ 2024", "Ċ Ċ"]
    vocabulary = [*sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()), *(pair.replace(" ", "") for pair in merges)]
    ours = of_byte_pairs(pre, vocabulary, merges, add_bos_token=False)
    assert list(ours("a 2024\n\na", 1000).tokens) == pieces


@pytest.mark.parametrize(
    ("pre", "ends", "expected"),
    [
        ("smollm", {}, (2,)),
        ("smollm", {"add_bos_token": True}, (0, 2)),
        ("smollm", {"add_bos_token": True, "add_eos_token": True}, (0, 2, 1)),
        ("llama-bpe", {}, (0, 2)),
        ("llama-bpe", {"add_bos_token": False}, (2,)),
    ],
)
def test_texts_begin_and_end_as_the_file_says(pre: str, ends: dict[str, bool], expected: tuple[int, ...]) -> None:
    ours = of_byte_pairs(pre, ["<s>", "</s>", "a"], [], bos_token_id=0, eos_token_id=1, **ends)
    assert ours("a", 3).ids == expected


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"pre": "klingon"}, "“klingon”"),
        ({"model": "bert"}, "“bert”"),
        ({"tokens": ()}, "no vocabulary"),
        ({"tokens": (1, 2)}, "a list of texts"),
        ({"merges": ("a b c d",)}, "no tokeniser"),
        ({"model": "llama", "scores": np.ones(7)}, "no scores"),
        ({"add_bos_token": True, "bos_token_id": 9}, "“bos_token_id”"),
    ],
)
def test_a_vocabulary_that_does_not_do_is_refused_in_words(values: dict[str, object], reason: str) -> None:
    with pytest.raises(ExplorerError, match=reason):
        of_byte_pairs(**{"pre": "smollm", "vocabulary": ["<s>", "a"], "merges": [], **values})("a", 2)


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(path_of("q8_0"))
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(ExplorerError, match="pip install gguf"):
        model([1])
    assert load_model(path_of("f16"))([1]).tokens, "float16 needs no library"
