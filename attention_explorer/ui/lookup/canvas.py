"""The plane that people touch: drags, keys and wheel become new states; states become pixels."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.session.session import Session
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.lookup.frame import lookup_frame
from attention_explorer.state.lookup.plane import Extent, PlaneTransform, Vector, snapped
from attention_explorer.state.lookup.state import QUERY, LookupState, Overlay, Part
from attention_explorer.state.lookup.wording import spot_in_words
from attention_explorer.state.role import Role
from attention_explorer.ui.drawing.marks import pen
from attention_explorer.ui.lookup.plane_backdrop import backdrop_key, paint_backdrop
from attention_explorer.ui.lookup.plane_foreground import paint_foreground
from attention_explorer.ui.lookup.plane_grip import SNAP, Drag, Grip, Hold, cursor_for, hold_at, rounded_to_pixel
from attention_explorer.ui.lookup.plane_scene import PlaneScene, number_range, scene_for
from attention_explorer.ui.theme import Look

NUDGE, FINE_NUDGE, COARSE_NUDGE = 0.1, 0.01, 0.5
TRAIL_LENGTH = 240
COARSE_FIELD, FINE_FIELD = 64, 240
SETTLE_MILLISECONDS = 150
DRAG_THRESHOLD = 2.0

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class LookupCanvas(QWidget):
    """Draws the plane of a `LookupState` and turns what hands do to it into new states.

    Signals
    -------
    pointed : str
        What is under the pointer, in words.
    refused : str
        Why something that was asked for cannot be done.
    selection_changed : Part or None
        Another part is selected.
    grabbed : ()
        A hand has taken hold of something; whatever moves by itself should stop.
    menu_wanted : (QPoint, Part or None, (x, y))
        A context menu is wanted at a global position, for a part or for a point of the plane.
    """

    pointed = Signal(str)
    refused = Signal(str)
    selection_changed = Signal(object)
    grabbed = Signal()
    menu_wanted = Signal(object, object, object)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._camera: Extent | None = None
        self._selected: Part | None = QUERY
        self._hovered: Hold | None = None
        self._drag: Drag | None = None
        self._dragging = False
        self._spot: tuple[Part | Vector | None, str] = (None, "")
        self._pan: tuple[QPointF, Extent] | None = None
        self._numbers = number_range(self._state)
        self._trail: deque[tuple[float, ...]] = deque(maxlen=TRAIL_LENGTH)
        self._field_columns = FINE_FIELD
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MILLISECONDS)
        self._settle.timeout.connect(self._refine_field)
        self._backdrop = QPixmap()
        self._backdrop_key: object = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Plane of queries and keys")
        self.setToolTip("")

    # ---- What it shows ----

    @property
    def _state(self) -> LookupState:
        return self._session.state.lookup

    @property
    def selected(self) -> Part | None:
        """The part that keys act on."""
        return self._selected

    @property
    def trail(self) -> tuple[tuple[float, ...], ...]:
        """Past outputs, oldest first."""
        return tuple(self._trail)

    @property
    def camera(self) -> Extent:
        """The part of the plane that is asked for; the picture shows at least this."""
        return self._state.extent if self._camera is None else self._camera

    def scene(self) -> PlaneScene:
        """Return the picture as it is now."""
        state = self._state
        laid_out = scene_for(
            state,
            self._look,
            self.width(),
            self.height(),
            numbers=self._numbers,
            selected=self._selected if self.hasFocus() or self._dragging else None,
            hovered=self._hovered.part if self._hovered else None,
            trail=self.trail if state.shows(Overlay.TRAIL) else (),
            field_columns=self._field_columns,
        )
        if self._camera is None:
            return laid_out
        plane = laid_out.transform
        return replace(laid_out, transform=PlaneTransform.fitting(self._camera, plane.width, plane.height))

    def sizeHint(self) -> QSize:
        # Small: it takes all the room that the rest leaves, and must not ask for more than there is.
        return QSize(self._look.px(720), self._look.px(240))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(280), self._look.px(200))

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        """Show a new state: nothing is painted here, only asked for."""
        before, after = old.lookup, new.lookup
        if before == after:
            return
        if before.extent != after.extent:
            self._camera = None
        if self._selected not in after.parts():
            self.select(QUERY)
        if self._drag is None or self._drag.line is None:
            self._numbers = number_range(after)
        self._extend_trail(before, after)
        self._say_spot()
        if before.keys != after.keys or before.temperature != after.temperature:
            self._field_columns = COARSE_FIELD
            self._settle.start()
        self.update()

    def _extend_trail(self, before: LookupState, after: LookupState) -> None:
        if before.values is not after.values or before.preset != after.preset:
            self._trail.clear()
        output = tuple(lookup_frame(after).output.tolist())
        if not self._trail or self._trail[-1] != output:
            self._trail.append(output)

    def _refine_field(self) -> None:
        self._field_columns = FINE_FIELD
        self.update()

    def clear_trail(self) -> None:
        """Forget past outputs."""
        self._trail.clear()
        self.update()

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        scene = self.scene()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._backdrop_for(scene))
        paint_foreground(painter, scene)
        frame_pen = pen(
            scene.look.theme.focus if self.hasFocus() else scene.look.theme.border,
            2.0 * self._look.zoom if self.hasFocus() else 1.0,
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(frame_pen)
        inset = 1 if self.hasFocus() else 0
        painter.drawRect(self.rect().adjusted(inset, inset, -1 - inset, -1 - inset))
        painter.end()

    def _backdrop_for(self, scene: PlaneScene) -> QPixmap:
        """Return the ground of the plane, painted anew only when something in it has changed."""
        ratio = self.devicePixelRatioF()
        key = (backdrop_key(scene), self.size(), ratio)
        if key != self._backdrop_key:
            self._backdrop = QPixmap(self.size() * ratio)
            self._backdrop.setDevicePixelRatio(ratio)
            self._backdrop.fill(scene.look.theme.window)
            painter = QPainter(self._backdrop)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_backdrop(painter, scene)
            painter.end()
            self._backdrop_key = key
        return self._backdrop

    # ---- Selection and camera ----

    def select(self, part: Part | None) -> None:
        """Select a part, or nothing."""
        if part != self._selected:
            self._selected = part
            self.selection_changed.emit(part)
            self.update()

    def show_home(self) -> None:
        """Show the part of the plane that the page began with."""
        self._camera = None
        self.update()

    def zoom(self, factor: float, about: Vector | None = None) -> None:
        """Magnify the plane around a point, by default its middle."""
        visible = self.scene().transform.visible
        self._camera = visible.zoomed(factor, visible.centre if about is None else about)
        self.update()

    # ---- Mouse ----

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if event.button() is Qt.MouseButton.RightButton and self._drag is not None:
            self.cancel_drag()
            return
        scene = self.scene()
        hold = hold_at(scene, at) if event.button() is Qt.MouseButton.LeftButton else None
        if hold is not None:
            self.grabbed.emit()
            self.select(hold.part)
            self._drag = Drag(hold, self._state, scene, at)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pan = (at, scene.transform.visible)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._drag is not None:
            self._continue_drag(self._drag, at, event.modifiers())
        elif self._pan is not None:
            self._continue_pan(*self._pan, at)
        else:
            self._hover(at)

    def _continue_drag(self, drag: Drag, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        if not self._dragging and (at - drag.pressed).manhattanLength() < DRAG_THRESHOLD:
            return
        self._dragging = True
        part = drag.hold.part
        try:
            moved = self._state.moved(part, drag.position(at, modifiers))
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        self._preview(moved, f"Move {part.name}")
        self._point_at(drag.hold.part)

    def _continue_pan(self, pressed: QPointF, seen: Extent, at: QPointF) -> None:
        scale = self.scene().transform.pixels_per_unit
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._camera = seen.shifted((pressed.x() - at.x()) / scale, (at.y() - pressed.y()) / scale)
        self.update()

    def _hover(self, at: QPointF) -> None:
        scene = self.scene()
        hold = hold_at(scene, at)
        self.setCursor(cursor_for(hold))
        if hold != self._hovered:
            self._hovered = hold
            self.update()
        if hold is None:
            x, y = scene.transform.to_plane(at.x(), at.y())
            self._point_at((x, y))
        else:
            self._point_at(hold.part, _grip_hint(hold.grip))

    def _point_at(self, spot: Part | Vector, hint: str = "") -> None:
        self._spot = spot, hint
        self._say_spot()

    def _say_spot(self) -> None:
        """Say what is under the pointer, anew whenever the state changes: a read-out must not grow stale."""
        spot, hint = self._spot
        if isinstance(spot, Part) and spot not in self._state.parts():
            spot = None
        self.pointed.emit("" if spot is None else spot_in_words(lookup_frame(self._state), spot, hint))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag, self._dragging, self._pan = None, False, None
        self._session.commit()
        self._numbers = number_range(self._state)
        self._hover(event.position())
        self.update()

    def cancel_drag(self) -> bool:
        """Put everything back to where it was before the drag; return whether there was one."""
        if self._drag is None:
            return False
        self._drag, self._dragging = None, False
        self._session.revert()
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.update()
        return True

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        scene = self.scene()
        if event.button() is not Qt.MouseButton.LeftButton or hold_at(scene, at) is not None:
            return
        if not scene.rect.contains(at):
            return
        to = scene.transform.to_plane(at.x(), at.y())
        self.add_key(snapped(to) if event.modifiers() & SNAP else rounded_to_pixel(to, scene.transform))

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        if steps:
            at = event.position()
            self.zoom(1.2**steps, self.scene().transform.to_plane(at.x(), at.y()))
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self._spot = None, ""
        self._say_spot()
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at, scene = QPointF(event.pos()), self.scene()
        hold = hold_at(scene, at)
        part = hold.part if hold else None
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            part = self._selected
        self.menu_wanted.emit(event.globalPos(), part, scene.transform.to_plane(at.x(), at.y()))

    # ---- Keyboard ----

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if key is Qt.Key.Key_Escape:
            if not self.cancel_drag():
                self.select(None)
        elif key in _ARROWS and self._selected is not None:
            self._nudge(self._selected, _ARROWS[key], modifiers)
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
            super().keyPressEvent(event)

    def _nudge(self, part: Part, direction: Vector, modifiers: Qt.KeyboardModifier) -> None:
        step = NUDGE
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            step = FINE_NUDGE
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            step = COARSE_NUDGE
        x, y = self._state.position(part)
        # Rounding to the step's decimals keeps 0.1 + 0.2 from becoming 0.30000000000000004.
        to = (round(x + step * direction[0], 10), round(y + step * direction[1], 10))
        try:
            moved = self._state.moved(part, to)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        state = replace(self._session.state, lookup=moved)
        self._session.apply(state, f"Nudge {part.name}", merge=f"nudge {part.name}")
        self._point_at(part)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Walk through the parts with Tab; at either end let the focus go on, so that nobody is trapped here."""
        parts = self._state.parts()
        here = parts.index(self._selected) if self._selected in parts else (-1 if forward else len(parts))
        there = here + (1 if forward else -1)
        if 0 <= there < len(parts):
            self.select(parts[there])
            self._point_at(parts[there])
            return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() is Qt.FocusReason.TabFocusReason:
            self.select(self._state.parts()[0])
        elif event.reason() is Qt.FocusReason.BacktabFocusReason:
            self.select(self._state.parts()[-1])
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.cancel_drag()
        super().focusOutEvent(event)

    # ---- Editing ----

    def add_key(self, at: Vector) -> None:
        """Add a key and select it."""
        try:
            added = self._state.with_key_added(at)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        self._session.apply(replace(self._session.state, lookup=added), "Add key")
        self.select(Part(Role.KEY, len(added.entries) - 1))

    def remove_selected(self) -> None:
        """Remove the selected key (or the key of the selected value); the query and the target stay."""
        part = self._selected
        if part is None or part.role not in (Role.KEY, Role.VALUE):
            self.refused.emit("Select a key to delete it; the query stays.")
            return
        try:
            removed = self._state.with_key_removed(part.index)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        self._session.apply(replace(self._session.state, lookup=removed), f"Delete key {part.index + 1}")

    def _preview(self, state: LookupState, label: str) -> None:
        self._session.preview(replace(self._session.state, lookup=state), label)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.update()


def _grip_hint(grip: Grip) -> str:
    return {
        Grip.TIP: "drag to move · Shift snaps to 0.1 · Ctrl: length only · Alt: angle only",
        Grip.SHAFT: "drag to move",
        Grip.LENGTH: "drag to change only the length",
        Grip.ANGLE: "drag to change only the angle",
    }[grip]
