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
