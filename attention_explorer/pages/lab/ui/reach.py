"""How far back models see: how much of an earlier token reaches the newest, and in how many steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_explorer.core import numbers_export
from attention_explorer.core.numerals import grouped
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items import strips
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import TURNS, Arrays, Hit, Item, Value
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Change, Panel, Picture
from attention_explorer.model import attention_path, recurrent_path
from attention_explorer.pages.lab import reach
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.reach import ReachPicture
from attention_explorer.pages.lab.ui.cost import with_tokens

STRIPS, ROWS = "How much of an earlier token reaches the newest", "A layer over n tokens"
SHADES = "Reaches the newest token: strong all, faint nothing"
CONTEXT, RECURRENT, ATTENTION = 1, 2, 3
"""Strips: of those that see up to some token, that end is dragged."""
COLUMNS = (
    Column("over n tokens", is_bold=True),
    Column("recurrent", is_right=True),
    Column("self-attention", is_right=True),
    Column("why: recurrent; attention", is_muted=True, rank=1),
)


class Reach(Picture[CostState, ReachPicture]):
    """Four strips, the newest token at the right."""

    truths = (
        "Reading is parallel; writing is still one token after another.",
        "Attention needs no chain of n steps to read a text: without a window any two tokens are one step apart. It "
        "pays with more operations, and with memory that grows with n or the window.",
        "“Much faster training” needs machines that do many things at once; the counts here are not seconds.",
        f"ρ¹⁰ = {reach.recurrent_influence_words()}: “faded after about ten characters” holds for some networks and "
        "not for others. This is a linear picture: a trained network with gates (LSTM, GRU) decides what to keep.",
        "Attention has a bottleneck too: its context. What comes before that is gone altogether.",
        "Table 1 of the 2017 paper gives the orders: recurrent n·d² in n steps, attention n²·d in one.",
    )
    compute = staticmethod(reach.reach_picture)

    def item(self, numbers: ReachPicture) -> Above:
        shown = tuple(
            strips.Strip(strip.name, strip.values[::-1], strip.detail, _end(numbers.state, number), number == RECURRENT)
            for number, strip in enumerate(numbers.strips)
        )
        ticks = tuple((reach.FARTHEST - back, str(back)) for back in (1, 5, 10, 15, 20))
        title = Title("What shades mean", SHADES, "muted", 13.0, bold=False)
        return Above((title, strips.Strips(STRIPS, shown, "tokens back", ticks)), gap=8.0)

    def headline(self, numbers: ReachPicture) -> str:
        state = numbers.state
        if state.n == 1:
            return "There is one token, and none before it."
        if state.is_narrow:
            if state.window == 1:
                return "With a window of 1, no token sees another."
            back = f"{grouped(state.window - 1)} {'token' if state.window == 2 else 'tokens'}"
            return f"One layer of attention reaches {back} back."
        return "Attention reaches every token in one step."

    def panel(self, numbers: ReachPicture) -> Panel:
        state = numbers.state
        path, steps = attention_path(state.n, state.window_shown), recurrent_path(state.n)
        readings = Readings(
            "Steps between first and last token",
            (
                Reading(grouped(steps), f"{'step' if steps == 1 else 'steps'}, recurrent"),
                Reading("never" if path is None else grouped(path), f"{'layer' if path == 1 else 'layers'}, attention"),
            ),
        )
        left = state.decay**10
        fades = f"A recurrent state fades: after ten steps ρ¹⁰ = {left:.2f} is left."
        if state.decay == 1:
            fades = "With ρ = 1 a recurrent state does not fade."
        return Panel(
            "From first to last token",
            (readings,),
            f"{fades} Reading is parallel with attention; writing is one token after another with both.",
        )

    def table(self, numbers: ReachPicture) -> Item[Any]:
        """Return steps and work of two layers."""
        rows = tuple((row.name, row.recurrent, row.attention, row.why) for row in numbers.rows)
        return Table(ROWS, COLUMNS, rows, fills=False)

    def words(self, numbers: ReachPicture, hit: Hit) -> str:
        if hit.item == ROWS:
            row: int = hit.part
            return numbers.rows[row].words
        number, column = hit.part
        return reach.strip_words(numbers, number, reach.FARTHEST - 1 - column)

    def lines(self, numbers: ReachPicture) -> numbers_export.Table:
        rows: list[tuple[object, ...]] = [(row.name, row.recurrent, row.attention, None, None) for row in numbers.rows]
        for strip in numbers.strips:
            left = (None if np.isnan(value) else value for value in strip.values.tolist())
            rows += [(strip.name, None, None, back, value) for back, value in enumerate(left, start=1)]
        return numbers_export.Table.of(("what", "recurrent", "self-attention", "tokens back", "left"), rows)

    def arrays(self, numbers: ReachPicture) -> Arrays:
        names = np.array([strip.name for strip in numbers.strips])
        return {"left": np.array([strip.values for strip in numbers.strips]), "names": names}

    def press(self, state: CostState, numbers: ReachPicture, key: int) -> Change[CostState] | None:
        turn = TURNS.get(key)
        if turn is None or numbers.reason:
            return None
        change = _with_context(state, state.context - turn[0])
        if turn[1]:
            change = with_tokens(state, 2 * state.n if turn[1] > 0 else max(state.n // 2, 1))
        return None if change.state == state else change

    def changed(self, state: CostState, _numbers: ReachPicture, hit: Hit, to: Value) -> Change[CostState] | None:
        if hit.item != STRIPS or to is None:
            return None
        back = reach.FARTHEST - (to if hit.part[1] is None else hit.part[1])
        if hit.part[0] == CONTEXT:
            return _with_context(state, back)
        if hit.part[0] == ATTENTION and state.windowed:
            return Change(state.with_sizes(window=back + 1), "Change the window", "window")
        return None


def _with_context(state: CostState, context: int) -> Change[CostState]:
    return Change(state.with_sizes(context=context), "Change the context", "context")


def _end(state: CostState, strip: int) -> int | None:
    """Return the column where what a strip sees begins, if that can be dragged."""
    if state.n == 1:
        return None
    if strip == CONTEXT:
        return max(reach.FARTHEST - state.context, 0)
    return max(reach.FARTHEST - state.window + 1, 0) if strip == ATTENTION and state.windowed else None
