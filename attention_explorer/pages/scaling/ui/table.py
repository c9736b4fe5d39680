"""The table of what was measured: raw beside scaled, with what theory predicts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import plain, scientific
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.scaling.rows import SATURATED_ABOVE, Measure
from attention_explorer.pages.scaling.scores import ScoresPicture
from attention_explorer.pages.scaling.ui.style import NAMES
from attention_explorer.pages.scaling.wording import measured, share

LINE = 17


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: what it is called, its two numbers, and what the status bar says about it."""

    title: str
    raw: str
    scaled: str
    words: str
    is_prediction: bool = False
    """Whether it is what theory says of the line before."""


def table_lines(picture: ScoresPicture, *, few: bool = False) -> tuple[Line, ...]:
    """Return what was measured; of ``few`` numbers, the first lines."""
    raw, scaled = picture.raw, picture.scaled
    uniform = 1.0 / picture.setting.keys
    lines = [
        _line("std of the scores", picture, "std"),
        Line(
            "predicted",
            plain(raw.predicted_std, 3 if raw.predicted_std < 10 else 2),
            plain(scaled.predicted_std, 3),
            "what theory predicts for the standard deviation, exactly",
            is_prediction=True,
        ),
        _line("beyond ±30", picture, "tail", percent=True),
        Line(
            "of the curve",
            share(raw.predicted_tail),
            share(scaled.predicted_tail),
            "the share of the predicted curve beyond ±30",
            is_prediction=True,
        ),
        _line("largest weight", picture, "largest", f"mean over the rows; {plain(uniform, 3)} would be uniform"),
        _line("saturated rows", picture, "saturated", f"their largest weight is above {SATURATED_ABOVE}", percent=True),
    ]
    if raw.summary.own is not None:
        lines.append(_line("weight on itself", picture, "own", "mean weight of a token on itself"))
    if few:
        return tuple(lines)
    return (
        *lines,
        _line("entropy ÷ ln n", picture, "entropy", "1 would be uniform, 0 one key alone"),
        _line("gradient norm", picture, "gradient", "mean size of the softmax’s Jacobian ∂weights/∂scores"),
        _line("median p(1 − p)", picture, "slope", "how the largest weight p answers to its own score; at most 0.25"),
    )


def _line(title: str, picture: ScoresPicture, quantity: str, meaning: str = "", *, percent: bool = False) -> Line:
    found: list[Measure] = [getattr(picture.of(scaled).summary, quantity) for scaled in (False, True)]
    texts = [share(measure.value) if percent else measured(measure) for measure in found]
    said = [
        f"{NAMES[scaled]} {_exact(measure.value)}" + _error(measure)
        for scaled, measure in zip((False, True), found, strict=True)
    ]
    words = f"{title}{f' ({meaning})' if meaning else ''}: {', '.join(said)}"
    return Line(title, texts[0], texts[1], words)


def _error(measure: Measure) -> str:
    return "" if math.isnan(measure.error) else f" (standard error {_exact(measure.error)})"


def _exact(number: float) -> str:
    return plain(number, 4) if abs(number) >= 1e-3 or number == 0 else scientific(number)


# ---- Painting ----


def table_height(lines: tuple[Line, ...], look: Look) -> float:
    """Return how high the table would like to be."""
    return float(look.px(LINE) * (len(lines) + 1) + look.px(4))


def row_boxes(lines: tuple[Line, ...], box: QRectF) -> list[QRectF]:
    """Return where the header and the lines are."""
    high = box.height() / (len(lines) + 1)
    return [QRectF(box.left(), box.top() + number * high, box.width(), high) for number in range(len(lines) + 1)]


def paint_table(painter: QPainter, lines: tuple[Line, ...], box: QRectF, look: Look, leading: bool) -> None:
    """Paint the table; ``leading`` is the column that is written in bold, the scaled or the raw one."""
    header, *rows = row_boxes(lines, box)
    painter.fillRect(QRectF(box.left(), header.bottom() - 1, box.width(), 1), colour_of(look.theme.border))
    _write(painter, header, ("", NAMES[False], NAMES[True]), look, "muted", leading)
    for row, line in zip(rows, lines, strict=True):
        ink = "muted" if line.is_prediction else "text"
        title = f"   {line.title}" if line.is_prediction else line.title
        _write(painter, row, (title, line.raw, line.scaled), look, ink, leading)


def _write(painter: QPainter, row: QRectF, texts: tuple[str, str, str], look: Look, ink: str, leading: bool) -> None:
    side = 0.29 * row.width()
    size = min(12.0, 0.86 * row.height() / look.zoom)
    painter.setPen(colour_of(getattr(look.theme, ink)))
    places = (
        QRectF(row.left(), row.top(), row.width() - 2 * side, row.height()),
        QRectF(row.right() - 2 * side, row.top(), side, row.height()),
        QRectF(row.right() - side, row.top(), side, row.height()),
    )
    for number, (text, place) in enumerate(zip(texts, places, strict=True)):
        painter.setFont(look.font(size, bold=number == (2 if leading else 1)))
        edge = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(place.width()) + 1)
        painter.drawText(place, edge | Qt.AlignmentFlag.AlignVCenter, shown)


def table_row_at(lines: tuple[Line, ...], box: QRectF, place: QPointF) -> int | None:
    """Return the line at a place."""
    return next((number for number, row in enumerate(row_boxes(lines, box)[1:]) if row.contains(place)), None)


def mark_table(painter: QPainter, lines: tuple[Line, ...], box: QRectF, look: Look, number: int) -> None:
    """Light up a line."""
    if number < len(lines):
        painter.fillRect(row_boxes(lines, box)[1:][number], colour_of(look.theme.text, 0.08))
