"""The path of lessons: a card with a picture for each, in the order in which they are taken, and the way between."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSizePolicy, QWidget

from attention_explorer.kit.drawing.marks import colour_of, paint_dot, pen
from attention_explorer.kit.theme import Look

NARROWEST, LEAST = 150, 96
"""Pixels at zoom 1: of the narrowest card, and how high one is at least."""
FAIR = 1.1
"""How much wider than high cards are to be, where it can be had."""
GAP, FOOT, EDGE = 14, 44, 10
"""Between two cards, of the words below a picture, and around the words."""
TICK = 20


class PathCard(QAbstractButton):
    """What can be taken: a picture with a title and a few words below.

    Signals
    -------
    begun
        It was clicked twice, or Enter was pressed on it.
    """

    begun = Signal()

    def __init__(self, look: Look, title: str, words: str, *, done: bool = False) -> None:
        super().__init__()
        self.look, self.title, self.words, self.is_done = look, title, words, done
        self.picture = QPixmap()
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(", ".join(filter(None, (title, words, "done" if done else ""))))
        self.setToolTip(title)

    @property
    def room(self) -> QSize:
        """How large its picture is, in pixels of the window."""
        return QSize(self.width() - 2, self.height() - self.look.px(FOOT) - 1)

    def show_picture(self, picture: QPixmap) -> None:
        """Show another picture."""
        self.picture = picture
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.look.px(NARROWEST), self.look.px(LEAST))

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.begun.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.setChecked(True)
            self.begun.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, px = self.look.theme, self.look.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        thick = 3.0 if self.isChecked() else 2.0 if self.hasFocus() else 1.0
        edge = theme.strong if self.isChecked() else theme.focus if self.hasFocus() else theme.border
        box = QRectF(self.rect()).adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(theme.card))
        painter.drawRoundedRect(box, px(8), px(8))
        above = QRect(QPoint(1, 1), self.room)
        self._paint_picture(painter, above)
        painter.setPen(pen(edge, thick))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, px(8), px(8))
        self._paint_words(painter, QRect(0, above.bottom(), self.width(), self.height() - above.bottom()))
        if self.is_done:
            self._paint_tick(painter, QPointF(self.width() - px(TICK) * 0.5 - px(6), px(6) + px(TICK) * 0.5))

    def _paint_picture(self, painter: QPainter, above: QRect) -> None:
        theme = self.look.theme
        if not self.picture.isNull():
            painter.save()
            painter.setClipRect(above.adjusted(1, 1, -1, 0))
            size = self.picture.size().scaled(above.size(), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
            painter.drawPixmap(QRect(above.topLeft(), size), self.picture)  # drawn anew once the size has settled
            painter.restore()
        painter.setPen(pen(theme.border, 1.0))
        painter.drawLine(above.bottomLeft(), above.bottomRight())

    def _paint_words(self, painter: QPainter, below: QRect) -> None:
        look, px = self.look, self.look.px
        room = below.adjusted(px(EDGE), px(5), -px(EDGE), -px(5))
        for text, size, bold, ink, at in (
            (self.title, 13.0, True, look.theme.text, Qt.AlignmentFlag.AlignTop),
            (self.words, 12.0, False, look.theme.muted, Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(look.font(size, bold=bold))
            painter.setPen(colour_of(ink))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, at | Qt.AlignmentFlag.AlignLeft, shown)

    def _paint_tick(self, painter: QPainter, middle: QPointF) -> None:
        theme, size = self.look.theme, self.look.px(TICK)
        paint_dot(painter, middle, theme.value, size / 2)
        painter.setPen(pen(theme.card, max(size / 9, 2.0)))
        corners = [middle + QPointF(x, y) * size for x, y in ((-0.22, 0.02), (-0.06, 0.18), (0.24, -0.16))]
        painter.drawPolyline(corners)


class Path(QWidget):
    """The cards, row by row; a line leads from one of the lessons to the next, green as far as somebody has come.

    Signals
    -------
    picked : int
        A card was chosen.
    """

    picked = Signal(int)

    def __init__(self, look: Look, cards: Sequence[PathCard], lessons: int) -> None:
        super().__init__()
        self.look, self.cards, self._lessons = look, tuple(cards), lessons
        self.setObjectName("panel")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
        self.group = QButtonGroup(self)
        for number, card in enumerate(self.cards):
            card.setParent(self)
            self.group.addButton(card, number)
        self.group.idToggled.connect(self._on_toggled)

    def _on_toggled(self, number: int, is_on: bool) -> None:
        if is_on:
            self.picked.emit(number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place()

    def place(self) -> None:
        """Put the cards where they fit; what does not fit is scrolled to."""
        gap, around = self.look.px(GAP), self.parentWidget()
        room = self.height() if around is None else around.height()
        most = max((self.width() + gap) // self.look.px(NARROWEST + GAP), 1)
        sizes = {columns: self._size(columns, room) for columns in range(1, most + 1)}
        columns = min(sizes, key=lambda each: abs(sizes[each].width() / sizes[each].height() - FAIR))
        wide, high = sizes[columns].toTuple()
        for number, card in enumerate(self.cards):
            row, column = divmod(number, columns)
            card.setGeometry(column * (wide + gap), row * (high + gap), wide, high)
        self.setMinimumHeight(-(-len(self.cards) // columns) * (high + gap) - gap)
        self.update()

    def _size(self, columns: int, room: int) -> QSize:
        """Return how large cards are, so many beside each other, that fill a room so many pixels high if they can."""
        gap, rows = self.look.px(GAP), -(-len(self.cards) // columns)
        wide = max((self.width() - (columns - 1) * gap) // columns, 1)
        return QSize(wide, max(min((room - (rows - 1) * gap) // rows, wide), self.look.px(LEAST)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self.look.theme
        for one, other in pairwise(self.cards[: self._lessons]):
            painter.setPen(pen(theme.value if one.is_done else theme.masked_line, 3.0))
            start, end = QRectF(one.geometry()), QRectF(other.geometry())
            if start.top() == end.top():
                painter.drawLine(QPointF(start.right(), start.center().y()), QPointF(end.left(), end.center().y()))
                continue
            between = (start.bottom() + end.top()) / 2
            painter.drawPolyline(
                [
                    QPointF(start.center().x(), start.bottom()),
                    QPointF(start.center().x(), between),
                    QPointF(end.center().x(), between),
                    QPointF(end.center().x(), end.top()),
                ]
            )
