"""Bars below one another, each of a thing with a name: how much of 1 it has, and the number that this comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.kit.drawing.marks import colour_of, draw_badge
from attention_explorer.kit.items.item import Arrays, Hit, Item, around, walked
from attention_explorer.kit.theme import Look

HEAD, ROW, LOW_ROW, MANY = 22.0, 30.0, 22.0, 6
"""Pixels at zoom 1 of the titles and of a row, of a row where there are more than so many."""
BADGE, BAR, GAP, MOST_WORDS = 12.0, 15.0, 10.0, 86.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar.

    Attributes
    ----------
    symbol : str
        What stands in its badge: k₁; empty where none of them has a badge.
    share : float
        How long it is, 0 to 1.
    number : str
        What stands before it, such as the score that it comes from.
    text : str
        What stands behind it.
    words : str
        What else it is called: a token; empty for nothing.
    is_strong : bool
        Whether its numbers are bold: it is the largest.
    """

    symbol: str
    share: float
    number: str
    text: str
    words: str = ""
    is_strong: bool = False


@dataclass(frozen=True, slots=True)
class BarsLayout:
    """Where the rows are, the badge, words and number in each, and its bar."""

    rows: tuple[QRectF, ...]
    words: QRectF
    number: QRectF
    track: QRectF
    """Of every row those that go across; their heights are those of the row."""


@dataclass(frozen=True, slots=True)
class NamedBars(Item[BarsLayout]):
    """Such bars under titles; a `Hit` says which row.

    Attributes
    ----------
    titles : (str, str)
        What the numbers are, and what the bars are.
    ink : str
        The role that has them: a field of `Theme`, with another of the same name and ``_ink`` for its letters.
    chosen : int or None
        The row that is written about beside it.
    """

    name: str
    titles: tuple[str, str]
    bars: tuple[Bar, ...]
    ink: str = "key"
    chosen: int | None = None
    is_given: bool = False

    def at(self, shares: Sequence[float]) -> NamedBars:
        """Return it with bars of other lengths, on their way: what is written stays."""
        return replace(
            self, bars=tuple(replace(bar, share=share) for bar, share in zip(self.bars, shares, strict=True))
        )

    def _row_height(self, look: Look) -> int:
        return look.px(ROW if len(self.bars) <= MANY else LOW_ROW)

    def height(self, look: Look, _width: float) -> float:
        return look.px(HEAD) + len(self.bars) * self._row_height(look)

    def layout(self, look: Look, box: QRectF) -> BarsLayout:
        high, metrics = self._row_height(look), QFontMetricsF(look.font(13, bold=True))
        top = box.top() + look.px(HEAD)
        rows = tuple(QRectF(box.left(), top + i * high, box.width(), high) for i in range(len(self.bars)))
        badge = look.px(2 * BADGE + 10) if any(bar.symbol for bar in self.bars) else 0
        left, gap = box.left() + badge, look.px(GAP)
        weights = metrics, QFontMetricsF(look.font(13))  # “X = E + P” is wider where it is not bold
        said = max(each.horizontalAdvance(bar.words) for bar in self.bars for each in weights)
        words = QRectF(left, 0, min(said, look.px(MOST_WORDS)), 0)
        left = words.right() + (gap if said else 0)
        numbers = (*(bar.number for bar in self.bars), self.titles[0])
        number = QRectF(left, 0, max(map(metrics.horizontalAdvance, numbers)), 0)
        behind = max(look.px(42), *(metrics.horizontalAdvance(bar.text) for bar in self.bars))
        left = number.right() + gap
        return BarsLayout(rows, words, number, QRectF(left, 0, max(box.right() - behind - gap - left, 8.0), 0))

    def data_box(self, layout: BarsLayout) -> QRectF:
        return around(_across(layout.track, row) for row in layout.rows)

    def paint(self, painter: QPainter, layout: BarsLayout, look: Look, *, vector: bool = False) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(look.font(12))
        painter.setPen(colour_of(look.theme.muted))
        head = layout.rows[0].translated(0, -look.px(HEAD))
        head.setHeight(look.px(HEAD))
        right, middle = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
        painter.drawText(_across(layout.number, head), right | middle, self.titles[0])
        painter.drawText(_across(layout.track, head), middle, self.titles[1])
        if self.chosen is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour_of(look.theme.window))
            painter.drawRoundedRect(layout.rows[self.chosen], look.px(5), look.px(5))
        for row, bar in zip(layout.rows, self.bars, strict=True):
            self._paint_row(painter, layout, row, bar, look)

    def _paint_row(self, painter: QPainter, layout: BarsLayout, row: QRectF, bar: Bar, look: Look) -> None:
        theme, right, middle = look.theme, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
        radius = min(look.px(BADGE), row.height() / 2 - 1)
        if bar.symbol:
            draw_badge(
                painter,
                QPointF(row.left() + look.px(BADGE + 2), row.center().y()),
                bar.symbol,
                font=look.font(12, bold=True),
                radius=radius,
                ink=getattr(theme, f"{self.ink}_ink"),
                edge=getattr(theme, self.ink),
                fill=theme.card,
                width=2.0 * look.zoom,
            )
        painter.setPen(colour_of(theme.text))
        painter.setFont(look.font(13))
        place = _across(layout.words, row)
        metrics = QFontMetricsF(look.font(13))
        cut = metrics.elidedText(bar.words, Qt.TextElideMode.ElideRight, place.width() + 1)
        painter.drawText(place, middle, cut)
        painter.setFont(look.font(13, bold=bar.is_strong))
        painter.setPen(colour_of(theme.text if bar.is_strong else theme.muted))
        painter.drawText(_across(layout.number, row), right | middle, bar.number)
        painter.drawText(row, right | middle, bar.text)
        high, track = min(look.px(BAR), row.height() - look.px(6)), _across(layout.track, row)
        track = QRectF(track.left(), row.center().y() - high / 2, track.width(), high)
        painter.setPen(Qt.PenStyle.NoPen)
        for colour, wide in ((theme.track, track.width()), (getattr(theme, self.ink), track.width() * bar.share)):
            painter.setBrush(colour_of(colour))
            painter.drawRoundedRect(QRectF(track.topLeft(), track.size()).adjusted(0, 0, wide - track.width(), 0), 3, 3)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def hit(self, layout: BarsLayout, place: QPointF) -> Hit | None:
        return next((Hit(self.name, i) for i, row in enumerate(layout.rows) if row.contains(place)), None)

    def mark(self, painter: QPainter, layout: BarsLayout, look: Look, hit: Hit) -> None:
        if hit.item == self.name and hit.part < len(layout.rows):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(colour_of(look.theme.axis))
            painter.drawRoundedRect(layout.rows[hit.part].adjusted(0, 1, -1, -1), look.px(5), look.px(5))

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        cell = None if hit is None or hit.item != self.name else Hit(self.name, (hit.part, 0))
        found = walked(self.name, cell, key, (len(self.bars), 1))
        return None if found is None else Hit(self.name, found.part[0])

    def spoken(self) -> str:
        number = self.titles[0]
        return "; ".join(
            f"{bar.symbol} {bar.words} {number} {bar.number}, {bar.text}".replace("  ", " ") for bar in self.bars
        )

    def arrays(self) -> Arrays:
        return {}


def _across(part: QRectF, row: QRectF) -> QRectF:
    """Return a part of a row with the height of one of them."""
    return QRectF(part.left(), row.top(), part.width(), row.height())
