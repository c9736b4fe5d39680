"""Linear: the output of attention times a number, and what is left over where V, or X, was multiplied by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import exact, size_text
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import SIDEWAYS, Hit
from attention_explorer.kit.items.plot import next_stop
from attention_explorer.kit.items.rows_map import RowsMap
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Change, Panel, Picture
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lab import linear
from attention_explorer.pages.lab.linear import LinearPicture
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.stack import is_quick
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.wording import layer_parts

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
