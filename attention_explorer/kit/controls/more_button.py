"""A button that holds back controls where a window has few lines for them."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QPushButton, QWidget

LOW_PAGE = 440
"""Pixels at zoom 1 of a page: below this height its bar keeps all but its first line behind the button."""


class MoreButton(QPushButton):
    """Opens the rest of a bar while it is pressed; hidden until the bar is folded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("More", parent)
        self.setAccessibleName("More controls")
        self.setCheckable(True)
        self.setToolTip("Show the other controls above the picture. Click again to hide them.")
        self.hide()

    @property
    def is_open(self) -> bool:
        """Whether the rest of the bar is to be shown: there is room for it, or it was asked for."""
        return self.isHidden() or self.isChecked()

    def take_keyboard(self, *rest: QWidget) -> None:
        """Have the keyboard instead of what is put away, or Qt gives it to whatever comes next, and scrolls there."""
        focus = QApplication.focusWidget()
        if not self.is_open and focus and any(part is focus or part.isAncestorOf(focus) for part in rest):
            self.setFocus()
