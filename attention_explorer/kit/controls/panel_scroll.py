"""What scrolls on a page with a side panel: the page where it does not fit, and the panel beside a picture."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QScrollBar, QWidget

from attention_explorer.session.later import later

BESIDE_REACHED = 8
"""Pixels around what Tab has reached that are to be seen too."""
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
        if isinstance(around, QScrollArea) and (inside := around.widget()) is not None:
            # Not ensureWidgetVisible, which of a graphics view brings a corner only.
            box = QRect(widget.mapTo(inside, QPoint()), widget.size())
            for corner in (box.bottomRight(), box.topLeft()):
                around.ensureVisible(corner.x(), corner.y(), BESIDE_REACHED, BESIDE_REACHED)
        around = around.parentWidget()


class _Follower(QObject):
    """Keeps a widget in view for a while."""

    def __init__(self, widget: QWidget, milliseconds: int) -> None:
        super().__init__(widget)
        self._widget = widget
        around = widget.parentWidget()
        while around is not None:
            if isinstance(around, QScrollArea):
                around.verticalScrollBar().rangeChanged.connect(self._follow)
            around = around.parentWidget()
        later(self, self.deleteLater, milliseconds)
        self._follow()

    def _follow(self) -> None:
        bring_into_view(self._widget)


def keep_in_view(widget: QWidget, milliseconds: int) -> None:
    """Scroll everything around a widget so that it is seen, also when what is scrolled grows to hold it."""
    _Follower(widget, milliseconds)


class ColumnScroll(Scroll):
    """Scrolls up and down only: the widget is as wide as there is room."""

    def __init__(self, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(widget, parent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


class PageScroll(Scroll):
    """Scrolls a whole page, with a bar that lies over the margin at its right and takes no width.

    A bar that takes width can wrap a line of the page, which makes the page too high, which calls for the bar: such a
    page fits or scrolls depending on what was before.

    Signals
    -------
    laid_out
        Something of the page has asked for another size, and the page was laid out for it.
    """

    laid_out = Signal()

    def __init__(self, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(widget, parent)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scrolled = self.verticalScrollBar()
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.hide()
        self._bar.valueChanged.connect(self._scrolled.setValue)
        self._scrolled.valueChanged.connect(self._bar.setValue)
        self._scrolled.rangeChanged.connect(self._follow)

    def _follow(self) -> None:
        """Take over how far there is to scroll."""
        self._bar.setRange(self._scrolled.minimum(), self._scrolled.maximum())
        self._bar.setPageStep(self._scrolled.pageStep())
        self._bar.setSingleStep(self._scrolled.singleStep())
        self._bar.setVisible(self._scrolled.maximum() > 0)

    def viewportEvent(self, event: QEvent) -> bool:
        done = super().viewportEvent(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.laid_out.emit()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self._bar.sizeHint().width()
        self._bar.setGeometry(self.width() - wide, 0, wide, self.height())
        self._follow()


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
        high = self.heightForWidth(self.width()) if self._is_whole else 0
        if high != self._high:
            self._high = high
            self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return self._is_whole

    def heightForWidth(self, width: int) -> int:
        panel = self._panel  # which has no such height while nothing in it wraps
        return panel.heightForWidth(width) if panel.hasHeightForWidth() else panel.sizeHint().height()
