"""The pieces that tokenizers cut text into, as people can read them.

A label is for the eye: two pieces may share one, so the exact text is kept beside it, and what is exported is that.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

SPACE, NEW_LINE, TAB = "␣", "↵", "⇥"
"""What stands for white space in a label."""
_SENTENCEPIECE_SPACE = "▁"
_WORD_END = "</w>"
_SHOWN = {"\n": NEW_LINE, "\t": TAB, "\r": "␍"}
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_PARTS = re.compile("[\udc80-\udcff]+")
"""Bytes that are no character."""
_SELECTORS = re.compile("[\ufe00-\ufe0f]")
"""What chooses between the shapes of the character before it, and is nothing by itself."""
_UNSEEN = dict.fromkeys(("Cc", "Cf", "Cs"), "\N{REPLACEMENT CHARACTER}")
_BY_CATEGORY = _UNSEEN | {"Zs": SPACE, "Zl": NEW_LINE, "Zp": NEW_LINE}


def readable_piece(piece: str, *, of_bytes: bool = False) -> str:
    """Return a piece as it is drawn.

    Parameters
    ----------
    piece : str
        As the tokenizer has it: ``Ġthe`` and ``Ċ`` of byte-level pieces (GPT-2), ``▁word`` and ``<0x0A>`` of
        SentencePiece, ``##ing`` of WordPiece, ``ing</w>`` of older ones, ``[CLS]``, or any other text.
    of_bytes : bool
        Whether the tokenizer is known to cut bytes: then a part of a character is shown as its bytes, 0xF09F, and not
        as the letters of another alphabet that stand for them.

    Returns
    -------
    str
        ␣ stands for a space, ↵ for a new line, ⇥ for a tab, - in front for “goes on the word before”. Never empty.
    """
    if piece.isascii() and piece.isalnum():  # most are, and of a long text there are many
        return piece
    byte = _BYTE.fullmatch(piece)
    if byte:
        code = int(byte[1], 16)
        return _visible(chr(code)) if code < 0x80 else f"0x{code:02X}"
    if piece.startswith("##") and len(piece) > 2:
        return "-" + _visible(piece[2:])
    if piece.endswith(_WORD_END) and len(piece) > len(_WORD_END):
        return _visible(piece.removesuffix(_WORD_END)) + SPACE
    if _SENTENCEPIECE_SPACE in piece:
        return _visible(piece.replace(_SENTENCEPIECE_SPACE, " "))
    text = _from_bytes(piece)
    return _visible(_PARTS.sub(_bytes_shown, _decoded(piece)) if of_bytes and text == piece else text)


def _from_bytes(piece: str) -> str:
    """Turn a byte-level piece into the text it stands for; what is none, or half a character, stays as it is."""
    if piece.isascii():
        return piece
    codes = [_byte_alphabet().get(letter) for letter in piece]
    known = bytes(code for code in codes if code is not None)
    try:
        return known.decode() if len(known) == len(codes) else piece
    except UnicodeDecodeError:
        return piece


def _decoded(piece: str) -> str:
    """Return what the bytes of a piece stand for, those of no character as lone surrogates."""
    codes = [_byte_alphabet().get(letter) for letter in piece]
    known = bytes(code for code in codes if code is not None)
    return known.decode(errors="surrogateescape") if len(known) == len(codes) else piece


def _bytes_shown(found: re.Match[str]) -> str:
    return "0x" + found[0].encode(errors="surrogateescape").hex().upper()


@cache
def _byte_alphabet() -> dict[str, int]:
    """Return the letter → byte table of GPT-2's encoder.py: printable Latin-1 is itself, the rest follows from Ā on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


def _visible(text: str) -> str:
    if _SELECTORS.fullmatch(text):
        return f"U+{ord(text):04X}"
    return "".join(map(_visible_letter, text)) or "∅"


def _visible_letter(letter: str) -> str:
    if letter in _SHOWN or letter == "\N{ZERO WIDTH JOINER}":  # which holds emoji together
        return _SHOWN.get(letter, letter)
    return _BY_CATEGORY.get(unicodedata.category(letter), letter)
