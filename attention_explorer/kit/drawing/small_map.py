"""Several maps in one room with cells of one size: where they are, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.cell_marks import paint_absent, paint_outline
from attention_explorer.kit.drawing.colour_maps import paint_small_bar
from attention_explorer.kit.drawing.heatmap import (
    paint_cells,
    paint_column_label,
    paint_column_labels,
    paint_row_label,
    paint_row_labels,
)
from attention_explorer.kit.drawing.heatmap_layout import (
    LARGEST_CELL,
    HeatmapLayout,
    Labels,
    column_height,
    label_size,
    longest_label,
)
from attention_explorer.kit.drawing.marks import colour_of, pen, text_size
from attention_explorer.kit.theme import Look

# ---- Places ----


LABELS_FROM = 12.0
"""Cells of at least so many pixels have labels."""
ALL_LABELS_FROM = 16.0
"""Cells of at least so many pixels have column labels above each row of maps, and not above the first alone."""
STRETCH = 1.7
"""How much wider than high a cell may be: maps of 11 tokens in low rooms get wider, not only smaller."""
SLANTED_FROM, LEAN = 18.0, 0.74
"""Cells of at least so many pixels have slanted labels, which reach to the right by this share of their length."""
NOTABLY = 1.1
"""How much larger cells have to be for another arrangement."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How many maps stand side by side, and how much room there is between and above them, in pixels."""

    columns: int
    gap: float = 0.0
    gutter: float = 0.0
    header: float = 20.0
    slot: float = 104.0
    """How wide a map is at least, at zoom 1: its title and its colour bar have to fit."""


@dataclass(frozen=True, slots=True)
class SmallMap:
    """Where one of the maps is, and what stands around it."""

    layout: HeatmapLayout
    header: QRectF
    has_rows: bool  # labels of its rows, which hold for its neighbours too
    has_columns: bool  # labels of its columns, which hold for the maps below too
    names_axes: bool
    foot: float  # where its colour bar ends

    @property
    def box(self) -> QRectF:
        """All of it but labels at the left."""
        return QRectF(self.header.topLeft(), QPointF(self.header.right(), self.foot))


@dataclass(frozen=True, slots=True)
class Hit:
    """Which map, and which of its cells, is at a place."""

    map: int
    row: int
    column: int


def cell_at(maps: tuple[SmallMap, ...], place: QPointF) -> Hit | None:
    """Return the cell at a place."""
    for number, small in enumerate(maps):
        row, column = small.layout.row_at(place.y()), small.layout.column_at(place.x())
        if row is not None and column is not None:
            return Hit(number, row, column)
    return None


@dataclass(frozen=True, slots=True)
class _Fit:
    """The size of the cells of an arrangement, and the room for labels that goes with it."""

    rows: Labels
    columns: Labels
    left: float
    top: float  # above the first row of maps
    lower_top: float  # above each further row
    is_labelled: bool
    overhang: float = 0.0  # how far the last column labels lean out to the right
    width: float = 0.0
    height: float = 0.0

    @property
    def smallest(self) -> float:
        """The shorter side of a cell."""
        return min(self.width, self.height)


def best_arrangement(
    pictures: tuple[MapPicture, ...], look: Look, room: QRectF, choices: tuple[Arrangement, ...], *, shared: bool = True
) -> Arrangement:
    """Return the arrangement with the largest cells; the first unless another has much larger ones, or labels.

    ``shared`` as for `arranged`.
    """
    best, largest = choices[0], 0.0
    for choice in choices:
        fit = _fitted(pictures, look, room, choice, shared)
        area = fit.width * fit.height * (4.0 if fit.is_labelled and fit.rows.step == fit.columns.step == 1 else 1.0)
        if _needed_width(fit, pictures, look, choice, shared) > room.width() + 1:
            area /= 1e6  # better than nothing
        if area > NOTABLY * largest:
            best, largest = choice, area
    return best


def _needed_width(
    fit: _Fit, pictures: tuple[MapPicture, ...], look: Look, arrangement: Arrangement, shared: bool
) -> float:
    """Return how wide a room has to be for maps, titles and colour bars."""
    across, _ = _grid(pictures, arrangement)
    slot = max(_most_cells(pictures)[0] * fit.width, look.px(arrangement.slot))
    return fit.left * (1 if shared else across) + across * slot + arrangement.gap * (across - 1)


def arranged(
    pictures: tuple[MapPicture, ...], look: Look, room: QRectF, arrangement: Arrangement, *, shared: bool = True
) -> tuple[SmallMap, ...]:
    """Place maps in rows, all with cells of one size; ``shared`` if those of a row have the same queries."""
    fit = _fitted(pictures, look, room, arrangement, shared)
    widest, highest = _most_cells(pictures)
    across, down = _grid(pictures, arrangement)
    slot = max(widest * fit.width, look.px(arrangement.slot))
    step_x = slot + arrangement.gap + (0.0 if shared else fit.left)
    map_room = highest * fit.height + _bar_room(look) + arrangement.header
    step_y = map_room + fit.lower_top + arrangement.gutter
    spare_x = room.width() - fit.left - step_x * (across - 1) - slot - fit.overhang
    spare_y = room.height() - map_room - fit.top - step_y * (down - 1)
    left = room.left() + fit.left + max(0.0, spare_x / 2)
    first = room.top() + min(max(0.0, spare_y / 2), look.px(16))
    placed = []
    for number, picture in enumerate(pictures):
        row, column = divmod(number, across)
        alone = row > 0 and len(pictures) == row * across + 1
        x = left + step_x * (0.5 * (across - 1) if alone else column)
        top = first if row == 0 else first + map_room + fit.top + arrangement.gutter + step_y * (row - 1)
        place = QRectF(x, top, slot, arrangement.header)
        placed.append(_placed(picture, fit, place, row, column == 0 or not shared, look, look.px(arrangement.slot)))
    return tuple(placed)


def _placed(
    picture: MapPicture, fit: _Fit, header: QRectF, row: int, has_rows: bool, look: Look, least: float
) -> SmallMap:
    above = fit.top if row == 0 else fit.lower_top
    rows, columns = picture.cells
    cells = QRectF(header.left(), header.bottom() + above, columns * fit.width, rows * fit.height)
    wide = min(header.width(), max(cells.width(), least))
    bar = QRectF(cells.left(), cells.bottom() + look.px(6), wide, look.px(14))
    layout = HeatmapLayout(cells, rows, columns, fit.rows, fit.columns, bar)
    return SmallMap(
        layout,
        header,
        has_rows=fit.is_labelled and has_rows,
        has_columns=fit.is_labelled and above > 0,
        names_axes=has_rows and above > 0,
        foot=bar.bottom(),
    )


def _grid(pictures: tuple[MapPicture, ...], arrangement: Arrangement) -> tuple[int, int]:
    """Return how many maps stand side by side, and in how many rows."""
    across = min(arrangement.columns, len(pictures))
    return across, -(-len(pictures) // across)


def _most_cells(pictures: tuple[MapPicture, ...]) -> tuple[int, int]:
    """Return the columns of the widest and the rows of the highest map, at least 1."""
    return max(1, *(p.cells[1] for p in pictures)), max(1, *(p.cells[0] for p in pictures))


def _bar_room(look: Look) -> float:
    return float(look.px(22)) if look.colour_bars else 0.0


def _fitted(pictures: tuple[MapPicture, ...], look: Look, room: QRectF, arrangement: Arrangement, shared: bool) -> _Fit:
    for lower, least in ((True, ALL_LABELS_FROM), (False, LABELS_FROM)) if look.token_labels else ():
        if lower or shared:
            fit = _labelled(pictures, look, room, arrangement, shared, lower)
            fits = _needed_width(fit, pictures, look, arrangement, shared) <= room.width() + 1
            if fits and fit.smallest >= look.px(least):
                return fit
    if look.still and look.token_labels:
        fit = _labelled(pictures, look, room, arrangement, shared, not shared)
        if _needed_width(fit, pictures, look, arrangement, shared) <= room.width() + 1 and fit.smallest >= 1.0:
            return fit
    # Without token labels, but with room for the names of the axes.
    none, top = Labels(0.0, 1), float(look.px(17))
    bare = _Fit(none, none, float(look.px(18)), top, 0.0 if shared else top, is_labelled=False)
    return _with_cells(bare, pictures, look, room, arrangement, shared)


def _labelled(
    pictures: tuple[MapPicture, ...], look: Look, room: QRectF, arrangement: Arrangement, shared: bool, lower: bool
) -> _Fit:
    """Return the fit with labels; ``lower`` for columns labelled above every row of maps."""
    rows, columns = Labels(13.0, 1), Labels(13.0, 1, -45)
    # The room for labels depends on their size, which depends on the cells, which depend on the room for labels.
    for _ in range(4):
        around = _around(pictures, look, room, rows, columns, lower)
        fit = _with_cells(around, pictures, look, room, arrangement, shared)
        rows, columns = _labels_for(pictures, look, fit.width, fit.height)
    return fit


def _labels_for(pictures: tuple[MapPicture, ...], look: Look, width: float, height: float) -> tuple[Labels, Labels]:
    """Return size and angle of row and column labels for cells of a size."""
    size, _ = label_size(look, min(width, height))
    _, row_step = label_size(look, height)
    _, column_step = label_size(look, width)
    across = max(longest_label(picture.column_tokens, look, size) for picture in pictures) <= width - look.px(6)
    angle = 0 if across else -45 if width >= look.px(SLANTED_FROM) else -90
    return Labels(size, row_step), Labels(size, column_step, angle)


def _around(
    pictures: tuple[MapPicture, ...], look: Look, room: QRectF, rows: Labels, columns: Labels, lower: bool
) -> _Fit:
    """Return the room that labels take, with cells still to come."""
    longest_row = max(longest_label(picture.row_tokens, look, rows.size) for picture in pictures)
    longest_column = max(longest_label(picture.column_tokens, look, columns.size) for picture in pictures)
    # The names of the axes stand in the corner.
    row_room = max(min(longest_row, 0.16 * room.width()), look.px(44))
    rows = replace(rows, room=row_room)
    columns = replace(columns, room=min(longest_column, look.px(64)))
    top = max(column_height(columns, look), look.px(30))
    overhang = max(_leaning(picture, look, columns) for picture in pictures)
    return _Fit(rows, columns, row_room + look.px(10), top, top if lower else 0.0, is_labelled=True, overhang=overhang)


def _leaning(picture: MapPicture, look: Look, columns: Labels) -> float:
    """Return how far slanted labels reach beyond the last column."""
    if columns.angle != -45:
        return 0.0
    lengths = [longest_label((token,), look, columns.size) for token in picture.column_tokens[:-4:-1]]
    beyond = (LEAN * min(long, columns.room) - look.px(SLANTED_FROM) * at for at, long in enumerate(lengths))
    return max((0.0, *beyond))


def _with_cells(
    fit: _Fit, pictures: tuple[MapPicture, ...], look: Look, room: QRectF, arrangement: Arrangement, shared: bool
) -> _Fit:
    """Return the fit with the largest cells that leave room for everything else."""
    widest, highest = _most_cells(pictures)
    across, down = _grid(pictures, arrangement)
    lefts = fit.left * (1 if shared else across)
    wide = (room.width() - lefts - arrangement.gap * (across - 1) - fit.overhang) / across
    tops = fit.top + fit.lower_top * (down - 1) + (arrangement.header + _bar_room(look)) * down
    high = (room.height() - tops - arrangement.gutter * (down - 1)) / down
    wide, high = max(wide, 8.0) / widest, max(high, 8.0) / highest
    cell = min(wide, high, look.px(LARGEST_CELL))
    # Far from square (one query, many keys) a square cell would be a thread: each side takes what it can get.
    far = max(widest, highest) > 3 * min(widest, highest)
    longest = max(cell, look.px(20)) if far else cell
    width = min(wide, longest if far else STRETCH * cell, look.px(LARGEST_CELL))
    return replace(fit, width=width, height=min(high, longest))


# ---- Painting ----


Mark: TypeAlias = tuple[int | None, int | None]
"""A cell, or a row or a column alone, to be lit; counted from 0."""


def paint_small_map(
    painter: QPainter, picture: MapPicture, small: SmallMap, look: Look, *, vector: bool = False
) -> None:
    """Paint cells, labels, the names of the axes and the colour bar; the header is the caller's."""
    paint_cells(painter, picture, small.layout, look, vector=vector)
    if small.has_columns:
        paint_column_labels(painter, picture, small.layout, look)
    if small.has_rows:
        paint_row_labels(painter, picture, small.layout, look)
    if small.names_axes and look.axis_names:
        _paint_axis_names(painter, small, look)
    paint_small_bar(painter, picture, small.layout.bar, look, vector=vector)


def _paint_axis_names(painter: QPainter, small: SmallMap, look: Look) -> None:
    cells, px = small.layout.cells, look.px
    painter.setFont(look.font(11))
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    if small.has_columns:
        corner = QRectF(cells.left() - px(80), cells.top() - px(18), px(73), px(14))
        painter.setPen(colour_of(look.theme.query_ink))
        painter.drawText(corner, right, "query ↓")
        painter.setPen(colour_of(look.theme.key_ink))
        painter.drawText(corner.translated(0, -px(14)), right, "key →")
        return
    painter.setPen(colour_of(look.theme.key_ink))
    above = QRectF(cells.left(), cells.top() - px(17), max(cells.width(), px(60)), px(14))
    painter.drawText(above, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "key →")
    painter.setPen(colour_of(look.theme.query_ink))
    painter.save()
    painter.translate(cells.left() - px(10), cells.top())
    painter.rotate(-90)
    painter.drawText(QRectF(-px(80), -px(7), px(80), px(14)), right, "← query")
    painter.restore()


def paint_title(painter: QPainter, header: QRectF, title: str, shape: str, look: Look, *, beyond: float = 24.0) -> None:
    """Paint the title of a map, and its shape as a badge behind it if there is room for it.

    There is room for ``beyond`` pixels at zoom 1 at the right of the header.
    """
    font = look.font(12.5, bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    line = QRectF(header.left(), header.top(), header.width(), look.px(18))
    text = QFontMetricsF(font).elidedText(title, Qt.TextElideMode.ElideRight, header.width())
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    left = header.left() + text_size(font, text)[0] + look.px(7)
    if left + text_size(look.font(11), shape)[0] + look.px(10) <= header.right() + look.px(beyond):
        paint_shape(painter, QPointF(left, line.center().y()), shape, look)


def paint_shape(painter: QPainter, middle_left: QPointF, shape: str, look: Look) -> QRectF:
    """Paint a shape as a badge that begins at a place, and return where it is."""
    font = look.font(11)
    width, _ = text_size(font, shape)
    box = QRectF(middle_left.x(), middle_left.y() - look.px(8), width + look.px(10), look.px(16))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(look.theme.track))
    painter.drawRoundedRect(box, look.px(5), look.px(5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shape)
    return box


def unbroken(text: str) -> str:
    """Return words that wrap into lines only where no sign is torn from its number: "÷ √8" and "T = 0.5" stay whole."""
    for sign in ("=", "÷"):
        text = text.replace(f"{sign} ", f"{sign}\u00a0")
    return text.replace("T =", "T\u00a0=")


def paint_swatch(painter: QPainter, box: QRectF, look: Look) -> None:
    """Paint what a masked cell looks like."""
    painter.fillRect(box, colour_of(look.theme.masked))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(look.theme.masked_line, 1.0))
    inset = 0.25 * box.width()
    painter.drawLine(box.bottomLeft() + QPointF(inset, -inset), box.topRight() + QPointF(-inset, inset))


def paint_absent_swatch(painter: QPainter, box: QRectF, look: Look) -> None:
    """Paint what a cell looks like that a map does not have."""
    both = np.ones(2, np.bool_)
    paint_absent(painter, both, both, box, look)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(pen(look.theme.masked_line, 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)


def paint_mark(painter: QPainter, picture: MapPicture, small: SmallMap, look: Look, mark: Mark) -> None:
    """Outline a cell, a row or a column, and light up its labels; nothing where the map has no such cell."""
    row, column = mark
    layout = small.layout
    if (row is not None and not 0 <= row < layout.rows) or (column is not None and not 0 <= column < layout.columns):
        return
    if row is None and column is None:
        return
    if small.has_columns and column is not None:
        paint_column_label(painter, picture, layout, look, column, lit=True)
    if small.has_rows and row is not None:
        paint_row_label(painter, picture, layout, look, row, lit=True)
    box = layout.rectangle(row or 0, column or 0)
    if column is None:
        box.setWidth(layout.cells.width())
    if row is None:
        box.setHeight(layout.cells.height())
    theme = look.theme
    colour = theme.query if column is None else theme.key if row is None else theme.text
    paint_outline(painter, box, colour, look)


def paint_marks(
    painter: QPainter, pictures: tuple[MapPicture, ...], maps: tuple[SmallMap, ...], look: Look, mark: Mark
) -> None:
    """Light up a cell, a row or a column in every map that has it."""
    for picture, small in zip(pictures, maps, strict=True):
        paint_mark(painter, picture, small, look, mark)
