"""How random configurations of families are drawn, and which of their tensors may be one."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

VOCABULARY, PLACES = 40, 32
Chance = random.Random


class Family(NamedTuple):
    """How folders of a family are made."""

    classes: tuple[str, ...]
    """Of transformers, the one with all heads first."""
    config: str
    sizes: Callable[[Chance], dict[str, object]]
    prefix: str
    ties: Mapping[str, tuple[str, ...]]
    """What may be one tensor: the name of the first, and of those that are tied to it."""
    optional: tuple[str, ...] = ()
    """Settings that a configuration may leave out."""
    relaid: Callable[[dict[str, Any]], dict[str, Any]] = dict
    """Returns tensors as files have them, where transformers has them otherwise."""


def heads(chance: Chance) -> dict[str, object]:
    return {
        "vocab_size": VOCABULARY,
        "hidden_size": 16,
        "num_hidden_layers": chance.randint(1, 3),
        "num_attention_heads": chance.choice((2, 4)),
        "intermediate_size": chance.choice((20, 24)),
    }


def encoder(chance: Chance) -> dict[str, object]:
    sizes = {"max_position_embeddings": PLACES, "pad_token_id": 1, "type_vocab_size": chance.choice((1, 2))}
    return {**heads(chance), **sizes, "hidden_act": chance.choice(("gelu", "gelu_new", "relu"))}


def _albert(chance: Chance) -> dict[str, object]:
    layers = chance.randint(1, 3)
    groups = chance.randint(1, layers)
    return {**encoder(chance), "num_hidden_layers": layers, "num_hidden_groups": groups, "embedding_size": 8}


def _distilbert(chance: Chance) -> dict[str, object]:
    sizes = {"dim": 16, "n_layers": chance.randint(1, 3), "n_heads": chance.choice((2, 4)), "hidden_dim": 24}
    return {"vocab_size": VOCABULARY, "max_position_embeddings": PLACES, **sizes}


def llama(chance: Chance) -> dict[str, object]:
    sizes = {"max_position_embeddings": 64, "num_key_value_heads": chance.choice((1, 2))}
    biases = {"attention_bias": chance.random() < 0.3, "mlp_bias": chance.random() < 0.3}
    return {**heads(chance), **sizes, **biases, "head_dim": chance.choice((4, 6, 8))}


def _mistral(chance: Chance) -> dict[str, object]:
    return {**llama(chance), "attention_bias": False, "mlp_bias": False, "sliding_window": chance.choice((None, 5))}


def qwen2(chance: Chance) -> dict[str, object]:
    sliding = {"use_sliding_window": chance.random() < 0.5, "sliding_window": 4, "max_window_layers": 1}
    return {**heads(chance), "max_position_embeddings": 64, "num_key_value_heads": chance.choice((1, 2)), **sliding}


def qwen3(chance: Chance) -> dict[str, object]:
    biases = {"attention_bias": chance.random() < 0.3}
    return {**qwen2(chance), **biases, "head_dim": chance.choice((4, 6, 8))}


def _gpt2(chance: Chance) -> dict[str, object]:
    sizes = {"n_embd": 16, "n_layer": chance.randint(1, 3), "n_head": chance.choice((2, 4)), "n_positions": PLACES}
    scales = {"scale_attn_weights": chance.random() < 0.7, "scale_attn_by_inverse_layer_idx": chance.random() < 0.3}
    return {"vocab_size": VOCABULARY, **sizes, **scales, "n_inner": chance.choice((None, 24))}


def bart(chance: Chance) -> dict[str, object]:
    sizes: dict[str, object] = {"d_model": 16, "scale_embedding": chance.random() < 0.5}
    for tower in ("encoder", "decoder"):
        sizes |= {f"{tower}_layers": chance.randint(1, 2), f"{tower}_attention_heads": 4, f"{tower}_ffn_dim": 24}
    return {"vocab_size": VOCABULARY, "max_position_embeddings": PLACES, "pad_token_id": 1, **sizes}


def t5(chance: Chance) -> dict[str, object]:
    sizes = {"d_model": 16, "d_kv": 6, "d_ff": 24, "num_layers": chance.randint(1, 2), "num_heads": 4}
    how = chance.choice(("relu", "gated-gelu"))
    return {
        "vocab_size": VOCABULARY,
        **sizes,
        "num_decoder_layers": chance.randint(1, 2),
        "feed_forward_proj": how,
        "relative_attention_num_buckets": 12,
        "relative_attention_max_distance": 10,
        "decoder_start_token_id": 0,
    }


def masked(prefix: str, table: str, head: str, bias: str | None) -> dict[str, tuple[str, ...]]:
    own = {} if bias is None else {bias: (f"{head}.bias",)}
    return {f"{prefix}.{table}": (f"{head}.weight",), **own}


WORDS, TIE = "embeddings.word_embeddings.weight", "tie_word_embeddings"
LLAMA_TIES = {"model.embed_tokens.weight": ("lm_head.weight",)}
TOWERS = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
OLDER = {
    "bert": Family(
        ("BertForMaskedLM", "BertForPreTraining", "BertModel", "BertForSequenceClassification"),
        "BertConfig",
        encoder,
        "bert.",
        masked("bert", WORDS, "cls.predictions.decoder", "cls.predictions.bias"),
        (TIE, "position_embedding_type"),
    ),
    "roberta": Family(
        ("RobertaForMaskedLM", "RobertaModel"),
        "RobertaConfig",
        encoder,
        "roberta.",
        masked("roberta", WORDS, "lm_head.decoder", "lm_head.bias"),
        (TIE,),
    ),
    "albert": Family(
        ("AlbertForMaskedLM", "AlbertForPreTraining", "AlbertModel"),
        "AlbertConfig",
        _albert,
        "albert.",
        masked("albert", WORDS, "predictions.decoder", "predictions.bias"),
        (TIE, "inner_group_num"),
    ),
    "distilbert": Family(
        ("DistilBertForMaskedLM", "DistilBertModel"),
        "DistilBertConfig",
        _distilbert,
        "distilbert.",
        masked("distilbert", WORDS, "vocab_projector", None),
        (TIE,),
    ),
    "llama": Family(
        ("LlamaForCausalLM", "LlamaModel"),
        "LlamaConfig",
        llama,
        "model.",
        LLAMA_TIES,
        (TIE, "mlp_bias", "attention_bias"),
    ),
    "mistral": Family(("MistralForCausalLM", "MistralModel"), "MistralConfig", _mistral, "model.", LLAMA_TIES, (TIE,)),
    "qwen2": Family(
        ("Qwen2ForCausalLM", "Qwen2Model"), "Qwen2Config", qwen2, "model.", LLAMA_TIES, (TIE, "layer_types")
    ),
    "qwen3": Family(
        ("Qwen3ForCausalLM", "Qwen3Model"),
        "Qwen3Config",
        qwen3,
        "model.",
        LLAMA_TIES,
        (TIE, "layer_types", "attention_bias"),
    ),
    "gpt2": Family(
        ("GPT2LMHeadModel", "GPT2Model"),
        "GPT2Config",
        _gpt2,
        "transformer.",
        {"transformer.wte.weight": ("lm_head.weight",)},
        (TIE, "n_inner", "scale_attn_weights", "scale_attn_by_inverse_layer_idx"),
    ),
    "bart": Family(
        ("BartForConditionalGeneration", "BartModel"),
        "BartConfig",
        bart,
        "model.",
        {"model.shared.weight": (*(f"model.{name}" for name in TOWERS), "lm_head.weight")},
        (TIE, "scale_embedding"),
    ),
    "t5": Family(
        ("T5ForConditionalGeneration", "T5Model"),
        "T5Config",
        t5,
        "",
        {"shared.weight": (*TOWERS, "lm_head.weight")},
        (TIE, "scale_decoder_outputs", "feed_forward_proj", "relative_attention_max_distance"),
    ),
}
