"""Two maps in the same colours, and what is left when one is subtracted from the other."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.state.heads.compare import Comparison
from attention_explorer.ui.drawing.marks import colour_of
from attention_explorer.ui.drawing.small_map import Mark, paint_marks, paint_small_map, unbroken
from attention_explorer.ui.drawing.small_map_layout import (
    Arrangement,
    Hit,
    SmallMap,
    arranged,
    best_arrangement,
    cell_at,
)
from attention_explorer.ui.theme import Look

GAP, GUTTER = 28, 12
"""Pixels at zoom 1 between maps side by side and between rows of maps."""
MOST_TITLE_LINES = 3


@dataclass(frozen=True, slots=True)
class CompareLayout:
    """Where the maps and the words below them are."""

    maps: tuple[SmallMap, ...]
    words: QRectF

    def cell_at(self, place: QPointF) -> Hit | None:
        """Return which map (0 is A, 1 is B, 2 the difference) and which of its cells is at a place."""
        return cell_at(self.maps, place)


def compare_layout(comparison: Comparison, look: Look, room: QRectF) -> CompareLayout:
    """Fit a comparison into a room: A, B and A − B in one row, or the difference below, whichever has larger cells."""
    px, pictures = look.px, comparison.pictures
    words_height = _wrapped(look, comparison.words, room.width()) + px(6)
    maps_room = room.adjusted(0, 0, 0, -words_height - px(10))
    shared = len({(picture.row_tokens, picture.column_tokens) for picture in pictures}) == 1
    choices = tuple(
        Arrangement(columns, px(GAP), px(GUTTER), _header(comparison, look, maps_room, columns))
        for columns in sorted({1, 2, len(pictures)}, reverse=True)
    )
    best = best_arrangement(pictures, look, maps_room, choices, shared=shared)
    maps = arranged(pictures, look, maps_room, best, shared=shared)
    top = max(small.foot for small in maps) + px(10)
    return CompareLayout(maps, QRectF(room.left(), top, room.width(), words_height))


def _header(comparison: Comparison, look: Look, room: QRectF, columns: int) -> float:
    """Return how high titles are that wrap into so many columns; never more than three lines."""
    width = max((room.width() - look.px(GAP) * (columns - 1)) / columns - look.px(60), look.px(104))
    line = QFontMetricsF(look.font(12.5, bold=True)).height()
    longest = max(_wrapped(look, unbroken(title), width, bold=True) for title in comparison.all_titles)
    return min(longest, MOST_TITLE_LINES * line) + look.px(3)


def _wrapped(look: Look, text: str, width: float, *, bold: bool = False) -> float:
    metrics = QFontMetricsF(look.font(12.5, bold=bold))
    return metrics.boundingRect(QRectF(0, 0, max(width, 40.0), 10_000.0), Qt.TextFlag.TextWordWrap, text).height()


# ---- Painting ----


def paint_compare(
    painter: QPainter,
    comparison: Comparison,
    room: QRectF,
    look: Look,
    *,
    hover: Mark | None = None,
    vector: bool = False,
) -> None:
    """Paint a comparison with one cell lit; a widget keeps the layout and paints maps and marks apart."""
    layout = compare_layout(comparison, look, room)
    paint_compare_maps(painter, comparison, layout, look, vector=vector)
    if hover is not None:
        paint_marks(painter, comparison.pictures, layout.maps, look, hover)


def paint_compare_maps(
    painter: QPainter, comparison: Comparison, layout: CompareLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom | Qt.TextFlag.TextWordWrap
    for picture, title, small in zip(comparison.pictures, comparison.all_titles, layout.maps, strict=True):
        paint_small_map(painter, picture, small, look, vector=vector)
        painter.setFont(look.font(12.5, bold=True))
        painter.setPen(colour_of(look.theme.text))
        painter.drawText(small.header.adjusted(0, 0, 0, -look.px(3)), flags, unbroken(title))
    painter.setFont(look.font(12.5))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(layout.words, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, comparison.words)
