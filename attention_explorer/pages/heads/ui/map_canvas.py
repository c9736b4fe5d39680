"""The map under the hand: it is zoomed, moved and painted on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from attention_explorer.core.map_picture import Window
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import Cell, HeadsState
from attention_explorer.pages.heads.ui.canvas import PinningCanvas
from attention_explorer.pages.ui.session import Session

FEWEST_IN_VIEW = 4
ZOOM_STEP = 1.25
MOVE_LABEL = "Move the view"


class HeadsCanvas(PinningCanvas):
    """The canvas of the page; what only the one map can do is here.

    Signals
    -------
    painting_ended
        Esc was pressed while the mask can be painted.
    """

    painting_ended = Signal()

    def __init__(
        self, session: Session, look: Look, state: Callable[[], HeadsState], parent: QWidget | None = None
    ) -> None:
        self.paints_mask = False
        self._mouse_down: QPointF | None = None
        self._window_pressed: Window | None = None
        self._painted: set[Cell] = set()
        self._painted_at = QPointF()
        self._hides = True
        super().__init__(session, look, state, parent)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.is_map:
            super().mousePressEvent(event)
            return
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        place = event.position()
        spot = self.spot_at(place)
        if self.paints_mask and spot != NOWHERE:
            self._painted_at = place
            self._begin_painting(spot)
        else:
            self._mouse_down = place
            self._window_pressed = self._seen_on_the_map if self.is_zoomed else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._painted:
            self._paint_to(event.position())
        elif self._mouse_down is not None and self._window_pressed is not None:
            self._pan(event.position() - self._mouse_down)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.maps is None or event.button() is not Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        if self._painted:
            self._painted.clear()
            self.session.commit()
        elif self._mouse_down is not None:
            moved = (event.position() - self._mouse_down).manhattanLength()
            if moved < QApplication.startDragDistance():
                self.session.revert()  # a hand that trembles on small cells moves nothing
                self.click(self.spot_at(event.position()))
            else:
                self.session.commit()
        self._mouse_down = self._window_pressed = None

    def focusOutEvent(self, event: QFocusEvent) -> None:
        # Whoever has the keyboard now also hears of the button that is let go.
        if self._painted or self._window_pressed is not None:
            self._painted.clear()
            self.session.revert()
        self._mouse_down = self._window_pressed = None
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.is_map or not self._map_key(event.key()):
            super().keyPressEvent(event)

    def _map_key(self, key: int) -> bool:
        """Do what a key does on the one map; return whether it does anything."""
        is_escape = key == Qt.Key.Key_Escape
        if is_escape and (self._painted or self._window_pressed is not None):
            self._painted.clear()
            self._mouse_down = self._window_pressed = None
            self.session.revert()
        elif is_escape and self.paints_mask:
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
            return False
        return True

    def bring_into_view(self) -> None:
        if not self.is_map or self.frame is None or self.session.state.heads.view.window is None:
            return
        window = _including(self._seen_on_the_map, self.pinned).held_within(self.frame.shape)
        # The view follows the walk, and is one step with it.
        self.session.apply(self._state_with(window), MOVE_LABEL, merge="pin", within=math.inf)

    # ---- Painting the mask ----

    def _begin_painting(self, spot: Spot) -> None:
        if self.frame is None:
            return
        cells = self._cells_of(spot)
        self._hides = any(self.frame.mask is None or bool(self.frame.mask[cell]) for cell in cells)
        self._paint_cells(spot)

    def _cells_of(self, spot: Spot) -> frozenset[Cell]:
        """Return the cells of a spot: one or, where a tile is drawn for many, all of its; or whole rows or columns."""
        picture = self.map_picture
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
        laid, start = self.map_laid, self._painted_at
        if laid is None:
            return
        way, (high, wide), cells = place - start, laid.picture.values.shape, laid.layout.cells
        step = max(min(cells.width() / wide, cells.height() / high) / 2, 0.25)
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
        is_for_page = not event.modifiers() & Qt.KeyboardModifier.ControlModifier and self._lies_in_what_scrolls()
        if not self.is_map or is_for_page:
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

    @property
    def is_zoomed(self) -> bool:
        """Whether the picture shows only a part of the map."""
        numbers = self.numbers
        return numbers is not None and numbers.view.seen(numbers.frame.shape) != Window.whole(numbers.frame.shape)

    def zoom(self, turns: float, at: QPointF) -> None:
        """Look closer at the cell at a place, or step back."""
        laid = self.map_laid
        if laid is None or self.frame is None:
            return
        shape, seen, cells = self.frame.shape, self._seen_on_the_map, laid.layout.cells
        x = min(max((at.x() - cells.left()) / max(cells.width(), 1), 0.0), 1.0)
        y = min(max((at.y() - cells.top()) / max(cells.height(), 1), 0.0), 1.0)
        factor = ZOOM_STEP**-turns
        top, bottom = _scaled(seen.top, seen.bottom, y, factor, shape[0])
        left, right = _scaled(seen.left, seen.right, x, factor, shape[1])
        window = Window(top, bottom, left, right).held_within(shape)
        self._show_window(None if window == Window.whole(shape) else window, MOVE_LABEL, merge="view")

    def _pan(self, by: QPointF) -> None:
        laid, start = self.map_laid, self._window_pressed
        if laid is None or start is None or self.frame is None:
            return
        down, right = -round(by.y() / laid.layout.cell_height), -round(by.x() / laid.layout.cell_width)
        moved = Window(start.top + down, start.bottom + down, start.left + right, start.right + right)
        self.session.preview(self._state_with(moved.held_within(self.frame.shape)), MOVE_LABEL)

    def show_all(self) -> None:
        """Show the whole map."""
        self._show_window(None, "Show the whole map")

    def _show_window(self, window: Window | None, label: str, merge: str = "") -> None:
        # Within a drag, whatever it is about, another step would end it in the history.
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
