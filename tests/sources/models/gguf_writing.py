"""Write models of PyTorch to .gguf files, as llama.cpp's converter does."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

PERMUTED = ("llama", "granite", "smollm3")
"""In whose files the rows of queries and keys lie in another order."""
PLUS_ONE = ("gemma2", "gemma3")
"""Whose files hold the gains of norms with the 1 that these models add."""


def write_gguf_file(
    model: Any, path: Path, architecture: str, tokeniser: Any = None, pre: str = "", quantised: bool = False
) -> None:
    """Write a model with its vocabulary; ``quantised``: matrices as Q8_0, the others as float32."""
    import gguf

    config, kind = model.config, {name: each for each, name in gguf.MODEL_ARCH_NAMES.items()}[architecture]
    writer = gguf.GGUFWriter(path, architecture)
    _add_settings(writer, config, architecture)
    if tokeniser is not None:
        _add_vocabulary(writer, tokeniser, pre)
    names = gguf.get_tensor_name_map(kind, config.num_hidden_layers)
    for name, value in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        array = _laid_out(value.numpy(), name, config, architecture)
        short = names.get_name(name, try_suffixes=(".weight", ".bias"))
        assert short is not None, name
        if quantised and array.ndim == 2:
            packed = gguf.quants.quantize(array, gguf.GGMLQuantizationType.Q8_0)
            writer.add_tensor(short, packed, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        else:
            writer.add_tensor(short, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _laid_out(array: np.ndarray, name: str, config: Any, architecture: str) -> np.ndarray:
    if architecture in PERMUTED:
        for part, heads in (("q_proj", config.num_attention_heads), ("k_proj", config.num_key_value_heads)):
            if part in name:
                array = array.reshape(heads, 2, -1, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)
    if architecture in PLUS_ONE and "norm" in name:
        array = array + np.float32(1.0)
    return np.ascontiguousarray(array)


def _add_settings(writer: Any, config: Any, architecture: str) -> None:
    import gguf

    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_key_length(width)
    writer.add_value_length(width)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    rope = config.rope_parameters
    rope = rope.get("full_attention", rope)
    writer.add_rope_freq_base(rope["rope_theta"])
    if rope["rope_type"] in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(rope["rope_type"]))
        writer.add_rope_scaling_factor(rope["factor"])
    if rope["rope_type"] == "yarn":
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    if architecture in PLUS_ONE:
        writer.add_sliding_window(config.sliding_window)
        if config.attn_logit_softcapping:
            writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        if config.final_logit_softcapping:
            writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if architecture == "granite":
        writer.add_attention_scale(config.attention_multiplier)
        writer.add_embedding_scale(config.embedding_multiplier)
        writer.add_residual_scale(config.residual_multiplier)
        writer.add_logit_scale(config.logits_scaling)
    if architecture == "phi3":
        _add_phi3(writer, config, width)
    writer.add_vocab_size(config.vocab_size)


def _add_phi3(writer: Any, config: Any, width: int) -> None:
    """Write how much of a head is turned, its window, and the factors of LongRoPE."""
    rope, trained = config.rope_parameters, config.original_max_position_embeddings
    turned = int(width * rope["partial_rotary_factor"])
    writer.add_rope_dimension_count(turned)
    writer.add_sliding_window(config.sliding_window or 0)
    writer.add_rope_scaling_orig_ctx_len(trained)
    if rope["rope_type"] != "longrope":
        return
    times = config.max_position_embeddings / trained
    writer.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(times) / math.log(trained)) if times > 1 else 1.0)
    for name in ("long", "short"):
        writer.add_tensor(f"rope_factors_{name}.weight", np.array(rope[f"{name}_factor"], np.float32))


def _add_vocabulary(writer: Any, tokeniser: Any, pre: str) -> None:
    """Write byte-level merges; or scores of pieces, the earlier merge the higher, as SentencePiece has them."""
    import json

    import gguf

    stored = json.loads(tokeniser.to_str())
    special = {each["content"] for each in stored["added_tokens"]}
    vocabulary = sorted(stored["model"]["vocab"], key=stored["model"]["vocab"].get)
    kinds = [gguf.TokenType.CONTROL if piece in special else gguf.TokenType.NORMAL for piece in vocabulary]
    merges = [" ".join(pair) for pair in stored["model"]["merges"]]
    if pre:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_merges(merges)
    else:
        rank = {merge.replace(" ", ""): -float(place) for place, merge in enumerate(merges, 1)}
        writer.add_tokenizer_model("llama")
        writer.add_token_scores([rank.get(piece, -1e6) for piece in vocabulary])
        writer.add_add_space_prefix(False)
        kinds = [
            gguf.TokenType.BYTE if piece.startswith("<0x") else kind
            for piece, kind in zip(vocabulary, kinds, strict=True)
        ]
        writer.add_unk_token_id(vocabulary.index("<unk>"))
        writer.add_bos_token_id(vocabulary.index("<bos>"))
    writer.add_token_list(vocabulary)
    writer.add_token_types(kinds)
