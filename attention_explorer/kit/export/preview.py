"""A figure as it will be on paper or screen, as large as there is room for."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.kit.accessible import PICTURE
from attention_explorer.kit.export.figure import Sheet, painted
from attention_explorer.kit.theme import Look

MARGIN = 14


MOST_PIXELS = 6_000_000
"""Of a PNG that is painted whole for the preview; a larger one is painted as drawings are."""
TIMES = 2
"""A drawing is painted so many times as large as it is seen, at least."""


class ExportPreview(QWidget):
    """Shows a sheet as the file will have it.

    The picture is painted as in the file and then made smaller in one step, each pixel the mean of those it covers.
    Painted at the size it is seen in, lines between cells would come and go with every size of the window.
    """

    accessible_role = PICTURE

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._sheet: Sheet | None = None
        self._dpi: float | None = None
        self._source, self._image = QImage(), QImage()
        self.setMinimumSize(look.px(380), look.px(320))
        self.setAccessibleName("Preview of the figure")

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(560), self._look.px(480))

    def show_sheet(self, sheet: Sheet | None, dpi: float | None = None) -> None:
        """Show another figure, None for none; ``dpi`` are the pixels per inch of a PNG, None for a drawing."""
        self._sheet, self._dpi = sheet, dpi
        self._source, self._image = QImage(), QImage()
        self.setAccessibleDescription("" if sheet is None else sheet.figure.description)
        self.update()

    @property
    def paper(self) -> QRectF:
        """Where the figure is: on whole pixels of the screen, so that it is shown pixel by pixel."""
        if self._sheet is None:
            return QRectF()
        wide, high = self._sheet.figure.size.toTuple()
        scale = min((self.width() - 2 * MARGIN) / wide, (self.height() - 2 * MARGIN) / high)
        ratio = self.devicePixelRatioF()
        size = QSize(max(round(wide * scale * ratio), 1), max(round(high * scale * ratio), 1))
        paper = QRectF(QPointF(), QSizeF(size) / ratio)
        paper.moveCenter(QRectF(self.rect()).center())
        corner = paper.topLeft() * ratio
        paper.moveTopLeft(QPointF(round(corner.x()), round(corner.y())) / ratio)
        return paper

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:  # ended whatever happens
            painter.fillRect(self.rect(), QColor(self._look.theme.track))
            if self._sheet is not None:
                paper = self.paper
                painter.drawImage(paper, self._resampled((paper.size() * self.devicePixelRatioF()).toSize()))

    def _resampled(self, size: QSize) -> QImage:
        """Return the picture with so many pixels."""
        if self._image.size() != size and self._sheet is not None:
            wanted = source_size(self._sheet, self._dpi, size)
            if self._source.size() != wanted:
                self._source = painted(self._sheet, wanted)
            how = Qt.TransformationMode.SmoothTransformation
            self._image = self._source.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, how)
        return self._image


def source_size(sheet: Sheet, dpi: float | None, seen: QSize) -> QSize:
    """Return in how many pixels a sheet is painted that is seen in some: those of the file, if it has pixels.

    A drawing is painted at a whole multiple of its size, so that lines a pixel wide are equally wide everywhere.
    """
    if dpi is not None:
        size = sheet.pixels(dpi)
        if not size.isEmpty() and size.width() * size.height() <= MOST_PIXELS:
            return size
    times = max(1, math.ceil(TIMES * seen.width() / max(sheet.figure.size.width(), 1)))
    return sheet.figure.size * times
