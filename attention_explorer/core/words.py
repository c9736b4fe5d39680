"""Words as they stand in a sentence."""

from __future__ import annotations


def capital(text: str) -> str:
    """Return a text as it begins a sentence."""
    return text[:1].upper() + text[1:]
