"""What a task is: sentences without end, some that are never learned from, and what a readable head would do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from attention_explorer.model.arrays import Bools
from attention_explorer.model.learning import (
    Batch,
    Network,
    Parameters,
    SequenceNetwork,
    SequenceSetting,
)
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.vocabulary import Vocabulary

HELD_OUT = 512
"""Sentences that are kept to measure with, where a task has no natural number of them."""

_ONE_IN = 7
"""So many sentences is one that is never learned from, where sentences are random."""


class Pattern(NamedTuple):
    """What a readable head would do.

    Attributes
    ----------
    name : str
        In a few words.
    wanted : ndarray of bool, (batch, n_q, n_k)
        True at the keys that a query would put its weight on; a query without any is not asked.
    """

    name: str
    wanted: Bools


class Task(ABC):
    """Something to learn. One instance serves all runs.

    Attributes
    ----------
    name : str
        By which it is chosen.
    title : str
        As people read it.
    line : float
        The share of right answers on held-out sentences that counts as learned.
    steps : int
        In which the line is reached, on four of five seeds at least.
    every : int
        Steps between two measurements.
    setup : LearningSetup
        What is not chosen.
    fixed : frozenset of str
        Which of its fields cannot be chosen, as the task decides them.
    probe : str
        A sentence to look at while it learns.
    """

    name: str
    title: str
    line: float = 0.99
    steps: int = 400
    every: int = 10
    setup: LearningSetup
    fixed: frozenset[str] = frozenset({"encoder_layers"})
    causal = False

    @abstractmethod
    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return the words that go in; they are the possible answers too, unless `answers` says otherwise."""

    def answers(self, setup: LearningSetup) -> Vocabulary:
        """Return the possible answers."""
        return self.vocabulary(setup)

    @abstractmethod
    def draw(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Batch:
        """Draw sentences to learn from, none of them held out."""

    @abstractmethod
    def held_out(self, setup: LearningSetup) -> Batch:
        """Return sentences that are never learned from; the same for every seed."""

    @abstractmethod
    def probe(self, setup: LearningSetup) -> str:
        """Return a sentence to look at while it learns."""

    @abstractmethod
    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Return what readable heads would do with a batch; of several, the one that answers is the last."""

    def right_answers(self, tokens: np.ndarray, setup: LearningSetup) -> np.ndarray:
        """Return the right answers for sentences that somebody typed, (batch, n); −1 where none is asked or known."""
        raise NotImplementedError

    def network(self, setup: LearningSetup, numbers: np.random.RandomState) -> Network:
        """Make a network with its first numbers."""
        setting = SequenceSetting(
            vocabulary=len(self.vocabulary(setup)),
            answers=len(self.answers(setup)),
            places=setup.length,
            causal=self.causal,
            **shared_sizes(setup),
        )
        return SequenceNetwork(setting, Parameters(SequenceNetwork.first_parameters(setting, numbers)))


def shared_sizes(setup: LearningSetup) -> dict[str, Any]:
    """Return the fields that a network has under the same name."""
    names = ("layers", "heads", "d_model", "d_ff", "hard", "scaled", "positions", "residual")
    return {name: getattr(setup, name) for name in names}
