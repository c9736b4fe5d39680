"""Tokenisers in .gguf files: a vocabulary with its merges or scores, and the name of how text is cut before."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from attention_explorer.errors import FileError
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tokeniser import Tokeniser, guarded, library

_SPECIAL, _OF_USERS = 3, 4
"""Types of tokens that stand for themselves in a text."""
_GPT2, _DIGITS, _LLAMA3, _QWEN2 = "gpt-2", "digits", "llama-bpe", "qwen2"
_PRE = {
    "gpt-2": _GPT2,
    "smollm": _DIGITS,
    "starcoder": _DIGITS,
    "refact": _DIGITS,
    "command-r": _DIGITS,
    "codeshell": _DIGITS,
    "llama-bpe": _LLAMA3,
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
    "qwen2": _QWEN2,
}
"""How text is cut before the merges, by the names that llama.cpp gives."""
_LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_QWEN2_PATTERN = _LLAMA3_PATTERN.replace(r"\p{N}{1,3}", r"\p{N}")
_SPACE = "▁"


def gguf_tokeniser(where: str, values: Mapping[str, object]) -> Tokeniser:
    """Return the tokeniser of a file, which is made when a text comes.

    Parameters
    ----------
    where : str
        The file, for messages.
    values : mapping
        What its header says.
    """
    settings = Settings(where, values, "tokenizer.ggml.")
    end = settings.whole("eos_token_id", least=0) if settings.has("eos_token_id") else None
    return Tokeniser(f"the vocabulary of {where}", lambda: _made(settings), end)


def _made(settings: Settings) -> Any:  # noqa: ANN401 - of a package that may not be installed
    kind = settings.one_of("model", ("gpt2", "llama"))
    texts = settings.texts("tokens")
    vocabulary = {text: place for place, text in enumerate(texts)}
    if not texts:
        raise FileError(f"{settings.where} has no vocabulary, so this model takes ids, but no text.")
    make = _byte_pairs if kind == "gpt2" else _sentence_pieces
    made = guarded(settings.where, lambda: make(settings, vocabulary))
    _add_special(settings, made, texts)
    _add_ends(settings, made, texts, begins=kind == "llama" or _pre(settings) == _LLAMA3)
    return made


def _pre(settings: Settings) -> str:
    if settings.text("model") != "gpt2":
        return ""
    return _PRE[settings.one_of("pre", _PRE)]


def _byte_pairs(settings: Settings, vocabulary: dict[str, int]) -> Any:  # noqa: ANN401
    """Return byte-level byte-pair encoding: Radford et al. 2019, section 2.2."""
    package, how = library(), _pre(settings)
    merges = [tuple(merge.split(" ", 1)) for merge in settings.texts("merges")]
    model = package.models.BPE(vocab=vocabulary, merges=merges, ignore_merges=how == _LLAMA3)
    made = package.Tokenizer(model)
    cut = package.pre_tokenizers
    by_bytes = cut.ByteLevel(add_prefix_space=False, use_regex=how in (_GPT2, _DIGITS), trim_offsets=True)
    before = {
        _GPT2: [],
        _DIGITS: [cut.Digits(individual_digits=True)],
        _LLAMA3: [cut.Split(package.Regex(_LLAMA3_PATTERN), "isolated")],
        _QWEN2: [cut.Split(package.Regex(_QWEN2_PATTERN), "isolated")],
    }
    if how == _QWEN2:
        made.normalizer = package.normalizers.NFC()
    made.pre_tokenizer = cut.Sequence([*before[how], by_bytes])
    made.decoder = package.decoders.ByteLevel()
    return made


def _sentence_pieces(settings: Settings, vocabulary: dict[str, int]) -> Any:  # noqa: ANN401
    """Return SentencePiece's byte-pair encoding (Kudo & Richardson 2018): the best scored pair is merged first."""
    package = library()
    scores = settings.peek("scores")
    if not isinstance(scores, np.ndarray) or len(scores) != len(settings.texts("tokens")):
        raise FileError(f"{settings.where} has no scores for its vocabulary: it is damaged.")
    unknown = settings.texts("tokens")[settings.whole("unknown_token_id", 0, least=0, most=len(scores) - 1)]
    made = package.Tokenizer(
        package.models.BPE(
            vocab=vocabulary,
            merges=scored_merges(vocabulary, scores),
            unk_token=unknown,
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    spaces = [package.normalizers.Replace(" ", _SPACE)]
    if settings.flag("add_space_prefix", True):
        spaces = [package.normalizers.Prepend(_SPACE), *spaces]
    made.normalizer = package.normalizers.Sequence(spaces)
    read = package.decoders
    first = [read.Strip(content=" ", left=1)] if settings.flag("add_space_prefix", True) else []
    made.decoder = read.Sequence([read.Replace(_SPACE, " "), read.ByteFallback(), read.Fuse(), *first])
    return made


def scored_merges(vocabulary: Mapping[str, int], scores: np.ndarray) -> list[tuple[str, str]]:
    """Return all pairs of pieces that make a piece, the best scored first.

    Parameters
    ----------
    vocabulary : mapping of str to int
        Ids by piece.
    scores : ndarray, (vocabulary,)
        Of each id.
    """
    found = chain.from_iterable(
        (
            (float(scores[place]), cut, len(text) - cut, text)
            for cut in range(1, len(text))
            if text[:cut] in vocabulary and text[cut:] in vocabulary
        )
        for text, place in vocabulary.items()
    )
    return [
        (text[:cut], text[cut:]) for _score, cut, _rest, text in sorted(found, key=lambda one: one[:3], reverse=True)
    ]


def _add_special(settings: Settings, made: Any, texts: tuple[str, ...]) -> None:  # noqa: ANN401
    kinds = settings.peek("token_type")
    if not isinstance(kinds, np.ndarray) or len(kinds) != len(texts):
        return
    new = library().AddedToken
    made.add_special_tokens([new(texts[place], normalized=False) for place in np.flatnonzero(kinds == _SPECIAL)])
    made.add_tokens([new(texts[place], normalized=False) for place in np.flatnonzero(kinds == _OF_USERS)])


def _add_ends(settings: Settings, made: Any, texts: tuple[str, ...], *, begins: bool) -> None:  # noqa: ANN401
    """Let each text begin and end with the tokens that the file asks for; some kinds begin so unless it says not."""
    ids = [
        settings.whole(f"{name}_token_id", least=0, most=len(texts) - 1)
        if settings.flag(f"add_{name}_token", usual)
        else None
        for name, usual in (("bos", begins), ("eos", False))
    ]
    first, last = ([] if place is None else [texts[place]] for place in ids)
    if not (first or last):
        return
    special = [(texts[place], place) for place in {place for place in ids if place is not None}]
    made.post_processor = library().processors.TemplateProcessing(
        single=[*first, "$A", *last], pair=[*first, "$A", *first, "$B:1", *last], special_tokens=special
    )
