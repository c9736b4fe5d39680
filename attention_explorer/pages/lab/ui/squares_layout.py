"""Where squares of one scale and their words stand: the first at the left, the others in a column or a row after it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from attention_explorer.kit.items.item import around
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
