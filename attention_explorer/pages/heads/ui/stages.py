"""The stages of a head as a strip: raw scores, scaled, masked, weights; below it the shapes of the whole layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.words import capital
from attention_explorer.kit.drawing.marks import colour_of, draw_arrow, draw_line, pen, text_size
from attention_explorer.kit.drawing.small_map import (
    Arrangement,
    SmallMap,
    arranged,
    best_arrangement,
    cell_at,
    paint_shape,
    paint_small_map,
    paint_swatch,
    paint_title,
    unbroken,
)
from attention_explorer.kit.items.item import TURNS, Arrays, Hit, Item, Value, around
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import Change, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import is_quick
from attention_explorer.pages.heads.stages import (
    STAGE_NAMES,
    ShapeBox,
    StagesNumbers,
    StagesPicture,
    stage_words,
    stages_numbers,
)
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.maps_item import LABELLED_CELL, SeveralMaps, labelled
from attention_explorer.pages.heads.ui.row_picture import row_clicked, row_item, row_words
from attention_explorer.pages.heads.wording import description, map_title

# ---- The shapes of a layer ----


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


@lru_cache(maxsize=256)  # a chain is laid out again and again until a page has found its height
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


GAPS = 70, 62
"""Pixels at zoom 1 between maps side by side: an arrow with its words fits, in a small room on more lines."""
GUTTER = 30
"""Pixels at zoom 1 between rows of maps: an arrow around the corner fits."""
SLOTS = 104, 80
"""How many pixels wide at zoom 1 a map is at least; the less only where two beside each other have no room else."""
LEAST_HEIGHT = 60
"""Pixels at zoom 1 that maps should be high: in a smaller room the chain gives way."""
STAGE_SIDE = 200.0
"""Pixels of each map in a figure, where all four stand in one row."""


@dataclass(frozen=True, slots=True)
class StagesLayout:
    """Where everything of the strip is."""

    note: QRectF  # empty without a note
    maps: tuple[SmallMap, ...]
    heading: QRectF  # of the chain, empty without room for it
    chain: Chain


STAGES, SHAPES = "Stages", "Shapes of the layer"


@dataclass(frozen=True, slots=True, eq=False)
class StagesItem(SeveralMaps[StagesLayout]):
    """The four maps and the chain; a `Hit` says (which map, row, column)."""

    name: str
    picture: StagesPicture
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> StagesLayout:
        return stages_layout(self.picture, look, box)

    def paint(self, painter: QPainter, layout: StagesLayout, look: Look, *, vector: bool = False) -> None:
        if self.picture.note:
            painter.setFont(look.font(12))
            painter.setPen(colour_of(look.theme.muted))
            painter.drawText(layout.note, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.picture.note)
        for name, stage, small in zip(STAGE_NAMES, self.picture.pictures, layout.maps, strict=True):
            paint_small_map(painter, stage, small, look, vector=vector)
            # The shape may reach into the gap before the next map, unless words stand close or the room ends there.
            is_last = all(other.header.left() <= small.header.left() for other in layout.maps)
            beyond = 0 if is_last or small.header.width() < look.px(SLOTS[0]) else 24
            paint_title(painter, small.header, name, f"({stage.cells[0]}, {stage.cells[1]})", look, beyond=beyond)
        for number, step in enumerate(self.picture.steps):
            hides = number == 1 and bool(self.picture.pictures[2].masked.any())
            _paint_step(painter, layout.maps[number], layout.maps[number + 1], unbroken(step), look, swatch=hides)
        if layout.chain.boxes:
            _paint_heading(painter, self.picture, layout.heading, look)
        paint_chain(painter, layout.chain, look)

    def hit(self, layout: StagesLayout, place: QPointF) -> Hit | None:
        found = cell_at(layout.maps, place)
        return None if found is None else Hit(self.name, (found.map, found.row, found.column))

    def mark(self, painter: QPainter, layout: StagesLayout, look: Look, hit: Hit) -> None:
        if hit.item == self.name:
            spot = hit.part if isinstance(hit.part, Spot) else Spot(*hit.part[1:])
            SeveralMaps.mark(self, painter, layout, look, Hit(self.name, spot))

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        if key not in TURNS:
            return None
        if hit is None or hit.item != self.name:
            return Hit(self.name, (len(STAGE_NAMES) - 1, 0, 0))
        number, *cell = hit.part
        moved = (at + by for at, by in zip(cell, TURNS[key], strict=True))
        sizes = self.picture.pictures[number].cells
        return Hit(self.name, (number, *(min(max(at, 0), size - 1) for at, size in zip(moved, sizes, strict=True))))

    def suits(self) -> tuple[float, float]:
        rows, columns = self.cells
        small = labelled(rows, columns)
        if max(rows, columns) * LABELLED_CELL <= STAGE_SIDE:
            return 1180.0, 430.0
        return max(2 * min(columns * small, 1500.0) + 260.0, 1180.0), 2 * min(rows * small, 1500.0) + 460.0

    def foot(self, look: Look, room: QRectF) -> float:
        layout = self.layout(look, room)
        feet = (*(small.foot for small in layout.maps), *(placed.place.bottom() for placed in layout.chain.boxes))
        return max(feet) + look.px(8)

    def spoken(self) -> str:
        return f"{', '.join(STAGE_NAMES)}: {'; '.join(self.picture.steps)}"


@dataclass(frozen=True, slots=True, eq=False)
class ShapeChain(Item[StagesLayout]):
    """The steps of the whole layer with the shapes of what they make, as a chain."""

    name: str
    picture: StagesPicture
    is_given: bool = True

    def layout(self, look: Look, box: QRectF) -> StagesLayout:
        heading = QRectF(box.left(), box.top(), box.width(), look.px(20))
        chain = chain_layout(self.picture.boxes, look, box.left(), box.width())
        return StagesLayout(QRectF(), (), heading, chain.moved_to(heading.bottom() + look.px(3)))

    def height(self, look: Look, width: float) -> float:
        return chain_layout(self.picture.boxes, look, 0.0, width).height + look.px(23)

    def data_box(self, layout: StagesLayout) -> QRectF:
        return around(placed.place for placed in layout.chain.boxes)

    def paint(self, painter: QPainter, layout: StagesLayout, look: Look, *, vector: bool = False) -> None:
        _paint_heading(painter, self.picture, layout.heading, look)
        paint_chain(painter, layout.chain, look)

    def spoken(self) -> str:
        return ", ".join(f"{box.name} {shape_text(box)}".strip() for box in self.picture.boxes)


class Stages(Picture[HeadsState, StagesNumbers]):
    """Raw scores, scaled, masked, weights: what is done to a whole map, and the shapes of the layer around it."""

    uses_pixels = True
    axes = "row = query, column = key"
    truths = ("Every row of weights sums to 1, or is all 0 where a query has nothing to attend to.",)
    compute = staticmethod(stages_numbers)
    is_quick = staticmethod(lambda state: is_quick(state.setup))
    follows = False

    def headline(self, numbers: StagesNumbers) -> str:
        return f"{capital(', '.join(numbers.picture.steps))}."

    def says(self, numbers: StagesNumbers) -> tuple[str, ...]:
        return tuple(filter(None, (numbers.picture.note, description(numbers.frame, numbers.view))))

    def item(self, numbers: StagesNumbers) -> Item[Any]:
        return StagesItem(STAGES, numbers.picture)

    def panel(self, numbers: StagesNumbers) -> Panel:
        return Panel(f"{capital(map_title(numbers.frame))}: one row", (row_item(numbers.row),))

    def table(self, numbers: StagesNumbers) -> Item[Any]:
        """Return the shapes of the layer, for the drawer."""
        return ShapeChain(SHAPES, numbers.picture)

    def words(self, numbers: StagesNumbers, hit: Hit) -> str:
        if hit.item != STAGES:
            return row_words(numbers.row, hit)
        number, row, column = hit.part
        return stage_words(tuple(Stage)[number], numbers.frame, numbers.view, row, column)

    def changed(self, state: HeadsState, numbers: StagesNumbers, hit: Hit, to: Value) -> Change[HeadsState] | None:
        if hit.item != STAGES:
            return row_clicked(state, numbers.row, hit)
        _, row, column = hit.part
        return Change(state.with_view(row=row, column=column), "Pin a token")

    @staticmethod
    def arrays(numbers: StagesNumbers) -> Arrays:
        """Return the map at every stage, the weights first."""
        map_ = numbers.frame.head_map
        stages = {stage.value: np.asarray(map_.stage(stage)) for stage in (Stage.WEIGHTS, *Stage)}
        return {**stages, "allowed": map_.allowed()}


def stages_layout(picture: StagesPicture, look: Look, room: QRectF) -> StagesLayout:
    """Fit the strip into a room: maps in one row or in two, whichever makes them larger, the chain below them.

    A room should be at least 300 × 270 px at zoom 1. On the screen the chain stands in the drawer; it is left out too
    where it would leave the maps too little.
    """
    px = look.px
    note = QRectF(room.left(), room.top(), room.width(), px(20)) if picture.note else QRectF()
    maps_room = room.adjusted(0, note.height(), 0, 0)
    chain = chain_layout(picture.boxes, look, room.left(), room.width())
    maps = _maps(picture, look, maps_room.adjusted(0, 0, 0, -chain.height - px(22) - px(10)))
    if not look.still or min(small.layout.cells.height() for small in maps) < min(
        px(LEAST_HEIGHT), px(9) * maps[0].layout.rows
    ):
        chain = Chain((), 0.0)
        maps = _maps(picture, look, maps_room)
    top = max(small.foot for small in maps) + px(10)
    heading = QRectF(room.left(), top, room.width(), px(20)) if chain.boxes else QRectF()
    return StagesLayout(note, maps, heading, chain.moved_to(heading.bottom() + px(2)))


def _maps(picture: StagesPicture, look: Look, room: QRectF) -> tuple[SmallMap, ...]:
    header, gutter = look.px(20), look.px(GUTTER)
    choices = [Arrangement(columns, look.px(gap), gutter, header, SLOTS[0]) for gap in GAPS for columns in (4, 2)]
    choices.append(Arrangement(2, look.px(GAPS[1]), gutter, header, SLOTS[1]))
    best = best_arrangement(picture.pictures, look, room, tuple(choices))
    return arranged(picture.pictures, look, room, best)


# ---- Painting ----


def _paint_step(painter: QPainter, start: SmallMap, end: SmallMap, words: str, look: Look, *, swatch: bool) -> None:
    """Paint the arrow from a map to the next with what is done; ``swatch`` shows what a masked cell looks like."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if end.header.top() > start.foot:
        _paint_step_down(painter, start, end, words, look, swatch=swatch)
        return
    px, cells = look.px, start.layout.cells
    left, right = max(start.header.right(), cells.right()) + px(8), end.header.left() - px(8)
    middle = cells.center().y()
    draw_arrow(painter, QPointF(left, middle), QPointF(right, middle), look.theme.muted, 1.5 * look.zoom, px(9))
    font = look.font(11.5)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
    room = QRectF(left - px(4), 0, right - left + px(8), px(200))
    high = QFontMetricsF(font).boundingRect(room, flags, words).height()
    above = high + px(6) <= middle - start.header.top() + px(12)
    box = QRectF(room.left(), middle - px(6) - high if above else middle + px(6), room.width(), high + 1)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    painter.drawText(box, flags, words)
    if swatch:
        y = middle + px(8) if above else middle - px(20)
        paint_swatch(painter, QRectF(box.center().x() - px(6), y, px(12), px(12)), look)


def _paint_step_down(
    painter: QPainter, start: SmallMap, end: SmallMap, words: str, look: Look, *, swatch: bool
) -> None:
    px, theme = look.px, look.theme
    middle = (start.foot + end.header.top()) / 2
    from_x, to_x = start.layout.cells.center().x(), end.layout.cells.center().x()
    stroke = pen(theme.muted, 1.5 * look.zoom)
    draw_line(painter, QPointF(from_x, start.foot + px(2)), QPointF(from_x, middle), stroke)
    draw_line(painter, QPointF(from_x, middle), QPointF(to_x, middle), stroke)
    draw_arrow(
        painter, QPointF(to_x, middle), QPointF(to_x, end.header.top() - px(1)), theme.muted, 1.5 * look.zoom, px(9)
    )
    font = look.font(11.5)
    sample = px(18) if swatch else 0
    width = text_size(font, words)[0] + px(14) + sample
    box = QRectF((from_x + to_x - width) / 2, middle - px(9), width, px(18))
    painter.fillRect(box, colour_of(theme.card))
    if swatch:
        paint_swatch(painter, QRectF(box.left() + px(7), middle - px(6), px(12), px(12)), look)
    painter.setFont(font)
    painter.setPen(colour_of(theme.text))
    painter.drawText(box.adjusted(sample, 0, 0, 0), Qt.AlignmentFlag.AlignCenter, words)


def _paint_heading(painter: QPainter, picture: StagesPicture, line: QRectF, look: Look) -> None:
    font = look.font(12.5, bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, picture.layer_heading)
    left = line.left() + text_size(font, picture.layer_heading)[0] + look.px(8)
    paint_shape(painter, QPointF(left, line.center().y()), picture.layer_badge, look)
