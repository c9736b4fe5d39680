"""What kind of token a piece of text is."""

from __future__ import annotations

import re
import string
import unicodedata

# [CLS], [unused1]; <s>, </s>, <extra_id_0>; <|endoftext|>, <|im_start|>; <｜begin▁of▁sentence｜> of DeepSeek.
_SPECIAL = re.compile(r"\[[A-Za-z]+\d*\]|</?[A-Za-z_]+\d*>|<\|[^|]+\|>|<｜[^｜]+｜>")
# How tokenisers write a line break: byte-level pairs (GPT-2), bytes of SentencePiece.
_LINE_BREAKS = ("Ċ", "<0x0A>")
# What they put before a piece that begins a word: byte-level pairs, SentencePiece, plain text.
_WORD_STARTS = "Ġ▁ "


def is_special(token: str) -> bool:
    """Tell whether a token stands for no text, as [CLS], <s> and <|endoftext|> do.

    Parameters
    ----------
    token : str
        The exact piece.

    Returns
    -------
    bool
    """
    return _SPECIAL.fullmatch(token) is not None


def is_punctuation(token: str) -> bool:
    """Tell whether a token holds punctuation or line breaks and nothing else.

    Parameters
    ----------
    token : str
        The exact piece; what tokenisers put before one, such as Ġ, ▁ and ##, does not count.

    Returns
    -------
    bool
        True also for the symbols of ASCII, such as + and $; False for spaces alone.
    """
    text = token
    for line_break in _LINE_BREAKS:
        text = text.replace(line_break, "\n")
    text = text.lstrip(_WORD_STARTS)
    if len(text) > 2:
        text = text.removeprefix("##")
    return bool(text) and all(map(_is_mark, text))


def _is_mark(letter: str) -> bool:
    return letter in "\n\r" or letter in string.punctuation or unicodedata.category(letter).startswith("P")


_FUNCTION_WORDS = """
a an the this that these those i you he she it we they me him her us them my your his its our their and or but nor if as
so than then because of in on at to from by with for into over under is am are was were be been being do does did has
have had will would can could may might shall should must not no there here who what which when
"""
_IS_FUNCTION_WORD = frozenset(_FUNCTION_WORDS.split())


def is_content_word(token: str) -> bool:
    """Tell whether a token is a word that names something, as far as a list of English function words tells.

    Parameters
    ----------
    token : str
        The exact piece; the start of a word that was cut into pieces counts as one.

    Returns
    -------
    bool
        False for special tokens, punctuation, numbers, single letters, and words such as “the” and “because”.
    """
    text = token.strip(_WORD_STARTS)
    return len(text) > 1 and text.isalpha() and text.casefold() not in _IS_FUNCTION_WORD
