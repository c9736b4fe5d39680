"""The order in which Tab goes through parts of a page."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from attention_explorer.kit.controls.formula_label import FormulaLabel
from attention_explorer.kit.controls.term_block import TermBlock


def in_order(*parts: QWidget) -> None:
    """Have Tab go through parts in this order, and within each in the order in which its widgets were made.

    A widget of several parts has its place in the first of them. What takes the keyboard only while there is
    something to reach in it gets its place too.
    """
    found = [widget for part in parts for widget in (part, *part.findChildren(QWidget)) if _takes_tab(widget, part)]
    reached = list(dict.fromkeys(found))
    # Qt gives no place to what does not take the keyboard now, and the chain would end before it.
    resting = [widget for widget in reached if widget.focusPolicy() == Qt.FocusPolicy.NoFocus]
    for widget in resting:
        widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for before, after in pairwise(reached):
        QWidget.setTabOrder(before, after)
    for widget in resting:
        widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)


def _takes_tab(widget: QWidget, part: QWidget) -> bool:
    is_here = widget.window() is part.window()  # and not in the list that a box opens
    may = isinstance(widget, TermBlock | FormulaLabel) or bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return is_here and may and widget.focusProxy() is None
