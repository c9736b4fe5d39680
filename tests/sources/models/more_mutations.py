"""As `mutations`, for families that have a tokeniser with their fixture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mutations import BERT, NONE, ROPE, Change, Means, activation, eps, scaled, turned, unchanged, windows

from attention_explorer.model.transformer import Spec

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
}
HEADS = dict.fromkeys(("xlm-roberta", "camembert", "electra", "mpnet", "modernbert"), "gelu")
"""Whose head has an activation of its own."""
_BERT = ("vocab_size", "num_hidden_layers", "num_attention_heads", "layer_norm_eps", "hidden_act")
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
]
"""Which settings nobody computes, and of which families."""
