"""What depth does to gradients and tokens: the claims about residuals and norms, measured on random stacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.initialisers import StackSetting, random_stack
from attention_explorer.model.layer_stack import EncoderStack, StackTrace
from attention_explorer.model.masks import causal_mask
from attention_explorer.model.scalars import random_seed, size_from

SMALLEST_SQUARED, LARGEST_SQUARED = 1e-150, 1e150
"""Between these the squares of numbers can be summed as they are."""


class DepthSurvey(NamedTuple):
    """Gradient and tokens against depth, for each of several random stacks.

    Attributes
    ----------
    gradient_ratios : ndarray, (draws, layers + 1)
        For the first 0, 1, 2, … layers alone: ‖∂L/∂input‖ / ‖∂L/∂output‖ for a random ∂L/∂output. 1 means that the
        gradient passes as it is.
    token_cosines : ndarray, (draws, layers + 1)
        `mean_token_cosine` of what comes out of them; 1 means that all tokens point the same way.
    token_norms : ndarray, (draws, layers + 1)
        Mean Euclidean norm of the tokens that come out.
    """

    gradient_ratios: Floats
    token_cosines: Floats
    token_norms: Floats

    def medians(self) -> DepthSurvey:
        """Return the median over the draws, each (layers + 1,)."""
        return DepthSurvey(*(np.median(values, axis=0) for values in self))


def survey_depth(
    setting: StackSetting,
    *,
    tokens: SupportsIndex = 10,
    draws: SupportsIndex = 7,
    seed: SupportsIndex = 0,
    causal: bool = False,
    encoding: npt.ArrayLike | None = None,
    report: Callable[[float], None] | None = None,
) -> DepthSurvey:
    """Draw random stacks and measure gradient and tokens at every depth.

    Parameters
    ----------
    setting : StackSetting
        Sizes, initialiser and options of the stacks.
    tokens : int
        Tokens of the sequence, each N(0, 1), at least 2.
    draws : int
        How many stacks, at least 1.
    seed : int
        Of NumPy's legacy random numbers, 0 to 2³² − 1.
    causal : bool
        Whether no token sees a later one.
    encoding : array_like, (tokens, d_model), optional
        Added to the tokens, such as `sinusoidal_encoding`.
    report : callable, optional
        Is told how much is done, 0 to 1, after every depth; what it raises ends the survey.

    Returns
    -------
    DepthSurvey

    Raises
    ------
    ArrayError
        If a number is out of range, or activations or gradients leave the float range.

    Notes
    -----
    The gradient is that of L = Σ G ⊙ output with G ~ N(0, 1), new at every depth: a random cotangent on
    untrained weights, not a training run.
    """
    positions, count = size_from(2, "tokens", tokens), size_from(1, "draws", draws)
    numbers = np.random.RandomState(random_seed(seed))
    mask = causal_mask(positions) if causal else None
    added = 0.0 if encoding is None else _encoding(encoding, (positions, setting.d_model))
    tell = report or (lambda _: None)
    measured: list[DepthSurvey] = []
    for draw in range(count):
        x = numbers.randn(positions, setting.d_model) + added
        stack = random_stack(setting, numbers)
        trace = stack(x, mask=mask)
        ratios = [1.0]
        for depth in range(1, len(stack.layers) + 1):
            ratios.append(_ratio(stack, trace, depth, numbers.randn(*x.shape)))
            tell((draw + depth / len(stack.layers)) / count)
        measured.append(_one_draw(ratios, trace))
    return DepthSurvey(*(np.stack(values) for values in zip(*measured, strict=True)))


def mean_token_cosine(x: npt.ArrayLike) -> float:
    """Say how much the tokens of a sequence point the same way.

    Parameters
    ----------
    x : array_like, (n, d_model)
        At least two tokens.

    Returns
    -------
    float
        The mean cosine of all pairs of different tokens: 1 if all are parallel, about 0 for random ones. A token
        of zeros has cosine 0 with every other.

    Raises
    ------
    ArrayError
        If there are fewer than two tokens or an entry is not finite.
    """
    rows = finite_array("x", x, "n", "d_model")
    if len(rows) < 2:
        raise ArrayError(f"x has shape {rows.shape}: two tokens at least are needed to compare them")
    largest = np.abs(rows).max(axis=-1, keepdims=True, initial=0.0)
    near_one = rows / np.where(largest > 0.0, largest, 1.0)  # squares of 1e-200 would be 0
    norms = np.linalg.norm(near_one, axis=-1, keepdims=True)
    units = near_one / np.where(norms > 0.0, norms, 1.0)
    cosines = units @ units.T
    pairs = len(rows) * (len(rows) - 1)
    return float((cosines.sum() - np.trace(cosines)) / pairs)


def _ratio(stack: EncoderStack, trace: StackTrace, depth: int, d_output: Floats) -> float:
    """Compare the gradient before and behind the first layers of a stack."""
    part = EncoderStack(stack.layers[:depth])
    passed = StackTrace(trace.x, trace.layers[:depth], trace.layers[depth - 1].output)
    d_input = part.reverse(passed, d_output)[0]
    largest = float(np.abs(d_input).max(initial=0.0))
    if largest == 0.0 or SMALLEST_SQUARED < largest < LARGEST_SQUARED:
        return float(np.linalg.norm(d_input) / np.linalg.norm(d_output))
    return largest / float(np.linalg.norm(d_output)) * float(np.linalg.norm(d_input / largest))


def _one_draw(ratios: list[float], trace: StackTrace) -> DepthSurvey:
    """Return what one stack shows, each (layers + 1,)."""
    cosines = [mean_token_cosine(level) for level in trace.levels]
    norms = [np.linalg.norm(level, axis=-1).mean() for level in trace.levels]
    return DepthSurvey(np.array(ratios), np.array(cosines), np.array(norms))


def _encoding(encoding: npt.ArrayLike, shape: tuple[int, int]) -> Floats:
    added = finite_array("encoding", encoding, "tokens", "d_model")
    if added.shape != shape:
        raise ArrayError(f"encoding has shape {added.shape}, but must be (tokens, d_model) = {shape}")
    return added
