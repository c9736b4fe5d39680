"""Depth: what is left of the gradient after so many layers, and how alike the tokens have become."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_explorer.core.numerals import counted, plain
from attention_explorer.kit.drawing.log_axis import SMALLEST, log_bounds
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.axis import Axis
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Between, Curve, Handle, Label, Line, Mark, Points
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Change, Hit, Item, Panel, Picture, Value
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.lab import depth as measured
from attention_explorer.pages.lab.depth import DEPTHS, TABLE, DepthPicture, TableRow
from attention_explorer.pages.stack.numerals import brief
from attention_explorer.pages.stack.stack import most_layers
from attention_explorer.pages.stack.state import MOST_LAYERS, BlockState
from attention_explorer.pages.stack.wording import ACTIVATION_NAMES, heads_words, weights_words

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
        title = f"After {counted(depth, 'layer')}"
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
