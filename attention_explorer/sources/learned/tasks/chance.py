"""The control: the answer is thrown, so no attention can help."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.model.learning import NOT_ASKED, Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import UNKNOWN, Pattern, Task
from attention_explorer.sources.learned.vocabulary import Vocabulary

_WORDS = Vocabulary("abcdefghijklmnop")
_FACES = Vocabulary("123456")
_SEED = 717
_HELD_OUT = 4096


class Chance(Task):
    """Behind a random row of letters a die is thrown. Whatever is learned of it is luck."""

    name = "die"
    title = "A die: no attention can help"
    about = "Behind a row of letters a die is thrown, and the last letter has to name the face."
    goal = 1 / 6
    every = 20
    reached_words = "As good as chance, as it has to be: there is nothing to learn."
    missed_words = "More than a die allows: look again."
    short_words = ("chance, as it must be", "that is luck")
    seeds_words = "stay at chance, as they must"
    setup = LearningSetup(task="die", length=8, rate=0.003)

    def is_reached(self, accuracy: float, weight: float) -> bool:
        """Whether the answers are as often right as a thrown die would be, within three standard deviations."""
        return abs(accuracy - self.goal) <= 3.0 * math.sqrt(self.goal * (1.0 - self.goal) / _HELD_OUT)

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return sixteen letters."""
        return _WORDS

    def answers(self, setup: LearningSetup) -> Vocabulary:
        """Return the faces."""
        return _FACES

    def draw(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Batch:
        """Draw letters, and throw."""
        tokens = numbers.randint(0, len(_WORDS), (count, setup.length))
        thrown = np.full_like(tokens, NOT_ASKED)
        thrown[:, -1] = numbers.randint(0, len(_FACES), count)
        return Batch(tokens, thrown)

    def held_out(self, setup: LearningSetup) -> Batch:
        """Draw and throw once more, for every seed the same."""
        return self.draw(np.random.RandomState(np.random.PCG64([_SEED])), _HELD_OUT, setup)

    def probe(self, setup: LearningSetup) -> str:
        """Return some letters."""
        return " ".join(_WORDS.words[(5 * place + 2) % len(_WORDS)] for place in range(setup.length))

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want nothing: no letter is worth looking at."""
        return ()

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Ask at the last letter, where nobody can tell."""
        found = np.full_like(tokens, NOT_ASKED)
        found[:, -1] = UNKNOWN
        return found
