"""The steps of a layer as boxes with arrows between them: what is made, and its shape."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.marks import colour_of, draw_arrow, pen, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.stages import ShapeBox

HEIGHT = 34
ARROW = 20
"""Pixels at zoom 1 between two boxes with an arrow."""
BESIDE = 4
LINE_GAP = 6


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """A box and where it is; ``arrow`` leads to it, from its tail to its head, if there is one."""

    box: ShapeBox
    place: QRectF
    arrow: tuple[QPointF, QPointF] | None


@dataclass(frozen=True, slots=True)
class Chain:
    """The boxes of a layer in as many lines as they need."""

    boxes: tuple[PlacedBox, ...]
    height: float

    def moved_to(self, top: float) -> Chain:
        """Return the chain with its first line at a height."""
        if not self.boxes:
            return self
        by = QPointF(0.0, top - self.boxes[0].place.top())
        moved = tuple(
            replace(
                placed,
                place=placed.place.translated(by),
                arrow=None if placed.arrow is None else (placed.arrow[0] + by, placed.arrow[1] + by),
            )
            for placed in self.boxes
        )
        return Chain(moved, self.height)


def shape_text(box: ShapeBox) -> str:
    """Return the shape as it is written: (8, 11, 11), and with one axis (8,)."""
    return str(box.shape) if box.shape else ""


def chain_layout(boxes: tuple[ShapeBox, ...], look: Look, left: float, width: float) -> Chain:
    """Place the boxes from the height 0 on, in lines of about the same length; boxes beside each other stay so."""
    px = look.px
    groups = _groups(boxes)
    widths = [sum(_width(box, look) for box in group) + px(BESIDE) * (len(group) - 1) for group in groups]
    lines = _lines(widths, px(ARROW), width)
    placed, top = list[PlacedBox](), 0.0
    number = 0
    for count in lines:
        x = left
        for group in groups[number : number + count]:
            middle = top + px(HEIGHT) / 2
            # Also at the beginning of a line: the chain goes on from the line above.
            tail = QPointF(x + px(3), middle) if placed else None
            x += px(ARROW) if placed else 0
            for box in group:
                arrow = None if tail is None else (tail, QPointF(x - px(2), middle))
                placed.append(PlacedBox(box, QRectF(x, top, _width(box, look), px(HEIGHT)), arrow))
                x, tail = x + _width(box, look) + px(BESIDE), None
            x -= px(BESIDE)
        number += count
        top += px(HEIGHT) + px(LINE_GAP)
    return Chain(tuple(placed), max(top - px(LINE_GAP), 0.0))


def _groups(boxes: tuple[ShapeBox, ...]) -> list[list[ShapeBox]]:
    groups = list[list[ShapeBox]]()
    for box in boxes:
        if box.beside and groups:
            groups[-1].append(box)
        else:
            groups.append([box])
    return groups


def _lines(widths: list[float], arrow: float, room: float) -> list[int]:
    """Return how many groups stand in each line: as few lines as can be, and of those the most even."""

    def filled(limit: float) -> list[int]:
        counts, used = list[int](), limit + 1
        for width in widths:
            if used + arrow + width > limit:
                counts.append(0)
                used = 0.0
            counts[-1] += 1
            used += arrow + width
        return counts

    fewest = len(filled(room))
    total = sum(widths) + arrow * len(widths)
    for share in range(10, 41):
        lines = filled(min(room, total / max(fewest, 1) * share / 10))
        if len(lines) == fewest:
            return lines
    return filled(room)


def _width(box: ShapeBox, look: Look) -> float:
    name = text_size(look.font(12.5, bold=True), box.name)[0]
    shape = text_size(look.font(11), shape_text(box))[0]
    return max(name, shape) + look.px(14)


def paint_chain(painter: QPainter, chain: Chain, look: Look) -> None:
    """Paint the boxes and arrows."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for placed in chain.boxes:
        if placed.arrow is not None:
            draw_arrow(painter, *placed.arrow, look.theme.muted, 1.3 * look.zoom, look.px(7))
        _paint_box(painter, placed, look)


def _paint_box(painter: QPainter, placed: PlacedBox, look: Look) -> None:
    theme, px, role, place = look.theme, look.px, placed.box.role, placed.place
    edge = theme.axis if role is None else theme.of_role(role)
    ink = theme.text if role is None else theme.ink_of_role(role)
    if placed.box.shape:  # what keeps the shape has no frame: it is no array of its own
        painter.setPen(pen(edge, 1.0 if role is None else 1.5))
        painter.setBrush(colour_of(theme.card))
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), px(6), px(6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(look.font(12.5, bold=True))
    painter.setPen(colour_of(ink))
    if not placed.box.shape:
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, placed.box.name)
        return
    painter.drawText(place.adjusted(0, px(2), 0, -place.height() / 2), Qt.AlignmentFlag.AlignCenter, placed.box.name)
    painter.setFont(look.font(11))
    painter.setPen(colour_of(theme.muted))
    below = place.adjusted(0, place.height() / 2, 0, -px(2))
    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, shape_text(placed.box))
