"""Two maps in the same colours, and what is left when one is subtracted from the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.marks import colour_of, text_size
from attention_explorer.kit.drawing.small_map import (
    Arrangement,
    SmallMap,
    arranged,
    best_arrangement,
    paint_absent_swatch,
    paint_small_map,
    unbroken,
)
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.ui.maps_item import SeveralMaps, labelled, size_of_one

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
    words.setHeight(_wrapped(look, comparison.spoken, words.width()) + px(6))
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
    longest = max(_wrapped(look, title, width, bold=True) for title, width in zip(titles, cycle(widths)))
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


def _wrapped(look: Look, text: str, width: float, *, bold: bool = False) -> float:
    metrics = QFontMetricsF(look.font(12.5, bold=bold))
    return metrics.boundingRect(QRectF(0, 0, max(width, 40.0), 10_000.0), Qt.TextFlag.TextWordWrap, text).height()


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
