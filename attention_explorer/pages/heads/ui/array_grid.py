"""All arrays of a head as small pictures, in the order of computation; click one to see it large."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.accessible import PICTURE
from attention_explorer.kit.controls.tip_widget import TipWidget
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.heatmap import picture_image
from attention_explorer.kit.drawing.marks import colour_of, paint_focus_frame, pen
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.array import ArrayKind, HeadArray, shape_text

LINES = (
    (ArrayKind.EMBEDDINGS, ArrayKind.ENCODING, ArrayKind.X, ArrayKind.CONTEXT),
    (ArrayKind.W_Q, ArrayKind.W_K, ArrayKind.W_V),
    (ArrayKind.Q, ArrayKind.K, ArrayKind.V),
    (ArrayKind.SCORES, ArrayKind.SCALED, ArrayKind.WEIGHTS, ArrayKind.HEAD_OUTPUT),
    (ArrayKind.CONCAT, ArrayKind.W_O, ArrayKind.OUTPUT),
)
WIDTH, HEIGHT, HEADER, GAP = 122, 98, 20, 8
"""Pixels at zoom 1 of one array, of its heading, and between two."""
LARGEST_CELL = 16


@dataclass(frozen=True, slots=True)
class _Thumb:
    array: HeadArray
    picture: MapPicture
    line: int
    column: int


class ArrayGrid(TipWidget):
    """Small signed pictures of all arrays, a line for each step.

    Signals
    -------
    chosen : ArrayKind
        This one shall be shown large.
    """

    accessible_role = PICTURE
    chosen = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._thumbs: tuple[_Thumb, ...] = ()
        self._selected = ArrayKind.X
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Arrays of the head")

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def show_arrays(self, pictures: dict[ArrayKind, tuple[HeadArray, MapPicture]]) -> None:
        """Show these arrays."""
        thumbs, line = list[_Thumb](), 0
        for kinds in LINES:
            there = [pictures[kind] for kind in kinds if kind in pictures]
            thumbs += [_Thumb(array, picture, line, column) for column, (array, picture) in enumerate(there)]
            line += bool(there)
        self._thumbs = tuple(thumbs)
        self.updateGeometry()
        self.update()

    def show_selected(self, kind: ArrayKind) -> None:
        """Mark the array that is shown large."""
        self._selected = kind
        self.setAccessibleDescription(f"{kind} is shown large")
        self.update()

    def sizeHint(self) -> QSize:
        lines = 1 + max((thumb.line for thumb in self._thumbs), default=0)
        columns = 1 + max((thumb.column for thumb in self._thumbs), default=0)
        px = self._look.px
        return QSize(columns * px(WIDTH + GAP) + px(GAP), lines * px(HEIGHT + GAP) + px(GAP))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def place_of(self, kind: ArrayKind) -> QRectF:
        """Return where an array is; an empty box for one that is not there."""
        for thumb in self._thumbs:
            if thumb.array.kind is kind:
                return self._place(thumb)
        return QRectF()

    def _place(self, thumb: _Thumb) -> QRectF:
        px = self._look.px
        left = px(GAP) + thumb.column * px(WIDTH + GAP)
        return QRectF(left, px(GAP) + thumb.line * px(HEIGHT + GAP), px(WIDTH), px(HEIGHT))

    def _thumb_at(self, place: QPointF) -> _Thumb | None:
        return next((thumb for thumb in self._thumbs if self._place(thumb).contains(place)), None)

    # ---- Hand and keyboard ----

    def mousePressEvent(self, event: QMouseEvent) -> None:
        thumb = self._thumb_at(event.position())
        if thumb is not None and event.button() is Qt.MouseButton.LeftButton:
            self.chosen.emit(thumb.array.kind)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        kinds = [thumb.array.kind for thumb in self._thumbs]
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if Qt.Key(event.key()) in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._step_line(-1 if Qt.Key(event.key()) is Qt.Key.Key_Up else 1)
        elif step and self._selected in kinds:
            at = kinds.index(self._selected) + step
            self.chosen.emit(kinds[min(max(at, 0), len(kinds) - 1)])
        else:
            super().keyPressEvent(event)

    def _step_line(self, step: int) -> None:
        here = next((thumb for thumb in self._thumbs if thumb.array.kind is self._selected), None)
        if here is None:
            return
        line = [thumb for thumb in self._thumbs if thumb.line == here.line + step]
        if line:
            self.chosen.emit(line[min(here.column, len(line) - 1)].array.kind)

    def tip_at(self, place: QPointF) -> str:
        thumb = self._thumb_at(place)
        return "" if thumb is None else f"{thumb.array.kind}: {thumb.array.title}\n{thumb.array.source}"

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour_of(self._look.theme.card))
        for thumb in self._thumbs:
            self._paint(painter, thumb)
        paint_focus_frame(painter, self, self._look)
        painter.end()

    def _paint(self, painter: QPainter, thumb: _Thumb) -> None:
        look, theme, px = self._look, self._look.theme, self._look.px
        place, kind = self._place(thumb), thumb.array.kind
        is_selected = kind is self._selected
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = theme.focus if is_selected else theme.border
        painter.setPen(pen(edge, 2.0 if is_selected else 1.0))
        painter.setBrush(colour_of(theme.track if is_selected else theme.card))
        painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), px(6), px(6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        line = QRectF(place.left() + px(7), place.top() + px(3), place.width() - px(14), px(HEADER - 2))
        role = thumb.array.role
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.font(12.5, bold=True))
        painter.setPen(colour_of(theme.text if role is None else theme.ink_of_role(role)))
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | middle, kind.value)
        painter.setFont(look.font(11))
        painter.setPen(colour_of(theme.muted))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | middle, shape_text(thumb.array))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        image = self._image_place(thumb, place)
        painter.drawImage(image, picture_image(thumb.picture, look))
        own = thumb.array.own_rows
        if own is not None:
            row = image.height() / thumb.array.shape[0]
            box = QRectF(image.left(), image.top() + own.start * row, image.width(), (own.stop - own.start) * row)
            paint_outline(painter, box, theme.text, look)

    def _image_place(self, thumb: _Thumb, place: QRectF) -> QRectF:
        px = self._look.px
        room = place.adjusted(px(7), px(HEADER + 3), -px(7), -px(7))
        rows, columns = thumb.array.shape
        cell = min(room.width() / columns, room.height() / rows, px(LARGEST_CELL))
        # Far from square, a square cell would be a thread: each side takes what it can get.
        least = px(6)
        width = columns * min(room.width() / columns, max(cell, least))
        height = rows * min(room.height() / rows, max(cell, least))
        return QRectF(room.center().x() - width / 2, room.center().y() - height / 2, width, height)
