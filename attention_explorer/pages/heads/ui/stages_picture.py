"""The stages of a head as a strip: raw scores, scaled, masked, weights; below it the shapes of the whole layer."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.kit.drawing.marks import colour_of, draw_arrow, draw_line, pen, text_size
from attention_explorer.kit.drawing.small_map import paint_shape, paint_small_map, paint_swatch, paint_title, unbroken
from attention_explorer.kit.drawing.small_map_layout import (
    Arrangement,
    Hit,
    SmallMap,
    arranged,
    best_arrangement,
    cell_at,
)
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.stages import STAGE_NAMES, StagesPicture
from attention_explorer.pages.heads.ui.shape_chain import Chain, chain_layout, paint_chain

GAPS = 92, 62
"""Pixels at zoom 1 between maps side by side: an arrow with its words fits, in a small room on more lines."""
GUTTER = 30
"""Pixels at zoom 1 between rows of maps: an arrow around the corner fits."""
SLOTS = 104, 80
"""How many pixels wide at zoom 1 a map is at least; the less only where two beside each other have no room else."""
LEAST_HEIGHT = 60
"""Pixels at zoom 1 that maps should be high: in a smaller room the chain gives way."""


@dataclass(frozen=True, slots=True)
class StagesLayout:
    """Where everything of the strip is."""

    note: QRectF  # empty without a note
    maps: tuple[SmallMap, ...]
    heading: QRectF  # of the chain, empty without room for it
    chain: Chain

    def cell_at(self, place: QPointF) -> Hit | None:
        """Return which map, 0 to 3, and which of its cells is at a place."""
        return cell_at(self.maps, place)


def stages_layout(picture: StagesPicture, look: Look, room: QRectF) -> StagesLayout:
    """Fit the strip into a room: maps in one row or in two, whichever makes them larger, the chain below them.

    A room should be at least 300 × 270 px at zoom 1. Where the chain would leave the maps too little it is left out.
    """
    px = look.px
    note = QRectF(room.left(), room.top(), room.width(), px(20)) if picture.note else QRectF()
    maps_room = room.adjusted(0, note.height(), 0, 0)
    chain = chain_layout(picture.boxes, look, room.left(), room.width())
    maps = _maps(picture, look, maps_room.adjusted(0, 0, 0, -chain.height - px(22) - px(10)))
    if min(small.layout.cells.height() for small in maps) < min(px(LEAST_HEIGHT), px(9) * maps[0].layout.rows):
        chain = Chain((), 0.0)
        maps = _maps(picture, look, maps_room)
    top = max(small.foot for small in maps) + px(10)
    heading = QRectF(room.left(), top, room.width(), px(20)) if chain.boxes else QRectF()
    return StagesLayout(note, maps, heading, chain.moved_to(heading.bottom() + px(2)))


def _maps(picture: StagesPicture, look: Look, room: QRectF) -> tuple[SmallMap, ...]:
    header, gutter = look.px(20), look.px(GUTTER)
    choices = [Arrangement(columns, look.px(gap), gutter, header, SLOTS[0]) for gap in GAPS for columns in (4, 2)]
    choices.append(Arrangement(2, look.px(GAPS[1]), gutter, header, SLOTS[1]))
    best = best_arrangement(picture.pictures, look, room, tuple(choices))
    return arranged(picture.pictures, look, room, best)


# ---- Painting ----


def paint_stage_maps(
    painter: QPainter, picture: StagesPicture, layout: StagesLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    if picture.note:
        painter.setFont(look.font(12))
        painter.setPen(colour_of(look.theme.muted))
        painter.drawText(layout.note, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, picture.note)
    for name, stage, small in zip(STAGE_NAMES, picture.pictures, layout.maps, strict=True):
        paint_small_map(painter, stage, small, look, vector=vector)
        # The shape may reach into the gap before the next map, unless words stand close or the room ends there.
        is_last = all(other.header.left() <= small.header.left() for other in layout.maps)
        beyond = 0 if is_last or small.header.width() < look.px(SLOTS[0]) else 24
        paint_title(painter, small.header, name, f"({stage.cells[0]}, {stage.cells[1]})", look, beyond=beyond)
    for number, step in enumerate(picture.steps):
        hides = number == 1 and bool(picture.pictures[2].masked.any())
        _paint_step(painter, layout.maps[number], layout.maps[number + 1], unbroken(step), look, swatch=hides)
    if layout.chain.boxes:
        _paint_heading(painter, picture, layout.heading, look)
    paint_chain(painter, layout.chain, look)


def _paint_step(painter: QPainter, start: SmallMap, end: SmallMap, words: str, look: Look, *, swatch: bool) -> None:
    """Paint the arrow from a map to the next with what is done; ``swatch`` shows what a masked cell looks like."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if end.header.top() > start.foot:
        _paint_step_down(painter, start, end, words, look, swatch=swatch)
        return
    px, cells = look.px, start.layout.cells
    left, right = max(start.header.right(), cells.right()) + px(8), end.header.left() - px(8)
    middle = cells.center().y()
    draw_arrow(painter, QPointF(left, middle), QPointF(right, middle), look.theme.muted, 1.5 * look.zoom, px(9))
    font = look.font(11.5)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
    room = QRectF(left - px(4), 0, right - left + px(8), px(200))
    high = QFontMetricsF(font).boundingRect(room, flags, words).height()
    above = high + px(6) <= middle - start.header.top() + px(12)
    box = QRectF(room.left(), middle - px(6) - high if above else middle + px(6), room.width(), high + 1)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    painter.drawText(box, flags, words)
    if swatch:
        y = middle + px(8) if above else middle - px(20)
        paint_swatch(painter, QRectF(box.center().x() - px(6), y, px(12), px(12)), look)


def _paint_step_down(
    painter: QPainter, start: SmallMap, end: SmallMap, words: str, look: Look, *, swatch: bool
) -> None:
    px, theme = look.px, look.theme
    middle = (start.foot + end.header.top()) / 2
    from_x, to_x = start.layout.cells.center().x(), end.layout.cells.center().x()
    stroke = pen(theme.muted, 1.5 * look.zoom)
    draw_line(painter, QPointF(from_x, start.foot + px(2)), QPointF(from_x, middle), stroke)
    draw_line(painter, QPointF(from_x, middle), QPointF(to_x, middle), stroke)
    draw_arrow(
        painter, QPointF(to_x, middle), QPointF(to_x, end.header.top() - px(1)), theme.muted, 1.5 * look.zoom, px(9)
    )
    font = look.font(11.5)
    sample = px(18) if swatch else 0
    width = text_size(font, words)[0] + px(14) + sample
    box = QRectF((from_x + to_x - width) / 2, middle - px(9), width, px(18))
    painter.fillRect(box, colour_of(theme.card))
    if swatch:
        paint_swatch(painter, QRectF(box.left() + px(7), middle - px(6), px(12), px(12)), look)
    painter.setFont(font)
    painter.setPen(colour_of(theme.text))
    painter.drawText(box.adjusted(sample, 0, 0, 0), Qt.AlignmentFlag.AlignCenter, words)


def _paint_heading(painter: QPainter, picture: StagesPicture, line: QRectF, look: Look) -> None:
    font = look.font(12.5, bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, picture.layer_heading)
    left = line.left() + text_size(font, picture.layer_heading)[0] + look.px(8)
    paint_shape(painter, QPointF(left, line.center().y()), picture.layer_badge, look)
