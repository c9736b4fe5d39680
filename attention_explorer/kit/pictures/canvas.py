"""The large picture of a page that shows one at a time: pointed at by the mouse, walked by keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.kit.accessible import sentences
from attention_explorer.kit.drawing.marks import paint_message
from attention_explorer.kit.items.item import Pieces
from attention_explorer.kit.picture import Laid, Picture
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Change, PointedPicture
from attention_explorer.kit.theme import Look
from attention_explorer.kit.tween import Tween

NO_BOXES: FloatArray = np.zeros((0, 4))


def _boxes(pieces: Pieces) -> FloatArray:
    """Return where pieces are, (pieces, 4): left, top, width and height."""
    return np.array([box.getRect() for _, box in pieces]).reshape(-1, 4)


class PicturesCanvas(PointedPicture):
    """Shows one picture at a time, whatever its kind.

    Signals
    -------
    resized
        There are more or fewer pixels to compute for.
    changed : Change
        A click or a key asks for another state.
    dragged : Change
        A drag that goes on asks for another state.
    dropped : bool
        The drag has ended: True to keep what it did, False to put back what was there before.
    guessed : (x, y)
        A place was chosen, where one is asked for.
    """

    resized = Signal()
    changed = Signal(object)
    dragged = Signal(object)
    dropped = Signal(bool)
    guessed = Signal(object)

    def __init__(self, look: Look, name: str, state: Callable[[], Any], parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self._state = state
        self._drawing: Picture[Any, Any] | None = None
        self._open: Picture[Any, Any] | None = None  # how it is drawn when nothing is withheld
        self._withheld = False
        self._picture: object = None
        self._layout: Any = None
        self._drag: Callable[[QPointF], Change[Any] | None] | None = None
        self._pressed: Any = None  # the layout under the pointer when the drag began
        self._asks = False
        self._guess: tuple[float, float] | None = None
        self._is_walked = False  # whether what is pointed at was chosen by keys
        self.moves = True
        """Whether anything goes to its place before one's eyes."""
        self._way, self._going = Tween(self), list[QImage]()
        self._way.moved.connect(self._paint_anew)
        self.heading = ""
        """What stands above the picture, for `spoken`."""

    # ---- Showing ----

    @property
    def tiles(self) -> tuple[int, int]:
        """Rows and columns of pixels there are."""
        ratio = self.devicePixelRatioF()
        return max(1, round(self.height() * ratio)), max(1, round(self.width() * ratio))

    @property
    def picture(self) -> object:
        """What is on show; None before there is a picture."""
        return self._picture

    @property
    def picture_layout(self) -> Any:  # noqa: ANN401 # of its picture
        """Where everything is, worked out when it is first asked for; None before there is a picture."""
        if self._layout is None and self._drawing is not None:
            if self._drag is None:
                self._layout = self._drawing.layout(self._picture, self.look, self.room)
            else:
                self._layout = self._drawing.held(self._picture, self.look, self.room, self._pressed)
        return self._layout

    def show_picture(self, drawing: Picture[Any, Any], picture: object) -> None:
        """Show a picture and how it is drawn."""
        if picture is self._picture and drawing is self._open:
            return  # what was changed does not show in it
        start: FloatArray | None = None
        if drawing is not self._open:
            self._pointer, self._is_walked = None, False  # a spot of one kind of picture means nothing in another
        elif self.moves and drawing.goes_on(self._picture, picture):
            start = self._way.now if self._way.is_under_way else _boxes(self._pieces())
        self._open, self._picture = drawing, picture
        self._draw_anew()
        if start is not None:
            pieces = self._pieces()
            self._going = [image for image, _ in pieces]
            self._way.go(start, follows=False)
            self._way.go(_boxes(pieces), follows=True)

    def _pieces(self) -> Pieces:
        """Return what of the picture on show goes to its place."""
        laid = self.picture_layout
        return laid.item.pieces(laid.layout, laid.look) if isinstance(laid, Laid) and not self._withheld else ()

    def _paint_anew(self) -> None:
        self.forget_pixels()
        self.update()

    def withhold(self, withheld: bool) -> None:
        """Show no more than what is given, or all of the picture again."""
        self._withheld, self._drag = withheld, None
        self._draw_anew()

    def ask_for_place(self, wanted: bool) -> None:
        """Have a press of the mouse choose a place, and move nothing; or not any more."""
        self._asks = wanted
        self.setCursor(Qt.CursorShape.CrossCursor if wanted else Qt.CursorShape.ArrowCursor)

    def show_guess(self, place: tuple[float, float] | None) -> None:
        """Mark where somebody thinks that what is asked for is, or nothing."""
        self._guess = place
        self.update()

    def place_at(self, at: QPointF) -> tuple[float, float] | None:
        """Return which place of the picture a pixel means, where one can be asked for."""
        return None if self._drawing is None else self._drawing.place_at(self.picture_layout, at)

    def _chooses(self, event: QMouseEvent) -> bool:
        """Whether a mouse that is pressed chooses a place, which it then does."""
        place = self.place_at(event.position()) if self._asks else None
        if place is None:
            return False
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.guessed.emit(place)
        return True

    def _draw_anew(self) -> None:
        self._way.go(NO_BOXES, follows=False)
        self._drawing = self._open.withheld() if self._open is not None and self._withheld else self._open
        self.picture_changed()

    def picture_changed(self) -> None:
        self._layout = None
        # What the pointer was on may be gone from the picture.
        if self._is_walked:
            is_there = self._drawing is not None and self._drawing.has(self._picture, self.hovered)
            self._point_at(self.hovered if is_there else NOWHERE)
        else:
            self._point_at(NOWHERE if self._pointer is None or not self.isVisible() else self.spot_at(self._pointer))
        super().picture_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paint_picture(self, painter: QPainter) -> None:
        drawing = self._drawing
        if drawing is None:
            if not self.reason:
                paint_message(painter, "computing …", self.room, self.look)
        elif self._way.is_under_way:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            for image, (left, top, width, height) in zip(self._going, self._way.now.tolist(), strict=True):
                painter.drawImage(QRectF(left, top, width, height), image)
        elif isinstance(laid := self.picture_layout, Laid):
            self.paint_item(painter, laid.item, laid.layout, laid.look)
        else:
            drawing.paint(painter, self._picture, laid, self.look)

    def paint_marks(self, painter: QPainter) -> None:
        if self._drawing is not None and self.hovered != NOWHERE and not self._way.is_under_way:
            self._drawing.mark(painter, self._picture, self.picture_layout, self.look, self.hovered)
        if self._drawing is not None and self._guess is not None:
            self._drawing.mark_guess(painter, self._picture, self.picture_layout, self.look, self._guess)

    def spot_at(self, place: QPointF) -> Any:  # noqa: ANN401 # as the base
        return NOWHERE if self._drawing is None else self._drawing.spot_at(self._picture, self.picture_layout, place)

    def words(self) -> str:
        """Return what is under the pointer, in words."""
        return self.words_of(self.hovered)

    def words_of(self, spot: Any) -> str:  # noqa: ANN401 # of the picture
        """Return in words what is at a place of the picture on show, or of what stands beside it."""
        return "" if self._drawing is None or spot == NOWHERE else self._drawing.words(self._picture, spot)

    def spoken(self) -> str:
        if self._drawing is None:
            return "" if self.reason else "Computing …"
        notes = (line.text for line in self._drawing.notes(self._picture))
        said = dict.fromkeys(("" if self._withheld else self.heading, *notes))  # the first note may be the heading
        return sentences(*said, self.words())

    # ---- Acting ----

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._drawing is None or self._chooses(event):
            return
        place = event.position()
        handle = self._drawing.grab(self._picture, self.picture_layout, place)
        change = None
        if handle is None:
            change = self._drawing.click(self._state(), self._picture, self.picture_layout, place)
            if change is None or not self._drawing.follows:
                self._emit(change)
                return
            handle = self.spot_at(place)
        # All as it is now: axes that follow what is dragged would run away from the pointer.
        self._pressed = self.picture_layout
        self._drag = partial(self._drawing.drag, self._state(), self._picture, self._pressed, handle)
        if change is not None:
            self.dragged.emit(change)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            change = self._drag(event.position())
            if change is not None:
                self.dragged.emit(change)
        elif self._chooses(event):
            return
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._drag is not None:
            self._drop(keep=True)

    def _drop(self, *, keep: bool) -> None:
        """End the drag, and give what was dragged the room that it has now."""
        self._drag = None
        self.dropped.emit(keep)
        self.picture_changed()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._drag is not None:  # other keys would be steps within the drag
            if event.key() == Qt.Key.Key_Escape:
                self._drop(keep=False)
            return
        change = None if self._drawing is None else self._drawing.press(self._state(), self._picture, event.key())
        if change is None:
            self._walk(event)
            return
        self._point_at(NOWHERE)  # the keyboard takes over from a pointer that rests
        self._emit(change)

    def _walk(self, event: QKeyEvent) -> None:
        """Point by a key at what lies beside that which is pointed at."""
        hovered = None if self.hovered == NOWHERE else self.hovered
        spot = None if self._drawing is None else self._drawing.walk(self._picture, hovered, event.key())
        if spot is None:
            event.ignore()  # the page may know the key
        else:
            self._point_at(spot)
            self._is_walked = True

    def _point_at(self, spot: Any) -> None:  # noqa: ANN401 # as the base
        if spot != self.hovered:
            self._is_walked = False
        super()._point_at(spot)

    def let_go(self) -> bool:
        """Point at nothing any more where keys have chosen something; return whether they have."""
        was = self._is_walked
        if was:
            self._point_at(NOWHERE)
        return was

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self._drag is not None:  # a dialog was opened by its keys, and is what hears of the button that is let go
            self._drop(keep=False)
        super().focusOutEvent(event)

    def _emit(self, change: Change[Any] | None) -> None:
        if change is not None:
            self.changed.emit(change)
