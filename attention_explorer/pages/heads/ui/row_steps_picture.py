"""The picture of one row step by step: a line a key, a column a step, and the output below."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.kit.accessible import PICTURE, tell_changed
from attention_explorer.kit.drawing.colour_maps import DIVERGING, colour_table
from attention_explorer.kit.drawing.marks import colour_of, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.row_steps import Column, RowSteps

HIGHEST_LINE = 34.0
BAR_WIDTH = 84
LEAST_ARRAY_WIDTH = 96
GAP = 16

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RowStepsPicture(QWidget):
    """Shows a row as far as it is at a moment."""

    accessible_role = PICTURE

    def __init__(self, look: Look, row: RowSteps, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self.row = look, row
        self.moment = 0
        self.setAccessibleName("The row step by step")
        self.setMinimumSize(look.px(560), look.px(220))

    def show_moment(self, moment: int) -> None:
        """Show all that is known at a moment."""
        self.moment = moment
        self.update()
        tell_changed(self)

    def spoken(self) -> str:
        """Return what happens, and what the newest column says, in words."""
        place, count = self.row.moments[self.moment]
        texts = self.row.columns[place].texts[:count]
        listed = ", ".join(f"{line} {text}" for line, text in zip(self.row.lines, texts, strict=False))
        return " ".join(filter(None, (self.row.caption(self.moment), listed)))

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(860), self._look.px(70 + HIGHEST_LINE * (len(self.row.lines) + 1)))

    # ---- Where things stand ----

    def _columns(self, left: float) -> Iterator[tuple[Column, QRectF]]:
        """Yield each column with its box, from its header to the last line; arrays share the width that is left."""
        columns, px = self.row.columns, self._look.px
        widths = [self._least_width(column) for column in columns]
        arrays = sum(column.arrays is not None for column in columns)
        spare = max(self.width() - left - sum(widths) - px(GAP) * len(columns), 0.0) / max(arrays, 1)
        for column, width in zip(columns, widths, strict=True):
            wide = width + (spare if column.arrays is not None else 0.0)
            yield column, QRectF(left, 0, wide, self.height())
            left += wide + px(GAP)

    def _least_width(self, column: Column) -> float:
        px, font = self._look.px, self._look.font(13, bold=True)
        texts = max((text_size(font, text)[0] for text in (*column.texts, column.title, column.total)), default=0.0)
        bar = px(BAR_WIDTH) + px(8) if column.numbers is not None else 0.0
        array = px(LEAST_ARRAY_WIDTH) + px(8) if column.arrays is not None else 0.0
        return texts + bar + array + self._room_for_o(column)

    def _room_for_o(self, column: Column) -> float:
        """Return what stands free at the left of the arrays whose sum is the output."""
        return self._look.px(14) if column.arrays is not None and not column.texts else 0.0

    def _text_width(self, column: Column) -> float:
        font = self._look.font(13, bold=True)
        return max((text_size(font, text)[0] for text in (*column.texts, column.total)), default=0.0)

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        look, px, theme = self._look, self._look.px, self._look.theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour_of(theme.card))
        header = px(26)
        high = min(px(HIGHEST_LINE), (self.height() - header - px(4)) / (len(self.row.lines) + 1))
        font = look.font(13)
        widest = min(max(text_size(font, line)[0] for line in self.row.lines), px(170))
        newest, count = self.row.moments[self.moment]
        if self.row.columns[newest].told:
            painter.fillRect(QRectF(0, header + (count - 1) * high, self.width(), high), colour_of(theme.track))
        self._paint_lines(painter, header, high, widest)
        for place, (column, box) in enumerate(self._columns(widest + px(GAP))):
            if place <= newest:
                shown = count if place == newest else len(self.row.lines)
                self._paint_header(painter, column, box, is_newest=place == newest)
                self._paint_column(painter, column, QRectF(box.left(), header, box.width(), high), shown)
        painter.end()

    def _paint_lines(self, painter: QPainter, top: float, high: float, width: float) -> None:
        theme = self._look.theme
        painter.setFont(self._look.font(13))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(colour_of(theme.key_ink))
        for place, line in enumerate(self.row.lines):
            text = metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, width)
            painter.drawText(QRectF(0, top + place * high, width, high), _RIGHT, text)
        painter.setPen(colour_of(theme.border))
        bottom = top + len(self.row.lines) * high
        painter.drawLine(0, int(bottom), self.width(), int(bottom))

    def _paint_header(self, painter: QPainter, column: Column, box: QRectF, *, is_newest: bool) -> None:
        painter.setFont(self._look.font(13, bold=is_newest))
        painter.setPen(colour_of(self._look.theme.text if is_newest else self._look.theme.muted))
        line = QRectF(box.left(), 0, box.width(), self._look.px(22)).adjusted(self._room_for_o(column), 0, 0, 0)
        painter.drawText(line, _RIGHT if column.texts and column.arrays is None else _LEFT, column.title)

    def _paint_column(self, painter: QPainter, column: Column, line: QRectF, count: int) -> None:
        """Paint the first lines of a column, and their total once all are there; ``line`` is the box of the first."""
        theme, px = self._look.theme, self._look.px
        text = self._text_width(column)
        beside = line.adjusted(self._room_for_o(column), px(4), -(text + px(8) if text else 0.0), -px(4))
        painter.setFont(self._look.font(13))
        painter.setPen(QColor(theme.text))
        for place, words in enumerate(column.texts[:count]):
            painter.drawText(line.translated(0, place * line.height()), _RIGHT, words)
        if column.numbers is not None:
            for place, share in enumerate(column.numbers[:count].tolist()):
                bar = beside.translated(0, place * line.height()).adjusted(0, px(4), 0, -px(4))
                painter.fillRect(bar, colour_of(theme.track))
                painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * share, bar.height()), colour_of(theme.key))
        if column.arrays is not None:
            self._paint_arrays(painter, column.arrays, beside, count, line.height(), adds_up=not column.texts)
        if column.total and count == len(self.row.lines):
            painter.setFont(self._look.font(13, bold=True))
            painter.setPen(QColor(theme.text))
            painter.drawText(line.translated(0, count * line.height()), _RIGHT, column.total)

    def _paint_arrays(
        self, painter: QPainter, arrays: FloatArray, box: QRectF, count: int, high: float, *, adds_up: bool
    ) -> None:
        """Paint arrays feature by feature on one scale; below them their sum so far, if that is what they are for."""
        total = arrays[:count].sum(axis=0)
        whole = self.row.output if adds_up and self.row.output is not None else arrays[:1]
        largest = max(float(np.abs(arrays).max(initial=0.0)), float(np.abs(whole).max(initial=0.0)))
        for place, array in enumerate(arrays[:count]):
            self._paint_array(painter, array, largest, box.translated(0, place * high))
        if adds_up:
            below = box.translated(0, len(self.row.lines) * high)
            self._paint_array(painter, total, largest, below)
            painter.setFont(self._look.font(13, bold=True))
            painter.setPen(colour_of(self._look.theme.output_ink))
            painter.drawText(below.translated(-self._look.px(4) - below.width(), 0), _RIGHT, "o")

    def _paint_array(self, painter: QPainter, array: FloatArray, largest: float, box: QRectF) -> None:
        painter.fillRect(box, colour_of(self._look.theme.window))
        table = colour_table(DIVERGING)
        below, above = QColor(int(table[len(table) // 5])), QColor(int(table[-1 - len(table) // 5]))
        wide, middle = box.width() / len(array), box.center().y()
        for place, number in enumerate((array / largest if largest else array).tolist()):
            high = number * box.height() / 2
            bar = QRectF(box.left() + place * wide, middle - max(high, 0.0), wide * 0.9, abs(high))
            painter.fillRect(bar, above if number > 0 else below)
