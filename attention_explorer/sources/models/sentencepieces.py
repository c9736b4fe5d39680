"""Tokenisers of which a folder holds only SentencePiece's own file: T5, mT5, XLM-RoBERTa, CamemBERT, mBART, Llama."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.models.folder import read_json
from attention_explorer.sources.models.gguf_tokeniser import scored_merges
from attention_explorer.sources.models.sentencepiece_file import Kind, Piece, SentencePieces, read_sentencepieces
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tokeniser import guarded, library
from attention_explorer.sources.models.wordpiece import HOW

SPACE = "▁"
_FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>")
"""The first ids of the models that were made with fairseq, whose vocabularies begin otherwise."""
_MBART_25 = (
    *("ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN", "hi_IN", "it_IT", "ja_XX"),
    *("kk_KZ", "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN"),
    "zh_CN",
)
_MBART_50 = (
    *_MBART_25,
    *("af_ZA", "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE", "km_KH", "mk_MK", "ml_IN", "mn_MN"),
    *("mr_IN", "pl_PL", "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN", "th_TH", "tl_XX", "uk_UA", "ur_PK"),
    *("xh_ZA", "gl_ES", "sl_SI"),
)
_MBARTS = {"MBartTokenizer": _MBART_25, "MBart50Tokenizer": _MBART_50}
_MOST_EXTRA = 1000
_MORE_TOKENS = "added_tokens.json"


def _kind(text: str) -> Kind:
    return Kind.UNKNOWN if text == "<unk>" else Kind.CONTROL


class Layout(NamedTuple):
    """How a family's ids are made of the pieces of a file.

    Attributes
    ----------
    first : tuple of str
        Take the place of so many of the first pieces as ``left_out`` says.
    left_out : int
        How many of those.
    last : tuple of str
        Come after all pieces.
    single, pair : str
        How texts begin and end, as `TemplateProcessing` takes it.
    mask : str
        Takes the space before it along; empty where there is none.
    """

    first: tuple[str, ...]
    left_out: int
    last: tuple[str, ...]
    single: str
    pair: str
    mask: str = ""

    def of(self, found: SentencePieces) -> tuple[Piece, ...]:
        """Return the pieces in the order of the family's ids."""
        first, last = ([Piece(text, 0.0, _kind(text)) for text in texts] for texts in (self.first, self.last))
        return (*first, *found.pieces[self.left_out :], *last)


def _t5(found: SentencePieces, how: Settings, said: Settings) -> Layout:
    usual = 100 if said.text("model_type") == "t5" else 0
    extra = how.whole("extra_ids", usual, least=0, most=_MOST_EXTRA)
    named = any(piece.text == "<extra_id_0>" for piece in found.pieces)
    last = () if named else tuple(f"<extra_id_{place}>" for place in reversed(range(extra)))
    return Layout((), 0, last, "$A </s>", "$A </s> $B </s>")


def _xlm_roberta(_found: SentencePieces, _how: Settings, _said: Settings) -> Layout:
    return Layout(_FAIRSEQ, 3, ("<mask>",), "<s> $A </s>", "<s> $A </s> </s> $B </s>", "<mask>")


def _camembert(_found: SentencePieces, _how: Settings, _said: Settings) -> Layout:
    first = ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED")
    return Layout(first, 1, ("<mask>",), "<s> $A </s>", "<s> $A </s> </s> $B </s>", "<mask>")


def _mbart(found: SentencePieces, how: Settings, said: Settings) -> Layout:
    """Liu et al. 2020: a text says at its end, or in mBART-50 at its beginning, in which language it is."""
    by_size = len(found.pieces) + len(_MBART_50) + 2 <= said.whole("vocab_size")
    kind = how.one_of("tokenizer_class", _MBARTS, "MBart50Tokenizer" if by_size else "MBartTokenizer")
    language = how.one_of("src_lang", _MBARTS[kind], "en_XX")
    texts = "{} $A </s>", "{} $A $B </s>"
    if kind == "MBartTokenizer":
        texts = "$A </s> {}", "$A $B </s> {}"
    single, pair = (text.format(language) for text in texts)
    return Layout(_FAIRSEQ, 3, (*_MBARTS[kind], "<mask>"), single, pair, "<mask>")


def _llama(found: SentencePieces, how: Settings, _said: Settings) -> Layout:
    controls = [piece.text for piece in found.pieces if piece.kind is Kind.CONTROL]
    if controls[:2] != ["<s>", "</s>"]:
        raise FileError("its first pieces are not “<s>” and “</s>”")
    first = "<s> " if how.flag("add_bos_token", True) else ""
    last = " </s>" if how.flag("add_eos_token", False) else ""
    return Layout((), 0, (), f"{first}$A{last}", f"{first}$A{last} {first}$B:1{last}")


Lay = Callable[[SentencePieces, Settings, Settings], Layout]
FILES: Mapping[str, tuple[str, Lay]] = {
    **dict.fromkeys(("t5", "mt5"), ("spiece.model", _t5)),
    "xlm-roberta": ("sentencepiece.bpe.model", _xlm_roberta),
    "camembert": ("sentencepiece.bpe.model", _camembert),
    "mbart": ("sentencepiece.bpe.model", _mbart),
    **dict.fromkeys(("llama", "mistral"), ("tokenizer.model", _llama)),
}
"""The file of a family, and what makes ids of it, by the ``model_type`` of configurations."""


def has_sentencepieces(folder: Path, family: str) -> bool:
    """Whether there is such a file in a folder."""
    return family in FILES and (folder / FILES[family][0]).exists()


def sentencepieces(folder: Path, said: Settings) -> Any:  # noqa: ANN401 - of a package that may not be installed
    """Return the ``tokenizers.Tokenizer`` of a folder with SentencePiece's file and no tokenizer.json.

    Parameters
    ----------
    folder : Path
        That of the model.
    said : Settings
        Its configuration.

    Raises
    ------
    FileError
        If the file is damaged, or text is cut in another way.

    Notes
    -----
    Kudo & Richardson 2018; ids as the tokenisers of transformers give them.
    """
    name, lay = FILES[said.text("model_type")]
    path = folder / name
    if (folder / _MORE_TOKENS).exists() and read_json(folder / _MORE_TOKENS):
        raise FileError(
            f"“{folder}” adds tokens to its vocabulary by {quoted(_MORE_TOKENS)}, which is followed only where there "
            "is a tokenizer.json."
        )
    how = Settings(f"“{folder / HOW}”", read_json(folder / HOW) if (folder / HOW).exists() else {})
    found = read_sentencepieces(path)
    return guarded(f"“{path}”", lambda: _made(found, lay(found, how, said)))


def _made(found: SentencePieces, layout: Layout) -> Any:  # noqa: ANN401
    pieces, package = layout.of(found), library()
    made = cutter(found, pieces)
    ids = {piece.text: place for place, piece in enumerate(pieces)}
    special = [piece.text for piece in pieces if piece.kind in (Kind.CONTROL, Kind.UNKNOWN)]
    made.add_special_tokens([text for text in special if text != layout.mask])
    if layout.mask:
        made.add_special_tokens([package.AddedToken(layout.mask, lstrip=True)])
    used = {each for each in layout.pair.split() if each in ids}
    made.post_processor = package.processors.TemplateProcessing(
        single=layout.single, pair=layout.pair, special_tokens=[(text, ids[text]) for text in used]
    )
    return made


def cutter(found: SentencePieces, pieces: Sequence[Piece]) -> Any:  # noqa: ANN401
    """Return a ``tokenizers.Tokenizer`` that cuts text as SentencePiece does, into pieces whose ids are their places.

    Special tokens are not known to it yet.
    """
    package, unknown = library(), next(place for place, piece in enumerate(pieces) if piece.kind is Kind.UNKNOWN)
    model = _pairs(pieces) if found.are_pairs else package.models.Unigram([each[:2] for each in pieces], unknown)
    made = package.Tokenizer(model)
    made.normalizer = package.normalizers.Sequence(_steps(found))
    cuts = []
    if found.begins_with_space:
        cuts.append(package.pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always", split=False))
    whole = sorted((piece.text for piece in pieces if piece.kind is Kind.OF_USERS), key=len, reverse=True)
    if whole:
        cuts.append(package.pre_tokenizers.Split(package.Regex("|".join(map(re.escape, whole))), "isolated"))
    if cuts:
        made.pre_tokenizer = package.pre_tokenizers.Sequence(cuts)
    read = package.decoders
    first = [read.Strip(content=" ", left=1)] if found.begins_with_space else []
    made.decoder = read.Sequence([read.Replace(SPACE, " "), read.ByteFallback(), read.Fuse(), *first])
    return made


def _steps(found: SentencePieces) -> list[Any]:
    """Return what is done to a text before it is cut, in SentencePiece's order."""
    package = library()
    change, steps = package.normalizers.Replace, []
    if found.letters:
        steps.append(package.normalizers.Precompiled(found.letters))
    space = SPACE if found.escapes else " "
    if found.trims:  # nothing but spaces: other white space stays
        steps += [change(package.Regex(r"\A +"), ""), change(package.Regex(" {2,}"), " ")]
    if found.escapes:
        steps.append(change(" ", space))
    if found.trims:  # also what was written as “▁” before
        steps.append(change(package.Regex(rf"{space}+\z"), ""))
    if found.begins_with_space:  # Metaspace would take a “▁” that is there for the one that it puts before
        steps.append(change(package.Regex(rf"\A{SPACE}"), SPACE * 2))
    return steps


def _pairs(pieces: Sequence[Piece]) -> Any:  # noqa: ANN401
    """Return the model of byte-pair encoding: the best scored pair is merged first."""
    vocabulary = {piece.text: place for place, piece in enumerate(pieces)}
    normal = {piece.text: place for place, piece in enumerate(pieces) if piece.kind is Kind.NORMAL}
    merges = scored_merges(normal, np.array([piece.score for piece in pieces]))
    has_bytes = any(piece.kind is Kind.BYTE for piece in pieces)
    unknown = next(piece.text for piece in pieces if piece.kind is Kind.UNKNOWN)
    how = {"unk_token": unknown, "fuse_unk": True, "byte_fallback": has_bytes}
    alone = any(piece.kind is Kind.OF_USERS for piece in pieces)  # which no merge makes
    return library().models.BPE(vocab=vocabulary, merges=merges, ignore_merges=alone, **how)
