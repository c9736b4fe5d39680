"""Which reader opens which kind of model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.transformer import Transformer
from attention_explorer.sources.models.decoders import read_gpt2, read_llama
from attention_explorer.sources.models.encoder_decoders import read_bart, read_t5
from attention_explorer.sources.models.encoders import read_albert, read_bert, read_distilbert, read_roberta
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors


class Family(NamedTuple):
    """A kind of model."""

    read: Callable[[Settings, Tensors, int], Transformer]
    prefixes: tuple[str, ...]
    """What tensors may be named with, beside nothing."""


FAMILIES: Mapping[str, Family] = {
    "llama": Family(read_llama, ("model.",)),
    "mistral": Family(read_llama, ("model.",)),
    "qwen2": Family(read_llama, ("model.",)),
    "gpt2": Family(read_gpt2, ("transformer.",)),
    "bert": Family(read_bert, ("bert.",)),
    "roberta": Family(read_roberta, ("roberta.",)),
    "distilbert": Family(read_distilbert, ("distilbert.",)),
    "albert": Family(read_albert, ("albert.",)),
    "bart": Family(read_bart, ("model.",)),
    "t5": Family(read_t5, ()),
}
"""By the ``model_type`` of configurations."""


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
    return FAMILIES[name]
