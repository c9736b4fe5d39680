"""What every large picture of a map shares: pointing, pinning, walking and painting the mask."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from attention_explorer.session.session import Session
from attention_explorer.state.heads import HeadsView
from attention_explorer.state.heads_frame import HeadsFrame
from attention_explorer.ui.marks import colour_of
from attention_explorer.ui.theme import Look


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell, a row (query) or a column (key) of a map, counted from 0; None is what the spot says nothing about."""

    row: int | None = None
    column: int | None = None

    @property
    def is_cell(self) -> bool:
        """Whether both are known."""
        return self.row is not None and self.column is not None


NOWHERE = Spot()

_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class MapWidget(QWidget):
    """A picture of a map that can be pointed at. What does not depend on the pointer is painted once and kept.

    Signals
    -------
    spot_changed : Spot
        What the pointer is over; `NOWHERE` when it leaves.
    menu_wanted : QPoint
        The context menu is asked for at a place of the screen.
    """

    spot_changed = Signal(object)
    menu_wanted = Signal(QPoint)

    def __init__(self, session: Session, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.look = session, look
        self.frame: HeadsFrame | None = None
        self.view = HeadsView()
        self.hovered, self.pinned = NOWHERE, NOWHERE
        self._kept: QPixmap | None = None
        self._shows_focus = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(name)

    # ---- For the kinds of pictures ----

    def spot_at(self, place: QPointF) -> Spot:
        """Return what is at a place of the widget."""
        raise NotImplementedError

    def paint_picture(self, painter: QPainter) -> None:
        """Paint what does not depend on the pointer."""
        raise NotImplementedError

    def paint_marks(self, painter: QPainter) -> None:
        """Paint what is pointed at and pinned."""
        raise NotImplementedError

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.look = look
        self.picture_changed()

    @property
    def room(self) -> QRectF:
        """Where the picture may be: the widget without a margin."""
        margin = self.look.px(6)
        return QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)

    def set_spots(self, hovered: Spot, pinned: Spot) -> None:
        """Light up what is pointed at, here or in another picture, and what is pinned."""
        if (hovered, pinned) != (self.hovered, self.pinned):
            self.hovered, self.pinned = hovered, pinned
            self.update()

    def picture_changed(self) -> None:
        """Paint everything anew at the next opportunity."""
        self._kept = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.picture_changed()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._kept is None:
            ratio = self.devicePixelRatioF()
            self._kept = QPixmap(self.size() * ratio)
            self._kept.setDevicePixelRatio(ratio)
            self._kept.fill(colour_of(self.look.theme.card))
            painter = QPainter(self._kept)
            self.paint_picture(painter)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._kept)
        self.paint_marks(painter)
        if self.hasFocus() and self._shows_focus:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(colour_of(self.look.theme.focus))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        # A frame around the picture helps who came by keyboard and is in the way of everybody else.
        self._shows_focus = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        super().focusInEvent(event)

    # ---- Pointing ----

    @property
    def marked(self) -> Spot:
        """What is lit: what is pointed at, else what is pinned."""
        return self.hovered if self.hovered != NOWHERE else self.pinned

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.spot_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(NOWHERE)

    def _point_at(self, spot: Spot) -> None:
        if spot != self.hovered:
            self.hovered = spot
            self.update()
            self.spot_changed.emit(spot)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.pin(self.spot_at(event.position()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    # ---- Pinning ----

    def pin(self, spot: Spot) -> None:
        """Keep a cell, row or column lit; `NOWHERE` lets go."""
        state = self.session.state
        heads = state.heads.with_view(row=spot.row, column=spot.column)
        label = "Let go" if spot == NOWHERE else "Pin a cell" if spot.is_cell else "Pin a token"
        self.session.apply(replace(state, heads=heads), label, merge="pin")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None and self.frame is not None:
            self._walk(*step)
        elif event.key() == Qt.Key.Key_Escape and self.pinned != NOWHERE:
            self.pin(NOWHERE)
        else:
            super().keyPressEvent(event)

    def _walk(self, down: int, right: int) -> None:
        if self.frame is None:
            return
        n_q, n_k = self.frame.shape
        if self.pinned == NOWHERE:
            self.pin(Spot(0, 0))
            return
        row, column = self.pinned.row, self.pinned.column
        self.hovered = NOWHERE  # the keyboard takes over from a pointer that rests
        self.pin(
            Spot(
                None if row is None else min(max(row + down, 0), n_q - 1),
                None if column is None else min(max(column + right, 0), n_k - 1),
            )
        )
