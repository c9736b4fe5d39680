"""A figure as it will be on paper or screen, as large as there is room for."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.ui.export.figure import Sheet
from attention_explorer.ui.theme import Look

MARGIN = 14


class ExportPreview(QWidget):
    """Paints a sheet once into an image and shows that."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._sheet: Sheet | None = None
        self._image = QImage()
        self.setMinimumSize(look.px(380), look.px(320))
        self.setAccessibleName("Preview of the figure")

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(560), self._look.px(480))

    def show_sheet(self, sheet: Sheet | None) -> None:
        """Show another figure; None for none."""
        self._sheet, self._image = sheet, QImage()
        self.setAccessibleDescription("" if sheet is None else sheet.figure.description)
        self.update()

    @property
    def paper(self) -> QRectF:
        """Where the figure is."""
        if self._sheet is None:
            return QRectF()
        wide, high = self._sheet.figure.size.toTuple()
        scale = min((self.width() - 2 * MARGIN) / wide, (self.height() - 2 * MARGIN) / high)
        paper = QRectF(0, 0, max(wide * scale, 1.0), max(high * scale, 1.0))
        paper.moveCenter(QRectF(self.rect()).center())
        return paper

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._look.theme.track))
        if self._sheet is not None:
            paper, ratio = self.paper, self.devicePixelRatioF()
            wanted = (paper.size() * ratio).toSize()
            if self._image.size() != wanted:
                self._image = _drawn(self._sheet, wanted)
            painter.drawImage(paper, self._image)
        painter.end()


def _drawn(sheet: Sheet, size: QSize) -> QImage:
    """Return a sheet as an image of a size."""
    image = QImage(size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.scale(size.width() / sheet.figure.size.width(), size.height() / sheet.figure.size.height())
    sheet.figure.paint(painter)
    painter.end()
    return image
