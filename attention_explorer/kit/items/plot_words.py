"""The words of a plot: titles of its axes, what its lines are, and labels, each where it covers least."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.kit.drawing.marks import (
    NO_LINES,
    boxes_along,
    colour_of,
    draw_haloed_text,
    draw_leader,
    free_spot,
    text_size,
)
from attention_explorer.kit.items.plot_marks import TICKS, WORDS, Corner, Curve, Handle, Label, Line, Points
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


def paint_fixed(painter: QPainter, plot: Plot, layout: PlotLayout, look: Look) -> None:
    """Write the labels that have a place of their own."""
    for label, box in _fixed(plot, layout, look):
        _write(painter, label, box, look, label.anchor[0])


def paint_labels(painter: QPainter, plot: Plot, layout: PlotLayout, look: Look) -> None:
    """Write what lines and handles are, and all other labels, each where it covers least."""
    uprights = [Line(handle.x, text=handle.text, ink=handle.ink) for handle in plot.of(Handle)]
    lines = [line for line in (*plot.of(Line), *uprights) if line.text and is_seen(line, layout)]
    free = [label for label in plot.of(Label) if not label.fixed]
    if not lines and not free:
        return
    taken = [box for _, box in _fixed(plot, layout, look)]
    rings = [layout.place(handle.x, handle.y) for handle in plot.of(Handle) if handle.y is not None]
    taken += [QRectF(at.x() - look.px(7), at.y() - look.px(7), look.px(14), look.px(14)) for at in rings]
    for line in lines:
        taken.append(_paint_line_text(painter, line, layout, look, taken))
    lines_taken = _covered(plot, layout, look) if free else NO_LINES
    for label in free:
        at = layout.nearest(label.x, label.y)
        gaps = [look.px(gap) for gap in LABEL_GAPS]
        box = free_spot(at, _size(label, look), gaps, taken, layout.plot, lines_taken)
        draw_leader(painter, at, box, look)
        _write(painter, label, box, look, 0.0)
        taken.append(box)


def _fixed(plot: Plot, layout: PlotLayout, look: Look) -> list[tuple[Label, QRectF]]:
    """Return labels at their places, held within the width of the plot; one that would cover another is left out."""
    found = list[tuple[Label, QRectF]]()
    for label in plot.of(Label):
        if not label.fixed:
            continue
        (width, height), (across, down) = _size(label, look), label.anchor
        at, gap = layout.place(label.x, label.y), look.px(label.gap)
        left = at.x() - across * width + (1 - 2 * across) * gap
        left = max(min(left, layout.plot.right() - width), layout.plot.left())
        box = QRectF(left, at.y() - down * height + (1 - 2 * down) * gap, width, height)
        if not any(box.intersects(other) for _, other in found):
            found.append((label, box))
    return found


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
    painter.setFont(font)
    painter.setPen(colour_of(getattr(theme, line.ink)))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, line.text)
    return box


def _covered(plot: Plot, layout: PlotLayout, look: Look) -> FloatArray:
    """Return boxes over curves, points and handles, for labels to keep clear of, as `boxes_along` says."""
    half, area = look.px(3), layout.plot
    lines = [_along(curve.x, curve.y, plot, layout, half) for curve in plot.of(Curve) if not curve.is_stepped]
    lines += [_along(points.x, points.y, plot, layout, half) for points in plot.of(Points) if points.is_joined]
    corners = ((mark, [mark.x, mark.to_x, mark.to_x]) for mark in plot.of(Corner))
    lines += [_places(across, [mark.y, mark.y, mark.to_y], plot, layout) for mark, across in corners]
    found = [boxes_along(line, half) for line in lines]
    for points in plot.of(Points):
        places = _places(points.x, points.y, plot, layout)
        found.append(np.concatenate([places - 2 * half, places + 2 * half], axis=1))
    for line in plot.of(Line):
        at = area.topLeft() if line.level else layout.place(line.at, layout.up.high)
        high = layout.place(layout.across.low, line.at).y() if line.level else at.y()
        wide, deep = (area.width(), 0.0) if line.level else (0.0, area.height())
        found.append(np.array([[at.x() - 1, high - 1, at.x() + wide + 1, high + deep + 1]]))
    for handle in plot.of(Handle):
        at = layout.place(handle.x, layout.up.low if handle.y is None else handle.y)
        top = area.top() if handle.y is None else at.y()
        found.append(np.array([[at.x() - half, top, at.x() + half, area.bottom()]]))
    return np.concatenate([NO_LINES, *found])


def _places(
    x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray, plot: Plot, layout: PlotLayout
) -> FloatArray:
    """Return where pairs of numbers are, (n, 2) pixels."""
    area = layout.plot
    across = area.left() + plot.across.shares(np.asarray(x, float)) * area.width()
    return np.stack([across, area.bottom() - plot.up.shares(np.asarray(y, float)) * area.height()], axis=1)


def _along(
    x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray, plot: Plot, layout: PlotLayout, half: float
) -> FloatArray:
    """Return places along a line, not far from each other and no more than that takes: the fewer boxes, the quicker."""
    places, area = _places(x, y, plot, layout), layout.plot
    across, down = places[np.isfinite(places[:, 1])].T
    if len(across) < 2:
        return np.empty((0, 2))
    down = np.clip(down, area.top() - area.height(), area.bottom() + area.height())
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(across), np.diff(down)))])
    at = np.linspace(0.0, lengths[-1], max(math.ceil(lengths[-1] / (4 * half)), 1) + 1)
    return np.stack([np.interp(at, lengths, across), np.interp(at, lengths, down)], axis=1)


def is_seen(line: Line, layout: PlotLayout) -> bool:
    """Whether a straight line goes through the plot."""
    share = (layout.up if line.level else layout.across).share(line.at)
    return -1e-9 <= share <= 1.0 + 1e-9
