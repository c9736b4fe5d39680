"""Why scores are divided by √d_k: at one d_k, over one axis, and against d_k; and what the softmax makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_explorer.core.map_picture import ColourScale, FloatArray, MapPicture, ScaleKind
from attention_explorer.core.numerals import counted, grouped, percent, plain
from attention_explorer.kit.drawing.log_axis import log_bounds
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.item import SIDEWAYS
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.items.plot import Plot, next_stop
from attention_explorer.kit.items.plot_marks import Axis, Bars, Bracket, Curve, Handle, Label, Line, Mark, Points
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Change, Hit, Item, Panel, Picture, Value
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab import scores
from attention_explorer.pages.lab import scores_growth as growth
from attention_explorer.pages.lab import scores_growth as said
from attention_explorer.pages.lab.score_rows import TAIL, draws_possible
from attention_explorer.pages.lab.scores import ScoresPicture
from attention_explorer.pages.lab.scores_growth import STOPS, GrowthPicture
from attention_explorer.pages.lab.scores_state import ScalingState

FORMULA = "α = softmax({[q:query]{q}·[k:key]{k}}/{√d_k})"
FORMULA_OF_SPREAD = "σ([q:query]{q}·[k:key]{k}) = √d_k"
STROKES, INKS = {False: "loss", True: "text"}, {False: "loss_ink", True: "text"}
"""What scores as they come (False) and divided (True) are drawn with, and written with."""
NAMES = {False: "Scores as they come", True: "Scores ÷ √d_k"}
MAPS = {False: "Weights, scores as they come", True: "Weights, scores ÷ √d_k"}
MEASURED = "Measured"
END = "d_k"
"""The handle at the end of the bracket."""
CURVE_POINTS = 321
DOTS = (1.4, 3.0)
ROOM = 1.28
"""The height of the plot over its highest bar: the bracket and words have room above."""
LARGEST, SPREAD = "Mean largest weight", "Spread of the scores"
ENDS = 0.87, 590.0
"""Of the axis of d_k: some room on both sides of those that are measured."""
LEAST = 1e-8
SHARES = tuple((share / 5, plain(share / 5, 1)) for share in range(6))


class Why(Picture[ScalingState, ScoresPicture]):
    """Two histograms over one axis; each over its own, if the state says so."""

    truths = (
        "Of independent entries with variance 1, q·k spreads by √d_k, and divided by √d_k by 1 at every d_k.",
        "Made as x·W, scaled scores spread by about d_model·σ_w²: the gain decides, not d_k, unless d_model follows.",
        "With Q = K = X every token finds itself, scaled or not: x·x is d_k on average, x·y of two tokens 0.",
    )
    axes = "histogram: left edge, right edge, count; measured quantities: value, standard error"
    stream = staticmethod(scores.scores_stream)
    compute = staticmethod(scores.scores_picture)
    is_quick = staticmethod(scores.is_quick)
    headline = staticmethod(said.scores_headline)
    says = staticmethod(said.scores_said)
    arrays = staticmethod(scores.scores_numbers)

    def made_of(self, state: ScalingState) -> tuple[str, ...]:
        draws = draws_possible(state.setting, state.draws, scores.MOST_NUMBERS)
        return "entries of variance 1", f"draws = {grouped(draws)}"

    def item(self, numbers: ScoresPicture) -> Item[Any]:
        leading = numbers.state.scaled
        if numbers.state.shared_axis:
            return _plot(numbers, (not leading, leading), "Scores", "score")
        return Above(tuple(_plot(numbers, (scaled,), NAMES[scaled], NAMES[scaled].lower()) for scaled in (False, True)))

    def panel(self, numbers: ScoresPicture) -> Panel:
        names = {False: said.AS_THEY_COME, True: said.divided(numbers.setting.d_k)}
        readings = tuple(
            Reading(percent(numbers.of(scaled).summary.saturated.value), names[scaled], INKS[scaled])
            for scaled in (False, True)
        )
        maps = tuple(
            Map(MAPS[scaled], _weights(numbers.first_weights(scaled)), is_bare=True) for scaled in (False, True)
        )
        sentence = "A single key has the weight 1, whatever its score."
        if numbers.setting.keys > 1:
            rows = f"The maps have {len(numbers.rows)} rows of {numbers.setting.keys} weights."
            sentence = f"{rows} Where one key takes over 99 %, the slope is almost 0: nothing is learned."
        title = "Rows with one winner"
        return Panel(title, (Readings(title, readings), Beside(maps)), sentence, FORMULA)

    def words(self, numbers: ScoresPicture, hit: Hit) -> str:
        if hit.item in MAPS.values():
            return said.weight_words(numbers, *hit.part)
        if hit.item == MEASURED:
            return ", ".join(self.table(numbers).rows[hit.part])
        if hit.part == END:
            std = numbers.raw.summary.std.value
            return f"d_k = {numbers.setting.d_k}: standard deviation {plain(std)} · drag, or ← and → for another d_k"
        if hit.item == NAMES[True]:
            return said.score_words(numbers, hit.part.x, (True,))
        return said.score_words(numbers, hit.part.x, (False,) if hit.item == NAMES[False] else (False, True))

    def table(self, numbers: ScoresPicture) -> Table:
        """Return all that was measured."""
        raw, scaled = numbers.raw, numbers.scaled
        return measured_table(
            said.measured_rows(raw.summary, scaled.summary, (raw.predicted_std, scaled.predicted_std)),
            numbers.setting.d_k,
        )

    def changed(self, state: ScalingState, numbers: ScoresPicture, hit: Hit, to: Value) -> Change[ScalingState] | None:
        if hit.part != END:
            return None
        ends = {d_k: _centre(state, d_k) + state.setting_at(d_k).predicted_std(False) for d_k in STOPS}
        return _with_d_k(state, min(STOPS, key=lambda d_k: abs(ends[d_k] - to[0])))

    def press(self, state: ScalingState, numbers: ScoresPicture, key: int) -> Change[ScalingState] | None:
        turn = SIDEWAYS.get(key)
        return None if turn is None else _with_d_k(state, round(next_stop(STOPS, state.d_k, turn)))


def measured_table(rows: tuple[tuple[str, ...], ...], d_k: int) -> Table:
    """Return what was measured at a d_k, as scores come and divided."""
    columns = Column("measured"), Column(said.AS_THEY_COME, is_right=True)
    return Table(MEASURED, (*columns, Column(f"÷ √{d_k}", is_right=True)), rows, fills=False)


# ---- The histograms ----


def _plot(numbers: ScoresPicture, drawn: tuple[bool, ...], name: str, title: str) -> Plot:
    """Return the raw (False) or scaled (True) scores that are drawn, the hindmost first, over one axis."""
    low, high = numbers.axis_ends(drawn[-1])
    top = ROOM * _highest(numbers, drawn)
    marks: list[Mark] = []
    for scaled in drawn:
        marks += _histogram(numbers, scaled, leading=scaled is drawn[-1])
    marks += _tail(numbers, low, high) if False in drawn else []
    for scaled in drawn:
        is_overlaid = scaled and len(drawn) > 1
        marks += [_beside(numbers, low, high, top)] if is_overlaid else _bracket(numbers, scaled, high, top)
    beyond = max(numbers.beyond(scaled) for scaled in drawn)
    if beyond >= 1e-4:
        text = f"{said.share(beyond)} beyond the axis"
        marks.append(Label(high, 0.5 * top, text, "muted", fixed=True, anchor=(1.0, 0.5)))
    if False in drawn:
        marks.append(Label(low, top, "dotted: predicted", "muted", 12.0, fixed=True, anchor=(0.0, 0.0), has_halo=False))
    return Plot(name, Axis(low, high, title, grid=True), Axis(0.0, top, is_bare=True), tuple(marks), has_legend=False)


def _highest(numbers: ScoresPicture, drawn: tuple[bool, ...]) -> float:
    """Return the highest bar; of raw scores that lead, that of theirs, now or at the d_k for which the axes are held.

    Scaled ones are cut off then: else nothing could be seen of how wide raw ones are spread.
    """
    if drawn[-1]:
        return max(float(numbers.densities(scaled).max()) for scaled in drawn)
    held = numbers.state.setting_at(numbers.state.axis_d_k or numbers.state.d_k)
    predicted = float(scores.predicted_density(held, False, np.linspace(*numbers.axis_ends(False), CURVE_POINTS)).max())
    return max(float(numbers.densities(False).max()), predicted if held != numbers.setting else 0.0)


def _histogram(numbers: ScoresPicture, scaled: bool, *, leading: bool) -> tuple[Mark, ...]:
    edges, ink, fill = numbers.bin_edges(scaled), STROKES[scaled], (0.45, 0.75)[scaled] if leading else 0.25
    points = np.linspace(edges[0], edges[-1], CURVE_POINTS)
    curve = scores.predicted_density(numbers.setting, scaled, points)
    return (
        Curve(edges, numbers.densities(scaled), ink=ink, width=1.6, fill=fill, is_stepped=True),
        Curve(points, curve, ink=INKS[scaled], width=1.2, dash=DOTS),
    )


def _tail(numbers: ScoresPicture, low: float, high: float) -> list[Mark]:
    """Return lines at ±30, where the axis reaches so far, and darker bars beyond."""
    if not low < TAIL < high:
        return []
    edges, tops = numbers.bin_edges(False), numbers.densities(False)
    sides = (np.maximum(edges[:-1], TAIL), edges[1:]), (edges[:-1], np.minimum(edges[1:], -TAIL))
    marks: list[Mark] = []
    for lows, highs in sides:
        seen = lows < highs
        ends = lows[seen].tolist(), highs[seen].tolist()
        marks.append(Bars(*ends, tops[seen].tolist(), ink="loss", opacity=0.6))
    beyond = f"{said.share(numbers.raw.summary.tail.value)} beyond ±30"
    return [*marks, *(Line(end, text=beyond if end > 0 else "", dash=DOTS) for end in (-TAIL, TAIL) if low < end)]


def _bracket(numbers: ScoresPicture, scaled: bool, high: float, top: float) -> tuple[Mark, ...]:
    """Return ± one standard deviation with its number, and the end of that of raw scores, which is dragged."""
    ink, y = STROKES[scaled], _above(numbers, scaled, top)
    std = numbers.of(scaled).summary.std.value
    centre = _centre(numbers.state, numbers.setting.d_k) / (numbers.root if scaled else 1.0)
    end, up = centre + std, 0.5 if centre + std < 0.6 * high else 1.0
    label = replace(_named(numbers, scaled), x=end, y=y, anchor=(0.0, up), gap=14.0)
    return Bracket(centre - std, end, y, ink), label, *(() if scaled or end > high else (Handle(END, end, y, ink=ink),))


def _above(numbers: ScoresPicture, scaled: bool, top: float) -> float:
    """Return the height of a bracket: just above the bars."""
    return min(float(numbers.densities(scaled).max()) + 0.07 * top, 0.9 * top)


def _beside(numbers: ScoresPicture, low: float, high: float, top: float) -> Label:
    """Return what scaled scores are called, beside where they are at its height, and clear of the bracket."""
    peak, bracket = float(numbers.densities(True).max()), _above(numbers, False, top)
    y = min(0.75 * peak, 0.93 * top)
    if abs(y - bracket) < 0.1 * top:
        y = bracket + 0.1 * top
    edges, as_high = numbers.bin_edges(True), np.flatnonzero(numbers.densities(True) >= min(y, peak))
    left, right = float(edges[as_high[0]]), float(edges[as_high[-1] + 1])
    is_left = left - low > 0.3 * (high - low)
    label = replace(_named(numbers, True), y=y, fixed=True, gap=12.0)
    return replace(label, x=left, anchor=(1.0, 0.5)) if is_left else replace(label, x=right)


def _named(numbers: ScoresPicture, scaled: bool) -> Label:
    name = said.divided(numbers.setting.d_k) if scaled else said.AS_THEY_COME
    text = f"{name}\n± {plain(numbers.of(scaled).summary.std.value)}"
    return Label(0.0, 0.0, text, INKS[scaled], 16.0, bold=True, fixed=True)


def _centre(state: ScalingState, d_k: int) -> float:
    """Return the mean of raw scores: with Q = K = X one score in as many as there are keys is about d_k."""
    return d_k / state.keys if state.source is ScoreSource.EMBEDDINGS else 0.0


def _weights(weights: FloatArray) -> MapPicture:
    rows, keys = (tuple(str(number + 1) for number in range(count)) for count in weights.shape)
    scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "weight")
    return MapPicture(weights, np.zeros(weights.shape, bool), scale, "viridis", rows, keys)


def _with_d_k(state: ScalingState, d_k: int) -> Change[ScalingState]:
    return Change(state.with_d_k(d_k), "Change d_k", "d_k")


# ---- Against d_k ----


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
            marks += _curve(numbers, "largest", scaled, name=_title_of(scaled))
        for scaled in (False, True):
            marks += _labels(numbers, scaled)
        marks.append(Handle("d_k", d_k, stops=growth.STOPS))
        across = Axis(*ENDS, "d_k, features of a query", log=2)
        return _measured_plot(LARGEST, numbers, across, Axis(0.0, 1.06, ticks=SHARES, grid=True), marks)

    def panel(self, numbers: GrowthPicture) -> Panel:
        d_k = numbers.state.d_k
        here = numbers.points[numbers.nearest(d_k)]
        names = said.AS_THEY_COME, said.divided(here.d_k)
        readings = tuple(
            Reading(plain(here.of(scaled).largest.value, 3), names[scaled], INKS[scaled]) for scaled in (False, True)
        )
        spread = Above((Title("", SPREAD, size=13.0), _spread(numbers)), gap=0)
        return Panel(
            f"Largest weight at d_k = {here.d_k}{'' if here.d_k == d_k else f', nearest to {d_k}'}",
            (Readings("Largest weight", readings), spread),
            f"Means over rows of {counted(numbers.state.keys, 'key')}. "
            "The wider the scores are spread, the more the largest takes.",
            FORMULA_OF_SPREAD if numbers.state.source is ScoreSource.DIRECT else "",
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


def _title_of(scaled: bool) -> str:
    return "divided by √d_k" if scaled else said.AS_THEY_COME


def _measured_plot(name: str, numbers: GrowthPicture, across: Axis, up: Axis, marks: list[Mark]) -> Plot:
    def measured_at(d_k: float) -> float:
        return float(numbers.points[numbers.nearest(d_k)].d_k)

    return Plot(name, across, up, tuple(marks), snap=measured_at, stops=growth.STOPS, has_legend=False)


def _curve(numbers: GrowthPicture, quantity: str, scaled: bool, name: str = "") -> list[Mark]:
    """Return what was measured of a quantity: a curve, and dots with whiskers of two standard errors."""
    leading, ink, d_ks = numbers.state.scaled is scaled, STROKES[scaled], numbers.d_ks
    values = numbers.values(quantity, scaled)
    errors = np.nan_to_num([2.0 * measure.error for measure in numbers.measures(quantity, scaled)])
    ends = (np.maximum(values - errors, LEAST).tolist(), (values + errors).tolist())
    dots = Points(name, d_ks.tolist(), values.tolist(), *ends, ink=ink, size=2.4, is_square=not scaled)
    dash = (0.0, 0.0) if scaled else (7.0, 3.0)
    return [Curve(d_ks, values, ink=ink, width=2.8 if leading else 1.8, dash=dash), dots]


def _labels(numbers: GrowthPicture, scaled: bool) -> list[Mark]:
    """Return the number at the d_k that is looked at, and where the curves are furthest apart what they are called."""
    ink, values, index = INKS[scaled], numbers.values("largest", scaled), numbers.nearest(numbers.state.d_k)
    here = numbers.points[index]
    apart = np.abs(numbers.values("largest", False) - numbers.values("largest", True))
    apart[max(index - 2, 0) : index + 3] = -1.0
    apart[-5:] = -1.0  # a name there would have to turn back
    named = int(np.argmax(apart))
    name = Label(numbers.points[named].d_k, float(values[named]), _title_of(scaled), ink, 15.0)
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
    return _measured_plot(SPREAD, numbers, Axis(*ENDS, log=2), up, [*marks, Line(numbers.state.d_k, dash=(1.4, 3.0))])
