"""The weights at a glance: a row per key with its score, its cosine and a bar."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.numerals import compact, percent, signed
from attention_explorer.core.role import Role
from attention_explorer.kit.accessible import CHART
from attention_explorer.kit.drawing.marks import colour_of, draw_badge
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import REST, Part
from attention_explorer.pages.lookup.wording import description, score_name


def _short(score: float) -> str:
    return signed(score) if abs(score) < 1000 else compact(score, sign=True)


# Column edges in pixels at zoom 1: badge, score, cosine, percentage, bar.
_SCORE_RIGHT, _COSINE_RIGHT, _PERCENT_RIGHT, _BAR_LEFT = 98, 158, 214, 228
_TOKEN_LEFT, _TOKEN_RIGHT, _SCORE_OF_A_TOKEN_RIGHT = 36, 100, 148


class WeightBars(QWidget):
    """A bar per key. Hovering a row asks for the arithmetic behind its weight.

    Signals
    -------
    row_hovered : int or None
        The pointer is over the row of a key.
    row_clicked : int
        The row of a key was clicked.
    """

    accessible_role = CHART
    row_hovered = Signal(object)
    row_clicked = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._frame: LookupFrame | None = None
        self._marked: int | None = None
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # or Qt paints everything behind it first
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Weights")

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def set_frame(self, frame: LookupFrame, marked: int | None) -> None:
        """Show the weights of a frame; ``marked`` is the key whose arithmetic is on show."""
        rows_before = len(self._frame.weights) if self._frame is not None else -1
        self._frame, self._marked = frame, marked
        if rows_before != len(frame.weights):
            self.updateGeometry()
        self.setAccessibleDescription(description(frame))
        self.update()

    # ---- Geometry ----

    @property
    def _header(self) -> int:
        return self._look.px(22)

    @property
    def _row(self) -> int:
        many = self._frame is not None and len(self._frame.weights) > 3
        return self._look.px(24 if many else 29)

    def sizeHint(self) -> QSize:
        rows = len(self._frame.weights) if self._frame is not None else 2
        return QSize(self._look.px(380), self._header + rows * self._row + self._look.px(2))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(300), self.sizeHint().height())

    def row_at(self, y: float) -> int | None:
        """Return the key whose row is at a height, or None."""
        row = math.floor((y - self._header) / self._row)
        count = len(self._frame.weights) if self._frame is not None else 0
        return row if 0 <= row < count else None

    # ---- Events ----

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.row_hovered.emit(self.row_at(event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        self.row_hovered.emit(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        if row is not None:
            self.row_clicked.emit(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._frame is None:
            return
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour_of(self._look.theme.card))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_header(painter, self._frame)
        for index in range(len(self._frame.weights)):
            self._paint_row(painter, self._frame, index)
        painter.end()

    def _paint_header(self, painter: QPainter, frame: LookupFrame) -> None:
        painter.setFont(self._look.font(12))
        painter.setPen(colour_of(self._look.theme.muted))
        columns = [("q·k", _SCORE_RIGHT), ("cos", _COSINE_RIGHT), ("weight α", _PERCENT_RIGHT)]
        if frame.row is not None:  # tokens take the place of the cosines
            columns[:2] = [(score_name(frame), _SCORE_OF_A_TOKEN_RIGHT)]
        elif self._look.few:
            del columns[1]
        for text, right in columns:
            self._right(painter, text, right, 0, self._header)
        box = QRectF(0, 0, self._look.px(60), self._header)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "key")

    def _right(self, painter: QPainter, text: str, right: float, top: float, height: float) -> None:
        box = QRectF(0, top, self._look.px(right), height)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_row(self, painter: QPainter, frame: LookupFrame, index: int) -> None:
        look, theme, height = self._look, self._look.theme, self._row
        top = self._header + index * height
        if index == self._marked:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour_of(theme.window))
            painter.drawRoundedRect(QRectF(0, top, self.width(), height), look.px(5), look.px(5))
        draw_badge(
            painter,
            QPointF(look.px(16), top + height / 2),
            Part(Role.KEY, index).symbol,
            font=look.font(12, bold=True),
            radius=min(look.px(12), height / 2 - 1),
            ink=theme.key_ink,
            edge=theme.key,
            fill=theme.card,
            width=2.0 * look.zoom,
        )
        weight = float(frame.weights[index])
        score = "" if index == REST else _short(frame.scores[index])
        if frame.row is None:
            self._number(painter, score, _SCORE_RIGHT, top, strong=index in frame.winners)
            if not self._look.few:
                self._paint_cosine(painter, frame, index, top)
        else:
            self._paint_token(painter, frame.row.names[index], top, _TOKEN_RIGHT if score else _SCORE_OF_A_TOKEN_RIGHT)
            self._number(painter, score, _SCORE_OF_A_TOKEN_RIGHT, top, strong=index in frame.winners)
        self._number(painter, percent(weight), _PERCENT_RIGHT, top, strong=True)
        self._paint_bar(painter, weight, top)

    def _paint_cosine(self, painter: QPainter, frame: LookupFrame, index: int, top: float) -> None:
        cosine = frame.cosines[index]
        is_best = not math.isnan(cosine) and cosine >= max(c for c in frame.cosines if c == c) - 1e-12
        self._number(painter, "–" if math.isnan(cosine) else signed(cosine), _COSINE_RIGHT, top, strong=is_best)

    def _paint_token(self, painter: QPainter, token: str, top: float, right: float) -> None:
        look, left = self._look, self._look.px(_TOKEN_LEFT)
        box = QRectF(left, top, look.px(right) - left, self._row)
        painter.setFont(look.font(13))
        painter.setPen(colour_of(look.theme.text))
        shown = painter.fontMetrics().elidedText(token, Qt.TextElideMode.ElideRight, math.floor(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _number(self, painter: QPainter, text: str, right: float, top: float, *, strong: bool) -> None:
        painter.setFont(self._look.font(13, bold=strong))
        painter.setPen(colour_of(self._look.theme.text if strong else self._look.theme.muted))
        self._right(painter, text, right, top, self._row)

    def _paint_bar(self, painter: QPainter, weight: float, top: float) -> None:
        look, left = self._look, self._look.px(_BAR_LEFT)
        height = min(look.px(17), self._row - look.px(6))
        track = QRectF(left, top + (self._row - height) / 2, self.width() - left - look.px(6), height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(look.theme.track))
        painter.drawRoundedRect(track, look.px(3), look.px(3))
        bar = QRectF(track)
        bar.setWidth(track.width() * weight)
        painter.setBrush(colour_of(look.theme.key))
        painter.drawRoundedRect(bar, min(look.px(3), bar.width() / 2), look.px(3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
