"""A picture of maps as an item that also says how large it is in a figure, and that of one map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.heatmap import paint_heatmap, paint_lit
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, layout_of
from attention_explorer.kit.drawing.small_map import cell_at, paint_marks
from attention_explorer.kit.items.item import Hit, Item, around
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look

L = TypeVar("L")

LABELLED_CELL = 13.0
"""Pixels of a cell in a small map from which on its tokens are written beside it."""
HIGHEST, FLATTEST = 1.5, 0.62
"""How high a picture laid out for a width may be at most, in widths, and how high it may always be."""
PAGE_HEIGHT = 1100.0
"""Pixels: at the scale of paper 233 mm, what a page holds with a caption."""


class MapsItem(Item[L]):
    """A picture of one or several maps; a `Hit` says which `Spot`: a cell, or a whole row or column of all of them."""

    __slots__ = ()

    @property
    def maps(self) -> int:
        """How many maps share what one may have of rectangles."""
        return 1

    @property
    def has_cells(self) -> bool:
        return True

    def suits(self) -> tuple[float, float]:
        """Return width and height that suit it."""
        raise NotImplementedError

    def foot(self, look: Look, room: QRectF) -> float:
        """Return how far down it reaches, laid out for a width in a room that is as high as may be."""
        raise NotImplementedError

    def paint_lit(self, painter: QPainter, layout: L, look: Look, spot: Spot, *, vector: bool = False) -> None:
        """Paint it with a spot lit, for files."""
        self.paint(painter, layout, look, vector=vector)
        self.mark(painter, layout, look, Hit(self.name, spot))


class SeveralMaps(MapsItem[L]):
    """Maps beside each other, in which the same spot is lit; the layout says where they are."""

    __slots__ = ()
    picture: Any

    @property
    def maps(self) -> int:
        return len(self.picture.pictures)

    def data_box(self, layout: Any) -> QRectF:  # noqa: ANN401 # with its maps
        return around(small.layout.cells for small in layout.maps)

    def hit(self, layout: Any, place: QPointF) -> Hit | None:  # noqa: ANN401 # with its maps
        found = cell_at(layout.maps, place)
        return None if found is None else Hit(self.name, Spot(found.row, found.column))

    def mark(self, painter: QPainter, layout: Any, look: Look, hit: Hit) -> None:  # noqa: ANN401 # with its maps
        paint_marks(painter, self.picture.pictures, layout.maps, look, (hit.part.row, hit.part.column))

    @property
    def cells(self) -> tuple[int, int]:
        """How many rows and columns the largest of them has."""
        rows, columns = zip(*(each.cells for each in self.picture.pictures), strict=True)
        return max(rows), max(columns)


@dataclass(frozen=True, slots=True, eq=False)
class MapItem(MapsItem[HeatmapLayout]):
    """A map with named axes and a colour bar below it. On the screen it fills its card, see `HeadMap`."""

    name: str
    picture: MapPicture
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> HeatmapLayout:
        return layout_of(self.picture, look, box)

    def data_box(self, layout: HeatmapLayout) -> QRectF:
        return layout.cells

    def paint(self, painter: QPainter, layout: HeatmapLayout, look: Look, *, vector: bool = False) -> None:
        paint_heatmap(painter, self.picture, layout, look, vector=vector)

    def mark(self, painter: QPainter, layout: HeatmapLayout, look: Look, hit: Hit) -> None:
        paint_lit(painter, self.picture, layout, look, hit.part.row, hit.part.column)

    def suits(self) -> tuple[float, float]:
        wide, high = size_of_one(*self.picture.cells)
        return max(wide, 460.0), max(high, 320.0)

    def foot(self, look: Look, room: QRectF) -> float:
        layout, most = self.layout(look, room), room.height()
        foot = layout.bar.bottom() + look.px(32) if look.colour_bars else layout.cells.bottom() + look.px(10)
        spare = look.px(24) if foot + look.px(48) < most else 0  # what the layout leaves free above in a high room
        return max(foot - spare, 120.0)


def room_of(item: MapsItem[L], look: Look, width: float | None) -> tuple[float, float]:
    """Return width and height of a picture in a figure: as suits it, or for a width."""
    wide, high = item.suits()
    if width is None:
        return wide, high
    suits = high * max(1.0, wide / width)  # what it loses at its sides it may have below
    # Few tokens do not fill a page only because it is wide.
    most = min(HIGHEST * width, PAGE_HEIGHT, max(FLATTEST * width, suits))
    return width, min(item.foot(look, QRectF(0, 0, width, most)), most)


def labelled(rows: int, columns: int) -> float:
    """Return how many pixels a cell has where several maps of so many cells stand side by side."""
    return LABELLED_CELL if max(rows, columns, 1) <= 100 else 3.0


def size_of_one(rows: int, columns: int) -> tuple[float, float]:
    """Return width and height that suit a map of so many cells, with its labels and colour bar."""
    side = max(rows, columns, 1)
    cell = min(44.0, max(12.0 if side <= 150 else 3.0, 560.0 / side))
    return min(columns * cell, 3000.0) + 240.0, min(rows * cell, 3000.0) + 230.0
