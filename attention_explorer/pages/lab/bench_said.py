"""What the softmax bench says of its numbers."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.core.numerals import compact, coordinate, percent, plain, scientific, signed
from attention_explorer.pages.lab.bench import BenchPicture, Fault
from attention_explorer.pages.lab.precision import Precision

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
