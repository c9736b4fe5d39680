"""Where the boxes of a layer's diagram stand, and the lines between them.

Data run to the right along the first line, back to the left along the second and to the right along the third, so that
the two ways around a sublayer are short: down through the gutter between two lines.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.block.boxes import Box, Form, Line
from attention_explorer.pages.block.diagram import DiagramPicture

ARROW = 17
"""Pixels at zoom 1 between two boxes of a line."""
GUTTER = 25
"""Pixels at zoom 1 between two lines."""
TITLE, FOOT, INSIDE = 16, 14, 4
SMALLEST = 9.0
"""Pixels at zoom 1 of a font in a box, at least: what does not fit then is cut, or a shape left out."""
LINE_SHARES = {Line.SCORES: 1.75, Line.MIXING: 1.0, Line.FEED_FORWARD: 1.0}
FORM_SHARES = {Form.FEATURES: 1.15, Form.HEADS: 1.35, Form.KEYS: 1.0}
STRETCH = 2.0
"""How far from square a score may be drawn."""
TILE_GAP = 2.0
NOTABLY = 1.6
"""How much larger tiles have to be for a last line that is not full."""


@dataclass(frozen=True, slots=True)
class BoxPlace:
    """Where a box is: its frame, and inside it title, shape and map; one tile a head."""

    box: Box
    frame: QRectF
    title: QRectF
    shape: QRectF
    tiles: tuple[QRectF, ...]
    """One for each head, or one for all."""

    def tile_at(self, place: QPointF) -> int | None:
        """Return the head whose tile is at a place."""
        for number, tile in enumerate(self.tiles):
            if tile.contains(place):
                return number
        return None


@dataclass(frozen=True, slots=True)
class Path:
    """A line from a box to the next, with an arrow head at its end."""

    points: tuple[QPointF, ...]
    colour: str = "muted"
    is_residual: bool = False


@dataclass(frozen=True, slots=True)
class DiagramLayout:
    """The boxes by their names, and the lines between them."""

    places: dict[str, BoxPlace]
    paths: tuple[Path, ...]

    def at(self, place: QPointF) -> BoxPlace | None:
        """Return the box at a place."""
        return next((found for found in self.places.values() if found.frame.contains(place)), None)


Slot = tuple[Box, ...]


def diagram_layout(picture: DiagramPicture, look: Look, room: QRectF) -> DiagramLayout:
    """Fit the diagram into a room."""
    lines = {line: _slots(picture, line) for line in Line}
    lines = {line: slots for line, slots in lines.items() if slots}
    gutters = look.px(GUTTER) * (len(lines) - 1)
    share = (room.height() - gutters) / sum(LINE_SHARES[line] for line in lines)
    places: dict[str, BoxPlace] = {}
    top = room.top()
    for line, slots in lines.items():
        height = share * LINE_SHARES[line]
        places.update(_line_places(slots, line, look, QRectF(room.left(), top, room.width(), height)))
        top += height + look.px(GUTTER)
    return DiagramLayout(places, _paths(picture, places, look))


def _slots(picture: DiagramPicture, line: Line) -> list[Slot]:
    """Return the boxes of a line in the order of computation; what is made side by side shares a slot."""
    slots: list[Slot] = []
    for box in picture.boxes:
        if box.line is not line:
            continue
        if slots and box.name in ("k", "v", "linear_part"):
            slots[-1] = (*slots[-1], box)
        else:
            slots.append((box,))
    return slots


def _line_places(slots: list[Slot], line: Line, look: Look, room: QRectF) -> dict[str, BoxPlace]:
    indent = look.px(14) if line is Line.FEED_FORWARD and len(slots[0]) > 1 else 0.0
    room = room.adjusted(indent, 0, 0, 0)
    arrow = look.px(ARROW)
    widths = _widths(slots, look, room.width() - arrow * (len(slots) - 1))
    on_one_line = all(
        _fits_on_one_line(box, look, width) for slot, width in zip(slots, widths, strict=True) for box in slot
    )
    places: dict[str, BoxPlace] = {}
    left = room.left()
    for slot, width in zip(slots, widths, strict=True):
        start = room.right() - (left - room.left()) - width if line is Line.MIXING else left
        frame = QRectF(start, room.top(), width, room.height())
        for box, part in zip(slot, _stacked(len(slot), frame, look), strict=True):
            places[box.name] = _placed(box, part, look, on_one_line or len(slot) > 1)
        left += width + arrow
    return places


def _widths(slots: list[Slot], look: Look, room: float) -> list[float]:
    """Share a width out among slots; those that are too narrow for their titles take from the others."""
    shares = [FORM_SHARES[slot[0].form] for slot in slots]
    widths = [room * share / sum(shares) for share in shares]
    font = look.font(SMALLEST, bold=True)
    least = [max(text_size(font, box.title)[0] for box in slot) + look.px(2 * INSIDE) for slot in slots]
    wanted = sum(max(need - width, 0.0) for need, width in zip(least, widths, strict=True))
    spare = sum(max(width - need, 0.0) for need, width in zip(least, widths, strict=True))
    if wanted == 0 or spare < wanted:
        return widths
    kept = 1 - wanted / spare
    return [need + max(width - need, 0.0) * kept for need, width in zip(least, widths, strict=True)]


def _fits_on_one_line(box: Box, look: Look, width: float) -> bool:
    title = text_size(look.font(12, bold=True), title_of(box))[0]
    shape = text_size(look.font(11), box.shape_text)[0]
    return title + shape + look.px(2 * INSIDE + 8) <= width


def title_of(box: Box) -> str:
    """Return what stands above a box."""
    return f"{box.title} → out" if box.is_output else box.title


def _stacked(count: int, frame: QRectF, look: Look) -> list[QRectF]:
    gap = look.px(4)
    height = (frame.height() - gap * (count - 1)) / count
    return [QRectF(frame.left(), frame.top() + (height + gap) * i, frame.width(), height) for i in range(count)]


def _placed(box: Box, frame: QRectF, look: Look, on_one_line: bool) -> BoxPlace:
    px = look.px
    inner = frame.adjusted(px(INSIDE), px(2), -px(INSIDE), -px(INSIDE))
    title = QRectF(inner.left(), inner.top(), inner.width(), px(TITLE))
    if on_one_line:
        shape, below = title, inner.bottom()
    else:
        shape = QRectF(inner.left(), inner.bottom() - px(FOOT) + px(2), inner.width(), px(FOOT))
        below = shape.top() - px(1)
    cells = QRectF(inner.left(), title.bottom() + px(1), inner.width(), max(below - title.bottom() - px(1), 4.0))
    return BoxPlace(box, frame, title, shape, _tiles(box, cells, look))


def _tiles(box: Box, room: QRectF, look: Look) -> tuple[QRectF, ...]:
    """Return where the heads of a box are drawn: in as many columns as make them largest."""
    rows, columns = box.first.shape[-2:]
    if box.form is Form.FEATURES:
        return (room,)
    heads, gap = box.first.shape[0], TILE_GAP * min(look.zoom, 2.0)
    best, chosen = 0.0, (1, 1.0, 1.0)
    for across in range(1, heads + 1):
        down = math.ceil(heads / across)
        wide = (room.width() - gap * (across - 1)) / across / columns
        high = (room.height() - gap * (down - 1)) / down / rows
        cell = min(wide, high)
        size = min(wide, STRETCH * cell) * min(high, STRETCH * cell)
        if heads % across:
            size /= NOTABLY  # a last line with gaps in it looks as if heads were missing
        if cell > 0.0 and size > best:
            best, chosen = size, (across, min(wide, STRETCH * cell), min(high, STRETCH * cell))
    across, width, height = chosen[0], max(chosen[1] * columns, 1.0), max(chosen[2] * rows, 1.0)
    down = math.ceil(heads / across)
    left = room.left() + (room.width() - across * (width + gap) + gap) / 2
    top = room.top() + (room.height() - down * (height + gap) + gap) / 2
    return tuple(
        QRectF(left + (head % across) * (width + gap), top + (head // across) * (height + gap), width, height)
        for head in range(heads)
    )


# ---- Lines between boxes ----


def _paths(picture: DiagramPicture, places: dict[str, BoxPlace], look: Look) -> tuple[Path, ...]:
    paths = [
        _path(places[source], places[box.name], look)
        for box in picture.boxes
        for source in box.sources
        if (source, box.name) != ("v", "head_output")
    ]
    paths.append(_value_path(places["v"].frame, places["head_output"].frame, look))
    paths += [_residual_path(places[way.start].frame, places[way.end].frame, look) for way in picture.residuals]
    return tuple(paths)


def _path(start: BoxPlace, end: BoxPlace, look: Look) -> Path:
    """Return the arrow from a box to one beside or below it."""
    tail, head, px = start.frame, end.frame, look.px
    colour = start.box.colour if start.box.name in ("q", "k") else "muted"
    if end.box.line is start.box.line:
        if end.box.line is Line.MIXING:
            y = tail.center().y()
            return Path((QPointF(tail.left() - px(1), y), QPointF(head.right() + px(2), y)))
        return Path(_across(tail, head, px(1)), colour)
    if start.box.line is Line.SCORES:  # down at the right end
        x = head.right() - 0.35 * min(tail.width(), head.width())
    else:
        x = head.left() + 0.3 * min(tail.width(), head.width())
    if head.top() - tail.bottom() > 2 * px(GUTTER):  # the lower of two boxes that share a slot
        side = head.left() - px(8)
        y = head.center().y()
        return Path((QPointF(side, tail.bottom() + px(1)), QPointF(side, y), QPointF(head.left() - px(1), y)))
    return Path((QPointF(x, tail.bottom() + px(1)), QPointF(x, head.top() - px(2))))


def _across(tail: QRectF, head: QRectF, gap: float) -> tuple[QPointF, ...]:
    """Return an arrow to the right: straight where the boxes lie at one height, else slanted between them."""
    start_y = min(max(head.center().y(), tail.top() + 0.2 * tail.height()), tail.bottom() - 0.2 * tail.height())
    end_y = min(max(start_y, head.top() + 0.2 * head.height()), head.bottom() - 0.2 * head.height())
    if tail.height() < head.height():
        start_y = tail.center().y()
        end_y = min(max(start_y, head.top() + 0.2 * head.height()), head.bottom() - 0.2 * head.height())
    return QPointF(tail.right() + gap, start_y), QPointF(head.left() - 2 * gap, end_y)


def _value_path(value: QRectF, end: QRectF, look: Look) -> Path:
    """Return the way of the values: below the scores, to where the weights mix them."""
    px = look.px
    lane = value.bottom() + px(8)
    x = end.left() + 0.3 * end.width()
    start = value.center().x()
    return Path(
        (QPointF(start, value.bottom() + px(1)), QPointF(start, lane), QPointF(x, lane), QPointF(x, end.top() - px(2))),
        "value",
    )


def _residual_path(start: QRectF, end: QRectF, look: Look) -> Path:
    """Return the way around a sublayer: down into the gutter, along it, and down to the sum."""
    px = look.px
    lane = end.top() - px(10)
    sideways = end.center().x() - start.center().x()
    tail_x = start.left() + (0.7 if sideways > 0 else 0.3) * start.width()
    head_x = end.center().x()
    if abs(tail_x - head_x) < px(12):
        return Path((QPointF(head_x, start.bottom()), QPointF(head_x, end.top() - px(2))), "text", is_residual=True)
    points = (
        QPointF(tail_x, start.bottom()),
        QPointF(tail_x, lane),
        QPointF(head_x, lane),
        QPointF(head_x, end.top() - px(2)),
    )
    return Path(points, "text", is_residual=True)
