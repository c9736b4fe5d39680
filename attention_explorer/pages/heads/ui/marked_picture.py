"""The maps of the marked heads at one size, with one colour bar for all."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.colour_bar import paint_title_of_small_bar, title_of_small_bar
from attention_explorer.kit.drawing.marks import colour_of, text_size
from attention_explorer.kit.drawing.small_map import paint_small_map
from attention_explorer.kit.drawing.small_map_layout import Arrangement, SmallMap, arranged, best_arrangement
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.marked import MarkedHeads
from attention_explorer.pages.heads.ui.map_layout import paint_legend
from attention_explorer.pages.heads.ui.maps_item import SeveralMaps, labelled

GAP, GUTTER, HEADER = 18, 10, 20
"""Pixels at zoom 1 between maps side by side, between rows of maps, and for a title."""
BAR_ROOM, BAR_HEIGHT = 30, 16
"""Pixels at zoom 1 for the colour bar in its line below the maps, and how high that line is."""
WIDEST_BAR, BESIDE_BAR = 260, 46
"""The colour bar, and beside it what a masked cell looks like, before its word."""


@dataclass(frozen=True, slots=True)
class MarkedLayout:
    """Where the maps and their colour bar are."""

    maps: tuple[SmallMap, ...]
    bar: QRectF  # its title is at its left


def marked_layout(marked: MarkedHeads, look: Look, room: QRectF) -> MarkedLayout:
    """Fit the maps into a room, in as many columns as make their cells largest."""
    px, pictures, without_bars = look.px, marked.pictures, replace(look, colour_bars=False)
    bar_room = px(BAR_ROOM) if look.colour_bars else 0
    maps_room = room.adjusted(0, 0, 0, -bar_room)
    header = px(HEADER) if len(pictures) > 1 else 0  # of one head the title of the picture has the name
    choices = tuple(Arrangement(columns, px(GAP), px(GUTTER), header) for columns in range(len(pictures), 0, -1))
    best = best_arrangement(pictures, without_bars, maps_room, choices)
    maps = arranged(pictures, without_bars, maps_room, best)
    cells = [small.layout.cells for small in maps]
    left, right = min(box.left() for box in cells), max(box.right() for box in cells)
    top = max(box.bottom() for box in cells) + px(10)
    legend = _legend(marked)
    beside = text_size(look.font(11.5), legend.masked_word)[0] + px(BESIDE_BAR) if legend.masked.any() else 0.0
    title = title_of_small_bar(legend.scale, look)
    width = min(right - left, px(WIDEST_BAR), room.right() - left - beside - title)
    return MarkedLayout(maps, QRectF(left + title, top, width, px(BAR_HEIGHT)))


def _legend(marked: MarkedHeads) -> MapPicture:
    """Return the map whose colour bar says all there is to say: one with masked cells, if there is any."""
    return next((each for each in marked.pictures if each.masked.any()), marked.pictures[0])


@dataclass(frozen=True, slots=True, eq=False)
class MarkedItem(SeveralMaps[MarkedLayout]):
    """The maps of the marked heads."""

    name: str
    picture: MarkedHeads
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> MarkedLayout:
        return marked_layout(self.picture, look, box)

    def paint(self, painter: QPainter, layout: MarkedLayout, look: Look, *, vector: bool = False) -> None:
        without_bars, marked = replace(look, colour_bars=False), self.picture
        for picture, small in zip(marked.pictures, layout.maps, strict=True):
            paint_small_map(painter, picture, small, without_bars, vector=vector)
        if len(marked.titles) > 1:
            self._paint_titles(painter, layout, look)
        if look.colour_bars:
            paint_title_of_small_bar(painter, _legend(marked), layout.bar, look)
        paint_legend(painter, _legend(marked), layout.bar, look, vector=vector)

    def _paint_titles(self, painter: QPainter, layout: MarkedLayout, look: Look) -> None:
        font = look.font(12.5, bold=True)
        painter.setFont(font)
        painter.setPen(colour_of(look.theme.text))
        for title, small in zip(self.picture.titles, layout.maps, strict=True):
            said = QFontMetricsF(font).elidedText(title, Qt.TextElideMode.ElideRight, small.header.width())
            painter.drawText(small.header, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, said)

    def suits(self) -> tuple[float, float]:
        rows, columns = self.cells
        across, small = min(self.maps, 4), labelled(rows, columns)
        width, height = max(columns * small, 120.0) + 20.0, max(rows * small, 120.0) + 60.0
        return max(across * min(width, 1500.0) + 100.0, 460.0), -(-self.maps // across) * min(height, 1500.0) + 110.0

    def foot(self, look: Look, room: QRectF) -> float:
        return max(self.layout(look, room).bar.bottom() + look.px(8), 120.0)
