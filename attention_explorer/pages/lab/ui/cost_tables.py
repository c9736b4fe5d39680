"""The arithmetic of what attention costs, as tables."""

from __future__ import annotations

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.table import Table
from attention_explorer.pages.lab.cost_layer import LayerPicture
from attention_explorer.pages.lab.cost_numerals import memory_words, ratio_words, share_words, short_count

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
