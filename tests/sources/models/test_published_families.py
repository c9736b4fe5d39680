"""Configurations as the makers of families publish them: taken, and read as what their models are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from attention_explorer.model.transformer import Buckets, Places, Spec
from attention_explorer.sources.models.families import family_of
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
            assert getattr(spec, field) == value, field


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
