"""What every picture that can be pointed at shares: its kept pixels, what is lit, the focus frame, the menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from attention_explorer.kit.accessible import PICTURE, tell_changed
from attention_explorer.kit.drawing.marks import colour_of, pixels_under
from attention_explorer.kit.items.item import Item, Leaves, is_alike
from attention_explorer.kit.theme import Look
from attention_explorer.session.memory import tidy

FORGET_AFTER_MILLISECONDS = 3000
"""Whoever comes back to a page sooner finds its pictures painted."""


class HiddenPixels(QTimer):
    """Started when a widget is hidden; calls ``forget`` if it is still hidden some seconds later.

    On a large screen each picture keeps up to 60 MB of pixels, and there are a dozen pictures on six pages.
    """

    def __init__(self, widget: QWidget, forget: Callable[[], None]) -> None:
        super().__init__(widget, singleShot=True, interval=FORGET_AFTER_MILLISECONDS)
        self._widget, self._forget = widget, forget
        self.timeout.connect(self._on_timeout)

    def _on_timeout(self) -> None:
        if not self._widget.isVisible():
            self._forget()
            tidy()


L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell, a row (query) or a column (key) of a map, counted from 0; None is what the spot says nothing about."""

    row: int | None = None
    column: int | None = None

    @property
    def is_cell(self) -> bool:
        """Whether both are known."""
        return self.row is not None and self.column is not None

    def lies_on(self, shape: tuple[int, int]) -> bool:
        """Whether a map of this shape has it."""
        return (self.row is None or self.row < shape[0]) and (self.column is None or self.column < shape[1])


NOWHERE = Spot()


class PointedPicture(QWidget):
    """A picture that can be pointed at. What does not depend on the pointer is painted once and kept.

    Signals
    -------
    spot_changed : Spot or Hit
        What the pointer is over, `NOWHERE` when it leaves.
    menu_wanted : QPoint
        The context menu is asked for at a place of the screen.
    """

    accessible_role = PICTURE
    spot_changed = Signal(object)
    menu_wanted = Signal(QPoint)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.hovered: Any = NOWHERE
        """What is pointed at: a `Spot`, or a `Hit` of a picture made of items."""
        self.reason = ""
        """Why the picture is not that of the settings, for a screen reader; empty if it is."""
        self._pointer: QPointF | None = None
        self._kept: QPixmap | None = None
        self._ground: tuple[object, QPixmap] | None = None
        self._hidden = HiddenPixels(self, self.forget_pixels)
        self._shows_focus = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(name)

    # ---- For the kinds of pictures ----

    def spot_at(self, place: QPointF) -> Any:  # noqa: ANN401 # a spot or a hit
        """Return what is at a place of the widget."""
        raise NotImplementedError

    def paint_picture(self, painter: QPainter) -> None:
        """Paint what does not depend on the pointer."""
        raise NotImplementedError

    def paint_marks(self, painter: QPainter) -> None:
        """Paint what is lit."""
        raise NotImplementedError

    def spoken(self) -> str:
        """Return what is drawn in words, for people who cannot see it."""
        raise NotImplementedError

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.look = look
        self.picture_changed()

    def set_reason(self, reason: str) -> None:
        """Say why the picture is not that of the settings; empty if it is."""
        if reason != self.reason:
            self.reason = reason
            self.picture_changed()

    @property
    def room(self) -> QRectF:
        """Where the picture may be: the widget without a margin."""
        margin = self.look.px(6)
        return QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)

    def picture_changed(self) -> None:
        """Paint everything anew at the next opportunity."""
        self._kept = None
        self.update()
        tell_changed(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.picture_changed()

    def hideEvent(self, event: QHideEvent) -> None:
        self._hidden.start()
        super().hideEvent(event)

    def forget_pixels(self) -> None:
        """Keep nothing that can be painted anew."""
        self._kept = self._ground = None

    def empty_pixmap(self) -> QPixmap:
        """Return as many pixels as the widget has on its screen, in the colour of its ground."""
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(pixels_under(self.size(), ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(colour_of(self.look.theme.card))
        return pixmap

    def paint_item(self, painter: QPainter, item: Item[L], layout: L, look: Look) -> None:
        """Paint an item; of it only what moves, as long as all that rests is as it was."""
        if painter.paintEngine().type() is not QPaintEngine.Type.Raster:
            item.paint(painter, layout, look)
            return
        leaves = item.leaves(layout)
        resting = tuple((leaf.resting(), own) for leaf, own in leaves)
        key = resting, self.size(), self.devicePixelRatioF(), look
        if self._ground is None or not is_alike(self._ground[0], key):
            self._ground = key, self._ground_of(resting, look)
        painter.drawPixmap(0, 0, self._ground[1])
        for leaf, own in leaves:
            leaf.paint_moving(painter, own, look)

    def _ground_of(self, leaves: Leaves, look: Look) -> QPixmap:
        pixmap = self.empty_pixmap()
        painter = QPainter(pixmap)
        for leaf, layout in leaves:
            leaf.paint(painter, layout, look)
        painter.end()
        return pixmap

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._kept is None:
            self._kept = self.empty_pixmap()
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

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        self._point_to(self._pointer)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self._point_at(NOWHERE)

    def point_again(self) -> None:
        """See what is now under a pointer that rests: another picture is there."""
        if self._pointer is not None and self.isVisible():
            self._point_to(self._pointer)

    def _point_to(self, place: QPointF) -> None:
        self._point_at(self.spot_at(place))

    def _point_at(self, spot: Any) -> None:  # noqa: ANN401 # a spot or a hit
        if spot != self.hovered:
            self.hovered = spot
            self.update()
            self.spot_changed.emit(spot)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())


# ---- What a click, a key or a drag asks for ----


S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Change(Generic[S]):
    """What a click or a key makes of the page's part of the state."""

    state: S
    label: str
    """What it is called in the undo menu."""
    merge: str = ""
    """Changes with the same word, soon after one another, are one step of the history."""
