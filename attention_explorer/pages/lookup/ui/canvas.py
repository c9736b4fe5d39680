"""The plane that people touch: hovering reads, a drag moves a part or the view, keys nudge, and keys come and go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent

from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.plane import Vector, snapped
from attention_explorer.pages.lookup.state import LookupState, Part
from attention_explorer.pages.lookup.ui.plane_grip import SNAP, Drag, Grip, Pan, cursor_for, hold_at, rounded_to_pixel
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS, number_range
from attention_explorer.pages.lookup.ui.plane_view import PlaneView, on_plane

DRAG_THRESHOLD = 2.0
NUDGE, FINE_NUDGE, COARSE_NUDGE = 0.1, 0.01, 0.5

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class LookupCanvas(PlaneView):
    """Draws the plane of a `LookupState` and turns what hands do to it, by mouse and by keys, into new states.

    Signals
    -------
    grabbed : ()
        A hand has taken hold of something; whatever moves by itself should stop.
    place_menu_wanted : (QPoint, Part or None, (x, y))
        A context menu is wanted at a global position, for a part or for a point of the plane.
    """

    grabbed = Signal()
    place_menu_wanted = Signal(object, object, object)

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        super().render_state(old, new)
        is_moved = self.is_plane and old.lookup.camera != new.lookup.camera
        if is_moved and self._pointer is not None and not self.is_held:
            self._hover(self._pointer)  # the plane has moved away under it

    @on_plane
    def place_at(self, at: QPointF) -> Vector | None:
        return rounded_to_pixel(self.scene().transform.to_plane(at.x(), at.y()), self.scene().transform)

    # ---- Dragging ----

    @on_plane
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._is_old:
            return
        at = event.position()
        if self._chooses(event):
            return
        if event.button() is Qt.MouseButton.RightButton and self.is_held:
            self.cancel_drag()
            return
        scene = self.scene()
        hold = hold_at(scene, at) if event.button() is Qt.MouseButton.LeftButton else None
        if hold is not None:
            self.grabbed.emit()
            self.select(hold.part)
            self._part_drag = Drag(hold, scene.state, scene, at)  # of what is fixed too: who pulls at it is told why
            if not scene.state.is_fixed(hold.part):
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton) and scene.rect.contains(at):
            self._pan = Pan(at, scene.transform.visible)

    @on_plane
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._chooses(event):
            return
        if self._part_drag is not None:
            self._continue_drag(self._part_drag, at, event.modifiers())
        elif self._pan is not None:
            self._continue_pan(self._pan, at)
        else:
            self._hover(at)

    def _has_moved(self, pressed: QPointF, at: QPointF) -> bool:
        """Return whether the hand means to move something: a click trembles by a pixel."""
        self._dragging = self._dragging or (at - pressed).manhattanLength() >= DRAG_THRESHOLD
        return self._dragging

    def _continue_drag(self, drag: Drag, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        if not self._has_moved(drag.pressed, at):
            return
        part = drag.hold.part
        moved = self._with(lambda: self._lookup.moved(part, drag.position(at, modifiers)))
        if moved is not None:
            self._session.preview(moved, f"Move {part.name}")
            self._tell_of(part)

    def _continue_pan(self, pan: Pan, at: QPointF) -> None:
        if not self._has_moved(pan.pressed, at):
            return
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        camera = pan.view(at, self.scene().transform.pixels_per_unit)
        self._session.preview(self._with_camera(camera), "Move the view")

    @on_plane
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._asks:
            return
        self._end_gesture()
        self._session.commit()
        self._numbers = number_range(self._lookup)
        self._hover(event.position())
        self.update()

    def cancel_drag(self) -> bool:
        """Put everything back to where it was before the drag; return whether there was one."""
        if self._part_drag is not None:
            self._session.revert()
        elif self._pan is not None:
            # Only the view: a query that walks by itself meanwhile goes on.
            self._session.preview(self._with_camera(self._session.committed.lookup.camera), "Move the view")
        else:
            return False
        self._end_gesture()
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.update()
        return True

    def _end_gesture(self) -> None:
        self._part_drag, self._dragging, self._pan = None, False, None

    @on_plane
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._is_old or self._asks or event.button() is not Qt.MouseButton.LeftButton:
            return
        at, scene = event.position(), self.scene()
        if hold_at(scene, at) is not None or not scene.rect.contains(at):
            return
        to = scene.transform.to_plane(at.x(), at.y())
        self.add_key(snapped(to) if event.modifiers() & SNAP else rounded_to_pixel(to, scene.transform))

    def add_key(self, at: Vector) -> None:
        """Add a key where it is on the screen, and select it."""
        added = self._with(lambda: self._lookup.with_key_added(at))
        if added is None:
            return
        before = self.scene().transform
        self._session.commit()
        self._session.preview(added, "Add key")
        now = self.scene().transform
        if now.height != before.height:  # the table below has taken a row: the view must not move for that
            camera = before.visible_in(now.width, now.height)
            hidden = camera.bottom + BADGE_RADIUS / before.pixels_per_unit - at[1]
            self._session.preview(self._with_camera(camera.shifted(0.0, -max(hidden, 0.0))), "Add key")
        self._session.commit()
        self.select(Part(Role.KEY, len(added.lookup.entries) - 1))

    @on_plane
    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._is_old:
            return
        steps = event.angleDelta().y() / 120
        at, scene = event.position(), self.scene()
        if steps and scene.rect.contains(at):
            self.zoom(1.2**steps, scene.transform.to_plane(at.x(), at.y()))
        event.accept()

    # ---- Pointing ----

    def _hover(self, at: QPointF) -> None:
        self._pointer = at
        scene = self.scene()
        hold = hold_at(scene, at)
        self.setCursor(cursor_for(scene, hold))
        if hold != self._held:
            self._held = hold
            self.update()
        if hold is not None:
            self._tell_of(hold.part, "" if scene.state.is_fixed(hold.part) else _grip_hint(hold.grip))
        elif scene.values is not None and scene.value_rect.contains(at):
            self._tell_of(scene.values.to_plane(at.x(), at.y()), "in the plane of values")
        else:
            self._tell_of(scene.transform.to_plane(at.x(), at.y()))

    def _tell_of(self, spot: Part | Vector, hint: str = "") -> None:
        self._spot = spot, hint
        self.spot_changed.emit(spot)

    @on_plane
    def words(self) -> str:
        """Return what is under the pointer, in words."""
        spot, hint = self._spot
        if spot is None or (isinstance(spot, Part) and spot not in lookup_frame(self._lookup).state.parts()):
            return ""
        return self._in_words(spot, hint)

    @on_plane
    def leaveEvent(self, event: QEvent) -> None:
        self._held = self._pointer = None
        self._spot = None, ""
        self.spot_changed.emit(None)
        self.update()

    @on_plane
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at, scene = QPointF(event.pos()), self.scene()
        hold = hold_at(scene, at)
        part = hold.part if hold else None
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            part = self._selected
        self.place_menu_wanted.emit(event.globalPos(), part, scene.transform.to_plane(at.x(), at.y()))

    # ---- Keyboard ----

    @on_plane
    def keyPressEvent(self, event: QKeyEvent) -> None:
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
        moved = self._with(lambda: self._lookup.moved(part, to))
        if moved is not None:
            self._session.apply(moved, f"Nudge {part.name}", merge=f"nudge {part.name}")
            self._tell_of(part)

    @on_plane
    def focusNextPrevChild(self, forward: bool) -> bool:
        """Walk through the parts with Tab; at either end let the focus go on, so that nobody is trapped here."""
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
        removed = self._with(lambda: self._lookup.with_key_removed(part.index))
        if removed is not None:
            self._session.apply(removed, f"Delete key {part.index + 1}")

    def _with(self, changed: Callable[[], LookupState]) -> ExplorerState | None:
        """Return the state with another lookup; None where there can be none, after saying why."""
        try:
            return replace(self._session.state, lookup=changed())
        except ExplorerError as error:
            self.refused.emit(str(error))
            return None

    def clear_trail(self) -> None:
        """Forget past outputs, and count jumps anew."""
        state = self._session.state  # not that on show, which may be of another lookup
        self._session.apply(replace(state, lookup=state.lookup.without_past()), "Clear the trail")


def _grip_hint(grip: Grip) -> str:
    return {
        Grip.TIP: "drag to move · Shift snaps to 0.1 · Ctrl: length only · Alt: angle only",
        Grip.SHAFT: "drag to move",
        Grip.LENGTH: "drag to change only the length",
        Grip.ANGLE: "drag to change only the angle",
    }[grip]
