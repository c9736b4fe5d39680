"""What shows the pictures of the Heads page: cells, rows and columns are pointed at and pinned."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from attention_explorer.core.map_picture import FloatArray, MapPicture
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout
from attention_explorer.kit.items.item import TURNS
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.kit.tween import Tween
from attention_explorer.pages.heads.alt_text import alt_text, given_text
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.compare_words import compared_token_words, compared_words
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.stages import StagesNumbers
from attention_explorer.pages.heads.state import Aggregate, HeadsState, HeadsView
from attention_explorer.pages.heads.state import Picture as View
from attention_explorer.pages.heads.ui.pictures import (
    AllHeads,
    HeadMap,
    HeadNumbers,
    HeadsCompared,
    MapLaid,
    MapsPicture,
    OneMap,
)
from attention_explorer.pages.heads.ui.pictures import compared as comparison_of
from attention_explorer.pages.heads.ui.travel import NONE, cell_strokes, paint_strokes, strokes_of
from attention_explorer.pages.heads.wording import cell_words, key_name, query_name
from attention_explorer.pages.ui.session import Session

TILE_STEP = 128


class PinningCanvas(PicturesCanvas):
    """One picture at a time. Of a picture of maps, a click pins a cell, a row or a column, and arrow keys walk."""

    def __init__(
        self, session: Session, look: Look, state: Callable[[], HeadsState], parent: QWidget | None = None
    ) -> None:
        self.pinned = NOWHERE
        self.map_hovered: OneMap | None = None
        self._follows = False
        super().__init__(look, "Attention map", state, parent)
        self.session = session
        self._tween, self._strokes = Tween(self), Tween(self)
        for tween in (self._tween, self._strokes):
            tween.moved.connect(self._paint_anew)
        self._start: FloatArray | QRectF | None = None  # where the cells of the picture come from: a box of the screen
        self.setMinimumSize(240, 220)  # at every zoom: at twice the size the whole map is to be seen too

    # ---- What is on show ----

    @property
    def numbers(self) -> HeadNumbers | None:
        """The numbers of a picture of maps; None before there is one, and while another kind is on show."""
        return self._picture if isinstance(self._picture, HeadNumbers) else None

    @property
    def maps(self) -> MapsPicture | None:
        """The picture of maps on show, as it is drawn; None of another kind."""
        return self._drawing if isinstance(self._drawing, MapsPicture) else None

    @property
    def open_picture(self) -> MapsPicture | None:
        """The picture of maps on show, whether it is withheld or not."""
        return self._open if isinstance(self._open, MapsPicture) else None

    @property
    def is_map(self) -> bool:
        """Whether it is one map."""
        return isinstance(self._drawing, HeadMap)

    @property
    def frame(self) -> HeadsFrame | None:
        """The frame of the picture on show."""
        return None if self.numbers is None else self.numbers.frame

    @property
    def picture_layout(self) -> object:
        drawing: object = self._drawing
        if isinstance(drawing, HeadMap):
            drawing.ratio = self.devicePixelRatioF()
        return super().picture_layout

    @property
    def map_laid(self) -> MapLaid | None:
        """The map as it is drawn, and where its cells are; None while there is none."""
        laid = self.picture_layout if self.is_map else None
        return laid if isinstance(laid, MapLaid) else None

    @property
    def map_layout(self) -> HeatmapLayout | None:
        """Where everything of the map is; None while there is none."""
        return None if self.map_laid is None else self.map_laid.layout

    @property
    def map_picture(self) -> MapPicture | None:
        """The map as it is drawn."""
        return None if self.map_laid is None else self.map_laid.picture

    def cell_box(self, row: int, column: int) -> QRectF:
        """Return where a cell of the map is on the widget; empty if it is out of view."""
        if self.map_laid is None:
            return QRectF()
        picture, layout = self.map_laid.picture, self.map_laid.layout
        row, column = row - picture.first_row, column - picture.first_column
        inside = 0 <= row < layout.rows and 0 <= column < layout.columns
        return layout.rectangle(row, column) if inside else QRectF()

    @property
    def tiles(self) -> tuple[int, int]:
        # As many each way, for a map that is square. In steps, so that a window that is being resized does not compute
        # its picture at every pixel.
        pixels = max(self.height(), self.width()) * self.devicePixelRatioF()
        most = max(math.ceil(pixels / TILE_STEP), 1) * TILE_STEP
        return most, most

    def show_picture(self, drawing: Any, picture: object) -> None:  # noqa: ANN401 # a `Picture`
        self._follows = self.moves and self._is_another_head(picture)
        if self._is_another_view(picture):
            self._start = self._strokes.now if self._strokes.is_under_way else self._strokes_now
        super().show_picture(drawing, picture)

    def come_from(self, box: QRectF) -> None:
        """Let the map that is shown next grow out of a box of the screen."""
        self._start = box

    @property
    def _strokes_now(self) -> FloatArray:
        return NONE if self._withheld else strokes_of(self._picture, self.picture_layout, self.look)

    def _is_another_view(self, picture: object) -> bool:
        """Whether the head on show is to be seen in another way, and all else is the same."""
        now, kinds = self._picture, HeadNumbers | StagesNumbers
        if not isinstance(now, kinds) or not isinstance(picture, kinds):
            return False
        # What is pinned alters no cell.
        views = [replace(each.view, picture=View.HEATMAP, row=None, column=None) for each in (now, picture)]
        is_other = now.view.picture is not picture.view.picture
        return is_other and now.frame.setup == picture.frame.setup and views[0] == views[1]

    def _is_another_head(self, picture: object) -> bool:
        """Whether only the head is another than that on show: the same tokens, seen in the same way."""
        before = self.numbers
        if before is None or not isinstance(picture, HeadNumbers):
            return False
        setup = picture.frame.setup
        chosen = {part: getattr(setup, part) for part in ("layer", "head", "aggregate")}
        return replace(before.frame.setup, **chosen) == setup and before.view == picture.view

    def picture_changed(self) -> None:
        super().picture_changed()
        laid = self.map_laid
        if laid is not None:
            self._tween.go(laid.picture.positions, follows=self._follows)
        self._follows = False
        self._send_cells(laid)

    def _send_cells(self, laid: MapLaid | None) -> None:
        """Have the cells go to their places, from where they are if they are still under way."""
        start, is_under_way = self._start, self._strokes.is_under_way
        if start is None and not is_under_way:
            return
        if isinstance(start, QRectF):
            here = QRectF(self.mapFromGlobal(start.topLeft()), start.size())
            start = NONE if laid is None else cell_strokes(laid.picture, here, self.look)
        if start is not None:
            self._strokes.go(start, follows=False)
        self._strokes.go(self._strokes_now, follows=self.moves)

    def forget(self) -> None:
        """Show nothing: there is no picture of what is wanted."""
        self._open = self._drawing = self._picture = None
        self.hovered, self.map_hovered = NOWHERE, None
        self.picture_changed()

    def paint_picture(self, painter: QPainter) -> None:
        laid = self.map_laid
        self._start = None  # until then the page may still have moved the canvas
        if self._strokes.is_under_way:
            paint_strokes(painter, self._strokes.now)
        elif laid is not None and self._tween.is_under_way and not self._withheld:
            cast("HeadMap", self._drawing).paint_on_the_way(painter, laid, self.look, self._tween.now)
        else:
            super().paint_picture(painter)

    def paint_marks(self, painter: QPainter) -> None:
        maps, numbers = self.maps, self.numbers
        if self._strokes.is_under_way:
            return
        if maps is None or numbers is None:
            super().paint_marks(painter)
            return
        laid = self.picture_layout
        if self.lit != NOWHERE:
            maps.mark_spot(painter, numbers, laid, self.look, self.lit)

    def spoken(self) -> str:
        numbers = self.numbers
        if numbers is None or self.maps is None:
            try:
                return super().spoken()
            except ExplorerError as error:
                return str(error)
        if self._withheld:
            return given_text(numbers.frame)
        try:
            heads = replace(self.session.state.heads, setup=numbers.frame.setup)  # the state may ask for more
            said = alt_text(heads.with_view(picture=numbers.view.picture), is_wall=isinstance(self._open, AllHeads))
        except ExplorerError as error:
            return numbers.frame.count.recounted(str(error))  # a file may be written over while it is open
        words = comparison_of(numbers).spoken if isinstance(self._drawing, HeadsCompared) else ""
        return f"{said} {words}".strip()

    # ---- Pointing ----

    def set_spots(self, hovered: Spot, pinned: Spot) -> None:
        """Light up what is pointed at, here or elsewhere, and what is pinned."""
        if (hovered, pinned) != (self.hovered, self.pinned):
            self.hovered, self.pinned = hovered, pinned
            self.update()

    @property
    def lit(self) -> Spot:
        """What is lit: what is pointed at, else what is pinned; a row or an experiment lights nothing up elsewhere."""
        return self.hovered if isinstance(self.hovered, Spot) and self.hovered != NOWHERE else self.pinned

    def words_of(self, spot: Any) -> str:  # noqa: ANN401 # a Spot, or a Hit of another kind of picture
        numbers = self.numbers
        if numbers is None or not isinstance(spot, Spot):
            try:
                return super().words_of(self.hovered if isinstance(spot, Spot) else spot)  # a cell is of maps alone
            except ExplorerError as error:  # the numbers may lie in a file, which was written over
                return str(error)
        if self._withheld:
            return asked_words(numbers.frame, spot)
        found = comparison_of(numbers) if isinstance(self._drawing, HeadsCompared) else None
        try:
            return spot_words(numbers.frame, numbers.view, found, self.map_hovered, spot, is_kept=spot == self.pinned)
        except ExplorerError as error:
            return numbers.frame.count.recounted(str(error))

    def map_at(self, place: QPointF) -> OneMap | None:
        """Return the head whose map is at a place, where a picture has several."""
        maps, numbers = self.maps, self.numbers
        return None if maps is None or numbers is None else maps.map_at(numbers, self.picture_layout, place)

    def _point_to(self, place: QPointF) -> None:
        before, self.map_hovered = self.map_hovered, self.map_at(place)
        spot = self.spot_at(place)
        if spot == self.hovered and before is not self.map_hovered:
            self.spot_changed.emit(spot)
        self._point_at(spot)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.maps is None:
            super().mousePressEvent(event)
        elif event.button() is Qt.MouseButton.LeftButton:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.click(self.spot_at(event.position()), self.map_at(event.position()))

    # ---- Pinning ----

    def click(self, spot: Spot, one: OneMap | None = None) -> None:
        """Pin a spot, or let go of it where it is pinned already; on the map of another head, choose that head."""
        shown = None if self.frame is None else (self.frame.layer, self.frame.head)
        if isinstance(one, HeadsFrame) and (one.layer, one.head) != shown:
            self.pin(spot, one)
        else:
            self.pin(NOWHERE if spot == self.pinned else spot)

    def pin(self, spot: Spot, head: HeadsFrame | None = None) -> None:
        """Keep a cell, row or column lit, of another head if one is given; `NOWHERE` lets go."""
        state = self.session.state
        heads = state.heads.with_view(row=spot.row, column=spot.column)
        if head is not None:
            heads = heads.with_setup(layer=head.layer, head=head.head, aggregate=Aggregate.ONE)
        label = "Let go" if spot == NOWHERE else "Pin a cell" if spot.is_cell else "Pin a token"
        # Looking here and there is one step of the history, however long it takes.
        self.session.apply(replace(state, heads=heads), label, merge="pin", within=math.inf)

    def reveal(self, spot: Spot) -> None:
        """Pin a spot and bring it into view."""
        self.pin(spot)
        self.bring_into_view()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.maps is None or not self._maps_key(event):
            super().keyPressEvent(event)
            if event.key() == Qt.Key.Key_Escape and not event.isAccepted() and self.pinned != NOWHERE:
                event.accept()
                self.pin(NOWHERE)

    def _maps_key(self, event: QKeyEvent) -> bool:
        key, step = event.key(), TURNS.get(event.key())
        if step is not None and self.frame is not None:
            self._walk_cells(*step)
        elif key == Qt.Key.Key_Escape and self.pinned != NOWHERE:
            self.pin(NOWHERE)
        elif key in (Qt.Key.Key_R, Qt.Key.Key_C) and not event.modifiers() and self.frame is not None:
            self._widen(whole_row=key == Qt.Key.Key_R)
        else:
            return False
        return True

    def _widen(self, *, whole_row: bool) -> None:
        """Keep the row or the column of the pinned cell, as a click on its token does; again: the cell."""
        row, column = self.pinned.row or 0, self.pinned.column or 0
        wide = Spot(row, None) if whole_row else Spot(None, column)
        self.pin(Spot(row, column) if wide == self.pinned else wide)
        self.spot_changed.emit(self.pinned)

    def _walk_cells(self, down: int, right: int) -> None:
        maps, numbers = self.maps, self.numbers
        if maps is None or numbers is None:
            return
        rows, columns = maps.walk_through(numbers)
        spot = Spot(_step(rows, self.pinned.row, down), _step(columns, self.pinned.column, right))
        if self.pinned == NOWHERE:
            spot = Spot(0, 0)
        # The keyboard takes over from a pointer that rests.
        self.hovered, self.map_hovered, self._pointer = NOWHERE, None, None
        self.pin(spot)
        self.spot_changed.emit(spot)  # for who listens to what is said
        self.bring_into_view()

    def bring_into_view(self) -> None:
        """Move the view as far as it takes for what is pinned to be seen, where it shows a part."""


def _step(order: Sequence[int], at: int | None, steps: int) -> int | None:
    """Go on from a row or column; from one that is not there, to the last."""
    if at is None or not order:
        return None
    place = order.index(at) + steps if at in order else len(order) - 1
    return order[min(max(place, 0), len(order) - 1)]


# ---- What is said of a spot ----


def spot_words(
    frame: HeadsFrame,
    view: HeadsView,
    compared: Comparison | None,
    one: HeadsFrame | None,
    spot: Spot,
    *,
    is_kept: bool,
) -> str:
    """Return what a cell is made of, or whose row or column is pointed at; nothing where the map has no such cell.

    ``compared`` is the comparison on show, ``one`` the map of several below the pointer; ``is_kept`` of a spot that
    is pinned.
    """
    if compared is not None and spot.row is not None and spot.column is not None:
        return compared_words(compared, spot.row, spot.column)
    if spot == NOWHERE or (compared is None and not spot.lies_on(frame.shape)):
        return ""  # a picture about to be replaced may be larger than the map
    if spot.row is not None and spot.column is not None:
        name = "" if one is None else f"{head_name(one, one.layer, one.head)}: "
        return f"{name}{cell_words(frame if one is None else one, view, spot.row, spot.column)}"
    kept = "kept, click again to let go" if is_kept else ""
    is_row, number = spot.row is not None, (spot.column or 0) if spot.row is None else spot.row
    if compared is not None:
        name = compared_token_words(compared, number, is_row=is_row)
    else:
        name = f"query {query_name(frame, number)}" if is_row else f"key {key_name(frame, number)}"
    return f"{name}: {kept or ('click to keep its row' if is_row else 'click to see who attends to it')}"


def asked_words(frame: HeadsFrame, spot: Spot) -> str:
    """Return what a spot is while its numbers are asked for: the tokens that it belongs to."""
    if spot == NOWHERE or not spot.lies_on(frame.shape):
        return ""
    row = "" if spot.row is None else f"query {query_name(frame, spot.row)}"
    column = "" if spot.column is None else f"key {key_name(frame, spot.column)}"
    return f"{', '.join(filter(None, (row, column)))}: ?"
