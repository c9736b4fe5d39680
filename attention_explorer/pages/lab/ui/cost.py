"""What a model keeps, as squares whose areas are bytes, and what one of its layers calculates."""

from __future__ import annotations

from typing import Any

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import Hit, Item
from attention_explorer.kit.items.shares import Bar, Part, Shares
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Panel
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.pages.lab.cost_layer import (
    Amount,
    LayerPicture,
    amount_words,
    cost_of,
    layer_picture,
    layer_sentences,
    term_words,
    total_words,
)
from attention_explorer.pages.lab.cost_numerals import SPACE, memory_words, ratio_words, share_words
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.ui.cost_tables import MATRICES, PAIRS, TERMS, amounts_table, terms_table
from attention_explorer.pages.lab.ui.counted import LENGTHS, Counted, with_tokens
from attention_explorer.pages.lab.ui.squares import Spot, Square, Squares

AMOUNTS, LAYER = "Bytes that the model keeps", "Operations of a layer"
HEAD, ONE_LAYER, MODEL, CACHE, WEIGHTS = range(5)
"""The rows of `LayerPicture.amounts`."""


class Cost(Counted[LayerPicture]):
    """Attention weights, the model and its cache at one scale; n is dragged by the corner of the weights."""

    def compute(self, state: CostState, _pixels: tuple[int, int]) -> LayerPicture:
        return layer_picture(state)

    def item(self, numbers: LayerPicture) -> Squares:
        state, amounts = numbers.state, numbers.amounts
        matrices, cost = amounts[MODEL], cost_of(state)
        count = state.layers * state.heads
        heads = f"{grouped(count)} {'head' if count == 1 else 'heads'}"
        twice = f"n = {grouped(2 * state.n)}: {ratio_words(matrices.growth)}"
        return Squares(
            AMOUNTS,
            (
                Square(
                    matrices.size,
                    matrices.size * matrices.growth,
                    PAIRS[0],
                    (memory_words(matrices.size), f"weights of {heads}", f"n = {grouped(state.n)}"),
                    (memory_words(round(matrices.size * matrices.growth)), twice),
                ),
                _square(amounts[WEIGHTS], MATRICES[1], "layer parameters"),
                _square(amounts[CACHE], "value", "keys and values kept"),
            ),
            (state.layers, state.heads),
            state.n,
            LENGTHS,
            lambda n: cost.at(n).all_matrix_elements * state.precision.size,
            _scale_words,
        )

    def headline(self, numbers: LayerPicture) -> str:
        if numbers.reason:
            return "These sizes do not fit."
        growth = numbers.amounts[MODEL].growth
        times = {4.0: "four times the square", 2.0: "twice the square"}.get(growth)
        return f"Twice the words, {times or f'{growth:.3g} times the square'}."

    def panel(self, numbers: LayerPicture) -> Panel:
        title = "What a layer calculates"
        if numbers.cost is None:
            return Panel(title)
        state, total, cost = numbers.state, numbers.operations[0], numbers.cost
        pairs = cost.quadratic_flops / total
        is_narrow = state.windowed and state.window < state.n
        readings = Readings(
            "Shares of the operations",
            (
                Reading(share_words(1 - pairs), "matrices: grows with n"),
                Reading(share_words(pairs), "window: grows with n" if is_narrow else "all pairs: grows with n²"),
            ),
            24.0,
        )
        parts = zip(numbers.terms, (*PAIRS, *MATRICES), strict=True)
        cut = tuple(Part(term.name, term.operations, shade) for term, shade in parts)
        return Panel(title, (Shares(LAYER, (Bar("", (*cut[2:], *cut[:2])),)), readings), *_crossover(numbers))

    def table(self, numbers: LayerPicture) -> Item[Any] | None:
        """Return the arithmetic of everything that is counted."""
        return None if numbers.cost is None else Above((terms_table(numbers), amounts_table(numbers)))

    def words(self, numbers: LayerPicture, hit: Hit) -> str:
        if hit.item == TERMS:
            return term_words(numbers, numbers.terms[hit.part])
        if hit.item == LAYER:
            part = hit.part[1]
            return total_words(numbers, False) if part is None else term_words(numbers, numbers.terms[(part + 2) % 5])
        if isinstance(hit.part, Spot):
            return _square_words(numbers, hit.part)
        row = MODEL if hit.part == "corner" else hit.part
        return amount_words(numbers, numbers.amounts[row])

    def says(self, numbers: LayerPicture) -> tuple[str, ...]:
        totals = (total_words(numbers, False), total_words(numbers, True)) if numbers.cost else ()
        return (*layer_sentences(numbers), *(f"{said}." for said in totals))

    def changed(self, state: CostState, numbers: LayerPicture, hit: Hit, to: Any) -> Change[CostState] | None:  # noqa: ANN401
        if hit.part == "corner":
            return with_tokens(state, to)
        if isinstance(hit.part, Spot) and hit.part.is_doubled:
            return with_tokens(state, 2 * numbers.state.n)
        return None


def _square(amount: Amount, colour: str | float, what: str) -> Square:
    said = memory_words(amount.size), f"{what}: {ratio_words(amount.growth)}"
    return Square(amount.size, amount.size * amount.growth, colour, said)


def _scale_words(scale: float) -> str:
    if scale >= 1:
        return f"1 pixel = {memory_words(round(scale))}"
    return f"1 byte = {grouped(round(1 / scale))} pixels"


def _crossover(numbers: LayerPicture) -> tuple[str, str]:
    """Return where both parts of a layer are equal, in a sentence and as a formula."""
    state, cost = numbers.state, numbers.cost
    if cost is None:
        return "", ""
    equal = grouped(cost.balance_tokens)
    formula = f"2 · d_model + d_ff = {equal}"
    if state.d_ff == 4 * state.d_model:
        formula = f"6 · d_model = 6 · {grouped(state.d_model)} = {equal}"
    formula = formula.replace(SPACE, " ")  # as formulas are written
    if state.windowed and state.window <= cost.balance_tokens:
        window = grouped(state.window)
        return f"Comparing words is most of the work only beyond {equal} keys. The window has {window}.", formula
    return f"At n = {equal} both cost the same. Beyond that, comparing words is most of the work.", formula


def _square_words(numbers: LayerPicture, spot: Spot) -> str:
    said = amount_words(numbers, numbers.amounts[(MODEL, WEIGHTS, CACHE)[spot.square]])
    if spot.is_doubled:
        return f"{said}; click to double n"
    if spot.cell is None:
        return said
    place = numbers.state.count.place(*spot.cell).capitalize()
    return f"{place}: {memory_words(numbers.amounts[HEAD].size)}. {said[0].upper()}{said[1:]}"
