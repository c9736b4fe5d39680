"""The softmax bench: what a softmax in some precision makes of scores, how weights answer, and all that in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import ColourScale, MapPicture, ScaleKind
from attention_explorer.core.numerals import compact, coordinate, parsed_number, percent, plain, scientific, signed
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.model.precision import PrecisionSoftmax, softmax_in_precision
from attention_explorer.model.softmax_slope import softmax_jacobian, two_key_slope
from attention_explorer.pages.lab.precision import Precision
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


ROUNDING = 1e-6
"""A weight that moves by less shows it in none of its digits."""


def number_text(number: float) -> str:
    """Return a number of the bench: 0.643914, 4.54·10⁻⁵, 1.4e308, ∞ or NaN."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if number == round(number, 2) and abs(number) < 1e5:
        return coordinate(number, 7)
    if number != 0 and abs(number) < 1e-3:
        return ("−" if number < 0 else "") + scientific(abs(number))
    return plain(number, 4) if abs(number) < 10 else compact(number)


def shortest_text(number: float) -> str:
    """Return a number with as few digits as it can be told by: 2e−5, 0.51, 1.4e308."""
    if not math.isfinite(number):
        return number_text(number)
    return f"{number:.2g}".replace("e-0", "e-").replace("e+", "e").replace("-", "−")


def bench_headline(picture: BenchPicture) -> str:
    """Return in one sentence what the bench shows."""
    bench, weights = picture.bench, picture.weights[picture.row]
    overflows = bool(np.isinf(picture.totals[picture.row]).any())
    if picture.fault is Fault.NAN:
        broken = int(np.isnan(weights).sum())
        some = f"{broken} of {len(weights)} weights {'is' if broken == 1 else 'are'}"
        many = "every weight is" if broken == len(weights) else some
        return f"{'exp overflows' if overflows else 'Every exp is 0'}: {many} NaN."
    if picture.fault is Fault.SILENT:
        return "The sum overflows: all weights are 0." if overflows else "All weights of this row are 0."
    if bench.over_queries:
        is_lucky, total = bool(np.allclose(picture.row_sums, 1.0)), plain(float(picture.row_sums[picture.row]))
        return f"The wrong axis{', though here rows sum to 1' if is_lucky else f': this row sums to {total}'}."
    if bench.shift:
        changed = "no weight" if picture.shift_moves < ROUNDING else "weights: rounding"
        return f"Adding {coordinate(bench.shift)} to every score changes {changed}."
    if len(weights) == 1:
        return "A single key takes all the weight."
    return f"The largest score takes {percent(float(weights.max()))} of the weight."


def panel_sentence(picture: BenchPicture) -> str:
    """Return what follows from it, in at most 35 words."""
    bench = picture.bench
    if picture.fault is not Fault.NONE:
        exact = ", ".join(shortest_text(float(weight)) for weight in picture.exact[picture.row])
        return f"With the largest score subtracted first, in float64, the weights are {exact}."
    if bench.over_queries:
        return "Queries compete for each key, down its column. A weight does not depend on the other scores of its row."
    if picture.weights.shape[1] == 1:
        return "It has no rival: its weight is 1, whatever its score."
    if picture.weights.shape[1] == 2:
        return "Beyond a gap of a few units, each unit more divides p (1 − p) by e: the gradient vanishes."
    return "Each row and column of the Jacobian sums to 0: what one key gains, the others lose."


def exp_words(picture: BenchPicture) -> str:
    """Return what is exponentiated, and what it is divided by."""
    inside = "exp(s − max)" if picture.bench.subtract_max else "exp(s)"
    if picture.bench.over_queries:
        return f"{inside}, ÷ the sum of its column"
    return f"{inside}, their sum {number_text(float(picture.totals[picture.row, 0]))}"


# ---- Pointing ----


def arithmetic(picture: BenchPicture, row: int, key: int) -> str:
    """Return how a weight is made."""
    score, shifted, exponential, total, weight = (
        float(part[row, key])
        for part in (picture.scores, picture.shifted, picture.exponentials, picture.totals, picture.weights)
    )
    inside = f"{compact(score)} − max" if picture.bench.subtract_max else compact(score)
    return (
        f"key {key + 1}: exp({inside}) = exp({number_text(shifted)}) = {number_text(exponential)}, "
        f"÷ {number_text(total)} = {number_text(weight)}"
    )


def slope_words(picture: BenchPicture, weight: int, score: int) -> str:
    """Return how an entry of the Jacobian is made."""
    value = float(picture.jacobian[weight, score])
    p = picture.weights[picture.row].astype(float).tolist()
    if picture.bench.over_queries:
        made = "p (1 − p)" if weight == score else "0: keys do not compete along this axis"
    elif weight == score:
        made = f"p{weight + 1} (1 − p{weight + 1}) = {number_text(p[weight])} · {number_text(1 - p[weight])}"
    else:
        made = f"−p{weight + 1} p{score + 1} = −{number_text(p[weight])} · {number_text(p[score])}"
    shown = "NaN" if math.isnan(value) else signed(value, 4) if abs(value) >= 1e-3 or value == 0 else f"{value:.3g}"
    return f"weight {weight + 1} by score {score + 1}: {made} → {shown}".replace("-", "−")


def gap_words(gap: float, slope: float) -> str:
    """Return what two keys at a gap have."""
    p = plain(1 / (1 + math.exp(-gap)), 6)
    return f"two keys whose scores are {plain(gap)} apart: p = {p}, p (1 − p) = {scientific(slope)}"


# ---- All that it says ----


def bench_said(picture: BenchPicture) -> tuple[str, ...]:
    """Return what else there is to say of the row that is looked at."""
    bench, said = picture.bench, [_limit_words(picture)]
    if picture.has_slope:
        said.append(
            f"The two largest scores are {plain(picture.gap)} apart. For the largest weight p, p (1 − p) is "
            f"{number_text(picture.slope)}; it is never above 0.25."
        )
    if picture.fault is Fault.NONE and bench.shift:
        said.append(f"{plain(bench.shift)} added to every score of the row {_moved(picture)}.")
    if picture.fault is Fault.NONE and not bench.over_queries:
        off = float(abs(picture.weights[picture.row].astype(float) - picture.exact[picture.row]).max())
        if off:
            said.append(f"These weights are within {number_text(off)} of the exact ones: the difference is rounding.")
    rows, columns = (
        ", ".join("NaN" if math.isnan(total) else plain(total, 3) for total in sums.tolist())
        for sums in (picture.row_sums, picture.column_sums)
    )
    said.append(f"Row sums: {rows}. Column sums: {columns}.")
    return tuple(said)


def _moved(picture: BenchPicture) -> str:
    bench, moved = picture.bench, picture.shift_moves
    if moved == 0.0:
        return "moves no weight"
    if bench.over_queries:
        return f"moves its weights by up to {number_text(moved)}: each key’s weights compete down the column"
    if moved < ROUNDING:
        return "moves no weight, apart from rounding"
    return (
        f"moves its weights by up to {number_text(moved)}, as larger scores are rounded more in {bench.precision.value}"
    )


def _limit_words(picture: BenchPicture) -> str:
    bench, row = picture.bench, picture.row
    limit = plain(bench.precision.exp_limit)
    if bench.subtract_max:
        return (
            "With the largest score subtracted no exponential is above 1, so none overflows (without that, scores "
            f"above {limit} would)."
        )
    text = f"exp overflows above {limit} in {bench.precision.value}"
    if np.isinf(picture.exponentials if bench.over_queries else picture.exponentials[row]).any():
        return f"{text}: here it does."
    if np.isinf(picture.totals[row]).any():
        return f"{text}. Here no exponential does, but their sum already does."
    factor = picture.failing_factor()
    if math.isinf(factor):
        return f"{text}. These scores never get there; but far below 0 every exp becomes 0, and 0 ÷ 0 is NaN."
    digits = 3 if bench.precision is Precision.FLOAT16 else 5  # as many as rounding in the precision leaves
    return f"{text}. The sum of these exponentials overflows from “×” {factor:.{digits}g} on."
