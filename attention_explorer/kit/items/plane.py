"""A plane as an item of a picture: points with names, arrows and areas, some of which are dragged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import round_step
from attention_explorer.kit.drawing.marks import (
    LEVEL_FIRST,
    NO_LINES,
    box_round,
    boxes_along,
    colour_of,
    distance,
    draw_arrow,
    draw_circle,
    draw_haloed_text,
    draw_line,
    free_spot,
    pen,
    text_size,
)
from attention_explorer.kit.items.item import Hit, Item
from attention_explorer.kit.theme import Look

Point = tuple[float, float]

NEAR = 14.0
"""Pixels from a handle at which it is still meant."""
GRID = 56.0
"""Pixels at zoom 1 that lines of the grid are apart at least."""
TITLE = 22.0
"""Pixels at zoom 1 of the title of an axis, at the edge of the plane."""
EDGE, MARK = 34.0, 5.0
"""Pixels at zoom 1 of the numbers and titles at two edges, and pixels round the middle of a mark that it takes."""
NAME_GAPS, CLEAR = (5.0, 14.0), 2.0
"""Pixels at zoom 1 between a dot and its name, the nearest first; and those that names keep off other dots."""
RING = 5.5
"""Pixels at zoom 1 of the radius of a handle at a tip."""
STEP = 12.0
"""Of the letters of a number where axes have no titles."""
SMALLEST = 1e-6
"""Units that a plane shows at least."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A point with a name.

    Attributes
    ----------
    part : object
        What a `Hit` on it says; None for what is only written there.
    at : (float, float)
        Where it is.
    text : str
        What stands beside it; empty for nothing.
    ink : str
        A field of `Theme`, with another of the same name and ``_ink`` for letters in the colour of a role.
    radius : float
        Pixels at zoom 1.
    size : float
        Of its letters.
    is_hollow, is_bold, is_handle : bool
        Whether it is a ring, its letters are bold, and it can be dragged.
    """

    part: object
    at: Point
    text: str = ""
    ink: str = "muted"
    radius: float = 5.0
    size: float = 13.0
    is_hollow: bool = False
    is_bold: bool = False
    is_handle: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow; with a ``part`` its tip is a handle, and a `Hit` on it says that."""

    start: Point
    end: Point
    ink: str
    width: float = 2.2
    part: object = None


@dataclass(frozen=True, slots=True)
class PlaneLayout:
    """Where the plane is: the middle of it in units, and pixels a unit."""

    box: QRectF
    centre: Point
    scale: float

    def pixel(self, at: Point) -> QPointF:
        """Return where a point is drawn."""
        middle = self.box.center()
        return QPointF(
            middle.x() + (at[0] - self.centre[0]) * self.scale, middle.y() - (at[1] - self.centre[1]) * self.scale
        )

    def point(self, place: QPointF) -> Point:
        """Return the point at a place, to the decimals that pixels tell apart."""
        middle, digits = self.box.center(), max(0, math.ceil(math.log10(self.scale) - 0.5))
        x = self.centre[0] + (place.x() - middle.x()) / self.scale
        y = self.centre[1] - (place.y() - middle.y()) / self.scale
        return round(x, digits) + 0.0, round(y, digits) + 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Plane(Item[PlaneLayout]):
    """Two axes at one scale, with the origin always in view; `value_at` gives a point.

    Attributes
    ----------
    dots, arrows : tuple
        From back to front: arrows, then dots with what is written beside them.
    areas : tuple of (corners, ink)
        Faint ground.
    across, up : str
        What the axes are; without, they have no numbers either.
    margin : float
        Pixels at zoom 1 round what is shown.
    has_step : bool
        Whether the first line of the grid has its number at either axis, where these have no titles.
    """

    name: str
    dots: tuple[Dot, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    areas: tuple[tuple[tuple[Point, ...], str], ...] = ()
    across: str = ""
    up: str = ""
    margin: float = 44.0
    is_given: bool = False
    has_step: bool = False

    # ---- Where everything is ----

    def _points(self) -> Iterator[Point]:
        yield 0.0, 0.0
        yield from (dot.at for dot in self.dots)
        for arrow in self.arrows:
            yield from (arrow.start, arrow.end)
        for corners, _ in self.areas:
            yield from corners

    def layout(self, look: Look, box: QRectF) -> PlaneLayout:
        xs, ys = zip(*self._points(), strict=True)
        wide, high = max(max(xs) - min(xs), SMALLEST), max(max(ys) - min(ys), SMALLEST)
        margin = look.px(self.margin)
        room = self._inside(box, look).adjusted(margin, margin, -margin, -margin)
        scale = min(max(room.width(), 1.0) / wide, max(room.height(), 1.0) / high)
        off = (room.center() - box.center()) / scale
        return PlaneLayout(box, ((max(xs) + min(xs)) / 2 - off.x(), (max(ys) + min(ys)) / 2 + off.y()), scale)

    def _inside(self, box: QRectF, look: Look) -> QRectF:
        """Return the room beside numbers and titles of the axes."""
        edge = look.px(EDGE) if self.across else 0.0
        return box.adjusted(edge, 0, 0, -edge)

    def held(self, pressed: PlaneLayout, _look: Look, box: QRectF) -> PlaneLayout:
        return PlaneLayout(box, pressed.centre, pressed.scale)

    def data_box(self, layout: PlaneLayout) -> QRectF:
        spots = [layout.pixel(point) for point in self._points()]
        return QPolygonF(spots).boundingRect().adjusted(-MARK, -MARK, MARK, MARK).intersected(layout.box)

    def _labels(self, layout: PlaneLayout, look: Look) -> Iterator[tuple[Dot, QRectF]]:
        """Yield the dots that have names with where these stand: beside them, clear of all else where they can be.

        A name that would lie on another is left out; bold ones come first.
        """
        taken = [box_round(layout.pixel(dot.at), look.px(dot.radius + CLEAR)) for dot in self.dots if dot.radius]
        tips = (arrow.end for arrow in self.arrows if arrow.part is not None)
        taken += [box_round(layout.pixel(tip), look.px(RING + CLEAR)) for tip in tips]
        taken += [place for place, _ in self._steps(layout, look)]
        shafts = [_along(layout.pixel(arrow.start), layout.pixel(arrow.end), look.px(3)) for arrow in self.arrows]
        lines, inside = np.concatenate([NO_LINES, *shafts]), self._inside(layout.box, look)
        names: list[QRectF] = []
        for dot in sorted((dot for dot in self.dots if dot.text), key=lambda dot: not dot.is_bold):
            wide, high = text_size(look.font(dot.size, bold=dot.is_bold), dot.text)
            gaps = [look.px(dot.radius + gap) for gap in NAME_GAPS]
            at, others = layout.pixel(dot.at), (*taken, *names)
            best = free_spot(at, (wide + 2, high), gaps, others, inside, lines, LEVEL_FIRST)
            if not any(best.intersects(other) for other in names):
                names.append(best)
                yield dot, best

    # ---- Painting ----

    def paint(self, painter: QPainter, layout: PlaneLayout, look: Look, *, vector: bool = False) -> None:
        painter.save()
        painter.setClipRect(layout.box, Qt.ClipOperation.IntersectClip)
        painter.fillRect(layout.box, colour_of(look.theme.plane))
        self._paint_axes(painter, layout, look)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for corners, ink in self.areas:
            painter.setPen(pen(getattr(look.theme, ink), 1.0, opacity=0.5))
            painter.setBrush(colour_of(getattr(look.theme, ink), 0.10))
            painter.drawPolygon(QPolygonF([layout.pixel(corner) for corner in corners]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        for arrow in self.arrows:
            start, end = layout.pixel(arrow.start), layout.pixel(arrow.end)
            colour, width = getattr(look.theme, arrow.ink), arrow.width * look.zoom
            draw_arrow(painter, start, end, colour, width, (7.0 + 1.6 * arrow.width) * look.zoom)
            if arrow.part is not None and not look.still:
                _paint_ring(painter, end, colour, look, RING, 2.0)
        for dot in self.dots:
            _paint_dot(painter, dot, layout.pixel(dot.at), look)
        for dot, place in self._labels(layout, look):
            ink = getattr(look.theme, f"{dot.ink}_ink", None) or getattr(look.theme, dot.ink)
            draw_haloed_text(painter, place, dot.text, look.font(dot.size, bold=dot.is_bold), ink, look.theme.plane)
        painter.restore()

    def _paint_axes(self, painter: QPainter, layout: PlaneLayout, look: Look) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        step = round_step(look.px(GRID) / layout.scale)
        origin, box = layout.pixel((0.0, 0.0)), layout.box
        for across in (True, False):
            low, high = (
                (box.left() - origin.x(), box.right() - origin.x())
                if across
                else (origin.y() - box.bottom(), origin.y() - box.top())
            )
            each = step * layout.scale
            for number in range(math.ceil(low / each), math.floor(high / each) + 1):
                at = layout.pixel((number * step, number * step))
                start, end = (
                    (QPointF(at.x(), box.top()), QPointF(at.x(), box.bottom()))
                    if across
                    else (QPointF(box.left(), at.y()), QPointF(box.right(), at.y()))
                )
                stroke = pen(look.theme.grid, 1.0) if number else pen(look.theme.axis, 1.4)
                draw_line(painter, start, end, stroke)
                if number and self.across:
                    self._paint_number(painter, at, f"{number * step:g}".replace("-", "−"), look, box, across=across)
        painter.setFont(look.font(STEP))
        painter.setPen(colour_of(look.theme.muted))
        for place, text in self._steps(layout, look):
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        if self.across and look.axis_names:
            self._paint_titles(painter, box, look)

    def _steps(self, layout: PlaneLayout, look: Look) -> Iterator[tuple[QRectF, str]]:
        """Yield where the number of the first line of the grid stands, right of the origin and above it."""
        if not self.has_step:
            return
        step = round_step(look.px(GRID) / layout.scale)
        text = f"{step:g}"
        wide, high = text_size(look.font(STEP), text)
        right, up = layout.pixel((step, 0.0)), layout.pixel((0.0, step))
        for at in (right, up):
            place = QRectF(at.x() - wide - 4, at.y(), wide + 2, high)
            if layout.box.contains(place):
                yield place, text

    @staticmethod
    def _paint_number(painter: QPainter, at: QPointF, text: str, look: Look, box: QRectF, *, across: bool) -> None:
        """Write a number at the edge of the plane, beside the title of its axis."""
        wide, high = text_size(look.font(13), text)
        painter.setFont(look.font(13))
        painter.setPen(colour_of(look.theme.muted))
        if across:
            place = QRectF(at.x() - wide / 2 - 1, box.bottom() - look.px(TITLE) - high, wide + 2, high)
        else:
            place = QRectF(box.left() + look.px(TITLE), at.y() - high / 2, wide + 2, high)
        free = box.adjusted(look.px(2 * TITLE) if across else 0, 0, 0, 0 if across else -look.px(2 * TITLE))
        if free.contains(place):
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_titles(self, painter: QPainter, box: QRectF, look: Look) -> None:
        painter.setFont(look.font(13))
        painter.setPen(colour_of(look.theme.muted))
        line = QRectF(box.left(), box.bottom() - look.px(TITLE), box.width() - look.px(10), look.px(20))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(line, right, self.across)
        painter.save()
        painter.translate(box.left() + look.px(2), box.bottom())
        painter.rotate(-90)
        painter.drawText(QRectF(0, 0, box.height() - look.px(8), look.px(20)), right, self.up)
        painter.restore()

    def mark(self, painter: QPainter, layout: PlaneLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for part, at in self._parts():
            if part == hit.part:
                draw_circle(painter, layout.pixel(at), look.px(11), pen(look.theme.text, 1.8 * look.zoom))

    # ---- Pointing and dragging ----

    def _parts(self) -> Iterable[tuple[object, Point]]:
        """Return what can be pointed at, the front first."""
        yield from ((dot.part, dot.at) for dot in reversed(self.dots) if dot.part is not None)
        yield from ((arrow.part, arrow.end) for arrow in reversed(self.arrows) if arrow.part is not None)

    def _nearest(self, layout: PlaneLayout, place: QPointF, parts: Iterable[tuple[object, Point]]) -> Hit | None:
        away = [(distance(layout.pixel(at), place), part) for part, at in parts]
        found = min(away, key=lambda each: each[0], default=None)
        return None if found is None or found[0] > NEAR else Hit(self.name, found[1])

    def hit(self, layout: PlaneLayout, place: QPointF) -> Hit | None:
        return self._nearest(layout, place, self._parts()) if layout.box.contains(place) else None

    def grab(self, layout: PlaneLayout, place: QPointF) -> Hit | None:
        if not layout.box.contains(place):
            return None
        held = {dot.part for dot in self.dots if dot.is_handle} | {arrow.part for arrow in self.arrows}
        return self._nearest(layout, place, ((part, at) for part, at in self._parts() if part in held))

    def value_at(self, layout: PlaneLayout, hit: Hit, place: QPointF) -> Point | None:
        return layout.point(place) if hit.item == self.name else None


def _along(start: QPointF, end: QPointF, half: float) -> FloatArray:
    """Return small boxes along a line, as `boxes_along` says."""
    steps = max(math.ceil(distance(start, end) / half), 1)
    return boxes_along(np.linspace((start.x(), start.y()), (end.x(), end.y()), steps + 1), half)


def _paint_dot(painter: QPainter, dot: Dot, at: QPointF, look: Look) -> None:
    if not dot.radius:
        return
    colour = getattr(look.theme, dot.ink)
    if dot.is_hollow:
        _paint_ring(painter, at, colour, look, dot.radius, 2.0)
        return
    draw_circle(painter, at, look.px(dot.radius), pen(look.theme.plane, 1.0 * look.zoom), colour_of(colour))


def _paint_ring(painter: QPainter, at: QPointF, colour: str, look: Look, radius: float, width: float) -> None:
    draw_circle(painter, at, radius * look.zoom, pen(colour, width * look.zoom), colour_of(look.theme.plane))
