"""What a task is: sentences without end, some that are never learned from, and what a readable head would do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.learning import (
    NOT_ASKED,
    Batch,
    Network,
    NormalDraws,
    Parameters,
    SequenceNetwork,
    SequenceSetting,
)
from attention_explorer.model.learning.exact import exact_sum
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.setup import OWN, LearningSetup
from attention_explorer.sources.learned.vocabulary import Vocabulary
from attention_explorer.sources.tokens import tokens_in

UNKNOWN = -2
"""The right answer where something is asked that the task does not know, as in sentences that somebody made up."""

HELD_OUT = 512
"""Sentences that are kept to measure with."""


class Pattern(NamedTuple):
    """What a readable head would do.

    Attributes
    ----------
    name : str
        In a few words, after "looks at".
    wanted : ndarray of bool, (batch, n_q, n_k)
        True at the keys that a query would put its weight on; a query without any does not count.
    """

    name: str
    wanted: Bools

    def score(self, weights: Floats) -> Floats:
        """Return the mean weight that each head puts there, (heads,); weights are (batch, heads, n_q, n_k)."""
        on_wanted = np.where(self.wanted[:, None], weights, 0.0)
        of_sentences = exact_sum(on_wanted.reshape(*weights.shape[:2], -1), -1, 1.0)
        return np.asarray(exact_sum(of_sentences, 0) / self.wanted.any(axis=-1).sum())


class Question(NamedTuple):
    """A sentence that somebody typed, as a network takes it.

    Attributes
    ----------
    batch : Batch
        The sentence alone. Targets say where an answer is asked; they are right where `right` knows.
    right : tuple of int
        The right answer at each place that is asked, or `UNKNOWN`.
    """

    batch: Batch
    right: tuple[int, ...]


class Task(ABC):
    """Something to learn. One instance serves all runs.

    Attributes
    ----------
    name : str
        By which it is chosen.
    title : str
        As people read it.
    about : str
        What is asked, in a sentence.
    goal : float
        What has to be reached on held-out sentences; see `judged`.
    judged_by_weight : bool
        Whether the goal is of the weight on the wanted key, and not of the share of right answers.
    steps : int
        In which the goal is reached, on four of five seeds at least.
    every : int
        Steps between two measurements.
    setup : LearningSetup
        What is not chosen.
    fixed : frozenset of str
        Which of its fields cannot be chosen, as the task decides them or has no use for them.
    causal : bool
        Whether no token sees a later one.
    writes : bool
        Whether it writes answers of several tokens, one after the other, behind what it is given; see `beginning`.
    holds_out : bool
        Whether there are sentences that nothing is learned from.
    reached_words, missed_words : str
        What is said when the goal is reached, and when it is not; by default which it is.
    short_words : (str, str)
        The same in a word or two; empty where nothing is said.
    seeds_words : str
        What those seeds do that reach it.
    before_answer : str
        What stands before the answer to a sentence; empty where no single answer says something.
    """

    name: str
    title: str
    about: str
    goal: float = 0.99
    judged_by_weight: bool = False
    steps: int = 400
    every: int = 10
    setup: LearningSetup
    fixed: frozenset[str] = frozenset({"encoder_layers"})
    causal: bool = False
    writes: bool = False
    holds_out: bool = True
    reached_words: str = "Learned."
    missed_words: str = ""
    short_words: tuple[str, str] = ("learned", "")
    seeds_words: str = "have learned it"
    before_answer: str = ""

    def is_reached(self, accuracy: float, weight: float) -> bool:
        """Whether the goal is reached with a share of right answers and a weight of the best head on what it wants."""
        return (weight if self.judged_by_weight else accuracy) >= self.goal

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
        """Return what readable heads would do with a batch; the one that answers comes last. May be none."""

    @abstractmethod
    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Work the right answers out.

        Parameters
        ----------
        tokens : ndarray of int, (batch, n)
            Sentences of the vocabulary, sensible or not.
        setup : LearningSetup
            The setup of the run.

        Returns
        -------
        ndarray of int, (batch, n)
            −1 where nothing is asked, `UNKNOWN` where nobody could tell.
        """

    def lengths(self, setup: LearningSetup) -> tuple[int, int]:
        """Return the shortest and the longest sentence that may be typed."""
        return setup.length, setup.length

    def places(self, setup: LearningSetup) -> int:
        """Return how many tokens its network has places for."""
        return setup.length

    def question(self, sentence: str, setup: LearningSetup) -> Question:
        """Take a sentence that somebody typed.

        Raises
        ------
        ExplorerError
            If a word is unknown, there are too few or too many, or nothing is asked.
        """
        return self.asked(tokens_in(sentence), setup)

    def asked(self, words: tuple[str, ...], setup: LearningSetup) -> Question:
        """Take the words of a sentence; errors are those of `question`."""
        tokens = self.vocabulary(setup).numbered(words, *self.lengths(setup))[None]
        right = self.right_answers(tokens, setup)
        asked = right != NOT_ASKED
        if not asked.any():
            raise ExplorerError(f"Nothing is asked in this sentence: write one such as “{self.probe(setup)}”.")
        return Question(Batch(tokens, np.maximum(right, NOT_ASKED + asked)), tuple(right[asked].tolist()))

    def beginning(self, sentence: str, setup: LearningSetup) -> Tokens:
        """Return what a task that `writes` writes behind, (n,). The last of its answers ends what is written.

        Raises
        ------
        ExplorerError
            If it does not write, or as `question`.
        """
        raise ExplorerError(f"The task “{self.title}” has an answer at each place, and writes none behind a sentence.")

    def says(self, setup: LearningSetup) -> tuple[str, ...]:
        """Return what is to be known of what a setup learns from, a sentence each."""
        return ()

    def part_of_answer(self, setup: LearningSetup) -> str:
        """Return what an answer is, of those of which the share that is right is measured, in the plural."""
        return "answers"

    def said(self, tokens: Sequence[str], setup: LearningSetup) -> str:
        """Return some of its words as somebody would type them."""
        return " ".join(tokens)

    def is_held_out(self, sentence: str, setup: LearningSetup) -> bool:
        """Return whether what a task that `writes` should write behind a sentence is never learned from."""
        return False

    def right_texts(self, sentence: str, setup: LearningSetup) -> tuple[str, ...]:
        """Return what a task that `writes` may write behind a sentence; nothing if nobody can tell."""
        return ()

    def texts(self, sentence: str, setup: LearningSetup) -> tuple[str, str | None]:
        """Return what `typed` is to be given to look at the attention of a sentence that `question` takes."""
        return sentence, None

    def words_in(self, sentence: str, setup: LearningSetup) -> tuple[str, ...]:
        """Cut a sentence that somebody typed to look at its attention.

        Raises
        ------
        ExplorerError
            It cannot be cut as what is learned.
        """
        return tokens_in(sentence)

    def typed(self, sentence: str, context: str | None, setup: LearningSetup) -> Batch:
        """Take a sentence, and with a translation that in the first language, to look at the attention alone.

        Raises
        ------
        ExplorerError
            If a word is unknown, there are too few or too many, or there is a sentence more or less than it takes.
        """
        if context is not None:
            raise ExplorerError("This model takes one sentence: remove the second one.")
        words = self.words_in(sentence, setup)
        tokens = self.vocabulary(setup).numbered(words, *self.lengths(setup))[None]
        return Batch(tokens, np.full_like(tokens, NOT_ASKED))

    def check(self, setup: LearningSetup) -> None:
        """Refuse a setup that the task cannot be learned with.

        Raises
        ------
        ExplorerError
            The message names the field.
        """
        if setup.lines and self.name != OWN:
            raise ExplorerError(f"The task “{self.title}” has sentences of its own: it cannot learn lines.")
        for name in self.fixed:
            given, own = getattr(setup, name), getattr(self.setup, name)
            if given != own:
                raise ExplorerError(f"The task “{self.title}” has {name} {own}: it cannot be {given}.")
        setup.checked()

    def network(self, setup: LearningSetup, numbers: NormalDraws) -> Network:
        """Make a network with its first numbers."""
        setting = SequenceSetting(
            vocabulary=len(self.vocabulary(setup)),
            answers=len(self.answers(setup)),
            places=self.places(setup),
            causal=self.causal,
            **shared_sizes(setup),
        )
        return SequenceNetwork(setting, Parameters(SequenceNetwork.first_parameters(setting, numbers)))


def shared_sizes(setup: LearningSetup) -> dict[str, Any]:
    """Return the fields that a network has under the same name."""
    names = ("layers", "heads", "d_model", "d_ff", "hard", "scaled", "positions", "residual")
    return {name: getattr(setup, name) for name in names}


def batch_of(tokens: Tokens, right: Tokens) -> Batch:
    """Return sentences with their right answers as a batch; where nobody could tell, nothing is asked."""
    return Batch(tokens, np.maximum(right, NOT_ASKED))


def one_key(keys: Tokens, n_k: int) -> Bools:
    """Mark one key for each query.

    Parameters
    ----------
    keys : ndarray of int, (batch, n_q)
        Its place, below 0 for none.
    n_k : int
        How many keys there are.

    Returns
    -------
    ndarray of bool, (batch, n_q, n_k)
    """
    marked: Bools = keys[..., None] == np.arange(n_k)
    return marked
