"""Dims a page but for what is needed now. Everything can be used as before: it only steps back."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from attention_explorer.ui import reach
from attention_explorer.ui.theme import Look

STRENGTH = 0.62
"""How much of the colour of the window lies over what is not needed."""


class Spotlight(QWidget):
    """Lies over a page, lets every click through, and leaves some parts as they are."""

    def __init__(self, page: QWidget, names: tuple[str, ...], look: Look) -> None:
        super().__init__(page)
        self._page, self._look = page, look
        found = (reach.part(page, name) for name in names)
        self.lit: tuple[QWidget, ...] = tuple(widget for widget in found if widget is not None)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setGeometry(page.rect())
        for widget in (page, *self.lit):
            widget.installEventFilter(self)
        self.show()
        self.raise_()

    def set_look(self, look: Look) -> None:
        """Wear other colours."""
        self._look = look
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            if watched is self._page:
                self.setGeometry(self._page.rect())
            self.raise_()
            self.update()
        return False

    def places(self) -> tuple[QRect, ...]:
        """Return what is lit, as it is seen on the page."""
        margin = self._look.px(3)
        found = []
        for part in self.lit:
            # What scrolls is all viewport: nothing is seen of the widget itself.
            widget = part.viewport() if isinstance(part, QAbstractScrollArea) else part
            seen = widget.visibleRegion().boundingRect()
            if widget.isVisible() and not seen.isEmpty():
                seen.moveTopLeft(widget.mapTo(self._page, seen.topLeft()))
                found.append(seen.adjusted(-margin, -margin, margin, margin))
        return tuple(found)

    def paintEvent(self, _event: QPaintEvent) -> None:
        places = self.places()
        if not places:
            return  # scrolled away, or gone: then a dim page would help nobody
        dim = QRegion(self.rect())
        for place in places:
            dim -= QRegion(place)
        colour = QColor(self._look.theme.window)
        colour.setAlphaF(STRENGTH)
        painter = QPainter(self)
        painter.setClipRegion(dim)
        painter.fillRect(self.rect(), colour)
