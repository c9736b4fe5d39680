"""What the large pictures of the Heads page share: pinning, walking, and which of several maps is pointed at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, PointedPicture, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.model import Stage
from attention_explorer.pages.heads.alt_text import alt_text, given_text
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import Aggregate, HeadsView
from attention_explorer.pages.ui.session import Session

OneMap: TypeAlias = Stage | HeadsFrame
"""One of several maps in a picture: a stage of the head, or another head."""

CELL_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
"""How many rows down and columns to the right an arrow key goes."""


def _step(order: Sequence[int], at: int | None, steps: int) -> int | None:
    """Go on from a row or column; from one that is not there, to the last."""
    if at is None or not order:
        return None
    place = order.index(at) + steps if at in order else len(order) - 1
    return order[min(max(place, 0), len(order) - 1)]


class MapWidget(PointedPicture):
    """A picture of a map whose cells, rows and columns can be pinned; `spot_changed` says where keys walk, too."""

    def __init__(self, session: Session, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self.session = session
        self.frame: HeadsFrame | None = None
        self.view = HeadsView()
        self.pinned = NOWHERE
        self.map_hovered: OneMap | None = None
        self.withheld = False
        """Whether its numbers are not to be told."""

    # ---- For the kinds of pictures ----

    def map_at(self, _place: QPointF) -> OneMap | None:
        """Return which map is at a place of the widget, where a picture shows several."""
        return None

    def walk_through(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return rows and columns in the order in which the arrow keys go from one to the next."""
        n_q, n_k = (0, 0) if self.frame is None else self.frame.shape
        return range(n_q), range(n_k)

    def spoken(self) -> str:
        if self.frame is None:
            return ""
        if self.withheld:
            return given_text(self.frame)
        try:
            return alt_text(replace(self.session.state.heads, setup=self.frame.setup))  # the state may ask for another
        except ExplorerError as error:
            return self.frame.count.recounted(str(error))  # a file may be written over while it is open

    def forget(self) -> None:
        """Show nothing: there is no picture of what is wanted."""
        self.frame, self.hovered, self.stage_hovered = None, NOWHERE, None
        self.picture_changed()

    # ---- Pointing ----

    def set_spots(self, hovered: Spot, pinned: Spot) -> None:
        """Light up what is pointed at, here or in another picture, and what is pinned."""
        if (hovered, pinned) != (self.hovered, self.pinned):
            self.hovered, self.pinned = hovered, pinned
            self.update()

    @property
    def marked(self) -> Spot:
        """What is lit: what is pointed at, else what is pinned."""
        return self.hovered if self.hovered != NOWHERE else self.pinned

    def _point_to(self, place: QPointF) -> None:
        self._point_at(self.spot_at(place), self.map_at(place))

    def _point_at(self, spot: Spot, one: OneMap | None = None) -> None:
        if (spot, one) != (self.hovered, self.map_hovered):
            self.hovered, self.map_hovered = spot, one
            self.update()
            self.spot_changed.emit(spot)

    # ---- Pinning ----

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.click(self.spot_at(event.position()), self.map_at(event.position()))

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = CELL_STEPS.get(Qt.Key(event.key()))
        if step is not None and self.frame is not None:
            self._walk(*step)
        elif event.key() == Qt.Key.Key_Escape and self.pinned != NOWHERE:
            self.pin(NOWHERE)
        elif event.key() in (Qt.Key.Key_R, Qt.Key.Key_C) and not event.modifiers() and self.frame is not None:
            self._widen(whole_row=event.key() == Qt.Key.Key_R)
        else:
            super().keyPressEvent(event)

    def _widen(self, *, whole_row: bool) -> None:
        """Keep the row or the column of the pinned cell, as a click on its token does; again: the cell."""
        row, column = self.pinned.row or 0, self.pinned.column or 0
        wide = Spot(row, None) if whole_row else Spot(None, column)
        self.pin(Spot(row, column) if wide == self.pinned else wide)
        self.spot_changed.emit(self.pinned)

    def _walk(self, down: int, right: int) -> None:
        if self.frame is None:
            return
        rows, columns = self.walk_through()
        spot = Spot(_step(rows, self.pinned.row, down), _step(columns, self.pinned.column, right))
        if self.pinned == NOWHERE:
            spot = Spot(0, 0)
        # The keyboard takes over from a pointer that rests.
        self.hovered, self.map_hovered, self._pointer = NOWHERE, None, None
        self.pin(spot)
        self.spot_changed.emit(spot)  # for who listens to what is said
