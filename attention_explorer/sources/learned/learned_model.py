"""A network as it was after some steps: what it answers, what it looks at, and what it is without some heads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.learning import (
    AS_LEARNED,
    Batch,
    Network,
    Scoring,
    cross_entropy,
)
from attention_explorer.model.one_core import one_core
from attention_explorer.sources.learned.first import first_network
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Question, Task
from attention_explorer.sources.learned.tasks import task_of
from attention_explorer.sources.learned.writing import written

Heads: TypeAlias = tuple[tuple[int, int], ...]
"""Some heads: layer and head of each, from 0."""
Texts: TypeAlias = list[tuple[str, ...]]


class Answer(NamedTuple):
    """What a model says to a sentence.

    Attributes
    ----------
    tokens : tuple of str
        What asks, one a query.
    context_tokens : tuple of str
        What is looked at, one a key.
    places : tuple of int
        The queries at which an answer is asked.
    answers : tuple of str
        The most probable answer at each.
    right : tuple of str or None
        The right ones; None where nobody could tell.
    probabilities : ndarray, (asked, answers)
        Of every possible answer.
    weights : tuple of ndarray, each (heads, n_q, n_k)
        The attention of each layer; of a translation, its cross-attention.
    """

    tokens: tuple[str, ...]
    context_tokens: tuple[str, ...]
    places: tuple[int, ...]
    answers: tuple[str, ...]
    right: tuple[str | None, ...]
    probabilities: Floats
    weights: tuple[Floats, ...]


class PatternScore(NamedTuple):
    """How much the heads look at what a readable head would look at.

    Attributes
    ----------
    name : str
        What that is.
    weights : tuple of ndarray, each (heads,)
        The mean weight that the heads of each layer put there.
    """

    name: str
    weights: tuple[Floats, ...]

    @property
    def best(self) -> tuple[int, int]:
        """Layer and head that put the most there."""
        tops = [float(layer.max()) for layer in self.weights]
        layer = int(np.argmax(tops))
        return layer, int(self.weights[layer].argmax())

    @property
    def weight(self) -> float:
        """How much that is; 0 without layers."""
        return max((float(layer.max()) for layer in self.weights), default=0.0)


class Measured(NamedTuple):
    """A model measured on sentences that it never learned from.

    Attributes
    ----------
    loss : float
        Mean cross-entropy, in nats.
    accuracy : float
        The share of right answers.
    scores : tuple of PatternScore
        One for each pattern of the task, the one that answers last.
    whole : float
        The share of sentences of which every answer is right.
    """

    loss: float
    accuracy: float
    scores: tuple[PatternScore, ...]
    whole: float

    @property
    def weight(self) -> float | None:
        """The weight of the best head on what answers; None where the task knows no such pattern."""
        return self.scores[-1].weight if self.scores else None


class Trial:
    """The held-out sentences of a setup, with what readable heads would do with them: made once, used at every step.

    Parameters
    ----------
    setup : LearningSetup
        The setup.
    """

    def __init__(self, setup: LearningSetup) -> None:
        task = task_of(setup.task)
        self.batch: Batch = task.held_out(setup)
        self._parts = self.batch.in_parts(_TOGETHER)
        self._patterns = task.patterns(self.batch)

    def measure(self, network: Network, scoring: Scoring = AS_LEARNED) -> Measured:
        """Let a network answer, and be measured: the same on every processor.

        Parameters
        ----------
        network : Network
            Any of the setup.
        scoring : Scoring
            What is to be otherwise than it was learned.

        Raises
        ------
        ArrayError
            If a number leaves the float range.
        """
        with one_core():
            found = [network(part, scoring)[:2] for part in self._parts]  # without what is inside: it is large
            logits = np.concatenate([of_part for of_part, _ in found])
            measured = cross_entropy(logits, self.batch.answers, network.arithmetic(self.batch))
        weights = [np.concatenate(layer) for layer in zip(*(of_part for _, of_part in found), strict=True)]
        scores = (PatternScore(each.name, tuple(each.score(layer) for layer in weights)) for each in self._patterns)
        sentences = self.batch.asked // self.batch.tokens.shape[-1]
        wrong = sentences[measured.probabilities.argmax(axis=-1) != measured.targets]
        whole = 1.0 - len(set(wrong.tolist())) / len(set(sentences.tolist()))
        return Measured(measured.loss, measured.accuracy, tuple(scores), whole)

    @cached_property
    def baselines(self) -> tuple[float, float]:
        """The shares of right answers of who guesses, and of who always gives the answer that is right most often."""
        answers = self.batch.answers
        counts = np.bincount(answers)
        return 1.0 / int((counts > 0).sum()), float(counts.max() / answers.size)


class LearnedModel:
    """A network as it was after some steps. All threads may use it.

    Parameters
    ----------
    setup : LearningSetup
        How it was learned.
    step : int
        After how many steps.
    network : Network
        Over numbers that nobody changes.
    """

    def __init__(self, setup: LearningSetup, step: int, network: Network) -> None:
        self.setup, self.step, self.network = setup, step, network
        self.task: Task = task_of(setup.task)

    @property
    def heads(self) -> tuple[int, ...]:
        """How many heads each layer has."""
        return (self.setup.heads,) * self.setup.layers

    def ask(self, sentence: str, scoring: Scoring = AS_LEARNED) -> Answer:
        """Ask it.

        Parameters
        ----------
        sentence : str
            Of the words that it knows.
        scoring : Scoring
            What is to be otherwise than it was learned, in every layer: a mask, hard attention …

        Returns
        -------
        Answer

        Raises
        ------
        ExplorerError
            If a word is unknown, there are too few or too many, or nothing is asked.
        """
        return self.answer(self.task.question(sentence, self.setup), scoring)

    def answer(self, question: Question, scoring: Scoring = AS_LEARNED) -> Answer:
        """Answer a question of the task; see `ask`."""
        batch, setup = question.batch, self.setup
        trace = self.network(batch, scoring)
        known, words = self.task.answers(setup).words, self.task.vocabulary(setup).words
        sentence = tuple(words[token] for token in (batch.tokens if batch.context is None else batch.context)[0])
        precision = self.network.parameters.vector.dtype  # more digits would not be true
        probabilities = cross_entropy(trace.logits, batch.answers, self.network.arithmetic(batch)).probabilities
        return Answer(
            tokens=sentence if batch.context is None else tuple(known[token] for token in batch.tokens[0]),
            context_tokens=sentence,
            places=tuple(batch.asked.tolist()),
            answers=tuple(known[token] for token in probabilities.argmax(axis=-1)),
            right=tuple(known[token] if token >= 0 else None for token in question.right),
            probabilities=probabilities.astype(precision),
            weights=tuple(weights[0].astype(precision) for weights in trace.weights),
        )

    def write(self, sentences: Sequence[str], hidden: Callable[[Batch], Scoring] = lambda _batch: AS_LEARNED) -> Texts:
        """Let it write answers of several tokens.

        Parameters
        ----------
        sentences : sequence of str
            What it is given.
        hidden : callable
            (batch) -> what is to be otherwise than it was learned.

        Returns
        -------
        list of tuple of str
            The tokens that it writes behind each.

        Raises
        ------
        ExplorerError
            If the task does not write, or a sentence does not fit.
        """
        task, setup = self.task, self.setup
        known = task.answers(setup).words
        beginnings = [task.beginning(each, setup) for each in sentences]
        found = written(self.network, beginnings, len(known) - 1, task.places(setup), hidden)
        return [tuple(known[token] for token in tokens) for tokens in found]

    def measured(self) -> Measured:
        """Measure it on the sentences that are held out."""
        return Trial(self.setup).measure(self.network)

    def without(self, heads: Iterable[tuple[int, int]]) -> LearnedModel:
        """Return the model with some heads off.

        Parameters
        ----------
        heads : iterable of (layer, head)
            Which ones, from 0.

        Raises
        ------
        ExplorerError
            If there is no such head.
        """
        network = self.network.over(self.network.parameters.copy())
        for head in self._existing(heads):
            network.head_rows(*head)[:] = 0.0
        return LearnedModel(self.setup, self.step, network)

    def forgotten(self, heads: Iterable[tuple[int, int]]) -> LearnedModel:
        """Return the model with some heads as they were before anything was learned: at random.

        Parameters and errors are those of `without`.
        """
        network, first = self.network.over(self.network.parameters.copy()), first_network(self.setup)
        for head in self._existing(heads):
            for own, drawn in zip(network.head_parts(*head), first.head_parts(*head), strict=True):
                own[:] = drawn
        return LearnedModel(self.setup, self.step, network)

    def _existing(self, heads: Iterable[tuple[int, int]]) -> Heads:
        """Return the heads, or refuse one that there is not."""
        listed = tuple(heads)
        for layer, head in listed:
            if not (0 <= layer < len(self.heads) and 0 <= head < self.heads[layer]):
                raise ExplorerError(f"There is no head {head + 1} in layer {layer + 1}: choose one of those shown.")
        return listed

    def needed_heads(self, share: float = 0.99) -> Heads:
        """Find the fewest heads that do nearly as well as all of them.

        Parameters
        ----------
        share : float
            How much of the accuracy above always giving the most frequent answer has to be left, 0 to 1.

        Returns
        -------
        tuple of (layer, head)
            The fewest; of several such sets the most accurate. With more than eight heads they are taken away one
            after the other, the one that matters least first, and a smaller set may exist.
        """
        trial = Trial(self.setup)
        every = [(layer, head) for layer, count in enumerate(self.heads) for head in range(count)]
        floor = trial.baselines[1]
        enough = floor + share * (trial.measure(self.network).accuracy - floor)

        def left(kept: Heads) -> float:
            checkpoint()
            return trial.measure(self.without(set(every) - set(kept)).network).accuracy

        if len(every) > _MOST_TRIED:
            return _taken_away(tuple(every), left, enough)
        for count in range(len(every)):
            best = max(combinations(every, count), key=left)
            if left(best) >= enough:
                return best
        return tuple(every)


_TOGETHER = 4096
"""Tokens that are measured at once: more would take memory anew each time, page by page."""
_MOST_TRIED = 8
"""Heads of which every set is tried."""


def _taken_away(kept: Heads, left: Callable[[Heads], float], enough: float) -> Heads:
    """Take heads away one after the other, as long as enough is left."""
    while kept:
        fewer = [tuple(head for head in kept if head != gone) for gone in kept]
        best = max(fewer, key=left)
        if left(best) < enough:
            break
        kept = best
    return kept
