"""The words of a plot: titles of its axes, what its lines are, and labels, each where it covers least."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.kit.drawing.label_places import boxes_along, draw_leader, free_spot
from attention_explorer.kit.drawing.marks import colour_of, draw_haloed_text, text_size
from attention_explorer.kit.items.axis import TICKS
from attention_explorer.kit.items.plot_marks import WORDS, Corner, Curve, Handle, Label, Line, Points
from attention_explorer.kit.theme import Look

if TYPE_CHECKING:
    from attention_explorer.kit.items.plot import Plot, PlotLayout

LABEL_GAPS = (6, 16, 30, 54)
"""Pixels at zoom 1 between a mark and its label, the nearest first."""


def paint_titles(painter: QPainter, plot: Plot, layout: PlotLayout, look: Look) -> None:
    """Write what is on the axes: below, and turned at the sides."""
    if not look.axis_names:
        return
    box, line = layout.box, look.px(TICKS + 6)
    painter.setFont(look.font(TICKS))
    painter.setPen(colour_of(look.theme.muted))
    middle = QPointF(_within(layout.plot.center().x(), plot.across.title, box.left(), box.right(), look), box.bottom())
    _paint_title(painter, plot.across.title, middle - QPointF(0, line / 2), 0, box.width(), look)
    sides = [(plot.up, box.left() + line / 2)]
    if plot.right is not None:
        sides.append((plot.right, box.right() - line / 2))
    for axis, x in sides:
        y = _within(layout.plot.center().y(), axis.title, box.top(), box.bottom(), look)
        _paint_title(painter, axis.title, QPointF(x, y), -90, box.height(), look)


def _within(middle: float, text: str, low: float, high: float, look: Look) -> float:
    """Return the middle of a text that is as near as can be to another, and lies within two ends."""
    half = min(text_size(look.font(TICKS), text)[0], high - low) / 2
    return min(max(middle, low + half), high - half)


def _paint_title(painter: QPainter, text: str, middle: QPointF, angle: int, room: float, look: Look) -> None:
    if not text:
        return
    painter.save()
    painter.translate(middle)
    painter.rotate(angle)
    line = look.px(TICKS + 6)
    shown = QFontMetricsF(look.font(TICKS)).elidedText(text, Qt.TextElideMode.ElideRight, room)
    painter.drawText(QRectF(-room / 2, -line / 2, room, line), Qt.AlignmentFlag.AlignCenter, shown)
    painter.restore()


def paint_labels(painter: QPainter, plot: Plot, layout: PlotLayout, look: Look) -> None:
    """Write labels, each where it covers least."""
    taken = list[QRectF]()
    for label in plot.of(Label):
        if label.fixed:
            taken += _paint_fixed(painter, label, layout, look, taken)
    rings = [layout.place(handle.x, handle.y) for handle in plot.of(Handle) if handle.y is not None]
    taken += [QRectF(at.x() - look.px(7), at.y() - look.px(7), look.px(14), look.px(14)) for at in rings]
    uprights = [Line(handle.x, text=handle.text, ink=handle.ink) for handle in plot.of(Handle)]
    for line in (*plot.of(Line), *uprights):
        if line.text and is_seen(line, layout):
            taken.append(_paint_line_text(painter, line, layout, look, taken))
    taken += _covered(plot, layout, look)
    for label in plot.of(Label):
        if not label.fixed:
            at = layout.nearest(label.x, label.y)
            gaps = [look.px(gap) for gap in LABEL_GAPS]
            box = free_spot(at, _size(label, look), gaps, taken, layout.plot)
            draw_leader(painter, at, box, look)
            _write(painter, label, box, look, 0.0)
            taken.append(box)


def _paint_fixed(painter: QPainter, label: Label, layout: PlotLayout, look: Look, others: list[QRectF]) -> list[QRectF]:
    """Write a label at its place, held within the width of the plot, unless it would cover another; return where."""
    (width, height), (across, down) = _size(label, look), label.anchor
    at, gap, plot = layout.place(label.x, label.y), look.px(label.gap), layout.plot
    left = at.x() - across * width + (1 - 2 * across) * gap
    left = max(min(left, plot.right() - width), plot.left())
    box = QRectF(left, at.y() - down * height + (1 - 2 * down) * gap, width, height)
    if any(box.intersects(other) for other in others):
        return []
    _write(painter, label, box, look, across)
    return [box]


def _lines(label: Label, look: Look) -> list[tuple[str, QFont]]:
    """Return each line of a label with its font."""
    fonts = [look.font(label.size, bold=label.bold), look.font(label.size)]
    return [(text, fonts[min(number, 1)]) for number, text in enumerate(label.text.split("\n"))]


def _size(label: Label, look: Look) -> tuple[float, float]:
    sizes = [text_size(font, text) for text, font in _lines(label, look)]
    return max(width for width, _ in sizes), sum(height for _, height in sizes)


def _write(painter: QPainter, label: Label, box: QRectF, look: Look, across: float) -> None:
    """Write the lines of a label: at the left (``across`` 0), in the middle or at the right (1) of a box."""
    top = box.top()
    for text, font in _lines(label, look):
        width, height = text_size(font, text)
        place = QRectF(box.left() + across * (box.width() - width), top, width, height)
        if label.has_halo:
            draw_haloed_text(painter, place, text, font, getattr(look.theme, label.ink), look.theme.card)
        else:
            painter.fillRect(place, colour_of(look.theme.card, 0.7))
            painter.setFont(font)
            painter.setPen(colour_of(getattr(look.theme, label.ink)))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)
        top += height


def _paint_line_text(painter: QPainter, line: Line, layout: PlotLayout, look: Look, others: list[QRectF]) -> QRectF:
    """Write what a line is at its end, below what is written there already, and return where."""
    font, theme = look.font(WORDS), look.theme
    width, height = text_size(font, line.text)
    if line.level:
        at = layout.place(layout.across.high, line.at)
        box = QRectF(at.x() - width, at.y() - height - 2, width, height)
    else:
        at = layout.place(line.at, layout.up.high)
        left = at.x() + look.px(4)
        if left + width > layout.plot.right():
            left = max(at.x() - look.px(4) - width, layout.plot.left())
        box = QRectF(left, at.y(), width, height)
    while any(box.intersects(other) for other in others) and box.bottom() + height < layout.plot.bottom():
        box.translate(0, height)
    painter.fillRect(box, colour_of(theme.card, 0.85))  # it may lie on bars
    draw_haloed_text(painter, box, line.text, font, getattr(theme, line.ink), theme.card)
    return box


def _covered(plot: Plot, layout: PlotLayout, look: Look) -> list[QRectF]:
    """Return boxes over curves, points and handles, for labels to keep clear of."""
    half, boxes = look.px(3), []
    if not any(not label.fixed for label in plot.of(Label)):
        return []
    for curve in plot.of(Curve):
        if not curve.is_stepped:
            boxes += boxes_along(_along(curve.x, curve.y, plot, layout, half), half)
    for points in plot.of(Points):
        spots = [layout.place(x, y) for x, y in zip(points.x, points.y, strict=True)]
        boxes += [QRectF(at.x() - 2 * half, at.y() - 2 * half, 4 * half, 4 * half) for at in spots]
        if points.is_joined:
            boxes += boxes_along(_along(np.asarray(points.x), np.asarray(points.y), plot, layout, half), half)
    for line in plot.of(Line):
        at = layout.plot.topLeft() if line.level else layout.place(line.at, layout.up.high)
        high = layout.place(layout.across.low, line.at).y() if line.level else at.y()
        wide, deep = (layout.plot.width(), 0.0) if line.level else (0.0, layout.plot.height())
        boxes.append(QRectF(at.x() - 1, high - 1, wide + 2, deep + 2))
    for mark in plot.of(Corner):
        places = [layout.place(x, y) for x, y in ((mark.x, mark.y), (mark.to_x, mark.y), (mark.to_x, mark.to_y))]
        boxes += boxes_along(places, half)
    for handle in plot.of(Handle):
        at = layout.place(handle.x, layout.up.low if handle.y is None else handle.y)
        top = layout.plot.top() if handle.y is None else at.y()
        boxes.append(QRectF(at.x() - half, top, 2 * half, layout.plot.bottom() - top))
    return boxes


def _along(x: FloatArray, y: FloatArray, plot: Plot, layout: PlotLayout, half: float) -> list[QPointF]:
    """Return places along a line, not far from each other and no more than that takes: the fewer boxes, the quicker."""
    wide, high = layout.plot.width(), layout.plot.height()
    across, up = plot.across.shares(np.asarray(x)) * wide, plot.up.shares(np.asarray(y)) * high
    shown = np.isfinite(up)
    across, up = across[shown], np.clip(up[shown], -high, 2 * high)
    if len(across) < 2:
        return []
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(across), np.diff(up)))])
    at = np.linspace(0.0, lengths[-1], max(math.ceil(lengths[-1] / (4 * half)), 1) + 1)
    left, bottom = layout.plot.left(), layout.plot.bottom()
    pairs = zip(np.interp(at, lengths, across).tolist(), np.interp(at, lengths, up).tolist(), strict=True)
    return [QPointF(left + right, bottom - above) for right, above in pairs]


def is_seen(line: Line, layout: PlotLayout) -> bool:
    """Whether a straight line goes through the plot."""
    share = (layout.up if line.level else layout.across).share(line.at)
    return -1e-9 <= share <= 1.0 + 1e-9
