"""Models of the sizes of MiniLM and SmolLM2, with random weights, so that nobody has to download one to measure."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "tests" / "data" / "models"
SPREAD = 0.02
"""The standard deviation of the weights."""

Tensor = tuple[str, tuple[int, ...]]

MINILM = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "vocab_size": 30522,
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
}
SMOLLM2 = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": 49152,
    "hidden_size": 576,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "head_dim": 64,
    "intermediate_size": 1536,
    "max_position_embeddings": 8192,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-5,
    "rope_theta": 100000.0,
    "tie_word_embeddings": True,
    "attention_bias": False,
    "mlp_bias": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def write_minilm(folder: Path) -> Path:
    """Write one of MiniLM's size, float32: 91 MB; return its folder."""
    d, inner, layers = 384, 1536, range(6)
    tensors = [
        ("embeddings.word_embeddings.weight", (30522, d)),
        ("embeddings.position_embeddings.weight", (512, d)),
        ("embeddings.token_type_embeddings.weight", (2, d)),
        *_normalised("embeddings.LayerNorm", d),
    ]
    for layer in (f"encoder.layer.{each}" for each in layers):
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            tensors += _affine(f"{layer}.{part}", d, d)
        tensors += [*_affine(f"{layer}.intermediate.dense", inner, d), *_affine(f"{layer}.output.dense", d, inner)]
        tensors += [
            *_normalised(f"{layer}.attention.output.LayerNorm", d),
            *_normalised(f"{layer}.output.LayerNorm", d),
        ]
    return _write(folder / "MiniLM-sized", MINILM, tensors, "bert", "float32")


def write_smollm2(folder: Path) -> Path:
    """Write one of SmolLM2's size, float16: 270 MB; return its folder."""
    d, inner, keys, layers = 576, 1536, 192, range(30)
    tensors = [("model.embed_tokens.weight", (49152, d)), ("model.norm.weight", (d,))]
    for layer in (f"model.layers.{each}" for each in layers):
        tensors += [
            (f"{layer}.input_layernorm.weight", (d,)),
            (f"{layer}.post_attention_layernorm.weight", (d,)),
            (f"{layer}.self_attn.q_proj.weight", (d, d)),
            (f"{layer}.self_attn.k_proj.weight", (keys, d)),
            (f"{layer}.self_attn.v_proj.weight", (keys, d)),
            (f"{layer}.self_attn.o_proj.weight", (d, d)),
            (f"{layer}.mlp.gate_proj.weight", (inner, d)),
            (f"{layer}.mlp.up_proj.weight", (inner, d)),
            (f"{layer}.mlp.down_proj.weight", (d, inner)),
        ]
    return _write(folder / "SmolLM2-sized", SMOLLM2, tensors, "llama", "float16")


def _affine(name: str, rows: int, columns: int) -> Iterator[Tensor]:
    yield from ((f"{name}.weight", (rows, columns)), (f"{name}.bias", (rows,)))


def _normalised(name: str, width: int) -> Iterator[Tensor]:
    yield from ((f"{name}.weight", (width,)), (f"{name}.bias", (width,)))


def _write(folder: Path, config: dict[str, object], tensors: list[Tensor], tokeniser: str, dtype: str) -> Path:
    from safetensors.numpy import save_file  # of the development tools

    random = np.random.default_rng(0)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    shutil.copy(DATA / tokeniser / "tokenizer.json", folder)
    arrays = {}
    for name, shape in tensors:
        drawn = random.standard_normal(shape, dtype=np.float32) * np.float32(SPREAD)
        arrays[name] = (drawn + 1 if "norm" in name.lower() and name.endswith("weight") else drawn).astype(dtype)
    save_file(arrays, folder / "model.safetensors")
    return folder
