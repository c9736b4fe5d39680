"""How the price grows with the number of tokens: curves on two logarithmic axes, and what was measured here."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numerals import (
    grouped,
    measured_ratio,
    memory_words,
    operation_words,
    ratio_words,
    scientific,
    short_count,
    time_words,
)
from attention_explorer.model import ModelSize
from attention_explorer.pages.lab.cost_layer import cost_of, reason_without_cost, square_name
from attention_explorer.pages.lab.cost_state import CostState, Quantity, Scope
from attention_explorer.pages.lab.measure import HeadsMeasured, MeasuredPoint, Measurement, computed_as

FloatArray = np.typing.NDArray[np.float64]
STEPS = 4
"""Points of a curve for each doubling of n."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One quantity against n."""

    name: str
    formula: str
    values: FloatArray
    style: str
    """"total", "square" (grows with n²), "flat" (grows with n) or "unwindowed"."""


@dataclass(frozen=True, slots=True, eq=False)
class GrowthPicture:
    """The curves of a state, with the points measured."""

    state: CostState
    reason: str = ""
    lengths: FloatArray = field(default_factory=lambda: np.empty(0))
    curves: tuple[Curve, ...] = ()
    crossover: float | None = None
    """The n where the two parts are equal; None if the n² part never catches up."""
    measurement: Measurement | None = None
    per_second: float = 0.0
    """What of the vertical axis is a second for the measured points: the first lies on the n² curve."""

    @property
    def is_of_these_settings(self) -> bool:
        """Whether what was measured has the width and the precision of the state."""
        found = self.measurement
        if found is None:
            return False
        return found.d_k == self.state.d_k and found.precision is computed_as(self.state.precision)

    def curve(self, style: str) -> Curve:
        """Return the curve of a style."""
        return next(curve for curve in self.curves if curve.style == style)

    def value_at(self, curve: Curve, n: float) -> float:
        """Return a curve at any n, between its points along the straight line of the logarithmic axes."""
        return float(np.exp(np.interp(math.log(n), np.log(self.lengths), np.log(curve.values))))


def growth_picture(state: CostState, measurement: Measurement | None = None) -> GrowthPicture:
    """Compute the curves of a state and lay the measured points on them."""
    picture = _curves_of(state)
    if picture.reason or measurement is None or not measurement.points:
        return picture
    first = measurement.points[0]
    at_first = parts(replace(cost_of(state), tokens=first.n, window=None), state)[0]
    return replace(picture, measurement=measurement, per_second=at_first / first.fastest)


@kept
def _curves_of(state: CostState) -> GrowthPicture:
    reason = reason_without_cost(state)
    if reason:
        return GrowthPicture(state, reason)
    cost = cost_of(state)
    lengths = _lengths(state)
    full = replace(cost, window=None)
    squares, flats = (
        np.array(column, np.float64) for column in zip(*(parts(cost.at(n), state) for n in lengths), strict=True)
    )
    names = _names(state)
    curves = [Curve(*names[0], squares, "square"), Curve(*names[1], flats, "flat")]
    if state.quantity is Quantity.OPERATIONS:
        curves.append(Curve("both", f"{names[0][1]} + {names[1][1]}", squares + flats, "total"))
    if state.windowed:
        without = np.array([parts(full.at(n), state)[0] for n in lengths], np.float64)
        curves.append(Curve("n² without the window", "", without, "unwindowed"))
    return GrowthPicture(state, "", np.array(lengths, np.float64), tuple(curves), _crossover(state, cost))


def _lengths(state: CostState) -> tuple[int, ...]:
    low = min(6, max(math.floor(math.log2(state.n)) - 2, 0))
    high = max(18, math.ceil(math.log2(state.n)) + 2)
    steps = {round(2 ** (step / STEPS)) for step in range(low * STEPS, high * STEPS + 1)}
    if state.windowed and 2**low < state.window < 2**high:
        steps.add(state.window)  # the curve has its bend there
    return tuple(sorted(steps))


def parts(cost: ModelSize, state: CostState) -> tuple[int, int]:
    """Return the part that grows with n² and the part that grows with n, of the quantity and scope of a state."""
    times = {Scope.HEAD: 1, Scope.LAYER: 1, Scope.MODEL: state.layers}[state.scope]
    one_head = state.scope is Scope.HEAD
    if state.quantity is Quantity.OPERATIONS:
        if one_head:  # its share of the projections; the feed-forward part belongs to no head
            return cost.quadratic_flops // cost.heads, cost.projection_flops // cost.heads
        return times * cost.quadratic_flops, times * cost.linear_flops
    size = state.precision.size if state.quantity is Quantity.BYTES else 1
    heads = 1 if one_head else cost.heads
    return size * times * heads * cost.matrix_elements, size * times * heads * 2 * cost.keys * cost.d_k


def _names(state: CostState) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return name and formula of the two parts."""
    square = square_name(state)
    kept = "w" if state.windowed else "n"
    if state.quantity is Quantity.OPERATIONS:
        layers = "L·" if state.scope is Scope.MODEL else ""
        if state.scope is Scope.HEAD:
            return ("scores, weights · V", f"4·{square}·d_k"), ("projections", "8·n·d·d_k")
        flat = f"{layers}(8·n·d² + 4·n·d·d_ff)" if layers else "8·n·d² + 4·n·d·d_ff"
        return ("scores, weights · V", f"{layers}4·{square}·d"), ("projections, feed-forward", flat)
    factor = {Scope.HEAD: "", Scope.LAYER: "h·", Scope.MODEL: "L·h·"}[state.scope]
    size = f"·{state.precision.size}" if state.quantity is Quantity.BYTES else ""
    matrix = "matrix" if state.scope is Scope.HEAD else "matrices"
    return (f"attention {matrix}", f"{factor}{square}{size}"), ("keys and values", f"{factor}2·{kept}·d_k{size}")


def _crossover(state: CostState, cost: ModelSize) -> float | None:
    """Return the n where both parts are equal, if there is one."""
    if state.quantity is not Quantity.OPERATIONS:
        # n² = 2·n·d_k; under a window both are kept for w keys only, and n·w = 2·w·d_k.
        return float(2 * cost.d_k)
    equal = float(2 * cost.d_model if state.scope is Scope.HEAD else cost.balance_tokens)
    return equal if cost.window is None or cost.window >= equal else None


# ---- Words ----


def amount_text(state: CostState, amount: float) -> str:
    """Return an amount of the quantity: 17.7 GFLOP, 1.05 M, 4 MiB."""
    if state.quantity is Quantity.OPERATIONS:
        return operation_words(amount)
    if state.quantity is Quantity.BYTES:
        return memory_words(round(amount))
    return short_count(amount).rstrip()


def growth_title(state: CostState) -> str:
    """Return what is on the vertical axis."""
    what = {
        Quantity.OPERATIONS: "operations",
        Quantity.NUMBERS: "numbers kept",
        Quantity.BYTES: f"bytes kept, {state.precision.value}",
    }[state.quantity]
    return f"{what}, {state.scope.value}"


def curve_words(picture: GrowthPicture, n: int) -> str:
    """Return every curve at an n, with formula and numbers, and what doubling it does."""
    state = picture.state
    first, second = _parts_at(picture, n)
    square, flat = amount_text(state, first), amount_text(state, second)
    if state.quantity is not Quantity.OPERATIONS:
        names = [picture.curve(style) for style in ("square", "flat")]
        said = ", ".join(f"{one.name} {one.formula} = {text}" for one, text in zip(names, (square, flat), strict=True))
        return f"n = {grouped(n)}: {said}"
    ratio = sum(_parts_at(picture, 2 * n)) / (first + second)
    formulas = [picture.curve(style).formula for style in ("square", "flat")]
    return (
        f"n = {grouped(n)}: {formulas[0]} = {square}, {formulas[1]} = {flat}, together "
        f"{amount_text(state, first + second)}; {ratio_words(ratio)} on doubling n"
    )


def _parts_at(picture: GrowthPicture, n: int) -> tuple[int, int]:
    state = picture.state
    return parts(cost_of(state).at(n), state)


def doubling_of(picture: GrowthPicture) -> float:
    """Return the factor of the highest curve from n to 2n."""
    now, then = (_parts_at(picture, n) for n in (picture.state.n, 2 * picture.state.n))
    if picture.state.quantity is Quantity.OPERATIONS:
        return sum(then) / sum(now)
    return then[0] / now[0]


def point_words(picture: GrowthPicture, index: int) -> str:
    """Return what was measured at a point."""
    found = picture.measurement
    if found is None:
        return ""
    point = found.points[index]
    said = (
        f"Measured: n = {grouped(point.n)}, {time_words(point.fastest)}, the fastest of {len(point.seconds)} runs "
        f"(the slowest {time_words(max(point.seconds))})"
    )
    if index:
        before = found.points[index - 1]
        said += f"; {measured_ratio(point.fastest / before.fastest)} of n = {grouped(before.n)}, where n² would be × 4"
    operations = 4 * point.n**2 * found.d_k
    return f"{said}; 4·n²·d_k = {operation_words(operations)}: {short_count(operations / point.fastest)}FLOP/s"


def growth_sentences(picture: GrowthPicture) -> tuple[str, ...]:
    """Return what the picture says."""
    state = picture.state
    step = f"From n = {grouped(state.n)} to {grouped(2 * state.n)}: {ratio_words(doubling_of(picture))}."
    lines = [step, "On logarithmic axes n² is a line twice as steep as n."]
    if state.is_narrow:
        now, full = picture.curve("square"), picture.curve("unwindowed")
        fewer = picture.value_at(full, state.n) / picture.value_at(now, state.n)
        lines.append(f"At n = {grouped(state.n)} the window leaves 1 part in {fewer:.3g} of the n² part.")
    if picture.measurement is None or not picture.measurement.points:
        lines.append("“Measure here” adds this machine’s times to the chart.")
    else:
        lines += _measured_sentences(picture.measurement)
    return tuple(lines)


def crossover_words(picture: GrowthPicture) -> str:
    """Return from which n on the n² part is the larger one."""
    state = picture.state
    if picture.crossover is None:
        return (
            f"With a window of {grouped(state.window)} keys, scores and weights never overtake the rest: both grow "
            "with n, none with n²."
        )
    n = grouped(round(picture.crossover))
    if state.quantity is not Quantity.OPERATIONS:
        return f"The matrix is larger than its head’s keys and values for n > 2·d_k = {n}."
    if state.scope is Scope.HEAD:
        return f"The n² part overtakes the head’s projections at n = 2·d = {n}."
    six = " = 6·d" if state.d_ff == 4 * state.d_model else ""
    return f"The n² part overtakes the rest at n = 2·d + d_ff{six} = {n}."


def _measured_sentences(found: Measurement) -> list[str]:
    steps = zip(itertools.pairwise(found.points), found.ratios, strict=True)
    ratios = ", ".join(f"{before.n}→{after.n} {measured_ratio(ratio)}" for (before, after), ratio in steps)
    said = f"{ratios}. n² would be × 4." if ratios else f"{time_words(found.points[0].fastest)} for the first point."
    lines = [
        f"Measured here: one head, d_k = {found.d_k}, {found.precision.value}. {said}",
        "Seconds are on the right; the first point is placed on the n² line. At small n the calls themselves take "
        "time; caches and other programs matter at any n.",
    ]
    if found.heads is not None:
        lines.append(_heads_words(found.heads))
    return lines


def _heads_words(heads: HeadsMeasured) -> str:
    """Return how long one product for all heads took, and one for each."""
    return (
        f"X·W_q, ({heads.n}, {heads.d_model})·({heads.d_model}, {heads.d_model}): one product {time_words(heads.one)}, "
        f"{heads.heads} narrow ones {time_words(heads.many)}. The operations are the same; the results differ by up to "
        f"{scientific(heads.difference)}."
    )


def points_of(measurement: Measurement | None) -> tuple[MeasuredPoint, ...]:
    """Return the points there are."""
    return () if measurement is None else measurement.points
