"""Configurations with the settings that well-known models have: none of them is taken for what is not computed."""

from __future__ import annotations

from typing import Any

import pytest

from attention_explorer.model.transformer import QkNorm, Spec
from attention_explorer.sources.models.families import family_of
from attention_explorer.sources.models.refusals import check_asked
from attention_explorer.sources.models.settings import Settings

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "hidden_act": "silu",
    "initializer_range": 0.02,
    "pretraining_tp": 1,
    "rms_norm_eps": 1e-05,
    "rope_scaling": None,
    "torch_dtype": "bfloat16",
    "use_cache": True,
}
QWEN: dict[str, Any] = {
    "attention_dropout": 0.0,
    "hidden_act": "silu",
    "max_window_layers": 28,
    "rms_norm_eps": 1e-06,
    "rope_theta": 1000000,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
    "use_cache": True,
    "use_sliding_window": False,
}
BERT: dict[str, Any] = {
    "attention_probs_dropout_prob": 0.1,
    "gradient_checkpointing": False,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "type_vocab_size": 2,
}
GPT2: dict[str, Any] = {
    "model_type": "gpt2",
    "activation_function": "gelu_new",
    "attn_pdrop": 0.1,
    "layer_norm_epsilon": 1e-05,
    "n_ctx": 1024,
    "n_embd": 768,
    "n_head": 12,
    "n_positions": 1024,
    "resid_pdrop": 0.1,
    "summary_type": "cls_index",
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    "vocab_size": 50257,
}
BART: dict[str, Any] = {
    "model_type": "bart",
    "_num_labels": 3,
    "activation_function": "gelu",
    "add_bias_logits": False,
    "add_final_layer_norm": False,
    "extra_pos_embeddings": 2,
    "force_bos_token_to_be_generated": True,
    "is_encoder_decoder": True,
    "max_position_embeddings": 1024,
    "normalize_before": False,
    "normalize_embedding": True,
    "scale_embedding": False,
    "static_position_embeddings": False,
    "vocab_size": 50264,
    **{f"{tower}_attention_heads": 16 for tower in ("encoder", "decoder")},
    **{f"{tower}_layers": 12 for tower in ("encoder", "decoder")},
    **{f"{tower}_ffn_dim": 4096 for tower in ("encoder", "decoder")},
    "d_model": 1024,
}
T5: dict[str, Any] = {
    "model_type": "t5",
    "d_ff": 2048,
    "d_kv": 64,
    "d_model": 512,
    "dropout_rate": 0.1,
    "is_encoder_decoder": True,
    "layer_norm_epsilon": 1e-06,
    "n_positions": 512,
    "num_heads": 8,
    "num_layers": 6,
    "relative_attention_num_buckets": 32,
    "vocab_size": 32128,
}
PUBLISHED: dict[str, dict[str, Any]] = {
    "TinyLlama": {
        **LLAMA,
        "hidden_size": 2048,
        "intermediate_size": 5632,
        "max_position_embeddings": 2048,
        "num_attention_heads": 32,
        "num_hidden_layers": 22,
        "num_key_value_heads": 4,
        "vocab_size": 32000,
    },
    "Llama 3.2": {
        **LLAMA,
        "eos_token_id": [128001, 128008, 128009],
        "head_dim": 64,
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "max_position_embeddings": 131072,
        "mlp_bias": False,
        "num_attention_heads": 32,
        "num_hidden_layers": 16,
        "num_key_value_heads": 8,
        "rope_scaling": {
            "factor": 32.0,
            "high_freq_factor": 4.0,
            "low_freq_factor": 1.0,
            "original_max_position_embeddings": 8192,
            "rope_type": "llama3",
        },
        "rope_theta": 500000.0,
        "tie_word_embeddings": True,
        "vocab_size": 128256,
    },
    "SmolLM2": {
        **LLAMA,
        "hidden_size": 576,
        "intermediate_size": 1536,
        "is_llama_config": True,
        "max_position_embeddings": 8192,
        "num_attention_heads": 9,
        "num_hidden_layers": 30,
        "num_key_value_heads": 3,
        "rope_interleaved": False,
        "rope_theta": 100000,
        "tie_word_embeddings": True,
        "transformers.js_config": {"kv_cache_dtype": {"q4f16": "float16"}},
        "vocab_size": 49152,
    },
    "Mistral 0.3": {
        "model_type": "mistral",
        "hidden_act": "silu",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "max_position_embeddings": 32768,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "num_key_value_heads": 8,
        "rms_norm_eps": 1e-05,
        "rope_theta": 1000000.0,
        "sliding_window": None,
        "tie_word_embeddings": False,
        "vocab_size": 32768,
    },
    "Qwen2.5": {
        **QWEN,
        "model_type": "qwen2",
        "hidden_size": 896,
        "intermediate_size": 4864,
        "max_position_embeddings": 32768,
        "num_attention_heads": 14,
        "num_hidden_layers": 24,
        "num_key_value_heads": 2,
        "sliding_window": 32768,
        "use_mrope": False,
        "vocab_size": 151936,
    },
    "Qwen3": {
        **QWEN,
        "model_type": "qwen3",
        "attention_bias": False,
        "head_dim": 128,
        "hidden_size": 1024,
        "intermediate_size": 3072,
        "max_position_embeddings": 40960,
        "num_attention_heads": 16,
        "num_hidden_layers": 28,
        "num_key_value_heads": 8,
        "rope_scaling": None,
        "sliding_window": None,
        "vocab_size": 151936,
    },
    "GPT-2": {**GPT2, "n_layer": 12},
    "DistilGPT2": {**GPT2, "_num_labels": 1, "n_layer": 6, "id2label": {"0": "LABEL_0"}},
    "BERT": {**BERT, "model_type": "bert", "position_embedding_type": "absolute", "vocab_size": 30522},
    "RoBERTa": {
        **BERT,
        "model_type": "roberta",
        "layer_norm_eps": 1e-05,
        "max_position_embeddings": 514,
        "pad_token_id": 1,
        "type_vocab_size": 1,
        "vocab_size": 50265,
    },
    "ALBERT": {
        **BERT,
        "model_type": "albert",
        "classifier_dropout_prob": 0.1,
        "down_scale_factor": 1,
        "embedding_size": 128,
        "gap_size": 0,
        "hidden_act": "gelu_new",
        "inner_group_num": 1,
        "net_structure_type": 0,
        "num_hidden_groups": 1,
        "num_memory_blocks": 0,
        "vocab_size": 30000,
    },
    "DistilBERT": {
        "model_type": "distilbert",
        "activation": "gelu",
        "dim": 768,
        "hidden_dim": 3072,
        "max_position_embeddings": 512,
        "n_heads": 12,
        "n_layers": 6,
        "sinusoidal_pos_embds": False,
        "tie_weights_": True,
        "vocab_size": 30522,
    },
    "BART": BART,
    "T5": T5,
    "FLAN-T5": {
        **T5,
        "d_ff": 1024,
        "dense_act_fn": "gelu_new",
        "feed_forward_proj": "gated-gelu",
        "is_gated_act": True,
        "num_decoder_layers": 8,
        "num_heads": 6,
        "num_layers": 8,
        "relative_attention_max_distance": 128,
        "tie_word_embeddings": False,
    },
}


def specs_of(name: str) -> list[Spec]:
    said = Settings("“config.json”", PUBLISHED[name])
    found = [tower.spec(said) for tower in family_of(said).towers]
    check_asked(said, is_causal=found[-1].is_causal)
    return found


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_configuration_is_taken(name: str) -> None:
    for spec in specs_of(name):
        assert spec.heads * spec.head_width in (spec.width, 2048, 384)
        assert all(layer.window is None for layer in spec.layers)
        assert spec.divides_by_root == ("T5" not in name)


def test_what_is_special_about_some() -> None:
    (qwen,), (llama,), (roberta,), (encoder, decoder) = map(specs_of, ("Qwen3", "Llama 3.2", "RoBERTa", "FLAN-T5"))
    assert (qwen.qk_norm, qwen.head_width, qwen.biases) == (QkNorm.HEAD, 128, frozenset())
    assert llama.layers[0].rope is llama.layers[15].rope
    assert roberta.places is not None
    assert roberta.places.rows - roberta.places.offset == 512
    assert (encoder.is_causal, decoder.is_causal, decoder.gated, decoder.logit_scale) == (False, True, True, 1.0)
