"""As `mutations`, for families that have a tokeniser with their fixture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutations import BERT, ROPE, Means, activation, eps, turned, unchanged

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
COMPUTED: Mapping[str, Table] = {
    "xlm-roberta": BERT,
    "camembert": BERT,
    "electra": BERT,
    "mpnet": {key: means for key, means in BERT.items() if key[0] != "num_attention_heads"},
    "nomic-bert": NOMIC,
    "nomic-bert-published": NOMIC_PUBLISHED,
}
HEADS = dict.fromkeys(("xlm-roberta", "camembert", "electra", "mpnet"), "gelu")
"""Whose head has an activation of its own."""
_BERT = ("vocab_size", "num_hidden_layers", "num_attention_heads", "layer_norm_eps", "hidden_act")
WRONG_FOR: Mapping[str, tuple[str, ...]] = {
    "xlm-roberta": (*_BERT, "pad_token_id", "type_vocab_size"),
    "camembert": (*_BERT, "pad_token_id", "max_position_embeddings"),
    "electra": (*_BERT, "embedding_size", "tie_word_embeddings"),
    "mpnet": (*_BERT, "relative_attention_num_buckets", "max_position_embeddings"),
    "nomic-bert": (*_BERT, "rope_parameters"),
    "nomic-bert-published": ("n_embd", "layer_norm_epsilon", "n_layer", "activation_function"),
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
]
"""Which settings nobody computes, and of which families."""
