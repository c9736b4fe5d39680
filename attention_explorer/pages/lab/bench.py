"""The softmax bench: scores, what a softmax in some precision makes of them step by step, and how weights answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import ColourScale, ScaleKind
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import coordinate, parsed_number
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.model.precision import PrecisionSoftmax, softmax_in_precision
from attention_explorer.model.softmax_slope import softmax_jacobian, two_key_slope
from attention_explorer.pages.lab.scores_state import (
    LARGEST_SCORE,
    MOST_BENCH_KEYS,
    MOST_BENCH_ROWS,
    BenchRows,
    BenchState,
)

FloatArray = np.typing.NDArray[np.floating]

LEAST_GAP, LARGEST_GAP = 8.0, 40.0
"""The axis of gaps ends somewhere between these."""
GAP_STEPS = 161


class Fault(Enum):
    """What becomes of a row of weights."""

    NONE = "sound"
    NAN = "NaN"
    SILENT = "all zero"


@dataclass(frozen=True, slots=True, eq=False)
class BenchPicture:
    """All rows of weights, and the one that is looked at closely with its Jacobian and its gap."""

    bench: BenchState
    scores: FloatArray
    """What goes in, (rows, keys), in float64."""
    shifted: FloatArray
    """What is exponentiated, in the precision of the bench, (rows, keys)."""
    exponentials: FloatArray
    totals: FloatArray
    """What each exponential is divided by, (rows, keys): the same along a row, or down a column if that is the axis."""
    weights: FloatArray
    """(rows, keys), faults included."""
    exact: FloatArray
    """The same in float64 with the largest taken away first, along the same axis."""
    jacobian: FloatArray
    """∂weight_i/∂score_j of the row that is looked at, (keys, keys); NaN where its weights are."""
    gap: float
    """Largest minus second largest score of the row; NaN for a single key."""
    slope: float
    """p (1 − p) of its largest weight p, with the sum of the others for 1 − p."""
    gaps: FloatArray
    slopes: FloatArray
    """p (1 − p) of two keys at each gap."""

    @property
    def row(self) -> int:
        """The row that is looked at."""
        return self.bench.row_shown

    @property
    def row_sums(self) -> FloatArray:
        """Of the weights, (rows,)."""
        return np.asarray(self.weights.astype(np.float64).sum(axis=1))

    @property
    def column_sums(self) -> FloatArray:
        """Of the weights, (keys,)."""
        return np.asarray(self.weights.astype(np.float64).sum(axis=0))

    def fault_of(self, row: int) -> Fault:
        """Return what has become of a row, seen along the axis that is normalised."""
        weights = self.weights[row]
        if np.isnan(weights).any():
            return Fault.NAN
        # Down a column the other queries may rightly take everything; then the exact weights are 0 too.
        return Fault.NONE if weights.any() or not self.exact[row].any() else Fault.SILENT

    @property
    def fault(self) -> Fault:
        """What has become of the row that is looked at."""
        return self.fault_of(self.row)

    @property
    def has_slope(self) -> bool:
        """Whether the slope says how the largest weight of the row answers: not of a broken row, nor of one key."""
        return self.fault is Fault.NONE and not self.bench.over_queries and not math.isnan(self.gap)

    @property
    def shift_moves(self) -> float:
        """The most that a weight of the row moves by the constant added to its scores; 0 but for rounding."""
        still = bench_picture(replace(self.bench, shift=0.0)).weights[self.row]
        return float(np.abs(self.weights[self.row].astype(np.float64) - still).max())

    @property
    def jacobian_map(self) -> MapPicture:
        """The Jacobian as a map around 0; no entry can be above ¼, so that what fades in it is the gradient."""
        names = tuple(f"p{key + 1}" for key in range(len(self.jacobian)))
        return _map(self.jacobian, ColourScale(ScaleKind.DIVERGING, -0.25, 0.25, "∂p ∕ ∂s"), names, ())

    def failing_factor(self) -> float:
        """Return the factor above that of the bench from which the sum that the row is divided by overflows.

        Nothing is taken away from the scores; inf if no factor makes the sum overflow.
        """
        bench = self.bench
        rows, row = np.asarray(bench.rows, np.float64), bench.row_shown
        largest = float((rows if bench.over_queries else rows[row]).max())
        if largest <= 0.0:
            return math.inf
        limit = bench.precision.exp_limit

        def overflows(factor: float) -> bool:
            scores = replace(bench, factor=factor).scores()
            return bool((np.logaddexp.reduce(scores if bench.over_queries else scores[row]) > limit).any())

        low, high = bench.factor, (limit + abs(bench.shift)) / largest
        for _ in range(60):  # the logarithm of the sum is convex in the factor: it crosses the limit once
            middle = 0.5 * (low + high)
            low, high = (low, middle) if overflows(middle) else (middle, high)
        return high


def _map(values: FloatArray, scale: ColourScale, names: tuple[str, ...], sums: tuple[float, ...]) -> MapPicture:
    numbers = values.astype(np.float64)
    columns = tuple(str(key + 1) for key in range(numbers.shape[1]))
    broken = np.isnan(numbers)
    return MapPicture(
        np.where(broken, 0.0, numbers), broken, scale, "viridis", names, columns, row_sums=sums, masked_word="NaN"
    )


@kept
def bench_picture(bench: BenchState) -> BenchPicture:
    """Return what the bench shows.

    Raises
    ------
    ArrayError
        A score is not finite, or there is none.
    """
    scores = bench.scores()
    done = _softmax(bench, scores, bench.precision.value, bench.subtract_max)
    exact = _softmax(bench, scores, "float64", True).weights
    ordered = np.sort(scores[bench.row_shown])
    gap = float(ordered[-1] - ordered[-2]) if len(ordered) > 1 else math.nan
    weights = done.weights[bench.row_shown].astype(np.float64)
    largest, rest = float(weights.max()), float(np.sort(weights)[:-1].sum())  # 1 − p as a sum keeps its digits
    gaps = np.linspace(0.0, _axis_end(gap), GAP_STEPS)
    return BenchPicture(
        *(bench, scores, done.shifted, done.exponentials, np.broadcast_to(done.total, scores.shape), done.weights),
        *(exact, _jacobian(bench, scores, weights), gap, largest * rest, gaps, two_key_slope(gaps)),
    )


def _softmax(bench: BenchState, scores: FloatArray, precision: str, subtract_max: bool) -> PrecisionSoftmax:
    """Compute every row, or down every column if that is the axis."""
    if not bench.over_queries:
        return softmax_in_precision(scores, precision, subtract_max)
    turned = softmax_in_precision(scores.T, precision, subtract_max)
    return PrecisionSoftmax(*(part.T for part in turned))


def _jacobian(bench: BenchState, scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Differentiate the weights of the row by its own scores."""
    if bench.over_queries:  # each weight competes with those of other queries, not with those of its row
        return np.diag(weights * (1.0 - weights)) if not np.isnan(weights).any() else np.full(2 * weights.shape, np.nan)
    if np.isnan(weights).any() or not weights.any():
        return np.diag(weights) - np.outer(weights, weights)
    return softmax_jacobian(scores[bench.row_shown])


def _axis_end(gap: float) -> float:
    return LEAST_GAP if math.isnan(gap) else min(max(1.25 * gap, LEAST_GAP), LARGEST_GAP)


def bench_numbers(picture: BenchPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture, the weights first."""
    return {
        "weights": picture.weights,
        "scores": picture.scores,
        "shifted": picture.shifted,
        "exponentials": picture.exponentials,
        "totals": np.array(picture.totals),
        "exact_weights": picture.exact,
        "jacobian": picture.jacobian,
        "gaps": picture.gaps,
        "slopes_of_two_keys": picture.slopes,
    }


# ---- Scores as text ----


def rows_text(rows: BenchRows) -> str:
    """Return rows of scores as they are typed: 2, 1, 0; 1, 0, −1."""
    return "; ".join(", ".join(coordinate(score) for score in row) for row in rows)


def parsed_rows(text: str) -> BenchRows:
    """Read rows of scores: numbers with commas or spaces between them, rows with semicolons.

    Raises
    ------
    ExplorerError
        It cannot be read, rows have different lengths, or there are too many numbers.
    """
    rows = tuple(
        tuple(_score(word) for word in part.replace(",", " ").split()) for part in text.split(";") if part.strip()
    )
    if not rows:
        raise ExplorerError("Type at least one score, such as 2, 1, 0.")
    if len(rows) > MOST_BENCH_ROWS or max(map(len, rows)) > MOST_BENCH_KEYS:
        raise ExplorerError(f"There is room for {MOST_BENCH_ROWS} rows of {MOST_BENCH_KEYS} scores. Type fewer.")
    if len({len(row) for row in rows}) > 1:
        counts = ", ".join(str(len(row)) for row in rows)
        raise ExplorerError(f"The rows have {counts} scores: give every query the same number of keys.")
    return rows


def _score(word: str) -> float:
    number = parsed_number(word)
    if abs(number) > LARGEST_SCORE:
        raise ExplorerError(
            f"{quoted(word)} is out of range: type scores from −{LARGEST_SCORE:.0f} to {LARGEST_SCORE:.0f}."
        )
    return number
