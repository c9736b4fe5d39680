"""A sentence as tokens that fill with weight; an eye below each hides it, where there is who could look at it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.numerals import percent, plain, weight_text
from attention_explorer.kit.accessible import PICTURE, tell_changed
from attention_explorer.kit.controls.made import TipWidget
from attention_explorer.kit.drawing.marks import paint_eye, paint_focus_frame
from attention_explorer.kit.theme import Look

# ---- What a line shows ----


MOST_WEIGHTS = 2
"""Of so many tokens the weight is written behind the line."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a line of tokens shows.

    Attributes
    ----------
    texts : tuple of str
        The tokens.
    asks : int or None
        The one whose row is looked at.
    weights : tuple of float
        By how much it looks at each, one a token; empty where nobody asks, or where the keys stand elsewhere.
    unknown : frozenset of str
        Words that the source does not know.
    fixed : str
        Why they cannot be typed; empty where they can.
    hidden : tuple of int
        Those that nobody may look at.
    has_eyes : bool
        Whether an eye below each hides it or has it seen again.
    surprise : tuple of float
        How little a model expected each, in bits; NaN for one that nothing foretells. Empty where it is not shown.
    """

    texts: tuple[str, ...] = ()
    asks: int | None = None
    weights: tuple[float, ...] = ()
    unknown: frozenset[str] = frozenset()
    fixed: str = ""
    hidden: tuple[int, ...] = ()
    has_eyes: bool = False
    surprise: tuple[float, ...] = ()

    @property
    def can_edit(self) -> bool:
        """Whether they can be typed."""
        return not self.fixed

    @property
    def heaviest(self) -> tuple[int, ...]:
        """The tokens whose weights are written, the heaviest first."""
        order = sorted(range(len(self.weights)), key=lambda place: -self.weights[place])
        return tuple(place for place in order[:MOST_WEIGHTS] if self.weights[place] > 0.0)

    def surprise_of(self, token: int) -> float | None:
        """Return the bits of a token; None where they are not shown, or nothing foretells it."""
        bits = self.surprise[token] if token < len(self.surprise) else math.nan
        return None if math.isnan(bits) else bits

    def spoken(self) -> str:
        """Return the line in words."""
        said = " ".join(self.texts[:200])
        known = [place for place in range(len(self.surprise)) if self.surprise_of(place) is not None]
        if known:
            most = max(known, key=self.surprise.__getitem__)
            said = f"{said}. Most surprising: {self.texts[most]}, {bits_text(self.surprise[most])}"
        if self.hidden:
            said = f"{said}. Hidden: {', '.join(self.texts[place] for place in self.hidden)}"
        if self.asks is None or not self.weights:
            return said
        found = ", ".join(f"{self.texts[place]} {weight_text(self.weights[place])}" for place in self.heaviest)
        return f"{said}. {self.texts[self.asks]} looks at {found}"


def bits_text(bits: float) -> str:
    """Return how much surprise there is: 3.4 bits."""
    return f"{plain(bits, 1)} bits"


# ---- The line ----


LARGEST, SMALLEST = 22.0, 13.0
"""Sizes of type of the tokens, in pixels at zoom 1: as large as there is room for."""
HEIGHT, AROUND, GAP = 42, 7, 3
"""Pixels at zoom 1: of the line, inside a token beside its word, and between two tokens."""
EYES = 20
"""Pixels at zoom 1 of the row of eyes below the tokens."""
LINE_END, READ_OUT = 10, 14
"""Pixels at zoom 1 between the last token and what stands behind it, and the size of its type."""
FAINT, FULL = 0.05, 0.62
"""How much of the colour of keys a token of weight 0 and one of weight 1 have."""
HATCH = 0.6
"""How strong the lines are behind a word that is hidden."""
BAR, MOST_BITS = 5, 12.0
"""Pixels at zoom 1 of the bar of surprise at the lower edge of a token, and the bits of its full colour."""


@dataclass(frozen=True, slots=True)
class _Laid:
    """Where the tokens are that there is room for."""

    first: int
    boxes: tuple[QRectF, ...]
    size: float
    cut: str = ""
    """What says that there are others."""


class TokenLine(TipWidget):
    """Tokens beside one another.

    Signals
    -------
    clicked : int
        A token was clicked, or chosen by arrow keys.
    pointed : object
        The token under the pointer, or None.
    edit_wanted : str
        The sentence is to be typed, from this token on, or from the end if empty.
    eye_clicked : int
        A token is to be hidden, or seen again: its eye was clicked, or Delete pressed at the one that asks.
    """

    accessible_role = PICTURE
    clicked = Signal(int)
    pointed = Signal(object)
    edit_wanted = Signal(str)
    eye_clicked = Signal(int)

    def __init__(self, name: str, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._tokens = look, Tokens()
        self._laid: _Laid | None = None
        self._hovered: int | None = None
        self._eye: int | None = None
        """The token whose eye is under the pointer."""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look, self._laid = look, None
        self.updateGeometry()
        self.update()

    @property
    def tokens(self) -> Tokens:
        """What is shown."""
        return self._tokens

    def show_tokens(self, tokens: Tokens) -> None:
        """Show a sentence and who looks at whom in it."""
        if tokens == self._tokens:
            return
        if tokens.has_eyes != self._tokens.has_eyes:
            self.updateGeometry()
        self._tokens, self._laid = tokens, None
        self.setAccessibleDescription(tokens.spoken())
        self.update()
        tell_changed(self)

    def spoken(self) -> str:
        """Return the line in words."""
        return self._tokens.spoken()

    @property
    def high(self) -> int:
        """How high the line is, in pixels."""
        return self._look.px(HEIGHT + EYES * self._tokens.has_eyes)

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(320), self.high)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(160), self.high)

    def resizeEvent(self, event: object) -> None:
        self._laid = None

    # ---- Where everything is ----

    def box_of(self, token: int) -> QRectF:
        """Return where a token is; empty if there is no room for it."""
        laid = self._layout()
        place = token - laid.first
        return laid.boxes[place] if 0 <= place < len(laid.boxes) else QRectF()

    def eye_of(self, token: int) -> QRectF:
        """Return where the eye of a token is; empty if it has none."""
        box = self.box_of(token)
        return QRectF(box.left(), box.bottom(), box.width(), self._look.px(EYES)) if self._tokens.has_eyes else QRectF()

    def token_at(self, place: QPointF) -> int | None:
        """Return which token is at a place."""
        return self._found_at(place, self.box_of)

    def eye_at(self, place: QPointF) -> int | None:
        """Return the token whose eye is at a place."""
        return self._found_at(place, self.eye_of)

    def _found_at(self, place: QPointF, where: Callable[[int], QRectF]) -> int | None:
        laid = self._layout()
        tokens = range(laid.first, laid.first + len(laid.boxes))
        return next((token for token in tokens if where(token).contains(place)), None)

    def _layout(self) -> _Laid:
        if self._laid is None:
            self._laid = self._laid_out()
        return self._laid

    def _laid_out(self) -> _Laid:
        room = self.width() - self._read_out_width()
        for size in (LARGEST, 20.0, 18.0, 16.0, 14.5, SMALLEST):
            widths = self._widths(self._tokens.texts[:400], size)
            if len(self._tokens.texts) <= 400 and sum(widths) <= room:
                return _Laid(0, self._in_line(widths, 0.0), size)
        widths = self._widths(self._tokens.texts[:400], SMALLEST)
        if len(self._tokens.texts) <= 400 and sum(widths) <= self.width():
            return _Laid(0, self._in_line(widths, 0.0), SMALLEST)  # without the weights behind them
        return self._part(room)

    def _part(self, room: float) -> _Laid:
        """Lay out as many as there is room for, around the one that is looked at."""
        texts, count = self._tokens.texts, len(self._tokens.texts)
        middle = min(self._tokens.asks or 0, count - 1)
        first = end = middle
        cut = f"… {count} tokens"
        room -= self._metrics(SMALLEST).horizontalAdvance(cut) + self._look.px(LINE_END)
        taken = 0.0
        while end < count or first > 0:
            wants_left = first > 0 and (middle - first <= end - middle or end >= count)
            place = first - 1 if wants_left else end
            if place >= count:
                break
            width = self._widths((texts[place],), SMALLEST)[0]
            if taken + width > room:
                break
            taken += width
            first, end = (place, end) if wants_left else (first, place + 1)
        return _Laid(first, self._in_line(self._widths(texts[first:end], SMALLEST), 0.0), SMALLEST, cut)

    def _metrics(self, size: float) -> QFontMetricsF:
        return QFontMetricsF(self._look.font(size))

    def _widths(self, texts: Sequence[str], size: float) -> list[float]:
        metrics, around = self._metrics(size), self._look.px(2 * AROUND + GAP)
        return [max(metrics.horizontalAdvance(text or " "), self._look.px(6)) + around for text in texts]

    def _in_line(self, widths: Sequence[float], left: float) -> tuple[QRectF, ...]:
        high, boxes = self._look.px(HEIGHT - 4), []
        top = (self._look.px(HEIGHT) - high) / 2
        for width in widths:
            boxes.append(QRectF(left, top, width - self._look.px(GAP), high))
            left += width
        return tuple(boxes)

    @property
    def widest(self) -> int:
        """How wide a line is that has room for all, whoever asks, and for whoever types a few words."""
        tokens = sum(self._widths(self._tokens.texts[:400], LARGEST))
        needed = math.ceil(tokens + self._room_of_read_outs() + self._look.px(LINE_END))
        return max(needed, self.sizeHint().width())

    def _read_outs(self) -> tuple[str, ...]:
        tokens = self._tokens
        return tuple(f"{tokens.texts[place]} {weight_text(tokens.weights[place])}" for place in tokens.heaviest)

    def _read_out_width(self) -> float:
        """Return the room for weights behind the line: kept, or the tokens would jump."""
        if self._tokens.asks is None or not self._tokens.weights:
            return 0.0
        return min(self._room_of_read_outs(), 0.3 * self.width())

    def _room_of_read_outs(self) -> float:
        longest = max((len(text) for text in self._tokens.texts[:400]), default=0)
        each = self._metrics(READ_OUT).horizontalAdvance("n" * min(longest, 12) + " 0.000")
        return MOST_WEIGHTS * each + self._look.px(LINE_END)

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, laid = QPainter(self), self._layout()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, box in enumerate(laid.boxes):
            self._paint_token(painter, laid.first + place, box, laid.size)
        right = laid.boxes[-1].right() if laid.boxes else 0.0
        if laid.cut:
            painter.setFont(self._look.font(SMALLEST))
            painter.setPen(QColor(self._look.theme.muted))
            room = QRectF(right + self._look.px(LINE_END), 0, self.width() - right, self._look.px(HEIGHT))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, laid.cut)
            right += QFontMetricsF(painter.font()).horizontalAdvance(laid.cut) + self._look.px(LINE_END)
        self._paint_read_outs(painter, right + self._look.px(LINE_END))
        paint_focus_frame(painter, self, self._look)
        painter.end()

    def _paint_token(self, painter: QPainter, token: int, box: QRectF, size: float) -> None:
        look, tokens, theme = self._look, self._tokens, self._look.theme
        radius, is_hidden = look.px(6), token in tokens.hidden
        if is_hidden:
            self._paint_hidden(painter, box, radius)
        elif token < len(tokens.weights):
            fill = QColor(theme.key)
            fill.setAlphaF(FAINT + (FULL - FAINT) * min(max(tokens.weights[token], 0.0), 1.0))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawRoundedRect(box, radius, radius)
        if token == tokens.asks:
            tint = QColor(theme.query)
            tint.setAlphaF(0.16)
            painter.setBrush(tint)
            painter.setPen(QPen(QColor(theme.query), look.px(2)))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), radius, radius)
        elif token == self._hovered:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.muted), 1))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), radius, radius)
        bits = tokens.surprise_of(token)
        if bits is not None:
            self._paint_surprise(painter, bits, box)
        font = look.font(size, bold=token == tokens.asks)
        painter.setFont(font)
        painter.setPen(QColor(theme.text))  # its frame tells who asks: no colour is read on every fill
        text = QFontMetricsF(font).elidedText(tokens.texts[token], Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        if tokens.texts[token] in tokens.unknown:
            self._underline(painter, box)
        if tokens.has_eyes:
            is_near = token == self._hovered or token == self._eye
            colour = QColor(theme.text if is_near or is_hidden else theme.muted)
            paint_eye(painter, self.eye_of(token).center(), look.px(8), colour, shut=is_hidden)

    def _paint_hidden(self, painter: QPainter, box: QRectF, radius: float) -> None:
        """Paint the ground of a token that nobody may look at, as masked cells are painted."""
        theme = self._look.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.masked))
        painter.drawRoundedRect(box, radius, radius)
        hatch = QColor(theme.masked_line)
        hatch.setAlphaF(HATCH)
        painter.setBrush(QBrush(hatch, Qt.BrushStyle.BDiagPattern))
        painter.setPen(QPen(hatch, self._look.px(1)))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _paint_surprise(self, painter: QPainter, bits: float, box: QRectF) -> None:
        """Paint a bar along the lower edge: pale for what was expected."""
        colour, high = QColor(self._look.theme.loss), self._look.px(BAR)
        colour.setAlphaF(FAINT + (1.0 - FAINT) * min(bits / MOST_BITS, 1.0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(box.left(), box.bottom() - high, box.width(), high), high / 2, high / 2)

    def _underline(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(QPen(QColor(self._look.theme.loss), self._look.px(2), Qt.PenStyle.DotLine))
        low, around = box.bottom() - self._look.px(6), self._look.px(AROUND)
        painter.drawLine(QPointF(box.left() + around, low), QPointF(box.right() - around, low))

    def _paint_read_outs(self, painter: QPainter, left: float) -> None:
        for number, text in enumerate(self._read_outs()):
            font = self._look.font(READ_OUT, bold=number == 0)
            painter.setFont(font)
            painter.setPen(QColor(self._look.theme.key_ink))
            width = QFontMetricsF(font).horizontalAdvance(text)
            if left + width > self.width():
                return
            painter.drawText(QRectF(left, 0, width + 2, self._look.px(HEIGHT)), Qt.AlignmentFlag.AlignVCenter, text)
            left += width + self._look.px(LINE_END)

    # ---- What people do ----

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.token_at(event.position()), self.eye_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def _point_at(self, token: int | None, eye: int | None = None) -> None:
        if eye != self._eye:
            self._eye = eye
            self.setCursor(Qt.CursorShape.ArrowCursor if eye is None else Qt.CursorShape.PointingHandCursor)
            self.update()
        if token != self._hovered:
            self._hovered = token
            self.update()
            self.pointed.emit(token)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        token, eye = self.token_at(event.position()), self.eye_at(event.position())
        if eye is not None:
            self.eye_clicked.emit(eye)
        elif token is not None:
            self.clicked.emit(token)
        elif self._tokens.can_edit:
            self.edit_wanted.emit("")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        token, eye = self.token_at(event.position()), self.eye_at(event.position())
        if eye is not None:
            self.eye_clicked.emit(eye)  # two clicks, one after the other
        elif self._tokens.can_edit:
            self.edit_wanted.emit("" if token is None else self._tokens.texts[token])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        count, asks = len(self._tokens.texts), self._tokens.asks
        if step is not None and count:
            self.clicked.emit(0 if asks is None else min(max(asks + step, 0), count - 1))
        elif event.key() == Qt.Key.Key_Delete and asks is not None and self._can_turn(asks):
            self.eye_clicked.emit(asks)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2) and self._tokens.can_edit:
            self.edit_wanted.emit("")
        else:
            super().keyPressEvent(event)

    def _can_turn(self, token: int) -> bool:
        """Whether a token can be hidden or seen again: one that is hidden can, also where no eyes are."""
        return self._tokens.has_eyes or token in self._tokens.hidden

    def tip_at(self, place: QPointF) -> str:
        token, eye = self.token_at(place), self.eye_at(place)
        if eye is not None:
            word = self._tokens.texts[eye]
            if eye in self._tokens.hidden:
                return f"Let the model look at “{word}” again"
            return f"Hide “{word}” from the model: it stays in the sentence, and no word can look at it"
        how = "Double click, or Enter, to type another sentence" if self._tokens.can_edit else self._tokens.fixed
        if token is None:
            return how
        bits = self._tokens.surprise_of(token)
        expected = "" if bits is None else f"Surprise {bits_text(bits)}: expected with {percent(2**-bits)}"
        look = f"{self._tokens.texts[token]}: click to see what it looks at"
        return "\n".join(filter(None, (look, expected, how)))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()
