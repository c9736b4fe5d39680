"""The order experiment: a map before and after the words were shuffled, and what comes of every kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import size_text, weight_text
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Change, Hit, Item, Laid, Panel, Picture, Value
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions import order, said
from attention_explorer.pages.positions.kinds.registry import KINDS
from attention_explorer.pages.positions.order import OrderPicture
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.ui.moving import Changed, has_few

BEFORE, AFTER, OUTCOMES = "Weights before", "Weights after shuffling", "What comes out"
OF_ROWS = "How far outputs are off"


class Order(Picture[PositionsState, OrderPicture]):
    """Two maps above a table of all kinds, each without and with a mask."""

    compute = staticmethod(order.order_picture)
    is_quick = staticmethod(has_few)
    headline = staticmethod(said.order_headline)
    says = staticmethod(said.order_says)
    arrays = staticmethod(order.order_numbers)

    def made_of(self, state: PositionsState) -> tuple[str, ...]:
        d_model = min(state.d_model, order.WIDEST)
        return f"d_model = {d_model}", f"heads = {order.heads_used(d_model, state.heads)}"

    def is_step(self, shown: PositionsState, wanted: PositionsState) -> bool:
        """Whether only where one looks has moved."""
        return replace(shown, position=wanted.position) == wanted

    def item(self, numbers: OrderPicture) -> Above:
        maps: tuple[Item[Any], ...] = ()
        if numbers.maps:
            head = numbers.state.count.head(numbers.head)
            texts = f"As typed, {head}", f"Shuffled, {head}"
            maps = tuple(
                Above(
                    (
                        Title(f"{name}: title", text, is_given=True),
                        Map(name, map_, is_tall=True, has_bar=False, is_steady=True),
                    ),
                    gap=4.0,
                )
                for name, text, map_ in zip((BEFORE, AFTER), texts, numbers.maps, strict=True)
            )
        found = (column for mask in said.MASKS for column in (Column(mask), Column("error", is_right=True, rank=1)))
        columns = Column("", is_bold=True), *found
        rows = tuple(_row(numbers, number) for number in range(len(KINDS)))
        table = Table(OUTCOMES, columns, rows)
        if not maps:
            return Above((table,))
        shades = Title(
            "What shades mean", "The brighter a cell, the more weight.", "muted", 12.0, bold=False, is_given=True
        )
        return Above((Beside(maps), shades, table), (0.59, 0.0, 0.41), gap=5.0)

    def panel(self, numbers: OrderPicture) -> Panel:
        outcome = numbers.outcomes[numbers.shown]
        readings, formula = tuple[Reading, ...](), ""
        if outcome.found is not None:
            formula = f"f(P X) {'=' if outcome.is_equivariant else '≠'} P f(X)"
            error, moved = size_text(outcome.found.error), size_text(outcome.found.moved)
            readings = Reading(error, "|f(PX) − P f(X)|"), Reading(moved, "|f(PX) − f(X)|")
        title = f"{said.TITLES[outcome.kind].capitalize()}, {said.MASKS[outcome.causal]}"
        items = (Readings(OF_ROWS, readings, size=24.0),) if readings else ()
        return Panel(title, items, said.order_sentence(numbers), formula)

    def words(self, numbers: OrderPicture, hit: Hit) -> str:
        if hit.item == OUTCOMES:
            return "; ".join(said.outcome_words(numbers, 2 * hit.part + causal) for causal in (0, 1))
        pair = _pair(numbers, hit)
        if pair is None:
            return ""
        query, key = (f"“{numbers.words[word]}” ({word})" for word in pair)
        after = numbers.order.index(pair[0]), numbers.order.index(pair[1])
        weights = [
            "masked" if map_.masked[cell] else weight_text(float(map_.values[cell]))
            for map_, cell in zip(numbers.maps, (pair, after), strict=True)
        ]
        return f"{query} attends to {key}: weight {weights[0]} before, {weights[1]} shuffled"

    def changed(self, state: PositionsState, _numbers: OrderPicture, hit: Hit, to: Value) -> Changed:
        """Choose the kind of a line of the table, and the mask of the column, if it has one."""
        if hit.item != OUTCOMES:
            return None
        kind, causal = [*KINDS][hit.part], to > 2 if to else state.causal
        return Change(
            replace(state, kind=kind, causal=causal), f"Shuffle with {kind.value}{', causal' if causal else ''}"
        )

    def mark(self, painter: QPainter, numbers: OrderPicture, laid: Laid | QRectF, look: Look, hit: Hit) -> None:
        pair = _pair(numbers, hit)
        if hit.item == OUTCOMES:
            super().mark(painter, numbers, laid, look, hit)
        if pair is None:
            return
        after = numbers.order.index(pair[0]), numbers.order.index(pair[1])
        for each in (Hit(BEFORE, pair), Hit(AFTER, after)):
            super().mark(painter, numbers, laid, look, each)


def _row(numbers: OrderPicture, kind: int) -> tuple[str, ...]:
    outcomes = numbers.outcomes[2 * kind : 2 * kind + 2]
    own = outcomes[0].kind
    chosen = "▸ " if own is numbers.state.kind else ""
    return f"{chosen}{said.TITLES[own]}", *(text for outcome in outcomes for text in (outcome.words, outcome.error))


def _pair(numbers: OrderPicture, hit: Hit) -> tuple[int, int] | None:
    """Return which two words were hit in either map, counted before the shuffle."""
    if hit.item not in (BEFORE, AFTER) or not numbers.maps or max(hit.part) >= len(numbers.words):
        return None
    row, column = hit.part
    return (row, column) if hit.item == BEFORE else (numbers.order[row], numbers.order[column])
