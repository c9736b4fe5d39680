"""Maps of cells as items of a picture, drawn as every map of the program; and one with a row for each token."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.colour_maps import colour_map_of, paint_small_bar, pixels_of, readable_ink
from attention_explorer.kit.drawing.heatmap import (
    paint_cells,
    paint_column_label,
    paint_column_labels,
    paint_heatmap,
    paint_row_label,
    paint_row_labels,
    paint_unknown,
)
from attention_explorer.kit.drawing.heatmap_layout import (
    LINE_HEIGHT,
    HeatmapLayout,
    Labels,
    column_height,
    column_labels,
    label_size,
    layout_of,
    longest_label,
)
from attention_explorer.kit.drawing.marks import colour_of, paint_question_mark, text_size
from attention_explorer.kit.items.item import Hit, Item, around, walked
from attention_explorer.kit.theme import Look

BELOW_BAR, TALLEST = 32, 1.4
"""Pixels at zoom 1 below a colour bar, for its numbers; and how high cells are at most, by how wide they are."""


@dataclass(frozen=True, slots=True, eq=False)
class Map(Item[HeatmapLayout]):
    """A map; a `Hit` says (row, column).

    Attributes
    ----------
    picture : MapPicture
        Its cells, tokens and colours.
    is_bare : bool
        Whether it is cells alone, without tokens and colour bar, which fill the box.
    is_unknown : bool
        Whether its numbers are asked for: then “?” stands in its cells.
    framed_row : int or None
        The row that matters most, which has a frame in the colour of queries.
    is_tall : bool
        Whether its cells are higher than wide where there is room below them.
    has_bar : bool
        Whether a colour bar stands below it or beside it.
    is_steady : bool
        Whether the same words in another order take the same room, so that one map is drawn as the other.
    """

    name: str
    picture: MapPicture
    is_bare: bool = False
    is_unknown: bool = False
    framed_row: int | None = None
    is_tall: bool = False
    has_bar: bool = True
    is_steady: bool = False
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> HeatmapLayout:
        if self.is_bare:
            return HeatmapLayout(box, *self.picture.cells, Labels(1.0, 1), Labels(1.0, 1), QRectF())
        layout = layout_of(self.picture, look, box, bar=self.has_bar, steady=self.is_steady)
        return _taller(layout, box, look) if self.is_tall else layout

    @property
    def has_cells(self) -> bool:
        return True

    def data_box(self, layout: HeatmapLayout) -> QRectF:
        return layout.cells

    def paint(self, painter: QPainter, layout: HeatmapLayout, look: Look, *, vector: bool = False) -> None:
        if self.is_unknown:
            paint_unknown(painter, self.picture, layout, look)
        elif self.is_bare:
            paint_cells(painter, self.picture, layout, look, vector=vector)
        else:
            paint_heatmap(painter, self.picture, layout, look, vector=vector, bar=self.has_bar)
        if self.framed_row is not None:
            left, right = (layout.rectangle(self.framed_row, column) for column in (0, layout.columns - 1))
            paint_outline(painter, left.united(right), look.theme.query, look)

    def hidden(self) -> Map:
        return replace(self, picture=self.picture.unknown(), is_unknown=True)

    def hit(self, layout: HeatmapLayout, place: QPointF) -> Hit | None:
        row, column = layout.row_at(place.y()), layout.column_at(place.x())
        return None if row is None or column is None else Hit(self.name, (row, column))

    def mark(self, painter: QPainter, layout: HeatmapLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        row, column = hit.part
        paint_outline(painter, layout.rectangle(row, column), look.theme.text, look)
        if not self.is_bare:
            paint_row_label(painter, self.picture, layout, look, row, lit=True)
            paint_column_label(painter, self.picture, layout, look, column, lit=True)

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        return walked(self.name, hit, key, self.picture.cells)


def _taller(layout: HeatmapLayout, box: QRectF, look: Look) -> HeatmapLayout:
    """Return the layout with its cells so high that they reach down as far as there is room for them and the bar."""
    below = 0.0 if layout.bar.isEmpty() else layout.bar.bottom() + look.px(BELOW_BAR) - layout.cells.bottom()
    room = box.bottom() - below - layout.cells.bottom()
    more = min(room, (TALLEST * layout.cell_width - layout.cell_height) * layout.rows)
    if more <= 0:
        return layout
    return replace(layout, cells=layout.cells.adjusted(0, 0, 0, more), bar=layout.bar.translated(0, more))


# ---- Rows of tokens ----
# A map with a row for each token whose cells fill their room: title and colour bar above, tokens at the left.


HEADER, BAR, LEAST_BAR, GAP = 24, 190, 90, 10
"""Pixels at zoom 1 of the line above, of the colour bar, of the smallest, and between words and cells."""
LEAST_WORD, LARGEST_WORD = 14, 18.0
"""Pixels at zoom 1 of a cell that has a word in it, and of the letters at most."""
MOST_LABELS = 0.22
"""The largest share of the width that tokens take."""
ELIDED = Qt.TextElideMode.ElideRight


@dataclass(frozen=True, slots=True, eq=False)
class RowsMap(Map):
    """A map of tokens by features.

    Attributes
    ----------
    title : str
        What stands above it; while its numbers are asked for, its name does.
    ink : str
        A field of `Theme`, for the title.
    detail : str
        Behind the title in small letters, what the columns are; left out where there is no room.
    names_columns : bool
        Whether the tokens of the columns stand above them.
    words : tuple of tuple of str
        What stands in the cells in place of their numbers, row by row; nothing if empty.
    chosen : (int, int) or None
        The row and column of a cell that has a frame; the column is None for a whole row.
    """

    title: str = ""
    ink: str = "text"
    detail: str = ""
    names_columns: bool = False
    words: tuple[tuple[str, ...], ...] = ()
    chosen: tuple[int, int | None] | None = None

    def layout(self, look: Look, box: QRectF) -> HeatmapLayout:
        px, (rows, columns) = look.px, self.picture.cells
        named = min(longest_label(self.picture.row_tokens, look, 13.0), MOST_LABELS * box.width()) + px(GAP)
        cells = box.adjusted(named, px(HEADER), 0, 0)
        above = Labels(size=13.0, step=1)
        if self.names_columns:
            cells, above = self._below_names(look, cells)
        cells.setHeight(max(cells.height(), 8.0))
        spare = box.width() - text_size(look.font(14, bold=True), self.title)[0] - px(GAP)
        wide = min(px(BAR), spare) if spare >= px(LEAST_BAR) and look.colour_bars and not self.is_unknown else 0.0
        bar = QRectF(box.right() - wide, box.top(), wide, px(HEADER))
        size, step = label_size(look, cells.height() / max(rows, 1))
        beyond = LINE_HEIGHT * size * look.zoom - cells.height() / max(rows, 1)
        cells.setBottom(cells.bottom() - max(beyond / 2, 0.0))  # where rows are lower than the last one's label
        return HeatmapLayout(cells, rows, columns, Labels(size, step, 0, named - px(GAP)), above, bar)

    def _below_names(self, look: Look, cells: QRectF) -> tuple[QRectF, Labels]:
        """Return where the cells are with the names of their columns above them, and how these stand."""
        longest = longest_label(self.picture.column_tokens, look, 13.0)
        wide = cells.width() / max(len(self.picture.column_tokens), 1)
        labels = column_labels(look, wide, min(longest, 0.2 * cells.height()), longest, 13.0)
        if labels.angle == -45:  # they would lean out over the right edge
            labels = replace(labels, angle=-90)
        return cells.adjusted(0, column_height(labels, look), 0, 0), labels

    def paint(self, painter: QPainter, layout: HeatmapLayout, look: Look, *, vector: bool = False) -> None:
        self._paint_title(painter, layout, look)
        if self.is_unknown:
            painter.fillRect(layout.cells, QColor(look.theme.track))
            paint_question_mark(painter, layout.cells, look, 28)
        else:
            self.paint_values(painter, layout, look, vector=vector)
        if self.names_columns:
            paint_column_labels(painter, self.picture, layout, look)
        if not layout.bar.isEmpty():
            paint_small_bar(painter, self.picture, layout.bar, look, vector=vector)
        paint_row_labels(painter, self.picture, layout, look)
        if self.framed_row is not None:
            ends = (layout.rectangle(self.framed_row, column) for column in (0, layout.columns - 1))
            paint_outline(painter, around(ends), look.theme.text, look)

    def paint_values(self, painter: QPainter, layout: HeatmapLayout, look: Look, *, vector: bool) -> None:
        """Paint the cells, with what stands in them and on them."""
        paint_cells(painter, self.picture, layout, look, vector=vector, has_numbers=not self.words)
        self._paint_words(painter, layout, look)
        self._paint_chosen(painter, layout, look)

    def _paint_title(self, painter: QPainter, layout: HeatmapLayout, look: Look) -> None:
        font, small = look.font(14, bold=True), look.font(12)
        middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        left = layout.cells.left() - layout.row_labels.room - look.px(GAP)
        line = QRectF(left, layout.bar.top(), layout.bar.left() - left, layout.bar.height())
        painter.setFont(font)
        painter.setPen(colour_of(getattr(look.theme, self.ink)))
        painter.drawText(line, middle, QFontMetricsF(font).elidedText(self.title, ELIDED, line.width()))
        line.setLeft(left + text_size(font, self.title)[0] + look.px(GAP))
        if look.axis_names and text_size(small, self.detail)[0] <= line.width():
            painter.setFont(small)
            painter.setPen(colour_of(look.theme.muted))
            painter.drawText(line, middle, self.detail)

    def _paint_words(self, painter: QPainter, layout: HeatmapLayout, look: Look) -> None:
        """Write the words of the cells, where a few letters have room."""
        if not self.words or layout.cell_height < look.px(LEAST_WORD) or layout.cell_width < look.px(LEAST_WORD):
            return
        pixels = pixels_of(self.picture.positions, None, colour_map_of(self.picture), look.theme.masked)
        longest = max(longest_label(row, look, 13.0) for row in self.words)
        fits = max(13.0, 13.0 * layout.cell_width / max(longest, 1.0))
        painter.setFont(look.font(min(fits, 0.7 * layout.cell_height / look.zoom, LARGEST_WORD)))
        metrics = painter.fontMetrics()
        for row, words in enumerate(self.words):
            for column, word in enumerate(words):
                box = layout.rectangle(row, column)
                painter.setPen(readable_ink(int(pixels[row, column])))
                shown = metrics.elidedText(word, ELIDED, round(box.width()) - 2)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)

    def _paint_chosen(self, painter: QPainter, layout: HeatmapLayout, look: Look) -> None:
        rows, columns = self.picture.cells
        if self.chosen is None or self.chosen[0] >= rows:
            return
        row, column = self.chosen
        if column is None:
            paint_outline(
                painter, layout.rectangle(row, 0).united(layout.rectangle(row, columns - 1)), look.theme.text, look
            )
        elif column < columns:
            paint_outline(painter, layout.rectangle(row, column), look.theme.text, look)

    def hidden(self) -> RowsMap:
        return replace(self, picture=self.picture.unknown(), is_unknown=True, title=self.name, ink="text")

    def mark(self, painter: QPainter, layout: HeatmapLayout, look: Look, hit: Hit) -> None:
        if hit.item == self.name:
            row, column = hit.part
            paint_row_label(painter, self.picture, layout, look, row, lit=True)
            if self.names_columns:
                paint_column_label(painter, self.picture, layout, look, column, lit=True)
            paint_outline(painter, layout.rectangle(row, column), look.theme.text, look)
