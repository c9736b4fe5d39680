"""Configurations as the makers of families publish them: taken, and read as what their models are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from attention_explorer.model.transformer import PROJECTIONS, Blank, Buckets, Places, QkNorm, Spec
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
LLAMA: Config = {
    "attention_bias": False,
    "attention_dropout": 0.0,
    "hidden_act": "silu",
    "initializer_range": 0.02,
    "rms_norm_eps": 1e-06,
    "tie_word_embeddings": True,
    "use_cache": True,
}
PHI: Config = {
    **LLAMA,
    "model_type": "phi3",
    "attention_bias": False,
    "embd_pdrop": 0.0,
    "hidden_size": 3072,
    "intermediate_size": 8192,
    "num_hidden_layers": 32,
    "original_max_position_embeddings": 4096,
    "resid_pdrop": 0.0,
    "rms_norm_eps": 1e-05,
    "rope_theta": 10000.0,
}
TOWERS: Config = {
    "is_encoder_decoder": True,
    "scale_embedding": True,
    **{f"{tower}_layerdrop": 0.0 for tower in ("encoder", "decoder")},
}
ESM: Config = {
    "model_type": "esm",
    "architectures": ["EsmForMaskedLM"],
    "esmfold_config": None,
    "hidden_act": "gelu",
    "is_folding_model": False,
    "mask_token_id": 32,
    "max_position_embeddings": 1026,
    "num_attention_heads": 20,
    "pad_token_id": 1,
    "layer_norm_eps": 1e-05,
    "vocab_list": None,
    "vocab_size": 33,
}


def towers(layers: int, heads: int, inner: int) -> Config:
    sizes = {"layers": layers, "attention_heads": heads, "ffn_dim": inner}
    return {f"{tower}_{part}": size for tower in ("encoder", "decoder") for part, size in sizes.items()}


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
    "SmolLM3": (
        {**LLAMA, "model_type": "smollm3", "hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 36}
        | {"layer_types": [FULL] * 36, "max_window_layers": 28, "mlp_bias": False, "no_rope_layer_interval": 4}
        | {"no_rope_layers": [1, 1, 1, 0] * 9, "num_attention_heads": 16, "num_key_value_heads": 4, "pretraining_tp": 2}
        | {"rope_scaling": None, "rope_theta": 5000000.0, "sliding_window": None, "use_sliding_window": False}
        | {"max_position_embeddings": 65536, "vocab_size": 128256},
        {"bases": [5e6, 5e6, 5e6, math.nan] * 9, "windows": [None] * 36, "biases": frozenset()},
    ),
    "mT5 small": (
        {"model_type": "mt5", "d_ff": 1024, "d_kv": 64, "d_model": 512, "dropout_rate": 0.1, "num_heads": 6}
        | {"feed_forward_proj": "gated-gelu", "layer_norm_epsilon": 1e-06, "num_layers": 8, "num_decoder_layers": 8}
        | {"relative_attention_num_buckets": 32, "tie_word_embeddings": False, "vocab_size": 250112}
        | {"is_encoder_decoder": True, "tokenizer_class": "T5Tokenizer"},
        {"gated": True, "activation": "gelu_new", "logit_scale": 1.0, "scale": 1.0},
    ),
    "Phi-3 mini 4k": (
        {**PHI, "num_attention_heads": 32, "num_key_value_heads": 32, "rope_scaling": None, "sliding_window": 2047}
        | {"max_position_embeddings": 4096, "tie_word_embeddings": False, "vocab_size": 32064},
        {"windows": [2047] * 32, "bases": [10000.0], "head_width": 96},
    ),
    "Phi-3 mini 128k": (
        {**PHI, "num_attention_heads": 32, "num_key_value_heads": 32, "sliding_window": 262144, "vocab_size": 32064}
        | {"rope_scaling": {"long_factor": [2.0] * 48, "short_factor": [1.0] * 48, "type": "su"}}
        | {"max_position_embeddings": 131072, "tie_word_embeddings": False},
        {"turned": 96, "sharper": math.sqrt(1.0 + math.log(32.0) / math.log(4096.0))},
    ),
    "Phi-4 mini": (
        {**PHI, "num_attention_heads": 24, "num_key_value_heads": 8, "sliding_window": 262144, "vocab_size": 200064}
        | {"full_attn_mod": 1, "interpolate_factor": 1, "lm_head_bias": False, "mlp_bias": False}
        | {"max_position_embeddings": 131072, "partial_rotary_factor": 0.75}
        | {"rope_scaling": {"long_factor": [2.0] * 48, "short_factor": [1.0] * 48, "type": "longrope"}},
        {"turned": 96, "head_width": 128},
    ),
    "OLMo 2 1B": (
        {**LLAMA, "model_type": "olmo2", "hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 16}
        | {"num_hidden_layers": 16, "num_key_value_heads": 16, "rope_scaling": None, "rope_theta": 500000}
        | {"max_position_embeddings": 4096, "tie_word_embeddings": False, "vocab_size": 100352},
        {"qk_norm": QkNorm.WHOLE, "bases": [500000.0]},
    ),
    "Granite 3.3 2B": (
        {**LLAMA, "model_type": "granite", "attention_multiplier": 0.015625, "embedding_multiplier": 12.0}
        | {"hidden_size": 2048, "intermediate_size": 8192, "logits_scaling": 8.0, "mlp_bias": False}
        | {"num_attention_heads": 32, "num_hidden_layers": 40, "num_key_value_heads": 8, "residual_multiplier": 0.22}
        | {"max_position_embeddings": 131072, "rope_scaling": None, "rope_theta": 10000000.0, "vocab_size": 49159},
        {"scale": 0.015625, "embedding_scale": 12.0, "residual_scale": 0.22, "logit_scale": 0.125},
    ),
    "Pythia 70M": (
        {"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "hidden_act": "gelu", "hidden_size": 512}
        | {"intermediate_size": 2048, "layer_norm_eps": 1e-05, "max_position_embeddings": 2048, "rotary_pct": 0.25}
        | {"num_attention_heads": 8, "num_hidden_layers": 6, "rotary_emb_base": 10000, "use_parallel_residual": True}
        | {"tie_word_embeddings": False, "vocab_size": 50304},
        {"parallel": True, "turned": 16, "bases": [10000.0], "biases": PROJECTIONS},
    ),
    "OPT 125M": (
        {"model_type": "opt", "_remove_final_layer_norm": False, "activation_function": "relu", "ffn_dim": 3072}
        | {"do_layer_norm_before": True, "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12}
        | {"max_position_embeddings": 2048, "prefix": "</s>", "vocab_size": 50272, "word_embed_proj_dim": 768},
        {"places": Places(2050, 2, is_wide=True), "narrow": None},
    ),
    "OPT 350M": (
        {"model_type": "opt", "_remove_final_layer_norm": False, "activation_function": "relu", "ffn_dim": 4096}
        | {"do_layer_norm_before": False, "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24}
        | {"max_position_embeddings": 2048, "vocab_size": 50272, "word_embed_proj_dim": 512},
        {"narrow": 512, "width": 1024},
    ),
    "mBART 50": (
        {**TOWERS, **towers(12, 16, 4096), "model_type": "mbart", "activation_function": "gelu", "d_model": 1024}
        | {"add_bias_logits": False, "add_final_layer_norm": True, "normalize_before": True, "vocab_size": 250054}
        | {"normalize_embedding": True, "static_position_embeddings": False, "max_position_embeddings": 1024},
        {"places": Places(1026, 2), "embedding_scale": 32.0},
    ),
    "opus-mt": (
        {**TOWERS, **towers(6, 8, 2048), "model_type": "marian", "activation_function": "swish", "d_model": 512}
        | {"add_bias_logits": False, "add_final_layer_norm": False, "normalize_before": False, "vocab_size": 58101}
        | {"normalize_embedding": False, "static_position_embeddings": True, "max_position_embeddings": 512}
        | {"decoder_vocab_size": 58101, "share_encoder_decoder_embeddings": True, "extra_pos_embeddings": 2},
        {"places": Places(512), "embedding_scale": 512**0.5, "activation": "swish"},
    ),
    "ESM-2 8M": (
        {**ESM, "emb_layer_norm_before": False, "hidden_size": 320, "intermediate_size": 1280, "num_hidden_layers": 6}
        | {"position_embedding_type": "rotary", "token_dropout": True},
        {"places": None, "bases": [10000.0] * 6, "blank": Blank(32, 0.15 * 0.8)},
    ),
    "ESM-1b": (
        {**ESM, "emb_layer_norm_before": True, "hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 33}
        | {"position_embedding_type": "absolute", "token_dropout": True},
        {"places": Places(1026, 2, 1), "bases": [math.nan]},
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
    rope = spec.layers[0].rope
    if rope is not None and field in ("turned", "sharper"):
        return 2 * len(rope.frequencies(1)) if field == "turned" else rope.factor
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
