"""As `mutations`, for families that have a tokeniser with their fixture."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from mutations import BERT, NONE, RMS, ROPE, Change, Means, activation, eps, scaled, turned, unchanged, windows

from attention_explorer.model.transformer import Blank, Rope, Spec

Table = Mapping[tuple[str, Any], Means]
NOMIC: Table = {
    ("layer_norm_eps", 0.5): Means(eps(0.5)),
    ("hidden_act", "relu"): Means(activation("relu")),
    ("hidden_act", "gelu"): Means(activation("gelu")),
    ("type_vocab_size", 2): Means(unchanged),
    **ROPE,
}
NOMIC_PUBLISHED: Table = {
    ("layer_norm_epsilon", 0.5): Means(eps(0.5)),
    ("rotary_emb_base", 77.0): Means(turned(77.0)),
    ("rotary_scaling_factor", 2.0): Means(unchanged),  # for texts of 2048 tokens
    ("max_trained_positions", 8): Means(turned(50.0 * (2 * 12 / 8 - 1) ** 2), {"rotary_scaling_factor": 2.0}),
    ("n_inner", 24): Means(unchanged),
}


def turned_by_layer(*bases: float | None, factor: float = 1.0) -> Change:
    """Change the base of some layers, and stretch these."""

    def change(spec: Spec) -> Spec:
        new = (turned(base, factor)(spec) if base else spec for base in bases)
        return replace(spec, layers=tuple(each.layers[place] for place, each in enumerate(new)))

    return change


def of_kinds(kinds: str, window: int) -> Change:
    """Change which layers have a window, "S", and which see all, "F"; each takes the rotation of its kind."""

    def change(spec: Spec) -> Spec:
        ropes = {layer.window is None: layer.rope for layer in spec.layers}
        new = zip(spec.layers, kinds, strict=True)
        sizes = {"F": None, "S": window}
        return replace(
            spec, layers=tuple(layer._replace(window=sizes[kind], rope=ropes[kind == "F"]) for layer, kind in new)
        )

    return change


def with_fields(**fields: Any) -> Change:
    """Change fields of the specification."""
    return lambda spec: replace(spec, **fields)


FULL, SLIDING = "full_attention", "sliding_attention"
_LESS = {"layer_types": NONE}
_OLD = {"rope_parameters": NONE}
MODERN: Table = {
    ("norm_eps", 0.5): Means(eps(0.5)),
    ("hidden_activation", "silu"): Means(activation("silu")),
    ("local_attention", 2): Means(windows(None, 2, 2, None)),
    ("layer_types", NONE): Means(unchanged),
    ("global_attn_every_n_layers", 2): Means(of_kinds("FSFS", 4), _LESS),
    ("layer_types", f'["{SLIDING}", "{FULL}", "{FULL}", "{SLIDING}"]'): Means(of_kinds("SFFS", 4)),
    ("global_rope_theta", 50.0): Means(turned_by_layer(50.0, 10_000.0, 10_000.0, 50.0), _OLD),
    ("local_rope_theta", 5.0): Means(turned_by_layer(160_000.0, 5.0, 5.0, 160_000.0), _OLD),
    ("rope_parameters", f'{{"{FULL}": {{"rope_theta": 5.0}}, "{SLIDING}": {{"rope_theta": 20.0}}}}'): Means(
        turned_by_layer(5.0, None, None, 5.0)
    ),
}
_GEMMA: Table = {
    ("rms_norm_eps", 0.5): Means(eps(0.5)),
    ("hidden_activation", "silu"): Means(activation("silu")),
    ("use_bidirectional_attention", False): Means(unchanged),
    ("final_logit_softcapping", 0.5): Means(with_fields(logit_cap=0.5)),
    ("final_logit_softcapping", None): Means(with_fields(logit_cap=None)),
}
GEMMA2: Table = {
    **_GEMMA,
    **ROPE,
    ("query_pre_attn_scalar", 36): Means(scaled(0.5, 0.5)),
    ("attn_logit_softcapping", 0.5): Means(with_fields(soft_cap=0.5)),
    ("attn_logit_softcapping", None): Means(with_fields(soft_cap=None)),
    ("attn_logit_softcapping", NONE): Means(with_fields(soft_cap=50.0)),
    ("final_logit_softcapping", NONE): Means(with_fields(logit_cap=30.0)),
    ("sliding_window", 2): Means(windows(2, None)),
    ("layer_types", NONE): Means(unchanged),
    ("layer_types", f'["{FULL}", "{SLIDING}"]'): Means(windows(None, 4)),
}
GEMMA3: Table = {
    **_GEMMA,
    ("final_logit_softcapping", None): Means(unchanged),
    ("query_pre_attn_scalar", 36): Means(scaled(0.5, 0.5, 0.5)),
    ("sliding_window", 2): Means(windows(2, 2, None)),
    ("sliding_window_pattern", 2): Means(of_kinds("SFS", 4), _LESS),
    ("sliding_window_pattern", NONE): Means(of_kinds("SSS", 4), _LESS),
    ("rope_theta", 50.0): Means(turned_by_layer(10_000.0, 10_000.0, 50.0), _OLD),
    ("rope_local_base_freq", 5.0): Means(turned_by_layer(5.0, 5.0, 1_000_000.0), _OLD),
    ("rope_scaling", '{"rope_type": "linear", "factor": 4.0}'): Means(
        lambda spec: turned_by_layer(None, None, 90.0, factor=4.0)(turned_by_layer(10_000.0, 10_000.0, None)(spec)),
        {"rope_parameters": NONE, "rope_theta": 90.0},
    ),
    ("use_bidirectional_attention", True): Means(lambda spec: replace(windows(3, 3, None)(spec), is_causal=False)),
}


def turned_in(base: float, width: int, factors: Sequence[float] = (), times: float = 1.0) -> Change:
    """Turn so many features of each head, pairs slowed down by factors of their own."""

    def change(spec: Spec) -> Spec:
        slow = factors or (1.0,) * (width // 2)
        frequencies = np.array([base ** (-2 * pair / width) / slow[pair] for pair in range(width // 2)], np.float32)
        rope = Rope(lambda _n: frequencies, times)
        return replace(spec, layers=tuple(layer._replace(rope=rope) for layer in spec.layers))

    return change


def turning(*turns: int) -> Change:
    """Change which layers turn, as the first does."""

    def change(spec: Spec) -> Spec:
        layers = zip(spec.layers, turns, strict=True)
        rope = spec.layers[0].rope
        return replace(spec, layers=tuple(layer._replace(rope=rope if turned else None) for layer, turned in layers))

    return change


_LLAMA: Table = {key: means for key, means in RMS.items() if not key[0].startswith("rope")}
_FACTORS = '{"type": "su", "short_factor": [1.5, 4.0], "long_factor": [9.0, 9.0]}'
SMOLLM3: Table = {
    **_LLAMA,
    ("rope_parameters", '{"rope_theta": 50.0, "rope_type": "default"}'): Means(turned_by_layer(50.0, 50.0, 50.0, None)),
    ("rope_theta", 77.0): Means(turned_by_layer(77.0, 77.0, 77.0, None), _OLD),
    ("rope_parameters", NONE): Means(turned_by_layer(2e6, 2e6, 2e6, None)),
    ("no_rope_layers", "[1, 0, 1, 1]"): Means(turning(1, 0, 1, 1)),
    ("no_rope_layer_interval", 2): Means(turning(1, 0, 1, 0), {"no_rope_layers": NONE}),
    ("no_rope_layers", NONE): Means(unchanged),
    ("sliding_window", 4): Means(windows(None, None, None, 4), {"use_sliding_window": True, **_LESS}),
}
PHI3: Table = {
    **_LLAMA,
    ("rope_theta", 77.0): Means(turned(77.0), _OLD),
    ("sliding_window", 2): Means(windows(2, 2, 2)),
    ("sliding_window", None): Means(windows(None, None, None)),
    ("partial_rotary_factor", 0.5): Means(turned_in(10_000.0, 2), _OLD),
    ("rope_scaling", _FACTORS): Means(
        turned_in(10_000.0, 4, (1.5, 4.0), math.sqrt(1.5)), {**_OLD, "original_max_position_embeddings": 16}
    ),
    ("original_max_position_embeddings", 8): Means(
        turned_in(10_000.0, 4, (9.0, 9.0), math.sqrt(2.0)), {**_OLD, "rope_scaling": json.loads(_FACTORS)}
    ),
}
GRANITE: Table = {
    **RMS,
    ("embedding_multiplier", 2.0): Means(with_fields(embedding_scale=2.0)),
    ("embedding_multiplier", NONE): Means(with_fields(embedding_scale=1.0)),
    ("residual_multiplier", 0.9): Means(with_fields(residual_scale=0.9)),
    ("logits_scaling", 2.0): Means(with_fields(logit_scale=0.5)),
    ("attention_multiplier", 0.6): Means(scaled(2.0, 2.0, 2.0)),
}
NEOX: Table = {
    ("layer_norm_eps", 0.5): Means(eps(0.5)),
    ("hidden_act", "relu"): Means(activation("relu")),
    ("use_parallel_residual", False): Means(with_fields(parallel=False)),
    ("rotary_pct", 0.5): Means(turned_in(10_000.0, 4), _OLD),
    ("rotary_emb_base", 77.0): Means(turned_in(77.0, 8), {**_OLD, "rotary_pct": 1.0}),
    ("rope_theta", 10_000.0): Means(unchanged),
}
OPT: Table = {
    ("activation_function", "gelu"): Means(activation("gelu")),
    ("ffn_dim", 24): Means(unchanged),
    ("enable_bias", NONE): Means(unchanged),
}
MBART: Table = {
    ("scale_embedding", False): Means(with_fields(embedding_scale=1.0)),
    ("activation_function", "silu"): Means(activation("silu")),
    ("normalize_before", True): Means(unchanged),
    ("add_final_layer_norm", True): Means(unchanged),
}
MARIAN: Table = {
    ("scale_embedding", False): Means(with_fields(embedding_scale=1.0)),
    ("activation_function", "relu"): Means(activation("relu")),
    ("static_position_embeddings", True): Means(unchanged),
    ("normalize_embedding", False): Means(unchanged),
}
MT5: Table = {
    ("layer_norm_epsilon", 0.5): Means(eps(0.5)),
    ("feed_forward_proj", "gated-silu"): Means(activation("silu"), {"dense_act_fn": NONE}),
    ("feed_forward_proj", NONE): Means(unchanged),
    ("tie_word_embeddings", False): Means(unchanged),
    ("scale_decoder_outputs", True): Means(unchanged),
}
_ESM: Table = {
    ("layer_norm_eps", 0.5): Means(eps(0.5)),
    ("is_folding_model", False): Means(unchanged),
}
ESM2: Table = {
    **_ESM,
    ("rope_theta", 77.0): Means(turned(77.0)),
    ("token_dropout", False): Means(with_fields(blank=None)),
    ("mask_token_id", 5): Means(with_fields(blank=Blank(5, 0.12))),
}
ESM1: Table = {**_ESM, ("token_dropout", True): Means(with_fields(blank=Blank(32, 0.12)))}
COMPUTED: Mapping[str, Table] = {
    "xlm-roberta": BERT,
    "camembert": BERT,
    "electra": BERT,
    "mpnet": {key: means for key, means in BERT.items() if key[0] != "num_attention_heads"},
    "nomic-bert": NOMIC,
    "nomic-bert-published": NOMIC_PUBLISHED,
    "modernbert": MODERN,
    "gemma2": GEMMA2,
    "gemma3": GEMMA3,
    "smollm3": SMOLLM3,
    "phi3": PHI3,
    "olmo2": RMS,
    "granite": GRANITE,
    "gpt-neox": NEOX,
    "opt": OPT,
    "opt-narrow": OPT,
    "mbart": MBART,
    "marian": MARIAN,
    "mt5": MT5,
    "esm2": ESM2,
    "esm1b": ESM1,
}
HEADS = dict.fromkeys(("xlm-roberta", "camembert", "electra", "mpnet", "modernbert", "esm2", "esm1b"), "gelu") | {
    "opt-narrow": ""
}
"""Whose head has an activation of its own, or none."""
_BERT = ("vocab_size", "num_hidden_layers", "num_attention_heads", "layer_norm_eps", "hidden_act")
_LLAMA_READS = ("vocab_size", "num_hidden_layers", "num_attention_heads", "rms_norm_eps", "hidden_act", "head_dim")
_GEMMA_READS = ("vocab_size", "num_hidden_layers", "rms_norm_eps", "head_dim", "sliding_window", "layer_types")
_GEMMA_READS += ("query_pre_attn_scalar", "num_key_value_heads", "final_logit_softcapping", "attention_bias")
WRONG_FOR: Mapping[str, tuple[str, ...]] = {
    "xlm-roberta": (*_BERT, "pad_token_id", "type_vocab_size"),
    "camembert": (*_BERT, "pad_token_id", "max_position_embeddings"),
    "electra": (*_BERT, "embedding_size", "tie_word_embeddings"),
    "mpnet": (*_BERT, "relative_attention_num_buckets", "max_position_embeddings"),
    "nomic-bert": (*_BERT, "rope_parameters"),
    "nomic-bert-published": ("n_embd", "layer_norm_epsilon", "n_layer", "activation_function"),
    "modernbert": ("vocab_size", "num_hidden_layers", "local_attention", "norm_bias", "layer_types", "rope_parameters"),
    "smollm3": (*_LLAMA_READS, "no_rope_layers", "no_rope_layer_interval"),
    "phi3": (*_LLAMA_READS, "partial_rotary_factor", "rope_parameters"),
    "olmo2": _LLAMA_READS,
    "granite": (*_LLAMA_READS, "logits_scaling"),
    "gpt-neox": (*_BERT, "use_parallel_residual"),
    "opt": ("vocab_size", "ffn_dim", "do_layer_norm_before", "activation_function"),
    "opt-narrow": ("vocab_size", "word_embed_proj_dim", "activation_function"),
    "mbart": ("vocab_size", "scale_embedding", "encoder_layers", "decoder_attention_heads"),
    "marian": ("vocab_size", "scale_embedding", "encoder_layers", "decoder_attention_heads"),
    "mt5": ("vocab_size", "layer_norm_epsilon", "d_model", "relative_attention_num_buckets"),
    "esm2": (*_BERT[:-1], "token_dropout", "mask_token_id"),
    "esm1b": (*_BERT[:-1], "pad_token_id", "emb_layer_norm_before"),
    "gemma2": (*_GEMMA_READS, "attn_logit_softcapping"),
    "gemma3": (*_GEMMA_READS, "rope_parameters"),
}
"""Which of the settings of `WRONG` each of them reads."""
REFUSED = [
    (("xlm-roberta", "electra", "mpnet"), "is_decoder", True),
    (("electra", "camembert"), "position_embedding_type", "relative_key"),
    (("mpnet",), "relative_attention_num_buckets", 64),
    (("mpnet",), "pad_token_id", 0),
    (("nomic-bert", "nomic-bert-published"), "num_experts", 8),
    (("nomic-bert",), "partial_rotary_factor", 0.5),
    (("nomic-bert-published",), "prenorm", True),
    (("nomic-bert-published",), "causal", True),
    (("nomic-bert-published",), "use_rms_norm", True),
    (("nomic-bert-published",), "activation_function", "geglu"),
    (("nomic-bert-published",), "rotary_emb_fraction", 0.5),
    (("nomic-bert-published",), "rotary_emb_scale_base", 512),
    (("nomic-bert-published",), "rotary_emb_interleaved", True),
    (("nomic-bert-published",), "moe_every_n_layers", 2),
    (("modernbert", "gemma2", "gemma3"), "layer_types", ["chunked_attention"] * 4),
    (("modernbert",), "sliding_window", 4),
    (("gemma2",), "use_bidirectional_attention", True),
    (("gemma3",), "attn_logit_softcapping", 50.0),
    (("gemma2", "gemma3"), "num_experts", 4),
    (("gemma2",), "sliding_window_pattern", 3),
    (("phi3",), "rope_parameters", {"rope_type": "linear", "factor": 2.0}),
    (("phi3", "granite"), "num_local_experts", 16),
    (("smollm3", "olmo2", "granite"), "partial_rotary_factor", 0.5),
    (("olmo2", "granite"), "sliding_window", 4),
    (("opt",), "layer_norm_elementwise_affine", False),
    (("gpt-neox",), "rope_theta", 500.0),
    (("mbart",), "normalize_before", False),
    (("mbart",), "add_final_layer_norm", False),
    (("marian",), "static_position_embeddings", False),
    (("marian",), "share_encoder_decoder_embeddings", False),
    (("marian",), "decoder_vocab_size", 70),
    (("marian",), "normalize_embedding", True),
    (("esm2",), "is_folding_model", True),
    (("esm2",), "position_embedding_type", "relative_key"),
    (("esm2", "esm1b"), "is_decoder", True),
]
"""Which settings nobody computes, and of which families."""
