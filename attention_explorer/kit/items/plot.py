"""A plot: numeric axes, and curves, bars, bands, points and handles between them.

Where everything is, and what is under the pointer, is worked out here; pyqtgraph draws it (`plot_drawing.py`).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.marks import draw_circle, draw_line, entries_height, paint_dot, pen, text_size
from attention_explorer.kit.items.item import SIDEWAYS, Arrays, Hit, Item, Step
from attention_explorer.kit.items.plot_marks import (
    LEGEND_LINE,
    SAMPLE,
    TICKS,
    WORDS,
    At,
    Axis,
    Bars,
    Curve,
    Handle,
    Label,
    Line,
    Mark,
    Points,
    ReadOut,
    ticks_along,
)
from attention_explorer.kit.theme import Look

NEAR = 9.0
"""Pixels from a point or a handle at which it is still meant."""

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class PlotLayout:
    """Where a plot is: ``plot`` is the box between the axes."""

    box: QRectF
    plot: QRectF
    across: Axis
    up: Axis

    def place(self, x: float, y: float) -> QPointF:
        """Return where a pair of numbers is."""
        return QPointF(
            self.plot.left() + self.across.share(x) * self.plot.width(),
            self.plot.bottom() - self.up.share(y) * self.plot.height(),
        )

    def nearest(self, x: float, y: float) -> QPointF:
        """Return the place in the plot that is nearest to where a pair of numbers is."""
        at, area = self.place(x, y), self.plot
        return QPointF(min(max(at.x(), area.left()), area.right()), min(max(at.y(), area.top()), area.bottom()))

    def numbers(self, place: QPointF) -> tuple[float, float]:
        """Return the pair of numbers at a place, held within the axes."""
        return (
            self.across.number((place.x() - self.plot.left()) / self.plot.width()),
            self.up.number((self.plot.bottom() - place.y()) / self.plot.height()),
        )


def _same(number: float) -> float:
    return number


@dataclass(frozen=True, slots=True)
class Plot(Item[PlotLayout]):
    """A plot.

    Attributes
    ----------
    name : str
        What it shows, in words that tell no number.
    across, up : Axis
        Its axes.
    marks : tuple of Mark
        What is in it, the hindmost first.
    right : Axis or None
        Another scale for the same height, written at the right.
    snap : callable
        (number across) -> the number that is meant by a place there.
    stops : sequence of float
        Where keys go when there is no handle, ascending.
    has_legend : bool
        Whether what has a name is named in lines above the plot.
    margin : float
        Pixels at zoom 1 left of the axes at least, so that what stands above one another shares its columns.
    is_square : bool
        Whether a unit across is as long as one up, where both axes are as long.
    """

    name: str
    across: Axis
    up: Axis
    marks: tuple[Mark, ...]
    right: Axis | None = None
    snap: Callable[[float], float] = field(default=_same, compare=False)
    stops: Sequence[float] = ()
    has_legend: bool = True
    margin: float = 0.0
    is_square: bool = False
    is_given: bool = False

    def of(self, kind: type[M]) -> list[M]:
        """Return the marks of a kind."""
        return [mark for mark in self.marks if isinstance(mark, kind)]

    @property
    def named(self) -> list[Curve | Bars | Points]:
        """What the legend names."""
        return [mark for mark in self.marks if isinstance(mark, Curve | Bars | Points) and mark.name]

    # ---- Where everything is ----

    def layout(self, look: Look, box: QRectF) -> PlotLayout:
        px, font = look.px, look.font(TICKS)
        above: float = px(8)
        if self.has_legend and self.named:
            names, room = [mark.name for mark in self.named], box.width()
            above += entries_height(names, px(SAMPLE), room, px(LEGEND_LINE), look, size=WORDS)
        below = px(8) if self.across.is_bare else px(TICKS + 10)
        below += px(TICKS + 6) if self.across.title and look.axis_names else 0
        high = max(box.height() - above - below, 8.0)
        left = self._room_for(self.up, high, look) + (px(TICKS + 6) if self.up.title and look.axis_names else 0)
        left = max(left, px(self.margin))
        right = px(10) if self.right is None else self._room_for(self.right, high, look)
        right = max((text_size(font, each.room)[0] + px(10) for each in self.of(ReadOut)), default=right)
        right += px(TICKS + 6) if self.right is not None and self.right.title and look.axis_names else 0
        last = self.across.written(ticks_along(box.width(), look, 76))[-1:]
        for tick, text in last:  # it may stand beyond the end
            inside = (1.0 - self.across.share(tick)) * (box.width() - left - right)
            right = max(right, text_size(font, text)[0] / 2 - inside)
        plot = QRectF(box.left() + left, box.top() + above, max(box.width() - left - right, 8.0), high)
        if self.is_square:
            side = min(plot.width(), plot.height())
            plot = QRectF(plot.center().x() - side / 2, plot.center().y() - side / 2, side, side)
        return PlotLayout(box, plot, self.across, self.up)

    def held(self, pressed: PlotLayout, look: Look, box: QRectF) -> PlotLayout:
        return pressed if pressed.box == box else self.layout(look, box)

    @staticmethod
    def _room_for(axis: Axis, high: float, look: Look) -> float:
        font, ticks = look.font(TICKS), axis.written(ticks_along(high, look))
        return max((text_size(font, text)[0] for _, text in ticks), default=0.0) + look.px(10)

    def data_box(self, layout: PlotLayout) -> QRectF:
        return layout.plot

    def paint(self, painter: QPainter, layout: PlotLayout, look: Look, *, vector: bool = False) -> None:
        # pyqtgraph takes a fifth of a second to load: not before the first plot is on the screen.
        from attention_explorer.kit.items.plot_drawing import paint_plot

        paint_plot(painter, replace(self, across=layout.across, up=layout.up), layout, look)

    def resting(self) -> Plot:
        """Return it without handles, what they read off, and the words that make room for them."""
        if not any(isinstance(mark, Handle | ReadOut) for mark in self.marks):
            return self
        stay = (mark for mark in self.marks if not isinstance(mark, Handle | ReadOut) and not _gives_way(mark))
        return replace(self, marks=tuple(replace(mark, text="") if isinstance(mark, Line) else mark for mark in stay))

    def paint_moving(self, painter: QPainter, layout: PlotLayout, look: Look) -> None:
        if self.of(Handle):
            from attention_explorer.kit.items.plot_drawing import paint_handles

            paint_handles(painter, replace(self, across=layout.across, up=layout.up), layout, look)

    # ---- Pointing ----

    def hit(self, layout: PlotLayout, place: QPointF) -> Hit | None:
        handle = self.grab(layout, place)
        if handle is not None:
            return handle
        if not layout.plot.contains(place):
            return None
        near = [
            (math.hypot(at.x() - place.x(), at.y() - place.y()), points.name, index)
            for points in self.of(Points)
            for index, at in enumerate(map(layout.place, points.x, points.y))
        ]
        distance, name, index = min(near, default=(math.inf, "", 0))
        if distance <= NEAR:
            return Hit(self.name, At(self._points(name).x[index], name, index))
        return Hit(self.name, At(self.snap(layout.numbers(place)[0])))

    def _points(self, name: str) -> Points:
        return next(points for points in self.of(Points) if points.name == name)

    def grab(self, layout: PlotLayout, place: QPointF) -> Hit | None:
        reach = layout.plot.adjusted(-NEAR, -NEAR, NEAR, NEAR)
        for handle in self.of(Handle):
            at = layout.nearest(handle.x, self.up.low if handle.y is None else handle.y)
            down = 0.0 if handle.y is None else abs(at.y() - place.y())
            if reach.contains(place) and math.hypot(at.x() - place.x(), down) <= NEAR:
                return Hit(self.name, handle.name)
        return None

    def value_at(self, layout: PlotLayout, hit: Hit, place: QPointF) -> tuple[float, float] | None:
        if hit.item != self.name:
            return None
        x, y = layout.numbers(place)
        return self.snap(x), y

    def mark(self, painter: QPainter, layout: PlotLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(hit.part, str):
            for handle in self.of(Handle):
                if handle.name == hit.part:
                    _mark_handle(painter, layout, look, handle)
        elif hit.part.points:
            points = self._points(hit.part.points)
            centre = layout.place(points.x[hit.part.index], points.y[hit.part.index])
            draw_circle(painter, centre, look.px(NEAR), pen(look.theme.text, 1.5 * look.zoom))
        else:
            self._mark_across(painter, layout, look, hit.part.x)

    def _mark_across(self, painter: QPainter, layout: PlotLayout, look: Look, x: float) -> None:
        top = layout.place(x, self.up.high)
        draw_line(painter, top, QPointF(top.x(), layout.plot.bottom()), pen(look.theme.muted, 1, Qt.PenStyle.DotLine))
        for curve in self.of(Curve):
            y = value_of(curve, self.across, self.up, x)
            if self.up.low <= y <= self.up.high:
                paint_dot(painter, layout.place(x, y), getattr(look.theme, curve.ink), 3.5 * look.zoom)

    # ---- Keys ----

    def press(self, key: int) -> Step | None:
        for handle in self.of(Handle):
            turn = (SIDEWAYS if handle.y is None else _UPWARDS).get(key)
            if turn is None or not handle.stops:
                continue
            at = handle.x if handle.y is None else handle.y
            to = next_stop(handle.stops, at, turn)
            return Step(Hit(self.name, handle.name), (to, self.up.low) if handle.y is None else (handle.x, to))
        return None

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        turn = SIDEWAYS.get(key)
        if turn is None or not self.stops:
            return None
        if hit is None or hit.item != self.name or not isinstance(hit.part, At):
            return Hit(self.name, At(self.stops[0 if turn > 0 else -1]))
        return Hit(self.name, At(next_stop(self.stops, hit.part.x, turn)))

    def arrays(self) -> Arrays:
        found: Arrays = {}
        for curve in self.of(Curve):
            if curve.name:
                found[f"{curve.name}: {self.across.title}"], found[curve.name] = curve.x, curve.y
        return found


def _gives_way(mark: Mark) -> bool:
    """Whether something stands where handles leave it room."""
    return isinstance(mark, Label) and not mark.fixed


_UPWARDS = {int(Qt.Key.Key_Down): -1, int(Qt.Key.Key_Up): 1}


def next_stop(stops: Sequence[float], at: float, turn: int) -> float:
    """Return the next of some ascending numbers above (``turn`` 1) or below (−1) a number; at the end, the last."""
    index = bisect_right(stops, at) if turn > 0 else bisect_left(stops, at) - 1
    return stops[min(max(index, 0), len(stops) - 1)]


def value_of(curve: Curve, across: Axis, up: Axis, x: float) -> float:
    """Return a curve at a number across: between its points along the line that is drawn; NaN beyond its ends."""
    if curve.is_stepped:
        index = int(np.searchsorted(curve.x, x, side="right")) - 1
        return float(curve.y[index]) if 0 <= index < len(curve.y) else math.nan
    if not curve.x[0] <= x <= curve.x[-1]:
        return math.nan
    share = float(np.interp(across.share(x), across.shares(curve.x), up.shares(curve.y)))
    return up.number(share) if 0.0 <= share <= 1.0 else math.nan


def _mark_handle(painter: QPainter, layout: PlotLayout, look: Look, handle: Handle) -> None:
    stroke = pen(getattr(look.theme, handle.ink), 2.5 * look.zoom)
    if handle.y is None:
        x = layout.nearest(handle.x, layout.up.low).x()
        draw_line(painter, QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()), stroke)
    else:
        draw_circle(painter, layout.nearest(handle.x, handle.y), look.px(NEAR), stroke)
