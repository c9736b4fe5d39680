"""Repeat: a row comes again, and each of its symbols has to name the next one."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.arrays import Bools
from attention_explorer.model.learning import NOT_ASKED, Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.random_rows import RandomRows
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Pattern, one_key
from attention_explorer.sources.learned.vocabulary import Vocabulary

_SYMBOLS = Vocabulary("abcdefghijklmnopqrst")


class Induction(RandomRows):
    """A random row of different letters is repeated; where a letter comes the second time, name what followed it.

    The rows are a quarter to half as long as the sentence, so that no place tells where to look.

    Notes
    -----
    Elhage et al. 2021; Olsson et al. 2022: a head that looks at the token before, and behind it one that looks at what
    followed an equal token, and needs the first.
    """

    name = "repeat"
    title = "Repeat what came before"
    about = "A random row of letters comes again: each letter has to name the one that followed it the first time."
    goal = 0.95
    every = 10
    setup = LearningSetup(task="repeat", layers=2, d_model=48, length=24, batch=64, rate=0.005, warm_up=100)
    causal = True

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return twenty letters."""
        return _SYMBOLS

    def rows(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Tokens:
        """Draw rows of different letters and repeat them; see `RandomRows`."""
        most = max(min(setup.length // 2, len(_SYMBOLS)), 1)
        letters = numbers.random_sample((count, len(_SYMBOLS))).argsort(axis=1)
        periods = numbers.randint(max(most // 2, 1), most + 1, (count, 1))
        return np.take_along_axis(letters, np.arange(setup.length) % periods, axis=1)

    def probe(self, setup: LearningSetup) -> str:
        """Return a row of seven letters again and again."""
        return " ".join("qcmbtfk"[place % 7] for place in range(setup.length))

    def lengths(self, setup: LearningSetup) -> tuple[int, int]:
        """Take shorter rows too, as no letter sees a later one."""
        return 2, setup.length

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return what followed the same letter, where it stood once before; elsewhere nothing is asked."""
        before = _equal_before(tokens)
        followed = np.take_along_axis(tokens, _after(before), axis=1)
        return np.where(before.sum(axis=-1) == 1, followed, NOT_ASKED)

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want the letter before, from each that is an answer; from each that asks, what followed the same letter."""
        n = batch.tokens.shape[-1]
        keys = np.where(batch.targets != NOT_ASKED, _after(_equal_before(batch.tokens)), -1)
        followed = one_key(keys, n)
        is_answer = followed.any(axis=1)
        before = one_key(np.where(is_answer, np.arange(-1, n - 1), -1), n)
        return Pattern("the letter before", before), Pattern("what followed the same letter", followed)


def _equal_before(tokens: Tokens) -> Bools:
    """Return where the same letter stood before, (batch, n, n)."""
    n = tokens.shape[-1]
    same: Bools = (tokens[:, :, None] == tokens[:, None, :]) & np.tri(n, k=-1, dtype=np.bool_)
    return same


def _after(before: Bools) -> Tokens:
    """Return the place behind the first of them, (batch, n)."""
    places: Tokens = np.minimum(before.argmax(axis=-1) + 1, before.shape[-1] - 1)
    return places
