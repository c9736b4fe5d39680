"""What the colours of the wall mean."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.accessible import PICTURE
from attention_explorer.kit.drawing.colour_maps import image_of, pixels_of
from attention_explorer.kit.drawing.legend import fitting
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look


class WallLegend(QWidget):
    """The colour bar of the wall, in a line."""

    accessible_role = PICTURE

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._legend: MapPicture | None = None
        self.setAccessibleName("Colours of the heads")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def show_legend(self, legend: MapPicture) -> None:
        """Show the colours of a wall."""
        before, self._legend = self._legend, legend
        (_, low), *_, (_, high) = legend.scale.ticks()
        self.setAccessibleDescription(f"{legend.colour_map}, from {low} to {high}")
        self.setToolTip(f"From {low} to {high}")
        if before is None or _painted(before) != _painted(legend):
            self.update()

    def forget(self) -> None:
        """Show no colours: there are no heads."""
        self._legend = None
        self.setAccessibleDescription("")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(200), self._look.px(16))

    def paintEvent(self, event: QPaintEvent) -> None:
        legend, px = self._legend, self._look.px
        if legend is None:
            return
        painter = QPainter(self)
        low, high = legend.scale.ticks()[0][1], legend.scale.ticks()[-1][1]
        painter.setFont(self._look.font(11.5))
        painter.setPen(colour_of(self._look.theme.muted))
        width = painter.fontMetrics().horizontalAdvance(low) + px(6)
        row = QRectF(0, 0, self.width(), self.height())
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, low)
        bar = QRectF(width, (self.height() - px(9)) / 2, px(90), px(9))
        pixels = pixels_of(np.linspace(0.0, 1.0, 256)[None, :], None, legend.colour_map, self._look.theme.masked)
        painter.drawImage(bar, image_of(pixels))
        after = row.adjusted(bar.right() + px(6), 0, 0, 0)
        shown = fitting((high, high.partition(",")[0]), painter.font(), after.width())  # the tooltip says what it is
        painter.drawText(after, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()


def _painted(legend: MapPicture) -> object:
    """Return what the line is painted from."""
    return legend.colour_map, legend.scale.ticks()
