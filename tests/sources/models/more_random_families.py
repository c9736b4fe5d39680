"""As `random_families`, for families that have a tokeniser with their fixture."""

from __future__ import annotations

from random_families import (
    LLAMA_TIES,
    PLACES,
    TIE,
    TOWERS,
    VOCABULARY,
    WORDS,
    Chance,
    Family,
    bart,
    encoder,
    heads,
    masked,
    t5,
)
from relaid import as_neox_writes, as_nomic_writes


def _electra(chance: Chance) -> dict[str, object]:
    return {**encoder(chance), "embedding_size": chance.choice((8, 16))}


def _mpnet(chance: Chance) -> dict[str, object]:
    return {key: value for key, value in encoder(chance).items() if key != "type_vocab_size"}


def _nomic(chance: Chance) -> dict[str, object]:
    base = chance.choice((1000.0, 50.0))
    sizes = {"type_vocab_size": chance.choice((1, 2)), "rope_parameters": {"rope_type": "default", "rope_theta": base}}
    return {**heads(chance), **sizes, "hidden_act": chance.choice(("silu", "gelu"))}


def _kinds(chance: Chance, window: str) -> dict[str, object]:
    """Layers of two kinds, by a list or by a rule, each with a base of its own, as new or as old versions write it."""
    found: dict[str, object] = {window: chance.choice((4, 6, 40))}
    if chance.random() < 0.5:
        bases = {kind: {"rope_type": "default", "rope_theta": chance.choice((30.0, 900.0))} for kind in KINDS}
        found["rope_parameters"] = bases
    return found


KINDS = ("full_attention", "sliding_attention")


def _modern(chance: Chance) -> dict[str, object]:
    flags = ("attention_bias", "mlp_bias", "norm_bias", "classifier_bias")
    ids = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id"), 0)
    found = {**heads(chance), **ids, **_kinds(chance, "local_attention"), "decoder_bias": chance.random() < 0.7}
    found |= {flag: chance.random() < 0.3 for flag in flags}
    return {**found, "global_attn_every_n_layers": chance.choice((2, 3)), "hidden_activation": chance.choice(ACTS)}


ACTS = ("gelu", "silu")


def _gemma2(chance: Chance) -> dict[str, object]:
    caps = {f"{what}_logit_softcapping": chance.choice((None, 2.0, 50.0)) for what in ("attn", "final")}
    sizes = {
        "num_key_value_heads": chance.choice((1, 2)),
        "head_dim": chance.choice((4, 6)),
        "max_position_embeddings": 64,
    }
    return {**heads(chance), **caps, **sizes, "query_pre_attn_scalar": 9, "sliding_window": chance.choice((4, 40))}


def _gemma3(chance: Chance) -> dict[str, object]:
    rest = {"attn_logit_softcapping": None, "sliding_window_pattern": chance.choice((2, 3, 6))}
    looks = {"use_bidirectional_attention": chance.random() < 0.2, "attention_bias": chance.random() < 0.3}
    return {**_gemma2(chance), **_kinds(chance, "sliding_window"), **rest, **looks}


def _small(chance: Chance) -> dict[str, object]:
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    return {**heads(chance), **ids, "num_key_value_heads": chance.choice((1, 2)), "max_position_embeddings": 64}


def _smollm3(chance: Chance) -> dict[str, object]:
    found = {**_small(chance), "no_rope_layer_interval": chance.choice((2, 3, 4))}
    found |= {flag: chance.random() < 0.3 for flag in ("attention_bias", "mlp_bias", "use_sliding_window")}
    return {**found, "sliding_window": chance.choice((4, None))}


def longrope(chance: Chance, pairs: int) -> dict[str, object]:
    """Factors for each pair, for texts up to 10 tokens and for longer ones."""
    rope: dict[str, object] = {"rope_type": "longrope", "rope_theta": 60.0}
    rope |= {f"{name}_factor": [chance.uniform(1.0, 4.0) for _ in range(pairs)] for name in ("short", "long")}
    return rope


def _phi3(chance: Chance) -> dict[str, object]:
    found = {**_small(chance), "num_attention_heads": 2, "sliding_window": chance.choice((None, 5))}
    share = chance.choice((1.0, 0.75, 0.5))
    found |= {"partial_rotary_factor": share, "original_max_position_embeddings": chance.choice((10, 64))}
    rope = longrope(chance, int(8 * share) // 2) if chance.random() < 0.6 else {"rope_type": "default"}
    return {**found, "rope_parameters": {**rope, "rope_theta": 60.0, "partial_rotary_factor": share}}


def _olmo2(chance: Chance) -> dict[str, object]:
    return {**_small(chance), "attention_bias": chance.random() < 0.3}


def _granite(chance: Chance) -> dict[str, object]:
    factors = ("embedding_multiplier", "residual_multiplier", "attention_multiplier", "logits_scaling")
    found = {factor: chance.choice((1.0, 0.3, 2.0)) for factor in factors}
    return {**_small(chance), **found, **{flag: chance.random() < 0.3 for flag in ("attention_bias", "mlp_bias")}}


def _neox(chance: Chance) -> dict[str, object]:
    share = chance.choice((0.25, 0.5, 1.0))
    flags = {flag: chance.random() < 0.7 for flag in ("use_parallel_residual", "attention_bias")}
    rope = {"rope_type": "default", "rope_theta": 60.0, "partial_rotary_factor": share}
    acts = {"hidden_act": chance.choice(("gelu", "gelu_new")), "max_position_embeddings": 64}
    return {**heads(chance), "num_attention_heads": 2, **flags, **acts, "rope_parameters": rope}


def _opt(chance: Chance) -> dict[str, object]:
    found: dict[str, object] = {"hidden_size": 16, "ffn_dim": 24, "num_hidden_layers": chance.randint(1, 3)}
    found |= {"num_attention_heads": chance.choice((2, 4)), "max_position_embeddings": PLACES, "vocab_size": VOCABULARY}
    flags = {flag: chance.random() < 0.7 for flag in ("do_layer_norm_before", "enable_bias")}
    removes = {"_remove_final_layer_norm": chance.random() < 0.2}
    return {**found, **flags, **removes, "word_embed_proj_dim": chance.choice((16, 8))}


def _marian(chance: Chance) -> dict[str, object]:
    found = {**bart(chance), "pad_token_id": VOCABULARY - 1, "decoder_start_token_id": VOCABULARY - 1}
    return {**found, "activation_function": chance.choice(("swish", "gelu"))}


def _esm(chance: Chance) -> dict[str, object]:
    found = {key: value for key, value in encoder(chance).items() if key not in ("type_vocab_size", "hidden_act")}
    found |= {"position_embedding_type": chance.choice(("rotary", "absolute")), "mask_token_id": 5}
    return {**found, **{flag: chance.random() < 0.5 for flag in ("token_dropout", "emb_layer_norm_before")}}


def _mbart(chance: Chance) -> dict[str, object]:
    return {**bart(chance), "decoder_start_token_id": 2}


_BARTS = {"model.shared.weight": (*(f"model.{name}" for name in TOWERS), "lm_head.weight")}
NEWER = {
    "xlm-roberta": Family(
        ("XLMRobertaForMaskedLM", "XLMRobertaModel"),
        "XLMRobertaConfig",
        encoder,
        "roberta.",
        masked("roberta", WORDS, "lm_head.decoder", "lm_head.bias"),
        (TIE,),
    ),
    "camembert": Family(
        ("CamembertForMaskedLM", "CamembertModel"),
        "CamembertConfig",
        encoder,
        "roberta.",
        masked("roberta", WORDS, "lm_head.decoder", "lm_head.bias"),
        (TIE,),
    ),
    "electra": Family(
        ("ElectraForMaskedLM", "ElectraForPreTraining", "ElectraModel"),
        "ElectraConfig",
        _electra,
        "electra.",
        masked("electra", WORDS, "generator_lm_head", None),
        (TIE,),
    ),
    "mpnet": Family(
        ("MPNetForMaskedLM", "MPNetModel"),
        "MPNetConfig",
        _mpnet,
        "mpnet.",
        masked("mpnet", WORDS, "lm_head.decoder", "lm_head.bias"),
        (TIE, "relative_attention_num_buckets", "pad_token_id"),
    ),
    "nomic_bert": Family(
        ("NomicBertForMaskedLM", "NomicBertModel"),
        "NomicBertConfig",
        _nomic,
        "nomic_bert.",
        masked("nomic_bert", WORDS, "cls.predictions.decoder", "cls.predictions.bias"),
        (TIE, "hidden_act"),
        as_nomic_writes,
    ),
    "modernbert": Family(
        ("ModernBertForMaskedLM", "ModernBertForSequenceClassification", "ModernBertModel"),
        "ModernBertConfig",
        _modern,
        "model.",
        {"model.embeddings.tok_embeddings.weight": ("decoder.weight",)},
        (TIE, "layer_types", "norm_bias", "attention_bias", "mlp_bias", "decoder_bias", "classifier_bias"),
    ),
    "gemma2": Family(
        ("Gemma2ForCausalLM", "Gemma2Model"),
        "Gemma2Config",
        _gemma2,
        "model.",
        LLAMA_TIES,
        (TIE, "attn_logit_softcapping", "final_logit_softcapping", "layer_types", "attention_bias"),
    ),
    "gemma3": Family(
        ("Gemma3ForCausalLM", "Gemma3TextModel"),
        "Gemma3TextConfig",
        _gemma3,
        "model.",
        LLAMA_TIES,
        (TIE, "final_logit_softcapping", "attention_bias", "use_bidirectional_attention"),
    ),
    "smollm3": Family(
        ("SmolLM3ForCausalLM", "SmolLM3Model"),
        "SmolLM3Config",
        _smollm3,
        "model.",
        LLAMA_TIES,
        (TIE, "attention_bias", "mlp_bias", "no_rope_layer_interval", "use_sliding_window", "sliding_window"),
    ),
    "mt5": Family(
        ("MT5ForConditionalGeneration", "MT5Model"),
        "MT5Config",
        t5,
        "",
        {"shared.weight": (*TOWERS, "lm_head.weight")},
        (TIE, "feed_forward_proj"),
    ),
    "phi3": Family(
        ("Phi3ForCausalLM", "Phi3Model"), "Phi3Config", _phi3, "model.", LLAMA_TIES, (TIE, "sliding_window")
    ),
    "olmo2": Family(
        ("Olmo2ForCausalLM", "Olmo2Model"), "Olmo2Config", _olmo2, "model.", LLAMA_TIES, (TIE, "attention_bias")
    ),
    "granite": Family(
        ("GraniteForCausalLM", "GraniteModel"),
        "GraniteConfig",
        _granite,
        "model.",
        LLAMA_TIES,
        (TIE, "embedding_multiplier", "residual_multiplier", "attention_multiplier", "logits_scaling", "mlp_bias"),
    ),
    "gpt_neox": Family(
        ("GPTNeoXForCausalLM", "GPTNeoXModel"),
        "GPTNeoXConfig",
        _neox,
        "gpt_neox.",
        {"gpt_neox.embed_in.weight": ("lm_head.weight",)},
        (TIE, "use_parallel_residual", "attention_bias"),
        as_neox_writes,
    ),
    "opt": Family(
        ("OPTForCausalLM", "OPTModel"),
        "OPTConfig",
        _opt,
        "model.",
        {"model.decoder.embed_tokens.weight": ("lm_head.weight",)},
        (TIE, "do_layer_norm_before", "enable_bias", "_remove_final_layer_norm"),
    ),
    "mbart": Family(
        ("MBartForConditionalGeneration", "MBartModel"),
        "MBartConfig",
        _mbart,
        "model.",
        _BARTS,
        (TIE, "scale_embedding"),
    ),
    "marian": Family(("MarianMTModel",), "MarianConfig", _marian, "model.", _BARTS, (TIE, "scale_embedding")),
    "esm": Family(
        ("EsmForMaskedLM", "EsmModel"),
        "EsmConfig",
        _esm,
        "esm.",
        {"esm.embeddings.word_embeddings.weight": ("lm_head.decoder.weight",)},
        (TIE, "token_dropout", "position_embedding_type", "rope_theta"),
    ),
}
