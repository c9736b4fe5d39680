"""One line that says what is under the pointer, or a message: it keeps its place, however much there is to say."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.kit.accessible import WORDS
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look

BEFORE_TEXT = 10
"""Pixels between the edge of the window and the first letter."""


class ReadOut(QWidget):
    """A line of text, painted in place; what does not fit ends in "…", and a tip has all of it."""

    accessible_role = WORDS

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._text, self._message = look, "", ""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # or Qt paints everything behind it first
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def set_text(self, text: str) -> None:
        """Say something else."""
        if text != self._text:
            self._text = text
            self._show()

    def set_message(self, message: str) -> None:
        """Show a message instead, until there is an empty one."""
        if message != self._message:
            self._message = message
            self._show()

    def _show(self) -> None:
        self.setAccessibleDescription(self.shown())
        self.setToolTip(self.shown())
        self.update()

    def text(self) -> str:
        """Return all of what is said of what is under the pointer."""
        return self._text

    def shown(self) -> str:
        """Return all of what is on show: the message, if there is one."""
        return self._message or self._text

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(200), self._look.px(20))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._look.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour_of(self._look.theme.rail))
        font = self._look.font(13)
        painter.setFont(font)
        painter.setPen(colour_of(self._look.theme.muted))
        room = self.rect().adjusted(BEFORE_TEXT, 0, 0, 0)
        text = QFontMetricsF(font).elidedText(self.shown(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()
