"""Attention as lines: queries at the left, keys at the right, a line from each query to its strongest keys."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import plain
from attention_explorer.kit.drawing.heatmap_layout import longest_label
from attention_explorer.kit.drawing.marks import colour_of, pen, text_size, wrapped_height
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.lines import LinePicture, line_legend
from attention_explorer.pages.heads.ui.maps_item import MapsItem

WIDEST_ROW, WIDEST_PRINTED, NARROWEST_LABEL = 62.0, 34.0, 12.0
"""Pixels at zoom 1 between two tokens at most, on a screen and on paper, and between two labels at least."""
WIDEST_LINE, THINNEST_LINE = 7.0, 0.6
FAINT = 0.16
"""What is left of the other lines while a token is lit."""
SAMPLES = (1.0, 0.3, 0.05)
CLEAR_LINES = 1.0
"""Lines on top of each other, on average, from which on all of them get more transparent."""
LEVELS = 40
"""Steps of opacity: pens are shared between lines that look alike."""
LEGEND_HEIGHT = 60.0
"""Pixels."""


@dataclass(frozen=True, slots=True)
class LinesLayout:
    """Where tokens and lines are."""

    field: QRectF  # the lines; queries at its left edge, keys at its right
    rows: int
    columns: int
    row_step: float  # pixels from one query to the next
    column_step: float
    row_labels: float  # pixels that labels are long
    column_labels: float
    widest: float  # pixels of a line of weight 1
    strength: float  # of all lines: less than 1 where there are many
    legend: QRectF
    legend_words: str

    def row_y(self, row: int) -> float:
        """Return the height of a query, counted from the first one shown."""
        return self.field.top() + (row + 0.5) * self.row_step

    def column_y(self, column: int) -> float:
        """Return the height of a key, counted from the first one shown."""
        return self.field.top() + (column + 0.5) * self.column_step

    def row_at(self, y: float, x: float) -> int | None:
        """Return the query whose token is at a place."""
        if not self.field.left() - self.row_labels - 16 <= x <= self.field.left() or self.rows == 0:
            return None
        row = math.floor((y - self.field.top()) / self.row_step)
        return row if 0 <= row < self.rows else None

    def column_at(self, y: float, x: float) -> int | None:
        """Return the key whose token is at a place."""
        if not self.field.right() <= x <= self.field.right() + self.column_labels + 16 or self.columns == 0:
            return None
        column = math.floor((y - self.field.top()) / self.column_step)
        return column if 0 <= column < self.columns else None


def lines_layout(picture: LinePicture, look: Look, room: QRectF) -> LinesLayout:
    """Fit the line view into a room: tokens at most so far apart, at least as close as all of them need."""
    px, apart = look.px, look.px(WIDEST_PRINTED if look.still else WIDEST_ROW)
    rows, columns = len(picture.row_tokens), len(picture.column_tokens)
    legend_height = float(px(24))
    # The room for the legend depends on how far it is from the left, which depends on the height of the lines.
    for _ in range(3):
        high = max(room.height() - px(24) - px(12) - legend_height, px(20))
        row_step, column_step = (min(apart, high / max(count, 1)) for count in (rows, columns))
        row_labels = _label_room(picture.row_tokens, row_step, look, room)
        column_labels = _label_room(picture.column_tokens, column_step, look, room)
        height = max(row_step * rows, column_step * columns)
        around = row_labels + column_labels + px(16)
        # Much wider than high, every line would be flat.
        wide = max(min(room.width() - around, max(1.9 * height, px(420))), px(40))
        left = room.left() + max(0.0, (room.width() - around - wide) / 2)
        words = line_legend(picture, row_step >= px(NARROWEST_LABEL))
        legend_height = _legend_height(look, words, room.right() - left)
    spare = max(0.0, room.height() - px(36) - height - legend_height)
    field = QRectF(left + row_labels + px(8), room.top() + px(24) + spare / 3, wide, height)
    legend = QRectF(left, field.bottom() + px(12), room.right() - left, legend_height)
    # Lines wider than the way from one token to the next would hide each other.
    widest = min(max(0.55 * min(row_step, column_step), px(THINNEST_LINE) + 0.4), px(WIDEST_LINE))
    covered = float(_widths(picture.links.weight, widest).sum()) / max(height, 1.0)
    strength = min(1.0, math.sqrt(CLEAR_LINES / max(covered, CLEAR_LINES)))
    return LinesLayout(
        field, rows, columns, row_step, column_step, row_labels, column_labels, widest, strength, legend, words
    )


def _label_room(tokens: tuple[str, ...], step: float, look: Look, room: QRectF) -> float:
    return max(min(longest_label(tokens, look, _font_size(step, look)), 0.3 * room.width()), look.px(40))


def _legend_height(look: Look, words: str, width: float) -> float:
    """Return how high the legend is: samples and words in one line if that is wide enough for both, else in two."""
    left = _words_left(look, width)
    height = wrapped_height(words, width - left, look.font(11.5))
    return max(float(look.px(18)), height) + (0.0 if left else look.px(20)) + 1.0


def _words_left(look: Look, width: float) -> float:
    """Return how far from the left the words of the legend begin: behind the samples, or below them."""
    samples = _samples_width(look)
    return samples if width - samples >= look.px(220) else 0.0


def _font_size(step: float, look: Look) -> float:
    return min(13.0, max(9.5, 0.78 * step / look.zoom))


def _label_every(step: float, look: Look) -> int:
    return max(1, math.ceil(look.px(NARROWEST_LABEL) / max(step, 0.01) - 1e-6))


# ---- Pointing at a line ----


def link_at(picture: LinePicture, layout: LinesLayout, place: QPointF, reach: float = 4.0) -> int | None:
    """Return the position among the links of the line at a place: the nearest, of equal ones the strongest."""
    field = layout.field
    if not len(picture.links) or not field.left() + 1 < place.x() < field.right() - 1:
        return None
    links = picture.links
    start = field.top() + (links.row - picture.first_row + 0.5) * layout.row_step
    end = field.top() + (links.column - picture.first_column + 0.5) * layout.column_step
    # All curves share their way across, so that a place across is the same share of the way down for each.
    t = np.linspace(0.0, 1.0, 257)
    across = 1.5 * t * (1 - t) + t**3
    at = float(np.interp((place.x() - field.left()) / field.width(), across, t))
    away = np.abs(start + (end - start) * (3 * at**2 - 2 * at**3) - place.y())
    away = np.maximum(away - _widths(links.weight, layout.widest) / 2, 0.0)
    nearest = int(len(away) - 1 - np.argmin(away[::-1]))  # the last of equal ones is the strongest
    return nearest if away[nearest] <= reach else None


def _widths(weights: FloatArray, widest: float) -> FloatArray:
    """Return how wide the lines of some weights are."""
    return np.asarray(np.maximum(widest * weights, THINNEST_LINE))


def _opacities(weights: FloatArray, strength: float) -> FloatArray:
    """Return how opaque the lines of some weights are, in a few steps."""
    levels = np.ceil(LEVELS * np.sqrt(np.minimum(weights, 1.0))) / LEVELS
    return np.asarray(np.round(strength * (0.1 + 0.8 * levels), 3))


def looks_of_links(picture: LinePicture, layout: LinesLayout) -> tuple[FloatArray, FloatArray]:
    """Return the width and the opacity of each line."""
    weights = picture.links.weight
    return _widths(weights, layout.widest), _opacities(weights, layout.strength)


# ---- Painting ----


@dataclass(frozen=True, slots=True, eq=False)
class LinesItem(MapsItem[LinesLayout]):
    """Tokens and the lines between them; they are lines in every file."""

    name: str
    picture: LinePicture
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> LinesLayout:
        return lines_layout(self.picture, look, box)

    def data_box(self, layout: LinesLayout) -> QRectF:
        return layout.field

    def paint(self, painter: QPainter, layout: LinesLayout, look: Look, *, vector: bool = False) -> None:
        self._paint(painter, layout, look, 1.0)

    def _paint(self, painter: QPainter, layout: LinesLayout, look: Look, opacity: float) -> None:
        picture = self.picture
        _paint_curves(painter, picture, layout, np.arange(len(picture.links)), look.theme.text, opacity)
        _paint_tokens(painter, picture, layout, look)
        _paint_notes(painter, picture, layout, look)
        _paint_legend(painter, layout, look)

    def paint_lit(
        self, painter: QPainter, layout: LinesLayout, look: Look, spot: Spot, *, vector: bool = False
    ) -> None:
        spot = self._in_view(spot)
        self._paint(painter, layout, look, 1.0 if spot == NOWHERE else FAINT)
        self._paint_lit(painter, layout, look, spot)

    def hit(self, layout: LinesLayout, place: QPointF) -> Hit | None:
        picture = self.picture
        row, column = layout.row_at(place.y(), place.x()), layout.column_at(place.y(), place.x())
        if row is not None:
            return Hit(self.name, Spot(row + picture.first_row))
        if column is not None:
            return Hit(self.name, Spot(None, column + picture.first_column))
        link = link_at(picture, layout, place)
        links = picture.links
        return None if link is None else Hit(self.name, Spot(int(links.row[link]), int(links.column[link])))

    def mark(self, painter: QPainter, layout: LinesLayout, look: Look, hit: Hit) -> None:
        """Light up the lines of a query, of a key or of both, over a veil on the others."""
        spot = self._in_view(hit.part)
        if spot != NOWHERE:
            # The lines behind are a picture that is kept: covering it takes a millisecond, painting it anew a hundred.
            cover = layout.field.adjusted(-look.px(4), -look.px(4), look.px(4), look.px(4))  # with the round ends
            painter.fillRect(cover, colour_of(look.theme.card, 1.0 - FAINT))
            _paint_notes(painter, self.picture, layout, look)
            self._paint_lit(painter, layout, look, spot)

    def _in_view(self, spot: Spot) -> Spot:
        """Return what is in view of a spot: what is not lights up nothing, and must not dim the rest either."""
        rows = range(self.picture.first_row, self.picture.first_row + len(self.picture.row_tokens))
        columns = range(self.picture.first_column, self.picture.first_column + len(self.picture.column_tokens))
        return Spot(spot.row if spot.row in rows else None, spot.column if spot.column in columns else None)

    def _paint_lit(self, painter: QPainter, layout: LinesLayout, look: Look, spot: Spot) -> None:
        links, theme, row, column = self.picture.links, look.theme, spot.row, spot.column
        if row is not None:
            own = np.flatnonzero(links.row == row)
            _paint_curves(painter, self.picture, layout, own, theme.query, None)
        if column is not None:
            into = np.flatnonzero(links.column == column)
            _paint_curves(painter, self.picture, layout, into, theme.key, None)
        if row is not None and column is not None:
            pair = np.flatnonzero((links.row == row) & (links.column == column))
            _paint_curves(painter, self.picture, layout, pair, theme.text, None)
        _paint_lit_tokens(painter, self.picture, layout, look, row, column)

    def suits(self) -> tuple[float, float]:
        return 620.0, min(self._most * 24.0, 2000.0) + 130.0

    def foot(self, _look: Look, _room: QRectF) -> float:
        return self._most * 24.0 + LEGEND_HEIGHT + 40.0

    @property
    def _most(self) -> int:
        return max(len(self.picture.row_tokens), len(self.picture.column_tokens))


def _paint_curves(
    painter: QPainter,
    picture: LinePicture,
    layout: LinesLayout,
    which: np.typing.NDArray[np.intp],
    colour: str,
    opacity: float | None,
) -> None:
    """Paint some links, the weakest first; opaque without an opacity, else the weaker, the more transparent."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    links, field = picture.links, layout.field
    left, right, middle = field.left(), field.right(), field.center().x()
    weights = links.weight[which]
    widths = np.round(_widths(weights, layout.widest), 1).tolist()
    opacities = [1.0] * len(which) if opacity is None else (opacity * _opacities(weights, layout.strength)).tolist()
    for i, width, shown in zip(which.tolist(), widths, opacities, strict=True):
        start = layout.row_y(int(links.row[i]) - picture.first_row)
        end = layout.column_y(int(links.column[i]) - picture.first_column)
        path = QPainterPath(QPointF(left, start))
        path.cubicTo(middle, start, middle, end, right, end)
        painter.setPen(pen(colour, width, opacity=shown))
        painter.drawPath(path)


def _paint_tokens(painter: QPainter, picture: LinePicture, layout: LinesLayout, look: Look) -> None:
    painter.setFont(look.font(12.5, bold=True))
    for is_key, title in ((False, "query"), (True, "key")):
        box, flags = _label_box(layout, look, layout.field.top() - look.px(14), is_key)
        painter.setPen(colour_of(look.theme.key_ink if is_key else look.theme.query_ink))
        painter.drawText(box, flags, title)
    for row in range(0, layout.rows, _label_every(layout.row_step, look)):
        _paint_token(painter, picture, layout, look, row, is_key=False)
    for column in range(0, layout.columns, _label_every(layout.column_step, look)):
        _paint_token(painter, picture, layout, look, column, is_key=True)


def _label_box(layout: LinesLayout, look: Look, y: float, is_key: bool) -> tuple[QRectF, Qt.AlignmentFlag]:
    """Return the box of a label at a height, and how it stands in it."""
    px, field = look.px, layout.field
    room = max(layout.column_labels if is_key else layout.row_labels, px(48))
    left = field.right() + px(7) if is_key else field.left() - px(7) - room
    side = Qt.AlignmentFlag.AlignLeft if is_key else Qt.AlignmentFlag.AlignRight
    return QRectF(left, y - px(9), room, px(18)), side | Qt.AlignmentFlag.AlignVCenter


def _paint_token(
    painter: QPainter,
    picture: LinePicture,
    layout: LinesLayout,
    look: Look,
    number: int,
    *,
    is_key: bool,
    lit: bool = False,
) -> None:
    if not look.token_labels:
        return
    step = layout.column_step if is_key else layout.row_step
    size = _font_size(step, look)
    font = look.font(max(size, 12.0) if lit else size, bold=lit)
    token = (picture.column_tokens if is_key else picture.row_tokens)[number]
    box, flags = _label_box(layout, look, layout.column_y(number) if is_key else layout.row_y(number), is_key)
    text = QFontMetricsF(font).elidedText(token, Qt.TextElideMode.ElideRight, box.width() + 1)
    painter.setFont(font)
    if lit:
        _clear_neighbours(painter, layout, look, number, is_key=is_key)
        painter.fillRect(box.adjusted(0, look.px(1), 0, -look.px(1)), colour_of(look.theme.card))
    painter.setPen(colour_of(look.theme.key_ink if is_key else look.theme.query_ink))
    painter.drawText(box, flags, text)


def _clear_neighbours(painter: QPainter, layout: LinesLayout, look: Look, number: int, *, is_key: bool) -> None:
    """Cover labels that a lit one would overlap: half a word is worse than none."""
    step, count = (layout.column_step, layout.columns) if is_key else (layout.row_step, layout.rows)
    every = _label_every(step, look)
    reach = math.ceil(look.px(15) / max(step, 0.01))
    first = max(0, -(-(number - reach) // every) * every)
    for other in range(first, min(number + reach + 1, count), every):
        y = layout.column_y(other) if is_key else layout.row_y(other)
        away = abs(other - number) * step
        if 0 < away < look.px(14):
            box, _ = _label_box(layout, look, y, is_key)
            painter.fillRect(box.adjusted(0, look.px(3), 0, -look.px(3)), colour_of(look.theme.card))


def _paint_lit_tokens(
    painter: QPainter, picture: LinePicture, layout: LinesLayout, look: Look, row: int | None, column: int | None
) -> None:
    if row is not None and 0 <= row - picture.first_row < layout.rows:
        _paint_token(painter, picture, layout, look, row - picture.first_row, is_key=False, lit=True)
    if column is not None and 0 <= column - picture.first_column < layout.columns:
        _paint_token(painter, picture, layout, look, column - picture.first_column, is_key=True, lit=True)


def _paint_notes(painter: QPainter, picture: LinePicture, layout: LinesLayout, look: Look) -> None:
    """Say of each query without lines why it has none, where there is room for words."""
    if layout.row_step < look.px(NARROWEST_LABEL):
        return
    painter.setFont(look.font(min(12.0, _font_size(layout.row_step, look))))
    painter.setPen(colour_of(look.theme.muted))
    links = picture.links
    notes = dict.fromkeys(links.empty_rows, "nothing to attend to")
    notes |= dict.fromkeys(links.hidden_rows, "all it attends to is hidden")
    for row, note in notes.items():
        y = layout.row_y(row - picture.first_row)
        box = QRectF(layout.field.left() + look.px(6), y - look.px(9), look.px(160), look.px(18))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, note)


def _samples_width(look: Look) -> float:
    texts = sum(text_size(look.font(11.5), _sample_text(weight))[0] for weight in SAMPLES)
    return texts + len(SAMPLES) * look.px(22 + 6 + 12) + look.px(8)


def _sample_text(weight: float) -> str:
    return plain(weight, 2).rstrip("0").rstrip(".")


def _paint_legend(painter: QPainter, layout: LinesLayout, look: Look) -> None:
    px, legend = look.px, layout.legend
    font = look.font(11.5)
    painter.setFont(font)
    x, y = legend.left(), legend.top() + px(8)
    weights = np.array(SAMPLES)
    widths, opacities = _widths(weights, layout.widest).tolist(), _opacities(weights, layout.strength).tolist()
    for weight, line, opacity in zip(SAMPLES, widths, opacities, strict=True):
        painter.setPen(pen(look.theme.text, round(line, 1), opacity=opacity))
        painter.drawLine(QPointF(x + px(3), y), QPointF(x + px(19), y))
        text = _sample_text(weight)
        painter.setPen(colour_of(look.theme.muted))
        width = text_size(font, text)[0]
        box = QRectF(x + px(28), y - px(8), width + 2, px(16))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        x += px(22 + 6 + 12) + width
    indent = _words_left(look, legend.width())
    words = legend.adjusted(indent, 0 if indent else px(20), 0, 0)
    painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, layout.legend_words)
