"""Configurations that are altered: what each alteration means, and what no model has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attention_explorer.model.transformer import Rope, Spec

Change = Callable[[Spec], Spec]
NONE = object()
"""A setting that is left out."""


class Means(NamedTuple):
    """What a mutation means: a tower is as before but for this."""

    change: Change
    other: Mapping[str, Any] = MappingProxyType({})
    """What else has to be said."""


def windows(*sizes: int | None) -> Change:
    def change(spec: Spec) -> Spec:
        layers = zip(spec.layers, sizes, strict=True)
        return replace(spec, layers=tuple(layer._replace(window=size) for layer, size in layers))

    return change


def scaled(*factors: float) -> Change:
    def change(spec: Spec) -> Spec:
        layers = zip(spec.layers, factors, strict=True)
        return replace(spec, layers=tuple(layer._replace(scale=layer.scale * factor) for layer, factor in layers))

    return change


def turned(base: float, factor: float = 1.0) -> Change:
    def change(spec: Spec) -> Spec:
        d = spec.head_width
        frequencies = np.array([base ** (-2 * pair / d) / factor for pair in range(d // 2)], np.float32)
        rope = Rope(lambda _n: frequencies)
        return replace(spec, layers=tuple(layer._replace(rope=rope) for layer in spec.layers))

    return change


def eps(value: float) -> Change:
    return lambda spec: replace(spec, norm=spec.norm._replace(eps=value))


def activation(name: str) -> Change:
    return lambda spec: replace(spec, activation=name)


def unchanged(spec: Spec) -> Spec:
    return spec


FULL, SLIDING = "full_attention", "sliding_attention"
ROPE: dict[tuple[str, Any], Means] = {
    ("rope_parameters", '{"rope_theta": 50.0, "rope_type": "default"}'): Means(turned(50.0)),
    ("rope_parameters", '{"rope_theta": 50.0, "rope_type": "linear", "factor": 3.0}'): Means(turned(50.0, 3.0)),
    ("rope_theta", 77.0): Means(turned(77.0), {"rope_parameters": NONE}),
    ("rope_scaling", '{"type": "linear", "factor": 4}'): Means(turned(10000.0, 4.0), {"rope_parameters": NONE}),
}
RMS: dict[tuple[str, Any], Means] = {
    ("rms_norm_eps", 0.5): Means(eps(0.5)),
    ("hidden_act", "gelu"): Means(activation("gelu")),
    ("hidden_act", "swish"): Means(unchanged),
    ("num_key_value_heads", 2): Means(unchanged),
    **ROPE,
}
QWEN = {
    **RMS,
    ("sliding_window", 2): Means(windows(None, 2, 2)),
    ("sliding_window", NONE): Means(windows(None, None, None)),  # the usual 4096, longer than the text
    ("layer_types", NONE): Means(unchanged),
    ("max_window_layers", 2): Means(windows(None, None, 4), {"layer_types": NONE}),
    ("layer_types", f'["{SLIDING}", "{FULL}", "{FULL}"]'): Means(windows(4, None, None)),
    ("use_sliding_window", False): Means(windows(None, None, None), {"layer_types": NONE}),
    ("max_window_layers", NONE): Means(unchanged),
}
BERT: dict[tuple[str, Any], Means] = {
    ("layer_norm_eps", 0.5): Means(eps(0.5)),
    ("hidden_act", "relu"): Means(activation("relu")),
    ("hidden_act", "gelu_new"): Means(activation("gelu_new")),
    ("position_embedding_type", "absolute"): Means(unchanged),
    ("is_causal", False): Means(unchanged),
    ("num_attention_heads", 2): Means(lambda spec: heads(spec, 2)),
}


def heads(spec: Spec, count: int) -> Spec:
    width = spec.width // count
    layers = tuple(layer._replace(scale=width**-0.5) for layer in spec.layers)
    return replace(spec, heads=count, kv_heads=count, head_width=width, layers=layers)


COMPUTED: Mapping[str, Mapping[tuple[str, Any], Means]] = {
    "llama": {**RMS, ("is_decoder", True): Means(unchanged), ("is_causal", True): Means(unchanged)},
    "mistral": {
        **RMS,
        ("sliding_window", 2): Means(windows(2, 2, 2)),
        ("sliding_window", None): Means(windows(None, None, None)),
        ("sliding_window", NONE): Means(windows(None, None, None)),  # the usual 4096, longer than the text
    },
    "qwen2": QWEN,
    "qwen3": {**QWEN, ("attention_bias", NONE): Means(unchanged)},
    "gpt2": {
        ("layer_norm_epsilon", 0.5): Means(eps(0.5)),
        ("activation_function", "relu"): Means(activation("relu")),
        ("scale_attn_weights", False): Means(scaled(*(math.sqrt(8.0),) * 3)),
        ("scale_attn_by_inverse_layer_idx", True): Means(scaled(1.0, 1 / 2, 1 / 3)),
        ("n_inner", 128): Means(unchanged),
        ("n_head", 8): Means(lambda spec: heads(spec, 8)),
    },
    "bert": BERT,
    "roberta": BERT,
    "albert": BERT,
    "distilbert": {
        ("activation", "relu"): Means(activation("relu")),
        ("n_heads", 2): Means(lambda spec: heads(spec, 2)),
    },
    "bart": {
        ("scale_embedding", True): Means(lambda spec: replace(spec, embedding_scale=math.sqrt(24.0))),
        ("activation_function", "silu"): Means(activation("silu")),
        ("extra_pos_embeddings", 2): Means(unchanged),
        ("normalize_embedding", True): Means(unchanged),
    },
    "t5": {
        ("layer_norm_epsilon", 0.5): Means(eps(0.5)),
        ("scale_decoder_outputs", False): Means(lambda spec: replace(spec, logit_scale=1.0)),
        ("feed_forward_proj", "gelu"): Means(activation("gelu"), {"dense_act_fn": NONE}),
        ("num_decoder_layers", NONE): Means(unchanged),
        ("tie_word_embeddings", NONE): Means(unchanged),
        ("d_kv", NONE): Means(unchanged),
    },
}
HEADS = {"roberta": "gelu"}
"""Whose head has an activation of its own."""
SAME: Mapping[str, tuple[object, ...]] = {
    "attention_dropout": (0.5, None),
    "initializer_range": (3, None),
    "use_cache": (False,),
    "torch_dtype": ("bfloat16",),
    "transformers_version": ("4.0.0", None),
    "architectures": (None,),
    "my_own_note": ("hello", ["hello"], 7),
    "num_experts": (0, None),
    "attn_logit_softcapping": (None,),
    "partial_rotary_factor": (1.0, 1, None),
    "no_rope_layers": ([1, 1, 1],),
    "use_qk_norm": (False,),
    "logits_scaling": (1.0,),
    "alibi": (False,),
    "pretraining_tp": (2,),
    "id2label": ({"0": "no", "1": "yes"},),
}
"""What asks for nothing."""
WRONG: Mapping[str, tuple[object, ...]] = {
    "vocab_size": (0, -1, "40", 40.0, 2**40, []),
    "num_hidden_layers": (0, "3", True, 10**6),
    "num_attention_heads": (0, -4, 4.5, {}),
    "rms_norm_eps": (0, -1e-6, "1e-6", float("nan"), float("inf"), 1e-300),
    "layer_norm_eps": (0.0, "x", float("nan")),
    "hidden_act": (3, "sinus", ["gelu"]),
    "tie_word_embeddings": (1, "yes", []),
    "sliding_window": (0, -1, "all"),
    "layer_types": ("full_attention", [1, 2, 3], [FULL], [FULL] * 4, ["linear_attention"] * 3),
    "max_window_layers": (-1, "x"),
    "head_dim": (0, "8", 7),
    "rope_parameters": ("default", [1], 7),
    "attention_bias": (1, "no"),
    "scale_attn_weights": (1, "x"),
    "n_embd": (0, "32"),
    "layer_norm_epsilon": (0, None, "x"),
    "n_layer": (0, 2.0),
    "activation_function": ("sinus", None),
    "activation": ("sinus", 7),
    "dim": (0, "16"),
    "n_layers": (0, None),
    "pad_token_id": (-1, "x", 2**20),
    "type_vocab_size": (0, 3, "x"),
    "max_position_embeddings": (0, 3, "x"),
    "embedding_size": (0, 16),
    "num_hidden_groups": (0, 99),
    "scale_embedding": (1, "x"),
    "encoder_layers": (0, 7, None),
    "decoder_attention_heads": (0, 5),
    "relative_attention_num_buckets": (0, 2, "x"),
    "relative_attention_max_distance": (0, 1),
    "feed_forward_proj": ("gated-sinus", 7, "gated-gelu"),
    "d_model": (0, 31),
    "local_attention": (-2, "x"),
    "no_rope_layers": ([1, 1], "all", [2, 1, 1, 1]),
    "no_rope_layer_interval": (0, "x"),
    "partial_rotary_factor": (0.0, 2.0, "x"),
    "logits_scaling": (0.0, "x"),
    "use_parallel_residual": (1, "x"),
    "ffn_dim": (0, 25),
    "do_layer_norm_before": (1, "x"),
    "word_embed_proj_dim": (0, 9),
    "token_dropout": (1, "x"),
    "mask_token_id": (-1, "x"),
    "emb_layer_norm_before": (False, "x"),
    "norm_bias": (True, 1, "x"),
    "query_pre_attn_scalar": (0, -9, "x"),
    "num_key_value_heads": (0, 3, None),
    "attn_logit_softcapping": (0.0, -1.0, "x", True),
    "final_logit_softcapping": (0.0, -1.0, "x", True),
}
"""What no model has, for those families that read it."""
READ_BY: Mapping[str, tuple[str, ...]] = {
    "llama": ("vocab_size", "num_hidden_layers", "num_attention_heads", "rms_norm_eps", "hidden_act", "head_dim"),
    "gpt2": ("vocab_size", "n_embd", "layer_norm_epsilon", "n_layer", "activation_function", "scale_attn_weights"),
    "bert": ("vocab_size", "num_hidden_layers", "num_attention_heads", "layer_norm_eps", "hidden_act"),
    "distilbert": ("vocab_size", "activation", "dim", "n_layers", "max_position_embeddings"),
    "bart": ("vocab_size", "scale_embedding", "encoder_layers", "decoder_attention_heads", "activation_function"),
    "t5": ("vocab_size", "layer_norm_epsilon", "feed_forward_proj", "d_model", "relative_attention_num_buckets"),
}
ALSO: Mapping[str, tuple[str, ...]] = {
    "llama": ("tie_word_embeddings", "rope_parameters", "attention_bias"),
    "mistral": (*READ_BY["llama"], "sliding_window", "rope_parameters"),
    "qwen2": (*READ_BY["llama"][:-1], "sliding_window", "layer_types", "max_window_layers"),
    "qwen3": (*READ_BY["llama"], "sliding_window", "layer_types", "max_window_layers", "attention_bias"),
    "bert": ("type_vocab_size", "max_position_embeddings", "tie_word_embeddings"),
    "roberta": (*READ_BY["bert"], "pad_token_id", "type_vocab_size"),
    "albert": (*READ_BY["bert"], "embedding_size", "num_hidden_groups"),
    "t5": ("relative_attention_max_distance", "tie_word_embeddings"),
}
