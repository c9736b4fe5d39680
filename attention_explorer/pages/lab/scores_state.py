"""What a person can change of the pictures of scores: how scores are drawn, and the softmax bench."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

import numpy as np

from attention_explorer.core.declared import Kind, declared, derived
from attention_explorer.fields import CheckedFields
from attention_explorer.model.initialisers import Initialiser
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.model.score_draws import EntryDistribution, ScoreSetting, ScoreSource
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.preset_lists import preset_declared

LARGEST_D_K, LARGEST_D_MODEL = 512, 1024
MOST_KEYS = 64
MOST_DRAWS = 100_000
LARGEST_GAIN = 10.0
MOST_BENCH_KEYS, MOST_BENCH_ROWS = 8, 6
LARGEST_SCORE = 2000.0
LEAST_FACTOR, LARGEST_FACTOR = 0.01, 1000.0

_FACTORS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 1.5, 2, 3, 5, 7, 10, 20, 50, 100, 200, 500, 1000)
_WIDTHS = tuple(sorted({round(2 ** (step / 8)) for step in range(73)}))
"""Of a head: evenly spread where each doubling counts the same."""

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


@dataclass(frozen=True, slots=True)
class BenchState(CheckedFields):
    """The softmax bench: a few rows of scores, one of them looked at closely, and how they are turned into weights."""

    rows: BenchRows = declared(
        ((2.0, 1.0, 0.0, -1.0),),
        "scores",
        "Scores of a query with commas between them; a semicolon begins another query:\n2, 1, 0; 0, 3, 1",
        "Type scores",
        kind=Kind.LIST,
        low=-LARGEST_SCORE,
        high=LARGEST_SCORE,
        fewest=1,
        most=MOST_BENCH_ROWS,
    )
    row: int = declared(
        0, "row", "The row that is looked at closely", "Look at another row", high=MOST_BENCH_ROWS - 1, is_view=True
    )
    key: int = declared(
        0, "key", "The key that the arrow keys move", "Choose another key", high=MOST_BENCH_KEYS - 1, is_view=True
    )
    factor: float = declared(
        1.0,
        "×",
        "What all scores are multiplied by: the larger, the sharper, until exp overflows",
        "Move the factor",
        low=LEAST_FACTOR,
        high=LARGEST_FACTOR,
        stops=_FACTORS,
    )
    shift: float = declared(
        0.0,
        "add",
        "A constant that is added to every score of the chosen row",
        "Move the constant",
        low=-1000.0,
        high=1000.0,
    )
    precision: Precision = declared(
        Precision.FLOAT64, "precision", "The type of float that the softmax is computed in", "Choose the precision"
    )
    subtract_max: bool = declared(
        True,
        "subtract max",
        "Subtract the largest score before exp: exact weights stay the same, and exp cannot overflow.",
        "Switch what is subtracted",
    )
    over_queries: bool = declared(
        False,
        "normalise",
        "Which sums are 1: of each query over the keys, which is right, or of each key over the queries",
        "Normalise over the other axis",
        names={"off": "over keys", "on": "over queries"},
    )

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
    """How scores are drawn, and the softmax bench."""

    picture: ScalingPicture = declared(
        ScalingPicture.SCORES, "picture", "Which picture is shown", "Show another picture", is_view=True
    )
    source: ScoreSource = declared(
        ScoreSource.DIRECT,
        "q and k",
        "How queries and keys are made",
        "Make q and k another way",
        names={"drawn": "q, k drawn", "projected": "x·W", "embeddings": "Q = K = X"},
    )
    distribution: EntryDistribution = declared(
        EntryDistribution.NORMAL,
        "entries",
        "What random numbers are drawn from; mean 0 and variance 1 in all cases",
        "Choose the distribution",
        names={"laplace": "Laplace", "signs": "±1"},
    )
    d_k: int = declared(
        64,
        "d_k",
        "How many numbers a query and a key have. Arrow keys on the picture move it too.",
        "Change d_k",
        low=1,
        high=LARGEST_D_K,
        stops=_WIDTHS,
    )
    d_model: int = declared(
        64,
        "d_model",
        "How many numbers a token has before W_q and W_k",
        "Change d_model",
        low=1,
        high=LARGEST_D_MODEL,
        stops=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024),
        shown=lambda state: state.source is ScoreSource.PROJECTED and not state.follows,
    )
    follows: bool = declared(
        False,
        "follows d_k",
        "Let d_model be whatever d_k is, as in a demo with one slider for both.",
        "Switch whether d_model follows d_k",
        names={"off": "d_model set", "on": "d_model follows"},
        shown=lambda state: state.source is ScoreSource.PROJECTED,
    )
    rule: GainRule = declared(
        GainRule.NUMBER,
        "gain σ_w",
        "σ_w, the standard deviation of the entries of W_q and W_k",
        "Choose the gain",
        shown=lambda state: state.source is ScoreSource.PROJECTED,
    )
    gain: float = declared(
        0.3,
        "σ_w",
        "σ_w, the standard deviation of the entries of W_q and W_k",
        "Move the gain",
        high=LARGEST_GAIN,
        stops=(0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0),
        shown=lambda state: state.source is ScoreSource.PROJECTED and state.rule is GainRule.NUMBER,
    )
    keys: int = declared(
        6,
        "keys",
        "How many keys a query has, and with x·W or Q = K = X how many tokens there are",
        "Change the number of keys",
        low=1,
        high=MOST_KEYS,
        stops=(1, 2, 4, 6, 8, 10, 16, 32, 64),
    )
    draws: int = declared(
        4000,
        "draws",
        "How many times everything is drawn: four times as many draws halve the error",
        "Change the number of draws",
        low=1,
        high=MOST_DRAWS,
        stops=(1, 10, 100, 300, 1000, 3000, 10_000, 30_000, 100_000),
    )
    seed: int = declared(
        42,
        "seed",
        "Decides all random numbers: the same seed gives the same numbers",
        "Change the seed",
        high=LARGEST_SEED,
    )
    scaled: bool = declared(
        True,
        "÷ √d_k",
        "Which of the two the page speaks of, and draws the darker: scores divided by √d_k, or not",
        "Speak of scaled scores, or of raw ones",
        names={"off": "not scaled", "on": "÷ √d_k"},
    )
    shared_axis: bool = declared(
        True,
        "one axis for both",
        "Draw raw and scaled scores over the same axis. Off: each over its own, where both have the same shape.",
        "Switch the axes",
        is_view=True,
    )
    axis_d_k: int = declared(
        0,
        "d_k of the axes",
        "The d_k whose scores the axes have room for, held while d_k moves; 0 is the one on show",
        "Hold the axes",
        high=LARGEST_D_K,
        is_view=True,
    )
    bench: BenchState = declared(
        BenchState, "softmax bench", "Rows of scores, and how they are turned into weights", "Change the bench"
    )
    preset: str = preset_declared("scaling", "variance")

    @property
    @derived(
        "hold the axes",
        "The axes stay as they are while d_k moves, for comparison. Click to fit them to the scores again.",
        "Hold the axes, or fit them",
        is_view=True,
    )
    def holds_axes(self) -> bool:
        """Whether the axes of the histograms have room for the scores of some d_k, whatever it is now."""
        return bool(self.axis_d_k)

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
