"""A row of weights at some steps, one below the other under its tokens: it fills downwards while something learns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.colour_maps import contrast, pixels_of, readable_ink
from attention_explorer.kit.drawing.marks import colour_of, mixed, paint_question_mark, pen, text_size
from attention_explorer.kit.items.item import Hit, Item, walked
from attention_explorer.kit.theme import Look

LARGEST, SMALLEST = 21.0, 8.0
"""Pixels at zoom 1 of the letters of tokens, as there is room."""
AROUND, HEADER, NAMES = 16.0, 42.0, 44.0
"""Pixels at zoom 1 around a token, of the line of tokens, and of the numbers of steps."""
WRITTEN = 0.15
"""From so large a weight on it stands in its cell, where it has room."""
LEAST_FILL, READABLE = 0.06, 4.5
"""The weight from which on a token is filled, and the contrast of letters that can be read."""


@dataclass(frozen=True, slots=True)
class FilmLayout:
    """Where the cells are, how large the letters of tokens are, and where columns end."""

    cells: QRectF
    letters: float
    rights: tuple[float, ...]
    rows: int

    def cell(self, row: int, column: int) -> QRectF:
        """Return a cell."""
        high, left = self.cells.height() / self.rows, self.rights[column - 1] if column else self.cells.left()
        return QRectF(left, self.cells.top() + row * high, self.rights[column] - left, high)

    def row(self, row: int) -> QRectF:
        """Return a row."""
        return self.cell(row, 0).united(self.cell(row, len(self.rights) - 1))


@dataclass(frozen=True, slots=True, eq=False)
class Film(Item[FilmLayout]):
    """The film; a `Hit` says (row, column), also of rows that are still empty.

    Attributes
    ----------
    tokens : tuple of str
        The keys, above their columns.
    steps : tuple of str
        What stands before each row, the empty ones among them.
    weights : ndarray, (seen, columns)
        The rows that there are, 0 to 1.
    masked : ndarray of bool, (columns,)
        Keys that nothing may look at.
    now : int
        The row that has a frame, and by which the tokens are filled.
    asking : int or None
        Which of the tokens asks.
    """

    name: str
    tokens: tuple[str, ...]
    steps: tuple[str, ...]
    weights: FloatArray
    masked: BoolArray
    now: int
    asking: int | None = None
    is_unknown: bool = False
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> FilmLayout:
        left, above = box.left() + look.px(NAMES), box.top() + look.px(HEADER)
        cells = QRectF(left, above, max(box.right() - left - 3, 8.0), max(box.bottom() - above - 3, 8.0))
        metrics = QFontMetricsF(look.font(LARGEST, bold=True))
        around = min(look.px(AROUND), 0.3 * cells.width() / len(self.tokens))
        widths = np.array([metrics.horizontalAdvance(token) for token in self.tokens])
        room = cells.width() - around * len(widths)
        letters = min(LARGEST, max(LARGEST * room / max(widths.sum(), 1.0), SMALLEST))
        # A short word has a cell as wide as others need for a number, as far as there is room.
        wide = np.maximum(widths * letters / LARGEST + around, cells.width() / len(widths) * 0.62)
        rights = cells.left() + np.cumsum(wide) * cells.width() / wide.sum()
        return FilmLayout(cells, letters, tuple(rights.tolist()), len(self.steps))

    def data_box(self, layout: FilmLayout) -> QRectF:
        return layout.cells

    def paint(self, painter: QPainter, layout: FilmLayout, look: Look, *, vector: bool = False) -> None:
        self._paint_tokens(painter, layout, look)
        self._paint_steps(painter, layout, look)
        if self.is_unknown:
            painter.fillRect(layout.cells, colour_of(look.theme.track))
            paint_question_mark(painter, layout.cells, look, 28)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        masked = np.broadcast_to(self.masked, self.weights.shape)
        pixels = pixels_of(self.weights, masked, "viridis", look.theme.masked)
        painter.setFont(look.font(min(13.0, 0.7 * layout.cells.height() / layout.rows / look.zoom)))
        for row in range(layout.rows):
            for column in range(len(self.tokens)):
                cell = layout.cell(row, column).adjusted(0.5, 0.5, -0.5, -0.5)
                if row < len(self.weights):
                    painter.fillRect(cell, QColor.fromRgb(int(pixels[row, column])))
                    self._paint_number(painter, cell, float(self.weights[row, column]), int(pixels[row, column]))
                else:
                    painter.setPen(pen(look.theme.border, 1.0))
                    painter.setBrush(colour_of(look.theme.window))
                    painter.drawRect(cell.adjusted(0.5, 0.5, -1, -1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        paint_outline(painter, layout.row(self.now), look.theme.query, look)

    @staticmethod
    def _paint_number(painter: QPainter, cell: QRectF, weight: float, ground: int) -> None:
        text = f"{weight:.2f}"
        if weight >= WRITTEN and text_size(painter.font(), text)[0] + 4 <= cell.width() and cell.height() >= 12:
            painter.setPen(readable_ink(ground))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_tokens(self, painter: QPainter, layout: FilmLayout, look: Look) -> None:
        theme, high = look.theme, look.px(HEADER)
        for column, token in enumerate(self.tokens):
            cell = layout.cell(0, column)
            box = QRectF(cell.left() + 1, layout.cells.top() - high + 2, cell.width() - 2, high - look.px(8))
            asks, weight = column == self.asking, 0.0 if self.is_unknown else float(self.weights[self.now, column])
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = mixed(theme.card, theme.key, 0.9 * weight if weight >= LEAST_FILL else 0.0)
            painter.setPen(pen(theme.query, 2.0 * look.zoom) if asks else Qt.PenStyle.NoPen)
            painter.setBrush(ground if weight >= LEAST_FILL else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, look.px(6), look.px(6))
            painter.setFont(look.font(layout.letters, bold=asks))
            plain = colour_of(theme.query_ink if asks else theme.text)
            painter.setPen(plain if contrast(plain, ground) >= READABLE else readable_ink(ground.rgb()))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, token)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_steps(self, painter: QPainter, layout: FilmLayout, look: Look) -> None:
        theme, right = look.theme, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        names = QRectF(layout.cells.left() - look.px(NAMES), 0, look.px(NAMES - 8), look.px(HEADER))
        painter.setFont(look.font(13))
        painter.setPen(colour_of(theme.muted))
        names.moveBottom(layout.cells.top() - look.px(4))
        if look.axis_names:
            painter.drawText(names, right, "step")
        size = min(13.0, 0.9 * layout.cells.height() / layout.rows / look.zoom)
        for row, text in enumerate(self.steps):
            here, is_now = layout.cell(row, 0), row == self.now
            painter.setFont(look.font(size, bold=is_now))
            painter.setPen(colour_of(theme.text if is_now else theme.muted))
            painter.drawText(QRectF(names.left(), here.top(), names.width(), here.height()), right, text)

    def hidden(self) -> Film:
        return replace(self, weights=self.weights[:0], is_unknown=True)

    def hit(self, layout: FilmLayout, place: QPointF) -> Hit | None:
        if not layout.cells.contains(place):
            return None
        row = int((place.y() - layout.cells.top()) / layout.cells.height() * layout.rows)
        column = next((i for i, right in enumerate(layout.rights) if place.x() < right), len(layout.rights) - 1)
        return Hit(self.name, (min(row, layout.rows - 1), column))

    def mark(self, painter: QPainter, layout: FilmLayout, look: Look, hit: Hit) -> None:
        if hit.item == self.name:
            paint_outline(painter, layout.cell(*hit.part), look.theme.text, look)

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        return walked(self.name, hit, key, (len(self.weights), len(self.tokens)))
