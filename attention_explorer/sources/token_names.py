"""What tokens are called in sentences: with their place where the same one comes twice."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Any

from attention_explorer.core.counting import Count
from attention_explorer.sources.source import Source


def numbered_tokens(
    source: Source[Any], tokens: tuple[tuple[str, ...], tuple[str, ...]], count: Count
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens of queries and keys; where they are only numbers, as everything else is counted."""
    queries, keys = (
        count.all_of(len(each)) if are_numbers else each
        for each, are_numbers in zip(tokens, source.are_numbers, strict=True)
    )
    return queries, keys


def isolated(token: str) -> str:
    """Return a token that does not turn the words around it: one written from right to left is set apart."""
    turns = any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in token)
    return f"\u2068{token}\u2069" if turns else token


def token_places(tokens: tuple[str, ...], count: Count) -> tuple[str, ...]:
    """Return “ (17)”, the place, for every token that comes more than once, and nothing for the others."""
    often = Counter(tokens)
    if len(often) == len(tokens):  # as those that only count are, of which there may be many
        return ("",) * len(tokens)
    return tuple(f" ({count.number(place)})" * (often[token] > 1) for place, token in enumerate(tokens))
