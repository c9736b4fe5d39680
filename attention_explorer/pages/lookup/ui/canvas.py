"""The plane that people touch: what keys do to it, and what can be added to and taken from it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent

from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.lookup.plane import Vector, snapped
from attention_explorer.pages.lookup.state import Part
from attention_explorer.pages.lookup.ui.plane_mouse import PlaneMouse

NUDGE, FINE_NUDGE, COARSE_NUDGE = 0.1, 0.01, 0.5

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class LookupCanvas(PlaneMouse):
    """Draws the plane of a `LookupState` and turns what hands do to it, by mouse and by keys, into new states."""

    # ---- Keyboard ----

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.is_plane:
            super().keyPressEvent(event)
            return
        if self._is_old:
            event.ignore()  # the page may know the key
            return
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if key is Qt.Key.Key_Escape:
            if not self.cancel_drag():
                self.select(None)
        elif key in _ARROWS and self._selected is not None:
            self._nudge(self._selected, _ARROWS[key], modifiers)
        elif key in _ARROWS:
            self._move_view(_ARROWS[key])
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_selected()
        elif key is Qt.Key.Key_Insert:
            self.add_key(snapped(self.scene().transform.visible.centre))
        elif key is Qt.Key.Key_Home:
            self.show_home()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal) and not modifiers & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1.2)
        elif key is Qt.Key.Key_Minus and not modifiers & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1 / 1.2)
        else:
            event.ignore()  # the page may know the key

    def _move_view(self, direction: Vector) -> None:
        """Look a tenth of the view further, as a drag of the plane does."""
        if self.is_held:
            return
        visible = self.scene().transform.visible
        tenth = 0.1 * visible.width
        self.look_at(visible.shifted(tenth * direction[0], tenth * direction[1]))

    def _nudge(self, part: Part, direction: Vector, modifiers: Qt.KeyboardModifier) -> None:
        step = NUDGE
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            step = FINE_NUDGE
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            step = COARSE_NUDGE
        x, y = self.scene().state.position(part)
        # Rounding to the step's decimals keeps 0.1 + 0.2 from becoming 0.30000000000000004.
        to = (round(x + step * direction[0], 10), round(y + step * direction[1], 10))
        try:
            moved = self._lookup.moved(part, to)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        state = replace(self._session.state, lookup=moved)
        self._session.apply(state, f"Nudge {part.name}", merge=f"nudge {part.name}")
        self._tell_of(part)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Walk through the parts with Tab; at either end let the focus go on, so that nobody is trapped here."""
        if not self.is_plane:
            return super().focusNextPrevChild(forward)
        parts = self.scene().parts
        here = parts.index(self._selected) if self._selected in parts else (-1 if forward else len(parts))
        there = here + (1 if forward else -1)
        if 0 <= there < len(parts):
            self.select(parts[there])
            self._tell_of(parts[there])
            return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if not self.is_plane:
            pass
        elif event.reason() is Qt.FocusReason.TabFocusReason:
            self.select(self.scene().parts[0])
        elif event.reason() is Qt.FocusReason.BacktabFocusReason:
            self.select(self.scene().parts[-1])
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.cancel_drag()
        self._pan = None  # whoever has the keyboard now also hears of the button that is let go
        super().focusOutEvent(event)

    # ---- Taking away ----

    def remove_selected(self) -> None:
        """Remove the selected key (or the key of the selected value); the query and the target stay."""
        part = self._selected
        if part is None or part.role not in (Role.KEY, Role.VALUE):
            self.refused.emit("Select a key to delete it; the query stays.")
            return
        try:
            removed = self._lookup.with_key_removed(part.index)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        self._session.apply(replace(self._session.state, lookup=removed), f"Delete key {part.index + 1}")

    def clear_trail(self) -> None:
        """Forget past outputs, and count jumps anew."""
        state = self._session.state  # not that on show, which may be of another lookup
        self._session.apply(replace(state, lookup=state.lookup.without_past()), "Clear the trail")
