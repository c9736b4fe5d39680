"""Dims a page but for what is needed now. Everything can be used as before: it only steps back."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QAbstractScrollArea, QHeaderView, QLabel, QWidget

from attention_explorer.kit import reach
from attention_explorer.kit.controls.panel_scroll import keep_in_view
from attention_explorer.kit.theme import Look

STRENGTH = 0.62
"""How much of the colour of the window lies over what is not needed."""
SETTLES_MILLISECONDS = 500
"""How long a page may take to lay out what is on it."""


class Spotlight(QWidget):
    """Lies over a page, lets every click through, and leaves some parts as they are."""

    def __init__(self, page: QWidget, names: tuple[str, ...], look: Look) -> None:
        super().__init__(page)
        self._page, self._look = page, look
        found = (reach.part(page, name) for name in names)
        self.lit: tuple[QWidget, ...] = tuple(widget for widget in found if widget is not None)
        self._labels = [label for label in page.findChildren(QLabel) if label.buddy() in self.lit]
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setGeometry(page.rect())
        for widget in (page, *self.lit):
            widget.installEventFilter(self)
        self.show()
        self.raise_()

    def bring_into_view(self) -> None:
        """Scroll everything around what is lit so that it is seen: what was named first, if not all fits."""
        for widget in reversed(self.lit):
            keep_in_view(widget, SETTLES_MILLISECONDS)

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
        seen = (self._seen(part) for part in (*self.lit, *self._labels))
        return tuple(box.adjusted(-margin, -margin, margin, margin) for box in seen if not box.isEmpty())

    def _seen(self, part: QWidget) -> QRect:
        """Return the box of what is seen of a part; an empty one for nothing."""
        box = QRect()
        for widget in _seen_parts(part):
            seen = widget.visibleRegion().boundingRect()
            if widget.isVisible() and not seen.isEmpty():
                box |= QRect(widget.mapTo(self._page, seen.topLeft()), seen.size())
        return box

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


def _seen_parts(part: QWidget) -> tuple[QWidget, ...]:
    """Return what is seen of a part: what scrolls is all viewport, with heads beside it in a table."""
    return (part.viewport(), *part.findChildren(QHeaderView)) if isinstance(part, QAbstractScrollArea) else (part,)
