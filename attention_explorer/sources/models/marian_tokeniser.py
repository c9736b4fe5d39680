"""Marian's tokeniser: one file of SentencePiece for each language, and a list of ids that both share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.models.folder import read_json
from attention_explorer.sources.models.sentencepiece_file import Kind, Piece, read_sentencepieces
from attention_explorer.sources.models.sentencepieces import cutter
from attention_explorer.sources.models.tokeniser import guarded

SOURCE, TARGET, IDS = "source.spm", "target.spm", "vocab.json"
_END, _UNKNOWN, _PAD = "</s>", "<unk>", "<pad>"
_LANGUAGE = re.compile(r">>.*?<<", re.DOTALL)
"""Into which a model of several languages is to translate; stands before the text."""


class Encoded(NamedTuple):
    """What a text became, as an ``Encoding`` of ``tokenizers`` says it."""

    ids: Sequence[int]
    tokens: Sequence[str]
    offsets: Sequence[tuple[int, int]]
    type_ids: Sequence[int]


class TwoLanguages:
    """Cuts texts of one language, with ids of both; has what of a ``tokenizers.Tokenizer`` is asked here.

    Parameters
    ----------
    made : tokenizers.Tokenizer
        Cuts into pieces.
    ids : mapping of str to int
        By piece.
    """

    decoder = None

    def __init__(self, made: Any, ids: Mapping[str, int]) -> None:  # noqa: ANN401 - may not be installed
        self._made, self._ids = made, ids
        self._pieces = {place: piece for piece, place in ids.items()}

    def encode(self, *texts: str, add_special_tokens: bool = True) -> Encoded:
        """Cut a text, or a pair, which get one end in common."""
        rows = [row for part, text in enumerate(texts) for row in self._cut(text, part)]
        if add_special_tokens:
            rows.append((_END, (0, 0), 0))
        tokens = [token for token, _, _ in rows]
        unknown = self._ids[_UNKNOWN]
        ids = [self._ids.get(token, unknown) for token in tokens]
        return Encoded(ids, tokens, [offset for _, offset, _ in rows], [part for _, _, part in rows])

    def _cut(self, text: str, part: int) -> list[tuple[str, tuple[int, int], int]]:
        """Return piece, place in the text and number of the text of each token."""
        language = _LANGUAGE.match(text)
        start = language.end() if language else 0
        found = self._made.encode(text[start:])
        first = [(text[:start], (0, start), part)] if language else []
        places = ((begin + start, end + start) for begin, end in found.offsets)
        return [*first, *((token, place, part) for token, place in zip(found.tokens, places, strict=True))]

    def decode(self, ids: Sequence[int]) -> str:
        """Return what tokens write."""
        pieces = (self.id_to_token(place) for place in ids)
        return str(self._made.decoder.decode([piece for piece in pieces if piece not in (None, _END, _UNKNOWN, _PAD)]))

    def id_to_token(self, place: int) -> str | None:
        """Return how an id is spelled."""
        return self._pieces.get(place)

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a piece."""
        return self._ids.get(token)

    def no_padding(self) -> None:
        """Do nothing: there is none."""

    def no_truncation(self) -> None:
        """Do nothing: there is none."""


def has_two_languages(folder: Path, family: str) -> bool:
    """Whether a folder holds the files of such a tokeniser."""
    return family == "marian" and (folder / IDS).exists()


def two_languages(folder: Path, name: str) -> TwoLanguages:
    """Return the tokeniser of one language.

    Parameters
    ----------
    folder : Path
        That of the model.
    name : str
        `SOURCE` or `TARGET`.

    Raises
    ------
    FileError
        If a file is missing or damaged.

    Notes
    -----
    As ``MarianTokenizer`` of transformers does it: what a file knows and the list does not is unknown.
    """
    path = folder / name
    if not path.exists():
        raise FileError(f"“{folder}” has no {name}, so this model takes ids, but no text: copy that file too.")
    ids = read_json(folder / IDS)
    wrong = next((piece for piece, place in ids.items() if type(place) is not int or place < 0), None)
    lacks = next((piece for piece in (_END, _UNKNOWN) if piece not in ids), None)
    if wrong is not None or lacks is not None:
        how = f"gives {quoted(wrong)} no id" if wrong is not None else f"has no {quoted(str(lacks))}"
        raise FileError(f"“{folder / IDS}” {how}: it is damaged. Copy it again.")
    found = read_sentencepieces(path)
    # What controls is never found in a text; the list has the only special tokens.
    pieces = [
        Piece(f"\0{place}", 0.0, Kind.CONTROL) if piece.kind is Kind.CONTROL else piece
        for place, piece in enumerate(found.pieces)
    ]

    def make() -> TwoLanguages:
        made = cutter(found, pieces)
        made.add_special_tokens([_END, _UNKNOWN, *([_PAD] if _PAD in ids else [])])
        return TwoLanguages(made, ids)

    made: TwoLanguages = guarded(f"“{path}”", make)
    return made
