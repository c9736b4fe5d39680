"""A dictionary in the plane: queries and keys are points that learn where to stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.arrays import Floats
from attention_explorer.model.learning.exact import NormalDraws
from attention_explorer.model.learning.network import AS_LEARNED, Batch, Network, NetworkTrace, Scoring, Work
from attention_explorer.model.learning.parameters import Parameters
from attention_explorer.model.scalars import size_from

LOUDNESS = 4.0
"""What a value holds for its own answer, and 0 for the others. So little that an answer is never quite sure: there is
something to gain until all of the weight is on the right key."""


@dataclass(frozen=True, slots=True)
class PlaneSetting(CheckedFields):
    """All that decides a dictionary but where its points stand.

    Attributes
    ----------
    entries : int
        Keys, and as many queries.
    hard : bool
        Whether the best key takes all.
    scaled : bool
        Whether scores are divided by √2, as d_k is 2.
    """

    entries: int = 8
    hard: bool = False
    scaled: bool = False
    _refusal = ArrayError


class PlaneNetwork(Network):
    """One lookup a query: weights = softmax(q kᵀ), answer = weights · values, and the values are given.

    Parameters
    ----------
    setting : PlaneSetting
        How many entries, and how they are compared.
    parameters : Parameters
        q and k, each (entries, 2).
    """

    def __init__(self, setting: PlaneSetting, parameters: Parameters) -> None:
        super().__init__(parameters)
        self.setting = setting
        self.values: Floats = LOUDNESS * np.eye(setting.entries, dtype=parameters.vector.dtype)

    @staticmethod
    def first_parameters(setting: PlaneSetting, numbers: NormalDraws) -> dict[str, Floats]:
        """Draw where the points stand to begin with, N(0, 1) each.

        Parameters
        ----------
        setting : PlaneSetting
            How many.
        numbers : NormalDraws
            Random numbers.

        Returns
        -------
        dict of str to ndarray
            q and k, each (entries, 2).

        Raises
        ------
        ArrayError
            If there is no entry.
        """
        entries = size_from(1, "entries", setting.entries)
        return {"q": numbers.randn(entries, 2), "k": numbers.randn(entries, 2)}

    def __call__(self, batch: Batch, scoring: Scoring = AS_LEARNED, *, is_learning: bool = False) -> NetworkTrace:
        """Answer what a batch asks; see `Network`. Every token is a query."""
        work = Work(self.arithmetic(batch), self.parameters, scoring, is_learning=is_learning)
        tape, sentences, entries = work.tape, len(batch.tokens), self.setting.entries
        every = np.broadcast_to(np.arange(entries), (sentences, entries))
        q, k = tape.embed(work["q"], batch.tokens), tape.embed(work["k"], every)
        v = tape.value(np.broadcast_to(self.values, (sentences, entries, entries)))
        scale = None if self.setting.scaled else 1.0
        looked = work.attention(q, k, v, 1, mask=scoring.mask, causal=False, scale=scale, hard=self.setting.hard)
        work.looked.append(looked)
        logits = tape.rows(looked.output, np.arange(batch.tokens.size))
        return NetworkTrace(logits.array, (looked.weights,), (work, logits))

    def terms(self, batch: Batch) -> int:
        """Count the keys of all sentences too, of which each has its own; see `Network`."""
        return max(super().terms(batch), len(batch.tokens) * self.setting.entries)

    def over(self, parameters: Parameters) -> PlaneNetwork:
        """Return the same dictionary with points elsewhere."""
        return PlaneNetwork(self.setting, parameters)

    def head_rows(self, layer: int, head: int) -> Floats:
        """Return the keys: without them all scores are equal."""
        return self.parameters["k"]

    def head_parts(self, layer: int, head: int) -> tuple[Floats, ...]:
        """Return all points; see `Network`."""
        return self.parameters["q"], self.parameters["k"]
