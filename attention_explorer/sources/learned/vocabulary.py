"""The words that a tiny model knows, and refusing those that it does not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.tokens import tokens_in

MOST_NAMED = 60
"""Words that it is said to know, where one is unknown."""


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

    def known(self, word: str) -> str:
        """Return a word as it is known, which may have small letters for capitals; itself if it is not."""
        folded = word.casefold()
        return folded if word not in self._numbers and folded in self._numbers else word

    def number(self, word: str) -> int:
        """Return the number of a word, or refuse one that there is not, and say which are known."""
        found = self._numbers.get(self.known(word))
        if found is None:
            more = f" and {len(self.words) - MOST_NAMED} more" if len(self.words) > MOST_NAMED else ""
            known = did_you_mean(word, self.words, f"It knows {', '.join(self.words[:MOST_NAMED])}{more}.")
            raise ExplorerError(f"The model has not learned {quoted(word)}. {known}")
        return found

    def numbers(self, *words: str) -> Tokens:
        """Return the numbers of several words, (n,)."""
        return np.array([self.number(word) for word in words], dtype=np.intp)

    def read(self, sentence: str, least: int, most: int) -> Tokens:
        """Cut a sentence into words and return their numbers, (n,).

        Raises
        ------
        ExplorerError
            If a word is unknown, or there are too few or too many.
        """
        return self.numbered(tokens_in(sentence), least, most)

    def numbered(self, words: tuple[str, ...], least: int, most: int) -> Tokens:
        """Return the numbers of the words of a sentence; errors are those of `read`."""
        if not least <= len(words) <= most:
            what = f"has {len(words)} words" if len(words) > 1 else "is a single word" if words else "is empty"
            takes = f"{most}" if least == most else f"{least} to {most}"
            raise ExplorerError(f"The sentence {what}, and this model takes {takes}: write another.")
        return self.numbers(*words)

    def text(self, tokens: Iterable[int]) -> str:
        """Return the words of some numbers as a sentence."""
        return " ".join(self.words[token] for token in tokens)
