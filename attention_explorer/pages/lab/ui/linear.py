"""Linear: the output of attention times a number, and what is left over where V, or X, was multiplied by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import size_text
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import SIDEWAYS, Arrays, Hit
from attention_explorer.kit.items.plot import next_stop
from attention_explorer.kit.items.rows_map import RowsMap
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lab.layers_wording import linear_headline, linear_panel
from attention_explorer.pages.lab.linear import (
    FACTORS,
    LinearPicture,
    factor_text,
    is_quick,
    linear_numbers,
    linear_picture,
    linear_sentences,
    linear_words,
    map_titles,
    verdict_of,
)
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.state import BlockState

OUTPUT, LEFT = "The output, multiplied", ("What is left if V is multiplied", "What is left if X is multiplied")
FORMULA = "f(c · x) = c · f(x)"
INKS = ("value_ink", "text")
"""Of what is said of V and of X."""
DIFFERENCES = (2, 5)
"""Where `LinearPicture.maps` has what V and X leave over."""


class Linear(Picture[BlockState, LinearPicture]):
    """Three maps below one another; Left and Right change the factor, Up and Down go from token to token."""

    def compute(self, state: BlockState, pixels: tuple[int, int]) -> LinearPicture:
        return linear_picture(state, pixels)

    def is_quick(self, state: BlockState) -> bool:
        return is_quick(state)

    def checkpoints(self, state: BlockState) -> int:
        return steps_to_learn(state)

    def item(self, numbers: LinearPicture) -> Above:
        c, count = factor_text(numbers.factor), numbers.by[0].found.shape[1]
        maps = [RowsMap(OUTPUT, numbers.maps[1], title=f"{c} × output", detail=f"feature 0…{count - 1} →, token ↓")]
        for which, name in enumerate(LEFT):
            error = size_text(numbers.by[which].error)
            title = f"with {c} × {'VX'[which]}, minus that: {'' if error == '0' else '≤ '}{error}"
            maps.append(RowsMap(name, numbers.maps[DIFFERENCES[which]], title=title, ink=INKS[which]))
        return Above(tuple(maps), gap=12)

    def headline(self, numbers: LinearPicture) -> str:
        return linear_headline(numbers)

    def panel(self, numbers: LinearPicture) -> Panel:
        c = factor_text(numbers.factor)
        readings = tuple(
            Reading(size_text(each.error), f"off, with {c} × {name}", ink)
            for each, name, ink in zip(numbers.by, "VX", INKS, strict=True)
        )
        title, sentence = linear_panel(numbers)
        return Panel(title, (Readings("Largest difference", readings),), sentence, FORMULA)

    def words(self, numbers: LinearPicture, hit: Hit) -> str:
        return linear_words(numbers, *hit.part)

    def says(self, numbers: LinearPicture) -> tuple[str, ...]:
        compared = (" against ".join(map_titles(numbers, which)[:2]) for which in (0, 1))
        verdicts = (f"{verdict_of(numbers, which)}, of {pair}." for which, pair in enumerate(compared))
        return (*linear_sentences(numbers), *verdicts)

    def mark(self, painter: QPainter, _numbers: LinearPicture, laid: Any, look: Look, hit: Hit) -> None:  # noqa: ANN401
        for placed in laid.layout:  # the same cell in every map
            placed.item.mark(painter, placed.layout, look, Hit(placed.item.name, hit.part))

    def walk(self, numbers: LinearPicture, hit: Hit | None, key: int) -> Hit | None:
        if key in SIDEWAYS:
            return None
        return self.item(numbers).items[0].walk(None if hit is None else Hit(OUTPUT, hit.part), key)

    def press(self, state: BlockState, _numbers: LinearPicture, key: int) -> Change[BlockState] | None:
        turn = SIDEWAYS.get(key)
        factor = state.factor if turn is None else next_stop(FACTORS, state.factor, turn)
        if factor == state.factor:
            return None
        return Change(replace(state, factor=factor), f"Multiply by {factor_text(factor)}", "factor")

    def arrays(self, numbers: LinearPicture) -> Arrays:
        return linear_numbers(numbers)
