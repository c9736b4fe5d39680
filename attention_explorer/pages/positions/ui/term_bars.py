"""Lengths of vectors and terms of a score as bars with their numbers."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import plain, signed
from attention_explorer.kit.drawing.legend import fitting
from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.attention import PositionAttentionPicture, Term


def paint_title(painter: QPainter, box: QRectF, text: str, look: Look, *, bold: bool = True) -> None:
    """Write the title of a chart at the top of its box."""
    font = look.font(12.5, bold=bold)
    painter.setFont(font)
    painter.setPen(colour_of(look.theme.text))
    line = QRectF(box.left(), box.top(), box.width(), look.px(18))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(line.width()) + 1)
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


def paint_lengths(painter: QPainter, picture: PositionAttentionPicture, box: QRectF, look: Look) -> None:
    """Paint the length of a token beside that of an encoding."""
    theme, px = look.theme, look.px
    inner = box.adjusted(px(4), px(3), 0, 0)
    title = fitting(("lengths of the vectors", "lengths"), look.font(12.5, bold=True), inner.width())
    paint_title(painter, inner, title, look)
    colours = (theme.query, theme.key, theme.text)
    longest = max((norm.number for norm in picture.norms), default=0.0) or 1.0
    bars = inner.adjusted(0, px(24), 0, -px(4))
    names = max(text_size(look.font(11.5), norm.name)[0] for norm in picture.norms) + px(8)
    numbers = text_size(look.font(11.5), plain(longest, 3))[0] + px(8)
    room = max(bars.width() - names - numbers, 4.0)
    step = min(bars.height() / 3, px(26))
    for number, norm in enumerate(picture.norms):
        line = QRectF(bars.left(), bars.top() + number * step, bars.width(), step)
        length = norm.number / longest * room
        bar = QRectF(line.left() + names, line.center().y() - min(step * 0.3, px(7)), length, min(step * 0.6, px(14)))
        painter.fillRect(bar, colour_of(colours[number]))
        _paint_row_words(painter, line, norm.name, plain(norm.number, 3), bar.right() + px(6), look)
    if len(picture.norms) < 3 and bars.height() >= 3 * step:
        painter.setPen(colour_of(theme.muted))
        line = QRectF(bars.left(), bars.top() + 2 * step, bars.width(), step)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "no vector is added")


def _paint_row_words(painter: QPainter, line: QRectF, name: str, number: str, x: float, look: Look) -> None:
    painter.setFont(look.font(11.5))
    painter.setPen(colour_of(look.theme.muted))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
    painter.setPen(colour_of(look.theme.text))
    width = text_size(look.font(11.5), number)[0] + 2
    box = QRectF(x, line.top(), width, line.height())
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, number)


def paint_terms(painter: QPainter, picture: PositionAttentionPicture, box: QRectF, look: Look) -> None:
    """Paint what the score of a pair is made of as bars left and right of 0."""
    if not picture.terms:
        return
    theme, px = look.theme, look.px
    hidden = " (masked)" if picture.key >= picture.visible else ""
    paint_title(painter, box, f"score of query {picture.query}, key {picture.key}{hidden}", look)
    rows = [*picture.terms, Term("sum", sum(term.number for term in picture.terms))]
    largest = max(abs(row.number) for row in rows) or 1.0
    font = look.font(11.5)
    names = max(text_size(font, row.name)[0] for row in rows) + px(10)
    numbers = max(text_size(font, signed(row.number, 3))[0] for row in rows) + px(6)
    inner = box.adjusted(0, px(24), 0, -px(4))
    step = min(inner.height() / len(rows), px(28))
    half = max((inner.width() - names - numbers) / 2, 4.0)
    zero = inner.left() + names + half
    for number, row in enumerate(rows):
        line = QRectF(inner.left(), inner.top() + number * step, inner.width(), step)
        high = min(0.6 * step, px(14))
        end = zero + row.number / largest * half
        bar = QRectF(min(zero, end), line.center().y() - high / 2, abs(end - zero), high)
        painter.fillRect(bar, colour_of(theme.text if row is rows[-1] else theme.axis))
        _paint_row_words(painter, line, row.name, signed(row.number, 3), inner.right() - numbers + px(4), look)
    foot = inner.top() + len(rows) * step
    draw_line(painter, QPointF(zero, inner.top()), QPointF(zero, foot), pen(theme.axis, 1.0))
    if picture.state.concatenated and len(picture.terms) == 2 and foot + px(32) <= box.bottom():
        painter.setFont(look.font(11.5))
        painter.setPen(colour_of(theme.muted))
        words = QRectF(box.left(), foot + px(2), box.width(), box.bottom() - foot - px(2))
        painter.drawText(words, Qt.TextFlag.TextWordWrap, "Side by side: no cross terms.")
