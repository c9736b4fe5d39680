"""Which family opens which kind of model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.models.decoders import GPT2, LLAMA, MISTRAL, QWEN2, QWEN3
from attention_explorer.sources.models.encoder_decoders import BART, MT5, T5
from attention_explorer.sources.models.encoders import (
    ALBERT,
    BERT,
    CAMEMBERT,
    DISTILBERT,
    ELECTRA,
    MPNET,
    ROBERTA,
    XLM_ROBERTA,
)
from attention_explorer.sources.models.family import Family
from attention_explorer.sources.models.gemma import GEMMA2, GEMMA3
from attention_explorer.sources.models.llama_relatives import GRANITE, OLMO2, PHI3, SMOLLM3
from attention_explorer.sources.models.protein_encoders import esm
from attention_explorer.sources.models.research_decoders import GPT_NEOX, opt
from attention_explorer.sources.models.rotary_encoders import modernbert, nomic_bert
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.translators import MARIAN, MBART

FAMILIES: Mapping[str, Family | Callable[[Settings], Family]] = {
    "llama": LLAMA,
    "mistral": MISTRAL,
    "qwen2": QWEN2,
    "qwen3": QWEN3,
    "gpt2": GPT2,
    "bert": BERT,
    "roberta": ROBERTA,
    "distilbert": DISTILBERT,
    "albert": ALBERT,
    "xlm-roberta": XLM_ROBERTA,
    "camembert": CAMEMBERT,
    "electra": ELECTRA,
    "mpnet": MPNET,
    "nomic_bert": nomic_bert,
    "modernbert": modernbert,
    "gemma2": GEMMA2,
    "gemma3_text": GEMMA3,
    "smollm3": SMOLLM3,
    "phi3": PHI3,
    "olmo2": OLMO2,
    "granite": GRANITE,
    "gpt_neox": GPT_NEOX,
    "opt": opt,
    "mt5": MT5,
    "mbart": MBART,
    "marian": MARIAN,
    "esm": esm,
    "bart": BART,
    "t5": T5,
}
"""By the ``model_type`` of configurations; where one name stands for several, what tells which."""


def family_of(settings: Settings) -> Family:
    """Return the family of a model.

    Raises
    ------
    FileError
        If it is unknown; the message names it, and the known ones.
    """
    name = settings.text("model_type")
    if name not in FAMILIES:
        raise FileError(
            f"{settings.where} is of a model of the type {quoted(name)}, which this program cannot run. It runs "
            f"{', '.join(FAMILIES)}."
        )
    found = FAMILIES[name]
    return found if isinstance(found, Family) else found(settings)
