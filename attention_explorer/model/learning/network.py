"""What learns: a batch goes in, a trace with a score for each possible answer comes out, and is pulled back again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple, Self, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, boolean_mask
from attention_explorer.model.initialisers import Initialiser, initial_gain
from attention_explorer.model.learning.exact import Arithmetic, Exact, NormalDraws, Plain
from attention_explorer.model.learning.parameters import Parameters
from attention_explorer.model.learning.tape import Looked, Tape, Value
from attention_explorer.model.masks import causal_mask
from attention_explorer.model.scalars import finite_number, positive_temperature

Tokens = npt.NDArray[np.integer[Any]]

Gradients: TypeAlias = dict[str, Floats]
"""∂L by each parameter, under its name and of its shape."""

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

    def in_parts(self, tokens: int) -> list[Batch]:
        """Return the same sentences in batches of about so many tokens."""
        together = max(1, tokens // self.tokens.shape[-1])
        cuts = range(together, len(self.tokens), together)
        tokens_of, targets = np.split(self.tokens, cuts), np.split(self.targets, cuts)
        context = [None] * len(targets) if self.context is None else np.split(self.context, cuts)
        return [Batch(*part) for part in zip(tokens_of, targets, context, strict=True)]

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


class Work:
    """One run of a network through a batch: its tape, its parameters on it, and what was found.

    Parameters
    ----------
    arithmetic : Arithmetic
        By which it is run.
    parameters : Parameters
        Of the network.
    scoring : Scoring
        How scores become weights.
    is_learning : bool
        Whether derivatives will be pulled back.
    """

    def __init__(self, arithmetic: Arithmetic, parameters: Parameters, scoring: Scoring, *, is_learning: bool) -> None:
        self.tape, self.scoring = Tape(arithmetic, is_learning=is_learning), scoring
        row = parameters.vector.astype(np.float64)
        arrays, factors = parameters.parts(row), parameters.parts(arithmetic.factor(row))
        self.values: Mapping[str, Value] = {n: Value(arrays[n], arithmetic, factor=factors[n]) for n in arrays}
        self.looked: list[Looked] = []
        """What each layer of attention that is looked at did."""

    def __getitem__(self, name: str) -> Value:
        """Return a parameter."""
        return self.values[name]

    def attention(
        self,
        q: Value,
        k: Value,
        v: Value,
        heads: int,
        *,
        mask: Bools | None,
        causal: bool,
        scale: float | None,
        hard: bool,
    ) -> Looked:
        """Let queries attend to keys as the network does, where the scoring says nothing else; see `Tape.attention`.

        Raises
        ------
        ArrayError
            If the mask, or scale or temperature of the scoring, do not fit.
        """
        cells = q.array.shape[-2], k.array.shape[-2]
        allowed = None if mask is None else boolean_mask("mask", mask, cells)
        if causal:
            own = causal_mask(*cells)
            allowed = own if allowed is None else own & allowed
        return self.tape.attention(
            *(q, k, v, heads),
            mask=allowed,
            scale=scale if self.scoring.scale is None else finite_number("scale", self.scoring.scale),
            temperature=positive_temperature(self.scoring.temperature),
            hard=hard or self.scoring.hard,
        )


class Network(ABC):
    """A model whose learned numbers are views of one vector.

    With parameters in float32 its arithmetic is `Exact`: the same on every processor, in learning as in what is said
    of it. In float64 it is `Plain`, with all digits.

    Parameters
    ----------
    parameters : Parameters
        What it computes with, and does not copy.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self._widest: int = max(max(array.shape) for array in parameters.arrays.values())

    def arithmetic(self, batch: Batch) -> Arithmetic:
        """Return by which arithmetic a batch is computed."""
        return Plain() if self.parameters.vector.dtype == np.float64 else Exact(self.terms(batch))

    def terms(self, batch: Batch) -> int:
        """Return the longest inner axis of a matrix product: all places of a batch, or all units of a layer."""
        places = max(batch.tokens.size, 0 if batch.context is None else batch.context.size)
        return max(places, self._widest)

    @abstractmethod
    def __call__(self, batch: Batch, scoring: Scoring = AS_LEARNED, *, is_learning: bool = False) -> NetworkTrace:
        """Answer what a batch asks, with every intermediate.

        Parameters
        ----------
        batch : Batch
            What is asked.
        scoring : Scoring
            What is to be otherwise than it was learned, in every layer.
        is_learning : bool
            Whether `gradient` will be asked for, which needs much that is let go of otherwise.

        Raises
        ------
        ArrayError
            If a token is unknown, a sentence too long, the mask does not fit, or a number leaves the float range.
        """

    def gradient(self, trace: NetworkTrace, d_logits: Floats) -> Gradients:
        """Differentiate by every parameter.

        Parameters
        ----------
        trace : NetworkTrace
            What a call of this network returned that was told so; it can be pulled back once.
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
        work, logits = cast("tuple[Work, Value]", trace.inside)
        work.tape.pull(logits, d_logits.astype(np.float64, copy=False))
        found = {name: (value.array, value.derivative) for name, value in work.values.items()}
        return {name: np.zeros_like(array) if by is None else by for name, (array, by) in found.items()}

    def attended(self, batch: Batch, scoring: Scoring) -> tuple[Looked, ...]:
        """Return what each layer of `NetworkTrace.weights` compares and finds, where all layers attend as is said.

        Raises
        ------
        ArrayError
            As a call; also if mask, scale or temperature do not fit.
        """
        work, _ = cast("tuple[Work, Value]", self(batch, scoring).inside)
        return tuple(work.looked)

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


def embedded(work: Work, prefix: str, tokens: Tokens) -> Value:
    """Look up the vectors of tokens, and add those of their places if there are any.

    Parameters
    ----------
    work : Work
        With prefix + w_e, (vocabulary, d_model), and maybe prefix + w_p, (places, d_model).
    prefix : str
        What stands before the names of its tables.
    tokens : ndarray of int, (batch, n)
        Rows of w_e.

    Returns
    -------
    Value, (batch, n, d_model)

    Raises
    ------
    ArrayError
        If a token is not in the table, or there are more than it has places.

    Notes
    -----
    Vaswani et al. 2017, sections 3.4 and 3.5 (positions that are learned), without the factor √d_model.
    """
    table, places = work[f"{prefix}w_e"], work.values.get(f"{prefix}w_p")
    if tokens.dtype.kind not in "iu":
        raise ArrayError(f"tokens of shape {tokens.shape} must be whole numbers, not {tokens.dtype}")
    if tokens.size and not 0 <= int(tokens.min()) <= int(tokens.max()) < len(table.array):
        raise ArrayError(f"tokens of shape {tokens.shape} must lie between 0 and {len(table.array) - 1}")
    if places is not None and tokens.shape[-1] > len(places.array):
        raise ArrayError(f"there are {tokens.shape[-1]} tokens, but positions for {len(places.array)} only")
    return work.tape.embed(table, tokens, places)


def read_out(work: Work, x: Value) -> NetworkTrace:
    """Make the scores of the answers.

    Parameters
    ----------
    work : Work
        With w_out, (d_model, answers), and b_out.
    x : Value, (asked, d_model)
        What stands at the places that are asked.

    Returns
    -------
    NetworkTrace

    Raises
    ------
    ArrayError
        If a score leaves the float range.
    """
    logits = work.tape.linear(x, work["w_out"], work["b_out"])
    return NetworkTrace(logits.array, tuple(layer.weights for layer in work.looked), (work, logits))


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


def drawn(numbers: NormalDraws, *shape: int) -> Floats:
    """Draw a matrix that keeps the variance of what it takes.

    Parameters
    ----------
    numbers : NormalDraws
        Random numbers.
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


def drawn_attention(numbers: NormalDraws, d_model: int) -> dict[str, Floats]:
    """Draw the four matrices of multi-head attention.

    Parameters
    ----------
    numbers : NormalDraws
        As for `drawn`.
    d_model : int
        Features of a token.

    Returns
    -------
    dict of str to ndarray
        w_q, w_k, w_v, w_o, each (d_model, d_model).
    """
    return {name: drawn(numbers, d_model, d_model) for name in ("w_q", "w_k", "w_v", "w_o")}


def drawn_network(numbers: NormalDraws, d_model: int, d_ff: int) -> dict[str, Floats]:
    """Draw a feed-forward network.

    Parameters
    ----------
    numbers : NormalDraws
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
