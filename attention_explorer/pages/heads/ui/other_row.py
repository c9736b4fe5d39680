"""What B of a comparison is: its head, and its sentences."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.sentence_field import SentenceField
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.other import other_shown, with_other_recipe
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.heads.ui.other_button import OtherButton
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

NARROW = 400
"""Pixels at zoom 1 below which two sentences have no room beside each other."""


class OtherRow(QWidget):
    """Names B and lets another one be chosen or typed; on show with a comparison.

    Signals
    -------
    refused : str
        Why a sentence cannot be used.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.button = OtherButton(session)
        self.sentence = self._field("Sentence of B", "Type the sentence of B, of any length", "sentence")
        self.context = self._field("Second sentence of B", "What keys and values of B come from", "context")
        self._look = look
        self._row = QGridLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for column, widget in enumerate((self.button, self.sentence, self.context)):
            self._row.addWidget(widget, 0, column)
        self.hide()

    def _field(self, name: str, tip: str, field: str) -> SentenceField:
        line = SentenceField(name, tip, lambda: getattr(other_shown(self._session.state.heads).recipe, field) or "")
        line.typed.connect(lambda text: self._on_typed(field, text))
        line.refused.connect(self.refused)
        line.editingFinished.connect(self._session.commit)
        return line

    def set_look(self, look: Look) -> None:
        """Apply the theme."""
        self._look = look
        self._row.setSpacing(look.px(6))
        self._place_context()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_context()

    def _place_context(self) -> None:
        """Let the second sentence begin a new line where little of it could be read beside the first."""
        self._row.removeWidget(self.context)
        if self.width() < self._look.px(NARROW):
            self._row.addWidget(self.context, 1, 0, 1, 2)
        else:
            self._row.addWidget(self.context, 0, 2)

    def show_state(self, heads: HeadsState) -> None:
        """Say what B is."""
        is_compared = heads.view.picture is Picture.COMPARE
        self.setVisible(is_compared)
        if not is_compared:
            return  # B may be a file that would only be read for its words
        source = source_of(other_shown(heads).recipe)
        self.button.show_state(heads)
        allow_unless(source.traits.reason_against(Ability.TYPING), self.sentence, self.context)
        self.sentence.show_sentence(source.sentence)
        self.context.show_sentence(source.context or "")
        self.context.setVisible(source.context is not None)

    def _on_typed(self, field: str, text: str) -> None:
        state = self._session.state
        heads = with_other_recipe(state.heads, **{field: text})
        self._session.apply(replace(state, heads=heads), "Type B", merge=f"type {field} of B")
