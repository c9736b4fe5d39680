"""Models that are damaged, or of a kind that cannot be run: refused in words, within little memory."""

from __future__ import annotations

import json
import random
import re
import shutil
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from oracles import MODELS
from safetensors.numpy import load_file, save_file

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.models import Model, load_model

COUNT = 200
MOST_BYTES = 100 * 2**20


def copied(tmp_path: Path, name: str) -> Path:
    return Path(shutil.copytree(MODELS / name, tmp_path / name))


def run(path: Path) -> None:
    """Do with a model what the program does with one that is opened."""
    model = load_model(path)
    ids = (1, 2, 3)
    trace = model(ids, ids if model.transformer.encoder else None)
    assert np.isfinite(trace.hidden[-1]).all()
    if trace.logits is not None:
        trace.top(2)
    if path.is_file() or (path / "tokenizer.json").exists():
        model.tokenize("The cat sat on the mat because it was soft.")


# ---- Configurations ----


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("llama", {"model_type": "mamba"}, "“mamba”.* llama, mistral"),
        ("llama", {"model_type": None}, "“model_type”"),
        ("llama", {"hidden_act": "sinus"}, "“hidden_act”: “sinus”"),
        ("llama", {"rope_parameters": {"rope_type": "ntk"}}, "“rope_type”: “ntk”"),
        ("llama", {"rope_parameters": {"rope_type": "linear"}}, "“factor”"),
        ("llama", {"rope_parameters": None, "rope_scaling": {"type": "su", "factor": 2.0}}, "“type”: “su”"),
        ("llama", {"partial_rotary_factor": 0.5}, "only a part"),
        ("llama", {"num_attention_heads": 3}, "divide"),
        ("llama", {"num_attention_heads": "4"}, "whole number"),
        ("llama", {"num_attention_heads": 4.0}, "whole number"),
        ("llama", {"num_hidden_layers": 0}, "whole number from 1"),
        ("llama", {"num_hidden_layers": 10**9}, "to 1000"),
        ("llama", {"num_hidden_layers": 4}, "no tensor .*layers.3"),
        ("llama", {"num_hidden_layers": 2}, "is no tensor of a model"),
        ("llama", {"vocab_size": 2**31 - 1}, r"shape \[340, 32\]"),
        ("llama", {"head_dim": 7}, "pairs"),
        ("llama", {"rms_norm_eps": float("nan")}, "a number"),
        ("llama", {"attention_bias": 1}, "true or false"),
        ("llama", {"attention_bias": True}, "no tensor .*bias"),
        ("gpt2", {"add_cross_attention": True}, "looks at an encoder"),
        ("bert", {"is_decoder": True}, "decoders"),
        ("bert", {"position_embedding_type": "relative_key"}, "Relative positions"),
        ("roberta", {"pad_token_id": 40}, "none is for a token"),
        ("bart", {"normalize_before": True}, "variant"),
        ("t5", {"feed_forward_proj": "gated-sinus"}, "“gated-sinus”"),
        ("t5", {"feed_forward_proj": "gelu"}, "“feed_forward_proj” what “dense_act_fn” .* deny"),
        ("t5", {"is_gated_act": True}, "“feed_forward_proj” what .* “is_gated_act” deny"),
        ("t5", {"relative_attention_max_distance": 2}, "classes of distances"),
        ("qwen2", {"layer_types": ["sliding_attention", 1, 2]}, "list of texts"),
    ],
)
def test_configurations_that_do_not_do(tmp_path: Path, name: str, change: dict[str, object], reason: str) -> None:
    folder = copied(tmp_path, name)
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ExplorerError, match=reason) as caught:
        run(folder)
    assert name in str(caught.value), "the file is named"


@pytest.mark.parametrize(
    ("name", "stray"),
    [
        ("llama", "lm_head.bias"),
        ("gpt2", "lm_head.bias"),
        ("bert", "cls.predictions.bias"),  # this one has no head that it could belong to
        ("roberta", "lm_head.weight"),
        ("albert", "predictions.weight"),
        ("distilbert", "vocab_projector.gain"),
        ("bart", "shared.bias"),
        ("t5", "encoder.embed_tokens.bias"),
    ],
)
def test_no_tensor_passes_unread(tmp_path: Path, name: str, stray: str) -> None:
    folder = copied(tmp_path, name)
    altered(lambda tensors: tensors.update({stray: np.ones(4, np.float32)}))(folder)
    with pytest.raises(ExplorerError, match=f"“{re.escape(stray)}” .*is no tensor of a model"):
        load_model(folder)


@pytest.mark.parametrize(
    ("name", "tied"),
    [("llama", "lm_head.weight"), ("bart", "model.encoder.embed_tokens.weight"), ("t5", "decoder.embed_tokens.weight")],
)
def test_a_tied_tensor_of_another_shape_is_refused(tmp_path: Path, name: str, tied: str) -> None:
    folder = copied(tmp_path, name)
    altered(lambda tensors: tensors.update({tied: np.ones((3, 4), np.float32)}))(folder)
    with pytest.raises(ExplorerError, match=rf"“{re.escape(tied)}” .* shape \[3, 4\]"):
        load_model(folder)


def test_numbers_that_count_only_times_scales_get_no_wrong_advice(tmp_path: Path) -> None:
    """Saved as F32 alone, such a model would open and be wrong."""
    folder = copied(tmp_path, "llama")
    path = folder / "model.safetensors"
    header = {"model.embed_tokens.weight": {"dtype": "F8_E4M3", "shape": [2, 2], "data_offsets": [0, 4]}}
    written = json.dumps(header).encode()
    path.write_bytes(len(written).to_bytes(8, "little") + written + bytes(4))
    with pytest.raises(ExplorerError, match=r"type F8_E4M3, .* times scales .* in BF16 or F32\.$"):
        load_model(folder)


@pytest.mark.parametrize("name", ["bart", "t5"])
@pytest.mark.parametrize(("kept", "missing"), [("encoder", "decoder"), ("decoder", "encoder")])
def test_half_a_model_is_called_so(tmp_path: Path, name: str, kept: str, missing: str) -> None:
    def halve(tensors: dict[str, np.ndarray]) -> None:
        for tensor in [tensor for tensor in tensors if f"{missing}." in tensor]:
            del tensors[tensor]

    folder = copied(tmp_path, name)
    altered(halve)(folder)
    with pytest.raises(ExplorerError, match=f"only the {kept} of its model.*with its {missing}"):
        load_model(folder)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"{", "JSON"), (b"[]", "no settings"), (b"\xff\xfe{", "JSON"), (b'{"a":' * 10**5, "JSON"), (b"", "empty")],
)
def test_configurations_that_cannot_be_read(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(ExplorerError, match=reason):
        load_model(tmp_path)


# ---- Weights ----


def altered(change: Callable[[dict[str, np.ndarray]], object]) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        change(tensors)
        save_file(tensors, folder / "model.safetensors")

    return write


def one_is_nan(tensors: dict[str, np.ndarray]) -> None:
    tensors["model.layers.1.mlp.up_proj.weight"] = np.full((64, 32), np.nan, np.float32)


DOWN = "model.layers.1.mlp.down_proj.weight"
Q = "model.layers.0.self_attn.q_proj.weight"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (altered(lambda tensors: tensors.pop(Q)), f"no tensor “{Q[6:]}”"),
        (altered(lambda tensors: tensors.update({Q: np.zeros((31, 32), np.float32)})), r"shape \[31, 32\]"),
        (altered(lambda tensors: tensors.update({Q: np.zeros((32, 32), np.int32)})), "int32"),
        (altered(lambda tensors: tensors.update({"lora": np.zeros(1, np.float32)})), "“lora”"),
        (altered(one_is_nan), "“model.layers.1.mlp.up_proj.weight” .*NaN"),
        (altered(lambda tensors: tensors.update({DOWN: np.full((32, 64), 3e38, np.float32)})), "range of float32"),
        (lambda folder: (folder / "model.safetensors").unlink(), "no weights"),
        (lambda folder: (folder / "config.json").unlink(), "it is a folder"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\0" * 100), "header"),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "pickle.*save_file"),
    ],
)
def test_weights_that_do_not_do(tmp_path: Path, damage: Callable[[Path], object], reason: str) -> None:
    folder = copied(tmp_path, "llama")
    damage(folder)
    with pytest.raises(ExplorerError, match=reason):
        run(folder)


def index_of(change: Callable[[dict[str, str]], object]) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        path = folder / "model.safetensors.index.json"
        index = json.loads(path.read_text())
        change(index["weight_map"])
        path.write_text(json.dumps(index))

    return write


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda folder: (folder / "model-00002-of-00004.safetensors").unlink(), "lacks “model-00002-of-00004"),
        (index_of(lambda places: places.update({"x": "../config.json"})), "no file of its folder"),
        (index_of(lambda places: places.update({"x": "pytorch_model.bin"})), "pickle"),
        (index_of(lambda places: places.update({"x": "model-00001-of-00004.safetensors"})), "lacks the tensor “x”"),
        (lambda folder: (folder / "model.safetensors.index.json").write_text("{}"), "which tensor is in which file"),
        (
            lambda folder: shutil.copy(
                folder / "model-00001-of-00004.safetensors", folder / "model-00002-of-00004.safetensors"
            ),
            "in two files",
        ),
    ],
)
def test_sharded_weights_that_do_not_do(tmp_path: Path, damage: Callable[[Path], object], reason: str) -> None:
    folder = copied(tmp_path, "mistral")
    damage(folder)
    with pytest.raises(ExplorerError, match=reason):
        run(folder)


def test_the_line_for_pickles_is_one_that_python_can_read(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ExplorerError) as caught:
        load_model(tmp_path / "pytorch_model.bin")
    line = re.search('python -c "(.*)"', str(caught.value))
    assert line is not None
    compile(line[1], "line", "exec")


def test_nothing_and_no_model(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="moved or renamed"):
        load_model(tmp_path / "no")
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(ExplorerError, match="is no model"):
        load_model(tmp_path / "a.txt")


# ---- GGUF files that lie ----


def gguf(*, version: int = 3, tensors: int = 0, entries: int = 0, rest: bytes = b"") -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries) + rest


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


LIST_OF_TEXTS = text("a") + struct.pack("<IIQ", 9, 8, 2**40)
ARCHITECTURE = text("general.architecture") + struct.pack("<I", 8) + text("mamba")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gguf(version=1), "version 1"),
        (gguf(version=3 << 24), "version 50331648"),
        (gguf(tensors=2**60), "tensors, more than"),
        (gguf(entries=2**60), "settings, more than"),
        (gguf(entries=1, rest=struct.pack("<QQ", 2**63, 0)), "letters, more than"),
        (gguf(entries=1, rest=LIST_OF_TEXTS), "texts, more than"),
        (gguf(entries=1, rest=text("a") + struct.pack("<IIQ", 9, 6, 2**40)), "numbers, more than"),
        (gguf(entries=1, rest=text("a") + struct.pack("<II", 9, 9) + b"\0" * 8), "unknown type 9"),
        (gguf(entries=1, rest=text("a") + struct.pack("<II", 99, 0)), "unknown type 99"),
        (gguf(entries=2, rest=(text("a") + struct.pack("<IB", 0, 0)) * 2), "“a” twice"),
        (gguf(tensors=1, rest=text("a") + struct.pack("<I", 9) + b"\0" * 100), "9 axes"),
        (gguf(tensors=1, rest=text("a") + struct.pack("<IQQIQ", 2, 2**40, 2**40, 0, 0)), "no room"),
        (gguf(tensors=1, rest=text("a") + struct.pack("<IQIQ", 1, 4, 0, 2**50)), "no room"),
        (gguf(tensors=1, rest=text("a") + struct.pack("<IQIQ", 1, 33, 8, 0)), "blocks of 32"),
        (gguf(), "“general.architecture”"),
        (gguf(entries=1, rest=ARCHITECTURE), "“mamba”"),
    ],
)
def test_gguf_files_that_lie(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(ExplorerError, match=reason) as caught:
        load_model(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "a.gguf" in str(caught.value)
    assert peak < 2**21


def test_unknown_quantisations_are_named(tmp_path: Path) -> None:
    content = (MODELS / "llama-gguf" / "model-q8_0.gguf").read_bytes()
    entry = text("blk.1.attn_q.weight") + struct.pack("<IQQ", 2, 32, 32)
    at = content.index(entry) + len(entry)
    (tmp_path / "a.gguf").write_bytes(content[:at] + struct.pack("<I", 15) + content[at + 4 :])
    with pytest.raises(ExplorerError, match=r"“blk\.1\.attn_q\.weight” of “a\.gguf” is stored in the type Q8_K.*Q4_K"):
        load_model(tmp_path / "a.gguf")


# ---- Two hundred of each ----


def a_byte(chance: random.Random, content: bytes) -> bytes:
    """Change some bytes, more of them where headers are."""
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8))):
        place = chance.choice((chance.randrange(len(content)), chance.randrange(min(1500, len(content)))))
        damaged[place] = chance.choice((0, 255, damaged[place] ^ (1 << chance.randrange(8)), chance.randrange(256)))
    return bytes(damaged)


def a_number(chance: random.Random, content: bytes) -> bytes:
    """Write another number, or another word, over one in the header: as text, and as bytes."""
    if content.startswith(b"GGUF"):
        place = chance.randrange(8, 3000)
        value = struct.pack("<I", chance.choice((0, 1, 8, 9, 2**31, 2**32 - 1, chance.randrange(2**32))))
        return content[:place] + value + content[place + 4 :]
    word = chance.choice([*re.finditer(rb"[0-9.]+|[A-Za-z_]{3,}", content[:3000])])
    value = chance.choice((b"0", b"1", b"-1", b"7", b"999999999999", b"1" * 30, b"1e9", b"null", b"F64", b"{", b"NaN"))
    return content[: word.start()] + value + content[word.end() :]


def an_end(chance: random.Random, content: bytes) -> bytes:
    """Cut a file short, or write something behind its end."""
    if chance.random() < 0.2:
        return content + chance.randbytes(chance.randrange(1, 100))
    return content[: chance.choice((chance.randrange(len(content)), chance.randrange(300), len(content) - 1))]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("llama", "config.json"),
        ("t5", "config.json"),
        ("bert", "model.safetensors"),
        ("mistral", "model.safetensors.index.json"),
        ("gpt2", "tokenizer.json"),
        ("llama-gguf", "model-q4_1.gguf"),
    ],
)
def test_damaged_files_open_or_are_refused_in_words(tmp_path: Path, name: str, file: str) -> None:
    folder = copied(tmp_path, name)
    path = folder / file
    target = path if path.suffix == ".gguf" else folder
    content = path.read_bytes()
    run(target)
    chance = random.Random(f"seed {name} {file}")  # noqa: S311 - damage, no secrets
    tracemalloc.start()
    refused: list[str] = []
    for number in range(COUNT):
        path.write_bytes((a_byte, a_number, an_end)[number % 3](chance, content))
        try:
            run(target)
        except ExplorerError as error:
            refused.append(str(error))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES
    assert COUNT / 4 < len(refused) < COUNT
    assert all(said and len(said) < 800 for said in refused)


def test_a_model_says_what_it_is() -> None:
    assert isinstance(load_model(MODELS / "bart"), Model)
    assert repr(load_model(MODELS / "bart")) == "Model('bart', bart, 2 + 2 layers, 4 heads)"
    assert repr(load_model(MODELS / "llama-gguf" / "model-f16.gguf")) == (
        "Model('model-f16.gguf', llama, 2 layers, 4 heads)"
    )
