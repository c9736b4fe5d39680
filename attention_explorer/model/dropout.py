"""Dropout: while a layer learns, some of its numbers are left out at random, and the others grow to make up for it.

Srivastava et al. 2014, section 4. Where a layer that is used has x, one that learns has x ⊙ kept ÷ (1 − p): a number is
0 with probability p, and its mean over many draws is x. Dividing while learning, as PyTorch does, leaves nothing to be
done when the layer is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Self

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.arrays import Bools, Floats, all_finite
from attention_explorer.model.feed_forward import FeedForward, FeedForwardTrace
from attention_explorer.model.head_axis import side_by_side
from attention_explorer.model.linear import linear
from attention_explorer.model.multi_head import MultiHeadAttention, MultiHeadTrace
from attention_explorer.model.scalars import LARGEST_SEED


class DropoutPlace(StrEnum):
    """Where in a layer numbers are left out, by the names of `EncoderTrace.stages`."""

    WEIGHTS = "weights"
    """The attention weights, behind the softmax: a key is hidden from a query. Not in Vaswani et al. 2017."""

    ATTENTION = "attention_output"
    """What attention adds to the residual: Vaswani et al. 2017, section 5.4."""

    HIDDEN = "hidden"
    """The hidden units, behind the activation. Not in Vaswani et al. 2017."""

    NETWORK = "feed_forward_output"
    """What the feed-forward network adds to the residual: Vaswani et al. 2017, section 5.4."""


@dataclass(frozen=True, slots=True)
class Dropout(CheckedFields):
    """Which numbers of a layer are left out in one step of learning.

    The same seed, layer and shape leave out the same numbers, on every machine: each place of each layer has a stream
    of its own, so that a rate of one moves nothing at another.

    Parameters
    ----------
    weights, attention_output, hidden, feed_forward_output : float
        The rate p at each `DropoutPlace`: the probability that a number is left out, from 0 to below 1.
    seed : int
        Of the draw, from 0 to 2³² − 1.
    layer : int
        The number of the layer, from 0; each draws anew.

    Raises
    ------
    ArrayError
        If a rate is not from 0 to below 1, or seed or layer cannot be one.

    Notes
    -----
    Vaswani et al. 2017, section 5.4, have p = 0.1 on the output of attention and of the network, and on the sum of
    embeddings and positions, which is outside of the layer. `torch.nn.TransformerEncoderLayer` has one rate at all
    four places.
    """

    weights: float = 0.0
    attention_output: float = 0.0
    hidden: float = 0.0
    feed_forward_output: float = 0.0
    seed: int = 0
    layer: int = 0
    _refusal = ArrayError

    def __post_init__(self) -> None:
        CheckedFields.__post_init__(self)
        for place in DropoutPlace:
            if not 0.0 <= self.rate(place) < 1.0:
                raise ArrayError(f"{place} must be a rate from 0 to below 1, not {self.rate(place)!r}")
        for name in ("seed", "layer"):
            if not 0 <= getattr(self, name) <= LARGEST_SEED:
                raise ArrayError(f"{name} must be from 0 to {LARGEST_SEED}, not {getattr(self, name)}")

    @classmethod
    def everywhere(cls, rate: float, seed: int = 0) -> Self:
        """Return dropout with one rate at all places, as `torch.nn.TransformerEncoderLayer` has it."""
        return cls(rate, rate, rate, rate, seed)

    @property
    def places(self) -> tuple[DropoutPlace, ...]:
        """Where anything is left out."""
        return tuple(place for place in DropoutPlace if self.rate(place) > 0.0)

    def rate(self, place: DropoutPlace) -> float:
        """Return the rate p of a place."""
        return float(getattr(self, place))

    def factor(self, place: DropoutPlace) -> float:
        """Return what the numbers that stay are multiplied by, 1/(1 − p)."""
        return 1.0 / (1.0 - self.rate(place))

    def of_layer(self, layer: int) -> Self:
        """Return the dropout of another layer."""
        return replace(self, layer=layer)

    def kept(self, place: DropoutPlace, shape: tuple[int, ...]) -> Bools:
        """Draw which numbers stay.

        Parameters
        ----------
        place : DropoutPlace
            Where.
        shape : tuple of int
            Of the array there.

        Returns
        -------
        ndarray of bool
            True with probability 1 − p, each number by itself. It is not to be written to: whoever asks again for the
            places of the layer that was asked for last gets the same numbers.
        """
        stream = self.seed, self.layer, list(DropoutPlace).index(place)
        return _kept(stream, self.rate(place), math.prod(shape)).reshape(shape)

    def __call__(self, place: DropoutPlace, x: Floats) -> Floats:
        """Leave numbers out: x ⊙ kept ÷ (1 − p).

        Parameters
        ----------
        place : DropoutPlace
            Where x stands.
        x : ndarray, any shape
            Finite numbers.

        Returns
        -------
        ndarray
            Of the shape and type of x; x itself where the rate is 0.

        Raises
        ------
        ArrayError
            If a number that stays leaves the float range.
        """
        if self.rate(place) == 0.0:
            return x
        with np.errstate(over="ignore"):  # looked for below
            found = np.where(self.kept(place, x.shape), x * x.dtype.type(self.factor(place)), x.dtype.type(0.0))
        if not all_finite(found):
            raise ArrayError(f"dropout at {place} leaves the range of {x.dtype}: make the numbers smaller")
        return found

    def in_attention(self, attention: MultiHeadAttention, trace: MultiHeadTrace) -> MultiHeadTrace:
        """Return what attention computes while it learns: fewer weights, what they mix, and less of the output.

        Parameters
        ----------
        attention : MultiHeadAttention
            What made the trace.
        trace : MultiHeadTrace
            Without dropout.

        Returns
        -------
        MultiHeadTrace
            Rows of its weights no longer sum to 1, only in the mean over many draws.
        """
        weights, output = self(DropoutPlace.WEIGHTS, trace.weights), trace.output
        found, concat = trace.head_output, trace.concat
        if weights is not trace.weights:
            found = weights @ trace.v
            concat = side_by_side(found)
            output = linear("concat", concat, "w_o", attention.w_o, attention.b_o)
        left = self(DropoutPlace.ATTENTION, output)
        dropped = trace._replace(weights=weights, head_output=found, concat=concat, output=left)
        dropped.call = trace.call._replace(drops=True)
        return dropped

    def in_network(self, network: FeedForward, trace: FeedForwardTrace) -> FeedForwardTrace:
        """Return what a feed-forward network computes while it learns, likewise."""
        hidden, output = self(DropoutPlace.HIDDEN, trace.hidden), trace.output
        if hidden is not trace.hidden:
            output = linear("hidden", hidden, "w2", network.w2, network.b2)
        return trace._replace(hidden=hidden, output=self(DropoutPlace.NETWORK, output))


@lru_cache(maxsize=len(DropoutPlace))  # a picture asks for those that its layer has drawn
def _kept(stream: tuple[int, int, int], rate: float, count: int) -> Bools:
    """Draw which of so many numbers stay, (count,)."""
    found = np.asarray(np.random.RandomState(stream).random_sample(count) >= rate)
    found.setflags(write=False)
    return found
