"""A row of letters backwards: where to look depends on the place alone."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.learning import Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.random_rows import RandomRows
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Pattern, one_key
from attention_explorer.sources.learned.vocabulary import Vocabulary

_LETTERS = Vocabulary("abcdefghijklmnop")


class Reverse(RandomRows):
    """The first place has to name the last letter, and so on."""

    name = "reverse"
    title = "Reverse"
    about = "The row backwards: the first place has to name the last letter, the second the last but one."
    setup = LearningSetup(task="reverse", layers=1, d_model=32, length=8, rate=0.01)

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return sixteen letters."""
        return _LETTERS

    def rows(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Tokens:
        """Draw letters in any order."""
        return numbers.randint(0, len(_LETTERS), (count, setup.length))

    def probe(self, setup: LearningSetup) -> str:
        """Return the letters of the alphabet, as far as it goes."""
        return " ".join(_LETTERS.words[place % len(_LETTERS)] for place in range(setup.length))

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return the rows backwards."""
        return tokens[:, ::-1]

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want the place as far from the other end."""
        count, n = batch.tokens.shape
        return (Pattern("the place as far from the other end", one_key(np.tile(np.arange(n)[::-1], (count, 1)), n)),)
