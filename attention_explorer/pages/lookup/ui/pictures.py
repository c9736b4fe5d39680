"""The pictures of a lookup as the frame knows them: the plane, the way downhill, and the weights by temperature."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.numbers_export import Table
from attention_explorer.core.numerals import compact, coordinate, percent, scientific, signed
from attention_explorer.core.role import Role
from attention_explorer.core.weighing import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.items.item import Arrays, Hit, Item, Value
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup import sums, wording
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import SAMPLES, LookupFrame, sampled
from attention_explorer.pages.lookup.state import HARD_HAS_NONE, REST, LookupState, Part
from attention_explorer.pages.lookup.trail import losses, place_in
from attention_explorer.pages.lookup.ui.plane_foreground import paint_plane
from attention_explorer.pages.lookup.ui.plane_scene import PlaneScene, scene_for

WEIGHTS, LOSSES, GRADIENT = "Weights", "Loss of every step", "Loss and gradient"


class PlanePicture(Picture[LookupState, LookupFrame]):
    """The plane from edge to edge, and the weights as bars beside it. `LookupCanvas` is what hands do to it."""

    fills_card = True
    headline = staticmethod(wording.headline)
    says = staticmethod(wording.picture_says)

    @staticmethod
    def is_quick(state: LookupState) -> bool:
        """Whether a row is there already, or nearly so."""
        if state.row is None:
            return True
        from attention_explorer.pages.lookup.open_row import is_quick

        return is_quick(state.row)

    def compute(self, state: LookupState, _pixels: tuple[int, int]) -> LookupFrame:
        frame = lookup_frame(state)
        if frame.row is not None:
            _ = frame.row.names, frame.row.hint  # of a long text these take a while too
        return frame

    def layout(self, numbers: LookupFrame, look: Look, room: QRectF) -> Any:  # noqa: ANN401 # a `PlaneScene`
        return scene_for(numbers.state, look, room.width(), room.height())

    def held(self, numbers: LookupFrame, look: Look, room: QRectF, _pressed: object) -> Any:  # noqa: ANN401 # the same
        return self.layout(numbers, look, room)

    def paint(self, painter: QPainter, _numbers: LookupFrame, laid: Any, _look: Look, *, vector: bool = False) -> None:  # noqa: ANN401
        if isinstance(laid, PlaneScene):
            paint_plane(painter, laid)

    def spot_at(self, _numbers: LookupFrame, _laid: object, _place: QPointF) -> None:
        """Leave what is under the pointer to the canvas."""

    def panel(self, numbers: LookupFrame) -> Panel:
        return self.panel_about(numbers, None)

    def panel_about(self, frame: LookupFrame, key: int | None) -> Panel:
        """Return what stands beside the plane, with the arithmetic of one key: of the heaviest if none is chosen."""

        def formula() -> str:
            return "\n".join(sums.sum_formulas(frame, int(frame.weights.argmax()) if key is None else key))

        return Panel(self.headline(frame), (weight_bars(frame, key),), wording.striking(frame), formula)

    def words(self, numbers: LookupFrame, hit: Hit) -> str:
        return wording.spot_in_words(numbers, Part(Role.KEY, hit.part)) if hit.item == WEIGHTS else ""


def weight_bars(frame: LookupFrame, key: int | None = None) -> NamedBars:
    """Return the weights as bars, with the score that each comes from."""
    names = ("",) * len(frame.weights) if frame.row is None else frame.row.names
    bars = tuple(
        Bar(
            Part(Role.KEY, i).symbol,
            float(weight),
            "" if i == REST else _short(float(frame.scores[i])),
            percent(float(weight)),
            names[i],
            i in frame.winners,
        )
        for i, weight in enumerate(frame.weights)
    )
    return NamedBars(WEIGHTS, (sums.score_name(frame), "weight α"), bars, chosen=key)


def _short(score: float) -> str:
    return signed(score) if abs(score) < 1000 else compact(score, sign=True)


class GradientPicture(PlanePicture):
    """The same plane with a target for the output, and what the gradient says of the way to it."""

    headline = staticmethod(wording.gradient_headline)

    def panel_about(self, frame: LookupFrame, key: int | None) -> Panel:
        slope = "none" if frame.jump else f"{frame.gradient_norm:.3f}"
        loss = Reading(scientific(frame.loss), "loss L = ½|o − t|²", "loss_ink")
        readings = Readings(GRADIENT, (loss, Reading(slope, "|∂o/∂q|")), size=24.0)
        matrix = Title("Jacobian", wording.gradient_text(frame), size=13, bold=False)
        downhill = Title("Gradient of the loss", wording.loss_gradient_text(frame), size=13, bold=False)
        return Panel(
            self.headline(frame),
            (readings, matrix, downhill, *(_way(frame.state) or (weight_bars(frame, key),))),
            f"{wording.gradient_note(frame)} {wording.descent_note(frame)}",
        )


def _way(state: LookupState) -> tuple[Item[Any], ...]:
    """Return the loss of every step downhill, once there is a way."""
    place = place_in(state)
    if place is None:
        return ()
    # Not before there is one: a drawing library would delay the first picture.
    import numpy as np

    from attention_explorer.kit.items.plot import Plot
    from attention_explorer.kit.items.plot_marks import Axis, Curve, Line

    found = losses(state)
    last = max(len(found) - 1, 1)
    curve = Curve(np.arange(len(found), dtype=float), found, ink="loss")
    across = Axis(0.0, float(last), "step", is_whole=True)
    return (Plot(LOSSES, across, Axis(0.0, float(found.max()) or 1.0, "loss"), (curve, Line(float(place)))),)


# ---- Weights by temperature ----


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
        from attention_explorer.kit.items.plot import Plot
        from attention_explorer.kit.items.plot_marks import Axis, Curve, Handle, Label, Mark

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
