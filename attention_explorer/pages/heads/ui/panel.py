"""What stands beside a map: the row that is pointed at or pinned, and what these weights are."""

from __future__ import annotations

from typing import Any

from attention_explorer.core.numerals import exact, plain
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.item import Item
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.picture import Panel
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.compare_words import compared_table, read_side
from attention_explorer.pages.heads.frame import head_name
from attention_explorer.pages.heads.reading import column_reading, gloss, row_reading
from attention_explorer.pages.heads.row import RowNumbers
from attention_explorer.pages.heads.ui.row_picture import row_headline, row_item
from attention_explorer.pages.heads.verdict import Verdict

NOBODY = "Who looks at whom?"
HOW = "Point at a row, or click a token."
COMPARED = "A and B, token by token"
MOST_LINES = 64


def map_panel(row: RowNumbers | None, verdict: Verdict | None, *, names_head: bool = False, raw: str = "") -> Panel:
    """Return what stands beside a map.

    ``row`` is what is read, if anything is; ``names_head`` where the picture shows other heads too; ``raw`` says that
    the picture shows other weights than these.
    """
    honest = "" if verdict is None else f"{verdict.title.removesuffix('.')}."
    if row is None:
        return Panel(NOBODY, (), f"{HOW} {honest}".strip())
    said = gloss(row.frame, *row.cell) if row.is_pinned and row.frame.is_one_head else ""
    headline = row_headline(row.steps)
    if names_head:
        name = head_name(row.frame, row.frame.layer, row.frame.head)
        headline = f"{name}: {headline}"
    return Panel(headline, (row_item(row),), " ".join(filter(None, (raw, said, honest))))


def compared_panel(comparison: Comparison, lit: Spot) -> Panel:
    """Return what stands beside a comparison: whose row is read, and its numbers in A, in B and their difference."""
    if lit == NOWHERE:
        return Panel("A against B", (), comparison.spoken)
    side = read_side(comparison, lit.row, lit.column)
    is_row = lit.row is not None
    own = side.own(lit.row if is_row else lit.column, is_row=is_row)
    if own is None:
        return Panel("A against B", (), comparison.spoken)
    reading = row_reading(side.frame, own) if is_row else column_reading(side.frame, own)
    return Panel(side.named(reading).title, (compared_lines(comparison, lit),), "")


def compared_lines(comparison: Comparison, lit: Spot) -> Item[Any]:
    """Return a row or a column of a comparison as a table."""
    header, rows = _read(comparison, lit)
    # Where there is little room, the places go first.
    columns = tuple(
        Column(title, is_right=at > 0, rank=int(title.startswith("pos"))) for at, title in enumerate(header)
    )
    texts = tuple(tuple(_text(cell) for cell in line) for line in rows[:MOST_LINES])
    return Table(COMPARED, columns, texts, fills=False, high=22.0)


def compared_words(comparison: Comparison, lit: Spot, line: int) -> str:
    """Return a line of that table as a sentence, its numbers with all digits."""
    header, rows = _read(comparison, lit)
    token, *cells = rows[line]
    told = (f"{title} {exact(cell)}" for title, cell in zip(header[1:], cells, strict=True) if isinstance(cell, float))
    return f"“{token}”: {', '.join(told) or 'no number'}"


def _read(comparison: Comparison, lit: Spot) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    number = lit.row if lit.row is not None else (lit.column or 0)
    return compared_table(comparison, number, is_row=lit.row is not None)


def _text(cell: object) -> str:
    return plain(cell, 4) if isinstance(cell, float) else str(cell)
