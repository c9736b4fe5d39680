"""The level **Start**: a window with few controls. The level **Full** shows them all."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLabel, QWidget
from shiboken6 import isValid

from attention_explorer.kit import reach

LEFT_OUT: Mapping[str, tuple[str, ...]] = {}
"""By page: what Start leaves out, by the names of `reach`. It shows everything else: what can be dragged, soft and
hard, temperature, sentences, masks, undo and export among it."""


class StartLevel(QObject):
    """Leaves out of pages what Start does not show, also where a page would show it again."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted: dict[QWidget, bool] = {}

    def leave_out(self, page: QWidget, identifier: str, but: tuple[str, ...] = ()) -> None:
        """Hide what is left out of a page, but for what a lesson needs there now."""
        for name in LEFT_OUT.get(identifier, ()):
            found = reach.tab(page, name)
            if found is not None:
                found[0].setTabVisible(found[1], name in but)
                continue
            widget = reach.part(page, name)
            if widget is None:
                continue
            if name in but:
                self._give_back(widget)
                parent = widget.parentWidget()
                if parent is not None:
                    self._give_back(parent)
            elif widget not in self._wanted:
                self._hide(widget)
                self._hide_what_is_empty(widget)

    def _hide(self, widget: QWidget) -> None:
        self._wanted[widget] = not widget.isHidden()
        widget.hide()
        widget.installEventFilter(self)

    def _hide_what_is_empty(self, widget: QWidget) -> None:
        """Hide the label of several controls of which none is left."""
        field = widget.parentWidget()
        if field is None or type(field) is not QWidget or field in self._wanted:
            return
        here = Qt.FindChildOption.FindDirectChildrenOnly
        controls = [each for each in field.findChildren(QWidget, options=here) if not isinstance(each, QLabel)]
        if all(each in self._wanted for each in controls):
            self._hide(field)

    def give_back(self, page: QWidget, identifier: str) -> None:
        """Show a page as it is without this level."""
        for name in LEFT_OUT.get(identifier, ()):
            found = reach.tab(page, name)
            if found is not None:
                found[0].setTabVisible(found[1], True)
        self._wanted = {widget: wanted for widget, wanted in self._wanted.items() if isValid(widget)}
        for widget in [widget for widget in self._wanted if page.isAncestorOf(widget)]:
            self._give_back(widget)

    def _give_back(self, widget: QWidget) -> None:
        wanted = self._wanted.pop(widget, None)
        if wanted is not None:
            widget.removeEventFilter(self)
            widget.setVisible(wanted)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShowToParent and isinstance(watched, QWidget) and watched in self._wanted:
            self._wanted[watched] = True
            watched.hide()
        return False
