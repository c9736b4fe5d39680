"""A network's steps as they are made, each with what pulls a derivative back through it.

`model/` has the same formulas with every intermediate and every check, for those who look at them; tests hold the two
against each other. Here they are written for learning: in an arithmetic that is chosen, and forward beside backward.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.head_axis import apart, side_by_side
from attention_explorer.model.learning.exact import Arithmetic
from attention_explorer.model.softmax import largest_of, one_hot


class Value:
    """An array on a tape, and the derivative by it once that is known.

    Parameters
    ----------
    array : ndarray
        float64.
    arithmetic : Arithmetic
        By which it becomes a factor of products.
    bound : float, optional
        What no entry exceeds, where that is known.
    factor : ndarray, optional
        The array as a factor of products, where that is known.

    Attributes
    ----------
    derivative : ndarray or None
        ∂L/∂array, of its shape; None as long as nothing of L was found to depend on it, and once it was pulled back
        to what the array was made of.
    """

    __slots__ = ("_arithmetic", "_bound", "_factor", "array", "derivative")

    def __init__(
        self, array: Floats, arithmetic: Arithmetic, bound: float | None = None, factor: Floats | None = None
    ) -> None:
        self.array = array
        self.derivative: Floats | None = None
        self._arithmetic, self._bound, self._factor = arithmetic, bound, factor

    @property
    def factor(self) -> Floats:
        """The array as a factor of a matrix product; rounded once for all of them."""
        if self._factor is None:
            self._factor = self._arithmetic.factor(self.array, self._bound)
        return self._factor

    def depends(self, derivative: Floats) -> None:
        """Add to the derivative what came back along one more way."""
        self.derivative = derivative if self.derivative is None else self.derivative + derivative


class Looked(NamedTuple):
    """What attention compared, how it weighed, and what it found.

    Attributes
    ----------
    q, k, v : ndarray, (batch, heads, n_q, d_k), (batch, heads, n_k, d_k) and (batch, heads, n_k, d_v)
        Queries, keys and values of each head.
    weights : ndarray, (batch, heads, n_q, n_k)
        Each row sums to 1, or is zero throughout if all its keys are hidden.
    output : Value, (batch, n_q, heads·d_v)
        The means of the values, the heads side by side.
    """

    q: Floats
    k: Floats
    v: Floats
    weights: Floats
    output: Value


class Tape:
    """Steps of a network in the order in which they are made.

    Parameters
    ----------
    arithmetic : Arithmetic
        By which all of them are made.
    is_learning : bool
        Whether derivatives will be pulled back; if not, nothing is kept of a step but what is made of it.
    """

    def __init__(self, arithmetic: Arithmetic, *, is_learning: bool) -> None:
        self.arithmetic, self._is_learning = arithmetic, is_learning
        self._back: list[Callable[[], None]] = []

    def value(self, array: Floats, bound: float | None = None) -> Value:
        """Put an array on the tape, in float64."""
        return Value(array.astype(np.float64, copy=False), self.arithmetic, bound)

    def pull(self, output: Value, derivative: Floats) -> None:
        """Find the derivative by every value that an output was made of, by the chain rule.

        Parameters
        ----------
        output : Value
            On this tape.
        derivative : ndarray, the shape of `output`
            ∂L/∂output of any number L.
        """
        output.depends(derivative)
        while self._back:
            self._back.pop()()  # and what it needed is let go of

    def linear(self, x: Value, w: Value, b: Value | None = None) -> Value:
        """Return x w + b: (…, d_in) by (d_in, d_out), and (d_out,) added to each row.

        Its derivative d leads to ∂L/∂x = d wᵀ, ∂L/∂w = xᵀ d and ∂L/∂b = Σ d over the rows.
        """
        times = self.arithmetic.product
        rows = x.factor.reshape(-1, x.array.shape[-1])
        product = times(rows, w.factor)  # (rows, d_in) @ (d_in, d_out): (rows, d_out)
        if b is not None:
            product += b.array
        made = self.value(product.reshape(*x.array.shape[:-1], w.array.shape[1]))

        def back(derivative: Floats) -> None:
            d = self.arithmetic.factor(derivative.reshape(-1, derivative.shape[-1]))
            x.depends(times(d, w.factor.T).reshape(x.array.shape))
            w.depends(times(rows.T, d))
            if b is not None:
                b.depends(times(np.ones(len(d)), d))

        return self._made(made, back)

    def add(self, x: Value, y: Value) -> Value:
        """Return x + y."""

        def back(derivative: Floats) -> None:
            x.depends(derivative)
            y.depends(derivative)

        return self._made(self.value(x.array + y.array), back)

    def relu(self, x: Value) -> Value:
        """Return max(x, 0), whose slope at 0 counts as 0."""

        def back(derivative: Floats) -> None:
            x.depends(derivative * (x.array > 0.0))

        return self._made(self.value(np.maximum(x.array, 0.0)), back)

    def embed(self, table: Value, tokens: np.ndarray, places: Value | None = None) -> Value:
        """Return the row of a table for each token, and add that of its place: (batch, n, d_model).

        With H, 1 where a row was taken for a token and 0 elsewhere, it is H table, so that ∂L/∂table = Hᵀ ∂L/∂output.
        """
        rows = table.array.take(tokens, axis=0)
        if places is not None:
            rows += places.array[: tokens.shape[-1]]

        def back(derivative: Floats) -> None:
            d, times = self.arithmetic.factor(derivative), self.arithmetic.product
            taken = (np.arange(len(table.array))[:, None] == tokens.ravel()).astype(np.float64)
            table.depends(times(taken, d.reshape(-1, d.shape[-1])))
            if places is not None:
                by_places = np.zeros_like(places.array)
                by_places[: tokens.shape[-1]] = times(np.ones(len(d)), d.reshape(len(d), -1)).reshape(d.shape[1:])
                places.depends(by_places)

        return self._made(self.value(rows), back)

    def rows(self, x: Value, places: np.ndarray) -> Value:
        """Return the rows of all sentences that stand at some places, ascending, none twice: (places, d_model)."""
        flat = x.array.reshape(-1, x.array.shape[-1])
        if len(places) == len(flat):
            return self._made(self.value(flat), lambda derivative: x.depends(derivative.reshape(x.array.shape)))

        def back(derivative: Floats) -> None:
            by_x = np.zeros_like(flat)
            by_x[places] = derivative
            x.depends(by_x.reshape(x.array.shape))

        return self._made(self.value(flat.take(places, axis=0)), back)

    def norm(self, x: Value, gain: Value, bias: Value, eps: float = 1e-5) -> Value:
        """Return layer norm: gain ⊙ (x − mean)/√(variance + eps) + bias. Ba, Kiros & Hinton 2016, eq. 4.

        With y for the quotient, ∂L/∂y less its mean and less y times the mean of y ⊙ ∂L/∂y, over the root, is ∂L/∂x.
        """
        width, arithmetic = x.array.shape[-1], self.arithmetic

        def mean(rows: Floats) -> Floats:
            return np.asarray(arithmetic.sum(rows, -1)[..., None] / width)

        centred = x.array - mean(x.array)
        root = np.sqrt(mean(centred * centred) + eps)
        y = centred / root

        def back(derivative: Floats) -> None:
            gain.depends(arithmetic.sum((derivative * y).reshape(-1, width), 0))
            bias.depends(arithmetic.sum(derivative.reshape(-1, width), 0))
            by_y = derivative * gain.array
            x.depends((by_y - mean(by_y) - y * mean(by_y * y)) / root)

        return self._made(self.value(y * gain.array + bias.array), back)

    def attention(
        self,
        q: Value,
        k: Value,
        v: Value,
        heads: int,
        *,
        mask: Bools | None = None,
        scale: float | None = None,
        temperature: float = 1.0,
        hard: bool = False,
    ) -> Looked:
        """Return softmax(Q Kᵀ · scale / temperature) V of each head: Vaswani et al. 2017, eq. 1 and section 3.2.2.

        Its derivative D leads to ∂L/∂V = Aᵀ D, ∂L/∂A = D Vᵀ, ∂L/∂S = A ⊙ (∂L/∂A − its mean under A), and with the
        factor of the scores to ∂L/∂Q = ∂L/∂S K and ∂L/∂K = ∂L/∂Sᵀ Q. Through a hard lookup nothing goes to Q and K.
        """
        each_q, each_k, each_v = (apart(part.factor, heads) for part in (q, k, v))
        factor = 1.0 / math.sqrt(each_q.shape[-1]) if scale is None else scale
        times = self.arithmetic.product
        scores = times(each_q, each_k.swapaxes(-1, -2))  # (…, n_q, d_k) @ (…, d_k, n_k): (…, n_q, n_k)
        scores *= factor
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        weights = self.value(one_hot(scores, scores.ndim - 1) if hard else self._softmax(scores, temperature), 1.0)
        output = self.value(side_by_side(times(weights.factor, each_v)))

        def back(derivative: Floats) -> None:
            d = apart(self.arithmetic.factor(derivative), heads)
            v.depends(side_by_side(times(weights.factor.swapaxes(-1, -2), d)))
            if not hard:
                by_weights = times(d, each_v.swapaxes(-1, -2))
                mean = self.arithmetic.sum(weights.array * by_weights, -1)[..., None]
                by_scores = self.arithmetic.factor(weights.array * (by_weights - mean) * (factor / temperature))
                q.depends(side_by_side(times(by_scores, each_k)))
                k.depends(side_by_side(times(by_scores.swapaxes(-1, -2), each_q)))

        compared = apart(q.array, heads), apart(k.array, heads)
        return Looked(*compared, apart(v.array, heads), weights.array, self._made(output, back))

    def _softmax(self, scores: Floats, temperature: float) -> Floats:
        """Return exp(s/T) / Σ exp(s/T) along the last axis; zeros where all scores are −inf."""
        gaps = scores - largest_of(scores, scores.ndim - 1)
        if temperature != 1.0:
            with np.errstate(over="ignore"):  # a gap beyond the range has the exponential 0
                gaps /= temperature
        exponentials = self.arithmetic.exp(gaps)
        # The largest has the exponential 1: a sum below 1 means that nothing was visible.
        exponentials /= np.maximum(self.arithmetic.sum(exponentials, -1, 1.0), 1.0)[..., None]
        return exponentials

    def _made(self, value: Value, back: Callable[[Floats], None]) -> Value:
        """Write down what pulls a derivative by a value back to what it was made of."""

        def step() -> None:
            derivative, value.derivative = value.derivative, None
            if derivative is not None:
                back(derivative)

        if self._is_learning:
            self._back.append(step)
        return value
