"""Norm: what comes out of a norm against the size of the row that goes in, with ε under the root and beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import plain
from attention_explorer.kit.items.axis import Axis
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Bars, Curve, Handle, Label, Line, Mark, Points
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Change, Hit, Item, Panel, Picture, Value
from attention_explorer.model import NormKind
from attention_explorer.pages.lab import norm
from attention_explorer.pages.lab.norm import NormPicture
from attention_explorer.pages.stack.numerals import brief
from attention_explorer.pages.stack.state import BlockState

CURVES, BEFORE, AFTER = "Size that comes out", "One row, before", "The same row, after"
DIVISORS = {True: "√{σ² + ε}", False: "σ + ε"}
"""What is divided by, in the notation of `core/formula_text.py`."""
LABELLED = {True: 0.3, False: 0.8}
"""How high the names of the curves stand."""
DASHES = (7.0, 4.0)
TICKS = tuple((fifth / 5, f"{fifth / 5:g}") for fifth in range(6))
MARGIN = 76.0
"""Pixels at zoom 1 left of the rows: the same feature stands above itself."""
FEATURE = Axis(0.0, float(norm.FEATURES), is_bare=True)


class NormSize(Picture[BlockState, NormPicture]):
    """The curves of both places of ε; the size of the row is dragged."""

    truths = (
        "The place of ε only matters for small rows: ÷ √(σ² + ε) brings a row with σ = √ε to 0.707, ÷ (σ + ε) one with "
        "σ = ε to 0.5. Without ε both divide by σ alone.",
    )
    compute = staticmethod(norm.norm_picture)
    says = staticmethod(norm.norm_sentences)
    arrays = staticmethod(norm.norm_numbers)

    def made_of(self, _state: BlockState) -> tuple[str, ...]:
        return (f"rows of {norm.FEATURES} random features with mean 0",)

    def item(self, numbers: NormPicture) -> Plot:
        scale = numbers.scale
        outs = tuple(numbers.output_std(inside, scale) for inside in (True, False))
        marks: list[Mark] = [*_borders(numbers)]
        for inside in (not numbers.state.eps_inside_sqrt, numbers.state.eps_inside_sqrt):  # that of the layer on top
            marks += _curve(numbers, inside)
        marks.append(Handle("size of the row", scale, stops=norm.SCALES))
        marks.append(Points("what comes out", (scale, scale), outs))
        marks += [Label(scale, out, plain(out, 3), size=17.0, bold=True) for out in sorted(set(outs))]
        across = Axis(
            norm.LEAST_SCALE, norm.LARGEST_SCALE, "size σ of the row that goes in (standard deviation)", log=10
        )
        up = Axis(0.0, 1.12, f"size that comes out of the {_kind(numbers.state)}", ticks=TICKS, grid=True)
        return Plot(CURVES, across, up, tuple(marks), snap=norm.scale_at, has_legend=False)

    def headline(self, numbers: NormPicture) -> str:
        return norm.norm_headline(numbers.state)

    def panel(self, numbers: NormPicture) -> Panel:
        readings = tuple(
            Reading(plain(numbers.output_std(inside, numbers.scale), 3), f"÷ {norm.FORMULAS[inside][2:]}")
            for inside in (False, True)
        )
        state = numbers.state
        items = Readings("What comes out", readings), _rows(numbers)
        return Panel(f"A row of size {brief(numbers.scale)}", items, norm.norm_panel(state), _formula(state))

    def words(self, numbers: NormPicture, hit: Hit) -> str:
        if hit.item != CURVES:
            return norm.bar_words(numbers, int(hit.part.x))
        is_free = isinstance(hit.part, At) and not hit.part.points
        return norm.norm_words(numbers, hit.part.x if is_free else numbers.scale)

    def changed(self, state: BlockState, _numbers: NormPicture, hit: Hit, to: Value) -> Change[BlockState] | None:
        if hit.item != CURVES:
            return None
        return Change(replace(state, norm_scale=norm.scale_at(to[0])), "Move the size of the row", "size of the row")


def _formula(state: BlockState) -> str:
    row = "x − mean" if state.norm_kind is NormKind.LAYER else "x"
    return f"y = {{{row}}}/{{{DIVISORS[state.eps_inside_sqrt]}}}"


def _kind(state: BlockState) -> str:
    return norm.norm_name(state).replace("Layer", "layer")


def _curve(numbers: NormPicture, inside: bool) -> list[Mark]:
    """Return the curve of one place of ε with its name: solid under the root, dashed beside it."""
    leads = inside is numbers.state.eps_inside_sqrt
    ink, y = "text" if leads else "muted", numbers.curves[inside]
    curve = Curve(numbers.scales, y, ink=ink, width=2.8 if leads else 2.0, dash=(0.0, 0.0) if inside else DASHES)
    at = int(np.argmin(np.abs(y - LABELLED[inside])))
    if not numbers.state.eps:
        return [curve, Label(1.0, 1.0, "÷ σ", size=15.0)] if leads else []
    return [curve, Label(float(numbers.scales[at]), float(y[at]), norm.FORMULAS[inside], ink, 15.0, bold=leads)]


def _borders(numbers: NormPicture) -> list[Line]:
    """Return lines at the sizes from which on ε counts."""
    eps = numbers.state.eps
    found = {eps**0.5: f"√ε = {brief(eps**0.5)}", eps: f"ε = {brief(eps)}"}
    return [Line(at, text=text) for at, text in found.items() if norm.LEAST_SCALE < at < norm.LARGEST_SCALE]


def _rows(numbers: NormPicture) -> Item[Any]:
    """Return the row as bars, and below it what becomes of it: wide with ε beside the root, narrow under it."""
    after = numbers.after
    most = max(1.0, *(float(np.abs(after[inside]).max()) for inside in after))
    before = _row(BEFORE, (_bars(numbers.row, 0.35, "muted", 0.8),), float(np.abs(numbers.row).max()) or 1.0)
    both = _row(AFTER, (_bars(after[False], 0.35, "muted", 0.45), _bars(after[True], 0.2, "text", 0.9)), most)
    titles = {BEFORE: "before", AFTER: "after: wide ÷ (σ + ε), narrow ÷ √(σ² + ε)"}
    first, second = (Title(f"{name}: title", text, size=13.0) for name, text in titles.items())
    return Above((first, before, second, both), gap=4)


def _row(name: str, bars: tuple[Bars, ...], end: float) -> Plot:
    said = brief(float(f"{end:.2g}"))
    up = Axis(-end, end, ticks=((-end, f"−{said}"), (0.0, "0"), (end, f"+{said}")))
    return Plot(
        name,
        FEATURE,
        up,
        (Line(0.0, level=True, ink="axis", dash=(0.0, 0.0)), *bars),
        snap=lambda x: min(int(x), norm.FEATURES - 1) + 0.5,
        stops=[feature + 0.5 for feature in range(norm.FEATURES)],
        has_legend=False,
        margin=MARGIN,
    )


def _bars(values: FloatArray, half: float, ink: str, opacity: float) -> Bars:
    middles = np.arange(norm.FEATURES) + 0.5
    return Bars((middles - half).tolist(), (middles + half).tolist(), values.tolist(), ink=ink, opacity=opacity)
