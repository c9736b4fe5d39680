"""A dictionary in the plane: queries and keys are points that learn where to stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.arrays import Floats
from attention_explorer.model.attention import scaled_dot_product_attention
from attention_explorer.model.attention_reverse import softmax_reverse
from attention_explorer.model.learning.embedding import Tokens
from attention_explorer.model.learning.gradients import Gradients
from attention_explorer.model.learning.network import AS_LEARNED, Attended, Batch, Network, NetworkTrace, Scoring
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


class _Inside(NamedTuple):
    asked: Tokens
    q: Floats
    weights: Floats


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
    def first_parameters(setting: PlaneSetting, numbers: np.random.RandomState) -> dict[str, Floats]:
        """Draw where the points stand to begin with, N(0, 1) each.

        Parameters
        ----------
        setting : PlaneSetting
            How many.
        numbers : RandomState
            NumPy's legacy random numbers, whose stream never changes.

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

    def __call__(self, batch: Batch, scoring: Scoring = AS_LEARNED) -> NetworkTrace:
        """Answer what a batch asks; see `Network`. Every token is a query."""
        q, k = self.parameters["q"].take(batch.tokens, axis=0), self.parameters["k"]
        own = None if self.setting.scaled else 1.0
        found = scaled_dot_product_attention(
            *(q, k, self.values),
            mask=scoring.mask,
            scale=own if scoring.scale is None else scoring.scale,
            temperature=scoring.temperature,
            hard=self.setting.hard or scoring.hard,
        )
        inside = _Inside(batch.tokens, q, found.weights)
        return NetworkTrace(found.output.reshape(-1, self.setting.entries), (found.weights[..., None, :, :],), inside)

    def gradient(self, trace: NetworkTrace, d_logits: Floats) -> Gradients:
        """Differentiate by where queries and keys stand; see `Network`."""
        inside, k = cast("_Inside", trace.inside), self.parameters["k"]
        if self.setting.hard:
            return {"q": np.zeros_like(self.parameters["q"]), "k": np.zeros_like(k)}
        by_weights = d_logits.reshape(inside.weights.shape) @ self.values.T
        by_scores = softmax_reverse(inside.weights, by_weights)
        if self.setting.scaled:
            by_scores = by_scores / np.sqrt(2.0, dtype=by_scores.dtype)
        by_q = np.zeros_like(self.parameters["q"])
        np.add.at(by_q, inside.asked, by_scores @ k)
        rows, queries = by_scores.reshape(-1, len(k)), inside.q.reshape(-1, 2)
        return {"q": by_q, "k": rows.T @ queries}

    def attended(self, batch: Batch, scoring: Scoring) -> tuple[Attended, ...]:
        """Return the points; see `Network`. They are the same however they are compared."""
        q, k = self.parameters["q"].take(batch.tokens, axis=0), self.parameters["k"]
        heads = (q[:, None], *(np.broadcast_to(each, (len(q), 1, *each.shape)) for each in (k, self.values)))
        return (Attended(*heads),)

    def over(self, parameters: Parameters) -> PlaneNetwork:
        """Return the same dictionary with points elsewhere."""
        return PlaneNetwork(self.setting, parameters)

    def head_rows(self, layer: int, head: int) -> Floats:
        """Return the keys: without them all scores are equal."""
        return self.parameters["k"]

    def head_parts(self, layer: int, head: int) -> tuple[Floats, ...]:
        """Return all points; see `Network`."""
        return self.parameters["q"], self.parameters["k"]
