"""A small table of text in a picture; with little room columns are left out, then long words cut, never numbers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen, text_size
from attention_explorer.kit.theme import Look

SIZE = 12.0
"""Of the letters, in pixels at zoom 1."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, and how its cells are written."""

    title: str
    is_right: bool = False
    """Numbers, which are never cut; what stands at the left are words."""
    is_muted: bool = False
    is_bold: bool = False
    rank: int = 0
    """Where there is no room for all columns, those of the highest rank go first; 0 stays."""
    least: float = 0.0
    """Pixels at zoom 1 that it takes at least: for a bar."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Where the rows and the columns that have room are."""

    box: QRectF
    row_height: float
    columns: tuple[Column, ...]
    shown: tuple[tuple[int, float, float], ...]
    """(which column, left, width)."""
    rows: tuple[tuple[str, ...], ...]
    indent: float
    size: float = SIZE
    """Of the letters."""

    def row(self, index: int) -> QRectF:
        """Return the box of a row; −1 is the titles."""
        return QRectF(
            self.box.left(), self.box.top() + (index + 1) * self.row_height, self.box.width(), self.row_height
        )

    def row_at(self, place: QPointF) -> int | None:
        """Return the row at a place."""
        for index in range(len(self.rows)):
            if self.row(index).contains(place):
                return index
        return None

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return self.row(len(self.rows) - 1).bottom()


def table_layout(
    look: Look,
    box: QRectF,
    columns: tuple[Column, ...],
    rows: tuple[tuple[str, ...], ...],
    *,
    row_height: float,
    indent: float = 0.0,
    largest: float = SIZE,
) -> TableLayout:
    """Fit a table into a box; ``indent`` keeps room at the left of every row, for a swatch.

    Letters are up to ``largest`` where all columns have room.
    """
    gap, room = look.px(14), box.width() - indent
    widths = _widths(look, columns, rows, SIZE)
    pixels = round(SIZE * look.zoom) * (room - gap * (len(columns) - 1)) // sum(widths)  # letters have whole pixels
    size = min(max(pixels / look.zoom, SIZE), largest)
    if size > SIZE:
        widths = _widths(look, columns, rows, size)
    kept = list(range(len(columns)))
    while sum(widths[index] for index in kept) + gap * (len(kept) - 1) > room:
        dropped = max(kept, key=lambda index: (columns[index].rank, index))
        if columns[dropped].rank == 0:
            break
        kept.remove(dropped)
    spare = room - sum(widths[index] for index in kept) - gap * (len(kept) - 1)
    if spare < 0:
        _cut_widest(widths, [index for index in kept if not columns[index].is_right], spare)
    between = gap + min(max(spare, 0.0) / max(len(kept) - 1, 1), 0.07 * box.width() + look.px(10))
    shown, left = [], box.left() + indent
    for index in kept:
        shown.append((index, left, widths[index]))
        left += widths[index] + between
    return TableLayout(box, row_height, columns, tuple(shown), rows, indent, size)


def _cut_widest(widths: list[float], words: list[int], spare: float) -> None:
    """Cut columns of words, the widest of them, until there is room for all."""
    room = sum(widths[index] for index in words) + spare
    for done, index in enumerate(sorted(words, key=widths.__getitem__)):  # what a narrow one leaves goes to the others
        widths[index] = max(min(widths[index], room / (len(words) - done)), 8.0)
        room -= widths[index]


def _widths(look: Look, columns: tuple[Column, ...], rows: tuple[tuple[str, ...], ...], size: float) -> list[float]:
    every = (*rows, _titles(columns))
    return [
        max(look.px(column.least), *(text_size(_font(look, column, size), row[index])[0] + 1 for row in every))
        for index, column in enumerate(columns)
    ]


def _titles(columns: tuple[Column, ...]) -> tuple[str, ...]:
    return tuple(column.title for column in columns)


def _font(look: Look, column: Column, size: float) -> QFont:
    return look.font(size, bold=column.is_bold)


def paint_table(painter: QPainter, layout: TableLayout, look: Look) -> None:
    """Paint titles, a line below them, and the cells."""
    theme = look.theme
    head = layout.row(-1)
    for index, left, width in layout.shown:
        column = layout.columns[index]
        side = Qt.AlignmentFlag.AlignRight if column.is_right else Qt.AlignmentFlag.AlignLeft
        _write(
            painter,
            look.font(layout.size - 1),
            theme.muted,
            QRectF(left, head.top(), width, head.height()),
            side,
            column.title,
        )
        for number, row in enumerate(layout.rows):
            line = layout.row(number)
            place = QRectF(left, line.top(), width, line.height())
            ink = theme.muted if column.is_muted else theme.text
            _write(painter, _font(look, column, layout.size), ink, place, side, row[index])
    draw_line(painter, head.bottomLeft(), head.bottomRight(), pen(theme.border, 1))


def _write(painter: QPainter, font: QFont, ink: str, place: QRectF, side: Qt.AlignmentFlag, text: str) -> None:
    painter.setFont(font)
    painter.setPen(colour_of(ink))
    shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width() + 1)
    painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, shown)


def mark_row(painter: QPainter, layout: TableLayout, look: Look, row: int) -> None:
    """Outline a row."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(look.theme.text, 1.3 * look.zoom))
    painter.drawRoundedRect(layout.row(row).adjusted(-look.px(4), 1, look.px(4), -1), look.px(4), look.px(4))
