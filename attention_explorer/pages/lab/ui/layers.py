"""What a layer does to its numbers, alone: through 24 layers, in a norm, and as a linear function."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import counted, exact, plain, size_text
from attention_explorer.kit.drawing.log_axis import SMALLEST, log_bounds
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import SIDEWAYS
from attention_explorer.kit.items.map import RowsMap
from attention_explorer.kit.items.plot import Plot, next_stop
from attention_explorer.kit.items.plot_marks import At, Axis, Bars, Between, Curve, Handle, Label, Line, Mark, Points
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Change, Hit, Item, Panel, Picture, Value
from attention_explorer.kit.theme import Look
from attention_explorer.model import NormKind
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.lab import depth as measured
from attention_explorer.pages.lab import linear, norm
from attention_explorer.pages.lab.depth import DEPTHS, TABLE, DepthPicture, TableRow
from attention_explorer.pages.lab.linear import LinearPicture
from attention_explorer.pages.lab.norm import NormPicture
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.stack import is_quick, most_layers
from attention_explorer.pages.stack.state import MOST_LAYERS, BlockState
from attention_explorer.pages.stack.wording import ACTIVATION_NAMES, brief, heads_words, layer_parts, weights_words

ELSEWHERE = "Measured with PyTorch: the gradient, and the cosine of the tokens after 24 layers"
GRADIENT, LIKENESS = "Gradient against depth", "Likeness of the tokens against depth"
FORMULA = "{‖∂L / ∂x_in‖}/{‖∂L / ∂x_out‖}"
APART = 0.06
"""Of the height: stacks measured elsewhere are drawn where they end so far from this one and from one another."""
ROOM, LARGEST = 0.06, 1e200
"""The share of the axis that stays free at either end, and from which range on there is none to be had."""
NAMED_AT = 8
"""How deep the name of the stack stands."""
ACROSS = Axis(0.0, float(MOST_LAYERS), "layers gone through", is_whole=True)


class Depth(Picture[BlockState, DepthPicture]):
    """Curves of 24 layers; how many the page has is dragged."""

    truths = (
        "The residual prevents vanishing gradients with small weights and no norm.",
        "“They allow gradients to flow directly through the network” is not the whole story, as the table shows: with "
        "He’s weights a norm alone keeps the gradient, with or without the residual, and without a norm the gradient "
        "explodes in spite of the residual.",
        "After 24 layers with He’s weights and post-norm all tokens are alike, with or without the residual. With 0.02 "
        "the residual keeps them apart.",
        "All this is measured on random weights with a random gradient at the output, not in training.",
    )
    stream = staticmethod(measured.depth_stream)
    compute = staticmethod(measured.depth_picture)
    is_quick = staticmethod(measured.is_measured)
    headline = staticmethod(measured.depth_headline)
    says = staticmethod(measured.depth_sentences)
    arrays = staticmethod(measured.depth_numbers)

    def made_of(self, state: BlockState) -> tuple[str, ...]:
        setting = measured.depth_setting(state)
        stacks = f"{measured.DRAWS} random stacks of {setting.layers} layers", f"{measured.TOKENS} random tokens"
        sizes = f"d_model = {setting.d_model}", heads_words(setting.heads), f"d_ff = {setting.d_ff}"
        seeds = f"seeds {state.seed} to {(state.seed + measured.DRAWS - 1) % (LARGEST_SEED + 1)}"
        return *stacks, *sizes, ACTIVATION_NAMES[setting.activation], weights_words(state), seeds

    def item(self, numbers: DepthPicture) -> Plot:
        up, depth = _ratio_axis(numbers), _layers(numbers)
        ratio, named = (numbers.median("gradient_ratios", at) for at in (depth, NAMED_AT))
        marks: list[Mark] = [Line(1.0, level=True, ink="axis", dash=(0.0, 0.0))]
        for row in _rows_apart(numbers, up):
            marks.append(Points(row.title, DEPTHS, row.ratios, ink="muted", is_square=True, is_joined=True, size=3.0))
            marks.append(Label(DEPTHS[2], row.ratios[2], row.title.partition(", ")[2], "muted", 14.0))
        marks += _curves(numbers, "gradient_ratios")
        marks.append(Label(NAMED_AT, named, measured.stack_words(numbers.state), size=15.0, bold=True))
        marks += [Points(r.title, DEPTHS, r.ratios, is_square=True, is_filled=False) for r in _same(numbers)]
        is_drawn = numbers.state.learned is None  # layers that were learned are as many as there are
        marks.append(Handle("layers", depth, stops=range(1, MOST_LAYERS + 1)) if is_drawn else Line(depth))
        marks.append(Points("this many layers", (depth,), (ratio,), size=3.0))
        marks.append(Label(depth, ratio, f"× {brief(ratio)}", size=17.0, bold=True))
        return Plot(GRADIENT, ACROSS, up, tuple(marks), snap=round, has_legend=False)

    def panel(self, numbers: DepthPicture) -> Panel:
        depth = _layers(numbers)
        ratio, cosine = (numbers.median(quantity, depth) for quantity in ("gradient_ratios", "token_cosines"))
        readings = Reading(f"× {brief(ratio)}", "gradient norm"), Reading(plain(cosine, 3), "likeness of tokens")
        heading = Title("Likeness: title", "Likeness: mean cosine of tokens", size=13.0)
        small = Above((heading, _likeness(numbers)), gap=0)
        title = f"At the line: {counted(depth, 'layer')}"
        return Panel(
            title, (Readings("Gradient and likeness", readings), small), measured.depth_panel(numbers), FORMULA
        )

    def words(self, numbers: DepthPicture, hit: Hit) -> str:
        if hit.item == ELSEWHERE:
            return measured.row_words(numbers, TABLE[hit.part])
        row = next((row for row in TABLE if isinstance(hit.part, At) and row.title == hit.part.points), None)
        if row is not None:
            return measured.row_words(numbers, row)
        return measured.depth_words(numbers, int(hit.part.x) if isinstance(hit.part, At) else _layers(numbers))

    def table(self, numbers: DepthPicture) -> Item[Any]:
        """Return what was measured with PyTorch; the row with these settings is marked."""
        rows = tuple(
            (f"{'▸ ' * (number == numbers.row)}{row.cells[0]}", *row.cells[1:]) for number, row in enumerate(TABLE)
        )
        ranks = zip((*map(str, DEPTHS), "cosine"), (0, 2, 3, 0, 1), strict=True)
        ends = (Column(title, is_right=True, rank=rank) for title, rank in ranks)
        return Table(ELSEWHERE, (Column("by PyTorch, after layers"), *ends), rows, fills=False)

    def changed(self, state: BlockState, _numbers: DepthPicture, hit: Hit, to: Value) -> Change[BlockState] | None:
        layers = most_layers(state, round(to[0]))
        label = f"Stack {layers} layer{'' if layers == 1 else 's'}"
        return Change(replace(state, layers=layers), label, "layers") if hit.item == GRADIENT else None


def _layers(numbers: DepthPicture) -> int:
    return min(numbers.state.layers, numbers.setting.layers)


def _curves(numbers: DepthPicture, quantity: str) -> list[Mark]:
    """Return the median of the draws, on all that lies between the least and the largest."""
    values = numbers.values(quantity)
    spread = Between(numbers.depths, values.min(axis=0), values.max(axis=0))
    return [spread, Curve(numbers.depths, np.median(values, axis=0), width=2.8)]


def _ratio_axis(numbers: DepthPicture) -> Axis:
    found = numbers.values("gradient_ratios").ravel().tolist()
    for row in (*measured.rows_beside(numbers.state), *_same(numbers)):
        found += row.ratios
    low, high = log_bounds(found, SMALLEST)
    room = (high / low) ** ROOM if high / low < LARGEST else 1.0
    return Axis(low / room, high * room, "gradient: at the input ÷ at the output", log=10)


def _same(numbers: DepthPicture) -> tuple[TableRow, ...]:
    return () if numbers.row is None else (TABLE[numbers.row],)


def _rows_apart(numbers: DepthPicture, up: Axis) -> list[TableRow]:
    """Return the stacks measured elsewhere whose curves can be told from this one, and from one another."""
    state, found = numbers.state, list[TableRow]()
    ends = [up.share(numbers.median("gradient_ratios", MOST_LAYERS))]
    # Of those that end alike, the one with fewer other switches tells more.
    rows = sorted(measured.rows_beside(state), key=lambda row: (row.norm != state.norm, row.residual != state.residual))
    for row in rows:
        end = up.share(row.ratios[-1])
        if min(abs(end - other) for other in ends) > APART:
            ends.append(end)
            found.append(row)
    return found


def _likeness(numbers: DepthPicture) -> Plot:
    low = min(-0.05, 1.1 * float(numbers.values("token_cosines").min()))
    marks: list[Mark] = [Line(0.0, level=True, ink="axis", dash=(0.0, 0.0)), *_curves(numbers, "token_cosines")]
    marks.append(Line(_layers(numbers)))
    marks += [Points(r.title, DEPTHS[-1:], (r.cosine,), is_square=True, is_filled=False) for r in _same(numbers)]
    up = Axis(low, 1.08, ticks=((0.0, "0"), (1.0, "1")), grid=True)
    depths = [float(depth) for depth in range(MOST_LAYERS + 1)]
    return Plot(LIKENESS, ACROSS, up, tuple(marks), snap=round, stops=depths, has_legend=False)


# ---- Norm ----
# Norm: what comes out of a norm against the size of the row that goes in, with ε under the root and beside it.


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


# ---- Linear ----


OUTPUT, LEFT = "The output, multiplied", ("What is left if V is multiplied", "What is left if X is multiplied")
INKS = ("value_ink", "text")
"""Of what is said of V and of X."""
DIFFERENCES = (2, 5)
"""Where `LinearPicture.maps` has what V and X leave over."""


class Linear(Picture[BlockState, LinearPicture]):
    """Three maps below one another; Left and Right change the factor, Up and Down go from token to token."""

    truths = (
        "Attention is “purely linear in V”: true for fixed weights. In general it is not linear in X, because the "
        "weights come from X too, through the softmax; with one token its weight is 1, whatever X is.",
    )
    compute = staticmethod(linear.linear_picture)
    is_quick = staticmethod(is_quick)
    checkpoints = staticmethod(steps_to_learn)
    headline = staticmethod(linear.linear_headline)
    says = staticmethod(linear.linear_sentences)
    arrays = staticmethod(linear.linear_numbers)

    def made_of(self, state: BlockState) -> tuple[str, ...]:
        layer = () if state.layers == 1 else (state.count.layer(state.layer_shown), state.count.words)
        return *layer_parts(state), *layer

    def item(self, numbers: LinearPicture) -> Above:
        c, count = exact(numbers.factor), numbers.by[0].found.shape[1]
        maps = [RowsMap(OUTPUT, numbers.maps[1], title=f"{c} × output", detail=f"feature 0…{count - 1} →, token ↓")]
        for which, name in enumerate(LEFT):
            by = numbers.by[which]
            error = size_text(by.error)
            what = f"{'' if error == '0' else '≤ '}{error}{', rounding' * linear.is_rounding(by)}"
            title = f"with {c} × {'VX'[which]}, minus that: {what}"
            maps.append(RowsMap(name, numbers.maps[DIFFERENCES[which]], title=title, ink=INKS[which]))
        return Above(tuple(maps), gap=12)

    def panel(self, numbers: LinearPicture) -> Panel:
        c = exact(numbers.factor)
        readings = tuple(
            Reading(
                size_text(each.error), f"{'rounding' if linear.is_rounding(each) else 'off'}, with {c} × {name}", ink
            )
            for each, name, ink in zip(numbers.by, "VX", INKS, strict=True)
        )
        title = "Largest difference"
        same = ("=" if not each.error or linear.is_rounding(each) else "≠" for each in numbers.by)
        formula = ", ".join(f"f(c · {x}) {sign} c · f({x})" for x, sign in zip("VX", same, strict=True))
        return Panel(title, (Readings(title, readings),), linear.linear_panel(numbers), formula)

    def words(self, numbers: LinearPicture, hit: Hit) -> str:
        return linear.linear_words(numbers, *hit.part)

    def mark(self, painter: QPainter, _numbers: LinearPicture, laid: Any, look: Look, hit: Hit) -> None:  # noqa: ANN401
        for placed in laid.layout:  # the same cell in every map
            placed.item.mark(painter, placed.layout, look, Hit(placed.item.name, hit.part))

    def walk(self, numbers: LinearPicture, hit: Hit | None, key: int) -> Hit | None:
        if key in SIDEWAYS:
            return None
        return self.item(numbers).items[0].walk(None if hit is None else Hit(OUTPUT, hit.part), key)

    def press(self, state: BlockState, _numbers: LinearPicture, key: int) -> Change[BlockState] | None:
        turn = SIDEWAYS.get(key)
        factor = state.factor if turn is None else next_stop(linear.FACTORS, state.factor, turn)
        if factor == state.factor:
            return None
        return Change(replace(state, factor=factor), f"Multiply by {exact(factor)}", "factor")
