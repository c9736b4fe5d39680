"""Where it is decided: what the last norm and matrix make of the residual after each layer (nostalgebraist 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.scalars import size_from
from attention_explorer.model.softmax import softmax
from attention_explorer.sources.circuits.metric import head_of, place_of, word_id
from attention_explorer.sources.circuits.result import Result, Results

if TYPE_CHECKING:
    from attention_explorer.sources.models.trace import Trace


class Lens(Results):
    """What the vocabulary gets at one position, if the model ended after each of its layers.

    Attributes
    ----------
    probabilities : Result, (layers + 1, vocabulary)
        Before the first layer, and after each; the last are those of the model.
    """

    def __init__(self, trace: Trace, probabilities: Result) -> None:
        self._trace, self.probabilities = trace, probabilities

    def __repr__(self) -> str:
        ids = np.argmax(self.probabilities, axis=1).tolist()
        lines = (
            f"{layer:>3}  {self.probabilities[layer, best]:.3f}  {self._trace.token(best)}"
            for layer, best in enumerate(ids)
        )
        return "\n".join(["the most probable word by layer", *lines])

    def probability(self, word: object) -> Result:
        """Return what a word gets by layer, (layers + 1,).

        Raises
        ------
        ArrayError
            If it is not one token of the vocabulary.
        """
        return Result(np.asarray(self.probabilities)[:, word_id(self._trace, word)], ("layer",))

    def rank(self, word: object) -> Result:
        """Return how many words get more by layer, (layers + 1,): 0 is the first.

        Raises
        ------
        ArrayError
            If it is not one token of the vocabulary.
        """
        plain = np.asarray(self.probabilities)
        own = plain[:, word_id(self._trace, word)]
        return Result((plain > own[:, None]).sum(axis=1), ("layer",))

    def top(self, k: int = 5) -> list[list[str]]:
        """Return the k most probable words by layer, as the vocabulary spells them.

        Raises
        ------
        ArrayError
            If k is less than 1.
        """
        order = np.argsort(-np.asarray(self.probabilities), axis=1, kind="stable")[:, : size_from(1, "k", k)]
        return [[self._trace.token(each) for each in row] for row in order.tolist()]


class Decided(NamedTuple):
    """The most probable words at every position, if the model ended after each of its layers.

    The first row is before the first layer, and the last what the model itself says; (layers + 1, n, k) each.
    """

    ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    probabilities: Floats


def decided(trace: Trace, k: int = 5) -> Decided:
    """Look at the residuals of all positions through the last norm and matrix, layer by layer.

    Raises
    ------
    ExplorerError
        If the model has no head.
    """
    head, run = head_of(trace)(), trace.run.main
    ids, probabilities = [], []
    for place, rows in enumerate(run.hidden):
        checkpoint()
        norm = None if place == run.count else run.stack.final_norm
        found = np.stack([softmax(row) for row in head(rows if norm is None else norm(rows))])
        best = np.argsort(-found, axis=1, kind="stable")[:, :k]
        ids.append(best)
        probabilities.append(np.take_along_axis(found, best, axis=1))
    return Decided(np.stack(ids), np.stack(probabilities))


def lens(trace: Trace, position: int = -1) -> Lens:
    """Look at the residual through the last norm and matrix: see `Trace.lens`."""
    head, run, at = head_of(trace)(), trace.run.main, place_of(trace, position)
    before = np.stack([row[at] for row in run.hidden[:-1]])
    norm = run.stack.final_norm
    rows = np.concatenate([before if norm is None else norm(before), run.hidden[-1][at][None]])
    probabilities = np.stack([softmax(row) for row in head(rows)])
    return Lens(trace, Result(probabilities, ("layer", "word")))
