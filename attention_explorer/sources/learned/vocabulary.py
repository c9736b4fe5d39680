"""The words that a tiny model knows, and refusing those that it does not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.model.learning.embedding import Tokens
from attention_explorer.sources.tokens import tokens_of


class Vocabulary:
    """Words with a number each.

    Parameters
    ----------
    words : iterable of str
        In the order of their numbers, from 0; each is one token.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def number(self, word: str) -> int:
        """Return the number of a word, or refuse one that there is not, and say which are known."""
        found = self._numbers.get(word, self._numbers.get(word.casefold()))
        if found is None:
            known = did_you_mean(word, self.words, f"It knows {', '.join(self.words)}.")
            raise ExplorerError(f"The model has not learned {quoted(word)}. {known}")
        return found

    def numbers(self, words: Iterable[str]) -> Tokens:
        """Return the numbers of several words, (n,)."""
        return np.array([self.number(word) for word in words], dtype=np.intp)

    def read(self, sentence: str, most: int) -> Tokens:
        """Cut a sentence into words and return their numbers, (n,).

        Raises
        ------
        ExplorerError
            If a word is unknown, there is none, or there are more than so many.
        """
        tokens = tokens_of(sentence)
        if not 1 <= len(tokens) <= most:
            what = "is empty" if not tokens else f"has {len(tokens)} words"
            raise ExplorerError(f"The sentence {what}, and this model takes 1 to {most}: write another.")
        return self.numbers(tokens)
