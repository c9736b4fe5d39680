"""What is drawn of B, the other run of a comparison: its map, and a caption above each of the two maps."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.kit.drawing.marks import colour_of, paint_reason
from attention_explorer.kit.map_item import MapItem
from attention_explorer.kit.scene import Item
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training.pair_words import Caption

CAPTION_HEIGHT = 44
"""Pixels at zoom 1."""


class CaptionItem(Item):
    """Two lines above a map: which run it is of, and what that answers."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.caption: Caption = ("", "")

    def show_caption(self, caption: Caption) -> None:
        """Say something else."""
        self.caption = caption
        self.update()

    def draw(self, painter: QPainter) -> None:
        theme, line = self.look.theme, self.box.height() / 2
        for place, (text, ink) in enumerate(zip(self.caption, (theme.text, theme.muted), strict=True)):
            font = self.look.font(13, bold=place == 0)
            painter.setFont(font)
            painter.setPen(colour_of(ink))
            row = QRectF(self.box.left(), self.box.top() + place * line, self.box.width(), line)
            shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, row.width())
            painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class OtherMapItem(MapItem):
    """The map of B; in its place the reason why there is none."""

    reason = ""

    def draw(self, painter: QPainter) -> None:
        if self.reason:
            paint_reason(painter, self.reason, self.box, self.look)
        else:
            super().draw(painter)
