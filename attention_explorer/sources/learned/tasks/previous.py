"""Which word stood before this one: the smallest task that attention alone can do."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.learning import NOT_ASKED, Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.random_rows import RandomRows
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Pattern, one_key
from attention_explorer.sources.learned.vocabulary import Vocabulary

_WORDS = ("the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "rug", "and", "then")


class Previous(RandomRows):
    """Each word but the first has to name the one before it."""

    name = "previous"
    title = "The previous word"
    about = "Each word has to name the word before it."
    goal = 0.9
    judged_by_weight = True
    setup = LearningSetup(task="previous", layers=1, d_model=32, length=10, rate=0.01)
    causal = True

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return a dozen words."""
        return Vocabulary(_WORDS)

    def rows(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Tokens:
        """Draw words in any order."""
        return numbers.randint(0, len(_WORDS), (count, setup.length))

    def probe(self, setup: LearningSetup) -> str:
        """Return a row that reads like a sentence."""
        words = ("the", "cat", "sat", "on", "a", "mat", "and", "the", "dog", "ran", "then")
        return " ".join(words[place % len(words)] for place in range(setup.length))

    def lengths(self, setup: LearningSetup) -> tuple[int, int]:
        """Take shorter sentences too, as no word sees a later one."""
        return 2, setup.length

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return the words one place to the left; the first has none."""
        found = np.full_like(tokens, NOT_ASKED)
        found[:, 1:] = tokens[:, :-1]
        return found

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want the word before."""
        count, n = batch.tokens.shape
        return (Pattern("the word before", one_key(np.tile(np.arange(-1, n - 1), (count, 1)), n)),)
