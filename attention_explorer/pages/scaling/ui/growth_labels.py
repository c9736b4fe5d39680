"""The numbers written at a d_k into a chart of the Scaling page, each beside its dot and clear of the curves."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.kit.drawing.curve_chart import ChartLayout
from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.scaling.growth import GrowthPicture
from attention_explorer.pages.scaling.wording import measured

FONT = 11.5
FAR_WORSE = 10
"""How many times worse it is to cover a number than to cover a curve."""
GAPS = (5, 12, 22, 36)
"""Pixels at zoom 1 between a dot and its number, the nearest first."""
SIDES = ((1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1))
"""Where a number can stand as seen from its dot, the best place first: (right, down)."""
REACH = 130
"""Pixels at zoom 1 that the far end of a label can be from its dot."""
BELOW = 6.0
"""How many pixels below the plot a curve ends that leaves it."""
PIECES = 4
"""Parts that a curve is cut into between two points, so that boxes around them hug it."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Label:
    """A number and where it stands."""

    text: str
    box: QRectF
    dot: QPointF | None
    """What it is the number of; None if that is below the axis."""


def curve_points(chart: ChartLayout, d_ks: FloatArray, values: FloatArray) -> list[QPointF]:
    """Return a curve in pixels, up to where it first leaves the plot through its foot."""
    foot = chart.plot.bottom()
    points: list[QPointF] = []
    for x, y in zip(d_ks.tolist(), values.tolist(), strict=True):
        point = QPointF(chart.x(x), chart.y(y))
        if point.y() <= foot + 1:
            points.append(point)
            continue
        if points:  # numbers of 1e-300 would make dashes of a kilometre
            before = points[-1]
            share = (foot + BELOW - before.y()) / (point.y() - before.y())
            points.append(before + (point - before) * min(share, 1.0))
        break
    return points


def growth_labels(
    picture: GrowthPicture, chart: ChartLayout, look: Look, quantity: str, d_k: int, others: tuple[Label, ...] = ()
) -> tuple[Label, ...]:
    """Return the numbers at a d_k that was measured, one if both are the same; ``others`` are to be kept clear of."""
    point = picture.point_at(d_k)
    if point is None:
        return ()
    x, plot, font = chart.x(d_k), chart.plot, look.font(FONT, bold=True)
    taken = [*_covered(picture, chart, look, quantity, x), (x - 1, plot.top(), x + 1, plot.bottom())]
    taken += [_box(label.box) for label in others] * FAR_WORSE
    found = [(chart.y(getattr(point.of(scaled), quantity).value), scaled) for scaled in (False, True)]
    # The one with less room to choose from is placed first.
    found.sort(key=lambda place: min(abs(place[0] - plot.top()), abs(place[0] - plot.bottom())))
    labels: list[Label] = []
    for y, scaled in found:
        if labels and measured(getattr(point.of(scaled), quantity)) == labels[0].text:
            break  # one number for both
        text, dot = measured(getattr(point.of(scaled), quantity)), QPointF(x, y)
        is_below = y > plot.bottom() + 1
        if is_below:
            text, dot = f"↓ {text}", QPointF(x, plot.bottom())
        box = _place(dot, text_size(font, text), taken, plot, look)
        taken += [_box(box)] * FAR_WORSE
        labels.append(Label(text, box, None if is_below else dot))
    return tuple(labels)


def _place(at: QPointF, size: tuple[float, float], taken: list[Box], plot: QRectF, look: Look) -> QRectF:
    """Return where a label covers least, as near to its dot as that allows, and within the plot."""
    (width, height), (first, top, last, foot) = size, _box(plot)
    far, least, best = look.px(GAPS[-1]), math.inf, (first, top)
    zone = (at.x() - far - width, at.y() - far - height, at.x() + far + width, at.y() + far + height)
    near = [other for other in taken if _overlap(zone, other) > 0.0]
    for gap, (right, down) in itertools.product(GAPS, SIDES):
        aside, below = look.px(gap) + width / 2, look.px(gap) + height / 2
        left = max(min(at.x() + right * aside - width / 2, last - width), first)
        upper = max(min(at.y() + down * below - height / 2, foot - height), top)
        covered = sum(_overlap((left, upper, left + width, upper + height), other) for other in near)
        if covered < least:
            best, least = (left, upper), covered
        if least == 0:
            break
    return QRectF(*best, width, height)


def _box(rectangle: QRectF) -> Box:
    return rectangle.left(), rectangle.top(), rectangle.right(), rectangle.bottom()


def _overlap(box: Box, other: Box) -> float:
    """Return the area that two boxes share. Plain numbers: there are thousands of pairs in every picture."""
    wide, high = min(box[2], other[2]) - max(box[0], other[0]), min(box[3], other[3]) - max(box[1], other[1])
    return wide * high if wide > 0.0 and high > 0.0 else 0.0


def _covered(picture: GrowthPicture, chart: ChartLayout, look: Look, quantity: str, x: float) -> list[Box]:
    """Return boxes over what is drawn of both curves as far from x as a label can reach."""
    half, boxes, reach = look.px(2), list[Box](), look.px(REACH)
    for scaled in (False, True):
        for before, after in itertools.pairwise(curve_points(chart, picture.d_ks, picture.values(quantity, scaled))):
            if after.x() < x - reach or before.x() > x + reach:
                continue
            step_x, step_y = (after.x() - before.x()) / PIECES, (after.y() - before.y()) / PIECES
            for piece in range(PIECES):
                left, y = before.x() + piece * step_x, before.y() + piece * step_y
                upper, lower = min(y, y + step_y), max(y, y + step_y)
                boxes.append((left - half, upper - half, left + step_x + half, lower + half))
    return boxes
