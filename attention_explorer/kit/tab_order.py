"""The order in which Tab goes through parts of a page."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def in_order(*parts: QWidget) -> None:
    """Have Tab go through parts in this order, and within each in the order in which its widgets were made."""
    reached = [widget for part in parts for widget in (part, *part.findChildren(QWidget)) if _takes_tab(widget, part)]
    for before, after in pairwise(reached):
        QWidget.setTabOrder(before, after)


def _takes_tab(widget: QWidget, part: QWidget) -> bool:
    is_here = widget.window() is part.window()  # and not in the list that a box opens
    return is_here and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
