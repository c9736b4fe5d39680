"""The plane as it is seen: the pixels of a `LookupState`, the part that is selected, the part of the plane in view."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.accessible import PICTURE, sentences
from attention_explorer.kit.controls.hidden_pixels import HiddenPixels
from attention_explorer.kit.drawing.marks import pen, pixels_under
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.plane import Extent, Vector
from attention_explorer.pages.lookup.state import QUERY, LookupState, Part
from attention_explorer.pages.lookup.ui.plane_backdrop import backdrop_key, paint_backdrop
from attention_explorer.pages.lookup.ui.plane_foreground import paint_foreground
from attention_explorer.pages.lookup.ui.plane_grip import Drag, Hold, Pan
from attention_explorer.pages.lookup.ui.plane_guess import paint_guess
from attention_explorer.pages.lookup.ui.plane_scene import PlaneScene, number_range, scene_for
from attention_explorer.pages.lookup.wording import description, given_in_words, part_given, spot_in_words
from attention_explorer.pages.ui.session import Session

COARSE_FIELD, FINE_FIELD = 64, 240
SETTLE_MILLISECONDS = 150


class PlaneView(QWidget):
    """Draws the plane of a `LookupState`. `LookupCanvas` is this with hands on it.

    Signals
    -------
    refused : str
        Why something that was asked for cannot be done.
    selection_changed : Part or None
        Another part is selected.
    """

    accessible_role = PICTURE
    refused = Signal(str)
    selection_changed = Signal(object)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._selected: Part | None = QUERY
        # What a hand is doing, which shows: see `PlaneMouse`.
        self._hovered: Hold | None = None
        self._drag: Drag | None = None
        self._pan: Pan | None = None
        self._dragging = False
        self._withheld = False
        self._guess: Vector | None = None
        self._numbers = number_range(self._state)
        self._field_columns = FINE_FIELD
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MILLISECONDS)
        self._settle.timeout.connect(self._refine_field)
        self._backdrop = QPixmap()
        self._backdrop_key: object = None
        self._hidden = HiddenPixels(self, self.forget_pixels)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Plane of queries and keys")

    # ---- What it shows ----

    def spoken(self) -> str:
        """Return what is drawn in words, the part that keys act on last."""
        frame = lookup_frame(self._state)
        selected = "" if self._selected is None else f"Selected: {self._in_words(self._selected)}"
        return sentences(given_in_words(frame.state) if self._withheld else description(frame), selected)

    def _in_words(self, spot: Part | Vector, hint: str = "") -> str:
        """Return what is at a place in words, without what is withheld."""
        frame = lookup_frame(self._state)
        if self._withheld and isinstance(spot, Part):
            return part_given(frame.state, spot)
        return spot_in_words(frame, spot, hint)

    def withhold(self, withheld: bool) -> None:
        """Draw and say nothing that is computed, or all again."""
        self._withheld = withheld
        self.update()

    def show_guess(self, place: Vector | None) -> None:
        """Mark where somebody thinks that the output is, or nothing."""
        self._guess = place
        self.update()

    @property
    def _state(self) -> LookupState:
        return self._session.state.lookup

    @property
    def selected(self) -> Part | None:
        """The part that keys act on."""
        return self._selected

    def scene(self) -> PlaneScene:
        """Return the picture as it is now."""
        return scene_for(
            self._state,
            self._look,
            self.width(),
            self.height(),
            numbers=self._numbers,
            selected=self._selected if self.hasFocus() or self._dragging else None,
            hovered=self._hovered.part if self._hovered else None,
            field_columns=self._field_columns,
            withheld=self._withheld,
        )

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
        self._forget_what_is_gone(after)
        if before == after:
            return
        if before.keys != after.keys or before.row != after.row or before.temperature != after.temperature:
            self._field_columns = COARSE_FIELD
            self._settle.start()
        self.update()

    def _forget_what_is_gone(self, state: LookupState) -> None:
        """See to what has changed, also while another page was shown: an undo there may take the selected key away."""
        parts = lookup_frame(state).state.parts()
        if self._selected is not None and self._selected not in parts:
            self.select(QUERY)
        if self._hovered is not None and self._hovered.part not in parts:
            self._hovered = None
        if self._drag is None or self._drag.line is None:
            self._numbers = number_range(state)

    def _refine_field(self) -> None:
        self._field_columns = FINE_FIELD
        self.update()

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        scene = self.scene()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._backdrop_for(scene))
        paint_foreground(painter, scene)
        if self._guess is not None:
            paint_guess(painter, scene, self._guess)
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
            self._backdrop = QPixmap(pixels_under(self.size(), ratio))
            self._backdrop.setDevicePixelRatio(ratio)
            self._backdrop.fill(scene.look.theme.window)
            painter = QPainter(self._backdrop)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_backdrop(painter, scene)
            painter.end()
            self._backdrop_key = key
        return self._backdrop

    def forget_pixels(self) -> None:
        """Keep nothing that can be painted anew."""
        self._backdrop, self._backdrop_key = QPixmap(), None

    def hideEvent(self, event: QHideEvent) -> None:
        self._hidden.start()
        super().hideEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.update()

    # ---- Selection and camera ----

    def select(self, part: Part | None) -> None:
        """Select a part, or nothing."""
        if part != self._selected:
            self._selected = part
            self.selection_changed.emit(part)
            self.update()

    @property
    def is_held(self) -> bool:
        """Whether a hand is at a part or at the plane just now."""
        return self._drag is not None or self._pan is not None

    def show_home(self) -> None:
        """Show the part of the plane that the page began with."""
        if not self.is_held:
            self._session.apply(self._with_camera(None), "Home view")

    def zoom(self, factor: float, about: Vector | None = None) -> None:
        """Magnify the plane around a point, by default its middle; not while a hand moves something on it."""
        if self.is_held:
            return
        visible = self.scene().transform.visible
        camera = visible.zoomed(factor, visible.centre if about is None else about)
        if camera == visible:
            self.refused.emit(
                "The view cannot be closer: neighbouring pixels would have the same coordinates."
                if factor > 1
                else f"The view cannot be wider: it is {grouped(round(visible.span))} units across."
            )
            return
        self.look_at(camera)

    def look_at(self, camera: Extent) -> None:
        """Show another part of the plane; steps that follow each other at once are one to undo."""
        self._session.apply(self._with_camera(camera), "Move the view", merge="view")

    def _with_camera(self, camera: Extent | None) -> ExplorerState:
        return replace(self._session.state, lookup=self._state.with_camera(camera))
