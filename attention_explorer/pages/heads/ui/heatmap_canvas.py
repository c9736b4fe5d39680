"""The large heatmap: point, pin, zoom, pan, and paint the mask."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from attention_explorer.core.map_picture import MapPicture, Window
from attention_explorer.kit.drawing.heatmap import most_tiles, paint_heatmap, paint_lit, paint_unknown
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, layout_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.kit.tween import Tween
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import Cell, HeadsView
from attention_explorer.pages.heads.ui.map_widget import MapWidget
from attention_explorer.pages.ui.session import Session

FEWEST_IN_VIEW = 4
ZOOM_STEP = 1.25
TILE_STEP = 128
MOVE_LABEL = "Move the view"


class HeatmapCanvas(MapWidget):
    """The heatmap of the map on show.

    Signals
    -------
    tiles_changed
        There is room for another number of tiles: the picture has to be computed for it.
    tiles_drawn_changed
        The picture on show is drawn with another number of tiles.
    painting_ended
        Esc was pressed while the mask can be painted.
    """

    tiles_changed = Signal()
    tiles_drawn_changed = Signal()
    painting_ended = Signal()

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, "Attention map", parent)
        self.paints_mask = False
        self.moves = True
        """Whether it goes from one head to the next before one's eyes."""
        self._tween = Tween(self)
        self._tween.moved.connect(self._paint_anew)
        self._follows = False
        self._computed: MapPicture | None = None
        self._picture: MapPicture | None = None  # as it is drawn: what was computed, in as many tiles as have a pixel
        self._layout: HeatmapLayout | None = None
        self._tiles_before = (0, 0)
        self._pressed: QPointF | None = None
        self._window_pressed: Window | None = None
        self._painted: set[Cell] = set()
        self._painted_at = QPointF()
        self._hides = True
        self.setMinimumSize(240, 220)  # at every zoom: at twice the size the whole map is to be seen too

    # ---- Showing ----

    def show_picture(self, frame: HeadsFrame, view: HeadsView, picture: MapPicture) -> None:
        """Show the picture of a frame, computed for the window and the tiles that were asked for."""
        self._follows = self.moves and self._is_another_head(frame, view)
        self.frame, self.view, self._computed = frame, view, picture
        self.picture_changed()
        self.point_again()

    def _is_another_head(self, frame: HeadsFrame, view: HeadsView) -> bool:
        """Whether only the head is another than that on show: the same tokens, seen in the same way."""
        if self.frame is None:
            return False
        chosen = {part: getattr(frame.setup, part) for part in ("layer", "head", "aggregate")}
        same_view = replace(self.view, row=view.row, column=view.column) == view
        return replace(self.frame.setup, **chosen) == frame.setup and same_view

    def withhold(self, withheld: bool) -> None:
        """Show “?” in every cell, or the numbers again."""
        self.withheld = withheld
        self.picture_changed()

    def forget(self) -> None:
        self._computed = self._picture = None
        super().forget()

    @property
    def seen(self) -> Window | None:
        """The part in view; None for all of it."""
        return self.session.state.heads.view.window

    @property
    def tiles(self) -> tuple[int, int]:
        """The most tiles that make sense: the pixels there are; as many each way, for a map that is square."""
        most = self._rounded_up(max(self.height(), self.width()))
        return most, most

    def _rounded_up(self, pixels: int) -> int:
        # In steps, so that a window that is being resized does not compute its picture at every pixel.
        return max(math.ceil(pixels * self.devicePixelRatioF() / TILE_STEP), 1) * TILE_STEP

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.tiles != self._tiles_before:
            self._tiles_before = self.tiles
            self.tiles_changed.emit()

    @property
    def is_zoomed(self) -> bool:
        """Whether the picture shows only a part of the map."""
        return self.frame is not None and self.view.seen(self.frame.shape) != Window.whole(self.frame.shape)

    def picture_changed(self) -> None:
        before, self._layout = self._picture, None
        if self._computed is not None:
            self._fit(self._computed.unknown() if self.withheld else self._computed)
        if self._picture is not None:
            self._tween.go(self._picture.positions, follows=self._follows)
        self._follows = False
        super().picture_changed()
        if before is not None and self._picture is not None and before.values.shape != self._picture.values.shape:
            self.tiles_drawn_changed.emit()

    def _fit(self, picture: MapPicture) -> None:
        """Lay a picture out, and reduce it to the pixels that its cells then have."""
        layout = layout_of(picture, self.look, self.room, steady=self.is_zoomed)
        self._picture = picture.fitted(*most_tiles(layout.cells, self.devicePixelRatioF()))
        if self._picture is picture:
            self._layout = layout

    @property
    def picture(self) -> MapPicture | None:
        """The picture as it is drawn; None before there is one."""
        return self._picture

    @property
    def map_layout(self) -> HeatmapLayout | None:
        """Where everything is; None before there is a picture."""
        if self._layout is None and self._picture is not None:
            self._layout = layout_of(self._picture, self.look, self.room, steady=self.is_zoomed)
        return self._layout

    def cell_box(self, row: int, column: int) -> QRectF:
        """Return where a cell is on the widget; empty if it is out of view."""
        layout, picture = self.map_layout, self._picture
        if layout is None or picture is None:
            return QRectF()
        row, column = row - picture.first_row, column - picture.first_column
        inside = 0 <= row < layout.rows and 0 <= column < layout.columns
        return layout.rectangle(row, column) if inside else QRectF()

    def paint_picture(self, painter: QPainter) -> None:
        if self._picture is None or self.map_layout is None:
            return
        if self.withheld:
            paint_unknown(painter, self._picture, self.map_layout, self.look)
        else:
            on_the_way = self._tween.now if self._tween.is_under_way else None
            paint_heatmap(painter, self._picture, self.map_layout, self.look, on_the_way=on_the_way)

    def _paint_anew(self) -> None:
        self.forget_pixels()
        self.update()

    def paint_marks(self, painter: QPainter) -> None:
        if self._picture is not None and self.map_layout is not None:
            paint_lit(painter, self._picture, self.map_layout, self.look, self.marked.row, self.marked.column)

    # ---- Pointing ----

    def spot_at(self, place: QPointF) -> Spot:
        layout, picture = self.map_layout, self._picture
        if layout is None or picture is None:
            return NOWHERE
        row, column = layout.row_at(place.y()), layout.column_at(place.x())
        left, top = layout.cells.left(), layout.cells.top()
        in_labels_left = left - layout.row_labels.room - self.look.px(12) <= place.x() < left
        above = place.y() < top and place.y() > top - layout.column_labels.room - self.look.px(24)
        spot_row = None if row is None else row + picture.first_row
        spot_column = None if column is None else column + picture.first_column
        if row is not None and (column is not None or in_labels_left):
            return Spot(spot_row, spot_column)
        return Spot(None, spot_column) if column is not None and above else NOWHERE

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        spot = self.spot_at(event.position())
        if self.paints_mask and spot != NOWHERE:
            self._painted_at = event.position()
            self._begin_painting(spot)
            return
        self._pressed = event.position()
        self._window_pressed = self._seen_on_the_map if self.is_zoomed else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._painted:
            self._paint_to(event.position())
        elif self._pressed is not None and self._window_pressed is not None:
            self._pan(event.position() - self._pressed)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        if self._painted:
            self._painted.clear()
            self.session.commit()
        elif self._pressed is not None:
            moved = (event.position() - self._pressed).manhattanLength()
            if moved < QApplication.startDragDistance():
                self.session.revert()  # a hand that trembles on small cells moves nothing
                self.click(self.spot_at(event.position()))
            else:
                self.session.commit()
        self._pressed = self._window_pressed = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape and self._painted:
            self._painted.clear()
            self.session.revert()
        elif key == Qt.Key.Key_Escape and self._window_pressed is not None:
            self._pressed = self._window_pressed = None
            self.session.revert()
        elif key == Qt.Key.Key_Escape and self.paints_mask:
            self.painting_ended.emit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1, QPointF(self.rect().center()))
        elif key == Qt.Key.Key_Minus:
            self.zoom(-1, QPointF(self.rect().center()))
        elif key == Qt.Key.Key_Home:
            self.show_all()
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return) and self.paints_mask and self.pinned != NOWHERE:
            self._begin_painting(self.pinned)
            self._painted.clear()
            self.session.commit()
        else:
            super().keyPressEvent(event)

    def _walk(self, down: int, right: int) -> None:
        super()._walk(down, right)
        self._bring_into_view()

    def reveal(self, spot: Spot) -> None:
        """Pin a spot and bring it into view."""
        self.pin(spot)
        self._bring_into_view()

    def _bring_into_view(self) -> None:
        if self.frame is None or self.session.state.heads.view.window is None:
            return
        window = _including(self._seen_on_the_map, self.pinned).held_within(self.frame.shape)
        # The view follows the walk, and is one step with it.
        self.session.apply(self._state_with(window), MOVE_LABEL, merge="pin", within=math.inf)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        # Whoever has the keyboard now also hears of the button that is let go.
        if self._painted or self._window_pressed is not None:
            self._painted.clear()
            self.session.revert()
        self._pressed = self._window_pressed = None
        super().focusOutEvent(event)

    # ---- Painting the mask ----

    def _begin_painting(self, spot: Spot) -> None:
        if self.frame is None:
            return
        cells = self._cells_of(spot)
        self._hides = any(self.frame.mask is None or bool(self.frame.mask[cell]) for cell in cells)
        self._paint_cells(spot)

    def _cells_of(self, spot: Spot) -> frozenset[Cell]:
        """Return the cells of a spot: one or, where a tile is drawn for many, all of its; or whole rows or columns."""
        picture = self._picture
        if self.frame is None or picture is None:
            return frozenset()
        n_q, n_k = self.frame.shape
        rows, columns = picture.tile_of(
            picture.first_row if spot.row is None else spot.row,
            picture.first_column if spot.column is None else spot.column,
        )
        rows = range(n_q) if spot.row is None else rows
        columns = range(n_k) if spot.column is None else columns
        return frozenset((row, column) for row in rows for column in columns)

    def _paint_to(self, place: QPointF) -> None:
        """Paint all cells on the way: a fast hand skips some, the mouse reports only where it was seen."""
        layout, picture, start = self.map_layout, self._picture, self._painted_at
        if layout is None or picture is None:
            return
        way, (high, wide) = place - start, picture.values.shape
        step = max(min(layout.cells.width() / wide, layout.cells.height() / high) / 2, 0.25)
        count = max(1, math.ceil(max(abs(way.x()), abs(way.y())) / step))
        spots = {self.spot_at(start + way * (i / count)) for i in range(1, count + 1)}
        self._painted_at = place
        self._paint_cells(*spots)

    def _paint_cells(self, *spots: Spot) -> None:
        state = self.session.state
        found = [self._cells_of(spot) for spot in spots if spot != NOWHERE]
        cells = frozenset().union(*found) - self._painted
        if self.frame is None or not cells:
            return
        self._painted |= cells
        choice = state.heads.setup.mask.with_painted(cells, hide=self._hides)
        heads = state.heads.with_setup(mask=choice)
        self.session.preview(replace(state, heads=heads), "Hide cells" if self._hides else "Show cells")

    # ---- Zooming ----

    def wheelEvent(self, event: QWheelEvent) -> None:
        turns = event.angleDelta().y() / 120
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier and self._lies_in_what_scrolls():
            event.ignore()  # whoever reads on shall not be held up by a map on the way
            return
        if turns:
            self.zoom(turns, event.position())
        event.accept()

    def _lies_in_what_scrolls(self) -> bool:
        parent = self.parentWidget()
        while parent is not None:
            if isinstance(parent, QScrollArea) and parent.verticalScrollBar().maximum() > 0:
                return True
            parent = parent.parentWidget()
        return False

    def zoom(self, turns: float, at: QPointF) -> None:
        """Look closer at the cell at a place, or step back."""
        layout, picture = self.map_layout, self._picture
        if layout is None or picture is None or self.frame is None:
            return
        shape, seen = self.frame.shape, self._seen_on_the_map
        x = min(max((at.x() - layout.cells.left()) / max(layout.cells.width(), 1), 0.0), 1.0)
        y = min(max((at.y() - layout.cells.top()) / max(layout.cells.height(), 1), 0.0), 1.0)
        factor = ZOOM_STEP**-turns
        top, bottom = _scaled(seen.top, seen.bottom, y, factor, shape[0])
        left, right = _scaled(seen.left, seen.right, x, factor, shape[1])
        window = Window(top, bottom, left, right).held_within(shape)
        self._show_window(None if window == Window.whole(shape) else window, MOVE_LABEL, merge="view")

    def _pan(self, by: QPointF) -> None:
        layout, start = self.map_layout, self._window_pressed
        if layout is None or start is None or self.frame is None:
            return
        down, right = -round(by.y() / layout.cell_height), -round(by.x() / layout.cell_width)
        moved = Window(start.top + down, start.bottom + down, start.left + right, start.right + right)
        self.session.preview(self._state_with(moved.held_within(self.frame.shape)), MOVE_LABEL)

    def show_all(self) -> None:
        """Show the whole map."""
        self._show_window(None, "Show the whole map")

    def _show_window(self, window: Window | None, label: str, merge: str = "") -> None:
        # Not while a button is held: a stroke or a drag under way would become two steps of the history.
        if not self._painted and self._window_pressed is None:
            self.session.apply(self._state_with(window), label, merge)

    @property
    def _seen_on_the_map(self) -> Window:
        """The part in view, as far as it lies on the map on show."""
        return self.session.state.heads.view.seen((0, 0) if self.frame is None else self.frame.shape)

    def _state_with(self, window: Window | None) -> ExplorerState:
        state = self.session.state
        return replace(state, heads=state.heads.with_view(window=window))


def _scaled(first: int, end: int, at: float, factor: float, most: int) -> tuple[int, int]:
    """Return a range ``factor`` times as long in which the same token is at the share ``at`` of it."""
    length = end - first
    wanted = min(max(round(length * factor), FEWEST_IN_VIEW), most)
    if wanted == length and factor != 1.0:
        wanted = min(max(length + (1 if factor > 1 else -1), min(FEWEST_IN_VIEW, most)), most)
    # Whole tokens: rounding the start instead would let the token under the pointer drift away, step by step.
    start = first + min(int(at * length), length - 1) - min(int(at * wanted), wanted - 1)
    return start, start + wanted


def _including(window: Window, spot: Spot) -> Window:
    """Return a window moved as little as it takes for a spot to be in view."""
    row, column = spot.row, spot.column
    down = 0 if row is None else min(row - window.top, 0) + max(row - window.bottom + 1, 0)
    right = 0 if column is None else min(column - window.left, 0) + max(column - window.right + 1, 0)
    return Window(window.top + down, window.bottom + down, window.left + right, window.right + right)
