"""What a term means: two sentences, a small picture, and the way to see it large."""

from __future__ import annotations

import html

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.terms import Term
from attention_explorer.kit.accessible import announce, sentences
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.theme import Look
from attention_explorer.tools.terms.references import PAPERS
from attention_explorer.tools.terms.ui.pictures import WIDE, Miniature, shown_by

IN_A_LESSON = "A lesson is open. Leave it to see the example."


class TermView(QWidget):
    """Explains one term at a time.

    Signals
    -------
    show_wanted : Term
        Its preset is to be shown in the window.
    """

    show_wanted = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.term: Term | None = None
        self._title, self._says, self._source = QLabel(), QLabel(), QLabel()
        self.picture = Miniature(look)
        self.show_me = QPushButton("Show me")
        self._title.setObjectName("title")
        self._source.setObjectName("source")
        for label in (self._says, self._source):
            label.setWordWrap(True)
        self._source.setOpenExternalLinks(True)
        self._source.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.show_me.clicked.connect(lambda: self.show_wanted.emit(self.term))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(look.px(8))
        foot = QHBoxLayout()
        foot.addWidget(self._source, 1)
        foot.addWidget(self.show_me)
        for widget in (self._title, self._says, self.picture):
            column.addWidget(widget)
        column.addLayout(foot)

    def show_term(self, term: Term, *, reason: str = "") -> None:
        """Explain a term; with a reason, why its preset cannot be shown, also without its picture."""
        self.term = term
        self._title.setText(term.name)
        self._says.setText(term.says)
        self._source.setText(_linked(term.source))
        ready = shown_by(term)
        self.show_me.setToolTip(f"Show the example “{ready.title}”. Undo brings back what you have.")
        self.show_me.setAccessibleName(f"Show me: {ready.title}")
        allow_unless(reason, self.show_me)
        self.picture.setVisible(term.picture and not reason)
        if self.picture.isVisibleTo(self):
            self.picture.show_preset(ready, term.part)

    def spoken(self) -> str:
        """Say what the term means."""
        return "" if self.term is None else sentences(self.term.name, self.term.says, self.term.source)


def _linked(source: str) -> str:
    """Return a source, as HTML, in which the paper is a link: the browser opens it, not the program."""
    for paper in PAPERS:
        if source.startswith(paper.cited):
            rest = html.escape(source.removeprefix(paper.cited))
            return (
                f'<a href="{html.escape(paper.link)}" style="color: palette(text)">{html.escape(paper.cited)}</a>{rest}'
            )
    return html.escape(source)


class TermCard(QDialog):
    """A small card beside a word that somebody asks about: Esc, or a click elsewhere, closes it."""

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.look = look
        self.view = TermView(look)
        card = Card(look)
        card.setFixedWidth(look.px(WIDE + 26))
        card.body.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(card)
        self.view.show_wanted.connect(self.accept)

    def show_term(self, term: Term, reason: str = "") -> None:
        """Explain a term; with a reason, why its preset cannot be shown, also without its picture."""
        self.setAccessibleName(term.name)
        self.view.show_term(term, reason=reason)

    def open_at(self, place: QPoint, around: QRect) -> None:
        """Open below a place of the screen, or above it, wholly within a part of the screen."""
        self.ensurePolished()
        self.adjustSize()
        size = self.sizeHint()
        below = place.y() + 6
        top = below if below + size.height() <= around.bottom() else place.y() - size.height() - 24
        left = min(max(place.x() - 20, around.left() + 4), around.right() - size.width() - 4)
        self.move(left, max(min(top, around.bottom() - size.height()), around.top() + 4))
        self.show()
        self.view.show_me.setFocus()
        announce(self, self.view.spoken())
