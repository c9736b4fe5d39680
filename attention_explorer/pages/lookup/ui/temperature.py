"""The weights against the temperature: one slider as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_explorer.core.numbers_export import Table
from attention_explorer.core.numerals import coordinate, percent
from attention_explorer.core.temperature import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.kit.items.item import Arrays, Hit, Item, Value
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.pages.lookup import sums, wording
from attention_explorer.pages.lookup.numbers import SAMPLES, LookupFrame, sampled
from attention_explorer.pages.lookup.state import HARD_HAS_NONE, LookupState
from attention_explorer.pages.lookup.ui.pictures import PlanePicture, weight_bars

CURVES, NOW = "Weights against temperature", "temperature"
_DASHES = ((0.0, 0.0), (7.0, 4.0), (2.0, 3.0), (10.0, 2.0))
_TICKS = tuple((number, coordinate(number)) for number in (0.01, 0.1, 1.0, 10.0, 100.0))


class WeightsByTemperature(Picture[LookupState, LookupFrame]):
    """A curve per key: its weight at every temperature; the line at the present one is dragged."""

    compute = PlanePicture.compute
    is_quick = staticmethod(PlanePicture.is_quick)
    axes = "weights: key, temperature"

    def item(self, numbers: LookupFrame) -> Item[Any]:
        # Not before it is looked at: a drawing library would delay the first picture.
        from attention_explorer.kit.items.axis import Axis
        from attention_explorer.kit.items.plot import Plot
        from attention_explorer.kit.items.plot_marks import Curve, Handle, Label, Mark

        temperatures, weights = sampled(numbers)
        marks: list[Mark] = []
        for i, row in enumerate(weights.T):
            marks.append(Curve(temperatures, row, ink="key", width=2.2, dash=_DASHES[i % len(_DASHES)]))
            at = (4 + 6 * i) * len(temperatures) // SAMPLES  # side by side: at the left curves run together
            marks.append(Label(float(temperatures[at]), float(row[at]), sums.key_name(i), "key_ink", bold=True))
        if not numbers.state.hard:
            marks.append(Handle(NOW, numbers.state.temperature, text=f"T = {numbers.state.temperature:g}"))
        across = Axis(LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE, "temperature T (logarithmic)", 10, ticks=_TICKS)
        return Plot(CURVES, across, Axis(0.0, 1.0, "weight α", grid=True), tuple(marks), has_legend=False)

    def headline(self, numbers: LookupFrame) -> str:
        words = wording.headline(numbers)
        return words if numbers.state.hard else f"At temperature {numbers.state.temperature:g}, {words}"

    def panel(self, numbers: LookupFrame) -> Panel:
        ends = "Towards 0 the highest score takes all, as in a hard lookup; upwards the weights become even."
        sentence = f"{HARD_HAS_NONE} These are the soft weights." if numbers.state.hard else ends
        formula = "α_i = {exp(s_i / T)}/{Σ_j exp(s_j / T)}"
        return Panel("One slider from hard to even", (weight_bars(numbers),), sentence, formula)

    def words(self, numbers: LookupFrame, hit: Hit) -> str:
        if hit.item != CURVES:
            return PlanePicture().words(numbers, hit)
        temperature = numbers.state.temperature if hit.part == NOW else float(f"{hit.part.x:.3g}")
        weights = numbers.weights_at(np.array([temperature]))[0]
        said = (f"{sums.key_name(i)} {percent(float(weight))}" for i, weight in enumerate(weights))
        return f"temperature {temperature:g}: {', '.join(said)}"

    def changed(self, state: LookupState, _numbers: LookupFrame, hit: Hit, to: Value) -> Change[LookupState] | None:
        if hit.item != CURVES:
            return None
        return Change(state.with_temperature(float(f"{to[0]:.3g}")), "Change temperature", "temperature")

    def arrays(self, numbers: LookupFrame) -> Arrays:
        temperatures, weights = sampled(numbers)
        return {"weights": weights.T, "temperature": temperatures}

    def lines(self, numbers: LookupFrame) -> Table:
        temperatures, weights = sampled(numbers)
        names = ("temperature", *(sums.key_name(i) for i in range(weights.shape[1])))
        return Table.of(names, [(float(t), *map(float, row)) for t, row in zip(temperatures, weights, strict=True)])
