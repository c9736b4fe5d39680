"""A column for each key of the softmax bench: its score as a bar, the numbers on the way, and its weight."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.numerals import compact, coordinate, plain, scientific
from attention_explorer.kit.drawing.curve_chart import Axis, ChartLayout, round_ticks
from attention_explorer.kit.drawing.marks import (
    colour_of,
    draw_haloed_text,
    draw_line,
    paint_question_mark,
    pen,
    text_size,
)
from attention_explorer.kit.theme import Look
from attention_explorer.pages.scaling.bench import BenchPicture, Fault

GUTTER, STEP, TITLE = 62, 18, 22
MOST_BAR = 44
LEAST_REACH = 1.0
SMALLEST = 9.0
"""The smallest font, in pixels at zoom 1, before digits are left out."""


@dataclass(frozen=True, slots=True)
class ColumnsLayout:
    """Where the bars and the lines of numbers are."""

    box: QRectF
    scores: ChartLayout
    steps: tuple[QRectF, ...]
    weights: ChartLayout
    keys: int

    def slot(self, key: int) -> tuple[float, float]:
        """Return the left and the right end of a column."""
        wide = self.scores.plot.width() / self.keys
        left = self.scores.plot.left() + key * wide
        return left, left + wide


def columns_layout(picture: BenchPicture, look: Look, box: QRectF) -> ColumnsLayout:
    """Fit bars above, numbers between and weights below."""
    px, keys = look.px, picture.weights.shape[1]
    titles = _step_titles(picture)
    steps_height = px(STEP) * len(titles)
    rest = max(box.height() - steps_height - px(2 * TITLE + 30), 20.0)
    plot = QRectF(box.left() + px(GUTTER), box.top() + px(TITLE), box.width() - px(GUTTER + 4), 0.58 * rest)
    low, high = score_range(picture)
    scores = ChartLayout(
        QRectF(box.left(), box.top(), box.width(), plot.height() + px(TITLE)),
        plot,
        Axis(0.0, float(keys)),
        Axis(low, high),
    )
    top = plot.bottom() + px(10)
    steps = tuple(QRectF(box.left(), top + number * px(STEP), box.width(), px(STEP)) for number in range(len(titles)))
    foot = top + steps_height + px(TITLE)
    lower = QRectF(plot.left(), foot, plot.width(), max(box.bottom() - px(20) - foot, 8.0))
    weights = ChartLayout(
        QRectF(box.left(), foot - px(TITLE), box.width(), lower.height() + px(TITLE)),
        lower,
        Axis(0.0, float(keys)),
        Axis(0.0, 1.0),
    )
    return ColumnsLayout(box, scores, steps, weights, keys)


def score_range(picture: BenchPicture) -> tuple[float, float]:
    """Return the axis of the scores: 0 and round ends around all of them, so that it seldom changes in a drag."""
    row = picture.scores[picture.row].tolist()
    reach = max(LEAST_REACH, *(abs(score) for score in row))
    step = next(s for s in _round_steps() if s >= 1.05 * reach)
    low = 0.0 if min(row) >= 0 and reach > 30 else -step
    high = 0.0 if max(row) <= 0 and reach > 30 else step
    return low, high


def _round_steps() -> list[float]:
    return [factor * 10.0**power for power in range(0, 10) for factor in (1, 1.5, 2, 3, 5, 7)]


def column_at(layout: ColumnsLayout, place: QPointF) -> int | None:
    """Return the key whose column is at a place."""
    plot = layout.scores.plot
    if not (layout.box.top() <= place.y() <= layout.box.bottom() and plot.left() <= place.x() < plot.right()):
        return None
    return min(int((place.x() - plot.left()) / plot.width() * layout.keys), layout.keys - 1)


def score_at(layout: ColumnsLayout, y: float) -> float:
    """Return the score at a height, rounded to what a pixel is worth."""
    plot, up = layout.scores.plot, layout.scores.up
    number = up.number((plot.bottom() - y) / (plot.height() or 1.0))
    worth = (up.high - up.low) / max(plot.height(), 1.0)
    digits = -math.floor(math.log10(worth))
    return round(min(max(number, -1e6), 1e6), digits)


# ---- Painting ----


def _step_titles(picture: BenchPicture) -> tuple[str, ...]:
    # As many lines with and without: whoever switches sees that the bars below do not move.
    return "score s", "s − max" if picture.bench.subtract_max else "s − 0", "exp", "÷ total"


def paint_columns_of(painter: QPainter, picture: BenchPicture, layout: ColumnsLayout, look: Look) -> None:
    """Paint bars, numbers and weights of the row that is looked at."""
    rows = len(picture.weights)
    which = f" of query {picture.row + 1}" if rows > 1 else ""
    _paint_scores(painter, picture, layout, look, f"Scores{which}" + ("" if look.still else ": drag the bars"))
    _paint_steps(painter, picture, layout, look)
    _paint_weights(painter, picture, layout, look)


def paint_given_columns(painter: QPainter, picture: BenchPicture, layout: ColumnsLayout, look: Look) -> None:
    """Paint the scores, and “?” for all that is computed from them."""
    _paint_scores(painter, picture, layout, look, "Scores")
    _paint_steps(painter, picture, layout, look, only_scores=True)
    _paint_ground(painter, layout.weights, look, "Weights")
    paint_question_mark(painter, layout.weights.plot, look)


def _paint_scores(painter: QPainter, picture: BenchPicture, layout: ColumnsLayout, look: Look, title: str) -> None:
    chart, theme = layout.scores, look.theme
    _paint_ground(painter, chart, look, title)
    zero = min(max(chart.y(0.0), chart.plot.top()), chart.plot.bottom())
    for key, score in enumerate(picture.scores[picture.row].tolist()):
        top = min(max(chart.y(score), chart.plot.top()), chart.plot.bottom())
        box = _bar(layout, look, key, min(top, zero), max(top, zero))
        painter.fillRect(box, colour_of(theme.text, 0.38))
        edge = pen(theme.text, (3.0 if key == picture.bench.key_shown else 2.0) * look.zoom)
        draw_line(painter, QPointF(box.left(), top), QPointF(box.right(), top), edge)
    _paint_limit(painter, picture, chart, look)


def _paint_ground(painter: QPainter, chart: ChartLayout, look: Look, title: str) -> None:
    """Paint grid, numbers and title; the keys stand below the weights alone."""
    px, theme, plot = look.px, look.theme, chart.plot
    painter.setFont(look.font(12.5, bold=True))
    painter.setPen(colour_of(theme.text))
    line = QRectF(chart.box.left(), chart.box.top(), chart.box.width(), px(18))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
    painter.setFont(look.font(11))
    for tick in round_ticks(chart.up.low, chart.up.high, max(2, int(plot.height() / px(30)))):
        y = chart.y(tick)
        ink = theme.axis if tick == 0 else theme.grid
        draw_line(painter, QPointF(plot.left(), y), QPointF(plot.right(), y), pen(ink, 1))
        painter.setPen(colour_of(theme.muted))
        box = QRectF(chart.box.left(), y - px(7), plot.left() - px(5) - chart.box.left(), px(14))
        text = chart.up.text(tick)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


def _bar(layout: ColumnsLayout, look: Look, key: int, top: float, bottom: float) -> QRectF:
    left, right = layout.slot(key)
    wide = min(0.7 * (right - left), look.px(MOST_BAR))
    middle = 0.5 * (left + right)
    return QRectF(middle - wide / 2, top, wide, bottom - top)


def _paint_limit(painter: QPainter, picture: BenchPicture, chart: ChartLayout, look: Look) -> None:
    """Draw where exp overflows, if nothing is subtracted and that is on the axis."""
    limit = picture.bench.precision.exp_limit
    if picture.bench.subtract_max or not chart.up.low < limit < chart.up.high:
        return
    y, plot, theme = chart.y(limit), chart.plot, look.theme
    draw_line(
        painter,
        QPointF(plot.left(), y),
        QPointF(plot.right(), y),
        pen(theme.loss, 1.5 * look.zoom, Qt.PenStyle.DashLine),
    )
    font = look.font(11.5)
    text = f"exp overflows above {plain(limit)}"
    if text_size(font, text)[0] > plot.width():
        text = f"∞ above {plain(limit)}"
    width, height = text_size(font, text)
    top = y - height - 1 if y - height > plot.top() else y + 1
    box = QRectF(plot.right() - width, top, width, height)
    painter.fillRect(box, colour_of(theme.card, 0.85))  # it may lie on a bar
    draw_haloed_text(painter, box, text, font, theme.loss_ink, theme.card)


def _paint_steps(
    painter: QPainter, picture: BenchPicture, layout: ColumnsLayout, look: Look, *, only_scores: bool = False
) -> None:
    row, px, theme = picture.row, look.px, look.theme
    parts = (picture.scores, picture.shifted, picture.exponentials, picture.totals)
    for line, title, part in zip(layout.steps, _step_titles(picture), parts, strict=True):
        painter.setFont(look.font(11.5))
        painter.setPen(colour_of(theme.muted))
        beside = QRectF(line.left(), line.top(), px(GUTTER - 4), line.height())
        painter.drawText(beside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        for key, number in enumerate(part[row].tolist()):
            left, right = layout.slot(key)
            slot = QRectF(left, line.top(), right - left, line.height())
            if only_scores and part is not picture.scores:
                paint_question_mark(painter, slot, look, 12)
            else:
                _write_number(painter, slot, number, look)


def _write_number(painter: QPainter, box: QRectF, number: float, look: Look) -> None:
    """Write a number in as large a font as fits, in the colour of trouble if it is not finite."""
    text, size = number_text(number), 12.0
    if QFontMetricsF(look.font(SMALLEST)).horizontalAdvance(text) > box.width() - 4:
        text = shortest_text(number)
    while size > SMALLEST and QFontMetricsF(look.font(size)).horizontalAdvance(text) > box.width() - 4:
        size -= 0.5
    painter.setFont(look.font(size))
    painter.setPen(colour_of(look.theme.text if math.isfinite(number) else look.theme.loss_ink))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def shortest_text(number: float) -> str:
    """Return a number with as few digits as it can be told by: 2e−5, 0.51, 1.4e308."""
    return f"{number:.2g}".replace("e-0", "e-").replace("e+", "e").replace("-", "−")


def number_text(number: float) -> str:
    """Return a number of the bench: 0.643914, 4.54·10⁻⁵, 1.4e308, ∞ or NaN."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if number == round(number, 2) and abs(number) < 1e5:
        return coordinate(number, 7)
    if number != 0 and abs(number) < 1e-3:
        return ("−" if number < 0 else "") + scientific(abs(number))
    return plain(number, 4) if abs(number) < 10 else compact(number)


def _paint_weights(painter: QPainter, picture: BenchPicture, layout: ColumnsLayout, look: Look) -> None:
    chart, theme, px = layout.weights, look.theme, look.px
    weights = picture.weights[picture.row].tolist()
    total = picture.row_sums[picture.row]
    said = "NaN" if math.isnan(total) else plain(float(total), 3)
    _paint_ground(painter, chart, look, f"Weights: they sum to {said}")
    for key, weight in enumerate(weights):
        left, right = layout.slot(key)
        if math.isfinite(weight):
            box = _bar(layout, look, key, chart.y(min(weight, 1.0)), chart.plot.bottom())
            painter.fillRect(box, colour_of(theme.text, 0.7))
        number = QRectF(left, chart.plot.bottom() + px(2), right - left, px(17))
        _write_number(painter, number, weight, look)
    trouble = {
        Fault.NAN: "NaN: ∞ ÷ ∞, or 0 ÷ 0",
        Fault.SILENT: "all 0, without any error",
    }.get(picture.fault)
    if trouble:
        size = 13.0
        while size > SMALLEST and text_size(look.font(size, bold=True), trouble)[0] > chart.plot.width():
            size -= 0.5
        font = look.font(size, bold=True)
        width, height = text_size(font, trouble)
        box = QRectF(chart.plot.center().x() - width / 2, chart.plot.center().y() - height / 2, width, height)
        draw_haloed_text(painter, box, trouble, font, theme.loss_ink, theme.card)


def paint_column_mark(painter: QPainter, layout: ColumnsLayout, look: Look, key: int) -> None:
    """Light up a column."""
    left, right = layout.slot(key)
    painter.fillRect(
        QRectF(left, layout.scores.plot.top(), right - left, layout.box.bottom() - layout.scores.plot.top()),
        colour_of(look.theme.text, 0.06),
    )
