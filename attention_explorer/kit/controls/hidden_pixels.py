"""What is painted once and kept: a widget that is hidden gives it back after some seconds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from attention_explorer.session.memory import tidy

FORGET_AFTER_MILLISECONDS = 3000
"""Whoever comes back to a page sooner finds its pictures painted."""


class HiddenPixels(QTimer):
    """Started when a widget is hidden; calls ``forget`` if it is still hidden some seconds later.

    On a large screen each picture keeps up to 60 MB of pixels, and there are a dozen pictures on six pages.
    """

    def __init__(self, widget: QWidget, forget: Callable[[], None]) -> None:
        super().__init__(widget, singleShot=True, interval=FORGET_AFTER_MILLISECONDS)
        self._widget, self._forget = widget, forget
        self.timeout.connect(self._on_timeout)

    def _on_timeout(self) -> None:
        if not self._widget.isVisible():
            self._forget()
            tidy()
