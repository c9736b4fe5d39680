"""A vocabulary as SentencePiece writes it: pieces with their scores, and how text is made ready to be cut.

The file is a ``ModelProto`` in the wire format of protocol buffers
(https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto), of which these few fields are read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from attention_explorer.errors import FileError
from attention_explorer.sources.recorded.file_bytes import FileBytes

_MOST_BYTES = 2**25
"""The largest that is published, of 256 000 pieces, has 5 MB."""
_UNIGRAM, _PAIRS = 1, 2
_PIECE, _TRAINER, _NORMALISER = 1, 2, 3
"""Fields of the file."""
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
"""How the value of a field is written."""
Value = int | bytes


class Kind(IntEnum):
    """Of a piece."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    OF_USERS = 4
    UNUSED = 5
    BYTE = 6


class Piece(NamedTuple):
    """A piece of the vocabulary."""

    text: str
    score: float
    kind: Kind


class SentencePieces(NamedTuple):
    """What a file says.

    Attributes
    ----------
    pieces : tuple of Piece
        In the order of their ids.
    are_pairs : bool
        Whether they are merged two by two (byte-pair encoding), or chosen together (Unigram).
    letters : bytes
        Which letters are replaced by which, as `Precompiled` of ``tokenizers`` takes it; often empty.
    unknown : int
        The id of what is none of them.
    trims, begins_with_space, escapes : bool
        Whether spaces are left out that say nothing, one is put before the text, and they are written as “▁”.
    """

    pieces: tuple[Piece, ...]
    are_pairs: bool
    letters: bytes
    unknown: int
    trims: bool
    begins_with_space: bool
    escapes: bool


def read_sentencepieces(path: Path) -> SentencePieces:
    """Read a file.

    Raises
    ------
    FileError
        If it is none, is damaged, or cuts text in a way that is not followed here.
    """
    file = FileBytes(path)
    if file.size > _MOST_BYTES:
        raise FileError(f"“{path}” has {file.size} bytes, which no vocabulary of SentencePiece has.")
    try:
        fields = list(_fields(file.read(0, file.size)))
        pieces = tuple(_piece(bytes(value)) for number, value in fields if number == _PIECE)
        trainer, normaliser = (_last(fields, number) for number in (_TRAINER, _NORMALISER))
    except (ValueError, IndexError, TypeError, struct.error):  # UnicodeDecodeError is a ValueError
        pieces, trainer, normaliser = (), {}, {}
    unknown = next((place for place, piece in enumerate(pieces) if piece.kind is Kind.UNKNOWN), None)
    if unknown is None:
        raise FileError(f"“{path}” is no vocabulary of SentencePiece, or is damaged: copy it again.")
    kind, letters = trainer.get(3, _UNIGRAM), normaliser.get(2, b"")
    if kind not in (_UNIGRAM, _PAIRS) or trainer.get(24, 0) or not isinstance(letters, bytes):
        raise FileError(f"“{path}” cuts text in a way that is not followed here: only Unigram and BPE are.")
    if any(piece.kind is Kind.UNUSED or (kind == _UNIGRAM and piece.kind is Kind.BYTE) for piece in pieces):
        raise FileError(f"“{path}” has pieces that are not to be used, or bytes beside Unigram, which is not followed.")
    trims, begins, escapes = (bool(normaliser.get(number, 1)) for number in (4, 3, 5))
    return SentencePieces(pieces, kind == _PAIRS, letters, unknown, trims, begins, escapes)


def _piece(data: bytes) -> Piece:
    found = dict(_fields(data))
    text, score, kind = found[1], found.get(2, bytes(4)), found.get(3, Kind.NORMAL)
    if not isinstance(text, bytes) or not isinstance(score, bytes) or not isinstance(kind, int) or not text:
        raise ValueError(data)
    number: float = struct.unpack("<f", score)[0]
    if not abs(number) < float("inf"):
        raise ValueError(number)
    return Piece(text.decode(), number, Kind(kind))


def _last(fields: list[tuple[int, Value]], number: int) -> dict[int, Value]:
    """Return the fields of the part of a number; none where there is none."""
    return next((dict(_fields(bytes(value))) for each, value in reversed(fields) if each == number), {})


def _fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Yield number and value of each field; an IndexError or a ValueError if there is no room for one."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        value: Value
        if key & 7 == _VARINT:
            value, place = _varint(data, place)
        else:
            size = {_FOUR: 4, _EIGHT: 8}.get(key & 7, 0)
            if key & 7 == _BYTES:
                size, place = _varint(data, place)
            elif not size:
                raise ValueError(key)
            value = data[place : place + size]
            place += size
        if place > len(data):
            raise ValueError(place)
        yield key >> 3, value


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return the number at a place, and the place after it."""
    found = shift = 0
    while shift < 64:
        byte = data[place]
        found, place, shift = found | (byte & 127) << shift, place + 1, shift + 7
        if byte < 128:
            return found, place
    raise ValueError(place)
