"""Random scores q·k, drawn in every way the tutorials draw them, and the standard deviation theory gives them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import SupportsIndex

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.arrays import Floats
from attention_explorer.model.initialisers import Initialiser, initial_gain
from attention_explorer.model.scalars import random_seed, size, size_from

MOST_SCORES = 2**25
"""So many scores are kept at most: a quarter of a gibibyte."""

# So many random numbers are drawn in one go: 16 MiB, a few hundredths of a second.
_BATCH = 2**21


class ScoreSource(StrEnum):
    """What queries and keys are made of."""

    DIRECT = "drawn"
    """Every query and every key is drawn by itself, d_k numbers each; one query a draw."""

    PROJECTED = "projected"
    """Tokens of d_model numbers are drawn, and W_q and W_k that project them: self-attention of every draw."""

    EMBEDDINGS = "embeddings"
    """Tokens of d_k numbers are drawn, and Q = K = X."""


class EntryDistribution(StrEnum):
    """Where the numbers come from; mean 0 and variance 1 in every case."""

    NORMAL = "normal"
    UNIFORM = "uniform"
    """Between −√3 and √3."""
    LAPLACE = "laplace"
    """Density exp(−√2 |x|) / √2."""
    SIGNS = "signs"
    """−1 or 1."""

    @property
    def kurtosis(self) -> float:
        """E x⁴."""
        return _KURTOSES[self]


_KURTOSES = {
    EntryDistribution.NORMAL: 3.0,
    EntryDistribution.UNIFORM: 1.8,
    EntryDistribution.LAPLACE: 6.0,
    EntryDistribution.SIGNS: 1.0,
}


@dataclass(frozen=True, slots=True)
class ScoreSetting(CheckedFields):
    """All that decides random scores but the random numbers.

    Attributes
    ----------
    source : ScoreSource
        What queries and keys are made of.
    d_k : int
        Features of a query and of a key, at least 1.
    d_model : int
        Features of a token; matters if projected.
    gain : Initialiser or float
        σ_w, the standard deviation of the entries of W_q and W_k, or its rule; matters if projected.
    keys : int
        Keys of every query, at least 1; as many tokens as that.
    distribution : EntryDistribution
        Of every number that is drawn.
    """

    source: ScoreSource = ScoreSource.DIRECT
    d_k: int = 64
    d_model: int = 64
    gain: Initialiser | float = 0.3
    keys: int = 6
    distribution: EntryDistribution = EntryDistribution.NORMAL
    _refusal = ArrayError

    @property
    def gain_number(self) -> float:
        """σ_w."""
        return initial_gain(self.gain, self.d_model, self.d_k)

    @property
    def rows_of_a_draw(self) -> int:
        """How many queries every draw has."""
        return 1 if self.source is ScoreSource.DIRECT else self.keys

    @property
    def features_drawn(self) -> int:
        """How many rows of W_q and of W_k are drawn: d_model, or as many as there are keys where that is enough."""
        return min(self.keys, self.d_model) if self.distribution is EntryDistribution.NORMAL else self.d_model

    @property
    def numbers_of_a_draw(self) -> int:
        """How many random numbers one draw takes."""
        if self.source is ScoreSource.PROJECTED:
            return self.keys * self.d_model + 2 * self.features_drawn * self.d_k
        return self.d_k * (self.keys + (1 if self.source is ScoreSource.DIRECT else 0))

    def predicted_std(self, scaled: bool) -> float:
        """Predict the standard deviation of all scores.

        Parameters
        ----------
        scaled : bool
            Of the scores divided by √d_k, or of the raw products.

        Returns
        -------
        float
            Exact, a token's score with itself included.

        Notes
        -----
        All entries have mean 0, variance 1 and fourth moment κ. For independent q and k Var(q·k) = d_k.
        Projected, each of the d_k products has, given the tokens, variance σ_w⁴ ‖x_i‖² ‖x_j‖² and no two are
        correlated; E‖x‖⁴ = d_model² + (κ − 1) d_model, so over n keys, of which one is the token itself,
        Var = d_k σ_w⁴ (d_model² + (κ − 1) d_model / n). With Q = K = X the score with itself has the mean d_k
        and the second moment d_k² + (κ − 1) d_k, all others mean 0 and variance d_k.
        """
        n, extra = self.keys, self.distribution.kurtosis - 1.0
        if self.source is ScoreSource.DIRECT:
            variance = float(self.d_k)
        elif self.source is ScoreSource.PROJECTED:
            variance = self.d_k * self.gain_number**4 * (self.d_model**2 + extra * self.d_model / n)
        else:
            own = self.d_k**2 + extra * self.d_k
            variance = ((n - 1) * self.d_k + own) / n - (self.d_k / n) ** 2
        return math.sqrt(variance / self.d_k if scaled else variance)


def draw_scores(
    setting: ScoreSetting,
    draws: SupportsIndex,
    seed: SupportsIndex = 0,
    report: Callable[[float], None] | None = None,
) -> Floats:
    """Draw raw scores.

    Parameters
    ----------
    setting : ScoreSetting
        What to draw.
    draws : int
        How many times, at least 1.
    seed : int
        0 to 2³² − 1. The same for one version of NumPy.
    report : callable, optional
        Is told how much is done, 0 to 1, after every batch; what it raises ends the drawing.

    Returns
    -------
    ndarray, (draws, rows, keys)
        float64 products q·k, not scaled. One row if drawn directly, else as many rows as keys.

    Raises
    ------
    ArrayError
        If a number is out of range, an option unknown, or more than `MOST_SCORES` scores would be kept.

    Notes
    -----
    n tokens span n of d_model dimensions at most: X = L Pᵀ with L (n, n) and the columns of P orthonormal. X W is
    L (Pᵀ W), and if the entries of W are normal and independent, so are those of Pᵀ W. Those n rows are then drawn
    instead of the d_model of W, which is the same in distribution and at d_model = 512 some fifty times as fast.
    """
    count = _checked(setting, size("draws", draws))
    numbers = np.random.default_rng(random_seed(seed))  # four times as fast as the legacy numbers
    at_once = max(1, _BATCH // setting.numbers_of_a_draw)
    scores = np.empty((count, setting.rows_of_a_draw, setting.keys))
    for start in range(0, count, at_once):
        part = scores[start : start + at_once]
        part[:] = _batch(setting, len(part), numbers)
        if report is not None:
            report((start + len(part)) / count)
    return scores


def _batch(setting: ScoreSetting, draws: int, numbers: np.random.Generator) -> Floats:
    """Draw some scores: (draws, rows, keys)."""
    keys, d_k, d_model = setting.keys, setting.d_k, setting.d_model
    if setting.source is ScoreSource.DIRECT:
        q = _entries(setting, (draws, 1, d_k), numbers)
        k = _entries(setting, (draws, keys, d_k), numbers)
    elif setting.source is ScoreSource.PROJECTED:
        x = _entries(setting, (draws, keys, d_model), numbers)
        rows = setting.features_drawn
        if rows < d_model:
            x = np.asarray(np.linalg.qr(x.swapaxes(-1, -2), mode="r")).swapaxes(-1, -2)  # L, (draws, keys, keys)
        q, k = (x @ (_entries(setting, (draws, rows, d_k), numbers) * setting.gain_number) for _ in range(2))
    else:
        q = k = _entries(setting, (draws, keys, d_k), numbers)
    scores: Floats = q @ k.swapaxes(-1, -2)  # (draws, rows, d_k) @ (draws, d_k, keys)
    return scores


def _entries(setting: ScoreSetting, shape: tuple[int, ...], numbers: np.random.Generator) -> Floats:
    match setting.distribution:
        case EntryDistribution.UNIFORM:
            return numbers.uniform(-math.sqrt(3.0), math.sqrt(3.0), shape)
        case EntryDistribution.LAPLACE:
            return numbers.laplace(0.0, math.sqrt(0.5), shape)
        case EntryDistribution.SIGNS:
            return 2.0 * numbers.integers(0, 2, shape) - 1.0
        case _:
            return numbers.standard_normal(shape)


def _checked(setting: ScoreSetting, draws: int) -> int:
    """Refuse a setting that cannot be drawn; return the number of draws."""
    for name, value in (("draws", draws), ("d_k", setting.d_k), ("d_model", setting.d_model), ("keys", setting.keys)):
        size_from(1, name, value)
    if not 0.0 <= setting.gain_number <= 1e30:
        raise ArrayError(f"gain must lie between 0 and 1e30, not {setting.gain!r}")
    scores = draws * setting.rows_of_a_draw * setting.keys
    if scores > MOST_SCORES:
        raise ArrayError(f"{draws} draws make {scores} scores, more than {MOST_SCORES}: choose fewer draws or keys")
    return draws
