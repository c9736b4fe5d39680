"""The widget of all heads: click one to see it large."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attention_explorer.core.numerals import counted
from attention_explorer.kit.accessible import tell_changed
from attention_explorer.kit.drawing.marks import colour_of, paint_focus_frame
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, PointedPicture, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.state import Aggregate, HeadsState, HeadsView, SortBy
from attention_explorer.pages.heads.survey import (
    HeadSurvey,
    in_order,
    line_words,
    meets,
    summary_words,
)
from attention_explorer.pages.heads.ui.above_heads import AboveHeads, menu_of, off_words
from attention_explorer.pages.heads.ui.travel import WallTravel
from attention_explorer.pages.heads.ui.wall import Place, Wall, WallTiles, are_by_number, wall_scale, with_edge
from attention_explorer.pages.heads.ui.wall_grid import SMALLEST_TILE, WallGrid
from attention_explorer.pages.ui.session import Session

_ENTERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class HeadWall(PointedPicture):
    """Shows a `Wall`. Click: see a head large; Ctrl+click, Space: switch it off and on; Shift+click: mark it.

    Signals
    -------
    said : str
        A read-out for the head under the pointer.
    opened
        A head was clicked, or chosen by Enter.
    asked
        A head was clicked twice: what does it do?
    resized
        Thumbnails may be elsewhere than before.
    looked_at
        Thumbnails of other layers have come into view.
    """

    said = Signal(str)
    opened = Signal()
    asked = Signal()
    resized = Signal()
    looked_at = Signal()

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "All heads", parent)
        self._session = session
        self.item: Wall | None = None
        self.grid = WallGrid.strip(self.width(), 0, look)
        """Where the thumbnails are."""
        self.is_quilt = False
        self.all_surveys: tuple[HeadSurvey, ...] = ()
        """The heads in their order, whether they are left out or not."""
        self.is_whole = False
        """Whether all heads have come that were wanted."""
        self.layers_in_view = frozenset[int]()
        """The layers whose thumbnails are in view."""
        # A thumbnail as it was last painted, and what it was painted for: a pointer over the map alters none of them.
        self._tiles = WallTiles()
        self.above = AboveHeads(self)
        self.travel = WallTravel(self)
        self.moves = True
        """Whether its maps go to what a new sentence gives before one's eyes."""
        self.lit = NOWHERE
        """What is pointed at elsewhere."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.spot_changed.connect(lambda _hit: self.said.emit(self.words()))

    # ---- Showing ----

    def show_surveys(self, frame: HeadsFrame, view: HeadsView, surveys: tuple[HeadSurvey, ...]) -> None:
        """Show these heads of a frame; one that has not come yet stays as it was.

        Those of the same numbers and colours keep their pictures.
        """
        item, scale = self.item, wall_scale(surveys, view.contrast)
        if item is None or (scale, view.colour_map) != (item.scale, item.view.colour_map):
            self.forget_pixels()
            self.update()
        is_same = item is not None and (item.frame, item.view, item.dims_old) == (frame, view, False)
        is_of_another = item is not None and _whose(item.frame) != _whose(frame)
        before = {} if is_of_another else {survey.place: survey for survey in self.all_surveys}
        stays = {place for place, survey in before.items() if survey.is_computed}
        surveys = tuple(each for each in surveys if not (each.is_coming and each.place in stays))
        for survey in surveys:
            if before.pop(survey.place, None) is not survey:
                self._forget(survey.place)
        whole = self.is_whole = len(surveys) == len(frame.places) and not any(each.is_coming for each in surveys)
        old = () if whole else tuple(before[place] for place in before.keys() & set(frame.places))
        images = {} if item is None else item.images
        places = frozenset(survey.place for survey in old)
        new = Wall(frame, view, (), scale, self.is_quilt, old=places, images=images)
        new = self._stand(new, self._ordered((*surveys, *old), view, whole))
        self._show_since(item if is_same else None)
        self.travel.go(item, new)
        if self._pointer is not None and not is_same:
            self.point_again()
            self.said.emit(self.words())

    def _show_since(self, before: Wall | None) -> None:
        """Paint only what is new since a wall of the same heads; all of it where there was none, or they moved."""
        shown = () if before is None else before.surveys
        if before is None or len(shown) > len(self.surveys):
            self._fit()
            return
        self._lay_out()
        for index, survey in enumerate(self.surveys):
            if index >= len(shown) or shown[index] is not survey:
                self.update(with_edge(self.box_of(index)))
        if self.item is not None and self.item.is_by_number != before.is_by_number:
            self.update()  # the numbers stand beside the heads

    def _ordered(self, surveys: tuple[HeadSurvey, ...], view: HeadsView, whole: bool) -> tuple[HeadSurvey, ...]:
        if whole or (view.sort is SortBy.NUMBER and not view.reverse):
            return in_order(surveys, view.sort, reverse=view.reverse)
        # While some are still missing, nothing changes its place.
        places = {survey.place: index for index, survey in enumerate(self.all_surveys)}
        return tuple(sorted(surveys, key=lambda survey: places.get(survey.place, len(places))))

    def _stand(self, item: Wall, heads: tuple[HeadSurvey, ...]) -> Wall:
        """Let heads stand in this order: in the quilt all of them, else those that meet the threshold."""
        self.all_surveys = heads
        shown = tuple(each for each in heads if item.is_quilt or meets(each, item.view.threshold))
        self.item = item = replace(item, surveys=shown, is_by_number=are_by_number(shown, item.frame))
        tell_changed(self)
        return item

    def expect(self, frame: HeadsFrame) -> None:
        """Know that what is shown is from before: the heads of another frame are on their way."""
        if self.item is not None and frame.layers is not self.item.frame.layers:
            self.item = replace(self.item, old=frozenset(survey.place for survey in self.all_surveys))

    def dim_old(self) -> None:
        """Grey the heads that are still those from before: no others will come."""
        if self.item is not None:
            self.item = replace(self.item, dims_old=True)
            self.update()

    def forget(self) -> None:
        """Show no heads: there are none of what is wanted."""
        self.item, self.all_surveys, self.is_whole = None, (), False
        self.forget_pixels()
        self._fit()

    def show_view(self, frame: HeadsFrame, view: HeadsView) -> None:
        """Show the same heads in another order."""
        item = self.item
        if item is None or frame is not item.frame:
            return
        arranged = item.view.arranged_as(view)
        if arranged != item.view:
            heads = in_order(self.all_surveys, view.sort, reverse=view.reverse)
            self._stand(replace(item, view=arranged), heads)
            self._fit()

    def be_quilt(self, is_quilt: bool) -> None:
        """Show all heads at once, as large as there is room for; or one below the other."""
        if is_quilt is self.is_quilt:
            return
        self.is_quilt = is_quilt
        self.forget_pixels()
        if self.item is not None:
            self._stand(replace(self.item, is_quilt=is_quilt), self.all_surveys)
        self._fit()

    def set_spot(self, spot: Spot) -> None:
        """Mark the cell that is pointed at elsewhere in every head."""
        if spot != self.lit:
            self.lit = spot
            if not self.grid.is_bare:  # those maps are too small for a mark
                self.update()

    def forget_pixels(self) -> None:
        """Keep nothing that can be painted anew."""
        self._tiles.clear()
        if self.item is not None:
            self.item.images.clear()

    def _forget(self, place: Place) -> None:
        """Keep no pixels of a head."""
        self._tiles.forget(place)
        if self.item is not None:
            self.item.images.pop(place, None)

    # ---- Where everything is ----

    @property
    def surveys(self) -> tuple[HeadSurvey, ...]:
        """The heads as they stand, without those that are left out."""
        return () if self.item is None else self.item.surveys

    @property
    def old(self) -> frozenset[Place]:
        """The heads still shown as they were before."""
        return frozenset() if self.item is None else self.item.old

    @property
    def frame(self) -> HeadsFrame | None:
        """Whose heads they are."""
        return None if self.item is None else self.item.frame

    def picture_changed(self) -> None:
        """Lay it out and paint it anew."""
        self.forget_pixels()
        self._fit()

    def _fit(self) -> None:
        self._lay_out()
        self.update()

    def _lay_out(self) -> None:
        """Know where everything is, and be as high as it takes."""
        parent = self.parentWidget()
        high = self.height() if parent is None or not self.is_quilt else parent.height()
        item, room = self.item, QRectF(0, 0, self.width(), high)
        self.grid = WallGrid.strip(room.width(), 0, self.look) if item is None else item.layout(self.look, room)
        taken = self.grid.size.height()
        # One that fits keeps no height that it once had.
        wanted = 0 if self.is_quilt and taken <= high else math.ceil(taken)
        if self.minimumHeight() != wanted:
            self.setMinimumHeight(wanted)

    def box_of(self, index: int) -> QRectF:
        """Return where the thumbnail at a place of the order is."""
        return self.grid.box_of(index)

    def spot_at(self, place: QPointF) -> Any:  # noqa: ANN401 # NOWHERE or a Hit
        hit = None if self.item is None else self.item.hit(self.grid, place)
        return NOWHERE if hit is None else hit

    def survey_at(self, spot: object) -> HeadSurvey | None:
        """Return the head that was hit."""
        index = self.index_of(*spot.part) if isinstance(spot, Hit) else None
        return None if index is None else self.surveys[index]

    def place_of(self, layer: int, head: int) -> QRectF | None:
        """Return where the thumbnail of a head is; None as long as it has not come."""
        index = self.index_of(layer, head)
        return None if index is None or (layer, head) in self.old else self.box_of(index)

    def index_of(self, layer: int, head: int) -> int | None:
        """Return where in the order a head is."""
        return None if self.item is None else self.item.index_of((layer, head))

    def sizeHint(self) -> QSize:
        return QSize(self.look.px(2 * SMALLEST_TILE + 8), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        self.resized.emit()

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, item, grid = QPainter(self), self.item, self.grid
        painter.fillRect(event.rect(), colour_of(self.look.theme.window))
        if item is not None:
            item.paint_numbers(painter, grid, self.look)
            seen = list(item.heads_in(grid, event.rect()))
            item.paint_images((survey for survey, _ in seen), self.look)
            for survey, box in seen:
                self._paint_head(painter, item, survey, box)
            self.above.paint(painter, item)
        if self._shows_focus:
            paint_focus_frame(painter, self, self.look)
        painter.end()
        self._see()

    def _paint_head(self, painter: QPainter, item: Wall, survey: HeadSurvey, box: QRectF) -> None:
        # A map alone is not worth a picture of its own: of 270, these would take most of the time.
        if painter.paintEngine().type() is QPaintEngine.Type.Raster and not self.grid.is_bare:
            tile = self._tiles.of(item, survey, box, self.grid, self.look, self.devicePixelRatioF())
            painter.drawPixmap(with_edge(box).topLeft(), tile)
        else:  # in a drawing, words stay words
            item.paint_head(painter, survey, box, self.grid, self.look)
        if not self.grid.is_bare:
            item.paint_spot(painter, survey, box, self.look, self.lit)

    def _see(self) -> None:
        """Know which layers are in view; what is not in view is not painted."""
        if self.item is None or not self.is_whole:
            return
        seen = self.visibleRegion().boundingRect()
        layers = frozenset(survey.layer for survey, _ in self.item.heads_in(self.grid, seen))
        if layers != self.layers_in_view:
            self.layers_in_view = layers
            self.looked_at.emit()

    # ---- What people do ----

    def _apply(self, heads: HeadsState, label: str, merge: str = "") -> None:
        self._session.apply(replace(self._session.state, heads=heads), label, merge)

    def choose(self, layer: int, head: int) -> None:
        """Show a head large."""
        heads = self._session.state.heads.with_setup(layer=layer, head=head, aggregate=Aggregate.ONE)
        self._apply(heads, f"Show {self._name(layer, head)}", merge="head")

    def ask(self, layer: int, head: int) -> None:
        """Show a head large, and ask what it does."""
        self.choose(layer, head)
        self.asked.emit()

    def switch(self, layer: int, head: int) -> None:
        """Switch a head off, or on again."""
        heads, place, name = self._session.state.heads, frozenset({(layer, head)}), self._name(layer, head)
        is_off = place <= heads.setup.switched_off
        changed = heads.with_setup(switched_off=heads.setup.switched_off ^ place)
        self._apply(changed, f"Switch {name} {'on' if is_off else 'off'}")
        if not is_off:
            self.said.emit(f"{name.capitalize()} is off: {off_words(heads)}.")

    def mark(self, layer: int, head: int) -> None:
        """Mark a head, to be laid beside others, or let go of its mark."""
        heads, place, frame = self._session.state.heads, frozenset({(layer, head)}), self.frame
        marked = heads.view.marked ^ place
        label = f"{'Mark' if place <= marked else 'Unmark'} {self._name(layer, head)}"
        self._apply(heads.with_view(marked=marked), label)
        there = marked if frame is None else marked.intersection(frame.places)
        self.said.emit(f"{counted(len(there), 'head')} marked{': “Side by side” shows them' * bool(there)}.")

    def unmark_all(self) -> None:
        """Let go of all marks."""
        self._apply(self._session.state.heads.with_view(marked=frozenset()), "Unmark all heads")

    def _name(self, layer: int, head: int) -> str:
        """Return what undo calls a head."""
        return "a head" if self.frame is None else head_name(self.frame, layer, head)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        survey = self.survey_at(self.spot_at(event.position()))
        if survey is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.switch(*survey.place)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.mark(*survey.place)
        else:
            self.choose(*survey.place)
            self.opened.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.survey_at(self.spot_at(event.position())) is not None and not event.modifiers():
            self.asked.emit()
        else:
            self.mousePressEvent(event)

    def _point_at(self, spot: Any) -> None:  # noqa: ANN401 # NOWHERE or a Hit
        if spot != self.hovered:  # nothing lights up that would have to be painted, save the preview
            before = self.above.preview
            self.hovered = spot
            for box in (before, self.above.preview):
                self.update(with_edge(box))
            self.spot_changed.emit(spot)

    def words(self) -> str:
        """Return what is said of the head under the pointer."""
        survey = self.survey_at(self.hovered)
        return "" if survey is None else line_words(survey)

    def spoken(self) -> str:
        return "" if self.item is None else self.item.spoken()

    def tip_at(self, place: QPointF) -> str:
        """Return what to say of a place; empty for nothing."""
        survey = self.survey_at(self.spot_at(place))
        if survey is None:
            return ""
        twice = "" if self.is_quilt else "Double click: what it does. "  # there the first one opens it
        ways = f"{twice}Shift+click marks it. Ctrl+click switches it off and on."
        return f"{summary_words(survey)}\n{ways} Off: {off_words(self._session.state.heads)}."

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        survey, frame = self.survey_at(self.spot_at(QPointF(event.pos()))), self.frame
        if frame is None:
            return
        place = None if survey is None else survey.place
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            place = frame.layer, frame.head
        if place is None or self.index_of(*place) is None:
            return
        menu_of(self, self._session.state.heads, place).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame, item = self.frame, self.item
        if frame is None or item is None:
            super().keyPressEvent(event)
            return
        large = frame.layer, frame.head
        to, is_here = item.beside(self.grid, large, event.key()), item.index_of(large) is not None
        if to is not None:
            self.choose(*to)
        elif is_here and event.key() == Qt.Key.Key_Space:
            self.switch(*large)
        elif is_here and event.key() in _ENTERS:
            self.opened.emit()
        else:
            super().keyPressEvent(event)


def _whose(frame: HeadsFrame) -> object:
    """Return what heads have to share to be the same ones before and after a change."""
    return frame.setup.recipe.whose
