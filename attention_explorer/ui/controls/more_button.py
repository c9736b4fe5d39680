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
        self.setToolTip("Show the other controls too; the picture moves down for them. Again: put them away.")
        self.hide()

    def hold(self, rest: QWidget) -> None:
        """Show the rest of the bar if there is room or it was asked for; what had the keyboard in it leaves it here."""
        wanted = self.isHidden() or self.isChecked()
        if not wanted and rest.isAncestorOf(QApplication.focusWidget() or self):
            self.setFocus()  # or Qt gives it to whatever comes next, and the page is scrolled there
        rest.setVisible(wanted)
