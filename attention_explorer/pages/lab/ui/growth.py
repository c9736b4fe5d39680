"""How the price grows with the number of tokens, on two logarithmic axes, and what was measured on this machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from attention_explorer.core.numbers_export import Table
from attention_explorer.core.numerals import grouped, ratio_words, time_words
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import Axis, Corner, Curve, Handle, Label, Mark, Points, Tick
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Arrays, Change, Hit, Panel, Picture, Value
from attention_explorer.pages.lab import cost_growth
from attention_explorer.pages.lab.cost_growth import GrowthPicture
from attention_explorer.pages.lab.cost_state import CostState, Quantity
from attention_explorer.pages.lab.measure import Measurement, measurement_said
from attention_explorer.pages.lab.ui.cost import Cost, with_tokens

CURVES, N = "What grows with n, and how fast", "n"
STROKES: dict[str, tuple[str, float, tuple[float, float]]] = {
    "total": ("text", 2.6, (0.0, 0.0)),
    "square": ("text", 1.6, (7.0, 4.0)),
    "flat": ("muted", 1.6, (2.0, 3.0)),
    "unwindowed": ("axis", 1.0, (0.0, 0.0)),
}
"""By the style of a curve its ink, width and dash."""


class CostGrowth(Picture[CostState, GrowthPicture]):
    """Curves, of which n is dragged along; what was measured is no part of the state, and is asked for."""

    truths = (
        "Counts are not seconds. Measured times depend on the machine, its caches and threads, and on what else it is "
        "doing. Only the counts are the same everywhere.",
        "Short contexts in early models are often put down to n². That is plausible, but a formula cannot show it.",
    )
    made_of = Cost.made_of
    says = staticmethod(cost_growth.growth_sentences)

    def __init__(self, measurement: Callable[[], Measurement | None] = lambda: None) -> None:
        self._measurement = measurement

    def compute(self, state: CostState, _pixels: tuple[int, int]) -> GrowthPicture:
        return cost_growth.growth_picture(state, self._measurement())

    def item(self, numbers: GrowthPicture) -> Plot:
        first, last = (round(math.log2(numbers.lengths[end])) for end in (0, -1))
        lengths = tuple((2.0**power, grouped(2**power)) for power in range(first, last + 1))
        low, high = _ends(numbers)
        seconds = None
        if numbers.per_second:
            ends = low / numbers.per_second, high / numbers.per_second
            seconds = Axis(*ends, "seconds, measured here", 10, ticks=_seconds(*ends))
        return Plot(
            CURVES,
            Axis(lengths[0][0], lengths[-1][0], "tokens n (both axes logarithmic)", 2, ticks=lengths),
            Axis(low, high, cost_growth.growth_title(numbers.state), 10, ticks=_amounts(numbers, low, high), grid=True),
            (*_curves(numbers), *_step(numbers), *_crossing(numbers), *_measured(numbers)),
            seconds,
            _snapped,
        )

    def headline(self, numbers: GrowthPicture) -> str:
        what = "the operations" if numbers.state.quantity is Quantity.OPERATIONS else "the attention weights"
        factor = f"{cost_growth.doubling_of(numbers):.3g}"
        return f"Twice the words, {'twice' if factor == '2' else f'{factor} times'} {what}."

    def panel(self, numbers: GrowthPicture) -> Panel:
        equal = "never" if numbers.crossover is None else grouped(round(numbers.crossover))
        steep = Reading(ratio_words(round(cost_growth.doubling_of(numbers), 2)), "from n to 2n")
        readings = Readings("Growth and crossover", (steep, Reading(equal, "n where both are equal")))
        counts = " Counts are not seconds." if cost_growth.points_of(numbers.measurement) else ""
        return Panel("Where n² takes over", (readings,), f"{cost_growth.crossover_words(numbers)}{counts}")

    def words(self, numbers: GrowthPicture, hit: Hit) -> str:
        if isinstance(hit.part, str):
            return cost_growth.curve_words(numbers, numbers.state.n)
        if hit.part.points:
            return cost_growth.point_words(numbers, hit.part.index)
        return cost_growth.curve_words(numbers, round(hit.part.x))

    def arrays(self, numbers: GrowthPicture) -> Arrays:
        curves, points = numbers.curves, cost_growth.points_of(numbers.measurement)
        found: Arrays = {"curves": np.array([curve.values for curve in curves]), "n": numbers.lengths}
        found["names"] = np.array([curve.name for curve in curves])
        if points:
            found["measured_n"] = np.array([point.n for point in points])
            found["measured_seconds"] = np.array([point.fastest for point in points])
        return found

    def lines(self, numbers: GrowthPicture) -> Table:
        rows: list[tuple[object, ...]] = []
        for curve in numbers.curves:
            pairs = zip(numbers.lengths.tolist(), curve.values.tolist(), strict=True)
            rows += [(curve.name, int(n), value, None) for n, value in pairs]
        for point in cost_growth.points_of(numbers.measurement):
            rows += [("measured here, seconds", point.n, each, run) for run, each in enumerate(point.seconds, start=1)]
        return Table.of(("curve", "n", "value", "run"), rows)

    def told(self, numbers: GrowthPicture) -> Mapping[str, object]:
        return {} if numbers.measurement is None else {"measured": measurement_said(numbers.measurement)}

    def changed(self, state: CostState, _numbers: GrowthPicture, hit: Hit, to: Value) -> Change[CostState] | None:
        is_point = not isinstance(hit.part, str) and hit.part.points
        return None if is_point else with_tokens(state, to[0])


def _snapped(n: float) -> float:
    """Return the power of two that is near, else two digits."""
    power = 2.0 ** round(math.log2(n))
    return power if 0.95 < n / power < 1.05 else max(float(f"{n:.1e}"), 1.0)


# ---- Axes ----


def _base(numbers: GrowthPicture) -> float:
    """Return the factor from one line of the grid to the next."""
    return 2.0**5 if numbers.state.quantity is Quantity.BYTES else 10.0


def _ends(numbers: GrowthPicture) -> tuple[float, float]:
    """Return what the vertical axis goes from and to: round numbers around all that is drawn."""
    values = [float(number) for curve in numbers.curves for number in (curve.values[0], curve.values[-1])]
    values += [
        seconds * numbers.per_second
        for point in cost_growth.points_of(numbers.measurement)
        for seconds in point.seconds
    ]
    base = _base(numbers)
    low, high = (math.log(number, base) for number in (min(values), max(values)))
    return base ** math.floor(low), base ** math.ceil(high - 1e-9)


def _amounts(numbers: GrowthPicture, low: float, high: float) -> tuple[Tick, ...]:
    base = _base(numbers)
    powers = (low * base**step for step in range(round(math.log(high / low, base)) + 1))
    return tuple((power, cost_growth.amount_text(numbers.state, power) if power >= 1 else "") for power in powers)


def _seconds(low: float, high: float) -> tuple[Tick, ...]:
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    return tuple((10.0**power, time_words(10.0**power)) for power in powers)


# ---- Marks ----


def _curves(numbers: GrowthPicture) -> list[Mark]:
    return [
        Curve(
            numbers.lengths, curve.values, ": ".join(filter(None, (curve.name, curve.formula))), *STROKES[curve.style]
        )
        for curve in numbers.curves
    ]


def _step(numbers: GrowthPicture) -> list[Mark]:
    """Return the line at n, and the step from n to 2n along the uppermost curve."""
    n = numbers.state.n
    curve = numbers.curve("total" if numbers.state.quantity is Quantity.OPERATIONS else "square")
    now, then = (numbers.value_at(curve, at) for at in (n, 2 * n))
    return [
        Handle(N, n, stops=(max(n // 2, 1), 2 * n), text=f"n = {grouped(n)}"),
        Corner(n, now, 2 * n, then),
        Points("", (n,), (now,)),
        Label(2 * n, math.sqrt(now * then), ratio_words(cost_growth.doubling_of(numbers)), bold=True, size=15),
    ]


def _crossing(numbers: GrowthPicture) -> list[Mark]:
    """Return the ring where both parts are equal, if that is in the plot."""
    equal = numbers.crossover
    if equal is None or not numbers.lengths[0] < equal < numbers.lengths[-1]:
        return []
    at, n = numbers.value_at(numbers.curve("flat"), equal), numbers.state.n
    ring = Points("", (equal,), (at,), size=4.5, is_filled=False)
    if 0.4 * equal < n < 1.1 * equal:  # the step has its number there, and the panel says where both are equal
        return [ring]
    return [ring, Label(equal, at, f"equal at n = {grouped(round(equal))}")]


def _measured(numbers: GrowthPicture) -> list[Mark]:
    """Return the fastest run of each length, with a whisker to the slowest; hollow if for other settings."""
    found, scale = numbers.measurement, numbers.per_second
    if found is None or not found.points:
        return []
    fastest, slowest = ([end(point.seconds) * scale for point in found.points] for end in (min, max))
    return [
        Points(
            f"measured here: one head, d_k = {found.d_k}, {found.precision.value}",
            [point.n for point in found.points],
            fastest,
            fastest,
            slowest,
            is_square=True,
            is_filled=numbers.is_of_these_settings,
            is_joined=True,
        )
    ]
