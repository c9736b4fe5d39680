"""All heads as thumbnails: click one to see it large. Each is one image, whatever the number of cells."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from attention_explorer.core.numerals import counted
from attention_explorer.kit.accessible import PICTURE
from attention_explorer.kit.controls.hidden_pixels import HiddenPixels
from attention_explorer.kit.controls.tip_widget import TipWidget
from attention_explorer.kit.drawing.marks import colour_of, paint_focus_frame
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.state import Aggregate, HeadsView, SortBy
from attention_explorer.pages.heads.survey import HeadSurvey, in_order, meets, wall_scale
from attention_explorer.pages.heads.ui.map_widget import CELL_STEPS
from attention_explorer.pages.heads.ui.thumbnail import (
    cells_in,
    line_words,
    paint_marked_dot,
    paint_thumbnail,
    paint_thumbnail_cells,
    paint_thumbnail_mark,
    summary_words,
    thumbnail_image,
)
from attention_explorer.pages.heads.ui.wall_grid import SMALLEST_TILE, WallGrid
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.registry import source_of

MOST_TILES_KEPT = 192
"""Painted thumbnails kept at a time: more than are in view, and about 15 MB at zoom 1. In the grid none is kept."""


OFF = "left out of mean, largest and rollout; later layers stay as they are"
OFF_IN_MODEL = "it adds nothing, so later layers change; left out of mean, largest and rollout too"


class _TileState(NamedTuple):
    """What alters a thumbnail besides its numbers."""

    chosen: bool
    off: bool
    old: bool
    left_out: bool
    marked: bool


class HeadWall(TipWidget):
    """The thumbnails of all heads. Click: see it large; Ctrl+click, Space: switch it off and on; Shift+click: mark it.

    Signals
    -------
    said : str
        A read-out for the head under the pointer.
    resized
        Thumbnails may be elsewhere than before.
    looked_at
        Thumbnails of other layers have come into view.
    """

    accessible_role = PICTURE
    said = Signal(str)
    resized = Signal()
    looked_at = Signal()

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self.grid = WallGrid.of(self.width(), look)
        """Where the thumbnails are."""
        self._frame: HeadsFrame | None = None
        self._has_layers = False
        """Whether there are several: it is asked for every head that is painted."""
        self._view = HeadsView()
        self._scale = wall_scale((), self._view.contrast)
        self._all: tuple[HeadSurvey, ...] = ()
        self._surveys: tuple[HeadSurvey, ...] = ()  # without those that are left out
        self._old: frozenset[tuple[int, int]] = frozenset()  # heads still shown as they were before
        self._dims_old = False
        self.is_whole = False
        """Whether all heads have come that were wanted."""
        self.layers_in_view = frozenset[int]()
        """The layers whose thumbnails are in view."""
        self._images: dict[tuple[int, int], QImage] = {}
        # A thumbnail as it was last painted, and what it was painted for: a pointer over the map alters none of them.
        self._tiles: dict[tuple[int, int], tuple[object, QPixmap]] = {}
        self._hidden = HiddenPixels(self, self.forget_pixels)
        self._spot = NOWHERE
        self._pointer: QPointF | None = None  # where it rests, for the head below it may become another
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("All heads")

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.forget_pixels()
        self._fit()

    def show_surveys(self, frame: HeadsFrame, view: HeadsView, surveys: tuple[HeadSurvey, ...]) -> None:
        """Show these heads of a frame; one that has not come yet stays as it was.

        Those of the same numbers and colours keep their pictures.
        """
        scale = wall_scale(surveys, view.contrast)
        if (scale, view.colour_map) != (self._scale, self._view.colour_map):
            self._scale = scale
            self.forget_pixels()
            self.update()
        known, shown, more_of_the_same = (
            self._all,
            self._surveys,
            (self._frame, self._view, self._dims_old) == (frame, view, False),
        )
        had_numbers = self._is_by_number
        is_of_another = self._frame is not None and _whose(self._frame) != _whose(frame)
        before = {} if is_of_another else {survey.place: survey for survey in known}
        stays = {place for place, survey in before.items() if survey.is_computed}
        surveys = tuple(each for each in surveys if not (each.is_coming and each.place in stays))
        for survey in surveys:
            if before.pop(survey.place, None) is not survey:
                self._images.pop(survey.place, None)
                self._tiles.pop(survey.place, None)
        whole = self.is_whole = len(surveys) == len(frame.places) and not any(each.is_coming for each in surveys)
        old = () if whole else tuple(before[place] for place in before.keys() & set(frame.places))
        self._old, self._dims_old = frozenset(survey.place for survey in old), False
        self._frame, self._view, self._has_layers = frame, view, len(frame.source.heads) > 1
        self._stand(self._ordered((*surveys, *old), whole))
        computed = sum(survey.is_computed for survey in surveys)
        heads = counted(len(surveys), "head")
        if computed < len(surveys):
            heads = f"{computed} of {heads} computed"
        self.setAccessibleDescription(f"{heads}; large: {head_name(frame, frame.layer, frame.head)}")
        if more_of_the_same and len(shown) <= len(self._surveys):
            self._grow()
            self._paint_changed(shown)
            if self._is_by_number != had_numbers:
                self.update()  # they stand beside the heads
        else:
            self._fit()
        if self._pointer is not None and not more_of_the_same:
            self._say(self._pointer)

    def _paint_changed(self, shown: tuple[HeadSurvey, ...]) -> None:
        """Paint only what is new since these were shown."""
        for index, survey in enumerate(self._surveys):
            if index >= len(shown) or shown[index] is not survey:
                self.update(_with_edge(self.box_of(index)))

    def _ordered(self, surveys: tuple[HeadSurvey, ...], whole: bool) -> tuple[HeadSurvey, ...]:
        view = self._view
        if whole or (view.sort is SortBy.NUMBER and not view.reverse):
            return in_order(surveys, view.sort, reverse=view.reverse)
        # While some are still missing, nothing changes its place.
        places = {survey.place: index for index, survey in enumerate(self._all)}
        return tuple(sorted(surveys, key=lambda survey: places.get(survey.place, len(places))))

    def _stand(self, surveys: tuple[HeadSurvey, ...]) -> None:
        """Let the heads stand in this order: in the grid all of them, else those that meet the threshold."""
        threshold = self._view.threshold
        self._all = surveys
        self._surveys = surveys if self._in_grid else tuple(each for each in surveys if meets(each, threshold))

    def expect(self, frame: HeadsFrame) -> None:
        """Know that what is shown is from before: the heads of another frame are on their way."""
        if self._frame is None or frame.layers is not self._frame.layers:
            self._old = frozenset(survey.place for survey in self._all)

    def dim_old(self) -> None:
        """Grey the heads that are still those from before: no others will come."""
        self._dims_old = True
        self.update()

    def forget(self) -> None:
        """Show no heads: there are none of what is wanted."""
        self._frame, self._all, self._surveys = None, (), ()
        self._has_layers = False
        self._old, self.is_whole = frozenset(), False
        self.setAccessibleDescription("")
        self.forget_pixels()
        self._fit()

    def show_view(self, frame: HeadsFrame, view: HeadsView) -> None:
        """Show the same heads in another order."""
        arranged = self._view.arranged_as(view)
        if frame is self._frame and arranged != self._view:
            self._view = arranged
            self._stand(in_order(self._all, view.sort, reverse=view.reverse))
            self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        self._hidden.start()
        super().hideEvent(event)

    def forget_pixels(self) -> None:
        """Keep nothing that can be painted anew."""
        self._images.clear()
        self._tiles.clear()

    def set_spot(self, spot: Spot) -> None:
        """Mark the cell that is pointed at elsewhere in every head."""
        if spot != self._spot:
            self._spot = spot
            if not self._in_grid:  # its maps are too small for a mark
                self.update()

    @property
    def surveys(self) -> tuple[HeadSurvey, ...]:
        """The heads as they stand, without those that are left out."""
        return self._surveys

    @property
    def all_surveys(self) -> tuple[HeadSurvey, ...]:
        """The heads in their order, whether they are left out or not."""
        return self._all

    def _fit(self) -> None:
        self.grid = self._grid()
        self._grow()
        self.update()

    @property
    def _in_grid(self) -> bool:
        """Whether all heads are shown small, a line a layer."""
        return self._view.in_grid and self._has_layers

    @property
    def _is_by_number(self) -> bool:
        """Whether all heads are there and stand layer by layer, each from its first head."""
        count = 0 if self._frame is None else len(self._frame.places)
        in_turn = all(first.place < second.place for first, second in pairwise(self._surveys))
        return in_turn and len(self._surveys) == count

    def _grid(self) -> WallGrid:
        if self._frame is None or not self._in_grid:
            return WallGrid.of(self.width(), self._look)
        parent = self.parentWidget()
        room = QSizeF(self.width(), self.height() if parent is None else parent.height())
        return WallGrid.of_layers(room, self._frame.source.heads, self._look, by_layer=self._is_by_number)

    def _grow(self) -> None:
        wanted = self.grid.height_of(len(self._surveys))
        if self.minimumHeight() != wanted:
            self.setMinimumHeight(wanted)

    # ---- Geometry ----

    def box_of(self, index: int) -> QRectF:
        """Return where the thumbnail at a place of the order is."""
        return self.grid.box_of(index)

    def index_at(self, place: QPointF) -> int | None:
        """Return which thumbnail is at a place."""
        index = self.grid.index_at(place)
        return index if index is not None and index < len(self._surveys) else None

    def place_of(self, layer: int, head: int) -> QRectF | None:
        """Return where the thumbnail of a head is; None as long as it has not come."""
        index = None if (layer, head) in self._old else self.index_of(layer, head)
        return None if index is None else self.box_of(index)

    def index_of(self, layer: int, head: int) -> int | None:
        """Return where in the order a head is."""
        return next((i for i, survey in enumerate(self._surveys) if survey.place == (layer, head)), None)

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(2 * SMALLEST_TILE + 8), self.minimumHeight())

    def resizeEvent(self, event: object) -> None:
        self._fit()
        self.resized.emit()

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour_of(self._look.theme.window))
        if self._in_grid and self._is_by_number:
            self._paint_numbers(painter)
        if len(self._tiles) > MOST_TILES_KEPT:
            self._tiles.clear()
        for index in self.grid.indices_in(event.rect(), len(self._surveys)):
            box = self.box_of(index)
            if self._frame is not None and _with_edge(box).intersects(event.rect()):
                self._paint_tile(painter, self._frame, self._surveys[index], box)
        paint_focus_frame(painter, self, self._look)
        painter.end()
        self._see()

    def _see(self) -> None:
        """Know which layers are in view; what is not in view is not painted."""
        if not self.is_whole:
            return
        seen = self.visibleRegion().boundingRect()
        indices = self.grid.indices_in(seen, len(self._surveys))
        layers = frozenset(self._surveys[i].layer for i in indices if self.box_of(i).intersects(seen))
        if layers != self.layers_in_view:
            self.layers_in_view = layers
            self.looked_at.emit()

    def _paint_tile(self, painter: QPainter, frame: HeadsFrame, survey: HeadSurvey, box: QRectF) -> None:
        state = _TileState(
            self._is_shown(survey),
            survey.place in frame.setup.switched_off,
            self._dims_old and survey.place in self._old,
            not meets(survey, self._view.threshold),
            survey.place in self._view.marked,
        )
        # In the grid a thumbnail is not worth a picture of its own: of 270, these would take most of the time.
        if painter.paintEngine().type() is QPaintEngine.Type.Raster and not self._in_grid:
            painter.drawPixmap(_with_edge(box).topLeft(), self._tile(survey, box, state))
        else:  # in a drawing, words stay words
            self._draw_tile(painter, survey, box, state)
        if survey.is_computed and not self._in_grid:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_thumbnail_mark(painter, survey.shape, cells_in(box, survey, self._look), self._spot, self._look)

    def _tile(self, survey: HeadSurvey, box: QRectF, state: _TileState) -> QPixmap:
        """Return a painted thumbnail, the one of the last time if nothing about it has changed."""
        place, ratio = _with_edge(box), self.devicePixelRatioF()
        # Of its place, only what is left of whole pixels alters the picture.
        inside = box.translated(-QPointF(place.topLeft()))
        key = (survey.name, self._view.sort, state, inside, ratio)
        kept = self._tiles.get(survey.place)
        if kept is not None and kept[0] == key:
            return kept[1]
        picture = QPixmap(place.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(colour_of(self._look.theme.window))
        painter = QPainter(picture)
        self._draw_tile(painter, survey, inside, state)
        painter.end()
        self._tiles[survey.place] = key, picture
        return picture

    def _draw_tile(self, painter: QPainter, survey: HeadSurvey, box: QRectF, state: _TileState) -> None:
        look, chosen = self._look, state.chosen
        if self._in_grid:
            self._draw_small(painter, survey, box, state)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colour_of(look.theme.card))
        edge = look.theme.text if chosen else look.theme.border
        painter.setPen(QPen(QColor(edge), 2.0 * look.zoom if chosen else 1.0))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), look.px(6), look.px(6))
        image = self._image(survey)
        paint_thumbnail(painter, survey, image, box, self._view, look, off=state.off, old=state.old)
        if state.marked:
            paint_marked_dot(painter, box.adjusted(0, 0, -look.px(6), 0).translated(0, look.px(6)), look)

    def _draw_small(self, painter: QPainter, survey: HeadSurvey, box: QRectF, state: _TileState) -> None:
        """Draw a head without words: its map, and a frame around the one that is large."""
        look = self._look
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # the dot of the one before has set it
        painter.fillRect(box, colour_of(look.theme.card))
        if survey.is_computed:
            paint_thumbnail_cells(
                painter, self._image(survey), box, off=state.off, old=state.old, left_out=state.left_out
            )
        if state.chosen:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for colour, width in ((look.theme.text, 4.0), (look.theme.card, 1.5)):  # seen on dark maps and light ones
                painter.setPen(QPen(QColor(colour), width * look.zoom))
                painter.drawRect(box)
        if state.marked:
            paint_marked_dot(painter, box, look)

    def _paint_numbers(self, painter: QPainter) -> None:
        """Write the numbers of heads above the grid and those of layers beside it, as many as there is room for."""
        grid, look, frame = self.grid, self._look, self._frame
        painter.setFont(look.font(11))
        painter.setPen(QColor(look.theme.muted))
        if frame is None:
            return
        step = math.ceil(painter.fontMetrics().horizontalAdvance("00 ") / (grid.width + grid.gap))
        for head in range(0, grid.columns, step):
            left = grid.left + head * (grid.width + grid.gap)
            place = QRectF(left - 20, 0, grid.width + 40, grid.top)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(frame.count.number(head)))
        step = math.ceil(painter.fontMetrics().height() / (grid.height + grid.gap))
        beside = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for layer in range(0, len(frame.source.heads), step):
            middle = grid.top + layer * (grid.height + grid.gap) + grid.height / 2
            place = QRectF(0, middle - 10, grid.left - look.px(4), 20)
            painter.drawText(place, beside, str(frame.count.number(layer)))

    def _image(self, survey: HeadSurvey) -> QImage:
        if survey.place not in self._images:
            self._images[survey.place] = thumbnail_image(survey, self._scale, self._view.colour_map, self._look)
        return self._images[survey.place]

    def _is_shown(self, survey: HeadSurvey) -> bool:
        """Whether a head is in the large picture, alone or with the others of its layer."""
        frame = self._frame
        if frame is None:
            return False
        if frame.setup.aggregate is Aggregate.ONE:
            return survey.place == (frame.layer, frame.head)
        same_layer = survey.layer == frame.layer or frame.setup.aggregate is Aggregate.ROLLOUT
        return same_layer and survey.place not in frame.setup.switched_off

    # ---- What people do ----

    def choose(self, layer: int, head: int) -> None:
        """Show a head large."""
        state = self._session.state
        heads = state.heads.with_setup(layer=layer, head=head, aggregate=Aggregate.ONE)
        self._session.apply(replace(state, heads=heads), f"Show {self._name(layer, head)}", merge="head")

    def switch(self, layer: int, head: int) -> None:
        """Switch a head off, or on again."""
        state = self._session.state
        place = frozenset({(layer, head)})
        now = state.heads.setup.switched_off
        heads = state.heads.with_setup(switched_off=now ^ place)
        label = f"Switch {self._name(layer, head)} {'on' if place <= now else 'off'}"
        self._session.apply(replace(state, heads=heads), label)
        if not place <= now:
            self.said.emit(f"{self._name(layer, head).capitalize()} is off: {self._off_words()}.")

    def _off_words(self) -> str:
        """Say what it means that a head is off."""
        source = source_of(self._session.state.heads.setup.recipe)
        return OFF_IN_MODEL if source.traits.runs_without_heads else OFF

    def _name(self, layer: int, head: int) -> str:
        """Return what undo calls a head."""
        if self._frame is None:
            return "a head"
        return head_name(self._frame, layer, head)

    def mark(self, layer: int, head: int) -> None:
        """Mark a head, to be laid beside others, or let go of its mark."""
        state, frame = self._session.state, self._frame
        place = frozenset({(layer, head)})
        marked = state.heads.view.marked ^ place
        label = f"{'Mark' if place <= marked else 'Unmark'} {self._name(layer, head)}"
        self._session.apply(replace(state, heads=state.heads.with_view(marked=marked)), label)
        there = marked if frame is None else marked.intersection(frame.places)
        self.said.emit(f"{counted(len(there), 'head')} marked{': “Side by side” shows them' * bool(there)}.")

    def unmark_all(self) -> None:
        """Let go of all marks."""
        state = self._session.state
        self._session.apply(replace(state, heads=state.heads.with_view(marked=frozenset())), "Unmark all heads")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.index_at(event.position())
        if index is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        place = self._surveys[index].place
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.switch(*place)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.mark(*place)
        else:
            self.choose(*place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        self._say(self._pointer)

    def _say(self, place: QPointF) -> None:
        index = self.index_at(place)
        self.said.emit("" if index is None else line_words(self._surveys[index], few=self._look.few))

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self.said.emit("")

    def tip_at(self, place: QPointF) -> str:
        index = self.index_at(place)
        if index is None:
            return ""
        words = summary_words(self._surveys[index], few=self._look.few)
        return f"{words}\nShift+click marks it. Ctrl+click switches it off and on. Off: {self._off_words()}."

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, frame = self.index_at(QPointF(event.pos())), self._frame
        if event.reason() is QContextMenuEvent.Reason.Keyboard and frame is not None:
            index = self.index_of(frame.layer, frame.head)
        if index is None or frame is None:
            return
        place = self._surveys[index].place
        off = place in frame.setup.switched_off
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show large", lambda: self.choose(*place))
        menu.setToolTipsVisible(True)
        switch = menu.addAction("Switch on" if off else "Switch off", lambda: self.switch(*place))
        switch.setToolTip(f"Off: {self._off_words()}")
        menu.addAction("Unmark" if place in self._view.marked else "Mark", lambda: self.mark(*place))
        if self._view.marked:
            menu.addAction("Unmark all", self.unmark_all)
        menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame, key = self._frame, Qt.Key(event.key())
        at = None if frame is None else self.index_of(frame.layer, frame.head)
        step = CELL_STEPS.get(key)
        if at is None and step is not None and self._surveys:
            self.choose(*self._surveys[0].place)  # the head on show is left out of the wall
        elif at is not None and step is not None:
            down, right = step
            self.choose(*self._surveys[self.grid.moved(at, right, down, len(self._surveys))].place)
        elif at is not None and key == Qt.Key.Key_Space:
            self.switch(*self._surveys[at].place)
        else:
            super().keyPressEvent(event)


def _whose(frame: HeadsFrame) -> object:
    """Return what heads have to share to be the same ones before and after a change."""
    return frame.setup.recipe.whose


def _with_edge(box: QRectF) -> QRect:
    """Return the pixels of a thumbnail: its frame is wide when it is chosen, and reaches beyond its box."""
    return box.adjusted(-2, -2, 2, 2).toAlignedRect()
