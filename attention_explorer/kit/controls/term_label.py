"""Words with terms in them, which explain themselves: underlined by dots, reached by the mouse and by Tab."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QWidget

from attention_explorer.core.terms import SCHEME, term_named, term_of_link

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
