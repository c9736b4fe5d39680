"""Strips of cells below one another, each a row of shares from 0 to 1, the darker the more."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.colour_maps import readable_ink
from attention_explorer.kit.drawing.marks import colour_of, draw_circle, pen, text_size
from attention_explorer.kit.items.item import Hit, Item, around, walked
from attention_explorer.kit.theme import Look, Theme

AXIS, RING = 22, 7.0
"""Pixels at zoom 1: below the strips, for their axis, and the radius of a ring."""


def shade(theme: Theme, share: float) -> str:
    """Return as #rrggbb a grey between the ground (0) and the text (1)."""
    ground, ink = QColor(theme.card), QColor(theme.text)
    mixed = (
        round(low + share * (high - low))
        for low, high in ((ground.red(), ink.red()), (ground.green(), ink.green()), (ground.blue(), ink.blue()))
    )
    return QColor(*mixed).name()


Colour = str | float
"""The name of a field of `Theme`, a colour as #rrggbb, or a grey, from the ground (0) to the text (1)."""


def colour_in(theme: Theme, colour: Colour) -> str:
    """Return a colour as #rrggbb."""
    if isinstance(colour, float):
        return shade(theme, colour)
    return colour if colour.startswith("#") else str(getattr(theme, colour))


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """One strip.

    Attributes
    ----------
    name, detail : str
        What it is, and a second line in small letters.
    values : ndarray, (columns,)
        Its cells from 0 to 1, NaN for none.
    handle : int or None
        The column at whose left edge stands a ring, which is dragged to another.
    is_written : bool
        Whether its numbers stand in its cells where they have room.
    """

    name: str
    values: FloatArray
    detail: str = ""
    handle: int | None = None
    is_written: bool = True


@dataclass(frozen=True, slots=True)
class StripsLayout:
    """Where the strips are."""

    box: QRectF
    cells: QRectF
    """All cells of all strips."""
    count: int
    columns: int

    def cell(self, strip: int, column: int) -> QRectF:
        """Return a cell."""
        wide, high = self.cells.width() / self.columns, self.cells.height() / self.count
        return QRectF(self.cells.left() + column * wide, self.cells.top() + strip * high, wide, 0.86 * high)


@dataclass(frozen=True, slots=True)
class Strips(Item[StripsLayout]):
    """Strips with one axis below them; a `Hit` says (strip, column), or (strip, None) of a ring.

    Attributes
    ----------
    axis : str
        What the columns are.
    ticks : tuple of (int, str)
        Columns with what is written below them.
    chosen : int or None
        The strip that has a frame.
    margin : float
        Pixels at zoom 1 left of the cells at least, so that what stands above one another shares its columns.
    """

    name: str
    strips: tuple[Strip, ...]
    axis: str = ""
    ticks: tuple[tuple[int, str], ...] = ()
    chosen: int | None = None
    margin: float = 0.0
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> StripsLayout:
        names = max(
            max(text_size(look.font(13, bold=True), strip.name)[0], text_size(look.font(12), strip.detail)[0])
            for strip in self.strips
        )
        left = max(min(names + look.px(12), 0.45 * box.width()), look.px(self.margin))
        cells = box.adjusted(left, 0, -look.px(10) if self.margin else 0, -look.px(AXIS))  # as a plot leaves there
        return StripsLayout(box, cells, len(self.strips), max(len(strip.values) for strip in self.strips))

    def data_box(self, layout: StripsLayout) -> QRectF:
        return layout.cells

    def paint(self, painter: QPainter, layout: StripsLayout, look: Look, *, vector: bool = False) -> None:
        for number, strip in enumerate(self.strips):
            self._paint_name(painter, layout, look, number)
            self._paint_cells(painter, layout, look, number, strip.values)
            self._paint_ring(painter, layout, look, number, 2.2)
        if self.chosen is not None:
            row = layout.cell(self.chosen, 0).united(layout.cell(self.chosen, layout.columns - 1))
            paint_outline(painter, row, look.theme.text, look)
        painter.setFont(look.font(12))
        painter.setPen(colour_of(look.theme.muted))
        below = QRectF(0, layout.cells.bottom(), look.px(120), look.px(AXIS))
        for column, text in self.ticks:
            below.moveLeft(layout.cell(0, column).center().x() - below.width() / 2)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, text)
        if look.axis_names:
            below.moveLeft(layout.box.left())
            painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.axis)

    def _paint_name(self, painter: QPainter, layout: StripsLayout, look: Look, number: int) -> None:
        strip, cell = self.strips[number], layout.cell(number, 0)
        half = cell.height() / 2 if strip.detail else cell.height()
        place = QRectF(layout.box.left(), cell.top(), layout.cells.left() - layout.box.left() - look.px(8), half)
        up = Qt.AlignmentFlag.AlignBottom if strip.detail else Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.font(13, bold=True))
        painter.setPen(colour_of(look.theme.text))
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | up, strip.name)
        painter.setFont(look.font(12))
        painter.setPen(colour_of(look.theme.muted))
        painter.drawText(place.translated(0, half), Qt.AlignmentFlag.AlignLeft, strip.detail)

    def _paint_cells(
        self, painter: QPainter, layout: StripsLayout, look: Look, number: int, values: FloatArray
    ) -> None:
        font = look.font(15 if layout.cell(0, 0).width() >= look.px(60) else 12)
        has_room = text_size(font, ".88")[0] <= layout.cell(0, 0).width() - look.px(2)  # all cells or none
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for column, value in enumerate(values.tolist()):
            if math.isnan(value):
                continue
            cell = layout.cell(number, column).adjusted(1, 0, -1, 0)
            ground = colour_of(shade(look.theme, 0.06 + 0.8 * value))
            painter.fillRect(cell, ground)
            if has_room and self.strips[number].is_written:
                painter.setFont(font)
                painter.setPen(readable_ink(ground.rgb()))
                text = f"{value:.2f}".removeprefix("0") if 0 < value < 1 else f"{value:.0f}"
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)

    def _ring(self, layout: StripsLayout, number: int) -> QPointF | None:
        column = self.strips[number].handle
        if column is None:
            return None
        cell = layout.cell(number, column)
        return QPointF(cell.left(), cell.bottom())  # clear of the numbers in the cells

    def _paint_ring(self, painter: QPainter, layout: StripsLayout, look: Look, number: int, width: float) -> None:
        at = self._ring(layout, number)
        if at is not None and not look.still:  # where nothing can be dragged there is nothing to take hold of
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            stroke = pen(look.theme.text, width * look.zoom)
            draw_circle(painter, at, RING * look.zoom, stroke, colour_of(look.theme.card))

    def grab(self, layout: StripsLayout, place: QPointF) -> Hit | None:
        for number in range(len(self.strips)):
            at = self._ring(layout, number)
            if at is not None and (at - place).manhattanLength() <= 2 * RING:
                return Hit(self.name, (number, None))
        return None

    def value_at(self, layout: StripsLayout, hit: Hit, place: QPointF) -> int | None:
        """Return the column whose left edge is nearest to a place, where a ring is dragged to."""
        if hit.item != self.name:
            return None
        column = round((place.x() - layout.cells.left()) / layout.cells.width() * layout.columns)
        return min(max(column, 0), layout.columns)

    def hit(self, layout: StripsLayout, place: QPointF) -> Hit | None:
        if not layout.cells.contains(place):
            return None
        column = int((place.x() - layout.cells.left()) / layout.cells.width() * layout.columns)
        strip = int((place.y() - layout.cells.top()) / layout.cells.height() * layout.count)
        return Hit(self.name, (min(strip, layout.count - 1), min(column, layout.columns - 1)))

    def mark(self, painter: QPainter, layout: StripsLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for number in range(layout.count):  # the same column in every strip
            painter.setPen(pen(look.theme.text, (2.2 if number == hit.part[0] else 1.0) * look.zoom))
            painter.drawRect(layout.cell(number, hit.part[1]))

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        return walked(self.name, hit, key, (len(self.strips), max(len(strip.values) for strip in self.strips)))


# ---- Bars in parts ----
# How much of a whole is whose, and the same beside it, larger or smaller.


HIGHEST, GAP = 56.0, 8.0
"""Pixels at zoom 1 of a bar, and between two."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: its name, how much it is, and its colour."""

    name: str
    amount: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: what stands before and after it, and its parts."""

    name: str
    parts: tuple[Part, ...]
    after: str = ""

    @property
    def amount(self) -> float:
        """What its parts come to."""
        return sum(part.amount for part in self.parts)


@dataclass(frozen=True, slots=True)
class SharesLayout:
    """Where the bars and their parts are."""

    box: QRectF
    bars: tuple[QRectF, ...]
    parts: tuple[tuple[QRectF, ...], ...]


@dataclass(frozen=True, slots=True)
class Shares(Item[SharesLayout]):
    """Bars below one another, at one scale; a `Hit` says (bar, part), or (bar, None) beside its parts."""

    name: str
    bars: tuple[Bar, ...]
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> SharesLayout:
        before, after = (
            max(text_size(look.font(13, bold=True), text)[0] + look.px(12) if text else 0.0 for text in texts)
            for texts in ((bar.name for bar in self.bars), (bar.after for bar in self.bars))
        )
        room = max(box.width() - before - after, 10.0)
        gap, count = look.px(GAP), len(self.bars)
        high = min((box.height() - gap * (count - 1)) / count, look.px(HIGHEST))
        most = max(bar.amount for bar in self.bars) or 1.0
        bars, parts = [], []
        for number, bar in enumerate(self.bars):
            line = QRectF(box.left() + before, box.top() + number * (high + gap), room * bar.amount / most, high)
            bars.append(line)
            parts.append(_cut(line, bar))
        return SharesLayout(box, tuple(bars), tuple(parts))

    def height(self, look: Look, _width: float) -> float:
        return len(self.bars) * look.px(HIGHEST) * 0.8 + (len(self.bars) - 1) * look.px(GAP)

    def data_box(self, layout: SharesLayout) -> QRectF:
        return around(layout.bars)

    def paint(self, painter: QPainter, layout: SharesLayout, look: Look, *, vector: bool = False) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for bar, line, parts in zip(self.bars, layout.bars, layout.parts, strict=True):
            painter.setFont(look.font(13, bold=True))
            painter.setPen(colour_of(look.theme.text))
            painter.drawText(QRectF(layout.box.left(), line.top(), line.left(), line.height()), middle, bar.name)
            after = QRectF(line.right() + look.px(8), line.top(), layout.box.right() - line.right(), line.height())
            painter.drawText(after, middle, bar.after)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            for part, box in zip(bar.parts, parts, strict=True):
                colour = colour_of(colour_in(look.theme, part.colour))
                painter.fillRect(box, colour)
                if text_size(look.font(12), part.name)[0] + look.px(8) <= box.width():
                    painter.setFont(look.font(12))
                    painter.setPen(readable_ink(colour.rgb()))
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, part.name)

    def hit(self, layout: SharesLayout, place: QPointF) -> Hit | None:
        for number, (line, parts) in enumerate(zip(layout.bars, layout.parts, strict=True)):
            for part, box in enumerate(parts):
                if box.contains(place):
                    return Hit(self.name, (number, part))
            if layout.box.contains(place) and line.top() <= place.y() <= line.bottom():
                return Hit(self.name, (number, None))
        return None

    def mark(self, painter: QPainter, layout: SharesLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        number, part = hit.part
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(look.theme.text, 2.0 * look.zoom))
        boxes = [layout.bars[number]] if part is None else [parts[part] for parts in layout.parts]
        for box in boxes:  # a part is marked in all bars
            painter.drawRect(box.adjusted(0, -1, 0, 1))

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        counts = [len(bar.parts) for bar in self.bars]
        if self.owns(hit) and hit is not None:
            hit = Hit(self.name, (hit.part[0], hit.part[1] or 0))
        found = walked(self.name, hit, key, (len(counts), max(counts)))
        if found is None:
            return None
        number, part = found.part
        return Hit(self.name, (number, min(part, counts[number] - 1)))

    def spoken(self) -> str:
        return "; ".join(f"{bar.name}: {bar.after}" for bar in self.bars)


def _cut(line: QRectF, bar: Bar) -> tuple[QRectF, ...]:
    found, left = [], line.left()
    for part in bar.parts:
        wide = line.width() * part.amount / (bar.amount or 1.0)
        found.append(QRectF(left, line.top(), wide, line.height()))
        left += wide
    return tuple(found)
