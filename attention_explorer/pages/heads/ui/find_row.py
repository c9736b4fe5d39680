"""Above the picture, when it is wanted: a field that finds tokens, and a button that hides them as keys."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from attention_explorer.kit.controls.number_box import UndoKeys
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.shown_map import HIDING
from attention_explorer.pages.heads.state import HeadsState, HeadsView
from attention_explorer.pages.heads.token_search import Found, find_tokens, found_words, named, with_hidden
from attention_explorer.pages.ui.session import Session

HIDE_TIP = "Take these tokens out of the keys in the picture. The other weights stay, so rows sum to what is left."


class FindRow(QWidget):
    """Finds tokens while they are typed; Enter goes on to the next, Esc closes.

    Signals
    -------
    found : Spot
        The token to be shown.
    closed
        The keyboard is free for the picture again.
    """

    found = Signal(object)
    closed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._frame: HeadsFrame | None = None
        self._found = Found()
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a token")
        self.field.setAccessibleName("Find a token")
        self.field.setToolTip("A part of a token; Enter goes to the next one, Shift+Enter to the one before")
        self.field.textEdited.connect(self._on_edited)
        UndoKeys(self.field, lambda: False)
        self.field.installEventFilter(self)
        self.count = QLabel()
        self.count.setObjectName("muted")
        self.hide_tokens = QPushButton("Hide")
        self.hide_tokens.clicked.connect(self._on_hide_clicked)
        self.show_all = QPushButton("Show all")
        self.show_all.setToolTip("Show all keys again")
        self.show_all.clicked.connect(lambda: self._hide(self._view.hidden_tokens, hide=False))
        self.close_button = QPushButton("×")
        self.close_button.setAccessibleName("Close the search")
        self.close_button.setToolTip("Close the search (Esc); what is hidden stays hidden")
        self.close_button.clicked.connect(self.close_row)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.field, 1)
        for part in (self.count, self.hide_tokens, self.show_all, self.close_button):
            self._row.addWidget(part)
        self.hide()

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._row.setSpacing(look.px(6))
        self.close_button.setFixedWidth(look.px(30))

    def show_frame(self, frame: HeadsFrame, heads: HeadsState) -> None:
        """Look for the same in these tokens, and show what is hidden of them."""
        self._frame = frame
        if self.isHidden():
            return
        self._found = find_tokens(frame, self.field.text())
        keys, view = self._found.keys, heads.view
        self.count.setText(found_words(self._found, view) if self.field.text().strip() else "")
        self.field.setAccessibleDescription(self.count.text())
        are_hidden = bool(keys) and keys <= view.hidden_tokens
        self.hide_tokens.setText("Show" if are_hidden else "Hide")
        self.hide_tokens.setAccessibleName(f"{self.hide_tokens.text()} {named(keys)} as keys")
        reason = "" if view.picture in HIDING else "Every key is shown here: hide keys in the map or the lines."
        self.hide_tokens.setEnabled(bool(keys) and not reason)
        self.hide_tokens.setToolTip(reason or (f"{HIDE_TIP}\n{named(keys)}" if keys else HIDE_TIP))
        self.show_all.setVisible(bool(view.hidden_tokens))

    # ---- What people do ----

    def open_row(self) -> None:
        """Show the row and give it the keyboard."""
        self.show()
        if self._frame is not None:
            self.show_frame(self._frame, self._session.state.heads)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close_row(self) -> None:
        """Forget what was looked for; what is pinned and hidden stays."""
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self.field or event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close_row()
        else:
            return False
        return True

    @property
    def _view(self) -> HeadsView:
        return self._session.state.heads.view

    def _on_edited(self) -> None:
        if self._frame is not None:
            self.show_frame(self._frame, self._session.state.heads)
            self._go(0)

    def _go(self, step: int) -> None:
        """Show the next token that was found (1), the one before (−1), or the first from what is pinned on (0)."""
        place = self._found.next_of(self._view, step)
        if place is not None:
            self.found.emit(Spot(*place))

    def _on_hide_clicked(self) -> None:
        self._hide(self._found.keys, hide=not self._found.keys <= self._view.hidden_tokens)

    def _hide(self, tokens: frozenset[str], *, hide: bool) -> None:
        state = self._session.state
        heads = state.heads.with_view(**with_hidden(state.heads.view, tokens, hide=hide))
        self._session.apply(replace(state, heads=heads), f"{'Hide' if hide else 'Show'} {named(tokens)}")
