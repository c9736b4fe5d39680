"""As `random_families`, for families that have a tokeniser with their fixture."""

from __future__ import annotations

from random_families import LLAMA_TIES, TIE, WORDS, Chance, Family, encoder, heads, masked
from relaid import as_nomic_writes


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
}
