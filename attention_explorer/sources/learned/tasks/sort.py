"""A row of letters in alphabetical order: where to look depends on all of them."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.learning import Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.random_rows import RandomRows
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Pattern
from attention_explorer.sources.learned.vocabulary import Vocabulary

_LETTERS = Vocabulary("abcdefghijklmnop")


class Sort(RandomRows):
    """The first place has to name the first letter of the alphabet among those in the row, and so on."""

    name = "sort"
    title = "Sort"
    about = "The row in alphabetical order: the first place has to name the letter that comes first."
    steps = 600
    setup = LearningSetup(task="sort", layers=1, heads=1, d_model=32, d_ff=64, length=8, rate=0.01)

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return sixteen letters in alphabetical order."""
        return _LETTERS

    def rows(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Tokens:
        """Draw letters in any order, all different while there are enough."""
        length = setup.length
        if length > len(_LETTERS):
            return numbers.randint(0, len(_LETTERS), (count, length))
        return numbers.random_sample((count, len(_LETTERS))).argsort(axis=1)[:, :length]

    def probe(self, setup: LearningSetup) -> str:
        """Return letters that are not in order."""
        return " ".join(_LETTERS.words[(7 * place + 4) % len(_LETTERS)] for place in range(setup.length))

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return the rows in order."""
        return np.sort(tokens, axis=1)

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want the letter that belongs there; equal letters count together."""
        wanted = batch.targets[:, :, None] == batch.tokens[:, None, :]
        return (Pattern("the letter that belongs here", wanted),)
