"""Squares whose areas are amounts, all at one scale: the first is dragged by its corner, the others stand beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.contrast import readable_ink
from attention_explorer.kit.drawing.marks import colour_of, dashes, draw_circle, draw_line, pen
from attention_explorer.kit.items.item import SIDEWAYS, Hit, Item, Step, around
from attention_explorer.kit.items.plot import next_stop
from attention_explorer.kit.items.strips import Colour, colour_in
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lab.ui.squares_layout import Placed, Sized, SquaresLayout, arranged, best_scale

RING, NEAR = 7.0, 14.0
"""Pixels at zoom 1: the radius of the ring at the corner, and how near to it is meant."""
LINES_FROM = 3.0
"""Cells of at least so many pixels are told apart by lines while the square is pointed at."""


@dataclass(frozen=True, slots=True)
class Spot:
    """What of the squares is under the pointer: which, whether its dashed part, which (row, column) of its cells."""

    square: int
    is_doubled: bool = False
    cell: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Squares(Item[SquaresLayout]):
    """Squares; a `Hit` says a `Spot`, or "corner".

    Attributes
    ----------
    squares : tuple of Sized
        The first has the corner; in dashes it is what each becomes when the size that is dragged is doubled.
    colours : tuple of Colour
        For each square its colour, also that of its dashes and of the ground within them.
    cells : (int, int)
        Rows and columns that the first consists of.
    size : int
        What is dragged, from which amounts follow.
    stops : sequence of int
        Where a drag can send it, ascending.
    amount_of : callable
        The amount of the first square at a size.
    unit : callable
        A scale, as amount for each pixel, in words.
    """

    name: str
    squares: tuple[Sized, ...]
    colours: tuple[Colour, ...]
    cells: tuple[int, int]
    size: int
    stops: Sequence[int] = field(compare=False)
    amount_of: Callable[[int], float] = field(compare=False)
    unit: Callable[[float], str] = field(compare=False)
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> SquaresLayout:
        return best_scale(self.squares, look, box)

    def held(self, pressed: SquaresLayout, look: Look, box: QRectF) -> SquaresLayout:
        if pressed.box != box:
            return self.layout(look, box)
        return arranged(self.squares, look, box, pressed.scale, is_row=pressed.is_row, held=pressed)

    def data_box(self, layout: SquaresLayout) -> QRectF:
        return around(square & layout.box for square in layout.doubled)

    # ---- Painting ----

    def paint(self, painter: QPainter, layout: SquaresLayout, look: Look, *, vector: bool = False) -> None:
        for number in range(len(self.squares)):
            painter.save()
            painter.setClipRect((layout.box if number else layout.region).adjusted(-1, -1, 1, 1))
            self._paint_square(painter, layout, look, number)
            painter.restore()
        for placed in layout.words:
            self._paint_words(painter, placed, look)
        if not look.still:  # of a figure nobody knows the pixels
            painter.setFont(look.font(12))
            painter.setPen(colour_of(look.theme.muted))
            painter.drawText(layout.scale_line, Qt.AlignmentFlag.AlignLeft, self.unit(layout.scale))
            self._paint_ring(painter, layout, look, 3.0)

    def _paint_square(self, painter: QPainter, layout: SquaresLayout, look: Look, number: int) -> None:
        colour = colour_in(look.theme, self.colours[number])
        now, then = layout.now[number], layout.doubled[number]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if then.width() > now.width():
            painter.fillRect(then, colour_of(colour, 0.08))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(dashes(colour, 1.5 * look.zoom, 7 * look.zoom, 5 * look.zoom))
            painter.drawRect(then)
        painter.fillRect(now, colour_of(colour))
        if isinstance(self.colours[number], float):  # the palest is hardly to be told from the card
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(look.theme.axis, 1))
            painter.drawRect(now)

    def _paint_words(self, painter: QPainter, placed: Placed, look: Look) -> None:
        text, muted = colour_of(look.theme.text), colour_of(look.theme.muted)
        side = Qt.AlignmentFlag.AlignHCenter if placed.is_inside else Qt.AlignmentFlag.AlignLeft
        if placed.is_inside and not placed.is_doubled:
            fill = colour_of(colour_in(look.theme, self.colours[placed.square]))
            text = muted = readable_ink(fill.rgb())
        top = placed.box.top()
        for number, line in enumerate(placed.block.lines):
            high = placed.block.line_height(look, number)
            painter.setFont(placed.block.font(look, number))
            painter.setPen(muted if number else text)
            painter.drawText(QRectF(placed.box.left(), top, placed.box.width(), high), side, line)
            top += high

    def _paint_ring(self, painter: QPainter, layout: SquaresLayout, look: Look, width: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        stroke = pen(look.theme.text, width * look.zoom)
        draw_circle(painter, layout.corner, RING * look.zoom, stroke, colour_of(look.theme.card))

    # ---- Pointing ----

    def grab(self, layout: SquaresLayout, place: QPointF) -> Hit | None:
        away = place - layout.corner
        return Hit(self.name, "corner") if math.hypot(away.x(), away.y()) <= NEAR else None

    def hit(self, layout: SquaresLayout, place: QPointF) -> Hit | None:
        found = self.grab(layout, place)
        if found is not None:
            return found
        for number, (now, then) in enumerate(zip(layout.now, layout.doubled, strict=True)):
            if now.adjusted(-2, -2, 2, 2).contains(place):
                return Hit(self.name, Spot(number, cell=None if number else self._cell_at(now, place)))
            if then.contains(place) and layout.box.contains(place):
                return Hit(self.name, Spot(number, is_doubled=True))
        for placed in layout.words:
            if placed.box.contains(place):
                return Hit(self.name, Spot(placed.square, placed.is_doubled))
        return None

    def _cell_at(self, now: QRectF, place: QPointF) -> tuple[int, int]:
        side = max(now.width(), 1e-9)
        down, along = ((place.y() - now.top()) / side, (place.x() - now.left()) / side)
        rows, columns = self.cells
        return min(max(int(down * rows), 0), rows - 1), min(max(int(along * columns), 0), columns - 1)

    def value_at(self, layout: SquaresLayout, hit: Hit, place: QPointF) -> int | None:
        """Return the size whose corner is nearest to a place."""
        if hit != Hit(self.name, "corner"):
            return None
        out = place - layout.region.topLeft()
        most = min(layout.region.width(), layout.region.height())
        side = min(max((out.x() + out.y()) / 2, 0.0), most)
        stops = sorted({*self.stops, self.size})
        return min(stops, key=lambda stop: abs(math.sqrt(self.amount_of(stop) / layout.scale) - side))

    def press(self, key: int) -> Step | None:
        turn = SIDEWAYS.get(key)
        if turn is None:
            return None
        to = next_stop((max(self.size // 2, 1), 2 * self.size), self.size, turn)
        return Step(Hit(self.name, "corner"), int(to))

    def mark(self, painter: QPainter, layout: SquaresLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        if hit.part == "corner":
            self._paint_ring(painter, layout, look, 4.5)
            return
        spot: Spot = hit.part
        box = (layout.doubled if spot.is_doubled else layout.now)[spot.square]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(look.theme.text, 2.0 * look.zoom))
        painter.drawRect(box & layout.box)
        if spot.cell is not None and spot.square == 0:
            self._mark_cell(painter, layout.now[0], look, spot.cell)

    def _mark_cell(self, painter: QPainter, now: QRectF, look: Look, cell: tuple[int, int]) -> None:
        """Show the cells that the first square consists of, and one of them in full."""
        rows, columns = self.cells
        if cell[0] >= rows or cell[1] >= columns:
            return
        high, wide = now.height() / rows, now.width() / columns
        stroke = pen(look.theme.card, 1, opacity=0.35)
        for row in range(1, rows if high >= LINES_FROM else 0):
            y = now.top() + row * high
            draw_line(painter, QPointF(now.left(), y), QPointF(now.right(), y), stroke)
        for column in range(1, columns if wide >= LINES_FROM else 0):
            x = now.left() + column * wide
            draw_line(painter, QPointF(x, now.top()), QPointF(x, now.bottom()), stroke)
        corner = QPointF(now.left() + cell[1] * wide, now.top() + cell[0] * high)
        painter.setPen(pen(look.theme.card, 2.0 * look.zoom))
        painter.drawRect(QRectF(corner, QSizeF(max(wide, 2.0), max(high, 2.0))))

    def spoken(self) -> str:
        blocks = ((square.words, square.words_doubled) for square in self.squares)
        return ". ".join(", ".join(line for block in both if block for line in block.lines) for both in blocks)
