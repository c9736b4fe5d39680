"""Where labels stand in a picture: beside what they name and clear of the rest, with a line to it from farther away."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.kit.drawing.marks import draw_line, pen
from attention_explorer.kit.theme import Look

ANGLES = (45, -45, 135, -135, 0, 180, 90, -90)
"""Degrees at which a label can stand as seen from its mark, the best place first."""
LEVEL_FIRST = (0, 180, 90, -90, 45, 135, -45, -135, 60, 120, -60, -120)
"""Those for names that had rather stand right or left of their mark, and that may have little room."""
NO_LINES: FloatArray = np.empty((0, 4))
TOUCHING = 9.0
"""Pixels at zoom 1 between mark and label, up to which it is plain that they belong together."""
MARK = 5.0
"""Pixels at zoom 1 around the middle of a mark that are its own."""


def free_spot(
    centre: QPointF,
    size: tuple[float, float],
    gaps: Sequence[float],
    taken: Sequence[QRectF],
    inside: QRectF,
    lines: FloatArray = NO_LINES,
    angles: Sequence[int] = ANGLES,
) -> QRectF:
    """Return the box for a label around ``centre`` that covers the least of what is taken and stays ``inside``.

    ``gaps`` are distances in pixels, the nearest first, and ``angles`` those of the places, the best first. What is
    taken are boxes, and ``lines`` as `boxes_along` says.
    """
    (width, height), half, turns = size, np.divide(size, 2), np.radians(angles)
    directions = np.stack([np.cos(turns), -np.sin(turns)], axis=1)
    away = np.repeat(np.asarray(gaps, float), len(angles))[:, None]
    middles = np.array([centre.x(), centre.y()]) + np.tile(directions, (len(gaps), 1)) * (away + half)
    low, high = middles - half, middles + half  # (places, 2)
    boxes = np.concatenate([np.reshape([_corners(box) for box in (inside, *taken)], (-1, 4)), lines])
    sides = np.minimum(high[:, None], boxes[:, 2:]) - np.maximum(low[:, None], boxes[:, :2])  # (places, boxes, 2)
    areas = np.maximum(sides, 0.0).prod(axis=-1)
    covered = width * height - areas[:, 0] + areas[:, 1:].sum(axis=1)
    left, top = low[int(covered.round(6).argmin())].tolist()  # sums of the same areas differ in their last digits
    return QRectF(left, top, width, height)


def _corners(box: QRectF) -> tuple[float, float, float, float]:
    return box.left(), box.top(), box.right(), box.bottom()


def boxes_along(places: FloatArray, half: float) -> FloatArray:
    """Return left, top, right and bottom of boxes over a line through places (n, 2), a box a piece, (n − 1, 4).

    They are ``half`` pixels larger than the pieces on all sides.
    """
    before, after = places[:-1], places[1:]
    return np.concatenate([np.minimum(before, after) - half, np.maximum(before, after) + half], axis=1)


def draw_leader(painter: QPainter, mark: QPointF, box: QRectF, look: Look) -> None:
    """Draw a thin line from a mark to its label, where it stands so far away that it could be another's."""
    # The line of a label is higher than its letters.
    letters = box.adjusted(-1, 0.2 * box.height(), 1, -0.2 * box.height())
    end = QPointF(
        min(max(mark.x(), letters.left()), letters.right()), min(max(mark.y(), letters.top()), letters.bottom())
    )
    length = math.hypot(end.x() - mark.x(), end.y() - mark.y())
    if length <= TOUCHING * look.zoom:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    start = mark + (end - mark) * (MARK * look.zoom / length)
    draw_line(painter, start, end, pen(look.theme.muted, look.zoom))
