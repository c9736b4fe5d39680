"""The side panel of the Positions page: the numbers of a position, what the picture says, what is true of the kind."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.numerals import MINUS, signed
from attention_explorer.kit.accessible import WORDS
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.drawing.marks import colour_of, text_size
from attention_explorer.kit.pictures.notes_panel import NotesPanel
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.wording import RowReading, verdict

ACROSS = 3
"""Numbers side by side: pairs of sine and cosine do not matter here, six digits do."""
LINE = 18


class RowNumbers(QWidget):
    """The first numbers of a row, each with the number of its dimension."""

    accessible_role = WORDS

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._reading = RowReading("")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Numbers of the position")

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def show_reading(self, reading: RowReading) -> None:
        """Show the numbers of a row."""
        if reading == self._reading:
            return
        grows = len(reading.values) != len(self._reading.values)
        self._reading = reading
        self.setAccessibleDescription(self.text())
        if grows:
            self.updateGeometry()
        self.update()

    def text(self) -> str:
        """Return the numbers as text: 0: −0.958924, 1: +0.283662, …."""
        named = zip(self._reading.names, self._reading.values, strict=True)
        return ", ".join(f"{name}: {signed(value, 6)}" for name, value in named)

    def sizeHint(self) -> QSize:
        lines = -(-len(self._reading.values) // ACROSS)
        return QSize(self._look.px(300), lines * self._look.px(LINE) + 1)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(60), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        look, theme = self._look, self._look.theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour_of(theme.card))
        slot, high = self.width() / ACROSS, look.px(LINE)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        small, font, texts = look.font(11), look.font(12), [_six_digits(value) for value in self._reading.values]
        names = max((text_size(small, name)[0] for name in self._reading.names), default=0) + 1
        # Each number stands close behind its name; the room left over is a gap before the next pair.
        width = max((text_size(font, text)[0] for text in texts), default=0) + 1
        for index, (name, text) in enumerate(zip(self._reading.names, texts, strict=True)):
            row, column = divmod(index, ACROSS)
            box = QRectF(column * slot, row * high, names, high)
            painter.setFont(small)
            painter.setPen(colour_of(theme.muted))
            painter.drawText(box, right, name)
            painter.setFont(font)
            painter.setPen(colour_of(theme.text))
            painter.drawText(QRectF(box.right() + look.px(4), box.top(), width, high), right, text)
        painter.end()


def _six_digits(value: float) -> str:
    text = signed(value, 6)
    return text if len(text) <= 9 else signed(value, 4).replace("-", MINUS)


class PositionsPanel(NotesPanel):
    """Three cards: the picture, the kind, the row."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.row = Card(look)
        self.row_title = TextBlock(look, 1, "Which position")
        self.numbers = RowNumbers(look)
        self.summary = TextBlock(look, 1, "What the numbers come to")
        for part in (self.row_title, self.numbers, self.summary):
            self.row.body.addWidget(part)
        self.column.insertWidget(self.column.count() - 1, self.row)  # before the stretch

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        for part in (self.row, self.row_title, self.numbers, self.summary):
            part.set_look(look)

    def show_reading(self, reading: RowReading) -> None:
        """Show the numbers of a position."""
        self.row_title.set_text(TextLine(reading.title, bold=True))
        self.numbers.setVisible(bool(reading.values))
        self.numbers.show_reading(reading)
        self.summary.set_text(*(TextLine(line, "muted", size=12.5) for line in reading.summary))


def verdict_lines(state: PositionsState) -> tuple[TextLine, ...]:
    """Return what is true of the kind."""
    found = verdict(state)
    return TextLine(found.title, bold=True), TextLine(found.text, size=12.5)
