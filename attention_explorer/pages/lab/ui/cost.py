"""What a model keeps, as squares whose areas are bytes, and what one of its layers calculates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_explorer.core import numbers_export
from attention_explorer.core.numerals import SPACE, grouped, memory_words, ratio_words, share_words, short_count
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.strips import Bar, Part, Shares
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Arrays, Change, Hit, Item, Panel, Picture, Value
from attention_explorer.model import ModelSize
from attention_explorer.pages.lab import cost_layer as layer
from attention_explorer.pages.lab.cost_layer import Amount, LayerPicture
from attention_explorer.pages.lab.cost_state import LENGTHS, CostState
from attention_explorer.pages.lab.ui.squares import Block, Sized, Spot, Squares

AMOUNTS, LAYER = "Bytes that the model keeps", "Operations of a layer"
LARGE, SMALL = 20.0, 15.0
"""Pixels at zoom 1 of the first line of the words of a square."""
HEAD, ONE_LAYER, MODEL, CACHE, WEIGHTS = range(5)
"""The rows of `LayerPicture.amounts`."""


class Cost(Picture[CostState, LayerPicture]):
    """Attention weights, the model and its cache at one scale; n is dragged by the corner of the weights."""

    truths = (
        "“Double your sequence length, and you quadruple your memory and compute requirements” holds for the matrix "
        "and its two products, scores and weights · V. The projections and the feed-forward part only double. From as "
        "many tokens on as a window has keys everything does; the first queries have fewer keys than it has.",
        "The memory shown is that of matrices that are stored whole. FlashAttention computes them in tiles and stores "
        "none, for some more operations: forward it rescales, and backward it computes the scores again.",
        "Heads 64 wide, as in the 2017 base model and in GPT-2, are typical, not a rule.",
    )
    compute = staticmethod(layer.layer_picture)

    def made_of(self, _state: CostState) -> tuple[str, ...]:
        return ("one sequence", "an operation is one addition or multiplication")

    def item(self, numbers: LayerPicture) -> Squares:
        state, amounts = numbers.state, numbers.amounts
        matrices, cost = amounts[MODEL], layer.cost_of(state)
        count = state.layers * state.heads
        heads = f"{grouped(count)} {'head' if count == 1 else 'heads'}"
        twice = f"n = {grouped(2 * state.n)}: {ratio_words(matrices.growth)}"
        doubled = matrices.size * matrices.growth
        said = Block((memory_words(matrices.size), f"weights of {heads}", f"n = {grouped(state.n)}"), LARGE)
        first = Sized(matrices.size, doubled, said, Block((memory_words(round(doubled)), twice), LARGE))
        others = _square(amounts[WEIGHTS], "layer parameters"), _square(amounts[CACHE], "keys and values kept")
        return Squares(
            AMOUNTS,
            (first, *others),
            (PAIRS[0], MATRICES[1], "value"),
            (state.layers, state.heads),
            state.n,
            LENGTHS,
            lambda n: cost.at(n).all_matrix_elements * state.precision.size,
            _scale_words,
        )

    def headline(self, numbers: LayerPicture) -> str:
        growth = numbers.amounts[MODEL].growth
        times = {4.0: "four times the square", 2.0: "twice the square"}.get(growth)
        return f"Twice the words, {times or f'{growth:.3g} times the square'}."

    def panel(self, numbers: LayerPicture) -> Panel:
        state, total, cost = numbers.state, numbers.operations[0], layer.cost_of(numbers.state)
        pairs = cost.quadratic_flops / total
        readings = Readings(
            "Shares of the operations",
            (
                Reading(share_words(1 - pairs), "matrices: grows with n"),
                Reading(share_words(pairs), "window: grows with n" if state.is_narrow else "all pairs: grows with n²"),
            ),
            24.0,
        )
        parts = zip(numbers.terms, (*PAIRS, *MATRICES), strict=True)
        cut = tuple(Part(term.name, term.operations, shade) for term, shade in parts)
        bar = Shares(LAYER, (Bar("", (*cut[2:], *cut[:2])),))
        return Panel("What a layer calculates", (bar, readings), *_crossover(state, cost))

    def table(self, numbers: LayerPicture) -> Item[Any]:
        """Return the arithmetic of everything that is counted."""
        return Above((terms_table(numbers), amounts_table(numbers)))

    def words(self, numbers: LayerPicture, hit: Hit) -> str:
        if hit.item == TERMS:
            return layer.term_words(numbers, numbers.terms[hit.part])
        if hit.item == LAYER:
            part = hit.part[1]
            return (
                layer.total_words(numbers, False)
                if part is None
                else layer.term_words(numbers, numbers.terms[(part + 2) % 5])
            )
        if isinstance(hit.part, Spot):
            return _square_words(numbers, hit.part)
        row = MODEL if hit.part == "corner" else hit.part
        return layer.amount_words(numbers, numbers.amounts[row])

    def says(self, numbers: LayerPicture) -> tuple[str, ...]:
        return *layer.layer_sentences(numbers), *(
            f"{layer.total_words(numbers, doubled)}." for doubled in (False, True)
        )

    def arrays(self, numbers: LayerPicture) -> Arrays:
        terms, amounts = numbers.terms, numbers.amounts
        return {
            "operations": _whole([term.operations for term in terms]),
            "operations_at_2n": _whole([term.doubled for term in terms]),
            "numbers": _whole([amount.elements for amount in amounts]),
            "bytes": _whole([amount.size for amount in amounts]),
            "terms": np.array([term.name for term in terms]),
            "amounts": np.array([amount.name for amount in amounts]),
        }

    def lines(self, numbers: LayerPicture) -> numbers_export.Table:
        head = "what", "formula", "count", "unit", "bytes", "count at 2n"
        unit = "operations, one layer"
        terms = ((each.name, each.formula, each.operations, unit, None, each.doubled) for each in numbers.terms)
        amounts = (
            (each.name, each.formula, each.elements, "numbers", each.size, round(each.elements * each.growth))
            for each in numbers.amounts
        )
        return numbers_export.Table.of(head, [*terms, *amounts])

    def told(self, numbers: LayerPicture) -> Mapping[str, object]:
        terms = {term.name: term.formula for term in numbers.terms}
        return {"formulas": {**terms, **{amount.name: amount.formula for amount in numbers.amounts}}}

    def changed(self, state: CostState, numbers: LayerPicture, hit: Hit, to: Value) -> Change[CostState] | None:
        if hit.part == "corner":
            return with_tokens(state, to)
        if isinstance(hit.part, Spot) and hit.part.is_doubled:
            return with_tokens(state, 2 * numbers.state.n)
        return None


def with_tokens(state: CostState, n: float) -> Change[CostState]:
    """Return the state with another number of tokens."""
    new = state.with_sizes(n=round(n))
    return Change(new, f"Change n to {grouped(new.n)}", "n")


def _whole(numbers: list[int]) -> np.typing.NDArray[Any]:
    """Return whole numbers as an array: int64 where they fit, else as text with every digit."""
    fits = all(abs(number) < 2**63 for number in numbers)
    return np.array(numbers, np.int64) if fits else np.array([str(number) for number in numbers])


def _square(amount: Amount, what: str) -> Sized:
    said = memory_words(amount.size), f"{what}: {ratio_words(amount.growth)}"
    return Sized(amount.size, amount.size * amount.growth, Block(said, SMALL), None)


def _scale_words(scale: float) -> str:
    if scale >= 1:
        return f"1 pixel = {memory_words(round(scale))}"
    return f"1 byte = {grouped(round(1 / scale))} pixels"


def _crossover(state: CostState, cost: ModelSize) -> tuple[str, str]:
    """Return where both parts of a layer are equal, in a sentence and as a formula."""
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
    said = layer.amount_words(numbers, numbers.amounts[(MODEL, WEIGHTS, CACHE)[spot.square]])
    if spot.is_doubled:
        return f"{said}; click to double n"
    if spot.cell is None:
        return said
    place = numbers.state.count.place(*spot.cell).capitalize()
    return f"{place}: {memory_words(numbers.amounts[HEAD].size)}. {said[0].upper()}{said[1:]}"


PAIRS, MATRICES = (0.85, 0.72), (0.34, 0.27, 0.2)
"""How dark the terms of a layer are: those of all pairs of tokens, and those of matrices."""
TERMS = "Products of a layer"


def terms_table(numbers: LayerPicture) -> Table:
    """Return the products of a layer."""
    total = numbers.operations[0]
    columns = (
        Column("operations", is_bold=True),
        Column("formula", rank=1),
        Column("with numbers", is_muted=True, rank=3),
        Column("count", is_right=True, rank=2),
        Column("share", is_right=True),
        Column("at 2n", is_right=True),
    )
    rows = tuple(
        (
            *(term.name, term.formula, term.filled, short_count(term.operations).rstrip()),
            *(share_words(term.operations / total), ratio_words(term.growth)),
        )
        for term in numbers.terms
    )
    return Table(TERMS, columns, rows, (*PAIRS, *MATRICES), fills=False)


def amounts_table(numbers: LayerPicture) -> Table:
    """Return what a model keeps."""
    columns = (
        Column("numbers kept", is_bold=True),
        Column("formula", rank=1),
        Column("numbers", is_right=True, rank=2),
        Column("memory", is_right=True),
        Column("at 2n", is_right=True),
    )
    rows = tuple(
        (
            *(amount.name, amount.formula, grouped(amount.elements)),
            *(memory_words(amount.size), ratio_words(amount.growth)),
        )
        for amount in numbers.amounts
    )
    return Table("Numbers kept", columns, rows, fills=False)
