"""What is to be made small: how surprised a model is by the right answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array, one_of_each_row
from attention_explorer.model.learning.exact import Arithmetic, Plain
from attention_explorer.model.learning.network import Tokens
from attention_explorer.model.softmax import largest_of

_PLAIN = Plain()


class CrossEntropy(NamedTuple):
    """The surprise of some answers with its intermediates.

    Attributes
    ----------
    probabilities : ndarray, (..., n)
        softmax(logits).
    targets : ndarray of int, (...)
        The right answers.
    losses : ndarray, (...)
        −log of the probability of each right answer, in nats.
    loss : float
        Their mean.
    """

    probabilities: Floats
    targets: Tokens
    losses: Floats
    loss: float

    @property
    def accuracy(self) -> float:
        """The share of answers that are right, where the most probable counts as the answer; 0 to 1."""
        return float((self.probabilities.argmax(axis=-1) == self.targets).mean())


def cross_entropy(logits: npt.ArrayLike, targets: npt.ArrayLike, arithmetic: Arithmetic = _PLAIN) -> CrossEntropy:
    """Measure answers against the right ones.

    Parameters
    ----------
    logits : array_like, (..., n)
        A score for each of n possible answers; finite.
    targets : array_like of int, (...)
        The right one of each, from 0.
    arithmetic : Arithmetic
        By which exponentials, logarithms and sums are made.

    Returns
    -------
    CrossEntropy
        Of the dtype of the logits; finite for any logits whose gaps are.

    Raises
    ------
    ArrayError
        If a shape does not fit, a target is no answer, there is nothing to measure, or a logit is not finite.

    Notes
    -----
    −log softmax(z)ₜ = log Σ exp(zᵢ − max z) − (zₜ − max z), which keeps its digits where the probability rounds to 1.
    """
    scores = finite_array("logits", logits, "...", "n")
    right = np.asarray(targets)
    if right.dtype.kind not in "iu" or right.shape != scores.shape[:-1]:
        raise ArrayError(
            f"targets of shape {right.shape} and type {right.dtype} must be whole numbers, one for each row of the "
            f"logits of shape {scores.shape}"
        )
    if not right.size or not 0 <= int(right.min()) <= int(right.max()) < scores.shape[-1]:
        raise ArrayError(f"targets of shape {right.shape} must be some, and lie between 0 and {scores.shape[-1] - 1}")
    with np.errstate(over="ignore", under="ignore"):
        gaps = scores - largest_of(scores, scores.ndim - 1)
        exponentials = arithmetic.exp(gaps)
        total = arithmetic.sum(exponentials, -1, 1.0)
        losses = arithmetic.log(total) - one_of_each_row(gaps, right)
        loss = float(arithmetic.sum(losses.reshape(-1), 0)) / losses.size
        return CrossEntropy(exponentials / total[..., None], right, losses, loss)


def cross_entropy_reverse(trace: CrossEntropy) -> Floats:
    """Differentiate the mean surprise by the logits.

    Parameters
    ----------
    trace : CrossEntropy
        What `cross_entropy` returned.

    Returns
    -------
    ndarray, (..., n)
        (softmax(logits) − 1 at the right answer) ÷ the number of answers.

    Notes
    -----
    The derivative of log Σ exp zᵢ − zₜ.
    """
    derivative = trace.probabilities.reshape(-1, trace.probabilities.shape[-1]).copy()
    derivative[np.arange(len(derivative)), trace.targets.ravel()] -= 1.0
    derivative /= len(derivative)
    return derivative.reshape(trace.probabilities.shape)
