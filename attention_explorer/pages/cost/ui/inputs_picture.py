"""Two inputs side by side: their weights as maps, and below them the operations that made them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.marks import paint_reason
from attention_explorer.kit.drawing.small_map import paint_mark, paint_small_map, paint_title
from attention_explorer.kit.drawing.small_map_layout import Arrangement, SmallMap, arranged, cell_at
from attention_explorer.kit.drawing.text_table import Column, TableLayout, mark_row, paint_table, table_layout
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.cost.inputs import InputsPicture, inputs_sentences, product_words, weight_words
from attention_explorer.pages.cost.ui.roomy_look import roomy

COLUMNS = (
    Column("operations", is_bold=True),
    Column("first input", is_muted=True, rank=1),
    Column("count, first", is_right=True),
    Column("second input", is_muted=True, rank=1),
    Column("count, second", is_right=True),
)
ROW, GAP = 24, 14
"""Pixels at zoom 1."""


@dataclass(frozen=True, slots=True)
class InputsLayout:
    """Where maps and table are."""

    room: QRectF
    maps: tuple[SmallMap, ...]
    table: TableLayout | None


def cost_inputs_layout(picture: InputsPicture, look: Look, room: QRectF) -> InputsLayout:
    """Fit the maps side by side above the table."""
    look = roomy(look, room)
    px = look.px
    if picture.reason:
        return InputsLayout(room, (), None)
    rows = _rows(picture)
    high = px(ROW) * (len(rows) + 1)
    upper = QRectF(room.left(), room.top(), room.width(), room.height() - high - px(GAP))
    maps = arranged(picture.maps, look, upper, Arrangement(2, px(24), 0, px(22)), shared=False)
    top = min(max(small.foot for small in maps) + px(2 * GAP), room.bottom() - high)
    box = QRectF(room.left(), top, room.width(), high)
    return InputsLayout(room, maps, table_layout(look, box, COLUMNS, rows, row_height=px(ROW)))


def _rows(picture: InputsPicture) -> tuple[tuple[str, ...], ...]:
    first, second = picture.products
    rows = [
        (a.name, a.shapes, grouped(a.operations), b.shapes, grouped(b.operations))
        for a, b in zip(first, second, strict=True)
    ]
    totals = picture.totals
    return (*rows, ("together", "", grouped(totals[0]), "", grouped(totals[1])))


def paint_cost_inputs(
    painter: QPainter, picture: InputsPicture, layout: InputsLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    if layout.table is None:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    look = roomy(look, layout.room)
    names = (f"{which} input, {picture.state.count.head(0)}" for which in ("first", "second"))
    for map_, small, name in zip(picture.maps, layout.maps, names, strict=True):
        paint_small_map(painter, map_, small, look, vector=vector)
        paint_title(painter, small.header, name, f"({map_.cells[0]}, {map_.cells[1]})", look)
    paint_table(painter, layout.table, look)


def cost_inputs_spot(_picture: InputsPicture, layout: InputsLayout, place: QPointF) -> Spot:
    """Return a cell of either map, or a line of the table as a row alone."""
    if layout.table is None:
        return NOWHERE
    hit = cell_at(layout.maps, place)
    if hit is not None:
        return Spot(hit.row, hit.column)
    row = layout.table.row_at(place)
    return NOWHERE if row is None else Spot(row)


def mark_cost_inputs(painter: QPainter, picture: InputsPicture, layout: InputsLayout, look: Look, spot: Spot) -> None:
    """Outline the same cell in both maps, or a line of the table."""
    if layout.table is None or spot.row is None:
        return
    look = roomy(look, layout.room)
    if spot.column is None:
        if spot.row < len(layout.table.rows):
            mark_row(painter, layout.table, look, spot.row)
        return
    for map_, small in zip(picture.maps, layout.maps, strict=True):
        if spot.lies_on(map_.cells):
            paint_mark(painter, map_, small, look, (spot.row, spot.column))


def cost_inputs_words(picture: InputsPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    if picture.reason or spot.row is None:
        return ""
    if spot.column is not None:
        return weight_words(picture, spot.row, spot.column)
    if spot.row < len(picture.products[0]):
        return product_words(picture, spot.row)
    first, second = (grouped(total) for total in picture.totals)
    return f"Together: {first} operations for the first input, {second} for the second"


def cost_inputs_notes(picture: InputsPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    return notes_of(inputs_sentences(picture))
