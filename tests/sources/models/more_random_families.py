"""As `random_families`, for families that have a tokeniser with their fixture."""

from __future__ import annotations

from random_families import TIE, WORDS, Chance, Family, encoder, heads, masked
from relaid import as_nomic_writes


def _electra(chance: Chance) -> dict[str, object]:
    return {**encoder(chance), "embedding_size": chance.choice((8, 16))}


def _mpnet(chance: Chance) -> dict[str, object]:
    return {key: value for key, value in encoder(chance).items() if key != "type_vocab_size"}


def _nomic(chance: Chance) -> dict[str, object]:
    base = chance.choice((1000.0, 50.0))
    sizes = {"type_vocab_size": chance.choice((1, 2)), "rope_parameters": {"rope_type": "default", "rope_theta": base}}
    return {**heads(chance), **sizes, "hidden_act": chance.choice(("silu", "gelu"))}


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
}
