"""What stands round the planes of words: the sentence, and a matrix with its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import coordinate, percent, signed
from attention_explorer.kit.drawing.colour_maps import readable_ink
from attention_explorer.kit.drawing.marks import colour_of, draw_line, mixed, pen, text_size
from attention_explorer.kit.items.item import Boxed, Hit, Item
from attention_explorer.kit.theme import Look

TALL, INSIDE, BETWEEN = 38.0, 12.0, 8.0
"""Pixels at zoom 1: how high a word is, and the room in and between them."""
LETTERS, SMALLEST = 22.0, 0.4
"""The size of letters, and the share of all sizes below which nothing shrinks."""

SIZES, INDENT, USUAL = (14.0, 13.0, 12.0, 11.0), 5.0, "−0.25"
"""Of the numbers of a matrix: their sizes, the room between them and the brackets, and one as long as most."""


@dataclass(frozen=True, slots=True)
class SentenceLayout:
    """Where the words are, and the size of their letters."""

    places: tuple[QRectF, ...]
    letters: float


@dataclass(frozen=True, slots=True)
class Sentence(Item[SentenceLayout]):
    """The words of a sentence beside one another, filled by their weight; a `Hit` says which.

    Attributes
    ----------
    tokens : tuple of str
        The words.
    weights : tuple of float
        How much each is looked at.
    asking : int
        The one that asks, which has a frame.
    has_weights : bool
        Whether the weights are on show: then they are spoken too.
    """

    name: str
    tokens: tuple[str, ...]
    weights: tuple[float, ...]
    asking: int
    has_weights: bool = True
    is_given: bool = False

    def height(self, look: Look, _width: float) -> float:
        return look.px(TALL)

    def _scale(self, look: Look, width: float) -> float:
        """Return by how much all is smaller than it would be, so that every word fits a width."""
        scale = 1.0
        while scale > SMALLEST and self._width(look, scale) > width:
            scale -= 0.05  # letters come in whole sizes
        return scale

    def _width(self, look: Look, scale: float) -> float:
        letters = sum(text_size(look.font(LETTERS * scale), token)[0] for token in self.tokens)
        return letters + (2 * INSIDE + BETWEEN) * scale * look.zoom * len(self.tokens)

    def layout(self, look: Look, box: QRectF) -> SentenceLayout:
        scale = self._scale(look, box.width())
        font, left, places = look.font(LETTERS * scale), box.left(), []
        for token in self.tokens:
            wide = text_size(font, token)[0] + 2 * INSIDE * scale * look.zoom
            places.append(QRectF(left, box.top() + 1, wide, box.height() - 2))
            left += wide + BETWEEN * scale * look.zoom
        return SentenceLayout(tuple(places), LETTERS * scale)

    def data_box(self, layout: SentenceLayout) -> QRectF:
        return QRectF()

    def paint(self, painter: QPainter, layout: SentenceLayout, look: Look, *, vector: bool = False) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = look.font(layout.letters)
        for i, (place, token, weight) in enumerate(zip(layout.places, self.tokens, self.weights, strict=True)):
            ground = mixed(look.theme.card, look.theme.key, 0.06 + 0.84 * weight)  # the nearer to keys, the more
            asks = i == self.asking
            painter.setPen(pen(look.theme.query, 2.4 * look.zoom) if asks else Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(place, look.px(7), look.px(7))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setFont(font)
            painter.setPen(readable_ink(ground.rgb()))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, token)

    def hit(self, layout: SentenceLayout, place: QPointF) -> Hit | None:
        return next((Hit(self.name, i) for i, box in enumerate(layout.places) if box.contains(place)), None)

    def mark(self, painter: QPainter, layout: SentenceLayout, look: Look, hit: Hit) -> None:
        if hit.item == self.name and hit.part < len(layout.places):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(look.theme.text, 1.6 * look.zoom))
            painter.drawRoundedRect(layout.places[hit.part].adjusted(2, 2, -2, -2), look.px(5), look.px(5))

    def spoken(self) -> str:
        if not self.has_weights:
            return f"{self.tokens[self.asking]} asks: {', '.join(self.tokens)}"
        said = (f"{token} {percent(weight)}" for token, weight in zip(self.tokens, self.weights, strict=True))
        return f"{self.tokens[self.asking]} asks: {', '.join(said)}"


@dataclass(frozen=True, slots=True)
class MatrixNumbers(Boxed):
    """A matrix with its symbol above and what it does below.

    Attributes
    ----------
    symbol : str
        "W_Q": what follows the stroke is set lower.
    rows : ((float, float), (float, float))
        Its numbers.
    does : str
        What a word does with what it makes.
    ink : str
        A role: a field of `Theme` with another of the same name and ``_ink``.
    """

    name: str
    symbol: str
    rows: tuple[tuple[float, float], tuple[float, float]]
    does: str
    ink: str
    is_given: bool = True

    def data_box(self, _layout: QRectF) -> QRectF:
        return QRectF()

    def paint(self, painter: QPainter, layout: QRectF, look: Look, *, vector: bool = False) -> None:
        px, ink, left = look.px, colour_of(getattr(look.theme, f"{self.ink}_ink")), layout.left() + look.px(4)
        room = layout.width() - px(8)
        size = next((size for size in SIZES if self._width(look, size) <= room), SIZES[-1])
        high = px(size * 1.7)
        whole = px(26) + 2 * high
        has_room = layout.height() >= whole + px(30)
        whole += px(30) if has_room else 0
        top = layout.top() + max((layout.height() - whole) / 2, 0)
        letter, index = self.symbol.split("_")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(ink)
        painter.setFont(look.font(18, bold=True))
        painter.drawText(QPointF(left, top + px(16)), letter)
        wide = text_size(painter.font(), letter)[0]
        painter.setFont(look.font(13, bold=True))
        painter.drawText(QPointF(left + wide, top + px(20)), index)
        box = QRectF(left, top + px(26), min(room, max(px(size * 7.6), self._width(look, size))), 2 * high)
        self._paint_brackets(painter, box, look)
        painter.setFont(look.font(size))
        painter.setPen(colour_of(look.theme.text))
        across = (box.width() - 2 * px(INDENT)) / 2
        for i, row in enumerate(self._texts):
            for j, text in enumerate(row):
                cell = QRectF(box.left() + px(INDENT) + j * across, box.top() + i * high, across, high)
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)
        if has_room:
            painter.setFont(look.font(13))
            painter.setPen(colour_of(look.theme.muted))
            painter.drawText(QPointF(left, box.bottom() + px(22)), self.does)

    @property
    def _texts(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(coordinate(round(number, 2)) for number in row) for row in self.rows)

    def _width(self, look: Look, size: float) -> float:
        """Return how wide the brackets are around numbers of a size, which stand clear of them and of each other."""
        texts = USUAL, *(text for row in self._texts for text in row)
        return 2 * max(text_size(look.font(size), text)[0] for text in texts) + 3 * look.px(INDENT)

    def _paint_brackets(self, painter: QPainter, box: QRectF, look: Look) -> None:
        stroke, arm = pen(getattr(look.theme, self.ink), 1.6 * look.zoom), look.px(4)
        for x, turn in ((box.left(), 1), (box.right(), -1)):
            draw_line(painter, QPointF(x, box.top()), QPointF(x, box.bottom()), stroke)
            for y in (box.top(), box.bottom()):
                draw_line(painter, QPointF(x, y), QPointF(x + turn * arm, y), stroke)

    def spoken(self) -> str:
        (a, b), (c, d) = ([signed(number) for number in row] for row in self.rows)
        return f"{self.symbol.replace('_', ' ')}: {a}, {b}; {c}, {d}"
