"""How far back models see, as strips of the last tokens, and steps and work of two layers as a table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.contrast import readable_ink
from attention_explorer.kit.drawing.marks import colour_of, paint_reason, pen, text_size
from attention_explorer.kit.drawing.text_table import Column, TableLayout, mark_row, paint_table, table_layout
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.cost.reach import FARTHEST, ReachPicture, reach_sentences, strip_words
from attention_explorer.pages.cost.ui.layer_picture import paint_heading, shade
from attention_explorer.pages.cost.ui.roomy_look import roomy

COLUMNS = (
    Column("a layer over n tokens", is_bold=True),
    Column("recurrent", is_right=True),
    Column("self-attention", is_right=True),
    Column("why: recurrent; attention", is_muted=True, rank=1),
)
TITLE, AXIS, GAP = 22, 20, 16
"""Pixels at zoom 1."""


@dataclass(frozen=True, slots=True)
class ReachLayout:
    """Where strips and table are."""

    room: QRectF
    names: float
    """Pixels the names of the strips take."""
    cells: QRectF
    """All cells of all strips."""
    height: float
    """Of a strip with the gap below it."""
    table: TableLayout | None

    def cell(self, strip: int, column: int) -> QRectF:
        """Return a cell; columns count tokens back, from 1 at the right beside the newest token."""
        wide = self.cells.width() / FARTHEST
        left = self.cells.right() - (column + 1) * wide
        return QRectF(left, self.cells.top() + strip * self.height, wide, 0.86 * self.height)


def cost_reach_layout(picture: ReachPicture, look: Look, room: QRectF) -> ReachLayout:
    """Fit the strips above the table."""
    look = roomy(look, room)
    px = look.px
    if picture.reason:
        return ReachLayout(room, 0.0, QRectF(), 0.0, None)
    names = max(
        max(text_size(look.font(12, bold=True), strip.name)[0], text_size(look.font(11), strip.detail)[0])
        for strip in picture.strips
    ) + px(12)
    lines = len(picture.rows) + 1
    above = px(TITLE + AXIS + GAP)
    row = min(max(0.5 * (room.height() - above) / lines, px(18)), px(50))
    rest = room.height() - above - row * lines
    height = min(max(rest / len(picture.strips), px(31)), px(100))
    cells = QRectF(room.left() + names, room.top() + px(TITLE), room.width() - names, height * len(picture.strips))
    top = cells.bottom() + px(AXIS + GAP)
    box = QRectF(room.left(), top, room.width(), row * lines)
    rows = tuple((found.name, found.recurrent, found.attention, found.why) for found in picture.rows)
    return ReachLayout(room, names, cells, height, table_layout(look, box, COLUMNS, rows, row_height=row))


# ---- Painting ----


def paint_cost_reach(
    painter: QPainter, picture: ReachPicture, layout: ReachLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    if layout.table is None:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    look = roomy(look, layout.room)
    title = QRectF(layout.room.left(), layout.room.top(), layout.room.width(), look.px(TITLE))
    paint_heading(painter, title, "How much of an earlier token can reach the newest: 1 all, 0 nothing", look)
    for number in range(len(picture.strips)):
        _paint_strip(painter, picture, layout, look, number)
    if picture.state.n == 1:
        paint_reason(painter, "There is only one token, and none before it.", layout.cells, look)
    else:
        _paint_distances(painter, layout, look)
    paint_table(painter, layout.table, look)


def _paint_strip(painter: QPainter, picture: ReachPicture, layout: ReachLayout, look: Look, number: int) -> None:
    px, theme, strip = look.px, look.theme, picture.strips[number]
    first = layout.cell(number, FARTHEST - 1)
    half = first.height() / 2
    left = Qt.AlignmentFlag.AlignLeft
    painter.setFont(look.font(12, bold=True))
    painter.setPen(colour_of(theme.text))
    name = QRectF(layout.room.left(), first.top(), layout.names, half)
    painter.drawText(name, left | Qt.AlignmentFlag.AlignBottom, strip.name)
    painter.setFont(look.font(11))
    painter.setPen(colour_of(theme.muted))
    painter.drawText(name.translated(0, half), left | Qt.AlignmentFlag.AlignTop, strip.detail)
    font = look.font(10.5)
    are_written = text_size(font, ".88")[0] <= first.width() - px(2)  # all strips or none
    for column, value in enumerate(strip.values.tolist()):
        cell = layout.cell(number, column).adjusted(1, 0, -1, 0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if math.isnan(value):
            continue
        ground = colour_of(shade(theme, 0.06 + 0.8 * value))
        painter.fillRect(cell, ground)
        text = f"{value:.2f}".removeprefix("0") if 0 < value < 1 else f"{value:.0f}"
        if are_written:
            painter.setFont(font)
            painter.setPen(readable_ink(ground.rgb()))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)


def _paint_distances(painter: QPainter, layout: ReachLayout, look: Look) -> None:
    px, theme = look.px, look.theme
    painter.setFont(look.font(11))
    painter.setPen(colour_of(theme.muted))
    for back in (1, 5, 10, 15, 20):
        cell = layout.cell(0, back - 1)
        place = QRectF(cell.center().x() - px(40), layout.cells.bottom(), px(80), px(AXIS - 4))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(back))
    if look.axis_names:
        label = QRectF(layout.room.left(), layout.cells.bottom(), layout.names, px(AXIS - 4))
        painter.drawText(label, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "tokens back")


# ---- Pointing ----


def cost_reach_spot(_picture: ReachPicture, layout: ReachLayout, place: QPointF) -> Spot:
    """Return a cell as (strip, tokens back − 1), or a line of the table as a row alone."""
    if layout.table is None:
        return NOWHERE
    if layout.cells.contains(place):
        wide = layout.cells.width() / FARTHEST
        column = min(int((layout.cells.right() - place.x()) / wide), FARTHEST - 1)
        return Spot(int((place.y() - layout.cells.top()) / layout.height), column)
    row = layout.table.row_at(place)
    return NOWHERE if row is None else Spot(row)


def mark_cost_reach(painter: QPainter, picture: ReachPicture, layout: ReachLayout, look: Look, spot: Spot) -> None:
    """Outline the same distance in every strip, or a line of the table."""
    if layout.table is None or spot.row is None:
        return
    look = roomy(look, layout.room)
    if spot.column is None:
        if spot.row < len(picture.rows):
            mark_row(painter, layout.table, look, spot.row)
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for strip in range(len(picture.strips)):
        painter.setPen(pen(look.theme.text, (2.2 if strip == spot.row else 1.0) * look.zoom))
        painter.drawRect(layout.cell(strip, spot.column))


def cost_reach_words(picture: ReachPicture, spot: Spot) -> str:
    """Return what is under the pointer, with formula and numbers."""
    if picture.reason or spot.row is None:
        return ""
    if spot.column is None:
        return picture.rows[spot.row].words if spot.row < len(picture.rows) else ""
    return strip_words(picture, min(spot.row, len(picture.strips) - 1), spot.column)


def cost_reach_notes(picture: ReachPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    return notes_of(reach_sentences(picture))
