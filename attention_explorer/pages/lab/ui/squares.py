"""Squares whose areas are amounts, all at one scale: the first is dragged by its corner, the others stand after it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from attention_explorer.kit.drawing.colour_maps import readable_ink
from attention_explorer.kit.drawing.marks import colour_of, dashes, draw_circle, draw_line, pen
from attention_explorer.kit.items.item import SIDEWAYS, Hit, Item, Step, around
from attention_explorer.kit.items.plot import next_stop
from attention_explorer.kit.items.strips import Colour, colour_in
from attention_explorer.kit.theme import Look

GAP, BETWEEN, AROUND, LINE = 32, 22, 8, 18
"""Pixels at zoom 1: between the first square and the others, between those, round words, and a line of small ones."""
LEAST = 3.0
"""A square has so many pixels at least."""
STEPS, MOST_SCALES = 4, 64
"""So many scales there are to each doubling, and so many are tried."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of words, the first bold and of a size in pixels at zoom 1."""

    lines: tuple[str, ...]
    size: float

    def font(self, look: Look, number: int) -> QFont:
        """Return the font of a line."""
        return look.font(13.0 if number else self.size, bold=number == 0)

    def line_height(self, look: Look, number: int) -> float:
        """Return how high a line is."""
        return 1.3 * QFontMetricsF(self.font(look, number)).height()

    def room(self, look: Look) -> QSizeF:
        """Return how much room it takes."""
        return _room(self, look.zoom)


@lru_cache(maxsize=64)
def _room(block: Block, zoom: float) -> QSizeF:
    look, lines = Look(zoom=zoom), range(len(block.lines))
    wide = max(QFontMetricsF(block.font(look, n)).horizontalAdvance(block.lines[n]) for n in lines) + 2
    return QSizeF(wide, sum(block.line_height(look, n) for n in lines))


@dataclass(frozen=True, slots=True)
class Sized:
    """A square before it has a place: its amount, what that is doubled, and the words of both."""

    amount: float
    doubled: float
    words: Block
    words_doubled: Block | None


@dataclass(frozen=True, slots=True)
class Placed:
    """Words with where they are; inside their square they stand in the middle of their box."""

    block: Block
    box: QRectF
    square: int
    is_doubled: bool = False
    is_inside: bool = False


@dataclass(frozen=True, slots=True)
class SquaresLayout:
    """Where the squares are.

    Attributes
    ----------
    scale : float
        The amount that a pixel stands for.
    region : QRectF
        All that the first square can take.
    now, doubled : tuple of QRectF
        The squares, and those in dashes.
    """

    box: QRectF
    scale: float
    is_row: bool
    region: QRectF
    now: tuple[QRectF, ...]
    doubled: tuple[QRectF, ...]
    words: tuple[Placed, ...]
    scale_line: QRectF

    @property
    def corner(self) -> QPointF:
        """What is dragged."""
        return self.now[0].bottomRight()


def best_scale(squares: Sequence[Sized], look: Look, box: QRectF) -> SquaresLayout:
    """Return the layout with the largest squares that have room. Scales go in steps, so that sizes can be compared."""
    side = max(min(box.width(), box.height()), 1.0)
    first = math.floor(STEPS * math.log2(max(square.doubled for square in squares) / side**2))
    for step, is_row in product(range(first, first + MOST_SCALES), (False, True)):
        layout = arranged(squares, look, box, 2.0 ** (step / STEPS), is_row=is_row)
        if _fits(layout):
            break
    return layout


def _fits(layout: SquaresLayout) -> bool:
    first = [layout.doubled[0], *(placed.box for placed in layout.words if placed.square == 0)]
    rest = [*layout.doubled[1:], *(placed.box for placed in layout.words if placed.square), layout.scale_line]
    return all(layout.region.contains(part) for part in first) and all(layout.box.contains(part) for part in rest)


def arranged(
    squares: Sequence[Sized], look: Look, box: QRectF, scale: float, *, is_row: bool, held: SquaresLayout | None = None
) -> SquaresLayout:
    """Return where everything is at a scale, whether or not it has room; the others in a row, or in a column.

    What is ``held`` keeps its place: the first square may then be larger than its region, which hides the rest of it.
    """
    now, then, words = _others(squares[1:], look, scale, is_row=is_row)
    rest = around((*then, *(placed.box for placed in words)))
    line = QRectF(0, rest.bottom() + look.px(6), look.px(150), look.px(LINE))
    if is_row:
        shift = QPointF(box.left(), box.bottom() - line.bottom())
        region = box.adjusted(0, 0, 0, -line.bottom() - look.px(GAP))
    else:
        line.moveBottom(max(box.height(), line.bottom()))
        shift = QPointF(box.right() - max(rest.width(), line.width()), box.top())
        region = box.adjusted(0, 0, shift.x() - look.px(GAP) - box.right(), 0)
    if held is not None:
        region = held.region
    first = tuple(QRectF(region.topLeft(), size) for size in _sizes(squares[0], scale))
    own = _words_of_first(first, squares[0], look, region, is_held=held is not None)
    return SquaresLayout(
        box,
        scale,
        is_row,
        region,
        (first[0], *(each.translated(shift) for each in now)),
        (first[1], *(each.translated(shift) for each in then)),
        (*own, *(replace(placed, box=placed.box.translated(shift)) for placed in words)),
        line.translated(shift),
    )


def _sizes(square: Sized, scale: float) -> tuple[QSizeF, QSizeF]:
    """Return how large a square is, and how large its dashes."""
    now, then = (max(math.sqrt(amount / scale), LEAST) for amount in (square.amount, square.doubled))
    return QSizeF(now, now), QSizeF(then, then)


def _others(
    squares: Sequence[Sized], look: Look, scale: float, *, is_row: bool
) -> tuple[list[QRectF], list[QRectF], list[Placed]]:
    """Return the other squares and their words below one another, or beside one another, from (0, 0)."""
    now: list[QRectF] = []
    then: list[QRectF] = []
    words: list[Placed] = []
    at = QPointF()
    for number, square in enumerate(squares, start=1):
        size, twice = _sizes(square, scale)
        now.append(QRectF(at, size))
        then.append(QRectF(at, twice))
        room = square.words.room(look)
        inside = _centred(room, now[-1], look)
        below = QRectF(QPointF(at.x(), then[-1].bottom() + look.px(4)), room)
        words.append(Placed(square.words, inside or below, number, is_inside=inside is not None))
        taken = then[-1] if inside else then[-1].united(below)
        step = look.px(BETWEEN)
        at = QPointF(taken.right() + step, 0) if is_row else QPointF(0, taken.bottom() + step)
    return now, then, words


def _words_of_first(
    first: tuple[QRectF, ...], square: Sized, look: Look, region: QRectF, *, is_held: bool
) -> list[Placed]:
    """Return the words of the first square: within it, within its dashed part, else at the right of both."""
    now, then = first
    seen = then & region
    quarter = QRectF(now.bottomRight(), seen.bottomRight())
    strip = QRectF(QPointF(seen.left(), now.bottom()), seen.bottomRight())
    outside = QPointF(then.right() + look.px(18), then.top())
    words = []
    for block, places in ((square.words, (now,)), (square.words_doubled, (quarter, strip))):
        if block is None:
            continue
        room = block.room(look)
        inside = next((found for place in places if (found := _centred(room, place, look))), None)
        box = inside or QRectF(outside, room)
        if not inside:
            outside += QPointF(0, room.height() + look.px(AROUND))
        if not is_held or region.contains(box):
            words.append(Placed(block, box, 0, block is square.words_doubled, inside is not None))
    return words


def _centred(room: QSizeF, place: QRectF, look: Look) -> QRectF | None:
    """Return where words stand in the middle of a place; None if they have no room there."""
    margin = 2 * look.px(AROUND)
    if room.width() + margin > place.width() or room.height() + margin > place.height():
        return None
    box = QRectF(QPointF(), room)
    box.moveCenter(place.center())
    return box


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
