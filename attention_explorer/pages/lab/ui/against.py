"""What becomes of the weights as d_k grows: scores as they come, and divided by √d_k."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_explorer.core.numerals import counted, grouped, plain
from attention_explorer.kit.drawing.log_axis import log_bounds
from attention_explorer.kit.items.axis import Axis
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import Hit, Item, Value
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import Curve, Handle, Label, Line, Mark, Points
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab import scores_growth as growth
from attention_explorer.pages.lab import scores_said as said
from attention_explorer.pages.lab.scores_growth import GrowthPicture
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.ui.why import MEASURED, Why, measured_table

FORMULA = "σ([q:query]{q}·[k:key]{k}) = √d_k"
LARGEST, SPREAD = "Mean largest weight", "Spread of the scores"
ENDS = 0.87, 590.0
"""Of the axis of d_k: some room on both sides of those that are measured."""
LEAST = 1e-8
INKS = {False: ("loss", "loss_ink"), True: ("text", "text")}


class AgainstD(Picture[ScalingState, GrowthPicture]):
    """The mean largest weight against d_k, with a line at one of them that is dragged."""

    truths = Why.truths
    axes = "one row for each d_k; measured quantities: value, standard error"
    stream = staticmethod(growth.growth_stream)
    compute = staticmethod(growth.growth_picture)
    is_quick = staticmethod(growth.is_measured)
    headline = staticmethod(said.growth_headline)
    says = staticmethod(said.growth_said)
    arrays = staticmethod(growth.growth_numbers)

    def made_of(self, state: ScalingState) -> tuple[str, ...]:
        return "entries of variance 1", f"up to {grouped(state.draws)} draws at each d_k"

    def item(self, numbers: GrowthPicture) -> Item[Any]:
        keys, d_k, marks = numbers.state.keys, numbers.state.d_k, list[Mark]()
        marks.append(Line(1.0 / keys, level=True, text=f"uniform: 1/{keys}", dash=(0.0, 0.0)))
        for scaled in (not numbers.state.scaled, numbers.state.scaled):
            marks += _curve(numbers, "largest", scaled, name=_name(scaled))
        for scaled in (False, True):
            marks += _labels(numbers, scaled)
        marks.append(Handle("d_k", d_k, stops=growth.STOPS))
        across = Axis(*ENDS, "d_k, features of a query", log=2)
        return _plot(LARGEST, numbers, across, Axis(0.0, 1.06, ticks=_SHARES, grid=True), marks)

    def panel(self, numbers: GrowthPicture) -> Panel:
        d_k = numbers.state.d_k
        here = numbers.points[numbers.nearest(d_k)]
        names = said.AS_THEY_COME, said.divided(here.d_k)
        readings = tuple(
            Reading(plain(here.of(scaled).largest.value, 3), names[scaled], INKS[scaled][1]) for scaled in (False, True)
        )
        spread = Above((Title("", SPREAD, size=13.0), _spread(numbers)), gap=0)
        return Panel(
            f"Largest weight at d_k = {here.d_k}{'' if here.d_k == d_k else f', nearest to {d_k}'}",
            (Readings("Largest weight", readings), spread),
            f"Means over rows of {counted(numbers.state.keys, 'key')}. "
            "The wider the scores are spread, the more the largest takes.",
            FORMULA if numbers.state.source is ScoreSource.DIRECT else "",
        )

    def words(self, numbers: GrowthPicture, hit: Hit) -> str:
        if hit.item == MEASURED:
            return ", ".join(self.table(numbers).rows[hit.part])
        d_k = numbers.state.d_k if isinstance(hit.part, str) else hit.part.x
        point = numbers.points[numbers.nearest(d_k)]
        return said.growth_words(point, "std" if hit.item == SPREAD else "largest")

    def table(self, numbers: GrowthPicture) -> Table:
        """Return all that was measured at the d_k that is looked at."""
        here = numbers.points[numbers.nearest(numbers.state.d_k)]
        predicted = here.setting.predicted_std(False), here.setting.predicted_std(True)
        return measured_table(said.measured_rows(here.raw, here.scaled, predicted), here.d_k)

    def changed(self, state: ScalingState, numbers: GrowthPicture, hit: Hit, to: Value) -> Change[ScalingState] | None:
        if hit.item != LARGEST:
            return None
        return Change(state.with_d_k(numbers.points[numbers.nearest(to[0])].d_k), "Change d_k", "d_k")


_SHARES = tuple((share / 5, plain(share / 5, 1)) for share in range(6))


def _name(scaled: bool) -> str:
    return "divided by √d_k" if scaled else said.AS_THEY_COME


def _plot(name: str, numbers: GrowthPicture, across: Axis, up: Axis, marks: list[Mark]) -> Plot:
    def measured_at(d_k: float) -> float:
        return float(numbers.points[numbers.nearest(d_k)].d_k)

    return Plot(name, across, up, tuple(marks), snap=measured_at, stops=growth.STOPS, has_legend=False)


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
    name = Label(numbers.points[named].d_k, float(values[named]), _name(scaled), ink, 15.0)
    texts = {each: said.measured(here.of(each).largest) for each in (False, True)}
    if not scaled and texts[False] == texts[True]:
        return [name]  # one number says both, and two beside one place would cross the curves
    return [Label(here.d_k, float(values[index]), texts[scaled], ink, 16.0, bold=True), name]


def _spread(numbers: GrowthPicture) -> Plot:
    """Return the standard deviations, with what theory predicts."""
    found = [*numbers.values("std", False), *numbers.values("std", True)]
    predicted = [numbers.predicted_stds(scaled) for scaled in (False, True)]
    up = Axis(*log_bounds([*found, *predicted[0], *predicted[1]], LEAST), log=10, grid=True)
    dotted = (Curve(numbers.d_ks, stds, ink="muted", width=1.2, dash=(1.4, 3.0)) for stds in predicted)
    marks = [*_curve(numbers, "std", False)[:1], *_curve(numbers, "std", True)[:1], *dotted]
    return _plot(SPREAD, numbers, Axis(*ENDS, log=2), up, [*marks, Line(numbers.state.d_k, dash=(1.4, 3.0))])
