"""Configurations as the makers of families publish them: taken, and read as what their models are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from attention_explorer.model.transformer import Buckets, Places, Spec
from attention_explorer.sources.models.families import family_of
from attention_explorer.sources.models.reading import FULL, SLIDING
from attention_explorer.sources.models.refusals import check_asked
from attention_explorer.sources.models.settings import Settings

Config = dict[str, Any]
BERT: Config = {
    "attention_probs_dropout_prob": 0.1,
    "classifier_dropout": None,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "position_embedding_type": "absolute",
    "type_vocab_size": 2,
    "use_cache": True,
    "vocab_size": 30522,
}
XLM_R: Config = {
    **BERT,
    "model_type": "xlm-roberta",
    "architectures": ["XLMRobertaForMaskedLM"],
    "bos_token_id": 0,
    "eos_token_id": 2,
    "layer_norm_eps": 1e-05,
    "max_position_embeddings": 514,
    "output_past": True,
    "pad_token_id": 1,
    "type_vocab_size": 1,
    "vocab_size": 250002,
}
NOMIC: Config = {
    "model_type": "nomic_bert",
    "activation_function": "swiglu",
    "architectures": ["NomicBertModel"],
    "attn_pdrop": 0.0,
    "auto_map": {"AutoModel": "nomic-ai/nomic-bert-2048--modeling_hf_nomic_bert.NomicBertModel"},
    "causal": False,
    "dense_seq_output": True,
    "embd_pdrop": 0.0,
    "fused_bias_fc": True,
    "fused_dropout_add_ln": True,
    "layer_norm_epsilon": 1e-12,
    "max_trained_positions": 2048,
    "mlp_fc1_bias": False,
    "mlp_fc2_bias": False,
    "n_embd": 768,
    "n_head": 12,
    "n_inner": 3072,
    "n_layer": 12,
    "n_positions": 8192,
    "pad_vocab_size_multiple": 64,
    "parallel_block": False,
    "parallel_block_tied_norm": False,
    "prenorm": False,
    "qkv_proj_bias": False,
    "reorder_and_upcast_attn": False,
    "rotary_emb_base": 1000,
    "rotary_emb_fraction": 1.0,
    "rotary_emb_interleaved": False,
    "rotary_emb_scale_base": None,
    "rotary_scaling_factor": None,
    "scale_attn_by_inverse_layer_idx": False,
    "scale_attn_weights": True,
    "type_vocab_size": 2,
    "use_flash_attn": True,
    "use_rms_norm": False,
    "use_xentropy": True,
    "vocab_size": 30528,
}
MODERN: Config = {
    "model_type": "modernbert",
    "architectures": ["ModernBertForMaskedLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "classifier_activation": "gelu",
    "classifier_bias": False,
    "classifier_pooling": "mean",
    "decoder_bias": True,
    "deterministic_flash_attn": False,
    "global_attn_every_n_layers": 3,
    "global_rope_theta": 160000.0,
    "hidden_activation": "gelu",
    "hidden_size": 768,
    "intermediate_size": 1152,
    "layer_norm_eps": 1e-05,
    "local_attention": 128,
    "local_rope_theta": 10000.0,
    "max_position_embeddings": 8192,
    "mlp_bias": False,
    "norm_bias": False,
    "norm_eps": 1e-05,
    "num_attention_heads": 12,
    "num_hidden_layers": 22,
    "position_embedding_type": "absolute",
    "sparse_prediction": False,
    "vocab_size": 50368,
}
GEMMA: Config = {
    "attention_bias": False,
    "attention_dropout": 0.0,
    "cache_implementation": "hybrid",
    "head_dim": 256,
    "hidden_activation": "gelu_pytorch_tanh",
    "max_position_embeddings": 8192,
    "query_pre_attn_scalar": 256,
    "rms_norm_eps": 1e-06,
    "rope_theta": 10000.0,
    "vocab_size": 256000,
}
PUBLISHED: Mapping[str, tuple[Config, Mapping[str, Any]]] = {
    "XLM-RoBERTa": (XLM_R, {"places": Places(514, 2, 1), "kinds": 1, "vocabulary": 250002}),
    "BGE-M3": (
        {**XLM_R, "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16}
        | {"max_position_embeddings": 8194, "num_hidden_layers": 24},
        {"places": Places(8194, 2, 1), "width": 1024, "head_width": 64},
    ),
    "CamemBERT": (
        {**XLM_R, "model_type": "camembert", "architectures": ["CamembertForMaskedLM"], "vocab_size": 32005},
        {"places": Places(514, 2, 1), "vocabulary": 32005},
    ),
    "ELECTRA small": (
        {**BERT, "model_type": "electra", "architectures": ["ElectraForPreTraining"], "embedding_size": 128}
        | {"hidden_size": 256, "intermediate_size": 1024, "num_attention_heads": 4, "summary_use_proj": True},
        {"narrow": 128, "width": 256},
    ),
    "ELECTRA base": (
        {**BERT, "model_type": "electra", "embedding_size": 768, "summary_activation": "gelu"},
        {"narrow": None, "kinds": 2},
    ),
    "MPNet": (
        {key: value for key, value in BERT.items() if key not in ("type_vocab_size", "position_embedding_type")}
        | {"model_type": "mpnet", "layer_norm_eps": 1e-05, "max_position_embeddings": 514, "pad_token_id": 1}
        | {"relative_attention_num_buckets": 32, "vocab_size": 30527},
        {"places": Places(514, 2, 1), "buckets": Buckets(32, 128), "kinds": 0},
    ),
    "nomic-embed 1.5": (NOMIC, {"gated": True, "places": None, "biases": frozenset()}),
    "nomic-embed 1": ({**NOMIC, "rotary_scaling_factor": 2}, {"activation": "silu"}),
    "ModernBERT": (MODERN, {"windows": [None, 65, 65] * 7 + [None], "bases": [160000.0, 10000.0], "is_causal": False}),
    "Gemma 2 2B": (
        {**GEMMA, "model_type": "gemma2", "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}
        | {"hidden_act": "gelu_pytorch_tanh", "hidden_size": 2304, "intermediate_size": 9216, "sliding_window": 4096}
        | {"num_attention_heads": 8, "num_hidden_layers": 26, "num_key_value_heads": 4},
        {"windows": [4096, None] * 13, "soft_cap": 50.0, "logit_cap": 30.0, "head_width": 256, "scale": 1 / 16},
    ),
    "Gemma 3 270M": (
        {**GEMMA, "model_type": "gemma3_text", "_sliding_window_pattern": 6, "attn_logit_softcapping": None}
        | {"final_logit_softcapping": None, "hidden_size": 640, "intermediate_size": 2048, "num_attention_heads": 4}
        | {"layer_types": ([SLIDING] * 5 + [FULL]) * 3, "num_hidden_layers": 18, "num_key_value_heads": 1}
        | {"rope_local_base_freq": 10000.0, "rope_scaling": None, "rope_theta": 1000000.0, "sliding_window": 512}
        | {"use_bidirectional_attention": False, "vocab_size": 262144},
        {"windows": ([512] * 5 + [None]) * 3, "bases": [10000.0] * 5 + [1000000.0], "logit_cap": None, "scale": 1 / 16},
    ),
    "EmbeddingGemma": (
        {**GEMMA, "model_type": "gemma3_text", "_sliding_window_pattern": 6, "hidden_size": 768}
        | {"intermediate_size": 1152, "num_attention_heads": 3, "num_hidden_layers": 24, "num_key_value_heads": 1}
        | {"rope_local_base_freq": 10000.0, "rope_theta": 1000000.0, "sliding_window": 512, "vocab_size": 262144}
        | {"use_bidirectional_attention": True},
        {"windows": ([257] * 5 + [None]) * 4, "is_causal": False, "embedding_scale": 768**0.5},
    ),
}


def specs_of(name: str) -> list[Spec]:
    said = Settings("“config.json”", PUBLISHED[name][0])
    found = [tower.spec(said) for tower in family_of(said).towers]
    check_asked(said, is_causal=found[-1].is_causal)
    return found


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_configuration_is_read_as_what_its_model_is(name: str) -> None:
    for spec in specs_of(name):
        for field, value in PUBLISHED[name][1].items():
            if field == "bases":
                bases = [base_of(spec, place) for place in range(len(value))]
                assert bases == pytest.approx(value, rel=1e-3, nan_ok=True)
            else:
                assert found_in(spec, field) == value, field


def base_of(spec: Spec, layer: int) -> float:
    """Return the base of rotary positions; NaN where a layer turns nothing."""
    rope = spec.layers[layer].rope
    if rope is None:
        return math.nan
    frequencies = rope.frequencies(1)
    return float(frequencies[1]) ** -len(frequencies)


def found_in(spec: Spec, field: str) -> object:
    """Return a field, or what differs from layer to layer: windows, and the scale of the first."""
    if field == "windows":
        return [layer.window for layer in spec.layers]
    if field == "scale":
        return spec.layers[0].scale
    return getattr(spec, field)


def test_the_base_of_nomic_grows_beyond_the_texts_of_its_training() -> None:
    (plain,), (grows,) = specs_of("nomic-embed 1.5"), specs_of("nomic-embed 1")
    for spec in (plain, grows):
        assert all(layer.rope is spec.layers[0].rope for layer in spec.layers)
    a, b = plain.layers[0].rope, grows.layers[0].rope
    assert a is not None
    assert b is not None
    assert (a.frequencies(4096) == a.frequencies(9)).all()
    assert (b.frequencies(2048) == a.frequencies(9)).all()
    assert (b.frequencies(4096)[1:] < a.frequencies(9)[1:]).all()
