"""A picture of maps as an item that also says how large it is in a figure, and that of one map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, TypeVar

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.heatmap import paint_heatmap, paint_lit
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, layout_of
from attention_explorer.kit.drawing.marks import colour_of, text_size, wrapped_height
from attention_explorer.kit.drawing.small_map import (
    Arrangement,
    SmallMap,
    arranged,
    best_arrangement,
    cell_at,
    paint_absent_swatch,
    paint_marks,
    paint_small_map,
    unbroken,
)
from attention_explorer.kit.items.item import Hit, Item, around
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.compare import Comparison

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


# ---- Two maps, and their difference ----


GAP, NARROW_GAP, GUTTER = 28, 14, 12
"""Pixels at zoom 1 between maps side by side, in a narrow room, and between rows of maps."""
NARROW = 400
"""Pixels at zoom 1 below which a room is narrow."""
MOST_TITLE_LINES = 4
SAMPLE = 14
"""Pixels at zoom 1 of the sample of a cell without counterpart."""
LEAST_BAR = 12
"""Pixels at zoom 1 that the colours of a bar take at least between its numbers."""
THREE_FROM = 660.0
"""Pixels from which on three maps have room beside each other; more height would put one above the other."""


@dataclass(frozen=True, slots=True)
class CompareLayout:
    """Where the maps, their titles and the words below them are."""

    maps: tuple[SmallMap, ...]
    """A, B and the difference."""
    titles: tuple[QRectF, ...]
    words: QRectF
    sample: QRectF | None = None
    """Where a cell without counterpart is shown, before the words that say which tokens have none."""


def compare_layout(comparison: Comparison, look: Look, room: QRectF) -> CompareLayout:
    """Fit a comparison into a room: A, B and A − B in one row, or the difference below, whichever has larger cells."""
    px, pictures = look.px, comparison.pictures
    words = room.adjusted(0 if comparison.is_complete else px(SAMPLE + 6), 0, 0, 0)
    words.setHeight(wrapped_height(comparison.spoken, words.width(), look.font(12.5)) + px(6))
    maps_room = room.adjusted(0, 0, 0, -words.height() - px(10))
    choices = tuple(
        _arrangement(comparison, look, maps_room, columns) for columns in sorted({1, 2, len(pictures)}, reverse=True)
    )
    best = best_arrangement(pictures, look, maps_room, choices)
    maps = arranged(pictures, look, maps_room, best)
    header = _header(comparison, look, [box.width() for box in _title_boxes(comparison, maps, look, room)])
    if header > best.header:  # the maps are closer together than they could be
        maps = arranged(pictures, look, maps_room, replace(best, header=header))
    maps = tuple(_with_bar(picture, small, look) for picture, small in zip(pictures, maps, strict=True))
    words.moveTop(max(small.foot for small in maps) + px(10))
    sample = QRectF(room.left(), words.top() + px(2), px(SAMPLE) - 2, px(SAMPLE) - 2)
    titles = _title_boxes(comparison, maps, look, room)
    return CompareLayout(maps, titles, words, None if comparison.is_complete else sample)


def _arrangement(comparison: Comparison, look: Look, room: QRectF, columns: int) -> Arrangement:
    gap = look.px(GAP if room.width() > look.px(NARROW) else NARROW_GAP)
    width = (room.width() - gap * (columns - 1)) / columns
    header = _header(comparison, look, [width if columns == 1 else max(width - look.px(60), look.px(104))])
    side_by_side = comparison.pictures[:columns] if columns > 1 else comparison.pictures
    slot = max(104.0, *(_least_bar(picture, look) / look.zoom for picture in side_by_side))
    return Arrangement(columns, gap, look.px(GUTTER), header, slot)


def _least_bar(picture: MapPicture, look: Look) -> float:
    """Return how wide a colour bar is at least, with the numbers at its ends."""
    (_, low), *_, (_, high) = picture.scale.ticks()
    return sum(text_size(look.font(11), end)[0] for end in (low, high)) + look.px(10 + LEAST_BAR)


def _with_bar(picture: MapPicture, small: SmallMap, look: Look) -> SmallMap:
    """Return a map with a colour bar that has room for its numbers, where that of its neighbours would be too short."""
    bar = QRectF(small.layout.bar)
    bar.setWidth(max(bar.width(), _least_bar(picture, look)))
    return replace(small, layout=replace(small.layout, bar=bar))


def _header(comparison: Comparison, look: Look, widths: list[float]) -> float:
    """Return how high titles are that wrap into boxes of these widths; at most four lines."""
    line = QFontMetricsF(look.font(12.5, bold=True)).height()
    titles = (unbroken(title) for title in comparison.all_titles)
    longest = max(
        wrapped_height(title, width, look.font(12.5, bold=True)) for title, width in zip(titles, cycle(widths))
    )
    return min(longest, MOST_TITLE_LINES * line) + look.px(3)


def _title_boxes(comparison: Comparison, maps: tuple[SmallMap, ...], look: Look, room: QRectF) -> tuple[QRectF, ...]:
    """Return where titles are written: up to the next map, or to the end of the room, where one has all of it."""
    font, boxes = look.font(12.5, bold=True), list[QRectF]()
    for title, small in zip(comparison.all_titles, maps, strict=True):
        box = QRectF(small.header)
        beside = [other.header.left() for other in maps if other.header.top() == box.top()]
        right = min((left - look.px(8) for left in beside if left > box.left()), default=room.right())
        box.setRight(right)
        if len(beside) == 1:
            box.setLeft(max(room.left(), min(box.left(), right - text_size(font, title)[0] - 2)))
        boxes.append(box)
    return tuple(boxes)


@dataclass(frozen=True, slots=True, eq=False)
class ComparedItem(SeveralMaps[CompareLayout]):
    """A, B and A − B over the tokens of both."""

    name: str
    picture: Comparison
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> CompareLayout:
        return compare_layout(self.picture, look, box)

    def paint(self, painter: QPainter, layout: CompareLayout, look: Look, *, vector: bool = False) -> None:
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom | Qt.TextFlag.TextWordWrap
        for picture, small in zip(self.picture.pictures, layout.maps, strict=True):
            paint_small_map(painter, picture, small, look, vector=vector)
        painter.setFont(look.font(12.5, bold=True))
        painter.setPen(colour_of(look.theme.text))
        for title, box in zip(self.picture.all_titles, layout.titles, strict=True):
            painter.drawText(box.adjusted(0, 0, 0, -look.px(3)), flags, unbroken(title))
        if layout.sample is not None:
            paint_absent_swatch(painter, layout.sample, look)
        painter.setFont(look.font(12.5))
        painter.setPen(colour_of(look.theme.muted))
        painter.drawText(layout.words, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, self.picture.spoken)

    def hit(self, layout: CompareLayout, place: QPointF) -> Hit | None:
        """Return which spot is at a place, by the numbers of its tokens."""
        found = SeveralMaps.hit(self, layout, place)
        if found is None:
            return None
        rows, columns = self.picture.rows.numbers, self.picture.columns.numbers
        return Hit(self.name, Spot(int(rows[found.part.row]), int(columns[found.part.column])))

    def mark(self, painter: QPainter, layout: CompareLayout, look: Look, hit: Hit) -> None:
        spot: Spot = hit.part
        row, column = self.picture.rows.place_of(spot.row), self.picture.columns.place_of(spot.column)
        if (row is None) == (spot.row is None) and (column is None) == (spot.column is None):  # else there is none such
            SeveralMaps.mark(self, painter, layout, look, Hit(self.name, Spot(row, column)))

    def suits(self) -> tuple[float, float]:
        rows, columns = self.cells
        (wide, high), small = size_of_one(rows, columns), labelled(rows, columns)
        return 3 * max(0.7 * wide, columns * small + 90.0, 340.0), max(0.75 * high, rows * small + 230.0, 380.0)

    def foot(self, look: Look, room: QRectF) -> float:
        if room.width() >= THREE_FROM:
            room = QRectF(room.left(), room.top(), room.width(), room.width() / 3 + 170.0)
        return self.layout(look, room).words.bottom() + look.px(6)
