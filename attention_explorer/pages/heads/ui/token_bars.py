"""The weights of one query over its keys, or of one key over its queries: a bar a token, the heaviest first."""

from __future__ import annotations

import math
from operator import add

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.kit.accessible import CHART
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.reading import Reading, places_of
from attention_explorer.pages.heads.wording import weight_text

ROW_HEIGHT = 24
NUMBERS = 74
"""Pixels at zoom 1 for the number behind a bar."""


class TokenBars(QWidget):
    """A bar a token.

    Signals
    -------
    token_hovered : int or None
        The pointer is over a token: its index in the sentence.
    token_clicked : int
        A token was clicked.
    """

    accessible_role = CHART
    _numbers = NUMBERS
    token_hovered = Signal(object)
    token_clicked = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._reading: Reading | None = None
        self._places: tuple[str, ...] = ()  # behind the tokens, where they come more than once
        self._widest: tuple[tuple[str, str], ...] = ()  # candidates for the widest token with its place
        self._marked: int | None = None
        self._largest = 1.0
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Weights of the row")

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._fit()

    def show_reading(self, reading: Reading, marked: int | None) -> None:
        """Show a row or column; ``marked`` is the token on the other side that is pointed at or pinned."""
        shown = self._reading
        if shown is None or (reading.tokens, reading.count) != (shown.tokens, shown.count):
            self._places = self._places_of(reading)
            both = reading.tokens, self._places
            labels = dict(zip(map(add, *both), zip(*both, strict=True), strict=True))
            self._widest = tuple(labels[text] for text in sorted(labels, key=len, reverse=True)[:8])
        self._reading, self._marked = reading, marked
        self._largest = max(float(reading.weights.max(initial=0.0)), 1e-300)
        strongest = reading.order[:3]
        heaviest = ", ".join(f"{reading.tokens[i]}{self._places[i]} {self._spoken(reading, i)}" for i in strongest)
        self.setAccessibleDescription(f"{reading.title} {heaviest}")
        self._fit()

    def show_nothing(self) -> None:
        """Show no bars: there is nothing to read."""
        self._reading = None
        self.setAccessibleDescription("")
        self._fit()

    def _spoken(self, reading: Reading, token: int) -> str:
        return f"{reading.weights[token]:.3f}"

    def _side(self, reading: Reading) -> tuple[str, str]:
        """Return the colours of bars, and of the token that is pointed at."""
        theme = self._look.theme
        return (theme.key, theme.key_ink) if reading.is_row else (theme.query, theme.query_ink)

    def _value(self, reading: Reading, token: int) -> str:
        """Return what stands behind a bar."""
        return weight_text(float(reading.weights[token]))

    def _places_of(self, reading: Reading) -> tuple[str, ...]:
        return places_of(reading)

    def _fit(self) -> None:
        count = len(self._reading.order) if self._reading is not None else 0
        if self.height() != count * self._look.px(ROW_HEIGHT):
            self.setFixedHeight(max(count, 1) * self._look.px(ROW_HEIGHT))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(260), self.height())

    def top_of(self, token: int) -> int:
        """Return how far down a token stands."""
        place = self._reading.order.index(token) if self._reading is not None else 0
        return place * self._look.px(ROW_HEIGHT)

    # ---- Events ----

    def _token_at(self, y: float) -> int | None:
        place = math.floor(y / self._look.px(ROW_HEIGHT))
        order = self._reading.order if self._reading is not None else ()
        return order[place] if 0 <= place < len(order) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.token_hovered.emit(self._token_at(event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        self.token_hovered.emit(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        token = self._token_at(event.position().y())
        if token is not None and event.button() is Qt.MouseButton.LeftButton:
            self.token_clicked.emit(token)

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour_of(self._look.theme.card))
        reading = self._reading
        if reading is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            height = self._look.px(ROW_HEIGHT)
            first = max(event.rect().top() // height, 0)
            last = min(event.rect().bottom() // height + 1, len(reading.order))
            label = self._label_width()
            for place in range(first, last):
                self._paint_row(painter, reading, reading.order[place], place * height, label)
        painter.end()

    def _label_width(self) -> float:
        metrics = QFontMetricsF(self._look.font(12.5))
        widest = max((metrics.horizontalAdvance(token + place) for token, place in self._widest), default=0.0)
        return min(widest + self._look.px(8), 0.38 * self.width())

    def _paint_row(self, painter: QPainter, reading: Reading, token: int, top: int, label: float) -> None:
        look, theme, height = self._look, self._look.theme, self._look.px(ROW_HEIGHT)
        marked = token == self._marked
        if marked:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour_of(theme.track))
            painter.drawRoundedRect(QRectF(0, top, self.width(), height), look.px(4), look.px(4))
        masked = bool(reading.masked[token])
        side = self._side(reading)[1]
        painter.setFont(look.font(12.5, bold=marked))
        painter.setPen(QColor(theme.muted if masked else side if marked else theme.text))
        place = self._places[token]
        before = label - painter.fontMetrics().horizontalAdvance(place)
        text = painter.fontMetrics().elidedText(reading.tokens[token], Qt.TextElideMode.ElideRight, round(before))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(0, top, before, height), Qt.AlignmentFlag.AlignRight | middle, text)
        if place:
            painter.setPen(QColor(theme.muted))
            painter.drawText(QRectF(0, top, label, height), Qt.AlignmentFlag.AlignRight | middle, place)
        painter.setPen(QColor(theme.muted if masked else theme.text))
        value = "masked" if masked else self._value(reading, token)
        number = QRectF(self.width() - look.px(self._numbers + 4), top, look.px(self._numbers), height)
        painter.drawText(number, Qt.AlignmentFlag.AlignRight | middle, value)
        if reading.weights[token] > 0:
            self._paint_bar(painter, float(reading.weights[token]), label, top, number.left(), self._side(reading)[0])

    def _paint_bar(self, painter: QPainter, weight: float, label: float, top: int, right: float, colour: str) -> None:
        look = self._look
        left, thick = label + look.px(10), look.px(13)
        full_width = max(right - left - look.px(4), 1.0)
        share = weight / self._largest  # the numbers say how much; the bars, how they compare
        bar = QRectF(left, top + (look.px(ROW_HEIGHT) - thick) / 2, max(share * full_width, 1.5), thick)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(colour))
        painter.drawRoundedRect(bar, min(look.px(3), bar.width() / 2), look.px(3))
