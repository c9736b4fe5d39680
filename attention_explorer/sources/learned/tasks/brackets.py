"""Which bracket has to be closed next: the innermost that is open."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.learning import Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.random_rows import RandomRows
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import UNKNOWN, Pattern, one_key
from attention_explorer.sources.learned.vocabulary import Vocabulary

_BRACKETS = Vocabulary("([{)]}")
_NOTHING = "nothing"
_ANSWERS = Vocabulary((")", "]", "}", _NOTHING))
_KINDS = 3
_DEPTH = 4
"""So many brackets are open at once at most, in what is learned from."""


class Brackets(RandomRows):
    """At each place, name the bracket that has to come to close the innermost one that is open."""

    name = "brackets"
    title = "Brackets"
    about = "At each place, name the bracket that would close what was opened last."
    goal = 0.98
    setup = LearningSetup(
        task="brackets", layers=2, heads=2, d_model=48, d_ff=96, length=12, batch=64, rate=0.005, warm_up=100
    )
    causal = True

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return three kinds of brackets."""
        return _BRACKETS

    def answers(self, setup: LearningSetup) -> Vocabulary:
        """Return the closing ones, and that nothing is open."""
        return _ANSWERS

    def rows(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Tokens:
        """Draw beginnings of rows in which every bracket that is closed was opened; see `RandomRows`."""
        rows = np.empty((count, setup.length), np.intp)
        stack, depth, every = np.zeros((count, _DEPTH + 1), np.intp), np.zeros(count, np.intp), np.arange(count)
        for place in range(setup.length):
            opens = (depth == 0) | ((depth < _DEPTH) & (numbers.random_sample(count) < 0.5))
            kinds = numbers.randint(0, _KINDS, count)
            stack[every, np.where(opens, depth + 1, 0)] = kinds  # 0 is below all: what is written there is never read
            rows[:, place] = np.where(opens, kinds, _KINDS + stack[every, depth])
            depth += np.where(opens, 1, -1)
        return rows

    def probe(self, setup: LearningSetup) -> str:
        """Return a row that is opened deeply and closed again."""
        return " ".join(["(", "[", "]", "{", "(", ")", "}", ")", "[", "{", "}", "]"][: setup.length])

    def lengths(self, setup: LearningSetup) -> tuple[int, int]:
        """Take shorter rows too, as no bracket sees a later one."""
        return 1, setup.length

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return what closes the innermost open bracket; behind one that closes what is not open nobody can tell."""
        innermost = innermost_open(tokens)
        kinds = np.take_along_axis(tokens, np.maximum(innermost, 0), axis=1)
        return np.where(innermost >= 0, kinds, np.where(innermost == -1, _KINDS, UNKNOWN))

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want the innermost bracket that is open; where nothing is, nothing is wanted."""
        return (Pattern("what was opened last", one_key(innermost_open(batch.tokens), batch.tokens.shape[-1])),)


def innermost_open(tokens: Tokens) -> Tokens:
    """Find the innermost bracket that is open after each place.

    Parameters
    ----------
    tokens : ndarray of int, (batch, n)
        Brackets.

    Returns
    -------
    ndarray of int, (batch, n)
        Its place; −1 where nothing is open, −2 from the first on that closes what is not open.
    """
    count, n = tokens.shape
    every, depth, is_wrong = np.arange(count), np.zeros(count, np.intp), np.zeros(count, np.bool_)
    stack = np.full((count, n + 1), -1)  # places of what is open, from 1; below all of them −1
    found = np.empty((count, n), np.intp)
    for place in range(n):
        token, top = tokens[:, place], stack[every, depth]
        opens = token < _KINDS
        fits = (top >= 0) & (tokens[every, top] + _KINDS == token)
        is_wrong |= ~opens & ~fits
        depth += np.where(opens, 1, np.where(fits, -1, 0))
        stack[every[opens], depth[opens]] = place
        found[:, place] = np.where(is_wrong, -2, stack[every, depth])
    return found
