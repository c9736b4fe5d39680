"""Formulas as they are typeset: laid out and painted as text and lines, on screen and into files.

Our own, as QTextDocument has neither fractions nor roots, and matplotlib takes 0.24 s to its first formula (0.11 s of
that to be imported; Qt's widgets take 0.09 s), draws no text, and comes with no program that is installed.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Self

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF, QTransform

from attention_explorer.core.formula_text import (
    Fenced,
    Formula,
    Fraction,
    Kind,
    Mark,
    Node,
    Root,
    Row,
    Scripts,
    Symbol,
    core_of,
)
from attention_explorer.core.formula_words import gaps, has_limits, plain, spoken
from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.marks import colour_of, outline_of
from attention_explorer.kit.theme import Look, Theme

SMALLEST = 13.0
"""Pixels at zoom 1: no formula is drawn smaller to fit its room, as nobody could read its indices."""
SCRIPT_SIZES = (1.0, 0.7, 0.55)
"""Of what stands on the line, of its indices and exponents, and of theirs."""
SMALLEST_SCRIPT = 10.0
SLANT = 0.17
"""Of variables. The fonts have no italics, and Qt slants by twice as much, into the next letter."""
AXIS = 0.29
"""The height at which bars and signs stand, all lengths here and below as shares of the size of the letters."""
BAR = 0.055
BAR_GAP = 0.2
FENCE_SHORT = 0.25
"""By so much what is enclosed, such as an index, may stick out of parentheses that do not grow."""
DIGIT, X = 0.73, 0.55
"""Heights of digits and of x."""
THIN_SPACE = "\N{THIN SPACE}"
"""Between the digits of a number."""
LIT_OPACITY = 0.14


def ink_of_part(theme: Theme, role: str) -> str:
    """Return the colour of a part of a formula with a role, or with none."""
    if role in list(Role):
        return theme.ink_of_role(Role(role))
    return str(getattr(theme, f"{role}_ink")) if role else theme.text


# ---- What is drawn ----


@dataclass(frozen=True, slots=True)
class Piece:
    """Something at a place: ``box``, what it covers, has its ``at`` as origin until it is asked for in `covers`."""

    at: QPointF
    box: QRectF
    role: str

    @property
    def covers(self) -> QRectF:
        """What it covers, seen from the origin of the formula; of a root that is also what is below its bar."""
        return self.box.translated(self.at)

    def moved(self, x: float, y: float) -> Self:
        """Return it at another place."""
        return replace(self, at=QPointF(x, y))

    def paint(self, painter: QPainter, look: Look, ink: QColor) -> None:
        """Draw it around its place."""


@dataclass(frozen=True, slots=True)
class Letters(Piece):
    """A piece of text whose baseline begins at its place, ``tall`` times as high as its font has it."""

    text: str
    size: float
    slanted: bool
    tall: float

    def paint(self, painter: QPainter, look: Look, ink: QColor) -> None:
        painter.setFont(look.font(self.size))
        painter.setPen(ink)
        if self.slanted or self.tall != 1.0:
            painter.setTransform(leaning(self.slanted, self.tall), True)
        painter.drawText(QPointF(), self.text)


@dataclass(frozen=True, slots=True)
class Line(Piece):
    """The bar of a fraction, or a root."""

    points: tuple[QPointF, ...]
    width: float

    def paint(self, painter: QPainter, look: Look, ink: QColor) -> None:
        stroke = QPen(ink, self.width)
        stroke.setCapStyle(Qt.PenCapStyle.FlatCap)
        stroke.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(stroke)
        painter.drawPolyline(QPolygonF(self.points))


@dataclass(frozen=True, slots=True)
class Place(Piece):
    """Where a marked part is; drawn only while it is lit."""

    name: str

    def ground(self, look: Look) -> QRectF:
        """Return where it answers to the pointer, and is filled while it is lit."""
        return self.covers.adjusted(-look.px(1), -look.px(3), look.px(1), look.px(3))

    def paint_lit(self, painter: QPainter, look: Look) -> None:
        """Draw the ground of a part that is lit, seen from the origin of the formula."""
        ink = ink_of_part(look.theme, self.role)
        painter.setPen(QPen(colour_of(ink), look.px(1)))
        painter.setBrush(colour_of(ink, LIT_OPACITY))
        painter.drawRoundedRect(self.ground(look), look.px(4), look.px(4))
        painter.setBrush(Qt.BrushStyle.NoBrush)


@dataclass(frozen=True, slots=True)
class FormulaLayout:
    """A formula laid out: its size, and pieces around the left end of its baseline."""

    formula: Formula
    look: Look
    size: float
    width: float
    ascent: float
    descent: float
    pieces: tuple[Piece, ...]

    def paint(self, painter: QPainter, origin: QPointF, lit: Collection[str] = frozenset()) -> None:
        """Draw it with its baseline beginning at ``origin``, and the parts of those names lit."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(origin)
        for piece in self.pieces:
            if isinstance(piece, Place) and piece.name in lit:
                piece.paint_lit(painter, self.look)
        for piece in self.pieces:
            if isinstance(piece, Place):
                continue
            painter.save()
            painter.translate(piece.at)
            piece.paint(painter, self.look, colour_of(ink_of_part(self.look.theme, piece.role)))
            painter.restore()
        painter.restore()

    def at(self, point: QPointF) -> str:
        """Return the name of the innermost marked part at a point, counted from the origin, or ""."""
        found = [
            (place.box.width() * place.box.height(), place.name)
            for place in self.pieces
            if isinstance(place, Place) and place.ground(self.look).contains(point)
        ]
        return min(found)[1] if found else ""

    def spoken(self) -> str:
        """Return it as somebody reads it out."""
        return spoken(self.formula.row)

    def plain(self) -> str:
        """Return it as one line of text."""
        return plain(self.formula.row)


def layout(formula: Formula, look: Look, size: float, room: float = math.inf) -> FormulaLayout:
    """Lay a formula out at a size in pixels at zoom 1; at a smaller one if it is too wide for a room."""
    laid_out = _laid_out(formula, look, size)
    while laid_out.width > room and laid_out.size > SMALLEST:
        laid_out = _laid_out(formula, look, max(laid_out.size - 1, SMALLEST))
    return laid_out


@lru_cache(maxsize=256)
def _laid_out(formula: Formula, look: Look, size: float) -> FormulaLayout:
    box = _set(_Setter(look, size), formula.row)
    pieces = list[Piece]()
    box.put(pieces, 0.0, 0.0)
    return FormulaLayout(formula, look, size, box.full_width, box.ascent, box.descent, tuple(pieces))


# ---- How it is laid out ----


@dataclass(frozen=True, slots=True)
class _Box:
    """A part laid out around the left end of its baseline; its upper right corner leans over by ``lean``."""

    width: float
    ascent: float
    descent: float
    parts: tuple[tuple[float, float, _Box | Piece], ...] = ()
    """What it is made of, from back to front, each as far to the right and down as the first two say."""
    lean: float = 0.0

    @property
    def full_width(self) -> float:
        return self.width + self.lean

    def put(self, pieces: list[Piece], x: float, y: float) -> None:
        """Add all its pieces at a place."""
        for right, down, part in self.parts:
            if isinstance(part, _Box):
                part.put(pieces, x + right, y + down)
            else:
                pieces.append(part.moved(x + right, y + down))


def leaning(slanted: bool, tall: float = 1.0) -> QTransform:
    """Return what makes letters slanted or taller, their baseline where it was."""
    return QTransform(1, 0, -SLANT * slanted, tall, 0, 0)


@lru_cache(maxsize=1024)
def _ink(text: str, slanted: bool) -> QRectF:
    """Return what letters of size 1 cover, around the left end of their baseline."""
    outline = outline_of(text, Look().font(100), QPointF())
    box = leaning(slanted).map(outline).boundingRect()
    return QRectF(box.x() / 100, box.y() / 100, box.width() / 100, box.height() / 100)


@dataclass(frozen=True, slots=True)
class _Setter:
    """Sets the parts of a formula: at the size of a level of indices, in the ink of a role."""

    look: Look
    size: float
    level: int = 0
    in_fraction: bool = False
    role: str = ""
    pixels: int = field(init=False, compare=False)
    """The size of the letters, of which all lengths are shares."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pixels", self.look.font(self.letter_size).pixelSize())

    # ---- Sizes ----

    @property
    def letter_size(self) -> float:
        """The size of the letters, in pixels at zoom 1."""
        if self.level == 0:
            return self.size
        return max(math.ceil(self.size * SCRIPT_SIZES[self.level]), min(self.size, SMALLEST_SCRIPT))

    def em(self, share: float) -> float:
        return self.pixels * share

    def whole(self, share: float) -> int:
        """Return a length in whole pixels: what lies at a height of whole pixels is sharp."""
        return round(self.em(share))

    @property
    def thick(self) -> int:
        return max(1, self.whole(BAR))

    @property
    def axis(self) -> float:
        """How high the middle of bars is: so that both of their edges are whole pixels."""
        return round(self.em(AXIS) - self.thick / 2) + self.thick / 2

    def script(self) -> _Setter:
        return replace(self, level=min(self.level + 1, 2))

    # ---- Parts ----

    def make(self, node: Node) -> _Box:
        """Set a part that `_set` has not kept."""
        match node:
            case Symbol():
                return self.symbol(node)
            case Row():
                return self.row(node)
            case Fraction():
                return self.fraction(node)
            case Root():
                return self.root(node)
            case Scripts():
                return self.scripts(node)
            case Fenced():
                return self.fenced(node)
            case Mark():
                return self.mark(node)

    def symbol(self, symbol: Symbol) -> _Box:
        is_large = symbol.kind is Kind.SUM and self.level == 0
        size = self.letter_size * (1.3 if is_large else 1.0)
        text = symbol.text.replace(" ", THIN_SPACE) if symbol.kind is Kind.SIGN else symbol.text
        box = self.letters(text, size, slanted=symbol.kind is Kind.LETTER)
        if not is_large:
            return box
        down = round(-self.axis + (box.ascent - box.descent) / 2)
        return _Box(box.width, box.ascent - down, box.descent + down, ((0, down, box),))

    def letters(self, text: str, size: float, *, slanted: bool = False, tall: float = 1.0) -> _Box:
        font = self.look.font(size)
        ink, pixels = _ink(text, slanted), font.pixelSize()
        box = QRectF(ink.x() * pixels, ink.y() * pixels * tall, ink.width() * pixels, ink.height() * pixels * tall)
        width = QFontMetricsF(font).horizontalAdvance(text)
        piece = Letters(QPointF(), box, self.role, text, size, slanted, tall)
        lean = max(0.0, box.right() + self.em(0.03) - width) if slanted else 0.0
        return _Box(width, -box.top(), box.bottom(), ((0, 0, piece),), lean)

    def row(self, row: Row) -> _Box:
        x, lean, ascent, descent, placed = 0.0, 0.0, -math.inf, -math.inf, list[tuple[float, float, _Box]]()
        for gap, part in zip(gaps(row.parts), row.parts, strict=True):
            box = _set(self, part)
            core = part if isinstance(part, Symbol) else core_of(part)
            is_slanted = isinstance(core, Symbol) and core.kind is Kind.LETTER
            x += self.pixels * (gap if self.level == 0 else gap * 0.4) + (0 if is_slanted else lean)
            placed.append((x, 0.0, box))
            x += box.width
            lean, ascent, descent = box.lean, max(ascent, box.ascent), max(descent, box.descent)
        return _Box(x, ascent, descent, tuple(placed), lean)

    def mark(self, mark: Mark) -> _Box:
        box = _set(replace(self, role=mark.role or self.role), mark.inside)
        covers = QRectF(0, -box.ascent, box.full_width, box.ascent + box.descent)
        place = Place(QPointF(), covers, mark.role, mark.name)
        return replace(box, parts=((0, 0, place), (0, 0, box)))

    def line(self, *points: QPointF) -> Line:
        half = self.thick / 2
        box = QPolygonF(points).boundingRect().adjusted(0, -half, 0, half)
        return Line(QPointF(), box, self.role, points, self.thick)

    def fraction(self, fraction: Fraction) -> _Box:
        inner = self.script() if self.in_fraction else replace(self, in_fraction=True)
        above, below = _set(inner, fraction.above), _set(inner, fraction.below)
        width, side, thick, gap = max(above.full_width, below.full_width), self.em(0.12), self.thick, self.em(BAR_GAP)
        top, bottom = -self.axis - thick / 2, -self.axis + thick / 2
        up = math.floor(top - gap - max(above.descent, inner.em(0.06)))
        down = math.ceil(bottom + gap + max(below.ascent, inner.em(DIGIT)))
        bar = self.line(QPointF(side, -self.axis), QPointF(side + width, -self.axis))
        pieces = (
            (side + (width - above.full_width) / 2, up, above),
            (0, 0, bar),
            (side + (width - below.full_width) / 2, down, below),
        )
        return _Box(width + 2 * side, above.ascent - up, below.descent + down, pieces)

    def root(self, node: Root) -> _Box:
        inside = _set(self, node.inside)
        thick, hook = self.thick, self.em(0.5)
        top = -math.ceil(max(inside.ascent, self.em(DIGIT)) + self.em(0.14)) - thick
        bottom = max(inside.descent, self.em(0.02))
        width = hook + inside.full_width + self.em(0.06)
        height = bottom - top
        root = self.line(
            QPointF(self.em(0.02), bottom - height * 0.42),
            QPointF(self.em(0.12), bottom - height * 0.48),
            QPointF(self.em(0.25), bottom),
            QPointF(hook - self.em(0.06), top + thick / 2),
            QPointF(width, top + thick / 2),
        )
        pieces = ((0, 0, root), (hook, 0, inside))
        return _Box(width + self.em(0.08), -top, bottom, pieces)

    def scripts(self, scripts: Scripts) -> _Box:
        base = _set(self, scripts.base)
        script = self.script()
        below = _set(script, scripts.below) if scripts.below is not None else None
        above = _set(script, scripts.above) if scripts.above is not None else None
        if has_limits(scripts.base) and self.level == 0:
            return self.limits(base, below, above)
        is_tall = not isinstance(core_of(scripts.base), Symbol)
        down = self.whole(0.2) if not is_tall else round(base.descent + self.em(0.02))
        up = self.whole(0.4) if not is_tall else round(base.ascent - self.em(0.4))
        if below is not None and above is not None:
            apart = (down - below.ascent) - (above.descent - up)
            up += max(0, math.ceil(self.em(0.1) - apart))
        left, width, pieces = base.width + self.em(0.03), base.width, [(0.0, 0.0, base)]
        ascent, descent = base.ascent, base.descent
        if below is not None:
            pieces.append((left, down, below))
            width, descent = left + below.full_width, max(descent, down + below.descent)
            ascent = max(ascent, below.ascent - down)
        if above is not None:
            pieces.append((left + base.lean, -up, above))
            width = max(width, left + base.lean + above.full_width)
            ascent = max(ascent, up + above.ascent)
        return _Box(width, ascent, descent, tuple(pieces))

    def limits(self, base: _Box, below: _Box | None, above: _Box | None) -> _Box:
        """Set an index under a sum, and what it goes to above it."""
        width = max(box.width for box in (base, below, above) if box is not None)
        pieces, ascent, descent = [((width - base.width) / 2, 0.0, base)], base.ascent, base.descent
        if below is not None:
            down = math.ceil(descent + self.em(0.12) + below.ascent)
            pieces.append(((width - below.width) / 2, down, below))
            descent = down + below.descent
        if above is not None:
            up = math.ceil(ascent + self.em(0.12) + above.descent)
            pieces.append(((width - above.width) / 2, -up, above))
            ascent = up + above.ascent
        return _Box(width, ascent, descent, tuple(pieces))

    def fenced(self, fenced: Fenced) -> _Box:
        inside = _set(self, fenced.inside) if fenced.inside.parts else _Box(0, self.em(X), 0)
        left, right = (self.fence(sign, inside) for sign in (fenced.left, fenced.right))
        space = self.em(0.04 if fenced.left in "([" else 0.06)
        begin, end = left.width + space, left.width + inside.full_width + 2 * space
        pieces = ((0, 0, left), (begin, 0, inside), (end, 0, right))
        ascent, descent = max(left.ascent, inside.ascent), max(left.descent, inside.descent)
        return _Box(end + right.width, ascent, descent, pieces)

    def fence(self, sign: str, inside: _Box) -> _Box:
        """Set a parenthesis as its font has it, or as tall as what it encloses, to both sides of the axis alike."""
        box = self.letters(sign, self.letter_size)
        if max(inside.ascent - box.ascent, inside.descent - box.descent) <= self.em(FENCE_SHORT):
            return box
        half = max(inside.ascent - self.axis, inside.descent + self.axis)
        tall = 2 * half / (box.ascent + box.descent)
        box = self.letters(sign, self.letter_size, tall=tall)
        down = (box.ascent - box.descent) / 2 - self.axis
        return _Box(box.width, box.ascent - down, box.descent + down, ((0, down, box),))


@lru_cache(maxsize=2048)
def _set(setter: _Setter, node: Node) -> _Box:
    """Set a part. While something is dragged, most of a formula stays as it was, and so do most numbers in it."""
    return setter.make(node)
