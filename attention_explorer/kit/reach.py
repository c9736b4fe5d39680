"""What is reached by name, by keys and by Tab: controls and pictures of a page, shortcuts, the order of its parts.

A name is the accessible name of a control, or the words on it. It stays when the page is built anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QKeySequence, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QHeaderView, QLabel, QWidget

from attention_explorer.kit.controls.formula_label import FormulaLabel
from attention_explorer.kit.controls.panel_scroll import keep_in_view
from attention_explorer.kit.controls.text_block import TermBlock
from attention_explorer.kit.theme import Look


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


# ---- The page dimmed but for what is needed now ----
# Everything can be used as before: it only steps back.


STRENGTH = 0.62
"""How much of the colour of the window lies over what is not needed."""
SETTLES_MILLISECONDS = 500
"""How long a page may take to lay out what is on it."""


class Spotlight(QWidget):
    """Lies over a page, lets every click through, and leaves some parts as they are."""

    def __init__(self, page: QWidget, names: tuple[str, ...], look: Look) -> None:
        super().__init__(page)
        self._page, self._look = page, look
        found = (part(page, name) for name in names)
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
