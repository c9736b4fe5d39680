"""What many random rows of scores do to the softmax: how sharp it is, and how much gradient it lets through."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.scalars import finite_number
from attention_explorer.model.score_draws import ScoreSetting, ScoreSource, draw_scores
from attention_explorer.model.softmax import entropy_of, exponential_weights
from attention_explorer.model.softmax_slope import softmax_gradient_norm


class ScoreStatistics(NamedTuple):
    """What rows of scores and their weights are like.

    Attributes
    ----------
    rows, keys : int
        How many rows, and how many scores in each.
    mean, std : float
        Of all scores.
    mean_max_weight : float
        Mean of the largest weight of a row: 1/keys if uniform, 1 if one key takes all.
    saturated_share : float
        Share of rows whose largest weight is above the threshold, 0 to 1.
    mean_entropy : float
        Mean entropy of a row, in nats, 0 to ln keys.
    relative_entropy : float
        The same divided by ln keys, 0 to 1; 0 for a single key.
    mean_gradient_norm : float
        Mean Frobenius norm of the Jacobian ∂weights/∂scores of a row.
    median_slope : float
        Median of p (1 − p) for the largest weight p of a row: how it answers to its own score.
    """

    rows: int
    keys: int
    mean: float
    std: float
    mean_max_weight: float
    saturated_share: float
    mean_entropy: float
    relative_entropy: float
    mean_gradient_norm: float
    median_slope: float


class ScoreSample(NamedTuple):
    """The same random scores, raw and scaled.

    Attributes
    ----------
    setting : ScoreSetting
        What was drawn.
    raw_scores : ndarray, (draws, rows, keys)
        The products q·k; divided by √d_k they are the scaled scores.
    raw, scaled : ScoreStatistics
        Of the products, and of the products divided by √d_k.
    raw_self_weight, scaled_self_weight : float or None
        Mean weight that a token gives itself; None if queries and keys are drawn directly.
    """

    setting: ScoreSetting
    raw_scores: Floats
    raw: ScoreStatistics
    scaled: ScoreStatistics
    raw_self_weight: float | None
    scaled_self_weight: float | None

    @property
    def scaled_scores(self) -> Floats:
        """The scores divided by √d_k, (draws, rows, keys)."""
        return self.raw_scores / math.sqrt(self.setting.d_k)


def score_sample(
    setting: ScoreSetting,
    draws: SupportsIndex,
    seed: SupportsIndex = 0,
    *,
    saturated_above: float = 0.99,
    report: Callable[[float], None] | None = None,
) -> ScoreSample:
    """Draw scores and measure them, raw and scaled.

    Parameters
    ----------
    setting, draws, seed, report
        As for `draw_scores`.
    saturated_above : float
        The largest weight above which a row counts as saturated, 0 to 1.

    Returns
    -------
    ScoreSample

    Raises
    ------
    ArrayError
        As for `draw_scores` and `score_statistics`.
    """
    raw = draw_scores(setting, draws, seed, report)
    scaled = raw / math.sqrt(setting.d_k)
    own = setting.source is not ScoreSource.DIRECT
    return ScoreSample(
        setting,
        raw,
        score_statistics(raw, saturated_above),
        score_statistics(scaled, saturated_above),
        _self_weight(raw) if own else None,
        _self_weight(scaled) if own else None,
    )


def score_statistics(scores: npt.ArrayLike, saturated_above: float = 0.99) -> ScoreStatistics:
    """Measure rows of scores and the weights they make.

    Parameters
    ----------
    scores : array_like, (..., keys)
        Finite numbers, at least one row of at least one score.
    saturated_above : float
        The largest weight above which a row counts as saturated, 0 to 1.

    Returns
    -------
    ScoreStatistics

    Raises
    ------
    ArrayError
        If a score is not finite, there is none, or the threshold is outside 0 to 1.
    """
    logits = finite_array("scores", scores, "...", "keys")
    threshold = finite_number("saturated_above", saturated_above)
    if logits.size == 0:
        raise ArrayError(f"scores has shape {logits.shape}: there is nothing to measure")
    if not 0.0 <= threshold <= 1.0:
        raise ArrayError(f"saturated_above must lie between 0 and 1, not {saturated_above!r}")
    keys = logits.shape[-1]
    rows = logits.reshape(-1, keys)
    weights = exponential_weights(rows, 1, 1.0)
    largest = weights.max(axis=1)
    mean_entropy = float(entropy_of(weights, 1).mean())
    return ScoreStatistics(
        rows=len(rows),
        keys=keys,
        mean=float(rows.mean()),
        std=float(rows.std()),
        mean_max_weight=float(largest.mean()),
        saturated_share=float(np.mean(largest > threshold)),
        mean_entropy=mean_entropy,
        relative_entropy=mean_entropy / math.log(keys) if keys > 1 else 0.0,
        mean_gradient_norm=float(softmax_gradient_norm(rows).mean()),
        median_slope=float(np.median(_slope_of_largest(weights))),
    )


def tail_share(scores: npt.ArrayLike, beyond: float) -> float:
    """Return the share of scores that lie more than so far from 0.

    Parameters
    ----------
    scores : array_like, any shape
        Finite numbers, at least one.
    beyond : float
        The distance, at least 0; `normal_tail` is what to expect.

    Returns
    -------
    float
        0 to 1.

    Raises
    ------
    ArrayError
        If a score is not finite, there is none, or the distance is negative.
    """
    numbers, distance = finite_array("scores", scores, "..."), finite_number("beyond", beyond)
    if numbers.size == 0:
        raise ArrayError(f"scores has shape {numbers.shape}: there is nothing to measure")
    if distance < 0.0:
        raise ArrayError(f"beyond must be at least 0, not {beyond!r}")
    return float(np.mean(np.abs(numbers) > distance))


def _slope_of_largest(weights: Floats) -> Floats:
    """Compute p (1 − p) of the largest weight of each row, 1 − p as the sum of the others: (rows,)."""
    ordered = np.sort(weights, axis=1)
    return np.asarray(ordered[:, -1] * ordered[:, :-1].sum(axis=1))


def _self_weight(scores: Floats) -> float:
    """Average the weights on the diagonal of (draws, n, n) scores."""
    return float(np.diagonal(exponential_weights(scores, 2, 1.0), axis1=1, axis2=2).mean())
