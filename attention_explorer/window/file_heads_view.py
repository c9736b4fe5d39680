"""Some heads of a file as small maps in a row, as they would be read."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import readable
from attention_explorer.kit.accessible import PICTURE, sentences, tell_changed
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.items.small_map import GAP, LINE, SmallMap
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.file_heads import MOST_HEADS, FileHead, FileHeads

SIDE, LEAST_SIDE, LARGEST_SIDE = 88.0, 60.0, 190.0
"""Pixels at zoom 1 of the longer side of a map: of each of eight, at least in a narrow window, and at most."""
LONGEST = 4.0
"""How many times as long as wide a map is drawn at most."""
REFUSED = "no weights"


class FileHeadsView(QWidget):
    """Shows heads of a file.

    Signals
    -------
    pointed : str
        What is under the pointer, in words; empty if nothing is.
    """

    accessible_role = PICTURE
    pointed = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.shown: tuple[FileHead, ...] = ()
        self._shape = (1, 1)
        self._said = ""
        self.setAccessibleName("Some heads as they are read like this")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_heads(self, heads: FileHeads) -> None:
        """Show other heads."""
        self.shown, self._shape = heads.heads, heads.shape
        self._said = sentences(heads.sums_words(), heads.shown_words())
        self.updateGeometry()
        self.update()
        tell_changed(self)

    def spoken(self) -> str:
        """Return what is drawn, in words."""
        return sentences(", ".join(head.name for head in self.shown), self._said)

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(SIDE) * MOST_HEADS, self._high())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(LEAST_SIDE) * MOST_HEADS, self._high())

    def _high(self) -> int:
        lines = 1 + any(head.picture is None for head in self.shown)
        return self._look.px(self._side * min(1.0, self._tall) + lines * LINE + (1 + lines) * GAP)

    @property
    def _side(self) -> float:
        return min(SIDE * MOST_HEADS / max(len(self.shown), 1), LARGEST_SIDE)

    @property
    def _tall(self) -> float:
        """How many times as high as wide the maps are."""
        n_q, n_k = self._shape
        return min(max(n_q / n_k, 1 / LONGEST), LONGEST)

    # ---- Where things are ----

    def items(self) -> tuple[tuple[SmallMap, HeatmapLayout], ...]:
        """Return the maps with where they are, side by side."""
        px = self._look.px
        wide = min(self.width() / max(len(self.shown), 1), px(self._side + 2 * GAP))
        return tuple(
            (
                SmallMap(head.name, head.picture, head.name, "" if head.picture else REFUSED),
                self._layout_of(head, QRectF(number * wide, 0, wide, self.height())),
            )
            for number, head in enumerate(self.shown)
        )

    def _layout_of(self, head: FileHead, box: QRectF) -> HeatmapLayout:
        """Lay a map out with the sides of the whole head: rows that are left out make it no lower."""
        gap, line = self._look.px(GAP), self._look.px(LINE)
        side, tall = box.width() - 2 * gap, self._tall
        cells = QRectF(0, line + gap, side * min(1.0, 1 / tall), side * min(1.0, tall))
        cells.moveCenter(QPointF(box.center().x(), cells.center().y()))
        rows, columns = (1, 1) if head.picture is None else head.picture.cells
        return HeatmapLayout(cells, rows, columns, Labels(1.0, 1), Labels(1.0, 1), box)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointed.emit(self._words_at(event.position().x(), event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit("")

    def _words_at(self, x: float, y: float) -> str:
        for head, (_, layout) in zip(self.shown, self.items(), strict=True):
            if not layout.bar.contains(x, y):
                continue
            if head.picture is None:
                return head.refusal
            row, column = layout.row_at(y), layout.column_at(x)
            if row is None or column is None:
                return ""
            return f"{head.name}: {_cell_words(head.picture, row, column)}"
        return ""

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for item, layout in self.items():
            item.paint(painter, layout, self._look)
        painter.end()


def _cell_words(picture: MapPicture, row: int, column: int) -> str:
    """Return the query, the key and the number of a cell; of several in one tile, the number that it shows."""
    rows, columns = picture.tile_of(row, column)
    tile = tuple(
        int(np.searchsorted(ends, place, side="right")) - 1
        for ends, place in zip(picture.tiles_end, (row, column), strict=True)
    )
    number = "masked" if picture.masked[tile] else readable(float(picture.values[tile]))
    if len(rows) * len(columns) > 1 and number != "masked":
        number = f"{'furthest from 0' if picture.scale.is_diverging else 'largest'} here {number}"
    return f"“{picture.row_tokens[row]}” (query) → “{picture.column_tokens[column]}” (key): {number}"
