"""The pairs of an encoding as clocks whose hands can be turned, and the rotation that a shift is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_explorer.core.numerals import SUBSCRIPTS
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.numbered_map import NumberedMap
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import Change, Hit, Item, Panel, Value
from attention_explorer.pages.positions import clocks, encoding
from attention_explorer.pages.positions.clocks import MATRIX_SIDE, ClocksPicture
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.ui.dials import Dial, Dials, Turning
from attention_explorer.pages.positions.ui.moving import Changed, OfEncoding, is_in, map_of, moved

CLOCKS, ROWS, MATRIX = "Clocks", "Rows of all positions", "Matrix of the shift"
SMALL = 96
"""Tiles a side of the small map."""


class Clocks(OfEncoding[ClocksPicture]):
    """A dial for each pair."""

    uses_pixels = False
    compute = staticmethod(clocks.clocks_picture)
    headline = staticmethod(clocks.clocks_headline)
    says = staticmethod(clocks.clocks_says)

    def item(self, numbers: ClocksPicture) -> Dials:
        columns = (numbers.angles, numbers.advances, numbers.rates, numbers.lengths)
        rows = np.stack(columns, axis=1).tolist()
        return Dials(CLOCKS, tuple(Dial(pair, *row) for pair, row in enumerate(rows)))

    # ---- What it says ----

    def panel(self, numbers: ClocksPicture) -> Panel:
        state = numbers.state
        many = f"{numbers.pairs} clocks" if numbers.pairs != 8 else "eight clocks"
        title = f"Position {numbers.position}, as {many if numbers.pairs > 1 else 'one clock'}"
        if not kind_of(state).adds:
            title = f"Turned to position {numbers.position}"
        small = map_of(ROWS, encoding.small_table(state, SMALL), row=numbers.position)
        kind = kind_of(state)
        formula = f'"angle of clock" i = {{p}}/{{{kind.power(state)}}}{kind.turning(state)}'
        return Panel(title, (replace(small, picture=_untitled(small)),), clocks.clocks_sentence(numbers), formula)

    def table(self, numbers: ClocksPicture) -> Item[Any] | None:
        """Return the matrix that takes every position k further."""
        if numbers.matrix is None:
            return None
        count = len(numbers.matrix.values)
        whole = "" if numbers.state.d_model <= MATRIX_SIDE else f", the first {MATRIX_SIDE} dimensions"
        title = f"R{str(numbers.shift).translate(SUBSCRIPTS)}{whole}"
        residual = f"{numbers.residual_name} {clocks.residual_text(numbers)}"
        places = np.arange(count)
        matrix = NumberedMap(MATRIX, numbers.matrix, places, places, count, count, title, is_square=True, fills=False)
        return Above((matrix, Title("Residual", residual, "muted", 13.0, bold=False)), gap=4.0)

    def words(self, numbers: ClocksPicture, hit: Hit) -> str:
        if hit.item == CLOCKS:
            pair = hit.part.pair if isinstance(hit.part, Turning) else hit.part
            return clocks.clock_words(numbers, pair) if pair < numbers.pairs else ""
        if is_in(hit, MATRIX) and None not in hit.part:
            return clocks.matrix_words(numbers, *hit.part)
        if is_in(hit, ROWS) and None not in hit.part:
            return encoding.cell_words(numbers.state, *hit.part)
        return ""

    # ---- What a hand does ----

    def changed(self, state: PositionsState, numbers: ClocksPicture, hit: Hit, to: Value) -> Changed:
        """Turn a hand: the position is the nearest at which it stands so."""
        if hit.item == ROWS:
            return moved(state, hit.part[0]) if is_in(hit, ROWS) and hit.part[0] is not None else None
        if hit.item != CLOCKS or to is None:
            return None
        hand: Turning = hit.part
        rate = float(numbers.rates[hand.pair])
        if not rate:
            return None  # it stands still
        position = round(hand.follow(to, 0.0, (state.length - 1) * rate) / rate)
        return Change(state.with_position(position), f"Turn clock {hand.pair}")


def _untitled(small: NumberedMap) -> Any:  # noqa: ANN401 # a MapPicture
    return replace(small.picture, row_title="position", column_title="")
