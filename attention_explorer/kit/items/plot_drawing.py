"""Plots, drawn by pyqtgraph: axes, curves, bars and bands; points, handles and words are painted over them."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPaintEngine, QPainter, QPen
from PySide6.QtWidgets import QGraphicsObject

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.kit.drawing.marks import (
    colour_of,
    dashes,
    draw_circle,
    draw_line,
    entry_boxes,
    entry_words,
    pen,
    text_size,
)
from attention_explorer.kit.items.plot_marks import (
    LEGEND_LINE,
    SAMPLE,
    TICKS,
    WORDS,
    Axis,
    Band,
    Bars,
    Between,
    Bracket,
    Corner,
    Curve,
    Handle,
    Line,
    Points,
    ReadOut,
    ticks_along,
)
from attention_explorer.kit.items.plot_words import is_seen, paint_fixed, paint_labels, paint_titles
from attention_explorer.kit.theme import Look, searchable

if TYPE_CHECKING:
    from attention_explorer.kit.items.plot import Plot, PlotLayout

NO_PEN = QPen(Qt.PenStyle.NoPen)
FAR = 1e4
"""How many heights of a plot away a curve still goes its way."""
STRIP = 32
"""So many points of a long line are stroked at a time."""
ANYWHERE = QRectF(-FAR, -FAR, 2 * FAR, 2 * FAR)


class _Canvas:
    """One plot of pyqtgraph, in a view that is never shown: it is filled, and drawn where it is wanted.

    Its numbers are pixels from the lower left corner, so that pens are as wide as they say, in every file too.
    """

    def __init__(self) -> None:
        # Items ask the view of their scene how large a pixel is; without one, axes are not drawn.
        self.view = _View(background=None)
        self.plot = pg.PlotItem(enableMenu=False)
        self.view.scene().addItem(self.plot)
        self.plot.hideButtons()
        self.plot.titleLabel.hide()
        self.plot.layout.setContentsMargins(0, 0, 0, 0)
        self.plot.layout.setSpacing(0)
        self.plot.vb.setMouseEnabled(x=False, y=False)
        self.plot.vb.disableAutoRange()
        for side in ("bottom", "left", "right", "top"):
            # With prefixes, each range writes a title anew that is not seen.
            self.plot.getAxis(side).enableAutoSIPrefix(False)
        self._worn: dict[str, object] = {}

    def draw(self, painter: QPainter, plot: Plot, layout: PlotLayout, look: Look) -> None:
        is_pdf = painter.paintEngine().type() is QPaintEngine.Type.Pdf
        font = searchable(look.font(TICKS)) if is_pdf else look.font(TICKS)
        below, beside = layout.box.bottom() - layout.plot.bottom(), layout.plot.left() - layout.box.left()
        self._dress("bottom", plot.across, below, layout.plot.width(), look, font)
        self._dress("left", plot.up, beside, layout.plot.height(), look, font)
        self.plot.showAxis("right", plot.right is not None)
        right = 0.0
        if plot.right is not None:
            right = layout.box.right() - layout.plot.right()
            self._dress("right", plot.right, right, layout.plot.height(), look, font)
        items = _items(plot, layout, look)
        for item in items:
            item.setParentItem(self.plot.vb.childGroup)  # `addItem` looks for bounds, which nobody wants to know
        whole = QRectF(layout.box.left(), layout.plot.top(), 0, 0)
        whole.setRight(layout.plot.right() + right)
        whole.setBottom(layout.box.bottom())
        self.plot.setGeometry(whole)
        self.plot.layout.activate()
        self.plot.vb.setRange(xRange=(0, layout.plot.width()), yRange=(0, layout.plot.height()), padding=0)
        self.view.scene().prepareForPaint()
        # All of the box, not the axes alone: half of a number at the end of one stands beyond it.
        self.view.scene().render(painter, layout.box, layout.box)
        for item in items:
            self.view.scene().removeItem(item)

    def _dress(self, side: str, axis: Axis, room: float, along: float, look: Look, font: QFont) -> None:
        theme, item = look.theme, self.plot.getAxis(side)
        is_below = side == "bottom"
        ticks = axis.written(_ticks_across(axis, along, look) if is_below else ticks_along(along, look))
        item.setTicks([[(axis.share(number) * along, text) for number, text in ticks]])
        worn = look, room, axis.is_bare, font
        if self._worn.get(side) == worn:  # what follows takes its time
            return
        self._worn[side] = worn
        item.setWidth(room) if not is_below else item.setHeight(room)
        item.setPen(pen(theme.axis, 1) if is_below and not axis.is_bare else NO_PEN)
        item.setTextPen(theme.muted)
        item.setTickFont(font)
        item.setStyle(tickLength=-look.px(4) if is_below else 0, tickAlpha=255 if is_below else 0)  # dots else
        offset = {"tickTextOffset": look.px(5)} if is_below else {}  # clear of the ring of a handle
        item.setStyle(hideOverlappingLabels=False, autoExpandTextSpace=False, **offset)


class _Unheard:
    """An item that is drawn once: it follows no view, and nobody asks how large it is. Both take most of its time."""

    itemChange = QGraphicsObject.itemChange  # noqa: N815 # a name of Qt

    def boundingRect(self) -> QRectF:
        """Say that it may be anywhere."""
        return ANYWHERE


class _Curve(_Unheard, pg.PlotCurveItem):  # type: ignore[misc] # pyqtgraph has no types
    """Points joined by a line, or the area below them."""

    def paint(self, painter: QPainter, *arguments: Any) -> None:  # noqa: ANN401 # as Qt calls it
        if painter.paintEngine().type() is QPaintEngine.Type.Raster and self._is_long:
            self._stroke_in_strips(painter)
        else:
            super().paint(painter, *arguments)

    @property
    def _is_long(self) -> bool:
        """Whether it is many points, from left to right, joined by a solid line that is wider than a pixel."""
        stroke, x = self.opts["pen"], self.xData
        is_wide = stroke.style() is Qt.PenStyle.SolidLine and stroke.widthF() > 1.0
        is_line = self.opts["connect"] == "finite" and self.opts["fillLevel"] is None
        return is_wide and is_line and len(x) > 2 * STRIP and bool((np.diff(x) >= 0.0).all())

    def _stroke_in_strips(self, painter: QPainter) -> None:
        """Stroke in each strip of whole columns of pixels what crosses it: the same pixels, several times as fast.

        The more points a line has that is wider than a pixel, the longer Qt takes for each of them.
        """
        stroke, way = self.opts["pen"], painter.deviceTransform()
        columns, reach = way.m11() * self.xData + way.dx(), way.m11() * stroke.widthF() + 1.0
        inner = np.unique(np.floor(columns[STRIP:-STRIP:STRIP]))
        edges = np.array([np.floor(columns[0] - reach), *inner, np.ceil(columns[-1] + reach)])
        firsts = np.maximum(np.searchsorted(columns, edges[:-1] - reach) - 1, 0).tolist()
        lasts = (np.searchsorted(columns, edges[1:] + reach) + 1).tolist()
        places = ((edges - way.dx()) / way.m11()).tolist()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self.opts["antialias"])
        painter.setPen(stroke)
        for (left, right), first, last in zip(itertools.pairwise(places), firsts, lasts, strict=True):
            painter.save()
            painter.setClipRect(QRectF(left, -FAR, right - left, 2 * FAR), Qt.ClipOperation.IntersectClip)
            painter.drawPath(pg.arrayToQPath(self.xData[first:last], self.yData[first:last], "finite"))
            painter.restore()


class _Rectangles(_Unheard, pg.BarGraphItem):  # type: ignore[misc] # pyqtgraph has no types
    """Bars that begin and end at whole pixels: sharp, and several times as fast."""

    def paint(self, painter: QPainter, *arguments: Any) -> None:  # noqa: ANN401 # as Qt calls it
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        super().paint(painter, *arguments)


class _View(pg.GraphicsView):  # type: ignore[misc] # pyqtgraph has no types
    """A view that is never shown, and stays: who closes all windows there are would have it clear its scene."""

    def close(self) -> bool:
        """Have nothing to close."""
        return True


@cache
def _canvas() -> _Canvas:
    return _Canvas()


def paint_plot(painter: QPainter, plot: Plot, layout: PlotLayout, look: Look) -> None:
    """Paint a plot."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _canvas().draw(painter, plot, layout, look)
    painter.restore()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_titles(painter, plot, layout, look)
    for points in plot.of(Points):
        _paint_points(painter, points, layout, look)
    for bracket in plot.of(Bracket):
        _paint_bracket(painter, bracket, layout, look)
    if plot.has_legend:
        _paint_legend(painter, plot, layout, look)
    paint_fixed(painter, plot, layout, look)
    paint_handles(painter, plot, layout, look)


def paint_handles(painter: QPainter, plot: Plot, layout: PlotLayout, look: Look) -> None:
    """Paint what moves: handles, what they read off, and the words that leave them room."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for handle in plot.of(Handle):
        _paint_handle(painter, handle, layout, look)
    for read in plot.of(ReadOut):
        _paint_read_out(painter, read, layout, look)
    paint_labels(painter, plot, layout, look)
    painter.setBrush(Qt.BrushStyle.NoBrush)


# ---- What pyqtgraph draws ----


def _items(plot: Plot, layout: PlotLayout, look: Look) -> list[Any]:
    wide, high = layout.plot.width(), layout.plot.height()
    items = [*_grid(plot.across, wide, high, look, turned=True), *_grid(plot.up, high, wide, look, turned=False)]
    for mark in plot.marks:
        if isinstance(mark, Band):
            ends = [min(max(share, 0.0), 1.0) * wide for share in map(plot.across.share, (mark.low, mark.high))]
            items.append(_bars([ends[0]], [ends[1]], [0.0], [high], mark.ink, mark.opacity, look))
        elif isinstance(mark, Bars):
            lows, highs = (np.clip(plot.across.shares(np.asarray(e)), 0, 1) * wide for e in (mark.lows, mark.highs))
            tops = np.clip(plot.up.shares(np.asarray(mark.tops)), 0, 1) * high
            foot = min(max(plot.up.share(max(0.0, plot.up.low)), 0.0), 1.0) * high
            items.append(_bars(lows, highs, np.full(len(tops), foot), tops, mark.ink, mark.opacity, look))
        elif isinstance(mark, Curve):
            items += _curve(mark, plot, wide, high, look)
        elif isinstance(mark, Between):
            items.append(_between(mark, plot, wide, high, look))
        elif isinstance(mark, Corner):
            along = plot.across.shares(np.array([mark.x, mark.to_x, mark.to_x])) * wide
            up = plot.up.shares(np.array([mark.y, mark.y, mark.to_y])) * high
            items.append(_polyline(*cut(along, up, wide, high), _pen(mark.ink, 1.6, (0.0, 0.0), look)))
        elif isinstance(mark, Line) and is_seen(mark, layout):
            at = plot.up.share(mark.at) * high if mark.level else plot.across.share(mark.at) * wide
            x, y = ((0.0, wide), (at, at)) if mark.level else ((at, at), (0.0, high))
            items.append(_polyline(np.asarray(x), np.asarray(y), _pen(mark.ink, 1.0, mark.dash, look)))
    return items


def _grid(axis: Axis, along: float, across: float, look: Look, *, turned: bool) -> list[Any]:
    if not axis.grid:
        return []
    ticks = axis.written(_ticks_across(axis, along, look) if turned else ticks_along(along, look))
    at = np.repeat([axis.share(number) * along for number, _ in ticks], 2)
    ends = np.tile([0.0, across], len(ticks))
    x, y = (at, ends) if turned else (ends, at)
    return [_Curve(x, y, pen=QPen(pen(look.theme.grid, 1)), connect="pairs")]


def _ticks_across(axis: Axis, along: float, look: Look) -> int:
    """Return how many ticks have room beside one another: of words as many as are whole, of numbers round ones."""
    if not axis.ticks:
        return ticks_along(along, look, 76)
    widest = max(text_size(look.font(TICKS), text)[0] for _, text in axis.ticks) + look.px(6)
    each = along * abs(axis.share(axis.ticks[-1][0]) - axis.share(axis.ticks[0][0])) / max(len(axis.ticks) - 1, 1)
    return len(axis.ticks) if each >= widest else max(int(len(axis.ticks) * each / widest), 1)


def _curve(curve: Curve, plot: Plot, wide: float, high: float, look: Look) -> list[Any]:  # pyqtgraph has no types
    x, y = plot.across.shares(curve.x) * wide, plot.up.shares(curve.y) * high
    y = np.where(np.isfinite(y), np.clip(y, -FAR * high, FAR * high), np.nan)
    if curve.is_stepped:
        x, y = np.repeat(x, 2)[1:-1], np.repeat(y, 2)
        x, y = np.concatenate([x[:1], x, x[-1:]]), np.concatenate([[0.0], y, [0.0]])
    elif curve.is_rough:
        return [_ribbon(x, y, curve, high, look)]
    line = _polyline(
        *cut(x, y, wide, high), _pen(curve.ink, curve.width, curve.dash, look), is_smooth=not curve.is_stepped
    )
    if not curve.fill:
        return [line]
    area = _polyline(np.clip(x, 0.0, wide), np.clip(y, 0.0, high), NO_PEN, is_smooth=False)
    area.setFillLevel(0.0)
    area.setBrush(colour_of(getattr(look.theme, curve.ink), curve.fill))
    return [area, line]


def _ribbon(x: FloatArray, y: FloatArray, curve: Curve, high: float, look: Look) -> Any:  # noqa: ANN401 # no types
    """Return a rough line: of each column of pixels all that it crosses. To stroke 1 200 points takes 6 ms."""
    columns = np.floor(x)
    starts = np.flatnonzero(np.diff(columns, prepend=-np.inf))
    lows, highs = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    following = y[starts[1:]]  # so that neighbours meet
    lows[:-1], highs[:-1] = np.minimum(lows[:-1], following), np.maximum(highs[:-1], following)
    half, left = curve.width * look.zoom / 2, columns[starts]
    lows, highs = np.clip(lows - half, 0.0, high), np.clip(highs + half, 0.0, high)
    if any(curve.dash):
        on, off = (length * look.zoom for length in curve.dash)
        seen = left % (on + off) < on
        return _bars(left[seen], left[seen] + 1, lows[seen], highs[seen], curve.ink, 1.0, look)
    around = np.concatenate([left, left[::-1]]) + 0.5, np.concatenate([highs, lows[::-1]])
    return _Curve(
        *around, pen=NO_PEN, brush=colour_of(getattr(look.theme, curve.ink)), fillLevel="enclosed", antialias=True
    )


def _between(mark: Between, plot: Plot, wide: float, high: float, look: Look) -> Any:  # noqa: ANN401 # has no types
    own = plot.across.shares(mark.x) * wide
    x = np.unique(np.clip(np.concatenate([own, [0.0, wide]]), max(own[0], 0.0), min(own[-1], wide)))
    ends = (np.clip(plot.up.shares(numbers), -FAR, FAR) * high for numbers in (mark.lows, mark.highs))
    lows, highs = (np.clip(np.interp(x, own, end), 0.0, high) for end in ends)
    brush = colour_of(getattr(look.theme, mark.ink), mark.opacity)
    around = np.concatenate([x, x[::-1]]), np.concatenate([highs, lows[::-1]])
    return _Curve(*around, pen=NO_PEN, brush=brush, fillLevel="enclosed", antialias=True)


def _polyline(x: FloatArray, y: FloatArray, stroke: QPen, *, is_smooth: bool = True) -> Any:  # noqa: ANN401 # no types
    return _Curve(x, y, pen=stroke, antialias=is_smooth, connect="finite")


def _bars(lows: Any, highs: Any, feet: Any, tops: Any, ink: str, opacity: float, look: Look) -> Any:  # noqa: ANN401
    brush = colour_of(getattr(look.theme, ink), opacity)
    return _Rectangles(x0=lows, x1=highs, y0=feet, y1=tops, pen=NO_PEN, brush=brush)


def _pen(ink: str, width: float, dash: tuple[float, float], look: Look) -> QPen:
    colour, zoom = getattr(look.theme, ink), look.zoom
    # A copy: pyqtgraph alters the pens that it is given.
    return QPen(
        dashes(colour, width * zoom, dash[0] * zoom, dash[1] * zoom) if any(dash) else pen(colour, width * zoom)
    )


# ---- What is painted over it ----


def _paint_points(painter: QPainter, points: Points, layout: PlotLayout, look: Look) -> None:
    stroke, area = pen(getattr(look.theme, points.ink), 1.1 * look.zoom), layout.plot
    if points.is_joined:
        for before, after in itertools.pairwise(_line_of(points, layout)):
            if not math.isnan(before.x() + after.x()):
                draw_line(painter, before, after, stroke)
    places = [layout.place(x, y) for x, y in zip(points.x, points.y, strict=True)]
    for place, low, high in zip(places, points.lows, points.highs, strict=False):
        if area.left() - 1 <= place.x() <= area.right() + 1:
            bottom, top = (layout.nearest(layout.across.low, end).y() for end in (low, high))
            draw_line(painter, QPointF(place.x(), bottom), QPointF(place.x(), top), stroke)
    for place in places:
        if area.adjusted(-1, -1, 1, 1).contains(place):
            _paint_point(painter, place, points, look)


def _line_of(points: Points, layout: PlotLayout) -> list[QPointF]:
    """Return the places of joined points with those where their line leaves the plot; NaN where it is beyond it."""
    area = layout.plot
    x = layout.across.shares(np.asarray(points.x, float)) * area.width()
    y = np.clip(layout.up.shares(np.asarray(points.y, float)), -FAR, FAR) * area.height()
    pairs = zip(*(found.tolist() for found in cut(x, y, area.width(), area.height())), strict=True)
    return [QPointF(area.left() + right, area.bottom() - above) for right, above in pairs]


def _paint_point(painter: QPainter, place: QPointF, points: Points, look: Look) -> None:
    half, colour = points.size * look.zoom, getattr(look.theme, points.ink)
    painter.setPen(pen(colour, 1.4 * look.zoom))
    painter.setBrush(colour_of(colour if points.is_filled else look.theme.card))
    box = QRectF(place.x() - half, place.y() - half, 2 * half, 2 * half)
    painter.drawRect(box) if points.is_square else painter.drawEllipse(box)


def _paint_bracket(painter: QPainter, bracket: Bracket, layout: PlotLayout, look: Look) -> None:
    stroke, half, plot = pen(getattr(look.theme, bracket.ink), bracket.width * look.zoom), look.px(7), layout.plot
    ends = [layout.place(end, bracket.y) for end in (bracket.low, bracket.high)]
    held = [QPointF(min(max(end.x(), plot.left()), plot.right()), end.y()) for end in ends]
    draw_line(painter, held[0], held[1], stroke)
    for end, inside in zip(ends, held, strict=True):
        if end == inside:  # where it goes on beyond the plot it has no end
            draw_line(painter, QPointF(end.x(), end.y() - half), QPointF(end.x(), end.y() + half), stroke)


def _paint_handle(painter: QPainter, handle: Handle, layout: PlotLayout, look: Look) -> None:
    colour = getattr(look.theme, handle.ink)
    at = layout.nearest(handle.x, layout.up.low if handle.y is None else handle.y)
    if handle.y is None:
        draw_line(painter, QPointF(at.x(), layout.plot.top()), at, pen(colour, 1.4 * look.zoom))
        if look.still:
            return
        at = QPointF(at.x(), layout.plot.bottom())
    if not look.still:  # where nothing can be dragged there is nothing to take hold of
        draw_circle(painter, at, 5.5 * look.zoom, pen(colour, 2.2 * look.zoom), colour_of(look.theme.card))


def _paint_read_out(painter: QPainter, read: ReadOut, layout: PlotLayout, look: Look) -> None:
    at, high = layout.nearest(layout.across.high, read.y), look.px(TICKS + 6)
    room = QRectF(at.x() + look.px(5), at.y() - high / 2, layout.box.right() - at.x() - look.px(5), high)
    painter.setFont(look.font(TICKS))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, read.text)


def _paint_legend(painter: QPainter, plot: Plot, layout: PlotLayout, look: Look) -> None:
    sample, marks = look.px(SAMPLE), plot.named
    room = QRectF(layout.box.left(), layout.box.top(), layout.box.width(), 0)
    boxes = entry_boxes([mark.name for mark in marks], sample, room, look.px(LEGEND_LINE), look, size=WORDS)
    for mark, box in zip(marks, boxes, strict=True):
        middle = box.center().y()
        if isinstance(mark, Points):
            _paint_point(painter, QPointF(box.left() + sample / 2, middle), mark, look)
        elif isinstance(mark, Bars):
            colour = colour_of(getattr(look.theme, mark.ink), mark.opacity)
            painter.fillRect(QRectF(box.left(), middle - look.px(5), sample, look.px(10)), colour)
        else:
            stroke = _pen(mark.ink, mark.width, mark.dash, look)
            draw_line(painter, QPointF(box.left(), middle), QPointF(box.left() + sample, middle), stroke)
        painter.setFont(look.font(WORDS))
        painter.setPen(colour_of(look.theme.text))
        painter.drawText(entry_words(box, sample, look), Qt.AlignmentFlag.AlignVCenter, mark.name)


def cut(x: FloatArray, y: FloatArray, wide: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return a line without what of it lies beyond a box from (0, 0) to (wide, high), NaN where it is interrupted.

    A file has all of what is drawn: where a screen cuts off, it does not.
    """
    if (((x >= 0) & (x <= wide) & (y >= 0) & (y <= high)) | np.isnan(y)).all():
        return x, y
    dx, dy, enter, leave = np.diff(x), np.diff(y), np.zeros(len(x) - 1), np.ones(len(x) - 1)
    kept = np.isfinite(dy)
    for way, room in ((-dx, x[:-1]), (dx, wide - x[:-1]), (-dy, y[:-1]), (dy, high - y[:-1])):
        with np.errstate(divide="ignore", invalid="ignore"):
            share = room / way
        enter = np.where(way < 0, np.maximum(enter, share), enter)
        leave = np.where(way > 0, np.minimum(leave, share), leave)
        kept &= (way != 0) | (room >= 0)
    kept &= enter <= leave
    goes_on = np.concatenate([[False], kept[:-1] & kept[1:] & (leave[:-1] == 1.0) & (enter[1:] == 0.0)])
    mask = np.stack([~goes_on, ~goes_on, np.full(len(kept), True)], axis=1) & kept[:, None]
    found = (
        np.stack([np.full(len(kept), np.nan), start[:-1] + enter * step, start[:-1] + leave * step], axis=1)[mask]
        for start, step in ((x, dx), (y, dy))
    )
    return next(found), next(found)
