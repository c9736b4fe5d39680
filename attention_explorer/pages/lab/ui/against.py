"""What becomes of the weights as d_k grows: scores as they come, and divided by √d_k."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_explorer.core.numerals import counted, plain
from attention_explorer.kit.drawing.log_axis import log_bounds
from attention_explorer.kit.items.axis import Axis
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import Arrays, Hit, Item
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import Curve, Handle, Label, Line, Mark, Points
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab.scores_growth import (
    STOPS,
    GrowthPicture,
    growth_numbers,
    growth_picture,
    growth_stream,
    is_measured,
)
from attention_explorer.pages.lab.scores_said import (
    AS_THEY_COME,
    divided,
    growth_headline,
    growth_said,
    growth_words,
)
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.scores_wording import measured

FORMULA = "σ([q:query]{q}·[k:key]{k}) = √d_k"
LARGEST, SPREAD = "Mean largest weight", "Spread of the scores"
ENDS = 0.87, 590.0
"""Of the axis of d_k: some room on both sides of those that are measured."""
LEAST = 1e-8
INKS = {False: ("loss", "loss_ink"), True: ("text", "text")}


class AgainstD(Picture[ScalingState, GrowthPicture]):
    """The mean largest weight against d_k, with a line at one of them that is dragged."""

    stream = staticmethod(growth_stream)

    def compute(self, state: ScalingState, pixels: tuple[int, int]) -> GrowthPicture:
        return growth_picture(state, pixels)

    def is_quick(self, state: ScalingState) -> bool:
        return is_measured(state)

    def item(self, numbers: GrowthPicture) -> Item[Any]:
        keys, d_k, marks = numbers.state.keys, numbers.state.d_k, list[Mark]()
        marks.append(Line(1.0 / keys, level=True, text=f"uniform: 1/{keys}", dash=(0.0, 0.0)))
        for scaled in (not numbers.state.scaled, numbers.state.scaled):
            marks += _curve(numbers, "largest", scaled, name=_name(scaled))
        for scaled in (False, True):
            marks += _labels(numbers, scaled)
        marks.append(Handle("d_k", d_k, stops=STOPS))
        across = Axis(*ENDS, "d_k, features of a query", log=2)
        return _plot(LARGEST, numbers, across, Axis(0.0, 1.06, ticks=_SHARES, grid=True), marks)

    def headline(self, numbers: GrowthPicture) -> str:
        return growth_headline(numbers)

    def panel(self, numbers: GrowthPicture) -> Panel:
        here = numbers.points[numbers.nearest(numbers.state.d_k)]
        names = AS_THEY_COME, divided(here.d_k)
        readings = tuple(
            Reading(plain(here.of(scaled).largest.value, 3), names[scaled], INKS[scaled][1]) for scaled in (False, True)
        )
        spread = Above((Title("", SPREAD, size=13.0), _spread(numbers)), gap=0)
        return Panel(
            f"Largest weight at d_k = {here.d_k}",
            (Readings("Largest weight", readings), spread),
            f"On average, of {counted(numbers.state.keys, 'key')}. "
            "The wider the scores are spread, the more the largest takes.",
            FORMULA if numbers.state.source is ScoreSource.DIRECT else "",
        )

    def words(self, numbers: GrowthPicture, hit: Hit) -> str:
        d_k = numbers.state.d_k if isinstance(hit.part, str) else hit.part.x
        point = numbers.points[numbers.nearest(d_k)]
        if hit.item == SPREAD:
            return f"d_k = {point.d_k}: {growth_words(point, 'std', 'standard deviation of the scores')}"
        others = ", ".join(
            f"{title} {measured(getattr(point.raw, name))} and {measured(getattr(point.scaled, name))}"
            for name, title in (("entropy", "entropy ÷ ln n"), ("gradient", "gradient"))
        )
        return f"d_k = {point.d_k}: {growth_words(point, 'largest', 'largest weight')} · {others}"

    def says(self, numbers: GrowthPicture) -> tuple[str, ...]:
        return growth_said(numbers)

    def arrays(self, numbers: GrowthPicture) -> Arrays:
        return growth_numbers(numbers)

    def changed(self, state: ScalingState, numbers: GrowthPicture, hit: Hit, to: Any) -> Change[ScalingState] | None:  # noqa: ANN401 # a place of the plot
        if hit.item != LARGEST:
            return None
        return Change(state.with_d_k(numbers.points[numbers.nearest(to[0])].d_k), "Change d_k", "d_k")


_SHARES = tuple((share / 5, plain(share / 5, 1)) for share in range(6))


def _name(scaled: bool) -> str:
    return "divided by √d_k" if scaled else AS_THEY_COME


def _plot(name: str, numbers: GrowthPicture, across: Axis, up: Axis, marks: list[Mark]) -> Plot:
    def measured_at(d_k: float) -> float:
        return float(numbers.points[numbers.nearest(d_k)].d_k)

    return Plot(name, across, up, tuple(marks), snap=measured_at, stops=STOPS, has_legend=False)


def _curve(numbers: GrowthPicture, quantity: str, scaled: bool, name: str = "") -> list[Mark]:
    """Return what was measured of a quantity: a curve, and dots with whiskers of two standard errors."""
    leading, ink, d_ks = numbers.state.scaled is scaled, INKS[scaled][0], numbers.d_ks
    values = numbers.values(quantity, scaled)
    errors = np.nan_to_num([2.0 * measure.error for measure in numbers.measures(quantity, scaled)])
    ends = (np.maximum(values - errors, LEAST).tolist(), (values + errors).tolist())
    dots = Points(name, d_ks.tolist(), values.tolist(), *ends, ink=ink, size=2.4, is_square=not scaled)
    dash = (0.0, 0.0) if scaled else (7.0, 3.0)
    return [Curve(d_ks, values, ink=ink, width=2.8 if leading else 1.8, dash=dash), dots]


def _labels(numbers: GrowthPicture, scaled: bool) -> list[Mark]:
    """Return the number at the d_k that is looked at, and where the curves are furthest apart what they are called."""
    ink, values, index = INKS[scaled][1], numbers.values("largest", scaled), numbers.nearest(numbers.state.d_k)
    here = numbers.points[index]
    apart = np.abs(numbers.values("largest", False) - numbers.values("largest", True))
    apart[max(index - 2, 0) : index + 3] = -1.0
    apart[-5:] = -1.0  # a name there would have to turn back
    named = int(np.argmax(apart))
    return [
        Label(here.d_k, float(values[index]), measured(here.of(scaled).largest), ink, 16.0, bold=True),
        Label(numbers.points[named].d_k, float(values[named]), _name(scaled), ink, 15.0),
    ]


def _spread(numbers: GrowthPicture) -> Plot:
    """Return the standard deviations, with what theory predicts."""
    found = [*numbers.values("std", False), *numbers.values("std", True)]
    predicted = [numbers.predicted_stds(scaled) for scaled in (False, True)]
    up = Axis(*log_bounds([*found, *predicted[0], *predicted[1]], LEAST), log=10, grid=True)
    dotted = (Curve(numbers.d_ks, stds, ink="muted", width=1.2, dash=(1.4, 3.0)) for stds in predicted)
    marks = [*_curve(numbers, "std", False)[:1], *_curve(numbers, "std", True)[:1], *dotted]
    return _plot(SPREAD, numbers, Axis(*ENDS, log=2), up, [*marks, Line(numbers.state.d_k, dash=(1.4, 3.0))])
