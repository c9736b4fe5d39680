"""Where labels stand in a picture: beside what they name and clear of the rest, with a line to it from farther away."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.marks import draw_line, pen
from attention_explorer.kit.theme import Look

ANGLES = (45, -45, 135, -135, 0, 180, 90, -90)
"""Degrees at which a label can stand as seen from its mark, the best place first."""
TOUCHING = 9.0
"""Pixels at zoom 1 between mark and label, up to which it is plain that they belong together."""
MARK = 5.0
"""Pixels at zoom 1 around the middle of a mark that are its own."""


def free_spot(
    centre: QPointF, size: tuple[float, float], gaps: Sequence[float], taken: Sequence[QRectF], inside: QRectF
) -> QRectF:
    """Return the box for a label around ``centre`` that covers the least of what is ``taken`` and stays ``inside``.

    ``gaps`` are distances in pixels, tried one after the other.
    """
    width, height = size
    best, least = QRectF(), math.inf
    reach = QRectF(0, 0, 2 * (width + max(gaps)), 2 * (height + max(gaps)))
    reach.moveCenter(centre)
    taken = [box for box in taken if box.intersects(reach)]
    for gap, angle in itertools.product(gaps, ANGLES):
        dx, dy = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
        box = QRectF(0, 0, width, height)
        box.moveCenter(QPointF(centre.x() + dx * (gap + width / 2), centre.y() + dy * (gap + height / 2)))
        outside = width * height - _area(box.intersected(inside))
        if outside < least:
            covered = outside + sum(_area(box.intersected(other)) for other in taken if box.intersects(other))
            if covered < least:
                best, least = box, covered
        if least == 0:
            break
    return best


def _area(box: QRectF) -> float:
    return box.width() * box.height() if box.isValid() else 0.0


def boxes_along(points: Sequence[QPointF], half: float) -> list[QRectF]:
    """Return boxes over a line, ``half`` pixels larger than each of its pieces on all sides."""
    return [
        QRectF(before, after).normalized().adjusted(-half, -half, half, half)
        for before, after in itertools.pairwise(points)
    ]


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
