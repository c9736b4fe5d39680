"""What is reached by name, by keys and by Tab: controls and pictures of a page, shortcuts, the order of its parts.

A name is the accessible name of a control, or the words on it. It stays when the page is built anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from attention_explorer.kit.controls.formula_label import FormulaLabel
from attention_explorer.kit.controls.text_block import TermBlock


def part(page: QWidget, name: str) -> QWidget | None:
    """Return what is called so on a page, with the label that belongs to it; None if there is nothing.

    Of several that which is on show, or would be the soonest: views and the drawer may each have one of the same name.
    """
    called = [each for each in _parts(page) if _name(each) == name]
    # A label comes with its control, not in its place.
    called.sort(key=lambda each: (isinstance(each, QLabel), _hidden_around(each, page)))
    return _whole(called[0], page) if called else None


def _hidden_around(widget: QWidget, page: QWidget) -> int:
    """Return how far around a widget something is hidden, so that it is not seen on its page; 0 if it is."""
    outermost, steps = 0, 0
    around: QWidget | None = widget
    while around is not None and around is not page:
        steps += 1
        if around.isHidden():
            outermost = steps
        around = around.parentWidget()
    return outermost


def _parts(page: QWidget) -> Iterator[QWidget]:
    return (each for each in page.findChildren(QWidget) if not each.isWindow())


def _name(widget: QWidget) -> str:
    if widget.accessibleName():
        return widget.accessibleName()
    return widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""


def _whole(widget: QWidget, page: QWidget) -> QWidget:
    """Return a widget with all that belongs to it alone: its label, or the card around it."""
    parent = widget.parentWidget()
    while parent is not None and parent is not page and parent.parentWidget() is not page:
        here = Qt.FindChildOption.FindDirectChildrenOnly
        others = [each for each in parent.findChildren(QWidget, options=here) if not isinstance(each, QLabel)]
        if others != [widget]:
            break
        widget, parent = parent, parent.parentWidget()
    return widget


# ---- Shortcuts ----


def written(shortcut: str = "") -> str:
    """Return a shortcut, such as Ctrl+K, as the menus of this system write it."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


# ---- The order of Tab ----


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
