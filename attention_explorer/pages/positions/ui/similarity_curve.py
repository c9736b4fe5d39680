"""The curve of similarity against the offset: where it rises, and the numbers of a few offsets."""

from __future__ import annotations

import itertools

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import plain
from attention_explorer.kit.drawing.curve_chart import (
    Axis,
    ChartLayout,
    chart_layout,
    paint_axes,
    paint_curve,
    paint_dot,
    widened,
)
from attention_explorer.kit.drawing.label_places import draw_leader, free_spot
from attention_explorer.kit.drawing.marks import draw_haloed_text, pen, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.model import tile_bounds
from attention_explorer.pages.positions.similarity import SimilarityPicture
from attention_explorer.pages.positions.state import PositionKind

RISES_FROM = 6.0
"""Pixels from one rise to the next on average: closer ones cannot be told apart and are not marked."""


def similarity_chart(picture: SimilarityPicture, look: Look, box: QRectF) -> ChartLayout:
    """Fit the curve into a box."""
    curve = picture.curve if picture.curve is not None else np.zeros(1)
    low, high = widened(float(curve.min()), float(curve.max()))
    last = float(picture.state.length - 1)
    return chart_layout(look, box, Axis(0.0, last, "offset k = distance of two positions", True), Axis(low, high))


def paint_similarity_chart(painter: QPainter, picture: SimilarityPicture, chart: ChartLayout, look: Look) -> None:
    """Paint the curve with its axes and what is to be seen in it."""
    if picture.curve is None:
        return
    theme, step = look.theme, picture.offset_step
    title = picture.curve_title
    runs = rising_runs(picture)
    are_marked = len(runs) * look.px(RISES_FROM) <= chart.plot.width()
    if runs:
        turns = "falls" if picture.is_distance else "rises"
        title += f" (thick: {turns})" if are_marked else f" (it {turns} {len(runs)} times)"
    paint_axes(painter, chart, look, title)
    paint_curve(painter, chart, 0.0, picture.curve, pen(theme.text, 1.3 * look.zoom), step)
    if are_marked:
        _paint_rises(painter, picture, runs, chart, look)
    _paint_notable(painter, picture, chart, look)


def rising_runs(picture: SimilarityPicture) -> list[tuple[int, int]]:
    """Return the offsets between which the curve rises, or a distance falls, without a break."""
    if not picture.rises:
        return []
    ends = np.asarray(picture.rises)
    runs = np.split(ends, np.flatnonzero(np.diff(ends) > 1) + 1)
    return [(int(run[0]) - 1, int(run[-1])) for run in runs]


def _paint_rises(
    painter: QPainter, picture: SimilarityPicture, runs: list[tuple[int, int]], chart: ChartLayout, look: Look
) -> None:
    """Go over the curve with a thick pen wherever it is above the offset before."""
    if picture.curve is None:
        return
    stroke = pen(look.theme.text, 3.6 * look.zoom)
    for first, last in runs:
        paint_curve(painter, chart, float(first), picture.curve[first : last + 1], stroke)


def _paint_notable(painter: QPainter, picture: SimilarityPicture, chart: ChartLayout, look: Look) -> None:
    """Write the numbers of some offsets beside the curve, the first negative one among them."""
    theme, font = look.theme, look.font(11.5)
    shown = [*picture.notable]
    if picture.first_negative is not None and picture.state.kind is PositionKind.SINUSOIDAL:
        shown.append(picture.first_negative)
    labels: list[QRectF] = []
    curve = _covered(picture, chart)
    for offset in shown:
        value = picture.value_at(offset)
        if value is None:
            continue
        at = QPointF(chart.x(offset), chart.y(value))
        text = f"{plain(value, 3)} at {offset}" + (" (first below 0)" if offset == picture.first_negative else "")
        size = text_size(font, text)
        reach = size[0] + look.px(60)
        near = [box for box in curve if abs(box.left() - at.x()) < reach]
        spots = (free_spot(at, size, (look.px(gap),), [*labels, *near], chart.plot) for gap in (12, 26, 40))
        spots = (spot.translated(max(chart.plot.left() + 3 - spot.left(), 0.0), 0.0) for spot in spots)
        box = next((spot for spot in spots if _is_readable(spot, labels, near)), None)
        if box is None:
            continue
        labels.append(box)
        paint_dot(painter, at, theme.text, 3.2 * look.zoom)
        draw_leader(painter, at, box, look)
        draw_haloed_text(painter, box, text, font, theme.text, theme.card)


def _is_readable(box: QRectF, labels: list[QRectF], curve: list[QRectF]) -> bool:
    """Whether a label touches no other, and hardly the curve: a crowd of numbers on a ragged line is none."""
    over = sum(shared.width() * shared.height() for shared in (box.intersected(other) for other in curve))
    return over < 0.1 * box.width() * box.height() and not any(box.intersects(other) for other in labels)


def _covered(picture: SimilarityPicture, chart: ChartLayout) -> list[QRectF]:
    """Return boxes over the curve, one every few pixels, for labels to keep clear of."""
    if picture.curve is None:
        return []
    bounds = tile_bounds(len(picture.curve), max(int(chart.plot.width() / 6), 1)).tolist()
    boxes = []
    for start, end in itertools.pairwise(bounds):
        seen = picture.curve[start : end + 1]
        left, right = (chart.x(index * picture.offset_step) for index in (start, end))
        top, bottom = chart.y(float(seen.max())), chart.y(float(seen.min()))
        boxes.append(QRectF(left, top - 2, right - left + 1, bottom - top + 4))
    return boxes
