"""A part of the Heads page into which people type numbers: what it changes, and how it says that it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.presets import heads_preset, loaded
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.source import Recipe


class TypingPart(QWidget):
    """Changes the recipe of the Heads page, on the ground of a card.

    Signals
    -------
    refused : str
        Why what was asked for cannot be done.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look

    def change_recipe(self, label: str, make: Callable[[Recipe], Recipe]) -> bool:
        """Make another recipe of the one there is, as one step; return whether that could be done."""
        heads = self._session.state.heads
        try:
            changed = self.with_recipe(heads, make(heads.setup.recipe))
        except ExplorerError as error:
            self.refused.emit(str(error))
            return False
        self._session.apply(replace(self._session.state, heads=changed), label)
        return True

    def with_recipe(self, heads: HeadsState, recipe: Recipe) -> HeadsState:
        """Return the state of the page with another recipe."""
        return heads.with_setup(recipe=recipe)

    def open_preset(self, name: str) -> None:
        """Show a preset of the page, as one step."""
        ready, state = heads_preset(name), self._session.state
        self._session.apply(replace(state, heads=loaded(ready, state.heads)), ready.title)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour_of(self._look.theme.card))
        painter.end()
