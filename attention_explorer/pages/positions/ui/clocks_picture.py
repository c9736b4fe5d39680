"""The pairs of an encoding as dials, with the arc by which a shift turns every hand, and the matrix that does it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import SUBSCRIPTS, scientific
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.colour_bar import paint_small_bar
from attention_explorer.kit.drawing.heatmap import paint_cells
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.drawing.marks import (
    colour_of,
    draw_arrow,
    draw_line,
    paint_message,
    paint_question_mark,
    pen,
    text_size,
)
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.clocks import MATRIX_SIDE, ClocksPicture, clock_words, matrix_words
from attention_explorer.pages.positions.state import PositionKind
from attention_explorer.pages.positions.table import dimensions_of_pair, numbers_of, ordinal, wavelength_text
from attention_explorer.pages.positions.ui.encoding_map import badge_height, paint_badge_line

SLOT, LARGEST_SLOT = (74, 88), 220
"""Pixels at zoom 1 that a dial with its label needs at least, wide and high; and how wide it may become."""
LABEL_HEIGHT, BELOW_MATRIX = 30, 110
DIMENSIONS = "dim "
SIDE = 190
"""Pixels at zoom 1 for the matrix and the residual at the right, at least."""
SIDE_SHARE = 0.22
"""What of a wide room they take."""


@dataclass(frozen=True, slots=True)
class ClocksLayout:
    """Where everything is."""

    room: QRectF
    legend: QRectF
    dials: tuple[tuple[int, QRectF], ...] = ()  # (pair, box of the dial)
    step: int = 1  # every so many-th pair has a dial
    matrix: HeatmapLayout | None = None
    side: QRectF | None = None


def clocks_layout(picture: ClocksPicture, look: Look, room: QRectF) -> ClocksLayout:
    """Give every pair a dial, or every n-th where they would be too small to read."""
    px = look.px
    # The words below the samples are longest if not every pair has a dial, which only the layout below tells.
    words = badge_height(_legend_words(picture, 10 * picture.pairs), room.width(), look)
    legend = QRectF(room.left(), room.top(), room.width(), px(20) + words)
    if picture.message:
        return ClocksLayout(room, legend)
    beside = room.width() >= px(SIDE + 3 * SLOT[0])
    wide_side = max(px(SIDE), min(SIDE_SHARE * room.width(), 0.6 * room.height()))
    dials_room = room.adjusted(0, legend.height(), -wide_side if beside else 0, 0)
    columns, rows, step = _grid(picture.pairs, dials_room, look)
    wide = min(dials_room.width() / columns, px(LARGEST_SLOT))
    high = min(dials_room.height() / rows, wide + px(LABEL_HEIGHT))
    radius = max(min(wide - px(8), high - px(LABEL_HEIGHT)) / 2, 4.0)
    dials = []
    for place, pair in enumerate(range(0, picture.pairs, step)):
        row, column = divmod(place, columns)
        x, y = dials_room.left() + (column + 0.5) * wide, dials_room.top() + row * high + radius + px(2)
        dials.append((pair, QRectF(x - radius, y - radius, 2 * radius, 2 * radius)))
    if not beside:
        return ClocksLayout(room, legend, tuple(dials), step)
    left = room.right() - wide_side + px(16)
    side = QRectF(left, dials_room.top(), wide_side - px(16), dials_room.height())
    return ClocksLayout(room, legend, tuple(dials), step, _matrix_layout(picture, side, look), side)


def _grid(pairs: int, room: QRectF, look: Look) -> tuple[int, int, int]:
    """Return columns, rows, and every how many-th pair is shown, with dials as large as they can be."""
    most_across = max(1, int(room.width() / look.px(SLOT[0])))
    most_down = max(1, int(room.height() / look.px(SLOT[1])))
    step = -(-pairs // (most_across * most_down))
    count = -(-pairs // step)
    best, largest = most_across, 0.0
    for columns in range(1, most_across + 1):
        rows = -(-count // columns)
        size = min(room.width() / columns, room.height() / rows - look.px(LABEL_HEIGHT))
        if size > largest:
            best, largest = columns, size
    return best, -(-count // best), step


def _matrix_layout(picture: ClocksPicture, side: QRectF, look: Look) -> HeatmapLayout | None:
    if picture.matrix is None:
        return None
    count = len(picture.matrix.values)
    width = max(min(side.width(), count * look.px(40.0), side.height() - look.px(BELOW_MATRIX + 24)), look.px(40))
    cells = QRectF(side.left(), side.top() + look.px(24), width, width)
    bar = QRectF(cells.left(), cells.bottom() + look.px(8), side.width(), look.px(14))
    none = Labels(0.0, 1)
    return HeatmapLayout(cells, count, count, none, none, bar)


# ---- Painting ----


def paint_clocks(
    painter: QPainter, picture: ClocksPicture, layout: ClocksLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    paint_clocks_ground(painter, picture, layout, look, vector=vector)
    paint_clocks_front(painter, picture, layout, look)


def clocks_ground_key(picture: ClocksPicture) -> object:
    """Return what the ground depends on besides room and look."""
    return numbers_of(picture.state), picture.shift, picture.matrix, picture.residual_name, picture.message


def paint_clocks_ground(
    painter: QPainter, picture: ClocksPicture, layout: ClocksLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint what stays while the position moves: dials without hands, and the matrix."""
    if picture.message:
        paint_message(painter, picture.message, layout.room, look)
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for pair, box in layout.dials:
        _paint_dial(painter, picture, pair, box, look)
    if layout.side is not None:
        _paint_side(painter, picture, layout, layout.side, look, vector=vector)


def paint_clocks_front(painter: QPainter, picture: ClocksPicture, layout: ClocksLayout, look: Look) -> None:
    """Paint the hands, what the shift sweeps over, and the residual."""
    if picture.message:
        return
    _paint_legend(painter, picture, layout, look)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for pair, box in layout.dials:
        _paint_hands(painter, picture, pair, box, look)
    if layout.side is not None and picture.residual is not None:
        painter.setFont(look.font(16, bold=True))
        painter.setPen(colour_of(look.theme.text))
        foot = _foot(layout, layout.side, look) + look.px(34)
        number = QRectF(layout.side.left(), foot, layout.side.width(), look.px(24))
        painter.drawText(number, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, residual_text(picture))


def _paint_legend(painter: QPainter, picture: ClocksPicture, layout: ClocksLayout, look: Look) -> None:
    px, line = look.px, QRectF(layout.legend.left(), layout.legend.top(), layout.legend.width(), look.px(18))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    y, x = line.center().y(), line.left() + px(2)
    _paint_hand(painter, QPointF(x, y), QPointF(x + px(22), y), look, shifted=False)
    painter.setFont(look.font(12))
    painter.setPen(colour_of(look.theme.text))
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    at_p = f"at p = {picture.position}"
    painter.drawText(line.adjusted(px(30), 0, 0, 0), left, at_p)
    x += px(30) + painter.fontMetrics().horizontalAdvance(at_p) + px(18)
    _paint_hand(painter, QPointF(x, y), QPointF(x + px(22), y), look, shifted=True)
    painter.setPen(colour_of(look.theme.text))
    beyond = f"at p + k = {picture.position + picture.shift}; the arc is k·θ, whatever the position"
    painter.drawText(QRectF(x + px(30), line.top(), line.right() - x - px(30), line.height()), left, beyond)
    words = layout.legend.adjusted(0, px(18), 0, 0)
    paint_badge_line(painter, _legend_words(picture, layout.step), words, look)


def _legend_words(picture: ClocksPicture, step: int) -> str:
    tip = "tip at (sin, cos)" if picture.state.kind is PositionKind.SINUSOIDAL else "turned by p·θ"
    said = f"from 12 o’clock, clockwise, {tip}; below: dimensions, wavelength λ"
    return f"every {ordinal(step)} pair of {picture.pairs}; {said}" if step > 1 else said


def _tip(box: QRectF, angle: float, share: float = 0.86) -> QPointF:
    reach = share * box.width() / 2
    return QPointF(box.center().x() + reach * math.sin(angle), box.center().y() - reach * math.cos(angle))


def _paint_face(painter: QPainter, picture: ClocksPicture, pair: int, box: QRectF, look: Look) -> None:
    """Paint a dial and which dimensions it is of."""
    theme = look.theme
    painter.setPen(pen(theme.border, 1.2 * look.zoom))
    painter.setBrush(colour_of(theme.plane))
    painter.drawEllipse(box)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    top = QPointF(box.center().x(), box.top())
    draw_line(painter, top, top + QPointF(0, box.height() * 0.07), pen(theme.axis, 1.2 * look.zoom))
    painter.setFont(look.font(11))
    painter.setPen(colour_of(theme.text))
    name = _pair_name(picture, pair)
    if text_size(look.font(11), name)[0] > 1.2 * box.width():  # or it would reach into the next one
        name = name.removeprefix(DIMENSIONS)
    painter.drawText(_label(box, look), Qt.AlignmentFlag.AlignCenter, name)


def _paint_dial(painter: QPainter, picture: ClocksPicture, pair: int, box: QRectF, look: Look) -> None:
    _paint_face(painter, picture, pair, box, look)
    painter.setPen(colour_of(look.theme.muted))
    words = f"λ {wavelength_text(float(picture.lengths[pair]))}"
    painter.drawText(_label(box, look).translated(0, look.px(13)), Qt.AlignmentFlag.AlignCenter, words)


def _label(box: QRectF, look: Look) -> QRectF:
    """Return where the first line below a dial stands."""
    px = look.px
    return QRectF(box.center().x() - px(60), box.bottom() + px(1), px(120), px(14))


def _paint_hands(painter: QPainter, picture: ClocksPicture, pair: int, box: QRectF, look: Look) -> None:
    angle, advance = float(picture.angles[pair]), float(picture.advances[pair])
    _paint_arc(painter, box, angle, advance, look)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if picture.shift:
        _paint_hand(painter, box.center(), _tip(box, angle + advance), look, shifted=True)
    _paint_hand(painter, box.center(), _tip(box, angle), look, shifted=False)


def _paint_arc(painter: QPainter, box: QRectF, angle: float, advance: float, look: Look) -> None:
    """Fill what the shift sweeps over; whole turns fill the dial, and are told by its words."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(look.theme.track))
    inner = box.adjusted(*(0.07 * box.width() * side for side in (1, 1, -1, -1)))
    if advance >= 2 * math.pi:
        painter.drawEllipse(inner)
        painter.setBrush(colour_of(look.theme.border))
    # Qt counts sixteenths of a degree, counter-clockwise from three o'clock.
    start = 90.0 - math.degrees(angle % (2 * math.pi))
    painter.drawPie(inner, round(16 * start), round(-16 * math.degrees(advance % (2 * math.pi))))


def _paint_hand(painter: QPainter, start: QPointF, end: QPointF, look: Look, *, shifted: bool) -> None:
    if shifted:
        draw_line(painter, start, end, pen(look.theme.muted, 1.4 * look.zoom, Qt.PenStyle.DashLine))
        painter.setPen(pen(look.theme.muted, 1.4 * look.zoom))
        painter.setBrush(colour_of(look.theme.card))
        painter.drawEllipse(end, 2.8 * look.zoom, 2.8 * look.zoom)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        return
    draw_arrow(painter, start, end, look.theme.text, 2.0 * look.zoom, look.px(9))


def _pair_name(picture: ClocksPicture, pair: int) -> str:
    return DIMENSIONS + ", ".join(map(str, dimensions_of_pair(picture.state, pair)))


def _paint_side(
    painter: QPainter, picture: ClocksPicture, layout: ClocksLayout, side: QRectF, look: Look, *, vector: bool
) -> None:
    """Paint R_k as a small map, with the name of the residual below it."""
    px = look.px
    painter.setFont(look.font(13, bold=True))
    painter.setPen(colour_of(look.theme.text))
    if layout.matrix is not None and picture.matrix is not None:
        subscript = str(picture.shift).translate(SUBSCRIPTS)
        whole = picture.state.d_model <= MATRIX_SIDE
        title = f"R{subscript}" + ("" if whole else f", the first {MATRIX_SIDE} dims")
        heading = QRectF(side.left(), side.top(), side.width(), px(20))
        painter.drawText(heading, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        paint_cells(painter, picture.matrix, layout.matrix, look, vector=vector)
        painter.setPen(pen(look.theme.border, 1.0))
        painter.drawRect(layout.matrix.cells)
        paint_small_bar(painter, picture.matrix, layout.matrix.bar, look, vector=vector)
    painter.setFont(look.font(12))
    painter.setPen(colour_of(look.theme.muted))
    words = QRectF(side.left(), _foot(layout, side, look), side.width(), px(36))
    painter.drawText(words, Qt.TextFlag.TextWordWrap, picture.residual_name)


def _foot(layout: ClocksLayout, side: QRectF, look: Look) -> float:
    """Return where the words about the residual begin."""
    return side.top() if layout.matrix is None else layout.matrix.bar.bottom() + look.px(12)


def residual_text(picture: ClocksPicture) -> str:
    """Return the residual as it is written: = 0 or = 1.2·10⁻¹⁵."""
    if picture.residual is None:
        return ""
    return "= 0" if picture.residual == 0 else f"= {scientific(picture.residual)}"


def mark_clocks(painter: QPainter, picture: ClocksPicture, layout: ClocksLayout, look: Look, spot: Spot) -> None:
    """Frame the dial that is pointed at, and its block of the matrix; or a cell of the matrix."""
    del picture
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(look.theme.text, 1.6 * look.zoom))
    if spot.row is None:
        for pair, box in layout.dials:
            if pair == spot.column:
                painter.drawEllipse(box)
        return
    if layout.matrix is not None and spot.column is not None:
        painter.drawRect(layout.matrix.rectangle(spot.row, spot.column).adjusted(-1, -1, 1, 1))


def paint_given_clocks(painter: QPainter, picture: ClocksPicture, layout: ClocksLayout, look: Look) -> None:
    """Paint the dials, and “?” in place of their hands."""
    if picture.message:
        paint_message(painter, picture.message, layout.room, look)
        return
    for pair, box in layout.dials:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_face(painter, picture, pair, box, look)
        paint_question_mark(painter, box, look, min(28.0, 0.5 * box.height() / look.zoom))


# ---- Pointing ----


def clocks_spot(picture: ClocksPicture, layout: ClocksLayout, place: QPointF) -> Spot:
    """Return the pair whose dial or label is at a place (as a column without a row), or the cell of R_k."""
    for pair, box in layout.dials:
        if box.adjusted(0, 0, 0, 28).contains(place):
            return Spot(None, pair)
    if layout.matrix is not None and picture.matrix is not None:
        row, column = layout.matrix.row_at(place.y()), layout.matrix.column_at(place.x())
        if row is not None and column is not None:
            return Spot(row, column)
    return NOWHERE


def clocks_words(picture: ClocksPicture, spot: Spot) -> str:
    """Return what is pointed at."""
    if picture.message or spot.column is None:
        return ""
    if spot.row is None:
        return clock_words(picture, spot.column)
    return matrix_words(picture, spot.row, spot.column)


def clocks_notes(picture: ClocksPicture) -> tuple[TextLine, ...]:
    """Return what the picture says, in sentences for the panel."""
    if picture.message:
        return (TextLine(picture.message, size=12.5),)
    fastest, slowest = f"{float(picture.advances[0]):.4g} rad", f"{float(picture.advances[-1]):.2g} rad"
    hands = f"{fastest} for the fastest hand and {slowest} for the slowest" if picture.pairs > 1 else fastest
    advance = f"A shift by k turns each hand by k·θ_i, whatever the position: for k = {picture.shift} by {hands}."
    if picture.residual is None:
        return TextLine(advance, size=12.5), TextLine(picture.residual_name + ".", "muted", size=12.5)
    cause = ": exact" if picture.residual == 0 else ", which is rounding"
    return (
        TextLine(advance, size=12.5),
        TextLine(f"{picture.residual_name} {residual_text(picture)}{cause}.", bold=True, size=12.5),
        TextLine(
            "R_k is one 2 × 2 rotation for each pair; it is orthogonal and the same at every position.",
            "muted",
            size=12.5,
        ),
    )
