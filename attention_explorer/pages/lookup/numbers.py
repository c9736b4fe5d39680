"""What the numbers of the Lookup page are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.core.weighing import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.model import Attention, LookupGradient, lookup, softmax
from attention_explorer.pages.lookup.plane import Vector
from attention_explorer.pages.lookup.state import LookupState, Overlay, ValueKind

if TYPE_CHECKING:
    # Loaded when there is a row: sources would delay the first picture.
    from attention_explorer.pages.lookup.open_row import OpenRow


FloatArray = np.typing.NDArray[np.floating]

SLOPE_THAT_COUNTS = 1e-7
"""Where the gradient of the loss is shorter than this, a step down it would not be seen."""

SAMPLES, FEWEST_SAMPLES, MOST_WEIGHTS = 121, 9, 500_000
"""Of temperatures, and of the weights at all of them together: so many take about 15 ms."""


@dataclass(frozen=True, eq=False)
class LookupFrame:
    """Every number that the page shows.

    n is the number of keys, d_v the width of the values: 2, or 1 where the values are plain numbers.
    """

    state: LookupState
    """What is on show: of a row of a head with its named keys for entries, and the rest as the last of them."""
    keys: FloatArray  # (n, 2)
    values: FloatArray  # (n, d_v)
    attention: Attention  # of the one query: scores and weights (n,), output (d_v,); the rest has no score of its own
    gradient: LookupGradient  # ∂o/∂q (d_v, 2) and ∂α/∂q (n, 2)
    key_lengths: FloatArray  # (n,)
    entropy: float  # nats
    winners: tuple[int, ...]  # the keys whose score is the highest, to within rounding; several = a tie
    winner: int  # the key that weighs most, the first among equals; of a row by its place in the head
    limit: FloatArray  # (d_v,), where the output goes as the query is lengthened for ever
    jump: float  # how far the smallest move of the query can make the output of a hard lookup jump; 0 if it cannot
    tie_is_exact: bool  # whether the tied scores are the same float, not just equal to within rounding
    row: OpenRow | None = None
    """The row of a head that is looked up in."""

    @property
    def weights(self) -> FloatArray:
        """α (n,)."""
        return self.attention.weights

    @property
    def scores(self) -> FloatArray:
        """What decides who wins (n,): q·k, of a row with its bias; of the rest that of one key that weighed as much."""
        return self.attention.scores if self.row is None else self.attention.masked

    @property
    def output(self) -> FloatArray:
        """O (d_v,)."""
        return self.attention.output

    @property
    def other_output(self) -> FloatArray:
        """O (d_v,) of the same query in the other mode: hard where the lookup is soft, soft where it is hard."""
        state, hard = self.state, not self.state.hard
        if self.row is not None:
            found = self.row.plane.weights_at(state.query, temperature=state.temperature, hard=hard).output
            return np.zeros(2) if found is None else found
        return self._otherwise(hard=hard).output

    @cached_property
    def rescaled(self) -> Attention:
        """The same lookup with ÷√d_k switched the other way; of a row the same again."""
        return self.attention if self.row is not None else self._otherwise(scaled=not self.state.scaled)

    def _otherwise(self, **changed: bool) -> Attention:
        state = self.state
        given = {"hard": state.hard, "scaled": state.scaled, **changed}
        return lookup(np.asarray(state.query), self.keys, self.values, temperature=state.temperature, **given)

    @property
    def query_length(self) -> float:
        """|q|."""
        return math.hypot(*self.state.query)

    @cached_property
    def cosines(self) -> FloatArray:
        """Those of the angles between query and keys (n,), NaN where a length is 0 and there is no angle.

        In a head a key is longer than in the plane.
        """
        scores, lengths = self.attention.scores, self.query_length * self.key_lengths
        undefined = np.full_like(scores, np.nan)
        found: FloatArray = np.clip(np.divide(scores, lengths, out=undefined, where=lengths > 0), -1.0, 1.0)
        return found

    @cached_property
    def contributions(self) -> FloatArray:
        """α·v (n, d_v)."""
        found: FloatArray = self.weights[:, None] * self.values
        return found

    @property
    def exact_match(self) -> int | None:
        """The key that equals the query; of several the last, whose value a dict would hold; of a row none."""
        keys = () if self.row is not None else self.state.keys
        return max((i for i, key in enumerate(keys) if key == self.state.query), default=None)

    @property
    def keys_in_effect(self) -> float:
        """The number of equally weighted keys that would have the same entropy: exp(entropy)."""
        return math.exp(self.entropy)

    @property
    def gradient_norm(self) -> float:
        """The Frobenius norm of ∂o/∂q."""
        return float(np.linalg.norm(self.gradient.output))

    @property
    def residual(self) -> FloatArray:
        """O − t (d_v,)."""
        return np.subtract(self.output, self.state.target_row)

    @property
    def loss(self) -> float:
        """½‖o − t‖²."""
        return 0.5 * float(self.residual @ self.residual)

    @property
    def loss_gradient(self) -> FloatArray:
        """∂L/∂q = (∂o/∂q)ᵀ(o − t), (2,)."""
        gradient: FloatArray = self.gradient.output.T @ self.residual
        return gradient

    @property
    def has_slope(self) -> bool:
        """Whether a step down ∂L/∂q goes anywhere."""
        return math.hypot(*self.loss_gradient.tolist()) >= SLOPE_THAT_COUNTS

    @property
    def numbers_of_keys(self) -> tuple[int, ...]:
        """How many keys each entry stands for."""
        if self.row is None:
            return (1,) * len(self.weights)
        named = len(self.row.plane.heaviest)
        return (*(1,) * named, *(len(self.row.plane.rest),) * (len(self.weights) - named))

    @property
    def is_own(self) -> bool:
        """Whether these are the weights of a head: its query, unmoved, and its softmax."""
        row, state = self.row, self.state
        if row is None or state.hard is not row.of.hard or not row.plane.is_own(state.query):
            return False
        return state.hard or state.temperature == row.of.temperature

    @property
    def rivals(self) -> tuple[Vector, ...]:
        """The keys of which one has the highest score, wherever the query is: of a row the outermost."""
        return self.state.keys if self.row is None else self.row.border_keys

    def draws(self, overlay: Overlay) -> bool:
        """Whether an overlay is switched on and can be drawn of this lookup."""
        return self.state.shows(overlay) and not self.reason_against(overlay)

    def reason_against(self, overlay: Overlay) -> str:
        """Return why an overlay cannot be drawn of this lookup; empty if it can."""
        if self.state.values is ValueKind.NUMBERS and overlay in (Overlay.HULL, Overlay.CHAIN):
            return "The values are plain numbers: they lie on a line."
        return "" if self.row is None else self.row.reason_against(overlay)

    def weights_at(self, temperatures: FloatArray) -> FloatArray:
        """Return the soft weights of the query (t, n) at some temperatures (t,)."""
        if self.row is not None:
            return self.row.plane.shares(np.tile(self.state.query, (len(temperatures), 1)), temperatures)
        # One softmax per temperature: dividing the scores first makes the temperatures a batch axis.
        return softmax(self.attention.scaled[None, :] / temperatures[:, None])


def sampled(frame: LookupFrame) -> tuple[FloatArray, FloatArray]:
    """Return temperatures (t,), evenly spaced by their logarithms, and the soft weights (t, n) at them."""
    samples = min(SAMPLES, max(MOST_WEIGHTS // sum(frame.numbers_of_keys), FEWEST_SAMPLES))
    temperatures = np.geomspace(LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE, samples)
    return temperatures, frame.weights_at(temperatures)


def best_keys(scores: FloatArray, keys: FloatArray, query: FloatArray) -> tuple[int, ...]:
    """Return the keys with the highest score (n,), to within rounding."""
    # A tie reached with the mouse or by typing decimals differs by rounding in the last place of q·k.
    rounding = 4 * np.finfo(float).eps * (np.abs(keys) @ np.abs(query))
    best = int(scores.argmax())
    found = np.flatnonzero(scores[best] - scores <= np.maximum(rounding, rounding[best]))
    return tuple(found.tolist())
