"""Arrays drawn feature by feature, as bars up and down from a line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen
from attention_explorer.kit.items.item import Hit, Item
from attention_explorer.kit.theme import Look

NAME, HIGH, LETTERS = 44.0, 28.0, 13.0
"""Pixels at zoom 1 of the name of some features, of their bars, and of the letters."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def paint_array(painter: QPainter, look: Look, array: FloatArray, scale: float, box: QRectF, ink: str) -> None:
    """Paint an array feature by feature, up from the middle and down."""
    middle, half = box.center().y(), 0.46 * box.height()
    draw_line(painter, QPointF(box.left(), middle), QPointF(box.right(), middle), pen(look.theme.border, 1))
    wide, colour = box.width() / len(array), colour_of(ink)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, wide < 3)
    for place, number in enumerate((array / scale if scale else array).tolist()):
        high = number * half
        bar = QRectF(box.left() + place * wide, middle - max(high, 0.0), max(0.82 * wide, 0.4), abs(high))
        painter.fillRect(bar, colour)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureBars(Item[QRectF]):
    """Arrays of the same features below one another, each on a scale of its own; a `Hit` says (which, feature).

    Attributes
    ----------
    rows : tuple of (str, ndarray (features,), str)
        Name, numbers, and the colour, a field of `Theme`.
    """

    name: str
    rows: tuple[tuple[str, FloatArray, str], ...]
    is_given: bool = False

    def layout(self, _look: Look, box: QRectF) -> QRectF:
        return box

    def height(self, look: Look, _width: float) -> float:
        return look.px(HIGH) * len(self.rows)

    def _bars(self, look: Look, box: QRectF, number: int) -> QRectF:
        high, left = box.height() / len(self.rows), box.left() + look.px(NAME)
        return QRectF(left, box.top() + number * high, max(box.right() - left, 1.0), high)

    def data_box(self, layout: QRectF) -> QRectF:
        return layout

    def paint(self, painter: QPainter, layout: QRectF, look: Look, *, vector: bool = False) -> None:
        for number, (name, array, ink) in enumerate(self.rows):
            bars = self._bars(look, layout, number).adjusted(0, 2, 0, -2)
            painter.setFont(look.font(LETTERS, bold=True))
            painter.setPen(colour_of(getattr(look.theme, f"{ink}_ink", look.theme.muted)))
            names = QRectF(layout.left(), bars.top(), bars.left() - layout.left() - look.px(6), bars.height())
            painter.drawText(names, _RIGHT, name)
            scale = float(np.abs(array).max(initial=0.0))
            paint_array(painter, look, array, scale, bars, getattr(look.theme, ink))

    def hit(self, layout: QRectF, place: QPointF) -> Hit | None:
        count = len(self.rows[0][1])
        left = layout.left() + NAME / HIGH * layout.height() / len(self.rows)
        if not (layout.contains(place) and left <= place.x()):
            return None
        feature = int((place.x() - left) / max(layout.right() - left, 1.0) * count)
        number = int((place.y() - layout.top()) / layout.height() * len(self.rows))
        return Hit(self.name, (min(number, len(self.rows) - 1), min(feature, count - 1)))

    def spoken(self) -> str:
        return f"{self.name}: {len(self.rows[0][1])} features"
