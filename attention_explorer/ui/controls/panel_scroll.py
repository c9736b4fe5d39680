"""What scrolls on a page with a side panel: the page where it does not fit, and the panel beside a picture."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

BESIDE_REACHED = 8
"""Pixels above and below what Tab has reached that are to be seen too."""
UNBOUNDED = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export


class Scroll(QScrollArea):
    """Scrolls a widget that does not fit."""

    def __init__(self, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(widget)


def bring_into_view(widget: QWidget | None) -> None:
    """Scroll everything around a widget so that it is seen.

    Qt does so where Tab goes on within a scroll area, not where it comes in from outside.
    """
    around = None if widget is None else widget.parentWidget()
    while widget is not None and around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(widget, 0, BESIDE_REACHED)
        around = around.parentWidget()


class ColumnScroll(Scroll):
    """Scrolls up and down only: the widget is as wide as there is room."""

    def __init__(self, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(widget, parent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


class PanelScroll(ColumnScroll):
    """Scrolls the panel, or is as high as all it says: one thing scrolls, not one within another."""

    def __init__(self, panel: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(panel, parent)
        self._panel = panel
        self._is_whole = False
        self._high = 0

    def be_whole(self, whole: bool) -> None:
        """Be as high as the panel from now on, or scroll it."""
        if self._is_whole is not whole:
            self._is_whole = whole
            # Whole, it needs none; one that came for a moment would take width, and the text be higher for it.
            policy = Qt.ScrollBarPolicy
            self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if whole else policy.ScrollBarAsNeeded)
            self.updateGeometry()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().viewportEvent(event)

    def _fit(self) -> None:
        """Follow what the panel says now."""
        high = self._panel.heightForWidth(self.width()) if self._is_whole else 0
        if high != self._high:
            self._high = high
            self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return self._is_whole

    def heightForWidth(self, width: int) -> int:
        return self._panel.heightForWidth(width)
