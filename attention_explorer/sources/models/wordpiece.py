"""Tokenisers of which a folder holds only the vocabulary: vocab.txt, a token a line. Older BERTs, MPNet and ESM."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.models.folder import read_json
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tokeniser import guarded, library
from attention_explorer.sources.recorded.file_bytes import FileBytes

VOCABULARY, HOW = "vocab.txt", "tokenizer_config.json"
_UNKNOWN = "[UNK]"
_OF_LETTERS = ("<cls>", "<eos>", "<unk>")
_MOST_BYTES = 2**24


class Marks(NamedTuple):
    """The special tokens of a family of tokenisers.

    Attributes
    ----------
    begin, end, mask : str
        Around a text, and for a word that is to be filled in.
    pair : str
        How two texts are put together, as `TemplateProcessing` takes it.
    names : tuple of str
        What the family is called in configurations.
    """

    begin: str
    end: str
    mask: str
    pair: str
    names: tuple[str, ...]

    @property
    def classes(self) -> tuple[str, ...]:
        """What configurations may call the tokeniser."""
        return tuple(f"{name}Tokenizer{kind}" for name in self.names for kind in ("", "Fast"))

    @property
    def special(self) -> tuple[str, ...]:
        """The tokens that are no words."""
        return self.begin, self.end, _UNKNOWN, "[PAD]", "<pad>"


BERT = Marks("[CLS]", "[SEP]", "[MASK]", "[CLS] $A [SEP] $B:1 [SEP]:1", ("Bert", "DistilBert", "Electra"))
MPNET = Marks("<s>", "</s>", "<mask>", "<s> $A </s> </s> $B </s>", ("MPNet",))


def wordpiece(folder: Path, marks: Marks = BERT) -> Any:  # noqa: ANN401 - of a package that may not be installed
    """Return the ``tokenizers.Tokenizer`` of a folder with a vocabulary and no tokenizer.json.

    Letters are made small, and accents left out, as tokenizer_config.json says; where there is none, if the vocabulary
    has no large letters, as else each word with one would be unknown.

    Raises
    ------
    FileError
        If the vocabulary is none, or text is cut in another way.

    Notes
    -----
    Wu et al. 2016 for WordPiece; Devlin et al. 2019.
    """
    path = folder / VOCABULARY
    vocabulary = _read(path, (marks.begin, marks.end, _UNKNOWN), f"a {marks.names[0]}")
    settings = Settings(f"“{folder / HOW}”", read_json(folder / HOW) if (folder / HOW).exists() else {})
    settings.one_of("tokenizer_class", marks.classes, marks.classes[0])
    has_large = any(token != token.lower() for token in vocabulary if not token.startswith("["))
    is_small = settings.flag("do_lower_case", not has_large)
    accents = settings.flag("strip_accents") if settings.has("strip_accents") else None  # None: as letters are
    chinese = settings.flag("tokenize_chinese_chars", True)
    return guarded(f"“{path}”", lambda: _made(vocabulary, marks, is_small, accents, chinese))


def _read(path: Path, needed: tuple[str, ...], whose: str) -> dict[str, int]:
    file = FileBytes(path)
    if file.size > _MOST_BYTES:
        raise FileError(f"“{path}” has {file.size} bytes, which no vocabulary of words has.")
    try:
        lines = file.read(0, file.size).decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise FileError(f"“{path}” is no text in UTF-8: copy it again.") from None
    found = {line.removesuffix("\r"): place for place, line in enumerate(lines)}
    lacks = next((token for token in needed if token not in found), "")
    if lacks:
        raise FileError(f"“{path}” has no {quoted(lacks)}, so it is not the vocabulary of {whose}.")
    return found


def _made(vocabulary: dict[str, int], marks: Marks, is_small: bool, accents: bool | None, chinese: bool) -> Any:  # noqa: ANN401
    package = library()
    made = package.Tokenizer(package.models.WordPiece(vocab=vocabulary, unk_token=_UNKNOWN))
    made.normalizer = package.normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=chinese, strip_accents=accents, lowercase=is_small
    )
    made.pre_tokenizer = package.pre_tokenizers.BertPreTokenizer()
    made.post_processor = package.processors.TemplateProcessing(
        single=f"{marks.begin} $A {marks.end}",
        pair=marks.pair,
        special_tokens=[(token, vocabulary[token]) for token in (marks.begin, marks.end)],
    )
    made.decoder = package.decoders.WordPiece()
    made.add_special_tokens([token for token in marks.special if token in vocabulary])
    if marks.mask in vocabulary:  # that of MPNet takes the space before it along, as the word that it stands for did
        made.add_special_tokens([package.AddedToken(marks.mask, lstrip=marks is MPNET)])
    return made


def letters(folder: Path) -> Any:  # noqa: ANN401
    """Return the ``tokenizers.Tokenizer`` of an ESM, whose vocab.txt lists letters of amino acids: each is a token.

    Raises
    ------
    FileError
        If it is no such vocabulary.

    Notes
    -----
    As ``EsmTokenizer`` of transformers does it.
    """
    path = folder / VOCABULARY
    vocabulary = _read(path, _OF_LETTERS, "an ESM")
    return guarded(f"“{path}”", lambda: _cut_into_letters(vocabulary))


def _cut_into_letters(vocabulary: dict[str, int]) -> Any:  # noqa: ANN401
    package, (begin, end, unknown) = library(), _OF_LETTERS
    made = package.Tokenizer(package.models.WordLevel(vocab=vocabulary, unk_token=unknown))
    known = "|".join(re.escape(token) for token in sorted(vocabulary, key=len, reverse=True) if token)
    cut = package.pre_tokenizers
    made.pre_tokenizer = cut.Sequence([cut.WhitespaceSplit(), cut.Split(package.Regex(known), "isolated")])
    made.post_processor = package.processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} $B:1 {end}:1",
        special_tokens=[(token, vocabulary[token]) for token in (begin, end)],
    )
    made.add_special_tokens([token for token in vocabulary if token.startswith("<")])
    return made


VOCABULARIES: Mapping[str, Callable[[Path], Any]] = {
    **dict.fromkeys(("bert", "distilbert", "electra", "nomic_bert"), wordpiece),
    "esm": letters,
    "mpnet": partial(wordpiece, marks=MPNET),
}
"""What reads a vocab.txt, by the ``model_type`` of configurations."""
