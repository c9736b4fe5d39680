"""Where squares of one scale and their words stand: the first at the left, the others in a column or a row after it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from attention_explorer.kit.items.item import around
from attention_explorer.kit.theme import Look

GAP, BETWEEN, AROUND, LINE = 32, 22, 8, 18
"""Pixels at zoom 1: between the first square and the others, between those, round words, and a line of small ones."""
LEAST = 3.0
"""A square has so many pixels at least."""
STEPS, MOST_OCTAVES = 4, 16
"""So many scales there are to each doubling, and so many doublings are tried."""


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
class Placed:
    """Words with where they are."""

    block: Block
    box: QRectF
    square: int
    is_doubled: bool
    is_inside: bool
    """Whether they stand in their square, and so in the middle of their box."""


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


Amounts = Sequence[tuple[float, float]]
Blocks = Sequence[tuple[Block, Block | None]]


def best_scale(amounts: Amounts, blocks: Blocks, look: Look, box: QRectF) -> SquaresLayout:
    """Return the layout with the largest squares that have room. Scales go in steps, so that sizes can be compared."""
    side = max(min(box.width(), box.height()), 1.0)
    first = math.floor(math.log2(max(most for pair in amounts for most in pair) / side**2))

    def found(step: int) -> tuple[bool, SquaresLayout]:
        both = [arranged(amounts, blocks, look, box, 2.0 ** (step / STEPS), is_row=is_row) for is_row in (False, True)]
        return next(((True, layout) for layout in both if _fits(layout)), (False, both[0]))

    for octave in range(first, first + MOST_OCTAVES):
        for step in range((octave - 1) * STEPS + 1, octave * STEPS + 1) if found(octave * STEPS)[0] else ():
            fits, layout = found(step)
            if fits:
                return layout
    return found((first + MOST_OCTAVES) * STEPS)[1]


def _fits(layout: SquaresLayout) -> bool:
    parts = [*layout.doubled[:1], *(placed.box for placed in layout.words if placed.square == 0)]
    rest = [*layout.doubled[1:], *(placed.box for placed in layout.words if placed.square), layout.scale_line]
    return all(layout.region.contains(part) for part in parts) and all(layout.box.contains(part) for part in rest)


def arranged(
    amounts: Amounts,
    blocks: Blocks,
    look: Look,
    box: QRectF,
    scale: float,
    *,
    is_row: bool = False,
    held: SquaresLayout | None = None,
) -> SquaresLayout:
    """Return where everything is at a scale, whether or not it has room.

    What is ``held`` keeps its place: the first square may then be larger than its region, which hides the rest of it.
    """
    sides = [[max(math.sqrt(each / scale), LEAST) for each in pair] for pair in amounts]
    is_row = held.is_row if held else is_row
    now, then, words = _others(sides[1:], blocks[1:], look, is_row=is_row)
    line = QRectF(0, 0, look.px(150), look.px(LINE))
    rest = around((*then, *(placed.box for placed in words)))
    if is_row:
        line.moveTopLeft(QPointF(0, rest.bottom() + look.px(6)))
        shift = QPointF(box.left(), box.bottom() - line.bottom())
        region = box.adjusted(0, 0, 0, -line.bottom() - look.px(GAP))
    else:
        shift = QPointF(box.right() - max(rest.width(), line.width()), box.top())
        line.moveTopLeft(QPointF(0, max(box.height() - line.height(), rest.bottom() + look.px(6))))
        region = box.adjusted(0, 0, shift.x() - look.px(GAP) - box.right(), 0)
    if held:
        region = held.region
    main = [QRectF(region.topLeft(), QSizeF(side, side)) for side in sides[0]]
    own = _words_of_first(main, blocks[0], look, region, is_held=held is not None)
    return SquaresLayout(
        box,
        scale,
        is_row,
        region,
        (main[0], *(each.translated(shift) for each in now)),
        (main[1], *(each.translated(shift) for each in then)),
        (*own, *(replace(placed, box=placed.box.translated(shift)) for placed in words)),
        line.translated(shift),
    )


def _others(
    sides: Sequence[Sequence[float]], blocks: Blocks, look: Look, *, is_row: bool
) -> tuple[list[QRectF], list[QRectF], list[Placed]]:
    """Return the other squares and their words below one another, or beside one another, from (0, 0)."""
    now: list[QRectF] = []
    then: list[QRectF] = []
    words: list[Placed] = []
    at = QPointF()
    for number, ((side, twice), (block, _)) in enumerate(zip(sides, blocks, strict=True), start=1):
        now.append(QRectF(at, QSizeF(side, side)))
        then.append(QRectF(at, QSizeF(twice, twice)))
        room = block.room(look)
        inside = _centred(room, now[-1], look)
        below = QRectF(QPointF(at.x(), then[-1].bottom() + look.px(4)), room)
        words.append(Placed(block, inside or below, number, is_doubled=False, is_inside=inside is not None))
        taken = then[-1] if inside else then[-1].united(below)
        step = look.px(BETWEEN)
        at = QPointF(taken.right() + step, 0) if is_row else QPointF(0, taken.bottom() + step)
    return now, then, words


def _words_of_first(
    main: Sequence[QRectF], blocks: tuple[Block, Block | None], look: Look, region: QRectF, *, is_held: bool
) -> list[Placed]:
    """Return the words of the first square: within it, within its dashed part, else at the right of both."""
    now, then = main
    seen = then & region
    quarter = QRectF(now.bottomRight(), seen.bottomRight())
    strip = QRectF(QPointF(seen.left(), now.bottom()), seen.bottomRight())
    outside = QPointF(then.right() + look.px(18), then.top())
    words = []
    for block, is_doubled in ((blocks[0], False), (blocks[1], True)):
        if block is None:
            continue
        room, places = block.room(look), (quarter, strip) if is_doubled else (now,)
        inside = next((found for place in places if (found := _centred(room, place, look))), None)
        box = inside or QRectF(outside, room)
        if not inside:
            outside += QPointF(0, room.height() + look.px(AROUND))
        if not is_held or region.contains(box):
            words.append(Placed(block, box, 0, is_doubled, inside is not None))
    return words


def _centred(room: QSizeF, place: QRectF, look: Look) -> QRectF | None:
    """Return where words stand in the middle of a place; None if they have no room there."""
    around = 2 * look.px(AROUND)
    if room.width() + around > place.width() or room.height() + around > place.height():
        return None
    box = QRectF(QPointF(), room)
    box.moveCenter(place.center())
    return box
