"""What a mouse does to the plane: hovering reads, a drag moves a part or the view, a double click adds a key."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QWheelEvent

from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.plane import Vector, snapped
from attention_explorer.pages.lookup.state import Part
from attention_explorer.pages.lookup.ui.plane_grip import SNAP, Drag, Grip, Pan, cursor_for, hold_at, rounded_to_pixel
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS, number_range
from attention_explorer.pages.lookup.ui.plane_view import PlaneView

DRAG_THRESHOLD = 2.0


class PlaneMouse(PlaneView):
    """The plane under a mouse.

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

    def place_at(self, at: QPointF) -> Vector | None:
        if not self.is_plane:
            return super().place_at(at)
        return rounded_to_pixel(self.scene().transform.to_plane(at.x(), at.y()), self.scene().transform)

    # ---- Dragging ----

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.is_plane:
            super().mousePressEvent(event)
            return
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

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.is_plane:
            super().mouseMoveEvent(event)
            return
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
        try:
            moved = self._lookup.moved(part, drag.position(at, modifiers))
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        self._session.preview(replace(self._session.state, lookup=moved), f"Move {part.name}")
        self._tell_of(drag.hold.part)

    def _continue_pan(self, pan: Pan, at: QPointF) -> None:
        if not self._has_moved(pan.pressed, at):
            return
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        camera = pan.view(at, self.scene().transform.pixels_per_unit)
        self._session.preview(self._with_camera(camera), "Move the view")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self.is_plane:
            super().mouseReleaseEvent(event)
            return
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

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() is Qt.MouseButton.LeftButton
        if not self.is_plane or self._is_old or self._asks or not is_left:
            return
        at, scene = event.position(), self.scene()
        if hold_at(scene, at) is not None or not scene.rect.contains(at):
            return
        to = scene.transform.to_plane(at.x(), at.y())
        self.add_key(snapped(to) if event.modifiers() & SNAP else rounded_to_pixel(to, scene.transform))

    def add_key(self, at: Vector) -> None:
        """Add a key where it is on the screen, and select it."""
        try:
            added = self._lookup.with_key_added(at)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        before = self.scene().transform
        self._session.commit()
        self._session.preview(replace(self._session.state, lookup=added), "Add key")
        now = self.scene().transform
        if now.height != before.height:  # the table below has taken a row: the view must not move for that
            camera = before.visible_in(now.width, now.height)
            hidden = camera.bottom + BADGE_RADIUS / before.pixels_per_unit - at[1]
            self._session.preview(self._with_camera(camera.shifted(0.0, -max(hidden, 0.0))), "Add key")
        self._session.commit()
        self.select(Part(Role.KEY, len(added.entries) - 1))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.is_plane:
            super().wheelEvent(event)
            return
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
        elif scene.values is not None and scene.values.rect.contains(at):
            self._tell_of(scene.values.to_plane(at), "in the plane of values")
        else:
            self._tell_of(scene.transform.to_plane(at.x(), at.y()))

    def _tell_of(self, spot: Part | Vector, hint: str = "") -> None:
        self._spot = spot, hint
        self.spot_changed.emit(spot)

    def words(self) -> str:
        """Return what is under the pointer, in words."""
        if not self.is_plane:
            return super().words()
        spot, hint = self._spot
        if spot is None or (isinstance(spot, Part) and spot not in lookup_frame(self._lookup).state.parts()):
            return ""
        return self._in_words(spot, hint)

    def leaveEvent(self, event: QEvent) -> None:
        if not self.is_plane:
            super().leaveEvent(event)
            return
        self._held = self._pointer = None
        self._spot = None, ""
        self.spot_changed.emit(None)
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self.is_plane:
            super().contextMenuEvent(event)
            return
        at, scene = QPointF(event.pos()), self.scene()
        hold = hold_at(scene, at)
        part = hold.part if hold else None
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            part = self._selected
        self.place_menu_wanted.emit(event.globalPos(), part, scene.transform.to_plane(at.x(), at.y()))


def _grip_hint(grip: Grip) -> str:
    return {
        Grip.TIP: "drag to move · Shift snaps to 0.1 · Ctrl: length only · Alt: angle only",
        Grip.SHAFT: "drag to move",
        Grip.LENGTH: "drag to change only the length",
        Grip.ANGLE: "drag to change only the angle",
    }[grip]
