"""A row of attention as one picture: keys down, what is done with them across, and the output below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen, text_size
from attention_explorer.kit.drawing.small_map import paint_swatch
from attention_explorer.kit.items.item import TURNS, Hit, Item, around
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.parts import Part
from attention_explorer.pages.heads.row import Column, RowSteps
from attention_explorer.pages.heads.ui.feature_bars import paint_array

HEADER, LINE, HIGHEST, LETTERS, LARGEST = 27.0, 22.0, 58.0, 13.0, 16.0
"""Pixels at zoom 1: of the titles, of a line beside another picture and of the highest, and of the letters."""
BAR, ARRAY, WIDEST_BAR, NAMES = 28.0, 46.0, 190.0, 0.3
"""Pixels at zoom 1 of a bar and of an array at least, and of a bar at most; the share of the width that names have."""
GAP, WIDE_GAP, ROOMY = 8.0, 16.0, 96.0
"""Pixels at zoom 1 between columns, and of what is drawn where letters may be larger than they must."""

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_RANKS = {Part.SCALE: 1, Part.WEIGHTS: 2, Part.EXP: 3, Part.PRODUCTS: 4, Part.MASK: 5}
"""Which numbers go first where there is no room for all: the highest."""


@dataclass(frozen=True, slots=True)
class RowCell:
    """What is under the pointer: a line, a column of it if any, and of an array which feature."""

    line: int
    column: int | None = None
    feature: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedColumn:
    """Where a column is: its text, its bar or its arrays, each (left, width), or None where there is no room."""

    text: tuple[float, float] | None
    drawn: tuple[float, float] | None

    @property
    def span(self) -> tuple[float, float] | None:
        """From where to where it goes."""
        ends = [(left, left + width) for left, width in filter(None, (self.text, self.drawn))]
        return (min(left for left, _ in ends), max(right for _, right in ends)) if ends else None


@dataclass(frozen=True, slots=True)
class RowLayout:
    """Where everything of a row is."""

    box: QRectF
    top: float
    """Of the first line."""
    high: float
    names: float
    """Their width."""
    letters: float
    columns: tuple[PlacedColumn, ...]

    def line(self, number: int) -> QRectF:
        """Return the box of a line; the one behind the last is the total."""
        return QRectF(self.box.left(), self.top + number * self.high, self.box.width(), self.high)

    def place(self, number: int, span: tuple[float, float]) -> QRectF:
        """Return the box of a column in a line."""
        return QRectF(span[0], self.top + number * self.high, span[1], self.high)


@dataclass(frozen=True, slots=True, eq=False)
class RowTable(Item[RowLayout]):
    """A row at one moment; a `Hit` says which `RowCell`, the line behind the last being the output.

    Attributes
    ----------
    steps : RowSteps
        The row.
    moment : int
        How far it is drawn.
    chosen : int or None
        The line that is looked at.
    fills : bool
        Whether it takes what room there is; else its lines are as high as those of a list.
    """

    name: str
    steps: RowSteps
    moment: int
    chosen: int | None = None
    fills: bool = True
    is_given: bool = False

    # ---- Where things stand ----

    @property
    def _lines(self) -> int:
        return len(self.steps.lines)

    def layout(self, look: Look, box: QRectF) -> RowLayout:
        px, header = look.px, look.px(HEADER)
        high = float(look.px(LINE))
        if self.fills:
            high = min(max((box.height() - header) / (self._lines + 1), look.px(14)), look.px(HIGHEST))
        letters = min(max(LETTERS, 0.5 * high / look.zoom), LARGEST) if self.fills else LETTERS
        letters = min(letters, 0.86 * high / look.zoom)
        # So many columns may be there that larger letters would push some of them out.
        while letters > LETTERS and self._needed(look, box, letters) > box.width():
            letters -= 0.5
        names = self._names_width(look, box, letters)
        gap = px(WIDE_GAP if self.fills else GAP)
        columns = self._placed(look, box.adjusted(names + gap, 0, 0, 0), letters, gap)
        return RowLayout(box, box.top() + header, high, names, letters, columns)

    def height(self, look: Look, _width: float) -> float | None:
        return None if self.fills else look.px(HEADER) + look.px(LINE) * (self._lines + 1)

    def _names_width(self, look: Look, box: QRectF, letters: float) -> float:
        font = look.font(letters, bold=True)
        widest = max(text_size(font, line)[0] for line in (*self.steps.lines, "output"))
        return min(widest + 2, NAMES * box.width())

    def _needed(self, look: Look, box: QRectF, letters: float) -> float:
        """Return how wide all columns are with letters of a size."""
        gap, columns = look.px(WIDE_GAP), self.steps.columns
        widths = (self._text_width(look, column, letters) for column in columns)
        drawn = sum(look.px(ROOMY + 6) for column in columns if _is_drawn(column))
        return self._names_width(look, box, letters) + sum(widths) + drawn + gap * len(columns)

    def _text_width(self, look: Look, column: Column, letters: float) -> float:
        font = look.font(letters, bold=True)
        title = self._title(column)
        return max(
            (
                text_size(font, text)[0] + 1
                for text in (*self._texts(column), self._total(column), title)
                if column.texts
            ),
            default=0.0,
        )

    def _title(self, column: Column) -> str:
        return column.title if self.fills else column.short or column.title

    def _texts(self, column: Column) -> tuple[str, ...]:
        return column.texts if self.fills else column.brief

    def _total(self, column: Column) -> str:
        """Return what stands below a column: in a panel not that weights sum to 1."""
        is_short = not self.fills and column.numbers is not None and self.steps.output is not None
        return f"Σ {column.total}" if column.total and not is_short else ""

    def _placed(self, look: Look, room: QRectF, letters: float, gap: float) -> tuple[PlacedColumn, ...]:
        """Place the columns; without room for all, numbers go by their rank, bars and what makes the output stay."""
        columns, px = self.steps.columns, look.px
        texts = [self._text_width(look, column, letters) for column in columns]
        drawn = [px(BAR if column.arrays is None else ARRAY) if _is_drawn(column) else 0.0 for column in columns]
        if not self.fills or self._needed_in(texts, drawn, gap, px(6)) > room.width():
            drawn = [0.0 if column.part is Part.PRODUCTS else wide for column, wide in zip(columns, drawn, strict=True)]
        for column in sorted(range(len(columns)), key=lambda number: -_RANKS.get(columns[number].part, 0)):
            if self._needed_in(texts, drawn, gap, px(6)) <= room.width():
                break
            if columns[column].part in _RANKS:
                texts[column] = 0.0
        spare = max(room.width() - self._needed_in(texts, drawn, gap, px(6)), 0.0)
        shares = [0.0 if not wide else 1.0 if columns[at].arrays is None else 2.0 for at, wide in enumerate(drawn)]
        for at, share in enumerate(shares):
            if share:
                more = spare * share / sum(shares)
                drawn[at] += min(more, px(WIDEST_BAR)) if columns[at].arrays is None and sum(shares) > 1 else more
        return tuple(self._placed_one_by_one(texts, drawn, room.left(), gap, px(6)))

    @staticmethod
    def _needed_in(texts: list[float], drawn: list[float], gap: float, between: float) -> float:
        return (
            sum(
                text + wide + (between if text and wide else 0.0) + gap
                for text, wide in zip(texts, drawn, strict=True)
                if text or wide
            )
            - gap
        )

    def _placed_one_by_one(
        self, texts: list[float], drawn: list[float], left: float, gap: float, between: float
    ) -> Iterator[PlacedColumn]:
        for column, text, wide in zip(self.steps.columns, texts, drawn, strict=True):
            # A bar stands before its number, an array of products behind their sum.
            first, second = (wide, text) if column.numbers is not None else (text, wide)
            after = left + first + (between if first and second else 0.0)
            spans = (left, first), (after, second)
            of_text, of_drawn = reversed(spans) if column.numbers is not None else spans
            yield PlacedColumn(of_text if text else None, of_drawn if wide else None)
            if text or wide:
                left = after + second + gap

    def data_box(self, layout: RowLayout) -> QRectF:
        spans = [placed.span for placed in layout.columns if placed.span is not None]
        left, right = min(start for start, _ in spans), max(end for _, end in spans)
        return around((QRectF(left, layout.top, right - left, layout.high * (self._lines + 1)),))

    def _shown(self, column: Column) -> int:
        """Return how many lines of a column are there at the moment."""
        part, count = self.steps.moments[self.moment]
        if column.part is not part:
            return self._lines if column.part < part else 0
        return count

    # ---- Painting ----

    def paint(self, painter: QPainter, layout: RowLayout, look: Look, *, vector: bool = False) -> None:
        theme, px = look.theme, look.px
        part, count = self.steps.moments[self.moment]
        is_told = self.moment < len(self.steps.moments) - 1 and any(
            column.told for column in self.steps.columns if column.part is part
        )
        at = count - 1 if is_told else self.chosen
        if at is not None and at < self._lines:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(colour_of(theme.key, 0.13))
            painter.drawRoundedRect(layout.line(at).adjusted(-px(3), 0, px(3), 0), px(4), px(4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        self._paint_names(painter, layout, look, at)
        bottom = layout.line(self._lines).top()
        draw_line(
            painter, QPointF(layout.box.left(), bottom), QPointF(layout.box.right(), bottom), pen(theme.border, 1)
        )
        for column, placed in zip(self.steps.columns, layout.columns, strict=True):
            shown = self._shown(column)
            if shown and placed.span is not None:
                self._paint_title(painter, layout, look, column, placed)
                self._paint_column(painter, layout, look, column, placed, shown, at)

    def _paint_names(self, painter: QPainter, layout: RowLayout, look: Look, at: int | None) -> None:
        theme, reading = look.theme, self.steps.reading
        ink = theme.key_ink if reading.is_row else theme.query_ink
        for number, line in enumerate(self.steps.lines):
            own = theme.muted if self._is_masked(number) else ink
            self._write(painter, look.font(layout.letters, bold=number == at), own,
                        layout.place(number, (layout.box.left(), layout.names)), line)  # fmt: skip
        title = QRectF(layout.box.left(), layout.box.top(), layout.names, layout.top - layout.box.top())
        self._write(painter, look.font(layout.letters, bold=True), ink, title, "key" if reading.is_row else "query")
        below = layout.place(self._lines, (layout.box.left(), layout.names))
        if self.steps.output is not None:
            self._write(painter, look.font(layout.letters, bold=True), theme.output_ink, below, "output")
        else:
            self._write(painter, look.font(layout.letters), theme.muted, below, "sum")

    def _is_masked(self, line: int) -> bool:
        """Whether what a line stands for is hidden."""
        return line < len(self.steps.named) and bool(self.steps.reading.masked[self.steps.named[line]])

    @staticmethod
    def _write(
        painter: QPainter, font: QFont, ink: str, box: QRectF, text: str, side: Qt.AlignmentFlag = _RIGHT
    ) -> None:
        painter.setFont(font)
        painter.setPen(colour_of(ink))
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideMiddle, box.width() + 1)
        painter.drawText(box, side, shown)

    def _paint_title(
        self, painter: QPainter, layout: RowLayout, look: Look, column: Column, placed: PlacedColumn
    ) -> None:
        theme, (start, end) = look.theme, placed.span or (0.0, 0.0)
        ink = {Part.WEIGHTS: theme.key_ink, Part.VALUES: theme.value_ink}.get(column.part, theme.text)
        if not self.steps.reading.is_row and column.numbers is None:
            ink = theme.text
        box = QRectF(start, layout.box.top(), end - start, layout.top - layout.box.top())
        side, text = _RIGHT, self._title(column)
        if column.texts and placed.drawn is not None and column.arrays is not None:
            box.setWidth(placed.text[1] if placed.text else box.width())
        elif column.numbers is not None:
            # Beside its bar a title has the width of both, and says first what it is.
            named = text if text == "weight" or not self.fills else f"weight {text}"
            font = look.font(layout.letters, bold=True)
            text = named if text_size(font, named)[0] <= box.width() else text
        elif column.arrays is not None:
            side = _LEFT
        self._write(painter, look.font(layout.letters, bold=True), ink, box, text, side)

    def _paint_column(
        self,
        painter: QPainter,
        layout: RowLayout,
        look: Look,
        column: Column,
        placed: PlacedColumn,
        shown: int,
        at: int | None,
    ) -> None:
        theme = look.theme
        if placed.text is not None:
            for number, words in enumerate(self._texts(column)[:shown]):
                font = look.font(layout.letters, bold=number == at)
                self._write(painter, font, theme.text, layout.place(number, placed.text), words)
            words = self._total(column)
            if words and shown == self._lines:
                font = look.font(layout.letters, bold=True)
                whole = QRectF(layout.place(self._lines, placed.text))
                whole.setLeft(min(whole.left(), whole.right() - text_size(font, words)[0] - 2))
                self._write(painter, font, theme.muted, whole, words)
        if column.numbers is not None and placed.drawn is not None:
            self._paint_bars(painter, layout, look, column.numbers, placed.drawn, shown)
        if column.arrays is not None and placed.drawn is not None:
            self._paint_arrays(painter, layout, look, column, column.arrays, placed.drawn, shown)

    def _paint_bars(
        self,
        painter: QPainter,
        layout: RowLayout,
        look: Look,
        numbers: FloatArray,
        span: tuple[float, float],
        shown: int,
    ) -> None:
        largest = max(float(numbers.max(initial=0.0)), 1e-300)  # numbers say how much, bars how they compare
        colour = colour_of(look.theme.key if self.steps.reading.is_row else look.theme.query)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for number, share in enumerate(numbers[:shown].tolist()):
            box = layout.place(number, span)
            inset = 0.2 * box.height()
            if self._is_masked(number):
                side = box.height() - 2 * inset
                paint_swatch(painter, QRectF(box.left(), box.top() + inset, side, side), look)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            elif share > 0:
                wide = max(share / largest * box.width(), 1.0)
                painter.fillRect(QRectF(box.left(), box.top() + inset, wide, box.height() - 2 * inset), colour)

    def _paint_arrays(
        self,
        painter: QPainter,
        layout: RowLayout,
        look: Look,
        column: Column,
        arrays: FloatArray,
        span: tuple[float, float],
        shown: int,
    ) -> None:
        """Paint arrays feature by feature on one scale; below what goes into the output their sum so far."""
        is_blend = column.part is Part.VALUES
        whole = self.steps.output if is_blend and self.steps.output is not None else arrays[:1]
        scale = max(float(np.abs(arrays).max(initial=0.0)), float(np.abs(whole).max(initial=0.0)))
        ink = look.theme.value if is_blend else look.theme.muted
        for number, array in enumerate(arrays[:shown]):
            paint_array(painter, look, array, scale, layout.place(number, span), ink)
        if is_blend:
            below = layout.place(self._lines, span)
            paint_array(painter, look, arrays[:shown].sum(axis=0), scale, below, look.theme.output)

    # ---- Pointing ----

    def hit(self, layout: RowLayout, place: QPointF) -> Hit | None:
        number = int((place.y() - layout.top) // layout.high)
        if not (0 <= number <= self._lines and layout.box.left() <= place.x() <= layout.box.right()):
            return None
        return Hit(self.name, self._cell_at(layout, number, place.x()))

    def _cell_at(self, layout: RowLayout, number: int, x: float) -> RowCell:
        for at, (column, placed) in enumerate(zip(self.steps.columns, layout.columns, strict=True)):
            span = placed.span
            if (
                span is None
                or not span[0] <= x <= span[1]
                or number >= self._shown(column) + (column.part is Part.VALUES)
            ):
                continue
            if column.arrays is None or placed.drawn is None or not 0 <= x - placed.drawn[0] <= placed.drawn[1]:
                return RowCell(number, at)
            feature = int((x - placed.drawn[0]) / placed.drawn[1] * column.arrays.shape[1])
            return RowCell(number, at, min(feature, column.arrays.shape[1] - 1))
        return RowCell(number)

    def mark(self, painter: QPainter, layout: RowLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name or hit.part.line > self._lines:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(look.theme.text, 1.3 * look.zoom))
        painter.drawRoundedRect(layout.line(hit.part.line).adjusted(-1, 1, 1, -1), look.px(4), look.px(4))

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        turn = TURNS.get(key, (0, 0))[0]
        if not turn:
            return None
        if hit is None or hit.item != self.name:
            return Hit(self.name, RowCell(0 if turn > 0 else self._lines - 1))
        return Hit(self.name, RowCell(min(max(hit.part.line + turn, 0), self._lines), hit.part.column))

    def spoken(self) -> str:
        known = [(column, self._shown(column)) for column in self.steps.columns if column.texts]
        column, shown = next(((each, count) for each, count in reversed(known) if count), (None, 0))
        texts = () if column is None else column.texts[:shown]
        listed = ", ".join(f"{line} {text}" for line, text in zip(self.steps.lines, texts, strict=False))
        what = "" if column is None else f"{column.short or column.title}: "
        return f"{self.steps.caption(self.moment)} {what}{listed}"


def _is_drawn(column: Column) -> bool:
    return column.numbers is not None or column.arrays is not None
