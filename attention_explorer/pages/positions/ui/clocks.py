"""The pairs of an encoding as clocks whose hands can be turned, and the rotation that a shift is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import SUBSCRIPTS, signed
from attention_explorer.kit.drawing.colour_maps import DIVERGING, pixels_of
from attention_explorer.kit.drawing.marks import colour_of, draw_circle, draw_line, paint_question_mark, pen, text_size
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import around
from attention_explorer.kit.items.numbered_map import NumberedMap
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import Change, Hit, Item, Panel, Value
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions import clocks, encoding
from attention_explorer.pages.positions.clocks import MATRIX_SIDE, ClocksPicture
from attention_explorer.pages.positions.kinds.kind import wavelength_text
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.table import ordinal
from attention_explorer.pages.positions.ui.moving import Changed, OfEncoding, is_in, map_of, moved

# ---- Dials ----
# A hand for each pair, which a person can turn.


SLOT, WORDS, ONE_LINE = (76, 92), 44, 34
"""Pixels at zoom 1: what a dial with its words needs at least, wide and high, and how high its words are."""
WIDE_WORDS = 150
"""From so many on a dial has room for both of its numbers below it."""
LARGEST, RING, HAND = 260, 0.93, 0.72
"""The largest dial; and where its ring and the tip of its hand are, as shares of its radius."""
TRAIL = 6
"""Positions before this one whose tips are dots."""
NEAR = 14.0
"""Pixels from the tip of a hand at which it is still meant; anywhere along the hand that is half of it."""


@dataclass(frozen=True, slots=True)
class Dial:
    """The hand of a pair: how far it has turned and a shift turns it on, and how fast it is, all in radians."""

    pair: int
    angle: float
    advance: float
    rate: float
    wavelength: float


@dataclass(frozen=True, slots=True)
class DialsLayout:
    """Where the dials are, those that have room: of each its place among all, and its box."""

    note: QRectF
    places: tuple[tuple[int, QRectF], ...]
    is_wide: bool
    step: int


class Turning:
    """A hand while it is turned: a place alone does not tell how many whole turns it has made."""

    def __init__(self, pair: int, angle: float) -> None:
        self.pair, self.angle = pair, angle
        """The pair, and how far the hand has turned by now."""

    def follow(self, towards: float, low: float, high: float) -> float:
        """Turn the shortest way to where a pointer is, held between two angles, and return how far it has turned."""
        by = (towards - self.angle + math.pi) % (2 * math.pi) - math.pi
        self.angle = min(max(self.angle + by, low), high)
        return self.angle


@dataclass(frozen=True, slots=True, eq=False)
class Dials(Item[DialsLayout]):
    """Dials with hands from 12 o'clock, clockwise; a `Hit` says which pair, or is a `Turning`.

    Attributes
    ----------
    hands : ndarray, (pairs, 4)
        Of each pair the numbers of its `Dial`, in their order. An array: hundreds are soon compared, and few are drawn.
    is_unknown : bool
        Whether the hands are asked for.
    is_resting : bool
        Whether it is faces and names alone, without hands and their numbers.
    """

    name: str
    hands: FloatArray
    is_unknown: bool = False
    is_given: bool = False
    is_resting: bool = False

    def dial(self, pair: int) -> Dial:
        """Return the dial of a pair."""
        return Dial(pair, *self.hands[pair].tolist())

    def layout(self, look: Look, box: QRectF) -> DialsLayout:
        px = look.px
        step = self._step(look, box)
        note = QRectF(box.left(), box.top(), box.width(), px(22) if step > 1 else 0)
        room, shown = box.adjusted(0, note.height(), 0, 0), range(0, len(self.hands), step)
        columns, rows = _grid(len(shown), room, look)
        wide, high = room.width() / columns, room.height() / rows
        is_wide = wide >= px(WIDE_WORDS)
        words = px(WORDS if is_wide else ONE_LINE)
        side = max(min(wide - px(14), high - words - px(8), px(LARGEST)), 8.0)
        top = room.top() + max(high - side - words, 0) / 2
        corners = ((at % columns + 0.5, at // columns) for at in range(len(shown)))
        places = tuple(
            (number, QRectF(room.left() + x * wide - side / 2, top + y * high, side, side))
            for number, (x, y) in zip(shown, corners, strict=True)
        )
        return DialsLayout(note, places, is_wide, step)

    def _placed(self, layout: DialsLayout) -> Iterator[tuple[Dial, QRectF]]:
        return ((self.dial(number), box) for number, box in layout.places)

    def _step(self, look: Look, box: QRectF) -> int:
        """Return of how many dials one has room."""
        most = max(1, int(box.width() / look.px(SLOT[0]))) * max(
            1, int((box.height() - look.px(22)) / look.px(SLOT[1]))
        )
        return -(-len(self.hands) // most)

    def data_box(self, layout: DialsLayout) -> QRectF:
        return around(box for _, box in layout.places)

    # ---- Painting ----

    def paint(self, painter: QPainter, layout: DialsLayout, look: Look, *, vector: bool = False) -> None:
        if layout.step > 1:
            painter.setFont(look.font(13))
            painter.setPen(colour_of(look.theme.muted))
            words = f"every {ordinal(layout.step)} of {len(self.hands)} clocks"
            painter.drawText(layout.note, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for dial, box in self._placed(layout):
            _paint_face(painter, box, look)
            _paint_name(painter, dial, box, look, is_wide=layout.is_wide)
            if self.is_unknown:
                paint_question_mark(painter, box, look, min(28.0, 0.5 * box.height() / look.zoom))
        self.paint_moving(painter, layout, look)

    def resting(self) -> Dials:
        faces = self.hands.copy()
        faces[:, :2] = 0.0  # angle and advance
        return replace(self, hands=faces, is_resting=True)

    def paint_moving(self, painter: QPainter, layout: DialsLayout, look: Look) -> None:
        if self.is_unknown or self.is_resting:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for dial, box in self._placed(layout):
            _paint_hand(painter, dial, box, look)
            if layout.is_wide:
                _paint_numbers(painter, dial, box, look)

    def hidden(self) -> Dials:
        return Dials(self.name, self.hands, is_unknown=True)

    def mark(self, painter: QPainter, layout: DialsLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        pair = hit.part.pair if isinstance(hit.part, Turning) else hit.part
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(look.theme.text, 1.6 * look.zoom))
        for dial, box in self._placed(layout):
            if dial.pair == pair:
                painter.drawEllipse(box)

    # ---- Pointing and turning ----

    def hit(self, layout: DialsLayout, place: QPointF) -> Hit | None:
        for dial, box in self._placed(layout):
            if box.adjusted(0, 0, 0, WORDS).contains(place):
                return Hit(self.name, dial.pair)
        return None

    def grab(self, layout: DialsLayout, place: QPointF) -> Hit | None:
        for dial, box in self._placed(layout):
            if box.contains(place) and _is_on_hand(place, box, dial.angle):
                return Hit(self.name, Turning(dial.pair, dial.angle))
        return None

    def value_at(self, layout: DialsLayout, hit: Hit, place: QPointF) -> float | None:
        """Return the angle at which a place is seen from the middle of the dial, clockwise from 12 o'clock."""
        if hit.item != self.name or not isinstance(hit.part, Turning):
            return None
        for dial, box in self._placed(layout):
            if dial.pair == hit.part.pair:
                return math.atan2(place.x() - box.center().x(), box.center().y() - place.y())
        return None

    def spoken(self) -> str:
        said = () if self.is_unknown else map(self.dial, range(min(len(self.hands), 8)))
        return "; ".join(f"clock {dial.pair} {_numbers(dial)}" for dial in said)


def _grid(count: int, room: QRectF, look: Look) -> tuple[int, int]:
    """Return columns and rows with dials as large as they can be."""
    best, largest = (count, 1), 0.0
    for columns in range(1, count + 1):
        rows = -(-count // columns)
        wide = room.width() / columns
        words = look.px(WORDS if wide >= look.px(WIDE_WORDS) else ONE_LINE)
        size = min(wide - look.px(14), room.height() / rows - words - look.px(8))
        if size > largest:
            best, largest = (columns, rows), size
    return best


def _numbers(dial: Dial) -> str:
    return f"sin {signed(math.sin(dial.angle), 2)}, cos {signed(math.cos(dial.angle), 2)}"


def tip_of(box: QRectF, angle: float, share: float = HAND) -> QPointF:
    """Return where a hand ends that has turned so far."""
    reach = share * box.width() / 2
    return QPointF(box.center().x() + reach * math.sin(angle), box.center().y() - reach * math.cos(angle))


def _is_on_hand(place: QPointF, box: QRectF, angle: float) -> bool:
    """Whether a place is at the tip of a hand, or along it."""
    tip, middle = tip_of(box, angle), box.center()
    if math.hypot(place.x() - tip.x(), place.y() - tip.y()) <= NEAR:
        return True
    x, y = place.x() - middle.x(), place.y() - middle.y()
    along, off = x * math.sin(angle) - y * math.cos(angle), abs(x * math.cos(angle) + y * math.sin(angle))
    return 0.0 <= along <= HAND * box.width() / 2 and off <= NEAR / 2


def _paint_face(painter: QPainter, box: QRectF, look: Look) -> None:
    theme, wide = look.theme, max(0.05 * box.width(), 2.0)
    ring = _shrunk(box, RING)
    painter.setBrush(colour_of(theme.plane))
    painter.setPen(pen(theme.track, wide))
    painter.drawEllipse(ring)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for hour in range(12):
        is_quarter = hour % 3 == 0
        angle, inner = hour * math.pi / 6, 0.78 if is_quarter else 0.82
        if is_quarter or box.width() >= look.px(110):
            stroke = pen(theme.axis, 1.0 * look.zoom)
            draw_line(painter, tip_of(box, angle, 0.86), tip_of(box, angle, inner), stroke)


def _shrunk(box: QRectF, share: float) -> QRectF:
    by = (1 - share) * box.width() / 2
    return box.adjusted(by, by, -by, -by)


def _paint_hand(painter: QPainter, dial: Dial, box: QRectF, look: Look) -> None:
    """Paint the hand with its two legs in the colours of the map, and on the ring how far the shift takes it."""
    theme, zoom, middle, tip = look.theme, look.zoom, box.center(), tip_of(box, dial.angle)
    if dial.advance:
        _paint_shift(painter, dial, box, look)
    painter.setPen(Qt.PenStyle.NoPen)
    for back in range(TRAIL, 0, -1):
        angle = dial.angle - back * dial.rate
        if angle >= -1e-9:
            painter.setBrush(colour_of(theme.muted, 0.6 * (1 - back / (TRAIL + 1))))
            painter.drawEllipse(tip_of(box, angle, HAND), 0.018 * box.width() + 1, 0.018 * box.width() + 1)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    corner, wide = QPointF(middle.x(), tip.y()), max(0.035 * box.width(), 2.0)
    draw_line(painter, middle, corner, pen(_colour(math.cos(dial.angle), look), wide))
    draw_line(painter, corner, tip, pen(_colour(math.sin(dial.angle), look), wide))
    draw_line(painter, middle, tip, pen(theme.text, 2.0 * zoom))
    draw_circle(painter, middle, 0.022 * box.width() + 1, fill=colour_of(theme.text))
    radius = min(max(0.055 * box.width(), 4.0), 10.0 * zoom)
    draw_circle(painter, tip, radius, pen(theme.text, 2.2 * zoom), colour_of(theme.card))


def _paint_shift(painter: QPainter, dial: Dial, box: QRectF, look: Look) -> None:
    """Go over the ring from the hand on as far as the shift turns it; whole turns fill it, and words tell them."""
    ring, wide = _shrunk(box, RING), max(0.05 * box.width(), 2.0)
    stroke = QPen(pen(look.theme.axis, wide))  # a copy: pens are kept
    stroke.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(stroke)
    if dial.advance >= 2 * math.pi:
        painter.drawEllipse(ring)
        stroke.setColor(colour_of(look.theme.muted))
        painter.setPen(stroke)
    # Qt counts sixteenths of a degree, counter-clockwise from three o'clock.
    start = 90.0 - math.degrees(dial.angle % (2 * math.pi))
    painter.drawArc(ring, round(16 * start), round(-16 * math.degrees(dial.advance % (2 * math.pi))))
    end = tip_of(box, dial.angle + dial.advance, RING)
    draw_circle(painter, end, 0.6 * wide + 1, pen(look.theme.muted, 1.6 * look.zoom), colour_of(look.theme.card))


def _colour(value: float, look: Look) -> str:
    """Return the colour that a number from −1 to 1 has on the map, as #rrggbb."""
    pixel = int(pixels_of(np.array([[(value + 1) / 2]]), None, DIVERGING, look.theme.masked)[0, 0])
    return QColor.fromRgb(pixel).name()


def _paint_name(painter: QPainter, dial: Dial, box: QRectF, look: Look, *, is_wide: bool) -> None:
    """Write below a dial which it is, and after how many positions it is round."""
    theme, px, line = look.theme, look.px, _line_below(box, look)
    length = wavelength_text(dial.wavelength)
    if is_wide:
        pieces = ((f"clock {dial.pair}", theme.text, True), (f"a turn in {length}", theme.muted, False))
        _paint_pieces(painter, line, pieces, look)
        return
    for text, ink, bold in ((f"clock {dial.pair}", theme.text, True), (f"λ {length}", theme.muted, False)):
        painter.setFont(look.font(12, bold=bold))
        painter.setPen(colour_of(ink))
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, text)
        line.translate(0, px(14))


def _paint_numbers(painter: QPainter, dial: Dial, box: QRectF, look: Look) -> None:
    """Write below its name the two numbers of a dial."""
    sine, cosine, ink = math.sin(dial.angle), math.cos(dial.angle), look.theme.text
    numbers = ((f"sin {signed(sine, 2)}", ink, False), (f"cos {signed(cosine, 2)}", ink, False))
    line = _line_below(box, look).translated(0, look.px(20))
    _paint_pieces(painter, line, numbers, look, swatches=(_colour(sine, look), _colour(cosine, look)))


def _line_below(box: QRectF, look: Look) -> QRectF:
    return QRectF(box.center().x() - look.px(90), box.bottom() + look.px(2), look.px(180), look.px(18))


def _paint_pieces(
    painter: QPainter,
    line: QRectF,
    pieces: tuple[tuple[str, str, bool], ...],
    look: Look,
    swatches: tuple[str, ...] = (),
) -> None:
    """Write texts beside one another in the middle of a line, each behind a swatch if there are any."""
    gap, swatch = look.px(9), look.px(15) if swatches else 0
    fonts = [look.font(13, bold=bold) for _, _, bold in pieces]
    widths = [text_size(font, text)[0] + 1 for font, (text, _, _) in zip(fonts, pieces, strict=True)]
    left = line.center().x() - (sum(widths) + gap * (len(pieces) - 1) + swatch * len(pieces)) / 2
    for at, (text, ink, _) in enumerate(pieces):
        if swatches:
            side = look.px(11)
            square = QRectF(left, line.center().y() - side / 2, side, side)
            painter.setPen(pen(look.theme.axis, 1))
            painter.setBrush(colour_of(swatches[at]))
            painter.drawRect(square)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            left += swatch
        painter.setFont(fonts[at])
        painter.setPen(colour_of(ink))
        place = QRectF(left, line.top(), widths[at], line.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        left += widths[at] + gap


CLOCKS, ROWS, MATRIX = "Clocks", "Rows of all positions", "Matrix of the shift"
SMALL = 96
"""Tiles a side of the small map."""


class Clocks(OfEncoding[ClocksPicture]):
    """A dial for each pair."""

    uses_pixels = False
    compute = staticmethod(clocks.clocks_picture)
    headline = staticmethod(clocks.clocks_headline)
    says = staticmethod(clocks.clocks_says)

    def item(self, numbers: ClocksPicture) -> Dials:
        return Dials(CLOCKS, np.stack((numbers.angles, numbers.advances, numbers.rates, numbers.lengths), axis=1))

    # ---- What it says ----

    def panel(self, numbers: ClocksPicture) -> Panel:
        state = numbers.state
        many = f"{numbers.pairs} clocks" if numbers.pairs != 8 else "eight clocks"
        title = f"Position {numbers.position}, as {many if numbers.pairs > 1 else 'one clock'}"
        if not kind_of(state).adds:
            title = f"Turned to position {numbers.position}"
        small = map_of(ROWS, encoding.small_table(state, SMALL), row=numbers.position)
        kind = kind_of(state)
        formula = f'"angle of clock" i = {{p}}/{{{kind.power(state)}}}{kind.turning(state)}'
        return Panel(title, (replace(small, picture=_untitled(small)),), clocks.clocks_sentence(numbers), formula)

    def table(self, numbers: ClocksPicture) -> Item[Any] | None:
        """Return the matrix that takes every position k further."""
        if numbers.matrix is None:
            return None
        count = len(numbers.matrix.values)
        whole = "" if numbers.state.d_model <= MATRIX_SIDE else f", the first {MATRIX_SIDE} dimensions"
        title = f"R{str(numbers.shift).translate(SUBSCRIPTS)}{whole}"
        residual = f"{numbers.residual_name} {clocks.residual_text(numbers)}"
        places = np.arange(count)
        matrix = NumberedMap(MATRIX, numbers.matrix, places, places, count, count, title, is_square=True, fills=False)
        return Above((matrix, Title("Residual", residual, "muted", 13.0, bold=False)), gap=4.0)

    def words(self, numbers: ClocksPicture, hit: Hit) -> str:
        if hit.item == CLOCKS:
            pair = hit.part.pair if isinstance(hit.part, Turning) else hit.part
            return clocks.clock_words(numbers, pair) if pair < numbers.pairs else ""
        if is_in(hit, MATRIX) and None not in hit.part:
            return clocks.matrix_words(numbers, *hit.part)
        if is_in(hit, ROWS) and None not in hit.part:
            return encoding.cell_words(numbers.state, *hit.part)
        return ""

    # ---- What a hand does ----

    def changed(self, state: PositionsState, numbers: ClocksPicture, hit: Hit, to: Value) -> Changed:
        """Turn a hand: the position is the nearest at which it stands so."""
        if hit.item == ROWS:
            return moved(state, hit.part[0]) if is_in(hit, ROWS) and hit.part[0] is not None else None
        if hit.item != CLOCKS or to is None:
            return None
        hand: Turning = hit.part
        rate = float(numbers.rates[hand.pair])
        if not rate:
            return None  # it stands still
        position = round(hand.follow(to, 0.0, (state.length - 1) * rate) / rate)
        return Change(state.with_position(position), f"Turn clock {hand.pair}")


def _untitled(small: NumberedMap) -> Any:  # noqa: ANN401 # a MapPicture
    return replace(small.picture, row_title="position", column_title="")
