"""What gives logits, for each way in which models are saved with it or without."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from attention_explorer.model.transformer import Head, Linear
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors, Words

LANGUAGE = ("LMHead", "CausalLM", "ConditionalGeneration")
"""Marks of the classes that predict words, among those that a configuration names."""


class HeadNames(NamedTuple):
    """What a file calls the parts of a head that fills in masked words."""

    dense: str
    norm: str
    bias: str
    decode: str = ""


def language_head(
    settings: Settings, tensors: Tensors, words: Words, width: int, *, tied: bool, scale: float = 1.0, bias: str = ""
) -> Callable[[], Head] | None:
    """Return what fetches the last matrix of a language model; None where the file has none.

    Parameters
    ----------
    settings, tensors : Settings, Tensors
        Of the model.
    words : Words
        The table that is the last matrix where the two are tied.
    width : int
        d_model.
    tied : bool
        Whether they are, unless the configuration says otherwise.
    scale : float
        What hidden states are multiplied by before it.
    bias : str
        The name of what is added, (1, vocabulary); empty for nothing.
    """
    added = tensors.vector(bias, 1, settings.whole("vocab_size")) if bias and tensors.has(bias) else None

    def head(decode: Callable[[], Linear]) -> Head:
        return Head(Linear(decode().weight, None if added is None else added()[0]), scale)

    if settings.flag("tie_word_embeddings", tied):
        names = settings.texts("architectures")
        if names and not any(mark in name for mark in LANGUAGE for name in names):
            return None
        return lambda: head(lambda: Linear(words.whole().T))
    if not tensors.has("lm_head.weight"):
        return None
    last = tensors.fused(tensors.linear("lm_head", width, settings.whole("vocab_size"), bias=False))
    return lambda: head(last)


def masked_word_head(
    settings: Settings,
    tensors: Tensors,
    words: Words,
    names: HeadNames,
    width: int,
    activation: str,
    eps: float,
    narrow: int | None = None,
) -> Callable[[], Head] | None:
    """Return what fetches a head that fills in masked words; None where the file has none.

    Parameters
    ----------
    settings, tensors, words
        As `language_head`.
    names : HeadNames
        Of its parts.
    width, narrow : int
        d_model, and the length of a word's vector if it is another.
    activation, eps
        Of its transformation and norm.
    """
    if not tensors.has(f"{names.dense}.weight"):
        return None
    d, vocabulary = narrow or width, settings.whole("vocab_size")
    dense, norm = tensors.fused(tensors.linear(names.dense, width, d)), tensors.norm(names.norm, d, eps)
    decode, bias = names.decode or f"{names.bias}.decoder", f"{names.bias}.bias"
    added = tensors.vector(bias if tensors.has(bias) else f"{decode}.bias", vocabulary)
    tied = settings.flag("tie_word_embeddings", True)
    own = None if tied else tensors.vector(f"{decode}.weight", vocabulary, d)

    def fetch() -> Head:
        table = words.whole() if own is None else own()
        return Head(Linear(table.T, added()), 1.0, dense(), activation, norm())

    return fetch
