"""Words in a picture: titles, and numbers as large as they matter."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.kit.drawing.marks import colour_of, paint_reason
from attention_explorer.kit.items.item import Boxed
from attention_explorer.kit.theme import Look


@dataclass(frozen=True, slots=True)
class Title(Boxed):
    """One line of words; where it does not fit it is cut, so it is short."""

    name: str
    text: str
    ink: str = "text"
    size: float = 14.0
    bold: bool = True
    is_given: bool = True

    def height(self, look: Look, _width: float) -> float:
        return QFontMetricsF(look.font(self.size, bold=self.bold)).height()

    def data_box(self, _layout: QRectF) -> QRectF:
        return QRectF()

    def paint(self, painter: QPainter, layout: QRectF, look: Look, *, vector: bool = False) -> None:
        font = look.font(self.size, bold=self.bold)
        painter.setFont(font)
        painter.setPen(colour_of(getattr(look.theme, self.ink)))
        words = QFontMetricsF(font).elidedText(self.text, Qt.TextElideMode.ElideRight, layout.width())
        painter.drawText(layout, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def spoken(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Message(Boxed):
    """A sentence in the place of what cannot be drawn, and why."""

    name: str
    text: str
    is_given: bool = False

    def paint(self, painter: QPainter, layout: QRectF, look: Look, *, vector: bool = False) -> None:
        paint_reason(painter, self.text, layout, look)

    def spoken(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Reading:
    """A number that is read at a glance, and what it is."""

    number: str
    what: str
    ink: str = "text"


@dataclass(frozen=True, slots=True)
class Readings(Boxed):
    """Numbers beside one another, each large, with what it is below it."""

    name: str
    readings: tuple[Reading, ...]
    size: float = 30.0
    is_given: bool = False

    def height(self, look: Look, _width: float) -> float:
        return look.px(self.size * 1.25 + 20)

    def paint(self, painter: QPainter, layout: QRectF, look: Look, *, vector: bool = False) -> None:
        wide, split = layout.width() / max(len(self.readings), 1), look.px(self.size * 1.25)
        for index, reading in enumerate(self.readings):
            place = QRectF(layout.left() + index * wide, layout.top(), wide - look.px(8), split)
            left = Qt.AlignmentFlag.AlignLeft
            painter.setPen(colour_of(getattr(look.theme, reading.ink)))
            painter.setFont(look.font(self._fitting(look, wide), bold=True))
            painter.drawText(place, left | Qt.AlignmentFlag.AlignBottom, reading.number)
            painter.setFont(look.font(13))
            below = QRectF(place.left(), place.bottom() + look.px(2), place.width(), look.px(18))
            painter.drawText(below, left | Qt.AlignmentFlag.AlignTop, reading.what)

    def _fitting(self, look: Look, wide: float) -> float:
        """Return the size of letters at which every number fits its place."""
        widest = max(
            QFontMetricsF(look.font(self.size, bold=True)).horizontalAdvance(reading.number)
            for reading in self.readings
        )
        return self.size * min(1.0, (wide - look.px(10)) / max(widest, 1.0))

    def spoken(self) -> str:
        return "; ".join(f"{reading.what} {reading.number}" for reading in self.readings)
