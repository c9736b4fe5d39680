"""What a person can change on the Scaling page: how scores are drawn, and the softmax bench."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

import numpy as np

from attention_explorer.fields import CheckedFields
from attention_explorer.model.initialisers import Initialiser
from attention_explorer.model.score_draws import EntryDistribution, ScoreSetting, ScoreSource

LARGEST_D_K, LARGEST_D_MODEL = 512, 1024
MOST_KEYS = 64
MOST_DRAWS = 100_000
LARGEST_GAIN = 10.0
MOST_BENCH_KEYS, MOST_BENCH_ROWS = 8, 6
LARGEST_SCORE = 2000.0
LEAST_FACTOR, LARGEST_FACTOR = 0.01, 1000.0

BenchRows = tuple[tuple[float, ...], ...]


class ScalingPicture(StrEnum):
    """What the page shows."""

    SCORES = "scores"
    GROWTH = "against d_k"
    BENCH = "softmax bench"


class GainRule(StrEnum):
    """What decides σ_w, the standard deviation of the entries of W_q and W_k."""

    NUMBER = "number"
    NORMALISED = "1/√d_model"
    HE = "√(2/d_model)"


class Precision(StrEnum):
    """The type of float that a softmax is computed in."""

    HALF = "float16"
    SINGLE = "float32"
    DOUBLE = "float64"

    @property
    def exp_limit(self) -> float:
        """The largest score whose exponential is finite: 11.09, 88.72 or 709.78."""
        return float(np.log(np.float64(np.finfo(self.value).max)))


@dataclass(frozen=True, slots=True)
class BenchState(CheckedFields):
    """The softmax bench: a few rows of scores, one of them looked at closely, and how they are turned into weights."""

    rows: BenchRows = ((2.0, 1.0, 0.0, -1.0),)
    row: int = 0
    key: int = 0
    """The key that the arrow keys move."""
    factor: float = 1.0
    """What all scores are multiplied by."""
    shift: float = 0.0
    """What is added to every score of the row that is looked at."""
    precision: Precision = Precision.DOUBLE
    subtract_max: bool = True
    over_queries: bool = False
    """Whether weights are normalised along the wrong axis: down the columns, over the queries."""

    @property
    def row_shown(self) -> int:
        """The row wished for, or the last there is."""
        return min(self.row, len(self.rows) - 1)

    @property
    def key_shown(self) -> int:
        """The key wished for, or the last there is."""
        return min(self.key, len(self.rows[0]) - 1)

    def scores(self) -> np.typing.NDArray[np.float64]:
        """Return what goes into the softmax, (rows, keys): multiplied, and the row that is looked at shifted."""
        scores = np.asarray(self.rows, np.float64) * self.factor
        scores[self.row_shown] += self.shift
        return scores

    def with_score(self, key: int, score: float) -> Self:
        """Return the state with what goes into the softmax for a key of the row changed, held within its range."""
        own = min(max((score - self.shift) / self.factor, -LARGEST_SCORE), LARGEST_SCORE)
        row = list(self.rows[self.row_shown])
        row[key] = float(f"{own:.6g}")
        rows = list(self.rows)
        rows[self.row_shown] = tuple(row)
        return replace(self, rows=tuple(rows), key=key)


@dataclass(frozen=True, slots=True)
class ScalingState(CheckedFields):
    """The Scaling page."""

    picture: ScalingPicture = ScalingPicture.SCORES
    source: ScoreSource = ScoreSource.DIRECT
    distribution: EntryDistribution = EntryDistribution.NORMAL
    d_k: int = 64
    d_model: int = 64
    follows: bool = False
    """Whether d_model is whatever d_k is."""
    rule: GainRule = GainRule.NUMBER
    gain: float = 0.3
    keys: int = 6
    draws: int = 4000
    seed: int = 42
    scaled: bool = True
    """Which of the two the page speaks of, and draws the darker: scores divided by √d_k, or not."""
    shared_axis: bool = True
    """Whether raw and scaled scores are drawn over the same axis."""
    axis_d_k: int = 0
    """The d_k whose scores the axes have room for, held while d_k moves; 0 is the one on show."""
    bench: BenchState = field(default_factory=BenchState)
    preset: str = "variance"

    @property
    def d_model_shown(self) -> int:
        """The d_model in effect."""
        return self.d_model_at(self.d_k)

    def d_model_at(self, d_k: int) -> int:
        """Return the d_model that goes with a d_k; with Q = K = X they are one."""
        return d_k if self.follows or self.source is ScoreSource.EMBEDDINGS else self.d_model

    def setting_at(self, d_k: int) -> ScoreSetting:
        """Return what is drawn for a d_k."""
        gains: dict[GainRule, Initialiser | float] = {
            GainRule.NUMBER: self.gain,
            GainRule.NORMALISED: Initialiser.NORMALISED,
            GainRule.HE: Initialiser.HE,
        }
        return ScoreSetting(self.source, d_k, self.d_model_at(d_k), gains[self.rule], self.keys, self.distribution)

    @property
    def setting(self) -> ScoreSetting:
        """What is drawn."""
        return self.setting_at(self.d_k)

    def with_d_k(self, d_k: int) -> Self:
        """Return the state with another d_k; the axes of the histograms stay as they are, for comparison."""
        held = self.axis_d_k or self.d_k
        return replace(self, d_k=d_k, axis_d_k=held if self.picture is ScalingPicture.SCORES else self.axis_d_k)
