"""Which word of a text each of its tokens belongs to, and how the word is spelled."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby

from attention_explorer.sources.models.tokeniser import Tokens

_GOES_ON = "##"
_OF_A_CHARACTER = re.compile("<0x[0-9A-Fa-f]{2}>")
"""How SentencePiece spells a token that is a part of a character."""
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
"""How the names of letters begin that are written without spaces between words: their tokens are left alone."""


def words_of(tokens: Tokens, texts: tuple[str, ...]) -> tuple[int, ...]:
    """Return the word that each token belongs to, counted from 0.

    Words are what stands between spaces. Punctuation at their edges is no part of them, nor are special tokens; each
    of these is one of its own.

    Parameters
    ----------
    tokens : Tokens
        One text or a pair, with the special tokens of a model.
    texts : tuple of str
        What they were cut from.

    Returns
    -------
    tuple of int, (n,)
    """
    sides = _sides(tokens, texts)
    written = [texts[side][slice(*where)] for side, where in zip(sides, tokens.offsets, strict=True)]
    found: list[int] = []
    for run in _runs(tokens, texts, sides, written):
        begins = _begins([written[place] for place in run], [tokens.offsets[place] for place in run])
        for is_new in begins:
            found.append(found[-1] + is_new if found else 0)
    return tuple(found)


def spelled(tokens: Tokens, texts: tuple[str, ...], words: tuple[int, ...]) -> tuple[str, ...]:
    """Return each word as its vocabulary spells its tokens one after the other, or else as its text does."""
    found, sides = [], _sides(tokens, texts)
    for _, group in groupby(range(len(words)), words.__getitem__):
        places = list(group)
        pieces = [tokens.tokens[place] for place in places]
        if len(pieces) > 1 and any(map(_OF_A_CHARACTER.search, pieces)):
            found.append(texts[sides[places[0]]][tokens.offsets[places[0]][0] : tokens.offsets[places[-1]][1]])
        else:
            found.append(pieces[0] + "".join(piece.removeprefix(_GOES_ON) for piece in pieces[1:]))
    return tuple(found)


def _sides(tokens: Tokens, texts: tuple[str, ...]) -> list[int]:
    """Return the text that each token is of: the second begins where places in the text begin anew."""
    found, side, before = [], 0, 0
    for start, end in tokens.offsets:
        if end > start:
            side += start < before and side + 1 < len(texts)
            before = start
        found.append(side)
    return found


def _runs(tokens: Tokens, texts: tuple[str, ...], sides: list[int], written: list[str]) -> Iterator[range]:
    """Yield the places of tokens that no space parts; special tokens are alone."""
    start = 0
    for place in range(1, len(tokens) + 1):
        if place == len(tokens) or not _goes_on(tokens, place, texts, sides, written):
            yield range(start, place)
            start = place


def _goes_on(tokens: Tokens, place: int, texts: tuple[str, ...], sides: list[int], written: list[str]) -> bool:
    """Whether no space is between a token and the one before it."""
    (begin, stop), (start, end) = tokens.offsets[place - 1], tokens.offsets[place]
    before, after = written[place - 1], written[place]
    if sides[place - 1] != sides[place] or not before or not after:
        return False
    if (begin, stop) == (start, end):  # both are parts of one character
        return True
    if before == " ":  # the space before a word may be a token of its own
        return stop == start and not after[0].isspace()
    between = texts[sides[place]][stop:start] + before[-1] + after[0]
    return not any(map(str.isspace, between)) and not _is_unspaced(before[-1]) and not _is_unspaced(after[0])


def _begins(written: list[str], offsets: list[tuple[int, int]]) -> list[bool]:
    """Tell which tokens begin a word where no space parts them: the first, and the punctuation at both edges.

    A part of a character belongs to the part before it, and what follows a lone space to that.
    """
    marks = [all(unicodedata.category(letter)[0] in "PS" for letter in text.strip()) for text in written]
    first = next((place for place, is_mark in enumerate(marks) if not is_mark), len(marks))
    last = next((place for place in reversed(range(len(marks))) if not marks[place]), -1)
    return [
        place == 0
        or ((place <= first or place > last) and offsets[place] != offsets[place - 1] and written[place - 1] != " ")
        for place in range(len(marks))
    ]


def _is_unspaced(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_UNSPACED)
