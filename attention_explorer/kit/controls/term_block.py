"""Words with terms in them, which explain themselves: underlined by dots, reached by the mouse and by Tab."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QTextLayout
from PySide6.QtWidgets import QLabel, QWidget

from attention_explorer.core.terms import SCHEME, Mention, is_read, mentions, term_named, term_of_link
from attention_explorer.kit.controls.text_block import TextBlock, TextLine, unbroken
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.session.later import later

EXPLAINING_KEYS = (Qt.Key.Key_F1, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class TermLabel(QLabel):
    """A label of rich text whose links lead to terms.

    Signals
    -------
    term_wanted : str
        A term is to be explained, by its name.
    """

    term_wanted = Signal(str)

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.linkActivated.connect(self._on_link)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        # Without links it is no stop for Tab.
        flags = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        self.setTextInteractionFlags(flags if SCHEME in text else Qt.TextInteractionFlag.NoTextInteraction)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if SCHEME in text else Qt.FocusPolicy.NoFocus)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and SCHEME in self.text():
            words = self.text()  # Qt gives links their colour when it reads the text
            super().setText("")
            super().setText(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        term = term_named(self.selectedText())  # Qt selects the link that has the keyboard
        if event.key() in EXPLAINING_KEYS and term is not None:
            self.term_wanted.emit(term.name)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        is_help = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_F1
        if is_help and event.type() is QEvent.Type.ShortcutOverride and self.hasSelectedText():
            event.accept()  # else it is the shortcut of the window
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():  # within its room: a border would make the words wrap anew
            with QPainter(self) as painter:
                painter.setPen(QPen(self.palette().highlight().color(), 2))
                painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 4, 4)

    def _on_link(self, link: str) -> None:
        term = term_of_link(link)
        if term is not None:
            self.term_wanted.emit(term.name)


DOTS = [1.0, 2.0]
"""Of the line below a term: a dot and a gap, by the width of the line."""


class TermBlock(TextBlock):
    """One paragraph with its terms underlined by dots: a click or F1 asks what they mean, the arrows go between them.

    Signals
    -------
    term_wanted : str
        A term is to be explained, by its name.
    searched : ()
        The terms in another text were found; Tab goes to it if there are any.
    """

    term_wanted = Signal(str)
    searched = Signal()

    def __init__(
        self, look: Look, lines_kept: int, name: str, parent: QWidget | None = None, *, ground: str = "card"
    ) -> None:
        self._mentions: tuple[Mention, ...] = ()
        self._is_searched = False
        self._at = 0
        """The mention that has the keyboard, when the block has it."""
        self._places: tuple[object, list[list[QRectF]]] | None = None
        super().__init__(look, lines_kept, name, parent, ground=ground)
        self.setMouseTracking(True)

    def set_text(self, *paragraphs: TextLine) -> None:
        if paragraphs == self._paragraphs:
            return
        super().set_text(*paragraphs)
        self._mentions, self._at, self._is_searched = (), 0, False
        if is_read():
            self._search()

    def _search(self) -> None:
        """Find the terms in the text."""
        self._mentions, self._is_searched = mentions(unbroken(self.text())), True
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if self._mentions else Qt.FocusPolicy.NoFocus)
        self.searched.emit()
        self.update()

    # ---- Where the terms are ----

    def places(self) -> list[list[QRectF]]:
        """Return the boxes of each term: two where it goes on in the next line."""
        key = self._paragraphs, self._mentions, self.width(), self._look.zoom
        if self._places is None or self._places[0] != key:
            self._places = key, _boxes(self._paragraphs, self._mentions, self._look, self.width())
        return self._places[1]

    def _term_at(self, place: QPointF) -> Mention | None:
        found = (
            mention
            for mention, boxes in zip(self._mentions, self.places(), strict=True)
            if any(box.contains(place) for box in boxes)
        )
        return next(found, None)

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_searched:  # at the start: the first picture does not wait for the file of the terms
            later(self, self._search)
        if not self._mentions:
            return
        painter = QPainter(self)
        pen = QPen(colour_of(self._look.theme.muted), max(1.0, self._look.px(1)))
        pen.setDashPattern(DOTS)
        focus = QPen(colour_of(self._look.theme.focus), self._look.px(2))
        for at, boxes in enumerate(self.places()):
            painter.setPen(focus if self.hasFocus() and at == self._at else pen)
            for box in boxes:
                painter.drawLine(box.bottomLeft(), box.bottomRight())
        if self.hasFocus():
            painter.setPen(focus)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    # ---- Mouse and keys ----

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._term_at(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if over is None else Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        over = self._term_at(event.position())
        if over is not None and event.button() is Qt.MouseButton.LeftButton:
            self.term_wanted.emit(over.term.name)

    def event(self, event: QEvent) -> bool:
        is_help = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_F1
        if is_help and event.type() is QEvent.Type.ShortcutOverride and self._mentions:
            event.accept()  # else it is the shortcut of the window
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()), 0)
        if not self._mentions or not (step or event.key() in EXPLAINING_KEYS):
            super().keyPressEvent(event)
        elif step:
            self._at = (self._at + step) % len(self._mentions)
            self.setAccessibleName(self._mentions[self._at].term.name)
            self.update()
        else:
            self.term_wanted.emit(self._mentions[self._at].term.name)

    def foot_of_term(self) -> QPoint:
        """Return where the term with the keyboard ends, for what opens below it."""
        return self.places()[self._at][0].bottomLeft().toPoint() if self._mentions else QPoint(0, self.height())


def _boxes(
    paragraphs: tuple[TextLine, ...], mentions_in: tuple[Mention, ...], look: Look, width: int
) -> list[list[QRectF]]:
    """Return the boxes of the terms of one paragraph, laid out as `QPainter.drawText` breaks its lines."""
    if not paragraphs:
        return []
    font = look.font(paragraphs[0].size, bold=paragraphs[0].bold)
    metrics = QFontMetricsF(font)
    layout, high = QTextLayout(unbroken(paragraphs[0].text), font), 0.0
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, high))
        high += line.height() + max(0.0, metrics.leading())
    layout.endLayout()
    return [_boxes_of(layout, mention, metrics.descent()) for mention in mentions_in]


def _boxes_of(layout: QTextLayout, mention: Mention, descent: float) -> list[QRectF]:
    boxes = []
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        start, end = (
            max(mention.start, line.textStart()),
            min(mention.end, line.textStart() + line.textLength()),
        )
        if start < end:
            left, right = (float(_x(line.cursorToX(at))) for at in (start, end))
            boxes.append(QRectF(left, line.y(), right - left, line.ascent() + descent - 1))
    return boxes


def _x(found: object) -> float:
    """Return the x of a place in a line, which PySide gives with the place itself."""
    return float(found[0]) if isinstance(found, tuple) else float(found)  # type: ignore[arg-type]
