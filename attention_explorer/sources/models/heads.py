"""What gives logits, for each way in which models are saved with it or without."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from attention_explorer.model.transformer import Head, Linear
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors, Words

LANGUAGE = ("LMHead", "CausalLM", "ConditionalGeneration")
"""Marks of the classes that predict words, among those that a configuration names."""


LAST = "lm_head.weight"
"""The last matrix of a language model."""


class HeadNames(NamedTuple):
    """What a file calls the parts of a head that fills in masked words."""

    dense: str
    norm: str
    bias: str
    decode: str

    def tables(self, words: str, *, tied: bool) -> tuple[str, ...]:
        """Return what may hold the table of words: of two that are tied, files need not hold both."""
        return (words, f"{self.decode}.weight") if tied else (words,)


def language_head(
    settings: Settings,
    tensors: Tensors,
    words: Words,
    *,
    tied: bool,
    said: bool | None = None,
    scale: float = 1.0,
    bias: str = "",
) -> Callable[[], Head] | None:
    """Return what fetches the last matrix of a language model; None where the file has none.

    Parameters
    ----------
    settings, tensors : Settings, Tensors
        Of the model.
    words : Words
        The table that is the last matrix where the two are tied and the file has no own one.
    tied : bool
        Whether they are.
    said : bool, optional
        Whether the configuration says so, if that is not the same.
    scale : float
        What hidden states are multiplied by before it.
    bias : str
        The name of what is added, (1, vocabulary); empty for nothing.
    """
    added = tensors.vector(bias, 1, settings.whole("vocab_size")) if bias and tensors.has(bias) else None
    classes = settings.texts("architectures")
    predicts = not classes or any(mark in name for mark in LANGUAGE for name in classes)
    if not tensors.has(LAST) and not (tied and predicts):
        return None
    last = words.alike(tensors.own(LAST, words.array, said=tied if said is None else said))
    return lambda: Head(Linear(last().T, None if added is None else added()[0]), scale)


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
    tied, decode, bias = are_tied(settings), f"{names.decode}.weight", f"{names.decode}.bias"
    table = words.alike(tensors.own(decode, words.array, said=True) if tied else tensors.array(decode, vocabulary, d))
    added = tensors.own(bias, tensors.first((names.bias, bias), vocabulary), said=tied)
    return lambda: Head(Linear(table().T, tensors.read(added)), 1.0, dense(), activation, norm())


def are_tied(settings: Settings, *, usually: bool = True) -> bool:
    """Tell whether the configuration says that a model's first and last tables are one."""
    return settings.flag("tie_word_embeddings", usually)
