"""Cutting a sentence into tokens a person would point at: words, numbers, punctuation marks, emoji.

This is no tokeniser of a trained model: those cut into pieces of words, from a vocabulary that they bring along.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from attention_explorer.core.counting import MOST_TOKENS as MOST_TOKENS

MOST_MARKS = 30
"""Combining marks kept on one letter: the limit of the Stream-Safe Text Format (Unicode Annex 15, section 13)."""


@lru_cache(maxsize=16)  # a recipe asks for its tokens more than once
def tokens_in(sentence: str) -> tuple[str, ...]:
    """Cut a sentence into tokens.

    Parameters
    ----------
    sentence : str
        Any text in any script, also broken text.

    Returns
    -------
    tuple of str
        At most `MOST_TOKENS`; none of them is empty or holds white space.

    Notes
    -----
    - A word keeps its inner apostrophes, hyphens and digits: *didn't*, *s'est*, *self-attention*, *B2B*.
    - A number keeps its inner points and commas: *3.14*, *1,000*.
    - Any other character is a token of its own: "..." is three.
    - Combining marks stay with their letter, as in Devanagari, Arabic or Thai, up to `MOST_MARKS` of them.
    - An emoji is one token with its skin tone, variation selector, joined parts, tags or second half of a flag.
    - Chinese and Japanese are cut into characters, as there is no dictionary here; for the same reason a run of
      Thai, Lao, Khmer or Burmese up to the next space (or zero-width space) is one token.
    - Control and format characters (except inside emoji) are left out; lone surrogates and code points that are
      no characters become U+FFFD. Tokens are in Normalization Form C, so that é is é however it was typed.

    The time is proportional to the length of the text.
    """
    return tuple(islice(_tokens(sentence), MOST_TOKENS))


def has_more_tokens(sentence: str) -> bool:
    """Whether a sentence has more tokens than `tokens_in` returns."""
    return next(islice(_tokens(sentence), MOST_TOKENS, None), None) is not None


_ZERO_WIDTH_JOINER = "\u200d"
_REPLACEMENT = 0xFFFD

# The kinds of characters, a letter each. The pattern runs over the text translated into kinds, because `re` knows
# no character classes beyond \w and \s, and \w leaves out the vowel signs of most of Asia.
#   w letter   d digit   m combining mark   c character that is a token by itself (Han, kana)
#   a apostrophe and the like   h hyphen   n point or comma   p # and *   o any other sign
#   e emoji or symbol   r half of a flag   s skin tone   v variation selector   k keycap   t tag   j joiner
_TOKEN = re.compile(
    r"(?P<emoji>rr|[dp]v?k|[es][vms]*t*(?:j[es][vms]*t*)*)"
    r"|[wd][wdmvkj]*(?:(?:[ah](?=[wd])|(?<=d)n(?=d))[wdmvkj]+)*"
    r"|[wdcahnporsmk][mvk]*"
)
_PIECE = re.compile("[^\\s\u200b]+")  # the zero-width space separates words too
_SURPLUS_MARKS = re.compile(f"(?<=m{{{MOST_MARKS}}})m+")


def _tokens(sentence: str) -> Iterator[str]:
    """Yield all tokens, however many."""
    for piece in _PIECE.finditer(sentence):
        text = piece.group()
        if text.isascii() and text.isalnum():  # most words, ten times as fast
            yield text
            continue
        text = text.translate(_KEPT)
        kinds = text.translate(_KINDS)
        for surplus in reversed(list(_SURPLUS_MARKS.finditer(kinds))):
            start, end = surplus.span()
            text, kinds = text[:start] + text[end:], kinds[:start] + kinds[end:]
        for found in _TOKEN.finditer(kinds):
            token = text[found.start() : found.end()]
            if found.group("emoji") is None and not token.isascii():
                token = unicodedata.normalize("NFC", token.replace(_ZERO_WIDTH_JOINER, ""))
            yield token


class _Kept(dict[int, int | None]):
    """Code point → itself, U+FFFD, or None for what is left out; filled as characters come by."""

    def __missing__(self, code: int) -> int | None:
        kept = self[code] = _kept(code)
        return kept


class _Kinds(dict[int, str]):
    """Code point → kind; filled as characters come by."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _SPECIAL.get(code) or _kind(code)
        return kind


def _kept(code: int) -> int | None:
    category = unicodedata.category(chr(code))
    if category == "Cs" or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return _REPLACEMENT
    if category == "Cc" or (category == "Cf" and code not in _SPECIAL):
        return None
    return code


_SPECIAL: dict[int, str] = {
    **dict.fromkeys(map(ord, "'’·＇׳״"), "a"),
    **dict.fromkeys(map(ord, "-‐‑"), "h"),
    **dict.fromkeys(map(ord, ".,٫٬"), "n"),
    **dict.fromkeys(map(ord, "#*"), "p"),
    **dict.fromkeys(range(0x1F1E6, 0x1F200), "r"),
    **dict.fromkeys(range(0x1F3FB, 0x1F400), "s"),
    **dict.fromkeys((0xFE0E, 0xFE0F), "v"),
    **dict.fromkeys(range(0xE0020, 0xE0080), "t"),
    **dict.fromkeys(range(0x2190, 0x2200), "e"),  # arrows, some of which are mathematical signs
    **dict.fromkeys((0xFF9E, 0xFF9F), "m"),  # the voicing marks of half-width kana, letters to Unicode
    0x20E3: "k",
    ord(_ZERO_WIDTH_JOINER): "j",
}
_ONE_BY_ONE = (
    range(0x3005, 0x3008),  # 々〆〇
    range(0x3021, 0x302A),
    range(0x3041, 0x3100),  # hiragana, katakana
    range(0x31F0, 0x3200),
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0xFF66, 0xFF9E),
    range(0x1AFF0, 0x1B170),
    range(0x20000, 0x40000),
)


def _kind(code: int) -> str:
    category = unicodedata.category(chr(code))
    if category[0] == "M":
        return "m"
    if any(code in block for block in _ONE_BY_ONE):
        return "c" if category[0] in "LNC" else "o"
    if category == "Nd":
        return "d"
    if category == "So":
        return "o" if code == _REPLACEMENT else "e"
    if category == "Cn":  # younger than this Python: an emoji, or a letter of a script
        return "e" if 0x1F000 <= code < 0x20000 else "w"
    return "w" if category[0] in "LNC" or category == "Pc" else "o"


_KEPT = _Kept()
_KINDS = _Kinds()
