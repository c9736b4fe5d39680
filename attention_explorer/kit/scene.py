"""Items that are placed in a scene: each paints itself, lights up under the pointer, and says what it shows.

A page gives a `Stage` its items and where they stand. Finding what is under the pointer, hovering, the order in which
things lie over each other, and drawing the whole to a file are Qt's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsItem,
    QGraphicsObject,
    QGraphicsScene,
    QGraphicsSceneHoverEvent,
    QGraphicsSceneMouseEvent,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QWidget,
)

from attention_explorer.kit.accessible import PICTURE, tell_changed
from attention_explorer.kit.drawing.marks import paint_focus_frame
from attention_explorer.kit.theme import Look


class Item(QGraphicsObject):
    """Something that stands in a box of the scene and paints itself there.

    Signals
    -------
    pointed : (object or None)
        What of it is under the pointer, as `hit` names it; None when the pointer leaves.
    clicked : object
        What of it was clicked.
    """

    pointed = Signal(object)
    clicked = Signal(object)

    def __init__(self, look: Look, parent: QGraphicsItem | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.box = QRectF()
        self.setAcceptHoverEvents(True)

    # ---- For the kinds of items ----

    def draw(self, painter: QPainter) -> None:
        """Paint it in `box`."""
        raise NotImplementedError

    def hit(self, _place: QPointF) -> object:
        """Return what is at a place of the scene; None if nothing that can be pointed at."""
        return None

    # ---- The rest is the same for all ----

    def place(self, box: QRectF) -> None:
        """Give it its box."""
        self.prepareGeometryChange()
        self.box = box
        self.update()

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.look = look
        self.update()

    def boundingRect(self) -> QRectF:
        return self.box

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        self.draw(painter)

    def hoverMoveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self.pointed.emit(self.hit(event.pos()))

    def hoverLeaveEvent(self, _event: QGraphicsSceneHoverEvent) -> None:
        self.pointed.emit(None)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        found = self.hit(event.pos())
        if event.button() is Qt.MouseButton.LeftButton and found is not None:
            self.clicked.emit(found)
        else:
            event.ignore()


_NEEDS_BOXES = (
    *(QEvent.Type.Paint, QEvent.Type.Enter, QEvent.Type.MouseMove, QEvent.Type.ToolTip),
    *(QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick),
)


class Stage(QGraphicsView):
    """A scene that is as large as the widget: its items are laid out anew when that changes.

    Parameters
    ----------
    name : str
        What it is called by a screen reader.
    lay_out : callable
        (room) -> gives every item its box; called when it is first painted, or hit, in another room.

    Signals
    -------
    key_pressed : QKeyEvent
        A key that Qt does nothing with here.
    """

    accessible_role = PICTURE
    key_pressed = Signal(object)
    _is_laid_out = True  # Qt calls before all of it is made

    def __init__(self, look: Look, name: str, lay_out: Callable[[QRectF], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self._lay_out = lay_out
        self._words = ""
        self.setScene(QGraphicsScene(self))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.set_look(look)

    def add(self, items: Sequence[Item]) -> None:
        """Put items into the scene."""
        for item in items:
            self.scene().addItem(item)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.look = look
        self.setBackgroundBrush(QColor(look.theme.card))
        for item in self.scene().items():
            if isinstance(item, Item):
                item.set_look(look)
        self.lay_out()

    def lay_out(self) -> None:
        """Give every item its box."""
        self._is_laid_out = True
        room = QRectF(self.viewport().rect())
        self.scene().setSceneRect(room)
        self._lay_out(room)

    def viewportEvent(self, event: QEvent) -> bool:
        if not self._is_laid_out and event.type() in _NEEDS_BOXES:
            self.lay_out()
        return super().viewportEvent(event)

    def set_words(self, words: str) -> None:
        """Say what is shown, for a screen reader."""
        if words != self._words:
            self._words = words
            tell_changed(self)

    def spoken(self) -> str:
        """Return what is shown in words."""
        return self._words

    def sizeHint(self) -> QSize:
        return QSize(self.look.px(300), self.look.px(200))  # not that of its scene, which is as large as the widget

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._is_laid_out = False

    def drawForeground(self, painter: QPainter, _rect: QRectF | QRect) -> None:
        if self.hasFocus():
            paint_focus_frame(painter, self.viewport(), self.look)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.accept()  # or Qt would hand it to the page once more; who has no use for it ignores it
        self.key_pressed.emit(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        event.accept()
