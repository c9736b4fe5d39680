"""Bars that are cut into parts: how much of a whole is whose, and the same beside it, larger or smaller."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.colour_maps import readable_ink
from attention_explorer.kit.drawing.marks import colour_of, pen, text_size
from attention_explorer.kit.items.item import Hit, Item, around, walked
from attention_explorer.kit.items.strips import Colour, colour_in
from attention_explorer.kit.theme import Look

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
