"""The plane as it is seen: the pixels of a `LookupState`, the part that is selected, the part of the plane in view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from PySide6.QtCore import QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.accessible import sentences, tell_changed
from attention_explorer.kit.drawing.blanks import paint_guess
from attention_explorer.kit.drawing.marks import pen, pixels_under
from attention_explorer.kit.picture import roomy
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.plane import Extent, Vector
from attention_explorer.pages.lookup.state import QUERY, LookupState, Part
from attention_explorer.pages.lookup.ui.pictures import PlanePicture
from attention_explorer.pages.lookup.ui.plane_backdrop import backdrop_key, paint_backdrop
from attention_explorer.pages.lookup.ui.plane_foreground import paint_foreground
from attention_explorer.pages.lookup.ui.plane_grip import Drag, Hold, Pan
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS, PlaneScene, number_range, scene_for
from attention_explorer.pages.lookup.wording import description, given_in_words, part_given, spot_in_words
from attention_explorer.pages.ui.session import Session

if TYPE_CHECKING:
    # Loaded with the first way that there is: Qt's animations would delay the first picture.
    from attention_explorer.pages.lookup.ui.plane_travel import Travel

COARSE_FIELD, FINE_FIELD = 64, 240
SETTLE_MILLISECONDS = 150
LARGER = 1.13
"""Of everything on the plane against a figure: there its smallest words have 11.5 pixels at zoom 1."""
PLANE, OTHERWISE = "Plane of queries and keys", "Large picture"


P = ParamSpec("P")
R = TypeVar("R")


def on_plane(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Have a method for the plane alone; whatever else is on show is as on every page."""
    of_others: Callable[..., R] = getattr(PicturesCanvas, method.__name__)

    @wraps(method)
    def chosen(view: Any, /, *given: P.args, **named: P.kwargs) -> R:  # noqa: ANN401 # a `PlaneView`
        return (method if view.is_plane else of_others)(view, *given, **named)

    return chosen


class PlaneView(PicturesCanvas):
    """Draws the plane of a `LookupState`, or another picture of it. `LookupCanvas` is this with hands on it.

    Signals
    -------
    refused : str
        Why something that was asked for cannot be done.
    selection_changed : Part or None
        Another part is selected.
    travelled : ()
        All that travels to another example is elsewhere now.
    """

    travelled = Signal()
    refused = Signal(str)
    selection_changed = Signal(object)

    def __init__(
        self,
        session: Session,
        look: Look,
        seen: Callable[[], LookupState] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """``seen`` returns the state to draw, where that is not always the session's: a row may not be there yet."""
        super().__init__(look, PLANE, lambda: session.state.lookup, parent)
        self._session, self._seen = session, seen or (lambda: session.state.lookup)
        self._selected: Part | None = QUERY
        # What a hand is doing: see `LookupCanvas`.
        self._held: Hold | None = None
        self._part_drag: Drag | None = None
        self._pan: Pan | None = None
        self._dragging = False
        self._spot: tuple[Part | Vector | None, str] = (None, "")
        self._numbers = number_range(self._lookup)
        self._field_columns = FINE_FIELD
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MILLISECONDS)
        self._settle.timeout.connect(self._refine_field)
        self._backdrop = QPixmap()
        self._backdrop_key: object = None
        self._travel: Travel | None = None

    @property
    def is_plane(self) -> bool:
        """Whether the plane is on show, and not another picture."""
        return isinstance(self._open, PlanePicture)

    def show_picture(self, drawing: Any, picture: object) -> None:  # noqa: ANN401 # as the base has it
        super().show_picture(drawing, picture)
        self._forget_what_is_gone(self._lookup)
        name = PLANE if self.is_plane else OTHERWISE
        if name != self.accessibleName():
            self.setAccessibleName(name)

    @on_plane
    def picture_changed(self) -> None:
        self.update()  # it is laid out anew at every frame
        tell_changed(self)

    @property
    def room(self) -> QRectF:
        return QRectF(self.rect()) if self.is_plane else super().room

    # ---- What it shows ----

    @on_plane
    def spoken(self) -> str:
        """Return what is drawn in words, the part that keys act on last."""
        frame = lookup_frame(self._lookup)
        selected = "" if self._selected is None else f"Selected: {self._in_words(self._selected)}"
        return sentences(given_in_words(frame.state) if self._withheld else description(frame), selected)

    def _in_words(self, spot: Part | Vector, hint: str = "") -> str:
        """Return what is at a place in words, without what is withheld."""
        frame = lookup_frame(self._lookup)
        if self._withheld and isinstance(spot, Part):
            return part_given(frame.state, spot)
        return spot_in_words(frame, spot, hint)

    @property
    def _lookup(self) -> LookupState:
        return self._seen()

    @property
    def _is_old(self) -> bool:
        """Whether the picture is still that of another state, which hands cannot change."""
        return self._lookup != self._session.state.lookup

    @property
    def selected(self) -> Part | None:
        """The part that keys act on."""
        return self._selected

    def scene(self) -> PlaneScene:
        """Return the picture as it is now."""
        return self._scene_of(self._lookup if self._travel is None else self._travel.on_the_way(self._lookup))

    def _scene_of(self, state: LookupState) -> PlaneScene:
        return scene_for(
            state,
            roomy(replace(self.look, zoom=LARGER * self.look.zoom), self.room),
            self.width(),
            self.height(),
            numbers=self._numbers,
            selected=self._selected if self.hasFocus() or self._dragging else None,
            hovered=self._held.part if self._held else None,
            field_columns=self._field_columns,
            withheld=self._withheld,
        )

    def sizeHint(self) -> QSize:
        # Small: it takes all the room that the rest leaves, and must not ask for more than there is.
        return QSize(self.look.px(720), self.look.px(240))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.look.px(280), self.look.px(200))

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        """Show a new state: nothing is painted here, only asked for."""
        before, after = old.lookup, new.lookup
        if before == after or not self.is_plane or self._is_old:
            return
        self._forget_what_is_gone(after)
        if before.preset != after.preset and before.row is None and after.row is None:
            self._set_out(before, after)
        elif self._travel is not None and before.without_view() != after.without_view():
            self._travel.end()  # a hand need not wait
        if before.keys != after.keys or before.row != after.row or before.temperature != after.temperature:
            self._field_columns = COARSE_FIELD
            self._settle.start()
        self.update()

    def _set_out(self, before: LookupState, after: LookupState) -> None:
        """Let all travel from one example to another."""
        if self._travel is None:
            from attention_explorer.pages.lookup.ui.plane_travel import Travel

            self._travel = Travel(self, self._on_travelled)
        now = self._travel.on_the_way(before)
        self._travel.go(now, self._scene_of(now).transform.visible, after, self._scene_of(after).transform.visible)

    def _on_travelled(self) -> None:
        self.update()
        self.travelled.emit()

    def _forget_what_is_gone(self, state: LookupState) -> None:
        """See to what has changed, also while another page was shown: an undo there may take the selected key away."""
        parts = lookup_frame(state).state.parts()
        if self._selected is not None and self._selected not in parts:
            self.select(QUERY)
        if self._held is not None and self._held.part not in parts:
            self._held = None
        if self._part_drag is None or self._part_drag.line is None:
            self._numbers = number_range(state)

    def _refine_field(self) -> None:
        self._field_columns = FINE_FIELD
        self.update()

    # ---- Painting ----

    @on_plane
    def paintEvent(self, event: QPaintEvent) -> None:
        scene = self.scene()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._backdrop_for(scene))
        paint_foreground(painter, scene)
        if self._guess is not None:
            truth = None if scene.withheld else scene.output_place
            paint_guess(painter, scene.place_value(self._guess), truth, scene.look, BADGE_RADIUS - 3)
        if self.hasFocus() and self._shows_focus:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(pen(scene.look.theme.focus, 2.0 * self.look.zoom))
            painter.drawRect(self.rect().adjusted(1, 1, -2, -2))
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
        super().forget_pixels()
        self._backdrop, self._backdrop_key = QPixmap(), None

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
        return self._part_drag is not None or self._pan is not None

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
        state = self._session.state  # not that on show, which may be of another lookup
        return replace(state, lookup=state.lookup.with_camera(camera))
