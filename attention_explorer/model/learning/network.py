"""What learns: a batch goes in, a trace with a score for each possible answer comes out, and is pulled back again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.initialisers import Initialiser, initial_gain
from attention_explorer.model.learning.embedding import Tokens
from attention_explorer.model.learning.gradients import Gradients
from attention_explorer.model.learning.parameters import Parameters

NOT_ASKED = -1
"""A target where no answer is wanted."""


class Batch(NamedTuple):
    """Sentences of one length with the right answers.

    Attributes
    ----------
    tokens : ndarray of int, (batch, n)
        What goes in.
    targets : ndarray of int, (batch, n)
        The right answer at each place, −1 where none is asked for.
    context : ndarray of int, (batch, n_k), or None
        The sentence that is attended to, where it is another.
    """

    tokens: Tokens
    targets: Tokens
    context: Tokens | None = None

    @property
    def asked(self) -> Tokens:
        """The places that are asked, counted through all sentences, (asked,)."""
        return np.flatnonzero(self.targets.ravel() != NOT_ASKED)

    @property
    def answers(self) -> Tokens:
        """The right answers there, (asked,)."""
        return self.targets.ravel()[self.asked]


class NetworkTrace(NamedTuple):
    """What every network's trace has.

    Attributes
    ----------
    logits : ndarray, (asked, answers)
        A score for each possible answer at each place that is asked.
    weights : tuple of ndarray, each (batch, heads, n_q, n_k)
        The attention of each layer that is looked at.
    inside : object
        What the network itself has to remember to be pulled back.
    """

    logits: Floats
    weights: tuple[Floats, ...]
    inside: object


class Attended(NamedTuple):
    """What one layer of attention compares and blends.

    Attributes
    ----------
    q, k, v : ndarray, (batch, heads, n_q, d_k), (batch, heads, n_k, d_k) and (batch, heads, n_k, d_v)
        Queries, keys and values.
    """

    q: Floats
    k: Floats
    v: Floats


class Scoring(NamedTuple):
    """How scores become weights, in place of how the network learned it.

    Attributes
    ----------
    mask : ndarray of bool, (n_q, n_k), or None
        True where a query may attend; of a causal network besides its own mask.
    scale : float or None
        Factor of the scores; the network's own if not given.
    temperature : float
        Divides the scores.
    hard : bool
        Whether the best key takes all.
    """

    mask: Bools | None = None
    scale: float | None = None
    temperature: float = 1.0
    hard: bool = False


AS_LEARNED = Scoring()
"""As the network itself does it."""


class Network(ABC):
    """A model whose learned numbers are views of one vector.

    Parameters
    ----------
    parameters : Parameters
        What it computes with, and does not copy.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters

    @abstractmethod
    def __call__(self, batch: Batch, scoring: Scoring = AS_LEARNED) -> NetworkTrace:
        """Answer what a batch asks, with every intermediate.

        Parameters
        ----------
        batch : Batch
            What is asked.
        scoring : Scoring
            What is to be otherwise than it was learned, in every layer.

        Raises
        ------
        ArrayError
            If a token is unknown, a sentence too long, the mask does not fit, or a number leaves the float range.
        """

    @abstractmethod
    def gradient(self, trace: NetworkTrace, d_logits: Floats) -> Gradients:
        """Differentiate by every parameter.

        Parameters
        ----------
        trace : NetworkTrace
            What a call of this network returned.
        d_logits : ndarray, (asked, answers)
            ∂L/∂logits of any number L.

        Returns
        -------
        dict of str to ndarray
            One for each of `parameters`.

        Raises
        ------
        ArrayError
            If a derivative leaves the float range.
        """

    @abstractmethod
    def attended(self, batch: Batch, scoring: Scoring) -> tuple[Attended, ...]:
        """Return what each layer of `NetworkTrace.weights` compares, where all layers attend as is said.

        Raises
        ------
        ArrayError
            As a call; also if mask, scale or temperature do not fit.
        """

    @abstractmethod
    def over(self, parameters: Parameters) -> Self:
        """Return the same network over other parameters of the same names and shapes."""

    @abstractmethod
    def head_rows(self, layer: int, head: int) -> Floats:
        """Return the part of the parameters through which a head speaks; with zeros in it, the head is off.

        Parameters
        ----------
        layer, head : int
            Of `NetworkTrace.weights`.

        Returns
        -------
        ndarray
            A view of the parameters.
        """

    @abstractmethod
    def head_parts(self, layer: int, head: int) -> tuple[Floats, ...]:
        """Return all parameters that are a head's own; see `head_rows`."""


def parts_of_head(parameters: Parameters, prefix: str, head: int, heads: int) -> tuple[Floats, ...]:
    """Return what of an attention's matrices is a head's own: columns of w_q, w_k and w_v, and rows of w_o.

    Parameters
    ----------
    parameters : Parameters
        Of a network.
    prefix : str
        What stands before the names of its matrices.
    head, heads : int
        Which, from 0, of how many.

    Returns
    -------
    tuple of ndarray
        Views, w_o last.
    """
    width = parameters[f"{prefix}w_o"].shape[0] // heads
    own = slice(head * width, (head + 1) * width)
    return *(parameters[f"{prefix}{name}"][:, own] for name in ("w_q", "w_k", "w_v")), parameters[f"{prefix}w_o"][own]


def drawn(numbers: np.random.RandomState, *shape: int) -> Floats:
    """Draw a matrix that keeps the variance of what it takes.

    Parameters
    ----------
    numbers : RandomState
        NumPy's legacy random numbers, whose stream never changes.
    *shape : int
        (d_in, d_out).

    Returns
    -------
    ndarray
        N(0, 1/d_in).

    Notes
    -----
    LeCun et al. 1998, section 4.6.
    """
    return np.asarray(numbers.randn(*shape) * initial_gain(Initialiser.NORMALISED, *shape))


def drawn_attention(numbers: np.random.RandomState, d_model: int) -> dict[str, Floats]:
    """Draw the four matrices of multi-head attention.

    Parameters
    ----------
    numbers : RandomState
        As for `drawn`.
    d_model : int
        Features of a token.

    Returns
    -------
    dict of str to ndarray
        w_q, w_k, w_v, w_o, each (d_model, d_model).
    """
    return {name: drawn(numbers, d_model, d_model) for name in ("w_q", "w_k", "w_v", "w_o")}


def drawn_network(numbers: np.random.RandomState, d_model: int, d_ff: int) -> dict[str, Floats]:
    """Draw a feed-forward network.

    Parameters
    ----------
    numbers : RandomState
        As for `drawn`.
    d_model, d_ff : int
        Features of a token, and hidden units; without hidden units nothing is drawn.

    Returns
    -------
    dict of str to ndarray
        w1, b1, w2, b2, the biases zeros.
    """
    if not d_ff:
        return {}
    w1, w2 = drawn(numbers, d_model, d_ff), drawn(numbers, d_ff, d_model)
    return {"w1": w1, "b1": np.zeros(d_ff), "w2": w2, "b2": np.zeros(d_model)}
